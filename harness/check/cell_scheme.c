/* Whether the scheme or the two of a cell go together with its hierarchy and
 * protocol. */
#include "harness/check/cell_checks.h"

#include "base/text.h"

#include <errno.h>
#include <string.h>

/* With dependences the times of chunks exclude waits for other workers; the
 * time between requests would mostly be waiting. */
static int check_learning(const struct cell *cell,
                          const struct sched_ops *scheme, struct error *err)
{
    if (text_is(cell->protocol, "parallel") || scheme == NULL ||
        (scheme->flags & SCHED_WHOLE_TIME) == 0)
        return 0;
    return error_set(err, ENOTSUP,
                     "scheme %s counts with times from request to request, "
                     "which under protocol %s are mostly waiting for others: "
                     "use awf, awf-b, awf-c or af, or a kernel without "
                     "dependences",
                     scheme->name, cell->protocol);
}

/* The second scheme needs masters that split chunks.  No master knows a chunk's
 * number in the whole sequence, by which `subproblem` groups chunks. */
static int check_two(const struct cell *cell, struct error *err)
{
    if (text_is(cell->hierarchy, "flat"))
        return error_set(err, ENOTSUP,
                         "scheme %s: two schemes need masters below the "
                         "supermaster, use a hierarchy like 2 or node",
                         cell->scheme);
    if (text_is(cell->protocol, "subproblem"))
        return error_set(err, ENOTSUP,
                         "scheme %s: protocol subproblem counts the chunks of "
                         "one scheme, use dmps",
                         cell->scheme);
    if (!text_is(cell->sync_choice, "given"))
        return error_set(err, ENOTSUP,
                         "scheme %s: sync_interval %s is predicted for one "
                         "scheme, give a number",
                         cell->scheme, cell->sync_choice);
    return 0;
}

int setup_check_scheme(struct setup *setup, struct error *err)
{
    const struct cell *cell = &setup->cell;
    const struct sched_pair *pair = &setup->scheme.pair;
    if (setup->scheme.kind == SCHEME_AUTO)
        return choice_check(setup, err);
    if (setup->scheme.kind != SCHEME_PAIR)
        return 0;
    int code = pair->inner != NULL ? check_two(cell, err) : 0;
    if (code == 0)
        code = check_learning(cell, pair->outer, err);
    return code == 0 ? check_learning(cell, pair->inner, err) : code;
}
