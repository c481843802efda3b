/* The tree of masters that a cell asks for. */
#ifndef HARNESS_SETUP_CELL_TREE_H
#define HARNESS_SETUP_CELL_TREE_H

#include "harness/hierarchy/tree.h"
#include "harness/setup/setup.h"

/* Builds the tree of a checked cell; free it with tree_free.  Returns 0 or
 * -ENOMEM. */
int cell_tree_build(const struct cell *cell, struct tree *tree,
                    struct error *err);

#endif
