/* What goes wrong on purpose in a native run: workers are held by themselves,
 * or, where one is all of its rank, stopped by another process. */
#include "harness/run_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A signal stops all threads of a process. */
static bool stops_rank(const struct run *run)
{
    return strcmp(run->perturb.kind->name, "stop") == 0 &&
           run->context->comm.ranks > 1 && run->context->threads == 1;
}

static bool hits(const struct run *run, int i)
{
    return run->hold != NULL && run->hold[i].perturb != NULL;
}

static bool is_over(void *chain)
{
    return chain_is_over(chain);
}

static int open_holds(struct run *run, const bool *hit, struct error *err)
{
    int first = run_first_worker(run);
    run->hold = calloc((size_t)run->workers + 1, sizeof(*run->hold));
    if (run->hold == NULL)
        return error_set(err, ENOMEM, "out of memory");
    for (int i = 0; i < run->workers; i++) {
        if (!hit[first + i])
            continue;
        run->hold[i] =
            (struct hold){.perturb = &run->perturb,
                          .phase_s = perturb_phase(&run->perturb, first + i),
                          .start_s = &run->start_s,
                          .over = run->cell.reissue > 0 ? is_over : NULL,
                          .arg = &run->chain};
        if (stops_rank(run))
            return stopper_open(&run->stopper, err);
    }
    return 0;
}

int run_perturb_open(struct run *run, struct error *err)
{
    int code = perturb_parse(run->cell.perturb, &run->perturb, NULL, err);
    if (code != 0 || run->perturb.kind == NULL)
        return code;
    bool *hit = calloc((size_t)run->tree.workers + 1, sizeof(*hit));
    if (hit == NULL)
        return error_set(err, ENOMEM, "out of memory");
    cell_perturb_pick(&run->cell, &run->perturb, hit);
    code = open_holds(run, hit, err);
    free(hit);
    return code;
}

void run_perturb_close(struct run *run)
{
    if (run->stopper.pid > 0)
        stopper_close(&run->stopper);
    free(run->hold);
}

/* ---- a repetition ---- */

void run_perturb_poll(struct run *run, int i)
{
    struct worker *worker = &run->worker[i];
    if (!hits(run, i) || run->stopper.pid > 0)
        return;
    worker->poll = hold_poll(&run->hold[i], worker->poll);
}

struct source *run_perturb_source(struct run *run, int i, struct source *source)
{
    if (!hits(run, i) || run->stopper.pid > 0)
        return source;
    return hold_open(&run->hold[i], source, run_first_worker(run) + i);
}

void run_perturb_begin(struct run *run)
{
    for (int i = 0; run->hold != NULL && i < run->workers; i++)
        hold_begin(&run->hold[i]);
    if (run->stopper.pid > 0)
        stopper_arm(&run->stopper, run->start_s + run->perturb.at_s,
                    run->perturb.seconds);
}

/* What happened goes to the workers' results. */
void run_perturb_end(struct run *run)
{
    double from = 0, to = 0;
    if (run->stopper.pid > 0) {
        struct hold *hold = &run->hold[0];
        hold->times = stopper_disarm(&run->stopper, &from, &to);
        hold->first_s = hold->times ? from - run->start_s : 0;
        hold->lost_s = to - from;
    }
    for (int i = 0; i < run->workers; i++) {
        struct worker_result *result = &run->result[i];
        if (!hits(run, i))
            continue;
        const struct hold *hold = &run->hold[i];
        result->held_by = run->stopper.pid > 0 ? HELD_BY_SIGNAL : HELD_BY_SELF;
        result->held = hold->times;
        result->held_from_s = hold->first_s;
        result->lost_s = hold->lost_s;
        result->held_computing_s = hold->computing_s;
    }
}
