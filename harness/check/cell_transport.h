/* The transport that hands out a cell's loop, and its tree of masters. */
#ifndef HARNESS_CHECK_CELL_TRANSPORT_H
#define HARNESS_CHECK_CELL_TRANSPORT_H

#include "harness/cell/cell.h"
#include "harness/check/setup.h"
#include "harness/hierarchy/tree.h"
#include "harness/transport/registry/transport_registry.h"

/* The transport of a cell with resolved transport and protocol; NULL: none. */
const struct transport_ops *cell_transport(const struct cell *cell);

/* The value of the cell field that only this transport has; NULL: none. */
const char *cell_transport_choice(const struct cell *cell);

/* Whether some ranks of the cell are masters. */
bool cell_has_masters(const struct cell *cell);

/* Ranks that only have masters, in addition to the workers' ranks. The
 * transport may still be `auto`, which depends on the kind of scheme. */
int cell_dedicated_ranks(const struct cell *cell, const struct hierarchy *h,
                         bool schedule);

/* Builds the tree of a setup or a checked cell; free it with tree_free. Returns
 * 0 or -ENOMEM. */
int setup_build_tree(const struct setup *setup, struct tree *tree,
                     struct error *err);
int cell_tree_build(const struct cell *cell, struct tree *tree,
                    struct error *err);

/* How the cell's results are collected. */
enum transport_results cell_results(const struct cell *cell);

#endif
