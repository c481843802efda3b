/* Prints a program's loops: a table and, in words, whether another schedule
 * could matter. */
#ifndef BENCH_PROGRAMS_SEEN_SEEN_REPORT_H
#define BENCH_PROGRAMS_SEEN_SEEN_REPORT_H

#include "bench/options/table.h"
#include "bench/programs/seen/loops.h"

#include <stdio.h>

struct report_run {
    double seconds; /* of the whole program */
    double cpu_s;   /* processor time of all its processes */
    bool outlived;  /* some of its processes still run */
    int status;     /* from waitpid, of process `pid` */
    pid_t pid;
    char *const *program; /* its words, NULL ends them */
    const char *folder;   /* of this run, for tables of machine code */
};

/* The numbers of a loop or part; NAN: unknown or not applicable.  Seconds;
 * shares of the program's or its threads' time from 0 to 1. */
struct report_numbers {
    double iterations, chunks, time_s, share, imbalance, saves, mutexes, idle;
};

struct report_numbers report_loop_numbers(const struct loops_loop *loop,
                                          double seconds);
struct report_numbers report_part_numbers(const struct loops_loop *part,
                                          double seconds);

/* A line with the reason for each region whose static loop is not cut. */
void report_left(FILE *out, const struct loops_process *process);

/* Prints a line for each call in which threads waited for at least 1 % of their
 * time, `here_s`. */
void report_locks(FILE *out, const struct loops_process *process,
                  double here_s);

/* Prints a table of the loops and parts that matter, over all processes.
 * `seconds`: the program's time, `all`: the sum over its processes. */
void report_sum(FILE *out, const struct loops *loops, double seconds,
                double all);

/* Returns the last lines, the answer, as a text for the caller to free; NULL:
 * no process had a loop or region. */
char *report_print(FILE *out, const struct loops *loops,
                   const struct report_run *run);

/* Writes a row for the program with its answer, and one for each loop and part
 * of a region.  Seconds, and shares of the program's time from 0 to 1. */
void report_write_rows(FILE *out, enum table_format format,
                       const struct loops *loops, const struct report_run *run,
                       const char *answer);

#endif
