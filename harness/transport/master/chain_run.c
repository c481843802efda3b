/* A chain while the loop runs, and its facts afterwards. */
#include "harness/transport/master/chain.h"

void chain_listen(void *end)
{
    struct chain *chain = end;
    if (chain->has_relay)
        relay_listen(&chain->relay);
}

bool chain_polls(const void *end)
{
    const struct chain *chain = end;
    if (chain->has_relay && relay_polls(&chain->relay))
        return true;
    return chain_uses_rma(chain) && chain->comm->rank == 0 &&
           chain->comm->ranks > 1;
}

bool chain_poll(void *end)
{
    struct chain *chain = end;
    if (chain->has_relay && relay_polls(&chain->relay))
        return relay_poll(&chain->relay);
    window_progress(&chain->window);
    return false;
}

void chain_serve(void *end, MPI_Request *other, MPI_Status *status)
{
    struct chain *chain = end;
    struct engine_idle idle = {0};
    if (chain->has_relay)
        relay_serve_beside(&chain->relay, other, status);
    else
        comm_pause(chain->comm, &idle, &chain->setup->patience, NULL, other, 1,
                   status);
}

void chain_leave(void *end)
{
    struct chain *chain = end;
    if (chain->has_relay)
        relay_leave(&chain->relay);
}

void chain_finish(void *end)
{
    struct chain *chain = end;
    if (chain->has_relay)
        relay_finish(&chain->relay);
}

struct transport_traffic chain_traffic(const void *end)
{
    const struct relay *relay = &((const struct chain *)end)->relay;
    return (struct transport_traffic){relay->box.messages, relay->box.bytes};
}

bool chain_keeps(const void *end, int worker)
{
    const struct chain *chain = end;
    return !chain->has_relay || !relay_sends(&chain->relay, worker);
}

bool chain_collected(const void *end, int64_t *cursor, int64_t *start,
                     int64_t *size)
{
    const struct chain *chain = end;
    return chain->has_relay &&
           result_collector_next(&chain->relay.results, cursor, start, size);
}

const char *chain_data(const void *end, int i, int64_t *first)
{
    const struct chain *chain = end;
    const struct relay_source *source = &chain->source[i].relay;
    *first = source->data_start;
    return source->data;
}

enum engine_cost chain_cost(const void *end, int i)
{
    const struct chain *chain = end;
    const struct tree *tree = chain->tree;
    int worker = tree->rank_worker[chain->comm->rank] + i;
    if (!chain->has_relay)
        return chain->root->table.steps > 0 ? ENGINE_COUNT : ENGINE_STATE;
    bool here =
        tree->master[tree->worker_master[worker]].rank == chain->comm->rank;
    return here ? ENGINE_STATE : ENGINE_COSTS;
}
