/* The perturbations of a cell, and reissue. */
#include "base/text.h"
#include "harness/check/cell_checks.h"
#include "harness/check/cell_transport.h"
#include "harness/process/need.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A worker that never returns must not be the master. */
static int first_allowed(const struct setup *setup,
                         const struct perturb *perturb)
{
    const struct cell *cell = &setup->cell;
    bool serves = cell_has_masters(cell) && text_is(cell->master, "computing");
    return perturb->kind->ever && serves ? cell->threads : 0;
}

void setup_pick_perturbed(const struct setup *setup, uint8_t *hit)
{
    const struct perturbs *perturbs = &setup->perturbs;
    memset(hit, 0, (size_t)setup->workers);
    for (int i = 0; i < perturbs->count; i++)
        perturb_pick(&perturbs->list[i],
                     first_allowed(setup, &perturbs->list[i]), setup->workers,
                     (uint8_t)(1 << i), hit);
}

/* ---- checks ---- */

static int check_workers(const struct setup *setup,
                         const struct perturb *perturb, struct error *err)
{
    int first = first_allowed(setup, perturb), total = setup->workers;
    if (perturb->first >= 0 && perturb->first < first)
        return error_set(err, ENOTSUP,
                         "perturb %s: w%d is in the rank of the master, which "
                         "also computes; allowed are w%d to w%d, or master "
                         "dedicated",
                         perturb->kind->name, perturb->first, first, total - 1);
    int from = perturb->first >= 0 ? perturb->first : first;
    if (from >= total)
        return error_set(err, ENOTSUP,
                         "perturb %s: there is no w%d, this cell has w0 to w%d",
                         perturb->kind->name, from, total - 1);
    if (from + perturb->workers > total)
        return error_set(err, ENOTSUP,
                         "perturb %s: there are not %d workers from w%d on, "
                         "this cell has w0 to w%d",
                         perturb->kind->name, perturb->workers, from,
                         total - 1);
    return 0;
}

static int check_one(const struct setup *setup, const struct perturb *perturb,
                     struct error *err)
{
    if (perturb->kind->holds)
        return check_workers(setup, perturb, err);
    if (setup->cell.platform[0] == '\0')
        return error_set(err, ENOTSUP,
                         "perturb %s: messages between the ranks of this "
                         "machine cannot be made slower without keeping their "
                         "senders busy: allowed with dlsbench sim; natively "
                         "delay, stop and gone",
                         perturb->kind->name);
    return 0;
}

/* A worker must be left when all perturbations have taken theirs. */
static int check_rest(const struct setup *setup, struct error *err)
{
    const struct perturbs *perturbs = &setup->perturbs;
    int total = setup->workers, left = 0;
    uint8_t ever = 0, *hit;
    for (int i = 0; i < perturbs->count; i++)
        ever |= (uint8_t)(perturbs->list[i].kind->ever << i);
    if (ever == 0)
        return 0;
    hit = need_zeroed((size_t)total, sizeof(*hit));
    setup_pick_perturbed(setup, hit);
    for (int w = 0; w < total; w++)
        left += (hit[w] & ever) == 0;
    free(hit);
    return left > 0 ? 0
                    : error_set(err, ENOTSUP,
                                "perturb gone: one of the %d workers must stay",
                                total);
}

/* Only one place may know the running chunks: the one process, or its
 * master. */
static int check_reissue(struct setup *setup, struct error *err)
{
    struct cell *cell = &setup->cell;
    char possible[160];
    if (cell->reissue == 0)
        return 0;
    reissue_possible(possible, sizeof(possible));
    if (!text_is(cell->protocol, "parallel"))
        return error_set(err, ENOTSUP,
                         "reissue: what depends on a lost row cannot be done "
                         "without it; %s",
                         possible);
    if (!text_is(cell->hierarchy, "flat"))
        return error_set(err, ENOTSUP,
                         "reissue: under hierarchy %s no one master knows what "
                         "is out; %s",
                         cell->hierarchy, possible);
    if (text_is(cell->answer, "collected"))
        return error_set(err, ENOTSUP,
                         "reissue: with answer collected a master waits for "
                         "the results of a worker that may be gone; use answer "
                         "early");
    if (text_is(cell->data, "sent"))
        return error_set(err, ENOTSUP,
                         "reissue: with data sent chunks are not handed out "
                         "again; use data none");
    if (cell_has_masters(cell) && text_is(cell->collect, "local"))
        return error_set(err, ENOTSUP,
                         "reissue: with collect local the results of a gone "
                         "worker are lost; %s",
                         possible);
    if (setup->kernel->check_tally != NULL)
        return error_set(err, ENOTSUP,
                         "reissue: kernel %s counts how often iterations run "
                         "instead of leaving results, of which the first would "
                         "count; take another kernel",
                         setup->kernel->name);
    /* A result is sent with the next request, which must not be early. */
    cell->prefetch = false;
    return 0;
}

int setup_check_perturb(struct setup *setup, struct error *err)
{
    int code = 0;
    for (int i = 0; code == 0 && i < setup->perturbs.count; i++)
        code = check_one(setup, &setup->perturbs.list[i], err);
    code = code == 0 ? check_rest(setup, err) : code;
    return code == 0 ? check_reissue(setup, err) : code;
}
