/* The loops of all processes of one program: the preload library's counts, with
 * names and in seconds. */
#ifndef BENCH_PROGRAMS_SEEN_LOOPS_H
#define BENCH_PROGRAMS_SEEN_LOOPS_H

#include "base/error.h"
#include "bench/programs/static/code_tables.h"
#include "bench/programs/symbols/symbols.h"
#include "dls/omp/omp_counters.h"

#include <stdio.h>

/* One loop, part of a region or call for a lock, by its address. */
struct loops_loop {
    struct symbols_place place;
    struct symbols_place from; /* the barrier before, if a region's last part */
    char module[64];           /* the file's name without folders */
    const struct counters_site *site;
    double seconds, saved_s;  /* of its visits; less with perfect balance */
    double open_s;            /* of `seconds`: in a visit that did not end */
    double chunk_s, chunk_cv; /* of a chunk; NAN: not measured */
    double longest_s;         /* the longest chunk, summed over visits */
    double asked_s; /* in which a thread asked for chunks, all visits */
    /* Sums over all threads: the time; of it, computing or waiting for locks,
     * and time in which other programs had their cores. */
    double here_s, busy_s, locks_s, lost_s;
    bool shares;  /* its threads share cores */
    bool last;    /* a region's last part */
    bool is_loop; /* a part that is the row of a loop */
};

/* The largest team of a process and the other ranks on its cores. */
struct loops_cores {
    int team, threads, ranks; /* its threads; threads of all ranks */
    double cores;             /* that they may use, INFINITY: not known */
    bool shared;              /* there are fewer cores than threads */
    double beside;  /* mean number of threads of all simultaneously open teams;
                       0: they have cores enough, or unknown */
    bool processes; /* `beside` includes other processes */
    enum allowed_by by;
    struct allowed_set set;
};

/* One process that visited a loop or a region. */
struct loops_process {
    struct counters *counters;
    struct loops_loop *loop;
    int loops; /* that have visits */
    struct loops_cores cores;
    struct loops_loop *left; /* regions whose static loops are not cut */
    int lefts;
    struct loops_loop *part;
    int parts; /* of regions, except for parts that only have a loop */
    struct loops_loop *lock;
    int locks;
    double busy_s;   /* computing time of their threads, by the clock */
    double inside_s; /* in regions */
    double regions;  /* visits of outermost regions */
    double end_s;    /* from its begin to its end, if known */
    double lost;     /* share of computing time in which others had the core */
    bool open;       /* it ended within a region or loop */
};

/* When the program ended.  Processes that it began may still run. */
struct loops_end {
    double tick_s;       /* seconds of a tick */
    uint64_t ticks, now; /* `now` 0: no process still runs */
};

struct loops {
    struct loops_process *process;
    int processes;
    int64_t room;
    double tick_s;
    double later_s; /* how much longer than the program a process ran */
    int left;       /* loops without a complete visit */
};

/* Reads all files of a folder, except for processes without loops and regions.
 * Returns 0 or -errno. */
int loops_read(struct loops *loops, const char *folder,
               const struct loops_end *end, struct symbols *symbols,
               struct error *err);
void loops_free(struct loops *loops);

/* Whether a process of this host still runs. */
bool loops_run(const struct counters *counters);

/* Processor time of the processes that still run. */
double loops_running_cpu(const struct loops *loops);

/* Reads the machine code of modules that had regions but no table of static
 * loops, for the next run.  Returns their number. */
int loops_read_code(const struct loops *loops,
                    const struct code_tables *tables);

/* Whether a scheme handed out the chunks of any loop. */
bool loops_have_scheme(const struct loops *loops);

/* The loop's name in rules, valid for this build of its module; empty: none. */
void loops_name_build(const struct counters *counters,
                      const struct counters_site *site,
                      char text[COUNTERS_NAME_MAX]);

/* Whether it is a region's last part. */
bool loops_is_last(const struct counters *counters,
                   const struct counters_site *site);

/* The file of an address; NULL: not known. */
const char *loops_path(const struct counters *counters,
                       const struct counters_address *at);

/* ---- region_parts.c: parts of regions ---- */

/* Drops parts that only have a loop: the loop's row has them. */
void parts_drop_loops(struct loops_process *process);

/* Marks a part in which only one thread works, by its region's code. */
void parts_find_master(const struct counters *counters,
                       struct counters_site *site, struct symbols *symbols);

/* ---- cores.c: threads that share cores ---- */

/* With shared cores no schedule can be judged.  Marks the processes and loops
 * whose threads share cores.  A core here is a processor of the system: threads
 * may have one hardware thread each. */
void cores_mark(struct loops *loops);

/* Prints the sharing, its cause and a remedy; nothing if no threads share. */
void cores_print(FILE *out, const struct loops *loops);

#endif
