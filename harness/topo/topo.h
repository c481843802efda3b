/* Cores: those that this process may use, the binding of workers, and their
 * observed places.  Only this part uses hwloc.
 *
 * Processors have the system's numbers (as in taskset, lscpu and the records).
 * A processor is a hardware thread, and a core has one or more. */
#ifndef HARNESS_TOPO_TOPO_H
#define HARNESS_TOPO_TOPO_H

#include "base/error.h"
#include "base/system/allowed.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum topo_bind {
    TOPO_COMPACT, /* the fastest kind of core first */
    TOPO_ALL,     /* neighbours, of whatever kind */
    TOPO_KIND,    /* cores of one kind */
    TOPO_SCATTER,
    TOPO_LIST,
    TOPO_NONE
};

/* The domain of a rank.  A NUMA domain is the set of cores that share the
 * nearest memory. */
enum topo_domain { TOPO_NODE, TOPO_SOCKET, TOPO_NUMA, TOPO_DOMAINS };

enum { TOPO_LIST_MAX = 1024 };

/* Where workers go. */
struct topo_binding {
    enum topo_bind bind;
    enum topo_domain domain;
    bool smt;                /* workers may use each hardware thread; else only
                                one of each core */
    int kind;                /* TOPO_KIND: the kind */
    int count;               /* TOPO_LIST: the i-th worker of a host has the */
    int list[TOPO_LIST_MAX]; /* i-th of these processors */
};

struct topo;

/* Loads this machine's topology, restricted to the cpuset in which the process
 * was started.  Call it before any thread is bound.  It is an error if a
 * variable (HWLOC_...) makes hwloc show another machine. */
int topo_open(struct topo **topo, struct error *err);

/* Loads another machine, for display: an XML file (of lstopo), or a synthetic
 * description of hwloc such as "pack:2 numa:2 core:32 pu:2", restricted to the
 * processors in `cpuset` ("0-15,32"; NULL: all).  `machine` NULL: this machine.
 * No thread can be bound.  Returns 0 or -EINVAL with a text. */
int topo_open_other(struct topo **topo, const char *machine, const char *cpuset,
                    struct error *err);
void topo_close(struct topo *topo);

/* Cores that this process may use (at least 1), and their hardware threads. */
int topo_cores(const struct topo *topo);
int topo_processors(const struct topo *topo);

/* The capacity for workers, each on its own core or hardware thread: the number
 * of domains of each kind, and the smallest capacity in any of them. */
struct topo_room {
    int domains[TOPO_DOMAINS];
    int cores[TOPO_DOMAINS], processors[TOPO_DOMAINS];
};
void topo_room(const struct topo *topo, struct topo_room *room);

/* The cpuset as text, to compare whether two processes share cores. */
const char *topo_cpuset(const struct topo *topo);

/* The limits of this process besides its cores, such as the CPU quota of its
 * control group.  Another machine's are unknown and count as unlimited. */
const struct allowed *topo_allowed(const struct topo *topo);

/* The error: so many workers have only this quota, and what to do. -EBUSY. */
int topo_refuse_quota(int workers, double quota, struct error *err);

/* One line: "2 cores, 1 package, ...". */
const char *topo_summary(const struct topo *topo);

/* The number of kinds of cores, 1 if all are equal; and the processors of a
 * kind, as "kind 0: processors 0-3, the least powerful". */
int topo_kinds(const struct topo *topo);
void topo_kind_text(const struct topo *topo, int index, char *text,
                    size_t size);

json_t *topo_kinds_json(const struct topo *topo); /* all; empty: 1 kind */

/* How many workers have a processor of a slower kind than an unused one. */
int topo_slower(const struct topo *topo, const int *processor, int workers);

/* The model of the first processor, or "unknown processor". */
const char *topo_processor(const struct topo *topo);

/* The processors of `workers` workers in one domain (number `domain` of its
 * kind, modulo their count).  `extra` dedicated masters follow, on processors
 * that workers leave free.
 *
 * compact fills neighbouring cores first, with smt all hardware threads of a
 * core, and faster kinds of cores before slower ones; all ignores kinds.
 * scatter puts workers as far apart as it can, each on a separate core while
 * there are enough.  Workers after the last core wrap around to the first.
 * TOPO_LIST ignores domains; under TOPO_NONE all are -1: anywhere in the
 * domain.  Returns 0 or -errno. */
int topo_assign(const struct topo *topo, const struct topo_binding *binding,
                int domain, int workers, int extra, int *processor,
                struct error *err);

/* Binds the calling thread to a processor; -1: to the whole domain.  Returns 0
 * or -errno with a text. */
int topo_bind_self(const struct topo *topo, const struct topo_binding *binding,
                   int domain, int processor, struct error *err);

/* Assigns and binds worker `worker` of `workers`: compact, a core each. */
int topo_bind_compact(const struct topo *topo, int worker, int workers,
                      struct error *err);

/* The location of a processor; -1: unknown. */
struct topo_position {
    int processor;
    int core; /* the lowest processor number of the core */
    int socket, numa;
    int cache; /* the outermost one, named by its first processor */
    int kind;  /* 0: least power, such as efficiency cores; -1: all are equal */
};
struct topo_position topo_position(const struct topo *topo, int processor);

/* The calling thread as the system reports it: where it last ran, and whether
 * it may run only on that core, or only on that processor. */
struct topo_seen {
    struct topo_position position;
    bool on_core, on_processor;
};
struct topo_seen topo_observe_self(const struct topo *topo);

/* ---- memory ---- */

/* Releases the whole pages in [memory, memory + bytes); they then read as zero.
 * The next thread to touch them gets them on its NUMA node, or, with `bind`, on
 * the node of `processor` (-1: not bound).  Private anonymous mappings only.
 * Returns 0 or -errno with a text. */
int topo_place_memory(const struct topo *topo, void *memory, size_t bytes,
                      bool bind, int processor, struct error *err);

/* The NUMA nodes (system numbers, bit 0 is node 0) of the touched pages in
 * [memory, memory + bytes); 0: none, or unknown. */
uint64_t topo_memory_nodes(const struct topo *topo, const void *memory,
                           size_t bytes);

/* ---- for `dlsbench topo` ---- */

/* The binding without a run: a table of the workers of `ranks` ranks of
 * `threads` threads on this host.  Returns how many workers share a core (with
 * smt: a processor) with an earlier one, or -errno with a text. */
int topo_print(FILE *out, const struct topo *topo,
               const struct topo_binding *binding, int ranks, int threads,
               struct error *err);

#endif
