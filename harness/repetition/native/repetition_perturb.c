/* Perturbations of a native run: workers hold themselves, or, if a worker is
 * alone in its rank, another process stops it. */
#include "harness/repetition/native/repetition_impl.h"

#include "harness/process/need.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The perturbations of this rank's workers by real signals. */
static uint8_t pick_signals(const struct run *run, uint8_t hit)
{
    uint8_t bits = 0;
    /* A signal stops all threads of a process. */
    bool alone = run->context->comm.ranks > 1 && run->context->threads == 1;
    for (int k = 0; alone && k < run->setup->perturbs.count; k++)
        if (strcmp(run->setup->perturbs.list[k].kind->name, "stop") == 0)
            bits |= (uint8_t)(1 << k);
    return hit & bits;
}

static struct perturb_toll *tolls_of(const struct run *run, int i)
{
    return run->toll + (size_t)i * (size_t)run->setup->perturbs.count;
}

static bool is_over(void *end)
{
    return end_is_over(end);
}

static int open_holds(struct run *run, const uint8_t *hit, struct error *err)
{
    for (int i = 0; i < run->workers; i++) {
        uint8_t here = hit[run->first + i];
        run->impl->disturb.stops |= pick_signals(run, here);
        run->impl->disturb.hold[i] =
            (struct hold){.perturbs = &run->setup->perturbs,
                          .hit = (uint8_t)(here & ~pick_signals(run, here)),
                          .toll = tolls_of(run, i),
                          .start_s = &run->rank->start_s,
                          .over = run->setup->cell.reissue > 0 ? is_over : NULL,
                          .arg = &run->rank->end,
                          .shares_core = run->impl->places.crowded};
    }
    return run->impl->disturb.stops != 0
               ? stopper_open(&run->impl->disturb.stopper, err)
               : 0;
}

int run_perturb_open(struct run *run, struct error *err)
{
    size_t count = (size_t)run->setup->perturbs.count,
           n = (size_t)run->workers + 1;
    if (count == 0)
        return 0;
    uint8_t *hit = need_zeroed((size_t)run->tree.workers, sizeof(*hit));
    run->impl->disturb.hold = need_zeroed(n, sizeof(*run->impl->disturb.hold));
    run->toll = need_zeroed(n * count, sizeof(*run->toll));
    setup_pick_perturbed(run->setup, hit);
    int code = open_holds(run, hit, err);
    free(hit);
    return code;
}

void run_perturb_close(struct run *run)
{
    if (run->impl->disturb.stopper.pid > 0)
        stopper_close(&run->impl->disturb.stopper);
    free(run->impl->disturb.hold);
}

/* ---- a repetition ---- */

static bool holds_worker(const struct run *run, int i)
{
    return run->impl->disturb.hold != NULL &&
           run->impl->disturb.hold[i].hit != 0;
}

void run_perturb_poll(struct run *run, int i)
{
    struct worker *worker = &run->worker[i];
    if (holds_worker(run, i))
        worker->poll = hold_poll(&run->impl->disturb.hold[i], worker->poll);
}

struct source *run_perturb_source(struct run *run, int i, struct source *source)
{
    if (!holds_worker(run, i))
        return source;
    return hold_open(&run->impl->disturb.hold[i], source, run->first + i);
}

void run_perturb_begin(struct run *run)
{
    for (int i = 0; run->impl->disturb.hold != NULL && i < run->workers; i++) {
        hold_begin(&run->impl->disturb.hold[i]);
        for (int k = 0; k < run->setup->perturbs.count; k++)
            tolls_of(run, i)[k] = (struct perturb_toll){
                .how = run->impl->disturb.stops >> k & 1 ? HELD_BY_SIGNAL
                       : run->impl->disturb.hold[i].hit >> k & 1 ? HELD_BY_SELF
                                                                 : HELD_NOT};
    }
    if (run->impl->disturb.stopper.pid > 0) {
        struct stopper_stop list[PERTURBS_MAX];
        int count = 0;
        for (int k = 0; k < run->setup->perturbs.count; k++) {
            const struct perturb *perturb = &run->setup->perturbs.list[k];
            double from_s = run->rank->start_s + perturb->at_s;
            if (run->impl->disturb.stops >> k & 1)
                list[count++] =
                    (struct stopper_stop){from_s, from_s + perturb->seconds, k};
        }
        stopper_arm(&run->impl->disturb.stopper, list, count);
    }
}

/* Records stops within the loop; this rank has one worker. */
static void take_stops(struct run *run)
{
    struct stopper_stop list[PERTURBS_MAX];
    int count = stopper_disarm(&run->impl->disturb.stopper, list);
    for (int i = 0; i < count; i++) {
        double to_s = fmin(list[i].to_s, run->rank->end_s);
        if (list[i].from_s < to_s)
            perturb_toll_add(&tolls_of(run, 0)[list[i].which], 1,
                             list[i].from_s - run->rank->start_s,
                             to_s - list[i].from_s);
    }
}

/* The real perturbations go to the workers' results. */
void run_perturb_end(struct run *run)
{
    if (run->impl->disturb.stopper.pid > 0)
        take_stops(run);
    for (int i = 0; run->impl->disturb.hold != NULL && i < run->workers; i++) {
        struct worker_result *result = &run->result[i];
        result->held_apart_s = run->impl->disturb.hold[i].computing_s;
        for (int k = 0; k < run->setup->perturbs.count; k++)
            result->lost_s += tolls_of(run, i)[k].lost_s;
    }
}
