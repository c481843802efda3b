#include "dls/way.h"

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
        if (ops->available == NULL) /* a single process knows what it needs */
            names[count++] = ops->name;
    }
    names[count++] = steal;
    names[count++] = last_first;
    names[count] = NULL;
    return known;
}

static int parse_steal(const char *text, struct way *way, struct error *err)
{
    int code = spec_parse("scheme", text, steal, steal_params, &way->spec, err);
    if (code != 0)
        return code;
    way->steals = true;
    way->piece = way->spec.value[0].integer;
    return 0;
}

static int parse_last_first(const char *text, struct way *way,
                            struct error *err)
{
    static const struct spec_param none[] = {{0}};
    struct spec single;
    int code = spec_parse("scheme", text, last_first, none, &way->spec, err);
    way->last_first = true;
    return code != 0 ? code : sched_parse("ss", &way->ops, &single, err);
}

static int check_possible(const struct way *way, struct error *err)
{
    if (way->ops == NULL || way->ops->available == NULL)
        return 0;
    return error_set(err, EINVAL,
                     "scheme %s counts the processes in run queues, which are "
                     "not known to the loops of another program",
                     way->spec.canonical);
}

bool way_by_cost(const struct way *way)
{
    return way->ops != NULL &&
           (sched_flags(way->ops, &way->spec) & SCHED_NEEDS_COST) != 0;
}

static int check_costs(const struct way *way, int64_t iterations,
                       struct error *err)
{
    if (iterations <= WAY_COSTS_MAX)
        return 0;
    return error_set(err, ENOTSUP,
                     "%s keeps the costs of up to %d iterations, this loop has "
                     "%lld",
                     way->text, WAY_COSTS_MAX, (long long)iterations);
}

/* A table has all chunks at once. */
static int check_ordered(const struct way *way, const struct sched_loop *loop,
                         struct error *err)
{
    int64_t chunks = way->ops->order_room(loop, &way->spec);
    if (chunks <= SCHED_TABLE_STEPS_MAX)
        return 0;
    return error_set(
        err, ENOTSUP, "%s: more than %lld chunks of %lld iterations", way->text,
        (long long)SCHED_TABLE_STEPS_MAX, (long long)loop->iterations);
}

bool way_keeps_order(const struct way *way)
{
    return !way->steals && !way->last_first && way->ops->order == NULL &&
           !(sched_flags(way->ops, &way->spec) & SCHED_PRIMED);
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

int way_check(const struct way *way, int64_t iterations, int threads,
              struct error *err)
{
    const struct sched_loop loop = {.iterations = iterations,
                                    .workers = threads};
    struct sched sched;
    if (way->steals)
        return check_steal(iterations, err);
    if (way_by_cost(way))
        return check_costs(way, iterations, err);
    int code = sched_check(way->ops, &way->spec, &loop, 1, err);
    if (code == 0 && way->ops->order != NULL)
        return check_ordered(way, &loop, err);
    if (code != 0)
        return code;
    void *memory = malloc(sched_bytes(way->ops, &loop));
    if (memory == NULL)
        return error_set(err, ENOMEM, "%s: out of memory", way->text);
    code = sched_init(&sched, memory, way->ops, &way->spec, &loop, 1, err);
    free(memory);
    return code;
}

int way_parse(const char *text, struct way *way, struct error *err)
{
    const char *names[NAMES_MAX];
    char name[SPEC_NAME_MAX];
    *way = (struct way){0};
    int code = spec_name("scheme", text, name, err);
    if (code != 0)
        return code;
    if (!is_known(name, names))
        return nearest_unknown(err, name, names, "dlsbench list schemes",
                               "scheme '%s' is unknown", name);
    if (strcmp(name, steal) == 0)
        code = parse_steal(text, way, err);
    else if (strcmp(name, last_first) == 0)
        code = parse_last_first(text, way, err);
    else
        code = sched_parse(text, &way->ops, &way->spec, err);
    if (code == 0)
        code = check_possible(way, err);
    if (code == 0)
        memcpy(way->text, way->spec.canonical, sizeof(way->text));
    return code;
}
