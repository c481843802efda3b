/* A row of bench-overhead: our implementation and the simplest one of the same
 * operation on this machine, timed in turns.
 *
 *     const struct contest row = {.name = "ss", .bare = time_counter,
 *                                 .ours = time_scheme, .arg = &field,
 *                                 .aim = 1.2};
 *     contest_head(out, "One chunk of an empty loop");
 *     contest_run(out, context, &row, 1, NULL);
 *
 * A row has a line for each state of the machine (rounds/states.h), with
 * medians over the rounds in that state. */
#ifndef BENCH_OVERHEAD_CONTEST_H
#define BENCH_OVERHEAD_CONTEST_H

#include "bench/overhead/rounds/states.h"

struct contest {
    const char *name;
    const char *how; /* the mechanism used, or NULL */
    /* ns per chunk or another unit; 0: it cannot be run.  Each round calls
     * `ours` first. */
    double (*ours)(void *arg), (*bare)(void *arg);
    void *arg;
    /* The aim: ours takes at most so many times as long, or at most so many ns
     * more (either is enough); 0: no such aim. */
    double aim, aim_ns;
    const char *note; /* appended to its lines, or NULL; may be set by `ours` */
};

/* How many lines have an aim, and how many met or missed it. */
struct contest_tally {
    int lines, met, missed;
};

/* Prints the title and the column heads.  By rank 0. */
void contest_head(FILE *out, const char *title, ...)
    __attribute__((format(printf, 2, 3)));

/* Times the rows in turns with each other and prints them at rank 0.
 * Collective over the context's ranks.  Adds to the tally, unless it is
 * NULL. */
void contest_run(FILE *out, struct launch_context *context,
                 const struct contest *row, int count,
                 struct contest_tally *tally);

#endif
