/* The private parts of the files topo*.c. */
#ifndef HARNESS_TOPO_TOPO_PARTS_H
#define HARNESS_TOPO_TOPO_PARTS_H

#include "harness/topo/topo.h"

#include <hwloc.h>

struct topo {
    hwloc_topology_t handle; /* restricted to the starting cpuset */
    int cores;
    struct allowed allowed;
    char cpuset[256];
    char processor[128];
    char summary[256];
};

/* How many domains of a kind there are, at least 1. */
int topo_domains(const struct topo *topo, enum topo_domain domain);

#endif
