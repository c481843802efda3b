/* The loops of the processes that one program had: what the preload library
 * has counted, with names and in seconds. */
#ifndef BENCH_OMP_LOOPS_H
#define BENCH_OMP_LOOPS_H

#include "base/error.h"
#include "bench/omp/symbols.h"
#include "dls/omp/counters.h"

/* One loop, by its address. */
struct loops_loop {
    struct symbols_place place;
    char module[64]; /* the file's name without folders */
    const struct counters_site *site;
    double seconds, saved_s;  /* of its visits; what perfect balance saves */
    double chunk_s, chunk_cv; /* of a chunk; NAN: none was measured */
    double asked_s; /* for which a thread asked for chunks, in all visits */
};

/* One process that visited a loop or a region. */
struct loops_process {
    struct counters *counters;
    struct loops_loop *loop;
    int loops;        /* that were visited */
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

#endif
