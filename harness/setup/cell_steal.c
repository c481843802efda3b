/* What goes together with work stealing. */
#include "harness/setup/cell_checks.h"

#include "harness/transport/steal/steal_range.h"
#include "sched/schemes/registry.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static bool is(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

/* A range is cut by one worker alone: sizes must not depend on who asks, on
 * what others have learned, or on blocks that are set aside for others. */
static bool cuts(const struct sched_ops *scheme)
{
    return scheme->feedback == NULL &&
           (scheme->flags & (SCHED_BY_POWER | SCHED_PRIMED)) == 0;
}

static int refuse_scheme(const struct cell *cell, struct error *err)
{
    char list[256] = "";
    size_t used = 0;
    for (int i = 0; sched_schemes[i] != NULL && used < sizeof(list); i++)
        if (cuts(sched_schemes[i]))
            used +=
                (size_t)snprintf(list + used, sizeof(list) - used, "%s%s",
                                 used > 0 ? ", " : "", sched_schemes[i]->name);
    return error_set(err, ENOTSUP,
                     "scheme %s: under transport steal every worker begins "
                     "with its static share, by the powers, and the scheme "
                     "only cuts its own range into pieces: use one of %s",
                     cell->scheme, list);
}

/* Where the spec tells how many there are; otherwise steal_open refuses. */
static int check_iterations(const struct setup *setup, struct error *err)
{
    if (setup->kernel->count == NULL)
        return 0;
    return steal_check_iterations(setup->kernel->count(&setup->kernel_spec),
                                  err);
}

int setup_check_steal(struct setup *setup, struct error *err)
{
    const struct cell *cell = &setup->cell;
    const struct sched_pair *pair = &setup->scheme.pair;
    if (!is(cell->transport, "steal"))
        return 0;
    int code = check_iterations(setup, err);
    if (code != 0)
        return code;
    if (!is(cell->protocol, "parallel"))
        return error_set(err, ENOTSUP,
                         "transport steal takes iterations from the ends of "
                         "ranges, and under protocol %s they have an order: "
                         "use shared, master or window",
                         cell->protocol);
    if (!is(cell->hierarchy, "flat"))
        return error_set(err, ENOTSUP,
                         "hierarchy %s needs masters, transport steal has "
                         "none: use flat (threads steal from their rank "
                         "first, and victim near from near ones)",
                         cell->hierarchy);
    if (setup->scheme.kind == SCHEME_AUTO) /* its candidates are checked */
        return 0;
    return pair->inner == NULL && cuts(pair->outer) ? 0
                                                    : refuse_scheme(cell, err);
}
