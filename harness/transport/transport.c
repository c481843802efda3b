#include "harness/transport/transport.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

const char *const transport_asks[TRANSPORT_ASKS] = {
    [TRANSPORT_ONE_RANK] = "one rank",
    [TRANSPORT_RANKS] = "several ranks",
    [TRANSPORT_THREADS] = "several threads in a rank",
    [TRANSPORT_SIMULATION] = "simulation",
    [TRANSPORT_INDEPENDENT] = "protocol parallel",
    [TRANSPORT_DEPENDENT] = "protocols dmps, subproblem",
    [TRANSPORT_PLAN] = "protocol push",
    [TRANSPORT_NODE] = "hierarchy node",
    [TRANSPORT_MASTERS] = "hierarchy of masters",
    [TRANSPORT_SCHEME] = "schemes",
    [TRANSPORT_RESERVING] = "schemes with chunks kept for a worker",
    [TRANSPORT_LEARNING] = "schemes that learn",
    [TRANSPORT_COSTS] = "schemes that count with costs",
    [TRANSPORT_TWO] = "two schemes",
    [TRANSPORT_SCHEDULE] = "OpenMP's schedules",
    [TRANSPORT_MIN_CHUNK] = "min_chunk",
    [TRANSPORT_COLLECT] = "collect master",
    [TRANSPORT_DATA] = "data sent",
    [TRANSPORT_REISSUE] = "reissue",
};

const char *transport_refuses(const struct transport_ops *ops,
                              const char *choice, enum transport_ask ask)
{
    const struct transport_rules *rules = ops->rules;
    const char *why = rules->refuses[ask];
    for (int i = 0; choice != NULL && why == NULL && i < TRANSPORT_CHOICES; i++)
        if (rules->choice[i].name != NULL &&
            strcmp(rules->choice[i].name, choice) == 0)
            why = rules->choice[i].refuses[ask];
    return why;
}

bool transport_has_field(const struct transport_ops *ops, const char *field)
{
    const struct transport_rules *rules = ops->rules;
    for (int i = 0; i < TRANSPORT_FIELDS && rules->fields[i] != NULL; i++)
        if (strcmp(rules->fields[i], field) == 0)
            return true;
    return rules->field != NULL && strcmp(rules->field, field) == 0;
}

/* Results of more iterations do not go into messages. */
static int check_collect(const struct transport_setup *setup, struct error *err)
{
    bool stays =
        setup->collect == TRANSPORT_RESULTS_STAY ||
        (setup->collect == TRANSPORT_RESULTS_SHARED && setup->comm->one_host);
    if (stays || setup->output_bytes == 0 || setup->iterations <= INT_MAX)
        return 0;
    return error_set(err, ENOTSUP,
                     "collect master: a loop of more than %d iterations "
                     "has no messages for its results, use local",
                     INT_MAX);
}

int transport_open(struct transport *transport, const struct transport_ops *ops,
                   const struct transport_setup *setup, struct error *err)
{
    *transport = (struct transport){.setup = *setup};
    int code = check_collect(setup, err);
    if (code == 0 && ops->share != NULL)
        code = ops->share(&transport->setup, &transport->shared, err);
    if (code == 0)
        transport->ops = ops;
    return code;
}

void transport_close(struct transport *transport)
{
    if (transport->ops != NULL && transport->ops->unshare != NULL)
        transport->ops->unshare(transport->shared);
    *transport = (struct transport){.ops = NULL};
}

int transport_rewind(struct transport *transport, bool further_step)
{
    return transport->ops->rewind != NULL
               ? transport->ops->rewind(transport->shared, further_step)
               : 0;
}

struct reissue *transport_ledger(const struct transport *transport)
{
    return transport->ops->ledger != NULL
               ? transport->ops->ledger(transport->shared)
               : NULL;
}

int transport_home(const struct transport *transport, int64_t iteration)
{
    return transport->ops->home != NULL
               ? transport->ops->home(transport->shared, iteration)
               : -1;
}
