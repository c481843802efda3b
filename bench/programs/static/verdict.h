/* Of one region. */
#ifndef BENCH_PROGRAMS_STATIC_VERDICT_H
#define BENCH_PROGRAMS_STATIC_VERDICT_H

#include "bench/programs/static/code.h"
#include "bench/programs/static/flow.h"
#include "bench/programs/static/reader.h"

/* Whether a function, with all that it calls, keeps nothing for its thread and
 * calls only what is known (closure.c). */
bool closure_is_known(struct code *code, uint64_t at);

void verdict_find(struct code *code, struct reader_region *region);

#endif
