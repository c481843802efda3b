#include "dls/strategy.h"

#include "base/nearest.h"
#include "harness/transport/steal/steal_range.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES_MAX = 128 };

static const char steal[] = "steal", last_first[] = "last-first";

static const struct spec_param steal_params[] = {
    PARAM_WHOLE("chunk", "1", 1, UINT32_MAX,
                "iterations that a thread takes from its range at a time"),
    {0}};

/* Collects the possible schemes in `names`; impossible ones are known too. */
static bool is_known(const char *name, const char *names[NAMES_MAX])
{
    bool known = strcmp(name, steal) == 0 || strcmp(name, last_first) == 0;
    int count = 0;
    for (int i = 0; sched_schemes[i] != NULL && count < NAMES_MAX - 3; i++) {
        const struct sched_ops *ops = sched_schemes[i];
        known = known || strcmp(name, ops->name) == 0 ||
                (ops->alias != NULL && strcmp(name, ops->alias) == 0);
        if (ops->available == NULL) /* needs only what a single process knows */
            names[count++] = ops->name;
    }
    names[count++] = steal;
    names[count++] = last_first;
    names[count] = NULL;
    return known;
}

static int parse_steal(const char *text, struct strategy *strategy,
                       struct error *err)
{
    int code =
        spec_parse("scheme", text, steal, steal_params, &strategy->spec, err);
    if (code != 0)
        return code;
    strategy->steals = true;
    strategy->piece = strategy->spec.value[0].integer;
    return 0;
}

static int parse_last_first(const char *text, struct strategy *strategy,
                            struct error *err)
{
    static const struct spec_param none[] = {{0}};
    struct spec single;
    int code =
        spec_parse("scheme", text, last_first, none, &strategy->spec, err);
    strategy->last_first = true;
    return code != 0 ? code : sched_parse("ss", &strategy->ops, &single, err);
}

bool strategy_by_cost(const struct strategy *strategy)
{
    return strategy->ops != NULL &&
           (sched_flags(strategy->ops, &strategy->spec) & SCHED_NEEDS_COST) !=
               0;
}

static int check_costs(const struct strategy *strategy, int64_t iterations,
                       struct error *err)
{
    if (iterations <= STRATEGY_COSTS_MAX)
        return 0;
    return error_set(err, ENOTSUP,
                     "%s keeps the costs of up to %d iterations, this loop has "
                     "%lld",
                     strategy->text, STRATEGY_COSTS_MAX, (long long)iterations);
}

/* A table has all chunks at once. */
static int check_ordered(const struct strategy *strategy,
                         const struct sched_loop *loop, struct error *err)
{
    int64_t chunks = strategy->ops->order_room(loop, &strategy->spec);
    if (chunks <= SCHED_TABLE_STEPS_MAX)
        return 0;
    return error_set(err, ENOTSUP,
                     "%s: more than %lld chunks of %lld iterations",
                     strategy->text, (long long)SCHED_TABLE_STEPS_MAX,
                     (long long)loop->iterations);
}

bool strategy_keeps_order(const struct strategy *strategy)
{
    return !strategy->steals && !strategy->last_first &&
           strategy->ops->order == NULL &&
           !(sched_flags(strategy->ops, &strategy->spec) & SCHED_PRIMED);
}

static int check_steal(int64_t iterations, struct error *err)
{
    if (iterations <= STEAL_ITERATIONS_MAX)
        return 0;
    return error_set(err, ENOTSUP,
                     "steal is for loops of up to %lld iterations, this one "
                     "has %lld",
                     (long long)STEAL_ITERATIONS_MAX, (long long)iterations);
}

int strategy_check(const struct strategy *strategy, int64_t iterations,
                   int threads, struct error *err)
{
    const struct sched_loop loop = {.iterations = iterations,
                                    .workers = threads};
    struct sched sched;
    if (strategy->steals)
        return check_steal(iterations, err);
    if (strategy_by_cost(strategy))
        return check_costs(strategy, iterations, err);
    int code = sched_check(strategy->ops, &strategy->spec, &loop, 1, err);
    if (code == 0 && strategy->ops->order != NULL)
        return check_ordered(strategy, &loop, err);
    if (code != 0)
        return code;
    void *memory = malloc(sched_bytes(strategy->ops, &loop));
    if (memory == NULL)
        return error_set(err, ENOMEM, "%s: out of memory", strategy->text);
    code = sched_init(&sched, memory, strategy->ops, &strategy->spec, &loop, 1,
                      err);
    free(memory);
    return code;
}

int strategy_parse(const char *text, struct strategy *strategy,
                   struct error *err)
{
    const char *names[NAMES_MAX];
    char name[SPEC_NAME_MAX];
    *strategy = (struct strategy){0};
    int code = spec_name("scheme", text, name, err);
    if (code != 0)
        return code;
    if (!is_known(name, names))
        return nearest_unknown(err, name, names, "dlsbench list schemes",
                               "scheme '%s' is unknown", name);
    if (strcmp(name, steal) == 0)
        code = parse_steal(text, strategy, err);
    else if (strcmp(name, last_first) == 0)
        code = parse_last_first(text, strategy, err);
    else
        code = sched_parse(text, &strategy->ops, &strategy->spec, err);
    if (code == 0 && strategy->ops != NULL && strategy->ops->available != NULL)
        code =
            error_set(err, EINVAL,
                      "scheme %s counts the processes in run queues, which are "
                      "not known to the loops of another program",
                      strategy->spec.canonical);
    if (code == 0)
        memcpy(strategy->text, strategy->spec.canonical,
               sizeof(strategy->text));
    return code;
}
