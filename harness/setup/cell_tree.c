#include "harness/setup/cell_tree.h"

#include <string.h>

int cell_tree_build(const struct cell *cell, struct tree *tree,
                    struct error *err)
{
    const char *transport = cell->transport;
    struct tree_shape shape = {.ranks = cell->ranks,
                               .threads = cell->threads,
                               .by_thread = strcmp(transport, "shared") == 0,
                               .no_master = strcmp(transport, "window") == 0 ||
                                            strcmp(transport, "openmp") == 0 ||
                                            strcmp(transport, "steal") == 0,
                               .dedicated =
                                   strcmp(transport, "master") == 0 &&
                                   strcmp(cell->master, "dedicated") == 0};
    int code = hierarchy_parse(cell->hierarchy, &shape.hierarchy, err);
    if (code != 0)
        return code;
    return tree_build(tree, &shape, err);
}
