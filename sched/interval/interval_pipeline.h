/* The part of the model that is ours: skewed chunks and streams of chunks.
 * Derived in interval.h, which is what callers use; for at least two workers.
 */
#ifndef SCHED_INTERVAL_INTERVAL_PIPELINE_H
#define SCHED_INTERVAL_INTERVAL_PIPELINE_H

#include "sched/interval/interval.h"

/* T without T_wa: of all chunks with stream, of one subproblem without. */
double interval_pipeline_time(const struct interval_model *model, double h);

/* The h in [1, U_s] with the smallest T, T_wa being constant. */
double interval_pipeline_minimum(const struct interval_model *model);

/* The whole h in [1, U_s] with the smallest T; where U_s is above 65,536, the
 * best near the best of as many. */
int64_t interval_whole_minimum(const struct interval_model *model);

/* The best whole interval in [h / 2, 2 h], [1, U_s] for a protocol that passes
 * whole blocks: a successor then stays h + ceil(W / h) h columns behind. */
int64_t interval_pipeline_whole(const struct interval_model *model, double h);

#endif
