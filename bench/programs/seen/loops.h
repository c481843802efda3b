/* The loops of the processes that one program had: what the preload library
 * has counted, with names and in seconds. */
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
    struct symbols_place from; /* of a region's last part: the barrier before */
    char module[64];           /* the file's name without folders */
    const struct counters_site *site;
    double seconds, saved_s;  /* of its visits; what perfect balance saves */
    double open_s;            /* of `seconds`, until the process ended */
    double chunk_s, chunk_cv; /* of a chunk; NAN: none was measured */
    double longest_s;         /* of the longest chunk, in each visit */
    double asked_s; /* for which a thread asked for chunks, in all visits */
    /* Sums over all threads: the time; the part that they computed or waited
     * for locks, and the part when others had their cores. */
    double here_s, busy_s, locks_s, lost_s;
    bool shares;  /* its threads share cores */
    bool last;    /* a part that ends with its region */
    bool is_loop; /* a part that is the row of a loop */
};

/* Threads of a process's largest team, and of other ranks on its cores. */
struct loops_cores {
    int team, threads, ranks; /* its own threads, those of all ranks */
    double cores;             /* that they may use, INFINITY: not known */
    bool shared;              /* these are fewer */
    double beside;  /* threads of all teams that were open at a time, in the
                       mean; 0: they fit, or are not known */
    bool processes; /* those of other processes, too */
    enum allowed_by by;
    struct allowed_set set;
};

/* One process that visited a loop or a region. */
struct loops_process {
    struct counters *counters;
    struct loops_loop *loop;
    int loops; /* that were visited */
    struct loops_cores cores;
    struct loops_loop *left; /* regions whose static loops are left alone */
    int lefts;
    struct loops_loop *part;
    int parts; /* of regions; regions with only a loop do not count */
    struct loops_loop *lock;
    int locks;
    double busy_s;   /* that their threads seemed to compute, by the clock */
    double inside_s; /* in regions */
    double regions;  /* that were in no other, so often */
    double end_s;    /* from its begin to its end, if that is known */
    double lost;     /* of the threads' computing, others had the core */
    bool open;       /* it ended inside of a region or loop */
};

/* When the program has ended.  Processes that it began may still run. */
struct loops_end {
    double tick_s;       /* of a tick */
    uint64_t ticks, now; /* now 0: none runs */
};

struct loops {
    struct loops_process *process;
    int processes;
    int64_t room;
    double tick_s;
    double later_s; /* how much longer than the program a process ran */
    int left;       /* loops of which no visit was counted */
};

/* Reads all files of a folder.  Processes without loops and regions are left
 * out.  Returns 0 or -errno. */
int loops_read(struct loops *loops, const char *folder,
               const struct loops_end *end, struct symbols *symbols,
               struct error *err);
void loops_free(struct loops *loops);

/* Whether a process of this host still runs. */
bool loops_run(const struct counters *counters);

/* Processors' time of those that do. */
double loops_running_cpu(const struct loops *loops);

/* Reads the code of modules that had regions and no table of static loops: for
 * the next run.  Returns how many. */
int loops_read_code(const struct loops *loops,
                    const struct code_tables *tables);

/* Whether a scheme handed out the chunks of any loop. */
bool loops_have_scheme(const struct loops *loops);

/* The name of a loop in rules that holds for this build of its module; empty:
 * there is none. */
void loops_name_build(const struct counters *counters,
                      const struct counters_site *site,
                      char text[COUNTERS_NAME_MAX]);

/* Whether a part of a region ends with it. */
bool loops_is_last(const struct counters *counters,
                   const struct counters_site *site);

/* The file of an address; NULL: it is not known. */
const char *loops_path(const struct counters *counters,
                       const struct counters_address *at);

/* ---- region_parts.c: parts of regions ---- */

/* A part with only a loop belongs to that loop's row. */
void parts_drop_loops(struct loops_process *process);

/* Marks a part in which one thread alone works, by the code of its region. */
void parts_find_master(const struct counters *counters,
                       struct counters_site *site, struct symbols *symbols);

/* ---- cores.c: threads that share cores ---- */

/* No schedule makes up for that, and none can be judged.  A core is what the
 * system calls a processor here: threads may have the hardware threads of one
 * core each.  Marks which processes and loops have such threads. */
void cores_mark(struct loops *loops);

/* Says so, with the cause and what to change; nothing where none share any. */
void cores_print(FILE *out, const struct loops *loops);

#endif
