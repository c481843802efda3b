/* Plans and input data: protocol push and data sent. */
#include "harness/check/cell_checks.h"

#include "base/text.h"

#include <errno.h>
#include <string.h>

/* Data follow the chunks of one master. */
static int check_sent(const struct cell *cell, struct error *err)
{
    if (cell->threads > 1)
        return error_set(err, ENOTSUP,
                         "data sent: it is sent to ranks of one thread, not "
                         "of %d",
                         cell->threads);
    if (!text_is(cell->hierarchy, "flat"))
        return error_set(err, ENOTSUP,
                         "data sent: there is one master with one port, not "
                         "hierarchy %s: use flat",
                         cell->hierarchy);
    return 0;
}

static int check_plan(const struct setup *setup, struct error *err)
{
    const struct cell *cell = &setup->cell;
    if (setup->scheme.plan.algorithm == DIVISIBLE_MULTI_INSTALLMENT &&
        cell->prefetch)
        return error_set(err, ENOTSUP,
                         "scheme multi-installment is for workers without "
                         "overlap of communication and computation: use "
                         "prefetch off");
    if (setup->workers > DIVISIBLE_WORKERS_MAX)
        return error_set(err, ENOTSUP,
                         "protocol push: plans are for at most %d workers",
                         DIVISIBLE_WORKERS_MAX);
    return 0;
}

static int check_kernel(struct setup *setup, struct error *err)
{
    struct cell *cell = &setup->cell;
    const struct kernel_ops *kernel = setup->kernel;
    bool push = text_is(cell->protocol, "push"), has = kernel->input != NULL;
    if (text_is(cell->data, "auto"))
        cell->data = push && has ? "sent" : "none";
    bool sent = text_is(cell->data, "sent");
    if (sent && !has)
        return error_set(err, ENOTSUP,
                         "data sent: kernel %s has no input data, its "
                         "iterations are made from numbers alone",
                         kernel->name);
    if (push && has && !sent)
        return error_set(err, ENOTSUP,
                         "data none: under protocol push the input data of "
                         "kernel %s are sent",
                         kernel->name);
    return 0;
}

int setup_check_push(struct setup *setup, struct error *err)
{
    const struct cell *cell = &setup->cell;
    int code = check_kernel(setup, err);
    if (code == 0 && text_is(cell->protocol, "push"))
        code = check_plan(setup, err);
    if (code == 0 && text_is(cell->data, "sent"))
        code = check_sent(cell, err);
    return code;
}
