/* Parses the binding of a cell's workers from its fields bind, smt and
 * rank_per. */
#ifndef HARNESS_CELL_BINDING_H
#define HARNESS_CELL_BINDING_H

#include "base/error.h"
#include "harness/cell/cell.h"
#include "harness/topo/topo.h"

/* bind: compact (also called fast), all, kind=N, scatter, none, or processors
 * in the order of a host's workers, as in `taskset -c`: "0,2,4", "0-3,8",
 * "0-62:2". smt: on, off. rank_per: node, socket, numa; "" is node.  An error
 * for an unknown word lists the allowed ones and the nearest.  Returns 0 or
 * -EINVAL. */
int binding_bind_parse(struct topo_binding *binding, const char *bind,
                       struct error *err);
int binding_domain_parse(enum topo_domain *domain, const char *rank_per,
                         struct error *err);

/* The binding of a checked cell. */
void binding_of_cell(struct topo_binding *binding, const struct cell *cell);

/* Writes a list in canonical form, with ranges of three and more as a-b.
 * False: `text` is too small. */
bool binding_format(const struct topo_binding *binding, char *text,
                    size_t size);

/* Sets what rank_per leaves open in an unchecked cell. ranks: one for each
 * domain of each of cell->nodes nodes; threads: as many as fit into any domain;
 * dedicated masters are added.  Does nothing without rank_per.  `room` NULL:
 * the machine is unknown.  Returns 0 or -ENOTSUP. */
int binding_fill_shape(struct cell *cell, const struct topo_room *room,
                       bool ranks_given, bool threads_given, struct error *err);

#endif
