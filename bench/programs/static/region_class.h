/* Decides whether one region can be cut. */
#ifndef BENCH_PROGRAMS_STATIC_REGION_CLASS_H
#define BENCH_PROGRAMS_STATIC_REGION_CLASS_H

#include "bench/programs/code/code.h"
#include "bench/programs/static/code_reader.h"
#include "bench/programs/static/flow.h"

/* Whether a function and its callees keep no data of their thread and call only
 * known functions; `writes`: bits of the registers that they change. */
bool closure_is_known(struct code *code, uint64_t at, uint64_t *writes);

void region_classify(struct code *code, struct reader_region *region);

#endif
