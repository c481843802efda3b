/* What dlsbench omp has said of a program, as its result directory has it. */
#ifndef BENCH_RESULTS_OMP_ANSWER_H
#define BENCH_RESULTS_OMP_ANSWER_H

#include <jansson.h>
#include <stdio.h>

/* Of a loop that --try has compared, as results_tried() has it. */
void omp_answer_tried(FILE *out, const char *name, const json_t *tried);

/* Of the last run with --out in the directory: the answer of its report, the
 * next command and the sentences on loops.  Nothing where there is none. */
void omp_answer_reported(FILE *out, const char *dir);

#endif
