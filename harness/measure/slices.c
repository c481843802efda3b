#include "harness/measure/measure_internal.h"

#include "base/stats.h"
#include "harness/disturb/load.h"
#include "harness/process/need.h"

#include <errno.h>
#include <stdlib.h>

/* Looks: the longest duration of one; a jump shorter than the least gap is an
 * interrupt; a look with a smaller share of gaps was without a competitor. */
static const double LOOK_S = 0.06, GAP_LEAST_S = 0.5e-3, SHARE_LEAST = 0.25;
enum { GAPS = 6 };

/* The observations of a worker in a look: the times between the gaps, the first
 * since the start. */
struct look {
    double run_s[GAPS], gap_s[GAPS];
    int gaps;
};

struct timed_looks {
    struct crew *crew;
    int thread; /* the thread of this rank that looks; -1: none */
    struct look look;
};

static void watch_body(int thread, void *arg)
{
    struct timed_looks *watch = arg;
    crew_bind(watch->crew, thread);
    crew_start(watch->crew, thread);
    if (thread == watch->thread) {
        double start = engine_now(), last = start, begin = start;
        watch->look.gaps = 0;
        while (watch->look.gaps < GAPS && last - start < LOOK_S) {
            double now = engine_now();
            if (now - last > GAP_LEAST_S) {
                watch->look.run_s[watch->look.gaps] = last - begin;
                watch->look.gap_s[watch->look.gaps++] = now - last;
                begin = now;
            }
            last = now;
        }
    }
    crew_meet(watch->crew);
}

/* Collects the runs and gaps of all looks; the first run of a look began before
 * it and is separate. */
static void sum_up(const struct look *look, struct calibration_slices *slices)
{
    double run[CALIBRATION_STARTS * GAPS], gap[CALIBRATION_STARTS * GAPS];
    double start[CALIBRATION_STARTS], seen = 0, away = 0;
    int gaps = 0, runs = 0, starts = 0;
    *slices = (struct calibration_slices){.run = 0};
    for (int i = 0; i < CALIBRATION_STARTS; i++) {
        for (int k = 0; k < look[i].gaps; k++) {
            gap[gaps++] = look[i].gap_s[k];
            away += look[i].gap_s[k];
            seen += look[i].gap_s[k] + look[i].run_s[k];
            if (k > 0)
                run[runs++] = look[i].run_s[k];
        }
        if (look[i].gaps > 0)
            start[starts++] = look[i].run_s[0];
    }
    if (starts < CALIBRATION_STARTS || runs == 0 || away < SHARE_LEAST * seen)
        return;
    slices->run = stats_middle(run, runs);
    slices->gap = stats_middle(gap, gaps);
    stats_middle(start, starts); /* sorts */
    for (int i = 0; i < CALIBRATION_STARTS; i++)
        slices->start[i] = start[i];
}

static void look_often(struct timed_looks *watch, const struct load *load,
                       struct calibration_slices *slices)
{
    struct engine_team *team = watch->crew->context->team;
    const struct comm *comm = &watch->crew->context->comm;
    struct look seen[CALIBRATION_STARTS];
    for (int i = 0; i < CALIBRATION_STARTS; i++) {
        load_resume(load);
        comm_quiet_barrier(comm);
        engine_team_run(team, watch_body, watch);
        load_pause(load);
        seen[i] = watch->look;
    }
    struct look *all = NULL;
    if (comm->rank == 0)
        all = need_zeroed((size_t)comm->ranks, sizeof(seen));
    comm_gather(comm, (const char *)seen, (char *)all, sizeof(seen));
    if (comm->rank == 0)
        sum_up(all + (size_t)(comm->ranks - 1) * CALIBRATION_STARTS, slices);
    free(all);
}

int slices_measure(struct crew *crew, struct calibration_slices *slices,
                   struct error *err)
{
    const struct launch_context *context = crew->context;
    const struct comm *comm = &context->comm;
    bool own = comm->rank == comm->ranks - 1;
    int workers = own ? crew->workers - crew->first : 0;
    struct timed_looks watch = {.crew = crew, .thread = workers - 1};
    struct load load;
    int *processes = need_zeroed((size_t)workers + 1, sizeof(*processes));
    if (own)
        processes[watch.thread] = 1;
    int code =
        load_open(&load, own ? processes : NULL, workers, context->team, err);
    code = comm_agree(comm, code, err);
    if (code == 0)
        look_often(&watch, &load, slices);
    load_close(&load);
    free(processes);
    return code;
}
