/* The private parts of the files topo*.c. */
#ifndef HARNESS_TOPO_TOPO_INTERNAL_H
#define HARNESS_TOPO_TOPO_INTERNAL_H

#include "harness/topo/topo.h"

#include <hwloc.h>

struct topo {
    hwloc_topology_t handle; /* restricted to the starting cpuset */
    int cores;
    struct allowed allowed;
    hwloc_obj_t *pu; /* by the system's number, NULL: none */
    int pus;
    hwloc_bitmap_t first;              /* one processor of each core */
    hwloc_obj_t *domain[TOPO_DOMAINS]; /* domains of each kind; TOPO_NODE: */
    int domains[TOPO_DOMAINS];         /* only the root */
    int kinds;                         /* 1: all equal */
    bool ranked;                       /* it is known which kind is faster */
    char cpuset[256];
    char processor[128];
    char summary[256];
};

/* ---- topo_source.c: the origin of a topology ---- */

/* Loads another machine into an initialised topology. */
int topo_source_other(const struct topo *topo, const char *machine,
                      struct error *err);

/* Whether the loaded topology is this machine's; otherwise -EINVAL, a text. */
int topo_source_check(const struct topo *topo, struct error *err);

/* ---- topo_position.c: indexes for frequent look-ups ---- */

/* Fills the members from pu to ranked.  Returns 0 or -ENOMEM. */
int topo_index(struct topo *topo);
void topo_index_free(struct topo *topo);

#endif
