#include "bench/foretell/replay/replay_cell.h"

#include "base/text.h"
#include "harness/check/cell_transport.h"
#include "harness/check/setup.h"

#include <errno.h>
#include <math.h>

/* The assumption of a replay that the cell violates; NULL: none. */
static const char *find_left_out(const struct setup *setup)
{
    const struct cell *cell = &setup->cell;
    bool pools = setup->transport->rules->tree == TRANSPORT_NO_MASTER &&
                 setup->hierarchy.node;
    return setup->kernel->dependence != NULL || setup->steps > 1
               ? "independent iterations of one time step"
           : setup->scheme.kind != SCHEME_PAIR ||
                   !setup->transport->rules->replays
               ? "transports shared, master and window and their schemes"
           : cell->load[0] != '\0' || !text_is(cell->perturb, "none")
               ? "dedicated machines: no load, nothing perturbed"
           : cell->reissue > 0     ? "chunks that are handed out once"
           : setup->measures_power ? "given powers"
           : pools ? "no pools below a window, but those of transport master"
                   : NULL;
}

int replay_cell_check(const struct cell *cell, const char **without,
                      struct error *err)
{
    struct setup setup;
    struct cell checked = *cell;
    checked.platform[0] = '\0';
    int code = setup_open(&setup, &checked, err);
    if (code != 0)
        return code;
    const char *what = find_left_out(&setup);
    *without = setup.results == TRANSPORT_RESULTS_TRAVEL ||
                       setup.results == TRANSPORT_RESULTS_FIRST
                   ? "results that travel"
               : setup_learns_by_repetition(&setup)
                   ? "what a scheme learns in earlier repetitions"
                   : NULL;
    setup_close(&setup);
    return what == NULL ? 0
                        : error_set(err, ENOTSUP, "a replay knows %s", what);
}

/* By the tree that the transport has.  A window in the memory of one node is
 * counted in like memory of one process. */
static enum replay_kind kind_of(const struct setup *setup,
                                const struct tree *tree)
{
    const char *choice = cell_transport_choice(&setup->cell);
    if (setup->transport->rules->tree == TRANSPORT_NO_MASTER)
        return choice != NULL && text_is(choice, "shared") ? REPLAY_COUNTER
                                                           : REPLAY_WINDOW;
    if (setup->transport->rules->tree == TRANSPORT_BY_THREAD &&
        tree->count == 1)
        return REPLAY_COUNTER;
    return REPLAY_MASTERS;
}

static int run_setup(const struct replay_cell *in, const struct setup *setup,
                     struct replay_result *result, struct error *err)
{
    struct tree tree;
    const char *what = find_left_out(setup);
    if (what != NULL)
        return error_set(err, ENOTSUP, "a replay knows %s; use dlsbench sim",
                         what);
    int code = setup_build_tree(setup, &tree, err);
    if (code != 0)
        return code;
    const struct replay replay = {.kind = kind_of(setup, &tree),
                                  .tree = &tree,
                                  .node_ranks = in->node_ranks,
                                  .scheme = &setup->scheme.pair,
                                  .iterations = in->loop->iterations,
                                  .min_chunk = setup->cell.min_chunk,
                                  .before = in->loop->before,
                                  .power = setup->power,
                                  .prefetch = setup->cell.prefetch,
                                  .costs = in->costs,
                                  .handed = in->handed,
                                  .arg = in->arg};
    code = replay_run(&replay, result, err);
    if (code == 0 && in->made != NULL)
        *in->made = setup->cell;
    tree_free(&tree);
    return code;
}

int replay_cell_run(const struct replay_cell *replay,
                    struct replay_result *result, struct error *err)
{
    struct setup setup;
    struct cell cell = *replay->cell;
    cell.platform[0] = '\0';
    int code = setup_open(&setup, &cell, err);
    if (code != 0)
        return code;
    code = run_setup(replay, &setup, result, err);
    setup_close(&setup);
    return code;
}

static double known_or(double value, double otherwise)
{
    return isfinite(value) ? fmax(value, 0) : otherwise;
}

void replay_costs_fill(struct replay_costs *costs,
                       const struct calibration *calibration,
                       enum calibration_which which)
{
    const struct calibration_kind *kind = &calibration->kind[which];
    const struct calibration_kind *ranks =
        &calibration->kind[CALIBRATION_RANKS];
    const struct calibration_charge *charge = &ranks->charge;
    const char *counter = which == CALIBRATION_THREADS ? "shared" : "window";
    double step_s = known_or(calibration_c_sch(kind, counter),
                             costs->count_s + costs->counter_s);
    costs->counter_s = kind->workers > 0 ? step_s / kind->workers : 0;
    costs->count_s = step_s - costs->counter_s;
    costs->state_s = known_or(kind->charge.state, costs->state_s);
    costs->latency_s = known_or(charge->one_way, costs->latency_s);
    costs->near_s = costs->latency_s;
    double messages = ranks->workers > 2 ? charge->send + charge->receive
                                         : 2 * charge->one_way;
    costs->request_s = known_or(charge->round - messages, costs->request_s);
}
