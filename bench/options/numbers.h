/* Parses numbers and lists of numbers in options; errors name the option. */
#ifndef BENCH_OPTIONS_NUMBERS_H
#define BENCH_OPTIONS_NUMBERS_H

#include "base/error.h"

#include <stdint.h>

/* A whole number in [min, max], or an error that begins with `what`. */
int number_integer(const char *what, const char *text, int64_t min, int64_t max,
                   int64_t *value, struct error *err);
int number_real(const char *what, const char *text, double min, double max,
                double *value, struct error *err);

/* Powers for `workers` workers from "v,v,..." in which n:v means n times v;
 * free *power.  The number of entries must equal that of the workers. */
int number_powers(const char *what, const char *text, int workers,
                  double **power, struct error *err);

/* Numbers of 0 or more for `workers` workers, written likewise; a single one is
 * for all.  Free *cost. */
int number_costs(const char *what, const char *text, int workers, double **cost,
                 struct error *err);

/* Worker numbers "w,w,...", each below `workers`; free *order. */
int number_order(const char *what, const char *text, int workers, int **order,
                 int *count, struct error *err);

#endif
