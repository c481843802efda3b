/* Names and order of cells in tables. */
#ifndef BENCH_RESULTS_LABEL_H
#define BENCH_RESULTS_LABEL_H

#include "harness/cell/cell.h"

/* Room for all texts of a cell and the words between them. */
enum { LABEL_SIZE = 12 * SPEC_CANONICAL_MAX };

/* The number of a spec's kernel or scheme in its registry; an unknown one is
 * last. */
int label_kernel_position(const char *spec);
int label_scheme_position(const char *spec);

/* The functions append their part to a text of LABEL_SIZE characters. */

/* "2 ranks x 1 thread" */
void label_layout(char *label, const struct cell *cell);

/* "2 ranks x 1 thread, master computing, flat", and everything unusual, as ",
 * sync interval 100, non-dedicated, load w1:1". */
void label_cell(char *label, const struct cell *cell);

/* Only ", master computing, flat" and unusual fields. */
void label_settings(char *label, const struct cell *cell);

/* Only ", non-dedicated, load w1:1" and further conditions. */
void label_conditions(char *label, const struct cell *cell);

void label_add(char *label, const char *first, const char *second);

#endif
