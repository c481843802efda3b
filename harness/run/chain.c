#include "harness/run/chain.h"

#include "base/lines.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static bool is(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

/* An OpenMP runtime hands the chunks out (harness/transport/openmp/openmp.h):
 * the chain has none. */
static bool elsewhere(const struct cell *cell)
{
    return is(cell->transport, "openmp");
}

static bool feeds(const struct chain *chain)
{
    return is(chain->cell->data, "sent");
}

static size_t state_bytes(const struct chain_root *root)
{
    return sizeof(struct chain_state) +
           sched_bytes(root->pair.outer, &root->loop);
}

/* ---- the root: a table where the sequence is known, else its state ---- */

static int open_table(struct chain_root *root, struct error *err)
{
    int code = sched_table_build(&root->table, root->pair.outer,
                                 &root->pair.outer_spec, &root->loop,
                                 root->cell->min_chunk, err);
    return code == -ENOTSUP || code == -E2BIG ? 0 : code;
}

static int init_state(struct chain_root *root, struct error *err)
{
    atomic_store(&root->state->lock.held, 0);
    return sched_init(&root->sched, root->state->sched, root->pair.outer,
                      &root->pair.outer_spec, &root->loop,
                      root->cell->min_chunk, err);
}

static int own_memory(struct chain_root *root, struct error *err)
{
    root->owns_memory = true;
    root->counter = lines_zeroed(sizeof(*root->counter));
    root->state = lines_zeroed(state_bytes(root));
    if (root->counter == NULL || root->state == NULL)
        return error_set(err, ENOMEM, "out of memory for the scheme");
    return init_state(root, err);
}

/* Too long for messages, whoever has the memory. */
static int check_collect(const struct cell *cell, const struct loop *loop,
                         struct error *err)
{
    if (!is(cell->collect, "master") || loop->output_bytes == 0 ||
        loop->iterations <= INT_MAX)
        return 0;
    return error_set(err, ENOTSUP,
                     "collect master: a loop of more than %d iterations "
                     "has no messages for its results, use local",
                     INT_MAX);
}

/* Under two schemes the outer one counts the masters below the supermaster as
 * its workers. */
static int open_units(struct chain_root *root, const struct tree *tree,
                      struct error *err)
{
    if (root->pair.inner == NULL)
        return 0;
    if (range_units_open(&root->units, tree, 0, root->loop.power) != 0)
        return error_set(err, ENOMEM, "out of memory for the hierarchy");
    root->loop.workers = root->units.count;
    root->loop.power = root->units.power;
    return 0;
}

static int open_stealing(struct chain_root *root, const struct tree *tree,
                         const struct chain_thieves *thieves, struct error *err)
{
    const struct steal_choice choice = {.scheme = root->pair.outer,
                                        .spec = &root->pair.outer_spec,
                                        .min_chunk = root->cell->min_chunk,
                                        .seed = thieves->seed,
                                        .near = is(root->cell->victim, "near"),
                                        .site = thieves->site};
    int code = steal_loop_open(&root->steal, &root->loop, tree, &choice, err);
    root->steals = code == 0;
    return code;
}

int chain_root_open(struct chain_root *root, const struct cell *cell,
                    const struct loop *loop, const struct tree *tree,
                    const struct powers *powers, const struct planned *plan,
                    const struct chain_thieves *thieves, bool memory,
                    struct error *err)
{
    bool windowed = is(cell->transport, "window");
    bool direct = windowed || is(cell->transport, "shared");
    *root = (struct chain_root){
        .cell = cell,
        .powers = powers,
        .plan = plan,
        .loop = {loop->iterations, tree->workers, powers_of_scheme(powers)}};
    int code = check_collect(cell, loop, err);
    if (code != 0 || plan != NULL || elsewhere(cell))
        return code;
    code = sched_pair_parse(cell->scheme, &root->pair, err);
    if (code == 0)
        code = open_units(root, tree, err);
    if (code == 0 && is(cell->transport, "steal"))
        code = open_stealing(root, tree, thieves, err);
    /* The state knows what is still kept for whom, a table does not. */
    if (code == 0 && direct && cell->reissue == 0 &&
        (windowed || is(cell->hierarchy, "flat")))
        code = open_table(root, err);
    if (code == 0 && memory && !root->steals)
        code = own_memory(root, err);
    if (code == 0 && memory && cell->reissue > 0)
        code = chain_root_open_book(root, loop, tree->workers, err);
    if (code != 0)
        chain_root_close(root);
    return code;
}

