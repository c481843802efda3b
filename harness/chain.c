#include "harness/chain.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static bool is(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

static void *lines(size_t bytes)
{
    void *memory = NULL;
    bytes = (bytes + 127) / 128 * 128;
    if (posix_memalign(&memory, 128, bytes) != 0)
        return NULL;
    return memset(memory, 0, bytes);
}

static size_t state_bytes(const struct chain *chain)
{
    return sizeof(struct chain_state) +
           sched_bytes(chain->scheme, &chain->loop);
}

/* ---- the scheme: a table where the sequence is known, else its state ---- */

static int open_table(struct chain *chain, struct error *err)
{
    int code = sched_table_build(&chain->table, chain->scheme, &chain->spec,
                                 &chain->loop, chain->cell->min_chunk, err);
    return code == -ENOTSUP || code == -E2BIG ? 0 : code;
}

static int init_state(struct chain *chain, struct error *err)
{
    atomic_store(&chain->state->lock.held, 0);
    return sched_init(&chain->sched, chain->state->sched, chain->scheme,
                      &chain->spec, &chain->loop, chain->cell->min_chunk, err);
}

static int own_memory(struct chain *chain, struct error *err)
{
    chain->owns_memory = true;
    chain->counter = lines(sizeof(*chain->counter));
    chain->state = lines(state_bytes(chain));
    if (chain->counter == NULL || chain->state == NULL)
        return error_set(err, ENOMEM, "out of memory for the scheme");
    return init_state(chain, err);
}

/* ---- windows ---- */

static int check_rma(const struct chain *chain, bool shared, struct error *err)
{
    if (shared || chain->table.steps > 0)
        return 0;
    return error_set(err, ENOTSUP,
                     "scheme %s over an rma window needs a sequence that does "
                     "not depend on who asks and has at most %lld steps",
                     chain->cell->scheme, (long long)SCHED_TABLE_STEPS_MAX);
}

static int open_window(struct chain *chain, struct error *err)
{
    const char *kind = chain->cell->window;
    const struct comm *comm = chain->comm;
    bool shared = is(kind, "shared") || (is(kind, "auto") && comm->one_host);
    size_t bytes = sizeof(struct source_counter) + state_bytes(chain);
    int code = comm_agree(comm, check_rma(chain, shared, err), err);
    if (code == 0)
        code = window_open(&chain->window, comm, shared, bytes, err);
    if (code != 0)
        return code;
    chain->has_window = true;
    if (!shared)
        return 0;
    chain->counter = chain->window.memory;
    chain->state = (void *)(chain->counter + 1);
    if (comm->rank == 0)
        code = init_state(chain, err);
    else
        sched_attach(&chain->sched, chain->state->sched, chain->scheme);
    return comm_agree(comm, code, err);
}

/* ---- one worker's end ---- */

static void open_direct(struct chain *chain, union chain_source *source,
                        int worker)
{
    if (chain->has_window && !chain->window.shared)
        source_rma_open(&source->rma, worker, &chain->window, &chain->table);
    else if (chain->table.steps > 0)
        source_table_open(&source->table, worker, &chain->table,
                          chain->counter);
    else
        source_state_open(&source->state, worker, &chain->sched,
                          &chain->state->lock);
}

static void open_sources(struct chain *chain)
{
    int first = chain->tree->rank_worker[chain->comm->rank];
    for (int i = 0; i < chain->workers; i++) {
        if (chain->has_relay)
            relay_source_open(&chain->source[i].relay, &chain->relay,
                              first + i);
        else
            open_direct(chain, &chain->source[i], first + i);
        if (chain->upstream != NULL)
            open_direct(chain, &chain->upstream[i], first + i);
    }
}

/* Node pools below a window: each pool asks the window for its workers. */
static int open_upstream(struct chain *chain, struct error *err)
{
    size_t n = (size_t)chain->workers;
    chain->upstream = lines(n * sizeof(*chain->upstream));
    chain->upstream_list = calloc(n + 1, sizeof(*chain->upstream_list));
    if (chain->upstream == NULL || chain->upstream_list == NULL)
        return error_set(err, ENOMEM, "out of memory for %zu workers", n);
    for (size_t i = 0; i < n; i++)
        chain->upstream_list[i] = &chain->upstream[i].base;
    for (int i = 0; i < chain->relay.count; i++) {
        struct master *pool = &chain->relay.master[i];
        pool->upstream = chain->upstream_list;
        pool->upstream_primed = chain->table.steps > 0
                                    ? chain->table.primed
                                    : chain->sched.head->primed;
        pool->upstream_blocks = !chain->window.shared;
    }
    return 0;
}

