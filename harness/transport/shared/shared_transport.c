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
    .fact = {CHAIN_AHEAD_FACT},
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

const struct transport_ops transport_shared_ops = {
    .rules = &shared_rules,
    .share = shared_share,
    .facts = chain_ahead_facts,
    CHAIN_OPS,
};
