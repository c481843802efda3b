#include "harness/transport/transport.h"

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
    for (int i = 0; i < 4 && rules->fields[i] != NULL; i++)
        if (strcmp(rules->fields[i], field) == 0)
            return true;
    return rules->field != NULL && strcmp(rules->field, field) == 0;
}
