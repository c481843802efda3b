#include "harness/run.h"

/* Who came back after the end has lost its time before. */
void run_end_with_loop(struct worker_result *r, double time_s)
{
    if (r->finish_s > time_s)
        r->finish_s = time_s;
    double rest = time_s - r->wait_s - r->serve_s;
    if (r->held_by != HELD_NOT && r->held_from_s + r->lost_s > time_s)
        r->lost_s = time_s > r->held_from_s ? time_s - r->held_from_s : 0;
    if (r->compute_s > rest - r->lost_s)
        r->compute_s = rest - r->lost_s;
    if (r->compute_s < 0)
        r->compute_s = 0;
}
