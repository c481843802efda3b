#include "sched/schemes/scheme_registry.h"

#include "base/nearest.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define SCHEME(name) extern const struct sched_ops sched_##name##_ops;
#include "sched/schemes/schemes.def"
#undef SCHEME

const struct sched_ops *const sched_schemes[] = {
#define SCHEME(name) &sched_##name##_ops,
#include "sched/schemes/schemes.def"
#undef SCHEME
    NULL,
};

enum { SCHEMES = sizeof(sched_schemes) / sizeof(sched_schemes[0]) - 1 };

static const struct sched_ops *find_scheme(const char *name)
{
    for (int i = 0; i < SCHEMES; i++) {
        const struct sched_ops *ops = sched_schemes[i];
        if (strcmp(ops->name, name) == 0)
            return ops;
        if (ops->alias != NULL && strcmp(ops->alias, name) == 0)
            return ops;
    }
    return NULL;
}

/* All names, aliases included, for the search of the nearest one. */
static void all_names(const char *names[2 * SCHEMES + 1])
{
    int n = 0;
    for (int i = 0; i < SCHEMES; i++) {
        names[n++] = sched_schemes[i]->name;
        if (sched_schemes[i]->alias != NULL)
            names[n++] = sched_schemes[i]->alias;
    }
    names[n] = NULL;
}

/* An alias is the scheme with its defaults and so takes no keys: fac2 is
 * factoring with alpha = 2, fac2:alpha=3 would contradict itself. */
static int alias_with_keys(const struct sched_ops *ops, struct error *err)
{
    return error_set(err, EINVAL,
                     "scheme %s: takes no keys, it is %s with its defaults; "
                     "write %s:%s=",
                     ops->alias, ops->name, ops->name, ops->params[0].key);
}

int sched_parse(const char *text, const struct sched_ops **ops,
                struct spec *spec, struct error *err)
{
    char name[SPEC_NAME_MAX];
    struct spec parsed;
    int code = spec_name("scheme", text, name, err);
    if (code != 0)
        return code;
    const struct sched_ops *found = find_scheme(name);
    if (found == NULL) {
        const char *names[2 * SCHEMES + 1];
        all_names(names);
        return nearest_unknown(err, name, names, "dlsbench list schemes",
                               "scheme: unknown name '%s'", name);
    }
    bool bare = strchr(text, ':') == NULL;
    if (strcmp(name, found->name) != 0 && !bare)
        return alias_with_keys(found, err);
    if (bare && found->bare != NULL)
        text = found->bare;
    code = spec_parse("scheme", text, found->name, found->params, &parsed, err);
    if (code == 0 && found->check != NULL)
        code = found->check(&parsed, err);
    if (code != 0)
        return code;
    if (found->variant != NULL)
        found = found->variant(&parsed);
    *ops = found;
    *spec = parsed;
    return 0;
}
