/* Transport window: no master, the ranks advance a counter in an MPI window, in
 * shared memory on one host or with MPI_Fetch_and_op across hosts. */
#include "harness/transport/master/chain.h"

#include <string.h>

static const struct transport_rules window_rules = {
    .name = "window",
    .summary = "ranks advance a counter in an MPI window, without a master",
    .refuses = {[TRANSPORT_MASTERS] = "has no masters",
                TRANSPORT_NO_SCHEDULES,
                TRANSPORT_SENDS_NOTHING,
                [TRANSPORT_REISSUE] = "has no master that knows what is out"},
    .fields = {"prefetch"},
    .fact = {CHAIN_AHEAD_FACT},
    .field = "window",
    .choice = {{.name = "auto"},
               {.name = "shared"},
               {.name = "rma",
                .refuses = {[TRANSPORT_LEARNING] =
                                "cannot carry the times of chunks in an rma "
                                "window (below it, under hierarchy node, the "
                                "second of two schemes may learn)"}}},
    .tree = TRANSPORT_NO_MASTER,
    .counts_ahead = true,
    .replays = true,
};

static int window_share(const struct transport_setup *setup, void **root,
                        struct error *err)
{
    static const struct chain_kind kind = {.windowed = true};
    return chain_share(setup, &kind, root, err);
}

/* In simulation the memory of a host needs no window to be shared. */
static const char *window_chosen(const void *end)
{
    const struct chain *chain = end;
    bool shared = chain->root->owns_memory || chain->window.shared;
    return shared ? "shared" : "rma";
}

/* An rma window lacks a master that workers could register with. */
static bool window_registers(const char *choice, bool one_host)
{
    return strcmp(choice, "shared") == 0 ||
           (strcmp(choice, "auto") == 0 && one_host);
}

const struct transport_ops transport_window_ops = {
    .rules = &window_rules,
    .share = window_share,
    .facts = chain_ahead_facts,
    .chosen = window_chosen,
    .registers = window_registers,
    CHAIN_OPS,
};
