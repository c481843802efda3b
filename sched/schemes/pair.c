#include "sched/schemes/pair.h"
#include "sched/schemes/scheme_registry.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* How schemes are found. */
struct finder {
    sched_parse_fn *parse;
    const void *arg;
};

static int parse_half(const struct finder *finder, const char *which,
                      const char *half, const char *text,
                      const struct sched_ops **ops, struct spec *spec,
                      struct error *err)
{
    int code = finder->parse(finder->arg, half, ops, spec, err);
    if (code != 0)
        return error_prefix(err, code, "scheme %.200s, %s", text, which);
    if ((*ops)->available != NULL)
        return error_set(err, EINVAL,
                         "scheme %s: %s counts with the available powers of "
                         "single workers and cannot be one of two schemes: use "
                         "one that counts with powers, as dtss",
                         text, (*ops)->name);
    return 0;
}

static int parse_two(const struct finder *finder, const char *text,
                     const char *slash, struct sched_pair *pair,
                     struct error *err)
{
    char outer[SPEC_CANONICAL_MAX];
    if (strlen(text) >= sizeof(outer))
        return error_set(err, EINVAL, "scheme: the text is too long");
    snprintf(outer, sizeof(outer), "%.*s", (int)(slash - text), text);
    if (slash == text || slash[1] == '\0' || strchr(slash + 1, '/') != NULL)
        return error_set(
            err, EINVAL,
            "scheme %s: two schemes are written outer/inner, as in gss/static",
            text);
    int code = parse_half(finder, "outer", outer, text, &pair->outer,
                          &pair->outer_spec, err);
    if (code == 0)
        code = parse_half(finder, "inner", slash + 1, text, &pair->inner,
                          &pair->inner_spec, err);
    if (code != 0)
        return code;
    int length =
        snprintf(pair->canonical, sizeof(pair->canonical), "%s/%s",
                 pair->outer_spec.canonical, pair->inner_spec.canonical);
    return length < (int)sizeof(pair->canonical)
               ? 0
               : error_set(err, EINVAL, "scheme: the text is too long");
}

int sched_pair_parse_by(sched_parse_fn *parse, const void *arg,
                        const char *text, struct sched_pair *pair,
                        struct error *err)
{
    const struct finder finder = {parse, arg};
    struct sched_pair parsed = {0};
    const char *slash = strchr(text, '/');
    int code;
    if (slash != NULL) {
        code = parse_two(&finder, text, slash, &parsed, err);
    } else {
        code = parse(arg, text, &parsed.outer, &parsed.outer_spec, err);
        if (code == 0)
            strcpy(parsed.canonical, parsed.outer_spec.canonical);
    }
    if (code == 0)
        *pair = parsed;
    return code;
}

static int parse_built_in(const void *arg, const char *text,
                          const struct sched_ops **ops, struct spec *spec,
                          struct error *err)
{
    (void)arg;
    return sched_parse(text, ops, spec, err);
}

int sched_pair_parse(const char *text, struct sched_pair *pair,
                     struct error *err)
{
    return sched_pair_parse_by(parse_built_in, NULL, text, pair, err);
}

bool sched_pair_learns(const struct sched_pair *pair)
{
    return pair->outer->feedback != NULL ||
           (pair->inner != NULL && pair->inner->feedback != NULL);
}
