/* Transport shared: the threads of one process, chunks from memory. */
#include "harness/transport/master/chain.h"

#include <stddef.h>

static const struct transport_rules shared_rules = {
    .name = "shared",
    .summary = "threads of one process take chunks from memory",
    .refuses = {[TRANSPORT_RANKS] = "needs one rank",
                TRANSPORT_NO_SCHEDULES,
                TRANSPORT_SENDS_NOTHING},
    .fields = {"prefetch"},
    .fact = {{"ahead", "count",
              "chunks that were asked for before the last one ran"}},
    .tree = TRANSPORT_BY_THREAD,
    .counts_ahead = true,
    .replays = true,
};

static int shared_share(const struct transport_setup *setup, void **root,
                        struct error *err)
{
    static const struct chain_kind kind = {.direct = true};
    return chain_share(setup, &kind, root, err);
}

static void shared_facts(const void *end, int i, int64_t value[TRANSPORT_FACTS])
{
    const struct chain *chain = end;
    value[0] = chain->source[i].base.ahead_count;
}

const struct transport_ops transport_shared_ops = {
    .rules = &shared_rules,
    .share = shared_share,
    .facts = shared_facts,
    CHAIN_OPS,
};
