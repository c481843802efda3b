/* What goes wrong in a simulated run.  A held worker does nothing while time
 * passes: what it loses is known from when it computes what, and slept. */
#include "harness/sim/run_parts.h"

#include "harness/engine/sim/world.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

int perturb_open(struct run *run, struct error *err)
{
    int code = perturb_parse(run->cell.perturb, &run->perturb, NULL, err);
    if (code != 0 || run->perturb.kind == NULL)
        return code;
    run->hit = calloc((size_t)run->tree.workers + 1, sizeof(*run->hit));
    if (run->hit == NULL)
        return error_set(err, ENOMEM, "out of memory");
    cell_perturb_pick(&run->cell, &run->perturb, run->hit);
    return 0;
}

void perturb_close(struct run *run)
{
    free(run->hit);
}

/* The platform is everybody's: slower for this cell only. */
int perturb_begin(struct run *run, struct error *err)
{
    if (run->hit == NULL || run->perturb.kind->holds)
        return 0;
    run->links =
        world_scale_links(run->perturb.latency, run->perturb.bandwidth);
    return run->links != NULL ? 0 : error_set(err, ENOMEM, "out of memory");
}

void perturb_end(struct run *run)
{
    if (run->links != NULL)
        world_restore_links(run->links);
    run->links = NULL;
}

/* ---- by a worker ---- */

static double start_of(const struct seat *seat)
{
    const struct run *run = seat->run;
    return run->part[run->tree.worker_rank[seat - run->seat]].start_s;
}

/* Ranks have no stack for formatted output.  SimGrid finds that all wait. */
static void say_never(void)
{
    static const char text[] =
        "dlsbench: the simulated loop never ends, all wait for who is gone\n";
    if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0)
        return; /* then SimGrid says it */
}

/* Who never comes back waits until the loop is over without him; without
 * reissue that is never. */
static void be_gone(struct seat *seat)
{
    const struct engine_patience patience = {0};
    struct run *run = seat->run;
    struct engine_event never = {0};
    struct engine_idle idle = {0};
    if (run->root.has_book)
        reissue_await(&run->root.book, &patience);
    if (!run->root.has_book)
        say_never();
    while (!run->root.has_book)
        engine_idle(&idle, &patience, &never);
}

/* From `from_s` on, since the start, until `to_s`. */
static void be_held(struct seat *seat, double from_s, double to_s)
{
    double now = engine_now();
    if (seat->held++ == 0)
        seat->held_from_s = from_s;
    if (isfinite(to_s))
        engine_sleep(to_s - (now - start_of(seat)));
    else
        be_gone(seat);
    seat->lost_s += engine_now() - now;
}

static bool is_back(const struct seat *seat)
{
    return seat->perturb->kind->ever && seat->held > 0;
}

void perturb_before(struct seat *seat)
{
    if (seat->perturb == NULL || is_back(seat))
        return;
    double since = engine_now() - start_of(seat);
    double free_s =
        seat->perturb->kind->free_at(seat->perturb, seat->phase_s, since);
    if (free_s > since)
        be_held(seat, since, free_s);
}

void perturb_after(struct seat *seat, double from_s, double work_s)
{
    const struct perturb *perturb = seat->perturb;
    if (perturb == NULL || is_back(seat))
        return;
    double from = from_s - start_of(seat);
    double end = perturb->kind->end(perturb, seat->phase_s, from, work_s);
    if (end <= from + work_s)
        return;
    double held = perturb->at_s > from ? perturb->at_s : from;
    be_held(seat, held, end);
}
