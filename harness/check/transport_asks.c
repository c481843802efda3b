/* Whether a cell's transport supports the cell's requests, by its rules. */
#include "base/text.h"
#include "harness/check/cell_checks.h"
#include "harness/check/cell_transport.h"
#include "sched/schemes/scheme_registry.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* ---- requests of a cell to its transport ---- */

typedef uint32_t asks;

static asks ask_bit(enum transport_ask ask, bool asked)
{
    return asked ? (asks)1 << ask : 0;
}

static bool scheme_reserves(const struct sched_ops *scheme)
{
    return (scheme->flags & (SCHED_BY_POWER | SCHED_PRIMED)) != 0;
}

/* The requests of one scheme or two, or of a schedule or a plan in their
 * place. */
static asks asks_of_scheme(const struct setup *setup)
{
    const struct scheme *scheme = &setup->scheme;
    const struct sched_ops *outer = scheme->pair.outer;
    bool schedules =
        setup->transport->rules->refuses[TRANSPORT_SCHEDULE] == NULL;
    if (scheme->kind == SCHEME_SCHEDULE ||
        (schedules && openmp_schedule_named(setup->cell.scheme)))
        return ask_bit(TRANSPORT_SCHEDULE, true);
    bool costs = scheme_needs_costs(scheme);
    bool recosts = text_is(setup->cell.costs, "last");
    asks asked = ask_bit(TRANSPORT_SCHEME, scheme->kind != SCHEME_PLAN);
    if (scheme->kind != SCHEME_PAIR)
        return asked; /* the candidates of auto are checked */
    return asked | ask_bit(TRANSPORT_RESERVING, scheme_reserves(outer)) |
           ask_bit(TRANSPORT_LEARNING,
                   outer->feedback != NULL || (costs && recosts)) |
           ask_bit(TRANSPORT_COSTS, costs || outer->order != NULL) |
           ask_bit(TRANSPORT_TWO, scheme->pair.inner != NULL);
}

static enum transport_ask protocol_of(const struct setup *setup)
{
    return setup->scheme.kind == SCHEME_PLAN   ? TRANSPORT_PLAN
           : setup->kernel->dependence == NULL ? TRANSPORT_INDEPENDENT
                                               : TRANSPORT_DEPENDENT;
}

static asks asks_of(const struct setup *setup)
{
    const struct cell *cell = &setup->cell;
    const struct hierarchy *h = &setup->hierarchy;
    return asks_of_scheme(setup) |
           ask_bit(cell->ranks == 1 ? TRANSPORT_ONE_RANK : TRANSPORT_RANKS,
                   true) |
           ask_bit(TRANSPORT_THREADS, cell->threads > 1) |
           ask_bit(TRANSPORT_SIMULATION, cell->platform[0] != '\0') |
           ask_bit(protocol_of(setup), true) |
           ask_bit(TRANSPORT_NODE, h->node) |
           ask_bit(TRANSPORT_MASTERS, h->levels > 0) |
           ask_bit(TRANSPORT_MIN_CHUNK, cell->min_chunk > 1) |
           ask_bit(TRANSPORT_COLLECT, !text_is(cell->collect, "local")) |
           ask_bit(TRANSPORT_DATA, text_is(cell->data, "sent")) |
           ask_bit(TRANSPORT_REISSUE, cell->reissue > 0);
}

/* ---- refusals ---- */

/* The words of the cell that ask. */
static void say_ask(const struct cell *cell, enum transport_ask ask, char *text,
                    size_t size)
{
    switch (ask) {
    case TRANSPORT_ONE_RANK:
    case TRANSPORT_RANKS:
    case TRANSPORT_THREADS:
        snprintf(text, size, "layout %dx%d", cell->ranks, cell->threads);
        break;
    case TRANSPORT_INDEPENDENT:
    case TRANSPORT_DEPENDENT:
    case TRANSPORT_PLAN:
        snprintf(text, size, "protocol %s", cell->protocol);
        break;
    case TRANSPORT_NODE:
    case TRANSPORT_MASTERS:
        snprintf(text, size, "hierarchy %s", cell->hierarchy);
        break;
    case TRANSPORT_SCHEDULE:
    case TRANSPORT_SCHEME:
    case TRANSPORT_RESERVING:
    case TRANSPORT_LEARNING:
    case TRANSPORT_COSTS:
    case TRANSPORT_TWO:
        snprintf(text, size, "scheme %.200s", cell->scheme);
        break;
    case TRANSPORT_COLLECT:
        snprintf(text, size, "collect %s", cell->collect);
        break;
    default:
        snprintf(text, size, "%s", transport_asks[ask]);
    }
}

/* Names, joined as in "a, b or c"; none: an empty text. */
struct names {
    const char *name[64];
    int count;
};

static void join_names(const struct names *names, const char *before,
                       char *text, size_t size)
{
    size_t used = strlen(text);
    for (int i = 0; i < names->count && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s",
                                 i == 0                  ? before
                                 : i == names->count - 1 ? " or "
                                                         : ", ",
                                 names->name[i]);
}

static bool does_all(const struct transport_rules *rules, asks asked)
{
    for (int ask = 0; ask < TRANSPORT_ASKS; ask++)
        if ((asked >> ask & 1) != 0 && rules->refuses[ask] != NULL)
            return false;
    return true;
}

/* The names of the transports that support all requests. */
static void add_transports(struct names *names, asks asked)
{
    for (int i = 0; transport_list[i] != NULL; i++) {
        const struct transport_rules *rules = transport_list[i]->rules;
        const char *name = rules->of != NULL ? rules->of : rules->name;
        bool again = false;
        for (int n = 0; n < names->count; n++)
            again = again || text_is(names->name[n], name);
        if (!again && does_all(rules, asked))
            names->name[names->count++] = name;
    }
}

