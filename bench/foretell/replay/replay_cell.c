#include "bench/foretell/replay/replay_cell.h"

#include "base/text.h"
#include "harness/check/cell_transport.h"
#include "harness/check/setup.h"
#include "harness/engine/usual_costs.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

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
    checked.platform = "";
    int code = setup_resolve(&setup, &checked, err);
    if (code != 0)
        return code;
    const char *what = find_left_out(&setup);
    *without = setup.results == TRANSPORT_RESULTS_TRAVEL ||
                       setup.results == TRANSPORT_RESULTS_FIRST
                   ? "results that travel"
               : setup_learns_by_repetition(&setup)
                   ? "what a scheme learns in earlier repetitions"
                   : NULL;
    setup_free(&setup);
    return what == NULL ? 0
                        : error_set(err, ENOTSUP, "a replay knows %s", what);
}

/* ---- cells of a campaign ---- */

static const char mark[] = "replayed, ";

int replay_cell_mark(struct cell *cell, struct error *err)
{
    const char *without;
    char marked[SPEC_CANONICAL_MAX];
    int code = replay_cell_check(cell, &without, err);
    if (code == 0 && without != NULL && strstr(without, "learns") != NULL)
        code = error_set(err, ENOTSUP, "a replay knows one repetition, not %s",
                         without);
    if (code != 0)
        return code;
    if ((size_t)snprintf(marked, sizeof(marked), "%s%s", mark,
                         cell->platform) >= sizeof(marked))
        return error_set(err, ENAMETOOLONG, "platform: %s is too long",
                         cell->platform);
    cell->platform = cell_keep(cell, marked);
    if (cell_results(cell) != TRANSPORT_RESULTS_STAY) {
        cell->collect = "local";
        cell->answer = "early";
    }
    return cell_check(cell, err);
}

const char *replay_cell_platform(const struct cell *cell)
{
    return text_begins(cell->platform, mark) ? cell->platform + strlen(mark)
                                             : cell->platform;
}

/* ---- one replay ---- */

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
    struct replay_costs costs = in->costs;
    const struct tree_master *asked = &tree.master[tree.worker_master[0]];
    if (in->as_simulated && asked->rank >= 0)
        costs.apart_s = engine_apart_s(asked->workers, costs.request_s);
    const struct replay replay = {.kind = kind_of(setup, &tree),
                                  .tree = &tree,
                                  .node_ranks = in->node_ranks,
                                  .scheme = &setup->scheme.pair,
                                  .iterations = in->loop->iterations,
                                  .min_chunk = setup->cell.min_chunk,
                                  .before = in->loop->before,
                                  .power = setup->power,
                                  .prefetch = setup->cell.prefetch,
                                  .costs = costs,
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
    cell.platform = "";
    int code = setup_resolve(&setup, &cell, err);
    if (code != 0)
        return code;
    code = run_setup(replay, &setup, result, err);
    setup_free(&setup);
    return code;
}

/* ---- equal replays ---- */

/* For a table: the place of its chunks, and those of a certain worker. */
static uint64_t hash_chunks(const struct sched_table *table, int workers)
{
    XXH3_state_t *state = XXH3_createState();
    XXH3_64bits_reset(state);
    for (int64_t i = 0; i < table->steps; i++) {
        struct chunk chunk = sched_table_chunk(table, i);
        int64_t range[2] = {chunk.start, chunk.size};
        XXH3_64bits_update(state, range, sizeof(range));
    }
    XXH3_64bits_update(state, &table->primed, sizeof(table->primed));
    if (table->rank != NULL)
        XXH3_64bits_update(state, table->rank,
                           (size_t)workers * sizeof(*table->rank));
    uint64_t hash = XXH3_64bits_digest(state);
    XXH3_freeState(state);
    return hash;
}

bool replay_cell_chunks(const struct replay_cell *replay, uint64_t *hash)
{
    struct setup setup;
    struct sched_table table;
    struct cell cell = *replay->cell;
    bool found = false;
    cell.platform = "";
    if (setup_resolve(&setup, &cell, NULL) != 0)
        return false;
    const struct sched_pair *pair = &setup.scheme.pair;
    const struct sched_loop loop = {.iterations = replay->loop->iterations,
                                    .workers = setup.workers,
                                    .power = setup.power,
                                    .cost = replay->loop->before};
    if (setup.scheme.kind == SCHEME_PAIR && pair->inner == NULL &&
        sched_table_build(&table, pair->outer, &pair->outer_spec, &loop,
                          setup.cell.min_chunk, NULL) == 0) {
        *hash = hash_chunks(&table, setup.workers);
        sched_table_free(&table);
        found = true;
    }
    setup_free(&setup);
    return found;
}

/* ---- costs ---- */

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
    /* A chunk's time without its messages is the master's service.  If one
     * worker asks, the messages are a round trip; else only the master's ends
     * of them. */
    double messages = ranks->workers > 2 ? charge->send + charge->receive
                                         : 2 * charge->one_way;
    costs->request_s = known_or(charge->round - messages, costs->request_s);
}
