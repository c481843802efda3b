/* Transport master: ranks ask a master by message. */
#include "harness/transport/master/chain.h"

#include <stddef.h>

static const struct transport_rules master_rules = {
    .name = "master",
    .summary = "ranks ask a master by message",
    .refuses = {[TRANSPORT_ONE_RANK] = "needs two ranks or more",
                [TRANSPORT_PLAN] = "hands out what is asked for",
                TRANSPORT_NO_SCHEDULES},
    .fields = {"master", "prefetch", "collect", "answer"},
    .tree = TRANSPORT_BY_RANK,
    .replays = true,
};

static int master_share(const struct transport_setup *setup, void **root,
                        struct error *err)
{
    static const struct chain_kind kind = {.direct = false};
    return chain_share(setup, &kind, root, err);
}

const struct transport_ops transport_master_ops = {
    .rules = &master_rules,
    .share = master_share,
    CHAIN_OPS,
};
