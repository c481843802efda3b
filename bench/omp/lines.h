/* The loops of a process by lines of the source: instantiations of a template,
 * and copies that the compiler made, are one. */
#ifndef BENCH_OMP_LINES_H
#define BENCH_OMP_LINES_H

#include "bench/omp/loops.h"

#include <stdbool.h>

enum { LINES_NAME = 400 };

/* Whether both come from one loop of the source. */
bool lines_same(const struct loops_loop *a, const struct loops_loop *b);

/* Whether a loop before the i-th has its line. */
bool lines_is_later(const struct loops_process *process, int i);

/* The sum of all loops of the line of the loop `first`, as one, with `site` as
 * its own; returns how many. */
int lines_sum(const struct loops_process *process, int first,
              struct loops_loop *sum, struct counters_site *site);

/* "function file:line", or the nearest symbol with module and offset. */
void lines_name(const struct loops_loop *loop, char text[LINES_NAME]);

/* "monotonic:dynamic,4 ordered"; returns `text`. */
const char *lines_clause(const struct counters_site *site, char text[64]);

/* The name of the i-th loop; where several instances of a template are on its
 * line, with the template's arguments. */
void lines_name_one(const struct loops_process *process, int i,
                    char text[LINES_NAME]);

#endif
