#include "harness/run/run.h"

#include <math.h>

/* A worker that came back after the end has lost its time before the end. */
void run_end_with_loop(struct worker_result *r, struct perturb_toll *tolls,
                       int count, double time_s)
{
    r->finish_s = fmin(r->finish_s, time_s);
    for (int k = 0; k < count; k++) {
        double late = tolls[k].from_s + tolls[k].lost_s - time_s;
        if (tolls[k].times == 0 || late <= 0)
            continue;
        late = fmin(late, tolls[k].lost_s);
        tolls[k].lost_s -= late;
        r->lost_s -= late;
        if (tolls[k].from_s >= time_s)
            tolls[k].times = 0;
    }
    double rest = time_s - r->wait_s - r->serve_s - r->lost_s;
    r->compute_s = fmax(fmin(r->compute_s, rest), 0);
}