void chain_root_close(struct chain_root *root)
{
    if (root->owns_memory) {
        free(root->counter);
        free(root->state);
    }
    if (root->has_book)
        reissue_close(&root->book);
    if (root->steals)
        steal_loop_close(&root->steal);
    sched_table_free(&root->table);
    range_units_close(&root->units);
    *root = (struct chain_root){0};
}

/* Whether a scheme goes on with what it has learned.  Where each time step is
 * planned anew, a repetition is all of them. */
static bool goes_on(const struct chain_root *root, const struct sched_ops *ops,
                    bool further_step)
{
    if (further_step)
        return true;
    return (ops->flags & SCHED_KEEPS) && is(root->cell->placement, "sticky");
}

void chain_root_reset(struct chain_root *root, bool further_step)
{
    if (root->has_book)
        reissue_reset(&root->book);
    if (root->state != NULL && goes_on(root, root->pair.outer, further_step))
        sched_again(&root->sched, &root->pair.outer_spec, &root->loop);
    else if (root->state != NULL)
        init_state(root, NULL); /* it went well before, with the same data */
    if (root->counter != NULL)
        atomic_store(&root->counter->step, root->table.primed);
}

/* ---- windows ---- */

static int check_rma(const struct chain *chain, bool shared, struct error *err)
{
    if (shared || chain->root->table.steps > 0)
        return 0;
    return error_set(err, ENOTSUP,
                     "scheme %s over an rma window needs a sequence that does "
                     "not depend on who asks and has at most %lld steps",
                     chain->cell->scheme, (long long)SCHED_TABLE_STEPS_MAX);
}

static int open_window(struct chain *chain, struct error *err)
{
    struct chain_root *root = chain->root;
    const char *kind = chain->cell->window;
    const struct comm *comm = chain->comm;
    bool shared = is(kind, "shared") || (is(kind, "auto") && comm->one_host);
    size_t bytes = sizeof(struct source_counter) + state_bytes(root);
    int code = comm_agree(comm, check_rma(chain, shared, err), err);
    if (code == 0)
        code = window_open(&chain->window, comm, shared, bytes, err);
    if (code != 0)
        return code;
    chain->has_window = true;
    if (!shared)
        return 0;
    root->counter = chain->window.memory;
    root->state = (void *)(root->counter + 1);
    if (comm->rank == 0)
        code = init_state(root, err);
    else
        sched_attach(&root->sched, root->state->sched, root->pair.outer);
    return comm_agree(comm, code, err);
}

/* ---- one worker's end ---- */

static bool uses_rma(const struct chain *chain)
{
    return chain->has_window && !chain->window.shared;
}

static void open_direct(struct chain *chain, union chain_source *source,
                        int worker, bool learns)
{
    struct chain_root *root = chain->root;
    if (uses_rma(chain))
        source_rma_open(&source->rma, worker, &chain->window, &root->table);
    else if (root->table.steps > 0)
        source_table_open(&source->table, worker, &root->table, root->counter);
    else
        source_state_open(&source->state, worker, &root->sched,
                          &root->state->lock, learns);
}

