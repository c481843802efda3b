/* Cuts a worker's times where the loop has ended. */
#include "harness/repetition/repetition.h"

#include <math.h>

/* A worker that returned after the end lost only its time before the end.
 * Returns the time cut off. */
static double cut_tolls(struct perturb_toll *tolls, int count, double time_s)
{
    double cut_s = 0;
    for (int k = 0; k < count; k++) {
        double late = tolls[k].from_s + tolls[k].lost_s - time_s;
        if (tolls[k].times == 0 || late <= 0)
            continue;
        late = fmin(late, tolls[k].lost_s);
        tolls[k].lost_s -= late;
        cut_s += late;
        if (tolls[k].from_s >= time_s)
            tolls[k].times = 0;
    }
    return cut_s;
}

/* The waiting part of a request is at its end. */
static double wait_after(const struct recent *recent, double time_s)
{
    double after_s = 0;
    for (int i = 0; i < RECENT_REQUESTS; i++) {
        double late = fmax(recent->request[i].end_s - time_s, 0);
        after_s += fmin(recent->request[i].wait_s, late);
    }
    return after_s;
}

static bool asks_at(const struct recent *recent, double time_s)
{
    for (int i = 0; i < RECENT_REQUESTS; i++)
        if (recent->request[i].begin_s <= time_s &&
            time_s < recent->request[i].end_s)
            return true;
    return false;
}

/* A worker that does nothing else computes: computing after the end is cut off
 * by using the rest of the loop's time. */
void run_end_with_loop(struct worker_result *r, struct perturb_toll *tolls,
                       int count, double time_s)
{
    double late = cut_tolls(tolls, count, time_s);
    r->finish_s = fmin(r->finish_s, time_s);
    r->lost_s -= late;
    if (!asks_at(&r->recent, time_s))
        r->held_apart_s = fmax(r->held_apart_s - late, 0);
    r->wait_s -= wait_after(&r->recent, time_s);
    double rest = time_s - r->wait_s - r->serve_s - r->held_apart_s;
    r->compute_s = fmax(fmin(r->compute_s, rest), 0);
}

double run_sum_between(const double *all, int processes, int between)
{
    double sum = 0;
    for (int step = 0; step < between; step++) {
        double least = all[step];
        for (int p = 1; p < processes; p++)
            least = fmin(least, all[p * between + step]);
        sum += least;
    }
    return sum;
}
