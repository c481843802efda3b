/* Whether the scheme or the two of a cell go together with its hierarchy,
 * protocol and transport. */
#include "harness/setup/cell_checks.h"

#include "harness/setup/choice.h"
#include "sched/schemes/pair.h"

#include <errno.h>
#include <string.h>

static bool is(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

/* With dependences the times of chunks are taken without the waits for other
 * workers; from request to request there would be little else. */
static int check_learning(const struct cell *cell,
                          const struct sched_ops *scheme, struct error *err)
{
    if (is(cell->protocol, "parallel") || scheme == NULL ||
        (scheme->flags & SCHED_WHOLE_TIME) == 0)
        return 0;
    return error_set(err, ENOTSUP,
                     "scheme %s counts with times from request to request, "
                     "which under protocol %s are mostly waiting for others: "
                     "use awf, awf-b, awf-c or af, or a kernel without "
                     "dependences",
                     scheme->name, cell->protocol);
}

/* What is asked at the window itself must not need a state. */
static int check_window(const struct cell *cell, const struct sched_ops *scheme,
                        struct error *err)
{
    if (scheme->feedback == NULL || !is(cell->window, "rma"))
        return 0;
    return error_set(err, ENOTSUP,
                     "scheme %s learns from the times of chunks, which an "
                     "rma window cannot carry: use window shared or "
                     "transport master, or learn below it (hierarchy node, "
                     "scheme fss/%s)",
                     scheme->name, scheme->name);
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
    if (choice_named(cell->scheme))
        return choice_check(cell, err);
    int code = cell_scheme_parse(cell->scheme, &pair, err);
    if (code != 0 || pair.outer == NULL) /* a plan: cell_push_check */
        return code;
    if (pair.inner != NULL)
        code = check_two(cell, err);
    if (code == 0)
        code = check_learning(cell, pair.outer, err);
    if (code == 0)
        code = check_learning(cell, pair.inner, err);
    return code == 0 ? check_window(cell, pair.outer, err) : code;
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