static void open_sources(struct chain *chain)
{
    int first = chain->tree->rank_worker[chain->comm->rank];
    const struct sched_ops *outer = chain->root->pair.outer;
    bool learns = outer != NULL && outer->feedback != NULL;
    for (int i = 0; i < chain->workers; i++) {
        bool absent = elsewhere(chain->cell) ||
                      !powers_take_part(chain->root->powers, first + i);
        if (absent && chain->has_relay)
            relay_source_absent(&chain->source[i].relay, &chain->relay,
                                first + i);
        else if (chain->has_push)
            push_source_open(&chain->source[i].push, &chain->push, first + i);
        else if (chain->has_steal)
            steal_source_open(&chain->source[i].steal, &chain->steal,
                              first + i);
        else if (absent)
            source_none_open(&chain->source[i].base, first + i);
        else if (chain->has_relay)
            relay_source_open(&chain->source[i].relay, &chain->relay,
                              first + i);
        else
            open_direct(chain, &chain->source[i], first + i, learns);
    }
    for (int i = 0; i < chain->upstreams; i++)
        open_direct(chain, &chain->upstream[i], chain->upstream_first + i,
                    false);
}

/* Node pools below a window: each rank's pool asks the window for its workers,
 * or, under two schemes, for itself. */
static int open_upstream(struct chain *chain, struct error *err)
{
    const struct range_units *units = &chain->root->units;
    int first = chain->tree->rank_worker[chain->comm->rank];
    chain->upstreams = chain->workers;
    chain->upstream_first = first;
    if (units->count > 0) {
        chain->upstreams = 1;
        chain->upstream_first = range_unit(units, first);
    }
    size_t n = (size_t)chain->upstreams;
    chain->upstream = lines_zeroed(n * sizeof(*chain->upstream));
    chain->upstream_list = calloc(n + 1, sizeof(*chain->upstream_list));
    if (chain->upstream == NULL || chain->upstream_list == NULL)
        return error_set(err, ENOMEM, "out of memory for %zu workers", n);
    for (size_t i = 0; i < n; i++)
        chain->upstream_list[i] = &chain->upstream[i].base;
    for (int i = 0; i < chain->relay.count; i++) {
        struct master *pool = &chain->relay.master[i];
        pool->upstream = chain->upstream_list;
        pool->upstreams = chain->upstreams;
        pool->upstream_primed = chain->root->table.steps > 0
                                    ? chain->root->table.primed
                                    : chain->root->sched.head->primed;
        pool->upstream_blocks = uses_rma(chain);
        if (chain->root->pair.outer->feedback != NULL) {
            pool->upstream_scheme = &chain->root->sched;
            pool->upstream_lock = &chain->root->state->lock;
            pool->upstream_units = units->count > 0 ? units : NULL;
        }
    }
    return 0;
}

/* The iterations that take about as long as an answer, by their mean cost:
 * a computing master looks for requests every 20 us.  Where the answer brings
 * data it may take as long as a chunk. */
static int64_t ahead_of(const struct chain *chain, const struct loop *loop)
{
    const double lead_s = 50e-6;
    if (feeds(chain))
        return INT64_MAX;
    double mean_s = loop->serial_s / (double)loop->iterations;
    double ahead = mean_s > 0 ? lead_s / mean_s : (double)loop->iterations;
    if (ahead < 1)
        return 1;
    return ahead < (double)loop->iterations ? (int64_t)ahead : loop->iterations;
}

static int open_relay(struct chain *chain, const struct loop *loop,
                      const struct engine_patience *patience, struct error *err)
{
    const struct chain_root *root = chain->root;
    struct relay_setup setup = {.comm = chain->comm,
                                .tree = chain->tree,
                                .collect = is(chain->cell->collect, "master"),
                                .prefetch = chain->cell->prefetch,
                                .ahead = ahead_of(chain, loop),
                                .reissues = chain->cell->reissue > 0,
                                .book =
                                    root->has_book ? &chain->root->book : NULL,
                                .own = chain->own,
                                .input = feeds(chain) ? &loop->input : NULL,
                                .patience = *patience,
                                .scheme = &chain->root->sched,
                                .pair = &root->pair,
                                .units = root->pair.inner ? &root->units : NULL,
                                .iterations = loop->iterations,
                                .min_chunk = chain->cell->min_chunk,
                                .power = powers_of_scheme(root->powers),
                                .output = loop->output,
                                .inbox = loop->inbox,
                                .output_bytes = loop->output_bytes};
    int code = relay_open(&chain->relay, &setup, err);
    if (code != 0)
        return code;
    chain->has_relay = true;
    return is(chain->cell->transport, "window") ? open_upstream(chain, err) : 0;
}

