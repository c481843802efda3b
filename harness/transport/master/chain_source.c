/* The end of each worker at a chain. */
#include "harness/transport/master/chain.h"

static void open_direct(struct chain *chain, union chain_source *source,
                        int worker, bool learns)
{
    struct chain_root *root = chain->root;
    if (chain_uses_rma(chain))
        source_rma_open(&source->rma, worker, &chain->window, &root->table);
    else if (root->table.steps > 0)
        source_table_open(&source->table, worker, &root->table, root->counter);
    else
        source_state_open(&source->state, worker, &root->sched,
                          &root->state->lock, learns, chain->setup->tick_s);
    if (chain_uses_rma(chain))
        return;
    source->base.back = root->back;
    source->base.early = root->early;
}

void chain_ahead_facts(const void *end, int i, int64_t value[TRANSPORT_FACTS])
{
    const struct chain *chain = end;
    value[0] = chain->source[i].base.ahead_count;
}

static void open_source(struct chain *chain, int i, int worker, bool learns)
{
    union chain_source *source = &chain->source[i];
    bool absent = !chain_takes_part(chain, worker);
    if (absent && chain->has_relay)
        relay_source_absent(&source->relay, &chain->relay, worker);
    else if (absent)
        source_none_open(&source->base, worker);
    else if (chain->has_relay)
        relay_source_open(&source->relay, &chain->relay, worker);
    else
        open_direct(chain, source, worker, learns);
}

void chain_open_sources(struct chain *chain, bool further_step)
{
    int first = chain->tree->rank_worker[chain->comm->rank];
    bool learns = chain->setup->scheme->outer->feedback != NULL;
    for (int i = 0; i < chain->workers; i++) {
        struct source *source = &chain->source[i].base;
        int64_t ahead = further_step ? source->ahead_count : 0;
        open_source(chain, i, first + i, learns);
        source->ahead_count = ahead;
    }
    for (int i = 0; i < chain->upstream.sources; i++)
        open_direct(chain, &chain->upstream_source[i],
                    chain->upstream_first + i, false);
}