/* The iterations that take about as long as an answer, by their mean cost:
 * a computing master looks for requests every 20 us. */
static int64_t ahead_of(const struct loop *loop)
{
    const double lead_s = 50e-6;
    double mean_s = loop->serial_s / (double)loop->iterations;
    double ahead = mean_s > 0 ? lead_s / mean_s : (double)loop->iterations;
    if (ahead < 1)
        return 1;
    return ahead < (double)loop->iterations ? (int64_t)ahead : loop->iterations;
}

static int open_relay(struct chain *chain, const struct loop *loop,
                      const struct engine_patience *patience, struct error *err)
{
    struct relay_setup setup = {.comm = chain->comm,
                                .tree = chain->tree,
                                .collect = is(chain->cell->collect, "master"),
                                .prefetch = chain->cell->prefetch,
                                .ahead = ahead_of(loop),
                                .patience = *patience,
                                .scheme = &chain->sched,
                                .output = loop->output,
                                .inbox = loop->inbox,
                                .output_bytes = loop->output_bytes};
    int code = relay_open(&chain->relay, &setup, err);
    if (code != 0)
        return code;
    chain->has_relay = true;
    return chain->has_window ? open_upstream(chain, err) : 0;
}

/* ---- the whole ---- */

static int open_scheme(struct chain *chain, const struct loop *loop,
                       struct error *err)
{
    int code =
        sched_parse(chain->cell->scheme, &chain->scheme, &chain->spec, err);
    if (code != 0)
        return code;
    chain->power = cell_powers(chain->cell);
    chain->loop = (struct sched_loop){loop->iterations, chain->tree->workers,
                                      chain->power};
    chain->source =
        lines((size_t)(chain->workers + 1) * sizeof(*chain->source));
    if (chain->source == NULL)
        return error_set(err, ENOMEM, "out of memory for %d workers",
                         chain->workers);
    return 0;
}

int chain_open(struct chain *chain, const struct cell *cell,
               const struct loop *loop, const struct tree *tree,
               const struct comm *comm, const struct engine_patience *patience,
               struct error *err)
{
    bool windowed = is(cell->transport, "window");
    bool direct = windowed || is(cell->transport, "shared");
    bool flat = is(cell->hierarchy, "flat");
    *chain = (struct chain){.cell = cell, .comm = comm, .tree = tree};
    chain->workers =
        tree->rank_worker[comm->rank + 1] - tree->rank_worker[comm->rank];
    int code = open_scheme(chain, loop, err);
    if (code == 0 && is(cell->collect, "master") && loop->output_bytes > 0 &&
        loop->iterations > INT_MAX)
        code = error_set(err, ENOTSUP,
                         "collect master: a loop of more than %d iterations "
                         "has no messages for its results, use local",
                         INT_MAX);
    if (code == 0 && direct && (windowed || flat))
        code = open_table(chain, err);
    if (code == 0 && !windowed && (comm->rank == 0))
        code = own_memory(chain, err);
    code = comm_agree(comm, code, err);
    if (code == 0 && windowed)
        code = open_window(chain, err);
    if (code == 0 && !(direct && flat))
        code = comm_agree(comm, open_relay(chain, loop, patience, err), err);
    if (code != 0)
        chain_close(chain);
    return code;
}

void chain_close(struct chain *chain)
{
    if (chain->has_relay)
        relay_close(&chain->relay);
    if (chain->has_window)
        window_close(&chain->window);
    if (chain->owns_memory) {
        free(chain->counter);
        free(chain->state);
    }
    sched_table_free(&chain->table);
    free(chain->upstream_list);
    free(chain->upstream);
    free(chain->source);
    free(chain->power);
    *chain = (struct chain){0};
}

void chain_reset(struct chain *chain)
{
    bool root = chain->comm->rank == 0;
    if (root && chain->state != NULL)
        init_state(chain, NULL); /* it went well before, with the same data */
    if (root && chain->counter != NULL)
        atomic_store(&chain->counter->step, chain->table.primed);
    if (root && chain->has_window && !chain->window.shared)
        window_set_counter(&chain->window, chain->table.primed);
    if (chain->has_relay)
        relay_reset(&chain->relay);
    open_sources(chain);
}

bool chain_polls(const struct chain *chain)
{
    if (chain->has_relay && relay_serves(&chain->relay))
        return true;
    return chain->has_window && !chain->window.shared &&
           chain->comm->rank == 0 && chain->comm->ranks > 1;
}

bool chain_progress(struct chain *chain)
{
    if (chain->has_relay && relay_serves(&chain->relay))
        return relay_progress(&chain->relay);
    window_progress(&chain->window);
    return false;
}