static int open_push(struct chain *chain, const struct loop *loop,
                     const struct engine_patience *patience, struct error *err)
{
    const struct planned *plan = chain->root->plan;
    const struct push_setup setup = {.comm = chain->comm,
                                     .tree = chain->tree,
                                     .input = &loop->input,
                                     .list = plan->list,
                                     .count = plan->count,
                                     .overlap = chain->cell->prefetch,
                                     .collect =
                                         is(chain->cell->collect, "master"),
                                     .patience = *patience,
                                     .output = loop->output,
                                     .inbox = loop->inbox,
                                     .output_bytes = loop->output_bytes};
    int code = push_open(&chain->push, &setup, err);
    chain->has_push = code == 0;
    return code;
}

/* ---- the whole ---- */

/* Whoever hands out where no counter does. */
static int open_serving(struct chain *chain, const struct loop *loop,
                        const struct engine_patience *patience,
                        struct error *err)
{
    if (chain->root->plan != NULL)
        return open_push(chain, loop, patience, err);
    if (!chain->root->steals)
        return open_relay(chain, loop, patience, err);
    int code = steal_open(&chain->steal, &chain->root->steal, chain->comm,
                          chain->tree, patience, err);
    chain->has_steal = code == 0;
    return code;
}

int chain_open(struct chain *chain, struct chain_root *root,
               const struct loop *loop, const struct tree *tree,
               const struct comm *comm, const struct engine_patience *patience,
               struct error *err)
{
    const struct cell *cell = root->cell;
    bool windowed = is(cell->transport, "window");
    bool direct = windowed || is(cell->transport, "shared") || elsewhere(cell);
    int code = 0;
    *chain =
        (struct chain){.root = root, .cell = cell, .comm = comm, .tree = tree};
    chain->workers =
        tree->rank_worker[comm->rank + 1] - tree->rank_worker[comm->rank];
    chain->source =
        lines_zeroed((size_t)(chain->workers + 1) * sizeof(*chain->source));
    if (chain->source == NULL)
        code = error_set(err, ENOMEM, "out of memory for %d workers",
                         chain->workers);
    if (code == 0)
        code = chain_reissue_open(chain, loop, err);
    code = comm_agree(comm, code, err);
    if (code == 0 && windowed && !root->owns_memory)
        code = open_window(chain, err);
    if (code == 0 &&
        (root->plan != NULL || !(direct && is(cell->hierarchy, "flat"))))
        code = comm_agree(comm, open_serving(chain, loop, patience, err), err);
    if (code != 0)
        chain_close(chain);
    return code;
}

void chain_close(struct chain *chain)
{
    if (chain->has_push)
        push_close(&chain->push);
    if (chain->has_relay)
        relay_close(&chain->relay);
    if (chain->has_steal)
        steal_close(&chain->steal);
    if (chain->has_window)
        window_close(&chain->window);
    chain_reissue_close(chain);
    free(chain->upstream_list);
    free(chain->upstream);
    free(chain->source);
    *chain = (struct chain){0};
}

void chain_reset(struct chain *chain, bool further_step)
{
    const struct chain_root *root = chain->root;
    const struct sched_ops *inner = root->pair.inner;
    if (chain->comm->rank == 0 && uses_rma(chain))
        window_set_counter(&chain->window, root->table.primed);
    if (chain->has_push)
        push_reset(&chain->push);
    if (chain->has_relay)
        relay_reset(&chain->relay,
                    inner != NULL && goes_on(root, inner, further_step));
    if (chain->has_steal)
        steal_reset(&chain->steal);
    open_sources(chain);
    chain_reissue_sources(chain);
}
