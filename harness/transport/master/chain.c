#include "harness/transport/master/chain.h"

#include "base/cache_line.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The state, up to where a cache line begins. */
static size_t state_only(const struct chain_root *root)
{
    size_t bytes = sizeof(struct chain_state) +
                   sched_bytes(root->setup->scheme->outer, &root->loop);
    return (bytes + 127) / 128 * 128;
}

static size_t state_bytes(const struct chain_root *root)
{
    return state_only(root) + source_back_bytes(root->loop.workers);
}

static void place_back(struct chain_root *root)
{
    root->back = (void *)((char *)root->state + state_only(root));
}

/* ---- the root: a table if the sequence is known, otherwise a state ---- */

static int open_table(struct chain_root *root, struct error *err)
{
    int code = sched_table_build(&root->table, root->setup->scheme->outer,
                                 &root->setup->scheme->outer_spec, &root->loop,
                                 root->setup->min_chunk, err);
    return code == -ENOTSUP || code == -E2BIG ? 0 : code;
}

/* An order that the scheme chooses for its chunks; the state only counts
 * through it. */
static int open_order(struct chain_root *root, struct error *err)
{
    const struct sched_pair *pair = root->setup->scheme;
    if (pair->outer->order == NULL)
        return 0;
    root->loop.order = &root->order;
    return sched_table_build(&root->order, pair->outer, &pair->outer_spec,
                             &root->loop, root->setup->min_chunk, err);
}

static int init_state(struct chain_root *root, struct error *err)
{
    atomic_store(&root->state->lock.held, 0);
    return sched_init(&root->sched, root->state->sched,
                      root->setup->scheme->outer,
                      &root->setup->scheme->outer_spec, &root->loop,
                      root->setup->min_chunk, err);
}

static int own_memory(struct chain_root *root, struct error *err)
{
    root->owns_memory = true;
    root->counter = lines_zeroed(sizeof(*root->counter));
    root->state = lines_zeroed(state_bytes(root));
    if (root->counter == NULL || root->state == NULL)
        return error_set(err, ENOMEM, "out of memory for the scheme");
    place_back(root);
    return init_state(root, err);
}

/* Under two schemes the outer one counts the masters below the supermaster as
 * its workers. */
static int open_units(struct chain_root *root, struct error *err)
{
    const struct tree *tree = root->setup->tree;
    if (root->setup->scheme->inner == NULL)
        return 0;
    if (range_units_open(&root->units, tree, 0, root->loop.power) != 0)
        return error_set(err, ENOMEM, "out of memory for the hierarchy");
    root->loop.workers = root->units.count;
    root->loop.power = root->units.power;
    return 0;
}

/* Whether this process keeps the counter and the state in its memory, not in a
 * window and not by a master elsewhere.  In one process the ranks of a host
 * need no window. */
static bool has_memory(const struct chain_root *root)
{
    const struct transport_setup *setup = root->setup;
    if (!root->kind->windowed)
        return setup->comm->rank == 0;
    return setup->comm->one_process && setup->comm->one_host &&
           strcmp(setup->choice, "rma") != 0;
}

static int open_root(struct chain_root *root, struct error *err)
{
    const struct transport_setup *setup = root->setup;
    const struct chain_kind *kind = root->kind;
    bool flat = setup->tree->count == 1;
    int code = open_units(root, err);
    if (code == 0)
        code = open_order(root, err);
    /* Unlike the state, a table does not know chunks kept for workers, nor
     * costs that change. */
    if (code == 0 && setup->reissue == 0 && !setup->cost.changes &&
        (kind->windowed || (kind->direct && flat)))
        code = open_table(root, err);
    if (setup->prefetch) /* without a table no step is early */
        root->early = source_early_steps(&root->table, root->loop.workers,
                                         &setup->cost.took);
    if (code == 0 && has_memory(root))
        code = own_memory(root, err);
    if (code == 0 && has_memory(root) && setup->reissue > 0)
        code = chain_root_open_ledger(root, err);
    return code;
}

int chain_share(const struct transport_setup *setup,
                const struct chain_kind *kind, void **out, struct error *err)
{
    struct chain_root *root = lines_zeroed(sizeof(*root));
    if (root == NULL)
        return error_set(err, ENOMEM, "out of memory for the scheme");
    *root = (struct chain_root){.setup = setup,
                                .kind = kind,
                                .loop = {.iterations = setup->iterations,
                                         .workers = setup->tree->workers,
                                         .power = setup->power,
                                         .cost = setup->cost.before}};
    int code = open_root(root, err);
    if (code != 0)
        chain_unshare(root);
    else
        *out = root;
    return code;
}

