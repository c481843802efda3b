/* A made folder in place of the root of the file system, for unit tests. */
#ifndef BASE_SYSTEM_ROOT_TESTING_H
#define BASE_SYSTEM_ROOT_TESTING_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct tree {
    char path[64];
};

static inline void tree_make(struct tree *tree)
{
    strcpy(tree->path, "/tmp/dlsbench-tree-XXXXXX");
    assert_non_null(mkdtemp(tree->path));
}

static inline void tree_write(const struct tree *tree, const char *name,
                              const char *text)
{
    char command[512], path[256];
    snprintf(path, sizeof(path), "%s%s", tree->path, name);
    snprintf(command, sizeof(command), "mkdir -p \"$(dirname '%s')\"", path);
    assert_int_equal(system(command), 0);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static inline void tree_remove(const struct tree *tree)
{
    char command[128];
    snprintf(command, sizeof(command), "rm -r '%s'", tree->path);
    assert_int_equal(system(command), 0);
}

#endif
