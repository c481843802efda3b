/* Whether the scheme or the two of a cell go together with its hierarchy,
 * protocol and transport. */
#include "harness/cell_fields.h"

#include "sched/pair.h"

#include <errno.h>
#include <string.h>

static bool is(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

/* Times have to come from who ran a chunk to who sizes the next: a pool
 * between them mixes the workers, and with dependences they are mostly the
 * neighbours' times. */
static int check_learning(const struct cell *cell,
                          const struct sched_ops *scheme, struct error *err)
{
    if (!is(cell->hierarchy, "flat"))
        return error_set(err, ENOTSUP,
                         "scheme %s learns from the times of single workers, "
                         "which do not pass the pools of hierarchy %s: use "
                         "flat",
                         scheme->name, cell->hierarchy);
    if (!is(cell->protocol, "parallel"))
        return error_set(err, ENOTSUP,
                         "scheme %s learns from the times of chunks, which "
                         "under protocol %s are mostly waiting: use a kernel "
                         "without dependences",
                         scheme->name, cell->protocol);
    if (is(cell->window, "rma"))
        return error_set(err, ENOTSUP,
                         "scheme %s learns from the times of chunks, which an "
                         "rma window cannot carry: use window shared or "
                         "transport master",
                         scheme->name);
    return 0;
}

/* The second scheme needs masters that cut, and the number of a chunk in the
 * whole sequence, by which `subproblem` groups chunks, is known to nobody. */
static int check_two(const struct cell *cell, struct error *err)
{
    if (is(cell->hierarchy, "flat"))
        return error_set(err, ENOTSUP,
                         "scheme %s: two schemes need masters below the "
                         "supermaster, use a hierarchy like 2 or node",
                         cell->scheme);
    if (is(cell->protocol, "subproblem"))
        return error_set(err, ENOTSUP,
                         "scheme %s: protocol subproblem counts the chunks of "
                         "one scheme, use dmps",
                         cell->scheme);
    if (!is(cell->sync_choice, "given"))
        return error_set(err, ENOTSUP,
                         "scheme %s: sync_interval %s is predicted for one "
                         "scheme, give a number",
                         cell->scheme, cell->sync_choice);
    return 0;
}

int cell_scheme_check(const struct cell *cell, struct error *err)
{
    struct sched_pair pair;
    int code = cell_scheme_parse(cell->scheme, &pair, err);
    if (code != 0 || pair.outer == NULL) /* a plan: cell_push_check */
        return code;
    if (pair.inner != NULL)
        return check_two(cell, err);
    if (pair.outer->feedback != NULL)
        return check_learning(cell, pair.outer, err);
    return code;
}

static bool keeps(const struct sched_ops *scheme)
{
    return scheme != NULL && (scheme->flags & SCHED_KEEPS) != 0;
}

bool cell_learns_by_repetition(const struct cell *cell)
{
    struct sched_pair pair;
    if (cell_scheme_parse(cell->scheme, &pair, NULL) != 0)
        return false;
    return (keeps(pair.outer) || keeps(pair.inner)) &&
           is(cell->placement, "sticky");
}
