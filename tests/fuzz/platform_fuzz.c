/* Platforms with one fat tree: the cut platform must be one as well. */
#include "tests/fuzz/fuzz.h"

#include "bench/simgrid/fat_tree.h"

#include <stdlib.h>
#include <string.h>

static void check_cut(const struct fat_tree *tree, int hosts)
{
    struct fuzz_file file;
    struct fat_tree part;
    char name[64], same[64];
    char *text = fat_tree_cut(tree, hosts);
    fuzz_file_open(&file, text, strlen(text));
    fuzz_need(fat_tree_read(&part, file.path), "what is cut is a tree");
    fuzz_need(part.hosts == hosts, "it has as many hosts as it should");
    for (int i = 0; i < hosts; i++)
        if (fat_tree_name(tree, i, name, sizeof(name)))
            fuzz_need(fat_tree_name(&part, i, same, sizeof(same)) &&
                          strcmp(name, same) == 0,
                      "hosts keep their names");
    fat_tree_free(&part);
    fuzz_file_close(&file);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_file file;
    struct fat_tree tree;
    fuzz_file_open(&file, data, size);
    if (fat_tree_read(&tree, file.path)) {
        int first = fat_tree_fit(&tree, 1);
        fuzz_need(first > 0 && first <= tree.hosts, "a part is not empty");
        if (first < 10000)
            check_cut(&tree, first);
        fat_tree_free(&tree);
    }
    fuzz_file_close(&file);
    return 0;
}