void chain_unshare(void *shared)
{
    struct chain_root *root = shared;
    if (root->owns_memory) {
        free(root->counter);
        free(root->state);
    }
    if (root->has_ledger)
        reissue_close(&root->ledger);
    sched_table_free(&root->table);
    sched_table_free(&root->order);
    range_units_close(&root->units);
    free(root);
}

/* Whether a scheme keeps its knowledge for the next pass.  With replan, all
 * time steps are one repetition. */
static bool goes_on(const struct chain_root *root, const struct sched_ops *ops,
                    bool further_step)
{
    if (further_step)
        return true;
    return (ops->flags & SCHED_KEEPS) && root->setup->keeps;
}

/* Every process has the order, and rank 0 begins it. */
int chain_rewind(void *shared, bool further_step)
{
    struct chain_root *root = shared;
    if (root->setup->cost.changes) {
        sched_table_free(&root->order);
        int code = open_order(root, NULL);
        if (code != 0)
            return code;
    }
    if (root->setup->comm->rank > 0)
        return 0;
    if (root->has_ledger)
        reissue_reset(&root->ledger);
    if (root->state != NULL &&
        goes_on(root, root->setup->scheme->outer, further_step))
        sched_again(&root->sched, &root->setup->scheme->outer_spec,
                    &root->loop);
    else if (root->state != NULL)
        init_state(root, NULL); /* succeeded before with the same data */
    if (root->counter != NULL)
        atomic_store(&root->counter->step, root->table.primed);
    if (root->back != NULL)
        atomic_store(&root->back->count, 0);
    return 0;
}

/* ---- windows ---- */

static int check_rma(const struct chain *chain, bool shared, struct error *err)
{
    if (shared || chain->root->table.steps > 0)
        return 0;
    if (chain->setup->cost.changes)
        return error_set(err, ENOTSUP,
                         "costs last: an rma window has no master that knows "
                         "new costs; use transport master");
    return error_set(err, ENOTSUP,
                     "scheme %s over an rma window needs a sequence that does "
                     "not depend on who asks and has at most %lld steps",
                     chain->setup->scheme->canonical,
                     (long long)SCHED_TABLE_STEPS_MAX);
}

static int open_window(struct chain *chain, struct error *err)
{
    struct chain_root *root = chain->root;
    const struct comm *comm = chain->comm;
    const char *kind = chain->setup->choice;
    bool shared = strcmp(kind, "shared") == 0 ||
                  (strcmp(kind, "auto") == 0 && comm->one_host);
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
    place_back(root);
    if (comm->rank == 0)
        code = init_state(root, err);
    else
        sched_attach(&root->sched, root->state->sched,
                     root->setup->scheme->outer,
                     &root->setup->scheme->outer_spec, &root->loop);
    return comm_agree(comm, code, err);
}

/* ---- below a master or a window ---- */

/* Node pools below a window: each rank's pool asks the window for its workers,
 * or, under two schemes, for itself. */
static int open_upstream(struct chain *chain, struct error *err)
{
    struct chain_root *root = chain->root;
    const struct range_units *units = &root->units;
    int first = chain->tree->rank_worker[chain->comm->rank];
    struct master_upstream *upstream = &chain->upstream;
    upstream->sources = chain->workers;
    chain->upstream_first = first;
    if (units->count > 0) {
        upstream->sources = 1;
        chain->upstream_first = range_unit(units, first);
    }
    size_t n = (size_t)upstream->sources;
    chain->upstream_source = lines_zeroed(n * sizeof(*chain->upstream_source));
    upstream->source = calloc(n + 1, sizeof(*upstream->source));
    if (chain->upstream_source == NULL || upstream->source == NULL)
        return error_set(err, ENOMEM, "out of memory for %zu workers", n);
    for (size_t i = 0; i < n; i++)
        upstream->source[i] = &chain->upstream_source[i].base;
    upstream->primed =
        root->table.steps > 0 ? root->table.primed : root->sched.head->kept;
    upstream->blocks = chain_uses_rma(chain);
    if (root->setup->scheme->outer->feedback != NULL) {
        upstream->scheme = &root->sched;
        upstream->lock = &root->state->lock;
        upstream->units = units->count > 0 ? units : NULL;
    }
    for (int i = 0; i < chain->relay.count; i++)
        chain->relay.hosted[i].master.upstream = upstream;
    return 0;
}

