/* Sums a process's loops by source line: instantiations of a template and the
 * compiler's copies become one loop. */
#ifndef BENCH_PROGRAMS_SEEN_SOURCE_LINES_H
#define BENCH_PROGRAMS_SEEN_SOURCE_LINES_H

#include "bench/programs/seen/loops.h"
#include "bench/programs/symbols/function_names.h"

#include <stdbool.h>

enum { LINES_NAME = 400 };

/* Whether both belong to the same loop in the source. */
bool lines_same(const struct loops_loop *a, const struct loops_loop *b);

/* Whether a loop before the i-th has the same line. */
bool lines_is_later(const struct loops_process *process, int i);

/* Sums all loops on the line of the loop `first`, with `site` as the sum's
 * site; returns their number. */
int lines_sum(const struct loops_process *process, int first,
              struct loops_loop *sum, struct counters_site *site);

/* Calls `each` for the rows of all processes: for each line the sum of its
 * loops, then the parts.  A loop's row is valid only in that call. */
typedef void lines_fn(void *arg, const struct loops_process *process,
                      const struct loops_loop *row, bool is_loop);
void lines_each(const struct loops *loops, lines_fn *each, void *arg);

/* "function file:line", or the nearest symbol with module and offset. */
void lines_name(const struct loops_loop *loop, char text[LINES_NAME]);

/* The scheme that handed out its chunks, or that it ran unchanged. */
const char *lines_scheme(const struct counters_site *site);

/* "monotonic:dynamic,4 ordered"; returns `text`. */
const char *lines_clause(const struct counters_site *site, char text[64]);

/* The name of the i-th loop; with template arguments if its line has several
 * instantiations. */
void lines_name_one(const struct loops_process *process, int i,
                    char text[LINES_NAME]);

/* The constructs in a part of a region: "single, sections"; returns `text`. */
const char *lines_kinds(const struct counters_site *site, char text[120]);

#endif
