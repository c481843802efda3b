#include "bench/campaign/policy.h"

#include "bench/options/numbers.h"
#include "harness/counters/counters.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

enum kind { WHOLE, REAL, SWITCH, EVENTS };

struct key {
    enum kind kind;
    size_t offset;
    double min, max;
};

#define KEY(kind, field, min, max)                                             \
    {                                                                          \
        kind, offsetof(struct policy, field), min, max                         \
    }

const char *const policy_keys[] = {
    "repetitions",   "repetitions_max", "ci",    "cell_seconds",
    "verify_limit",  "cell_timeout",    "trace", "save",
    "oversubscribe", "events",          NULL,
};

/* In the order of policy_keys. */
static const struct key keys[] = {
    KEY(WHOLE, repetitions, 1, 1000000),
    KEY(WHOLE, repetitions_max, 1, 1000000),
    KEY(REAL, ci, 0, 1),
    KEY(REAL, cell_seconds, 0, 1e9),
    KEY(REAL, verify_limit, 0, 1e9),
    KEY(REAL, cell_timeout, 0.001, 1e9),
    KEY(SWITCH, trace, 0, 1),
    KEY(SWITCH, save, 0, 1),
    KEY(SWITCH, oversubscribe, 0, 1),
    KEY(EVENTS, events, 0, 0),
};

static int set_switch(const char *key, const char *value, bool *out,
                      struct error *err)
{
    bool on = strcmp(value, "on") == 0 || strcmp(value, "true") == 0;
    bool off = strcmp(value, "off") == 0 || strcmp(value, "false") == 0;
    if (!on && !off)
        return error_set(err, EINVAL, "%s: '%s' is unknown, allowed: on, off",
                         key, value);
    *out = on;
    return 0;
}

static int set_events(struct policy *policy, const char *value,
                      struct error *err)
{
    struct counters_list list;
    int code = counters_parse(value, &list, err);
    if (code == 0 && strlen(value) >= sizeof(policy->events))
        code = error_set(err, EINVAL, "events: longer than %zu characters",
                         sizeof(policy->events) - 1);
    if (code == 0)
        snprintf(policy->events, sizeof(policy->events), "%s", value);
    return code;
}

int policy_set(struct policy *policy, const char *key, const char *value,
               struct error *err)
{
    int i = 0;
    while (policy_keys[i] != NULL && strcmp(policy_keys[i], key) != 0)
        i++;
    if (policy_keys[i] == NULL)
        return -ENOENT;
    char *field = (char *)policy + keys[i].offset;
    if (keys[i].kind == EVENTS)
        return set_events(policy, value, err);
    if (keys[i].kind == SWITCH)
        return set_switch(key, value, (bool *)field, err);
    if (keys[i].kind == REAL)
        return number_real(key, value, keys[i].min, keys[i].max,
                           (double *)field, err);
    int64_t whole = 0;
    int code = number_integer(key, value, (int64_t)keys[i].min,
                              (int64_t)keys[i].max, &whole, err);
    if (code == 0)
        *(int *)field = (int)whole;
    return code;
}

static bool is_equal(const struct key *key, const struct policy *a,
                     const struct policy *b)
{
    const char *x = (const char *)a + key->offset;
    const char *y = (const char *)b + key->offset;
    switch (key->kind) {
    case WHOLE:
        return *(const int *)x == *(const int *)y;
    case REAL:
        return *(const double *)x == *(const double *)y;
    case SWITCH:
        return *(const bool *)x == *(const bool *)y;
    default:
        return strcmp(x, y) == 0;
    }
}

/* Results do not depend on it. */
static bool may_differ(const char *name)
{
    return strcmp(name, "cell_timeout") == 0 ||
           strcmp(name, "oversubscribe") == 0;
}

const char *policy_difference(const struct policy *a, const struct policy *b)
{
    for (int i = 0; policy_keys[i] != NULL; i++)
        if (!may_differ(policy_keys[i]) && !is_equal(&keys[i], a, b))
            return policy_keys[i];
    return NULL;
}
