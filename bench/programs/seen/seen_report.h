/* What a program's loops did, for people: a table of them and, in words,
 * whether another schedule could matter. */
#ifndef BENCH_PROGRAMS_SEEN_SEEN_REPORT_H
#define BENCH_PROGRAMS_SEEN_SEEN_REPORT_H

#include "bench/options/table.h"
#include "bench/programs/seen/loops.h"

#include <stdio.h>

struct report_run {
    double seconds; /* of the whole program */
    double cpu_s;   /* of the processors, by all its processes */
    bool outlived;  /* some of its processes still run */
    int status;     /* as of waitpid, of the process with this number */
    pid_t pid;
    char *const *program; /* its words, NULL ends them */
    const char *folder;   /* the run's own, for tables of its machine code */
};

/* What a loop or a part shows; NAN: not known, or nothing.  Seconds; of the
 * program's time or of its threads' 0 to 1. */
struct report_numbers {
    double iterations, chunks, time_s, share, imbalance, saves, mutexes, idle;
};

struct report_numbers report_loop_numbers(const struct loops_loop *loop,
                                          double seconds);
struct report_numbers report_part_numbers(const struct loops_loop *part,
                                          double seconds);

/* A line for each region whose static loop is left alone, with the reason. */
void report_left(FILE *out, const struct loops_process *process);

/* A line for each call that its threads waited in for 1 % of their time, which
 * is so many seconds, or more. */
void report_locks(FILE *out, const struct loops_process *process,
                  double here_s);

/* A table of the loops and parts of all processes together, those that matter
 * in a program of so many seconds, `all` those of its processes together. */
void report_sum(FILE *out, const struct loops *loops, double seconds,
                double all);

/* Returns the answer, its last lines, as one text for the caller to free; NULL:
 * no process had a loop or region. */
char *report_print(FILE *out, const struct loops *loops,
                   const struct report_run *run);

/* A row for the program with its answer, for each loop and for each part of a
 * region; seconds, and parts of the program's time from 0 to 1. */
void report_write_rows(FILE *out, enum table_format format,
                       const struct loops *loops, const struct report_run *run,
                       const char *answer);

#endif
