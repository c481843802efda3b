/* Files for tests (to be included after cmocka.h): a separate folder for each
 * test program, and PGM files written byte by byte. */
#ifndef KERNELS_CHECK_FILES_H
#define KERNELS_CHECK_FILES_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_ROOM = 160 };

static inline int check_make_folder(void **state)
{
    char *folder = calloc(1, PATH_ROOM);
    assert_non_null(folder);
    snprintf(folder, PATH_ROOM, "/tmp/dlsbench-test-XXXXXX");
    assert_non_null(mkdtemp(folder));
    *state = folder;
    return 0;
}

static inline void check_path(char path[PATH_ROOM], const char *folder,
                              const char *name)
{
    assert_true(snprintf(path, PATH_ROOM, "%s/%s", folder, name) < PATH_ROOM);
}

static inline int check_free_folder(void **state)
{
    DIR *files = opendir(*state);
    for (struct dirent *entry; files && (entry = readdir(files)) != NULL;) {
        char path[PATH_ROOM + sizeof(entry->d_name)];
        snprintf(path, sizeof(path), "%s/%s", (char *)*state, entry->d_name);
        unlink(path);
    }
    closedir(files);
    rmdir(*state);
    free(*state);
    return 0;
}

static inline void check_write_file(const char *path, const void *content,
                                    size_t bytes)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(content, 1, bytes, file), bytes);
    assert_int_equal(fclose(file), 0);
}

/* Levels up to 255, each times `factor` (257: 16 bits). */
static inline void check_write_pgm(const char *path, const char *magic,
                                   int rows, int cols, const unsigned *level,
                                   unsigned factor)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fprintf(file, "%s\n# a comment\n%d %d\n%u\n", magic, cols, rows,
            255 * factor);
    for (int i = 0; i < rows * cols; i++) {
        unsigned value = level[i] * factor;
        if (strcmp(magic, "P2") == 0) {
            fprintf(file, "%u%c", value, i % cols == cols - 1 ? '\n' : ' ');
        } else {
            if (factor > 1)
                fputc((int)(value >> 8), file);
            fputc((int)(value & 255), file);
        }
    }
    assert_int_equal(fclose(file), 0);
}

#endif
