/* The columns of serial passes, and of what other processes had of the cores.
 */
#ifndef HARNESS_LAUNCH_ROWS_SHARE_H
#define HARNESS_LAUNCH_ROWS_SHARE_H

#include "harness/launch/rows.h"

/* To a line of runs. */
void rows_add_serial(json_t *row, const struct loop *loop);
void rows_add_others(json_t *row, const struct run *run,
                     const struct run_result *result);

/* To a line of workers. */
void rows_add_share(json_t *row, const struct engine_share *share);

#endif
