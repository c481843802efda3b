/* A chain with reissued chunks: the ledger, the workers' private results, and
 * the sources before those of workers that share memory with the ledger. */
#include "harness/transport/master/chain.h"

#include "base/pages.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Even with short chunks, a worker may lose its core for a moment, and a
 * message takes time. */
static const double LEAST_S = 100e-6;

int chain_root_open_ledger(struct chain_root *root, struct error *err)
{
    const struct transport_setup *setup = root->setup;
    if (reissue_open(&root->ledger, setup->iterations, setup->tree->workers,
                     setup->reissue * setup->iteration_s,
                     setup->reissue * LEAST_S) != 0)
        return error_set(err, ENOMEM, "out of memory for what is out");
    root->has_ledger = true;
    return 0;
}

/* ---- where workers compute ---- */

/* Untouched pages are not allocated. */
static int open_own(struct chain *chain, struct error *err)
{
    const struct transport_setup *setup = chain->setup;
    size_t n = (size_t)chain->workers;
    if (chain->comm->hollow)
        return 0;
    chain->own = calloc(n + 1, sizeof(*chain->own));
    chain->own_bytes = (size_t)setup->iterations * setup->output_bytes;
    for (size_t i = 0; chain->own != NULL && i < n; i++) {
        chain->own[i] = pages_map(chain->own_bytes);
        if (chain->own[i] == NULL)
            return error_set(err, ENOMEM,
                             "no room for what each of %zu workers computes",
                             n);
    }
    return chain->own != NULL ? 0 : error_set(err, ENOMEM, "out of memory");
}

int chain_reissue_open(struct chain *chain, struct error *err)
{
    size_t n = (size_t)chain->workers;
    if (chain->setup->reissue == 0)
        return 0;
    chain->again = calloc(n + 1, sizeof(*chain->again));
    if (chain->again == NULL)
        return error_set(err, ENOMEM, "out of memory for %zu workers", n);
    return open_own(chain, err);
}

void chain_reissue_close(struct chain *chain)
{
    for (int i = 0; chain->own != NULL && i < chain->workers; i++)
        pages_unmap(chain->own[i], chain->own_bytes);
    free(chain->own);
    free(chain->again);
}

char *chain_output(const void *end, int i)
{
    const struct chain *chain = end;
    return chain->own != NULL ? chain->own[i] : chain->setup->output;
}

/* ---- sources ---- */

static bool state_reserved(void *arg, int worker, struct chunk *chunk)
{
    struct chain_root *root = arg;
    engine_lock(&root->state->lock);
    bool more = sched_next(&root->sched, worker, chunk);
    engine_unlock(&root->state->lock);
    return more;
}

static bool serve_others(void *arg)
{
    return relay_poll(arg);
}

void chain_reissue_sources(struct chain *chain)
{
    struct chain_root *root = chain->root;
    int first = chain->tree->rank_worker[chain->comm->rank];
    bool beside = root->has_ledger && (!chain->has_relay || chain->relay.count);
    if (!beside)
        return;
    root->ledger.reserved = chain->has_relay ? relay_reserved : state_reserved;
    root->ledger.arg = chain->has_relay ? (void *)&chain->relay : (void *)root;
    for (int i = 0; i < chain->workers; i++) {
        if (!chain_takes_part(chain, first + i))
            continue;
        chain->again[i] = (struct reissue_source){
            .inner = &chain->source[i].base,
            .ledger = &root->ledger,
            .own = chain_output(chain, i),
            .output = chain->comm->hollow ? NULL : chain->setup->output,
            .output_bytes = chain->setup->output_bytes,
            .serve = chain->has_relay ? serve_others : NULL,
            .arg = &chain->relay};
        reissue_source_open(&chain->again[i], first + i);
    }
}

struct source *chain_source(void *end, int i)
{
    struct chain *chain = end;
    if (chain->again != NULL && chain->again[i].inner != NULL)
        return &chain->again[i].base;
    return &chain->source[i].base;
}

/* ---- the end ---- */

bool chain_is_over(void *end)
{
    struct chain *chain = end;
    struct chain_root *root = chain->root;
    if (chain->setup->reissue == 0)
        return false;
    return root->has_ledger ? reissue_is_over(&root->ledger)
                            : relay_is_over(&chain->relay);
}

struct reissue *chain_ledger(void *shared)
{
    struct chain_root *root = shared;
    return root->has_ledger ? &root->ledger : NULL;
}

void chain_poison(void *end, int byte)
{
    struct chain *chain = end;
    if (chain->root->has_ledger && chain->has_relay)
        result_collector_poison(&chain->relay.results, byte);
}