/* The iterations that take about as long as an answer: a computing master polls
 * every 20 us, and an answer with data may take a chunk's time. */
static int64_t ahead_of(const struct transport_setup *setup)
{
    const double lead_s = 50e-6;
    if (setup->input != NULL)
        return INT64_MAX;
    double ahead = setup->iteration_s > 0 ? lead_s / setup->iteration_s
                                          : (double)setup->iterations;
    if (ahead < 1)
        return 1;
    return ahead < (double)setup->iterations ? (int64_t)ahead
                                             : setup->iterations;
}

static int open_relay(struct chain *chain, struct error *err)
{
    struct chain_root *root = chain->root;
    const struct transport_setup *setup = chain->setup;
    const struct sched_pair *pair = setup->scheme;
    struct relay_setup relay = {
        .comm = chain->comm,
        .tree = chain->tree,
        .collect = setup->collect != TRANSPORT_RESULTS_STAY,
        .prefetch = setup->prefetch,
        .first = setup->collect == TRANSPORT_RESULTS_FIRST,
        .shares = setup->collect == TRANSPORT_RESULTS_SHARED,
        .ahead = ahead_of(setup),
        .reissues = setup->reissue > 0,
        .ledger = root->has_ledger ? &root->ledger : NULL,
        .own = chain->own,
        .input = setup->input,
        .patience = setup->patience,
        .scheme = &root->sched,
        .pair = pair,
        .units = pair->inner ? &root->units : NULL,
        .iterations = setup->iterations,
        .min_chunk = setup->min_chunk,
        .power = setup->power,
        .cost = setup->cost.before,
        .output = setup->output,
        .inbox = setup->inbox,
        .output_bytes = setup->output_bytes};
    int code = relay_open(&chain->relay, &relay, err);
    if (code != 0)
        return code;
    chain->has_relay = true;
    return root->kind->windowed ? open_upstream(chain, err) : 0;
}

/* ---- opening and closing ---- */

static int open_parts(struct chain *chain, struct error *err)
{
    const struct chain_root *root = chain->root;
    const struct chain_kind *kind = root->kind;
    const struct comm *comm = chain->comm;
    bool alone = (kind->windowed || kind->direct) && chain->tree->count == 1;
    int code = 0;
    chain->source =
        lines_zeroed((size_t)(chain->workers + 1) * sizeof(*chain->source));
    if (chain->source == NULL)
        code = error_set(err, ENOMEM, "out of memory for %d workers",
                         chain->workers);
    if (code == 0)
        code = chain_reissue_open(chain, err);
    code = comm_agree(comm, code, err);
    if (code == 0 && kind->windowed && !root->owns_memory)
        code = open_window(chain, err);
    if (code == 0 && !alone)
        code = comm_agree(comm, open_relay(chain, err), err);
    return code;
}

int chain_open(const struct transport *transport, const struct comm *comm,
               void **out, struct error *err)
{
    const struct transport_setup *setup = &transport->setup;
    const struct tree *tree = setup->tree;
    struct chain *chain = lines_zeroed(sizeof(*chain));
    int code = chain != NULL ? 0 : error_set(err, ENOMEM, "out of memory");
    code = comm_agree(comm, code, err);
    if (code != 0) {
        free(chain);
        return code;
    }
    chain->root = transport->shared;
    chain->setup = setup;
    chain->comm = comm;
    chain->tree = tree;
    chain->workers =
        tree->rank_worker[comm->rank + 1] - tree->rank_worker[comm->rank];
    code = open_parts(chain, err);
    if (code != 0)
        chain_close(chain);
    else
        *out = chain;
    return code;
}

void chain_close(void *end)
{
    struct chain *chain = end;
    if (chain->has_relay)
        relay_close(&chain->relay);
    if (chain->has_window)
        window_close(&chain->window);
    chain_reissue_close(chain);
    free(chain->upstream.source);
    free(chain->upstream_source);
    free(chain->source);
    free(chain);
}

void chain_reset(void *end, bool further_step)
{
    struct chain *chain = end;
    const struct chain_root *root = chain->root;
    const struct sched_ops *inner = chain->setup->scheme->inner;
    if (chain->comm->rank == 0 && chain_uses_rma(chain))
        window_set_counter(&chain->window, root->table.primed);
    if (chain->has_relay)
        relay_reset(&chain->relay,
                    inner != NULL && goes_on(root, inner, further_step));
    chain_open_sources(chain, further_step);
    chain_reissue_sources(chain);
}
