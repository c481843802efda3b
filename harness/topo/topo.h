/* Cores: the ones that this process may use, the binding of workers, the
 * observed places.  The only part that knows hwloc.
 *
 * Processors are numbered as the system does (as in taskset, lscpu and the
 * records); a processor is a hardware thread, and a core has one or more. */
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
    TOPO_ALL,     /* neighbours, whatever their kind */
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
    bool smt;                /* a worker may have each hardware thread, else
                                one of each core */
    int kind;                /* TOPO_KIND: this one */
    int count;               /* TOPO_LIST: the i-th worker of a host has the */
    int list[TOPO_LIST_MAX]; /* i-th of these processors */
};

struct topo;

/* Loads this machine's topology, restricted to the cpuset the process was
 * started in.  Call before any thread is bound.  Where a variable (HWLOC_...)
 * makes hwloc show another machine, that is the error. */
int topo_open(struct topo **topo, struct error *err);

/* Another machine, for display: an XML file (of lstopo), or a synthetic
 * description of hwloc such as "pack:2 numa:2 core:32 pu:2", restricted to the
 * processors in `cpuset` ("0-15,32"; NULL: all).  `machine` NULL is this one.
 * Nothing can be bound on it.  Returns 0 or -EINVAL with a text. */
int topo_open_other(struct topo **topo, const char *machine, const char *cpuset,
                    struct error *err);
void topo_close(struct topo *topo);

/* Cores this process may use (at least 1), and their hardware threads. */
int topo_cores(const struct topo *topo);
int topo_processors(const struct topo *topo);

/* The room of a machine for workers, each on its own core or hardware thread:
 * domains of each kind, and the least in any of them. */
struct topo_room {
    int domains[TOPO_DOMAINS];
    int cores[TOPO_DOMAINS], processors[TOPO_DOMAINS];
};
void topo_room(const struct topo *topo, struct topo_room *room);

/* The cpuset as text, for telling whether two processes share cores. */
const char *topo_cpuset(const struct topo *topo);

/* The limits of this process beside its cores, as the CPU quota of its control
 * group.  For another machine they are unknown and count as unlimited. */
const struct allowed *topo_allowed(const struct topo *topo);

/* Says that so many workers have this quota, and what to do: -EBUSY. */
int topo_refuse_quota(int workers, double quota, struct error *err);

/* One line: "2 cores, 1 package, ...". */
const char *topo_summary(const struct topo *topo);

/* Kinds of cores, 1 where all are equal; which have processors here, as
 * "kind 0: processors 0-3, the least powerful". */
int topo_kinds(const struct topo *topo);
void topo_kind_text(const struct topo *topo, int index, char *text,
                    size_t size);

json_t *topo_kinds_json(const struct topo *topo); /* all; empty: 1 kind */

/* How many of these workers' processors are of a slower kind than one that no
 * worker has. */
int topo_slower(const struct topo *topo, const int *processor, int workers);

/* The model of the first processor, or "unknown processor". */
const char *topo_processor(const struct topo *topo);

/* The processors of `workers` workers in one domain (number `domain` of its
 * kind, modulo their count).  `extra` dedicated masters follow; they get
 * processors that workers leave over.
 *
 * compact fills neighbouring cores first, with smt all hardware threads of a
 * core, and the fastest kind of core before others; all does so whatever their
 * kind.  scatter puts workers as far apart as it can, each on a separate core
 * while there are enough.  Workers after the last core wrap around to the
 * first.  TOPO_LIST ignores domains; under TOPO_NONE all are -1: anywhere in
 * the domain.  Returns 0 or -errno. */
int topo_assign(const struct topo *topo, const struct topo_binding *binding,
                int domain, int workers, int extra, int *processor,
                struct error *err);

/* Binds the calling thread to a processor, to all of the domain when it is -1.
 * Returns 0 or -errno with a text. */
int topo_bind_self(const struct topo *topo, const struct topo_binding *binding,
                   int domain, int processor, struct error *err);

/* Both at once, for worker `worker` of `workers`: compact, a core each. */
int topo_bind_compact(const struct topo *topo, int worker, int workers,
                      struct error *err);

/* Where a processor is: -1: not known. */
struct topo_position {
    int processor;
    int core; /* the lowest processor number of the core */
    int socket, numa;
    int cache; /* the outermost one, by its first processor */
    int kind;  /* 0: least power, as efficiency cores; -1: all are equal */
};
struct topo_position topo_position(const struct topo *topo, int processor);

/* The calling thread as the system reports it: the position it last ran on, and
 * whether it may run on that core, or that processor, only. */
struct topo_seen {
    struct topo_position position;
    bool on_core, on_processor;
};
struct topo_seen topo_observe_self(const struct topo *topo);

/* ---- memory ---- */

/* Forgets the whole pages in [memory, memory + bytes); they then read as zero.
 * The next thread to touch them gets them on its NUMA node.  `bind` binds them
 * to the node of `processor` instead (-1: nothing is bound).  Private anonymous
 * mappings only.  Returns 0 or -errno with a text. */
int topo_place_memory(const struct topo *topo, void *memory, size_t bytes,
                      bool bind, int processor, struct error *err);

/* The NUMA nodes (as the system counts them, bit 0 is node 0) that hold what
 * was touched of [memory, memory + bytes); 0: none, or not known. */
uint64_t topo_memory_nodes(const struct topo *topo, const void *memory,
                           size_t bytes);

/* ---- for `dlsbench topo` ---- */

/* The binding without a run: a table of the workers of `ranks` ranks of
 * `threads` threads on this host.  Returns how many workers share a core (with
 * smt: a processor) with one before them, or -errno with a text. */
int topo_print(FILE *out, const struct topo *topo,
               const struct topo_binding *binding, int ranks, int threads,
               struct error *err);

#endif