/* The schemes that a transport takes by their kinds. */
static void add_schemes(struct names *names, const struct transport_ops *ops)
{
    for (int i = 0; sched_schemes[i] != NULL && names->count < 63; i++) {
        const struct sched_ops *scheme = sched_schemes[i];
        const char *const *refuses = ops->rules->refuses;
        if ((refuses[TRANSPORT_RESERVING] == NULL ||
             !scheme_reserves(scheme)) &&
            (refuses[TRANSPORT_LEARNING] == NULL || scheme->feedback == NULL) &&
            (refuses[TRANSPORT_COSTS] == NULL ||
             (scheme->flags & SCHED_NEEDS_COST) == 0))
            names->name[names->count++] = scheme->name;
    }
}

/* For a wrong value of the transport's field: lists its other values and other
 * transports. */
static void say_other_choice(const struct transport_ops *ops,
                             const struct names *transports,
                             enum transport_ask ask, char *text, size_t size)
{
    const struct transport_rules *rules = ops->rules;
    struct names choices = {.count = 0}, others = {.count = 0};
    char before[32];
    for (int i = 0; i < TRANSPORT_CHOICES && rules->choice[i].name; i++)
        if (!text_is(rules->choice[i].name, "auto") &&
            rules->choice[i].refuses[ask] == NULL)
            choices.name[choices.count++] = rules->choice[i].name;
    for (int i = 0; i < transports->count; i++)
        if (!text_is(transports->name[i], rules->name))
            others.name[others.count++] = transports->name[i];
    snprintf(before, sizeof(before), "; use %s ", rules->field);
    join_names(&choices, before, text, size);
    join_names(&others, ", or transport ", text, size);
}

/* The alternatives. */
static void say_instead(const struct transport_ops *ops, asks asked,
                        enum transport_ask ask, char *text, size_t size)
{
    const char *const *refuses = ops->rules->refuses;
    bool kind = ask == TRANSPORT_RESERVING || ask == TRANSPORT_LEARNING ||
                ask == TRANSPORT_COSTS || ask == TRANSPORT_TWO;
    struct names names = {.count = 0};
    text[0] = '\0';
    if (ask == TRANSPORT_NODE || ask == TRANSPORT_MASTERS)
        snprintf(text, size, "; use flat%s",
                 refuses[TRANSPORT_NODE] == NULL ? " or node" : "");
    else if (ask == TRANSPORT_MIN_CHUNK)
        snprintf(text, size, "; use min_chunk 1");
    else if (ask == TRANSPORT_REISSUE)
        reissue_possible(strcpy(text, "; ") + 2, size - 2);
    else if (kind && refuses[ask] != NULL &&
             refuses[TRANSPORT_SCHEME] == NULL) {
        add_schemes(&names, ops);
        join_names(&names, "; use one of ", text, size);
    } else {
        add_transports(&names, asked);
        /* Results may stay; whatever else is refused is a separate question. */
        if (names.count == 0)
            add_transports(&names, asked & ~ask_bit(TRANSPORT_COLLECT,
                                                    ask != TRANSPORT_COLLECT));
        if (names.count == 0 && ops->rules->of == NULL)
            add_transports(&names, ask_bit(ask, true));
        if (refuses[ask] == NULL)
            say_other_choice(ops, &names, ask, text, size);
        else
            join_names(&names, "; use transport ", text, size);
    }
}

void reissue_possible(char *text, size_t size)
{
    struct names names = {.count = 0};
    add_transports(&names, ask_bit(TRANSPORT_REISSUE, true));
    snprintf(text, size, "possible are loops without dependences under ");
    join_names(&names, "transport ", text, size);
    size_t used = strlen(text);
    snprintf(text + used, size - used, " (collect master), hierarchy flat");
}

/* Where the kernel's spec tells how many there are; otherwise the transport
 * refuses them when it is opened. */
static int check_iterations(const struct setup *setup, asks asked,
                            struct error *err)
{
    const struct transport_rules *rules = setup->transport->rules;
    struct names names = {.count = 0};
    char instead[128] = "";
    if (setup->kernel->count == NULL || rules->iterations_max == 0)
        return 0;
    int64_t count = setup->kernel->count(&setup->kernel_spec);
    if (count <= rules->iterations_max)
        return 0;
    add_transports(&names, asked);
    /* Leaves out those with a limit on the loop's length. */
    int kept = 0;
    for (int i = 0; i < names.count; i++)
        if (transport_find(names.name[i])->rules->iterations_max == 0)
            names.name[kept++] = names.name[i];
    names.count = kept;
    join_names(&names, "; use transport ", instead, sizeof(instead));
    return error_set(err, ENOTSUP,
                     "transport %s is for loops of up to %lld iterations, this "
                     "one has %lld%s",
                     rules->name, (long long)rules->iterations_max,
                     (long long)count, instead);
}

int setup_check_transport(struct setup *setup, struct error *err)
{
    const struct transport_ops *ops = setup->transport;
    const char *choice = cell_transport_choice(&setup->cell);
    asks asked = asks_of(setup);
    int code = check_iterations(setup, asked, err);
    for (int ask = 0; code == 0 && ask < TRANSPORT_ASKS; ask++) {
        char what[256], instead[256];
        const char *why = transport_refuses(ops, choice, ask);
        if ((asked >> ask & 1) == 0 || why == NULL)
            continue;
        say_ask(&setup->cell, ask, what, sizeof(what));
        say_instead(ops, asked, ask, instead, sizeof(instead));
        return error_set(err, ENOTSUP, "%s: transport %s%s %s%s", what,
                         setup->cell.transport,
                         ops->rules->of ? " under protocol push" : "", why,
                         instead);
    }
    return code;
}
