/* Whether the costs of iterations are known if the scheme needs them, and
 * whether the scheme may choose the order of chunks. */
#include "harness/check/cell_checks.h"

#include "base/text.h"

#include <errno.h>
#include <string.h>

/* Dependent rows are handed out in order, and masters cut ranges from the
 * front. */
static int check_order(const struct setup *setup, struct error *err)
{
    const struct sched_pair *pair = &setup->scheme.pair;
    if (setup->scheme.kind != SCHEME_PAIR)
        return 0;
    if (pair->outer->order != NULL && setup->kernel->dependence != NULL)
        return error_set(
            err, ENOTSUP,
            "scheme %s: its chunks do not come in the order of the "
            "loop, and the rows of kernel %s depend on each other",
            setup->cell.scheme, setup->kernel->name);
    if (pair->inner != NULL && pair->inner->order != NULL)
        return error_set(err, ENOTSUP,
                         "scheme %s: the chunks of %s do not come in the order "
                         "of the loop, and masters cut their ranges from the "
                         "front; use %s as the outer one",
                         setup->cell.scheme, pair->inner->name,
                         pair->inner->name);
    return 0;
}

static int check_model(const struct setup *setup, struct error *err)
{
    const struct kernel_cost *cost = setup->kernel->cost;
    if (cost != NULL && cost->operations != NULL)
        return 0;
    return error_set(err, ENOTSUP,
                     "scheme %s counts with the costs of the iterations, and "
                     "only running kernel %s tells them: use costs measured or "
                     "a file of costs",
                     setup->cell.scheme, setup->kernel->name);
}

/* A kernel without output is not measured. */
static int check_measured(const struct setup *setup, struct error *err)
{
    if (setup->kernel->check_tally == NULL)
        return 0;
    return error_set(err, ENOTSUP,
                     "costs measured: the iterations of kernel %s have none",
                     setup->kernel->name);
}

/* Every chunk is timed. */
static int check_last(struct setup *setup, struct error *err)
{
    struct cell *cell = &setup->cell;
    if (setup->steps == 1)
        return error_set(err, ENOTSUP,
                         "costs last: kernel %s has one time step here, and no "
                         "last one: use model, measured or a file of costs",
                         setup->kernel->name);
    if (text_is(cell->placement, "sticky"))
        return error_set(err, ENOTSUP,
                         "costs last: with placement sticky only the first "
                         "time step is handed out: use replan");
    cell->timing = "chunk";
    setup->recosts = true;
    return check_model(setup, err);
}

int setup_check_costs(struct setup *setup, struct error *err)
{
    struct cell *cell = &setup->cell;
    if (!scheme_needs_costs(&setup->scheme)) {
        if (setup->scheme.kind != SCHEME_AUTO)
            cell->costs = "";
        return check_order(setup, err);
    }
    if (cell->costs[0] == '\0')
        cell->costs = "model";
    if (setup->kernel->dependence != NULL)
        return error_set(err, ENOTSUP,
                         "scheme %s counts with the costs of iterations that "
                         "are independent; the rows of kernel %s depend on "
                         "each other; use one "
                         "without costs",
                         cell->scheme, setup->kernel->name);
    int code = check_order(setup, err);
    if (code != 0)
        return code;
    return text_is(cell->costs, "model")      ? check_model(setup, err)
           : text_is(cell->costs, "measured") ? check_measured(setup, err)
           : text_is(cell->costs, "last")     ? check_last(setup, err)
                                              : 0;
}
