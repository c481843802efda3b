/* The loops of the processes that one program had: what the preload library
 * has counted, with names and in seconds. */
#ifndef BENCH_OMP_LOOPS_H
#define BENCH_OMP_LOOPS_H

#include "base/error.h"
#include "bench/program/symbols.h"
#include "dls/omp/counters.h"

#include <stdio.h>

/* One loop, by its address. */
struct loops_loop {
    struct symbols_place place;
    char module[64]; /* the file's name without folders */
    const struct counters_site *site;
    double seconds, saved_s;  /* of its visits; what perfect balance saves */
    double chunk_s, chunk_cv; /* of a chunk; NAN: none was measured */
    double asked_s; /* for which a thread asked for chunks, in all visits */
    bool shares;    /* its threads share cores */
};

/* Threads of a process's largest team, and of other ranks on its cores. */
struct loops_cores {
    int team, threads, ranks; /* its own threads, those of all ranks */
    double cores;             /* that they may use, INFINITY: not known */
    bool shared;              /* these are fewer */
    enum allowed_by by;
    struct allowed_set set;
};

/* One process that visited a loop or a region. */
struct loops_process {
    struct counters *counters;
    struct loops_loop *loop;
    int loops; /* that were visited */
    struct loops_cores cores;
    double regions_s; /* in regions of which no loop was seen */
    int64_t regions;  /* how many of those places there are */
};

struct loops {
    struct loops_process *process;
    int processes;
    int64_t room;
    double tick_s;
    int left; /* loops of which no visit was counted */
};

/* Reads all files of a folder; `tick_s`: seconds of a tick.  Processes without
 * loops and regions are left out.  Returns 0 or -errno. */
int loops_read(struct loops *loops, const char *folder, double tick_s,
               struct symbols *symbols, struct error *err);
void loops_free(struct loops *loops);

/* Whether a scheme handed out the chunks of any loop. */
bool loops_have_scheme(const struct loops *loops);

/* The name of a loop in rules that holds for this build of its module; empty:
 * there is none. */
void loops_name_build(const struct counters *counters,
                      const struct counters_site *site,
                      char text[COUNTERS_NAME_MAX]);

/* The places in a process's addresses. */
void loops_place(struct symbols *symbols, const struct counters *counters,
                 const struct counters_site *site, struct symbols_place *place);

/* ---- cores.c: threads that share cores ---- */

/* No schedule makes up for that, and none can be judged.  A core is what the
 * system calls a processor here: threads may have the hardware threads of one
 * core each.  Marks which processes and loops have such threads. */
void cores_mark(struct loops *loops);

/* Says so, with the cause and what to change; nothing where none share any. */
void cores_print(FILE *out, const struct loops *loops);

#endif
