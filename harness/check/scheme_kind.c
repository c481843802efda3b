#include "harness/check/scheme_kind.h"
#include "harness/transport/registry/transport_registry.h"

#include "base/nearest.h"
#include "base/text.h"
#include "sched/schemes/scheme_registry.h"

#include <errno.h>
#include <string.h>

static bool known_scheme(const char *name)
{
    for (int i = 0; sched_schemes[i] != NULL; i++)
        if (text_is(name, sched_schemes[i]->name) ||
            (sched_schemes[i]->alias && text_is(name, sched_schemes[i]->alias)))
            return true;
    return false;
}

static int parse_plan(const char *text, struct scheme *scheme,
                      struct error *err)
{
    struct spec spec;
    scheme->kind = SCHEME_PLAN;
    int code = divisible_parse(text, &scheme->plan, &spec, err);
    if (code == 0)
        memcpy(scheme->pair.canonical, spec.canonical, sizeof(spec.canonical));
    return code;
}

/* A special name instead of a scheme: only for a whole cell. */
static const char *not_a_half(const char *half)
{
    return choice_named(half)            ? "a choice among schemes"
           : divisible_named(half)       ? "a plan of the whole loop"
           : known_scheme(half)          ? NULL
           : openmp_schedule_named(half) ? "a schedule of OpenMP"
                                         : NULL;
}

/* The text is not two schemes.  Says so if one half could be a scheme by
 * itself. */
static int refuse_two(const char *text, const struct error *why, int code,
                      struct error *err)
{
    const char *slash = strchr(text, '/');
    char outer[SPEC_CANONICAL_MAX];
    snprintf(outer, sizeof(outer), "%.*s", (int)(slash - text), text);
    const char *half[] = {outer, slash + 1};
    for (int i = 0; i < 2; i++)
        if (not_a_half(half[i]) != NULL)
            return error_set(err, -code,
                             "scheme %.200s: %.200s is %s and cannot be one of "
                             "two schemes, which are written outer/inner, as "
                             "in gss/static",
                             text, half[i], not_a_half(half[i]));
    return error_set(err, -code, "%s", why->text);
}

/* Plans and auto come first, then schemes, then OpenMP's schedules, so `static`
 * is the scheme.  The rest finds the most helpful message. */
int scheme_parse(const char *text, struct scheme *scheme, struct error *err)
{
    static const char *const schedules[] = {"dynamic", "guided", "runtime",
                                            NULL};
    char name[SPEC_NAME_MAX], hint[NEAREST_HINT_MAX];
    struct error why;
    *scheme = (struct scheme){.kind = SCHEME_PAIR};
    if (divisible_named(text))
        return parse_plan(text, scheme, err);
    if (choice_named(text)) {
        scheme->kind = SCHEME_AUTO;
        return choice_parse(text, &scheme->rule, scheme->pair.canonical, err);
    }
    int code = sched_pair_parse(text, &scheme->pair, &why);
    if (code == 0)
        return 0;
    if (openmp_schedule_named(text)) {
        *scheme = (struct scheme){.kind = SCHEME_SCHEDULE};
        return openmp_schedule_parse(text, false, NULL, &scheme->schedule,
                                     scheme->pair.canonical, err);
    }
    if (strchr(text, '/') != NULL)
        return refuse_two(text, &why, code, err);
    if (spec_name("scheme", text, name, NULL) != 0 || known_scheme(name))
        return error_set(err, -code, "%s", why.text);
    if (transport_find(name) != NULL)
        return error_set(err, -code,
                         "scheme: '%s' is a transport: use --transport %s, and "
                         "a scheme that sizes its chunks, such as ss",
                         name, name);
    if (nearest_hint(name, divisible_names, hint)[0] == '\0')
        nearest_hint(name, schedules, hint);
    if (hint[0] == '\0')
        return error_set(err, -code, "%s", why.text);
    return error_set(err, -code,
                     "scheme: unknown name '%s'%s 'dlsbench list schemes' "
                     "lists what there is",
                     name, hint);
}

static bool keeps_knowledge(const struct sched_ops *scheme)
{
    return scheme != NULL && (scheme->flags & SCHED_KEEPS) != 0;
}

bool scheme_keeps(const struct scheme *scheme)
{
    return keeps_knowledge(scheme->pair.outer) ||
           keeps_knowledge(scheme->pair.inner);
}

bool scheme_needs_costs(const struct scheme *scheme)
{
    const struct sched_pair *pair = &scheme->pair;
    unsigned flags = 0;
    if (pair->outer != NULL)
        flags |= sched_flags(pair->outer, &pair->outer_spec);
    if (pair->inner != NULL)
        flags |= sched_flags(pair->inner, &pair->inner_spec);
    return (flags & SCHED_NEEDS_COST) != 0;
}
