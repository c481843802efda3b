/* One steal between two threads: from the first look at a range that its owner
 * has just written to the first piece of the loot, compared with the barest
 * equivalent, a compare-and-swap on such a word.  The owner fills the range,
 * the thief steals, and so on: the cost of a steal is its addition to these
 * hand-overs. */
#include "bench/overhead/overhead.h"
#include "bench/overhead/pair.h"
#include "bench/overhead/rounds/states.h"

#include "harness/transport/steal/steal.h"
#include "sched/schemes/registry.h"

#include <stdlib.h>
#include <string.h>

enum { STEALS = 20000, ITERATIONS = 1 << 20 };

struct theft {
    struct pair pair;
    struct steal_loop loop;
    struct steal steal;
    struct steal_source source[2];
    int first[2]; /* workers of the one rank */
    enum { NOTHING, SWAP, STEAL } what;
    /* ns there and back: of nothing, and what the others add to it */
    double trip_ns[OVERHEAD_ROUNDS], swap_ns[OVERHEAD_ROUNDS];
    double steal_ns[OVERHEAD_ROUNDS], handover_ns[OVERHEAD_ROUNDS];
};

/* The owner has it in its cache again. */
static void refill_range(struct theft *theft)
{
    atomic_store(&theft->steal.range[0].ends, steal_ends(0, ITERATIONS));
}

/* The thief's loot is thrown away; the owner's rest counts. */
static void forget_loot(struct theft *theft)
{
    atomic_store(&theft->steal.range[1].ends, 0);
    atomic_store(&theft->steal.loaded, 1);
}

static void take_half(struct theft *theft)
{
    struct steal_range *range = theft->steal.range;
    uint64_t seen = steal_ends(0, ITERATIONS);
    struct chunk chunk;
    if (theft->what == SWAP)
        atomic_compare_exchange_strong(&range->ends, &seen,
                                       steal_ends(0, ITERATIONS / 2));
    else if (theft->what == STEAL)
        source_next(&theft->source[1].base, &chunk);
}

static void steal_body(struct pair *pair, int worker, void *arg)
{
    struct theft *theft = arg;
    for (int64_t i = 1; i <= STEALS; i++) {
        if (worker == 0) {
            refill_range(theft);
            pair_give(pair, 0, i, NULL, 0);
            pair_take(pair, 0, i, NULL, 0);
        } else {
            forget_loot(theft);
            pair_take(pair, 1, i, NULL, 0);
            take_half(theft);
            pair_give(pair, 1, i, NULL, 0);
        }
    }
}

/* ns of a hand-over there and back. */
static double time_trips(struct theft *theft, int what)
{
    theft->what = what;
    return 1e9 * pair_run(&theft->pair, steal_body, theft) / STEALS;
}

static void time_round(void *arg, int r)
{
    struct theft *theft = arg;
    theft->trip_ns[r] = time_trips(theft, NOTHING);
    theft->swap_ns[r] = time_trips(theft, SWAP) - theft->trip_ns[r];
    theft->steal_ns[r] = time_trips(theft, STEAL) - theft->trip_ns[r];
}

static void print_state(FILE *out, const struct theft *theft,
                        const struct state *state)
{
    fprintf(out,
            "\nOne steal from another thread, added to a hand-over there and "
            "back of %.0f ns",
            state_middle(state, theft->trip_ns));
    state_print(out, state);
    fprintf(out,
            "\n  bare compare-and-swap          %6.1f ns\n"
            "  steal half and begin with it   %6.1f ns\n",
            state_middle(state, theft->swap_ns),
            state_middle(state, theft->steal_ns));
}

static int open_theft(struct theft *theft, struct launch_context *context,
                      const struct spec *spec, const struct sched_ops *ops,
                      struct error *err)
{
    const struct engine_patience patience = {.spin_s = 1};
    const struct sched_loop loop = {.iterations = ITERATIONS, .workers = 2};
    const struct tree tree = {
        .ranks = 1, .threads = 2, .workers = 2, .rank_worker = theft->first};
    const struct steal_choice choice = {
        .scheme = ops, .spec = spec, .min_chunk = 1};
    int code = steal_loop_open(&theft->loop, &loop, &tree, &choice, err);
    if (code == 0)
        code = steal_open(&theft->steal, &theft->loop, &context->comm, &tree,
                          &patience, err);
    if (code != 0)
        return code;
    steal_reset(&theft->steal);
    for (int w = 0; w < 2; w++)
        steal_source_open(&theft->source[w], &theft->steal, w);
    return 0;
}

void overhead_steals(FILE *out, struct launch_context *context)
{
    const struct sched_ops *ops;
    struct spec spec;
    struct error err;
    struct state state[STATES_MAX];
    struct theft *theft =
        aligned_alloc(128, (sizeof(*theft) + 127) / 128 * 128);
    memset(theft, 0, sizeof(*theft));
    theft->pair.context = context;
    theft->first[1] = 2;
    int code = sched_parse("ss", &ops, &spec, &err);
    if (code == 0)
        code = open_theft(theft, context, &spec, ops, &err);
    if (code != 0) {
        fprintf(out, "steals: %s\n", err.text);
        return;
    }
    for (int r = 0; r < OVERHEAD_ROUNDS; r++)
        theft->handover_ns[r] = state_time_round(context, time_round, theft, r);
    int states = state_split(theft->handover_ns, OVERHEAD_ROUNDS, state);
    for (int s = 0; s < states; s++)
        print_state(out, theft, &state[s]);
    steal_close(&theft->steal);
    steal_loop_close(&theft->loop);
    free(theft);
}
