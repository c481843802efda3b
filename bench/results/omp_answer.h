/* Prints dlsbench omp's answer on a program, from its result directory. */
#ifndef BENCH_RESULTS_OMP_ANSWER_H
#define BENCH_RESULTS_OMP_ANSWER_H

#include <jansson.h>
#include <stdio.h>

/* On a loop that --try has compared; `tried` from results_tried(). */
void omp_answer_tried(FILE *out, const char *name, const json_t *tried);

/* On the directory's last run with --out: its report's answer, the next command
 * and the sentences on loops.  Prints nothing without such a run. */
void omp_answer_reported(FILE *out, const char *dir);

#endif
