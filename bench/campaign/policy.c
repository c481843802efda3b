#include "bench/campaign/policy.h"

#include "bench/campaign/campaign_with_sets.h"
#include "bench/options/numbers.h"
#include "harness/counters/counters.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#define KEY(kind, field, min, max, arg, help)                                  \
    {                                                                          \
#field, arg, help, POLICY_##kind, offsetof(struct policy, field), min, \
            max                                                                \
    }

const struct policy_key policy_keys[] = {
    KEY(WHOLE, repetitions, 1, 1000000, "N",
        "measure at least this often (10)"),
    KEY(WHOLE, repetitions_max, 1, 1000000, "N",
        "measure at most this often (50)"),
    KEY(REAL, ci, 0, 1, "X",
        "stop when the median is known within this share of it (0.02)"),
    KEY(REAL, cell_seconds, 0, 1e9, "S",
        "stop a cell's repetitions after this many seconds (60)"),
    KEY(REAL, verify_limit, 0, 1e9, "S",
        "check a sample if the serial loop takes longer than S seconds (60)"),
    KEY(REAL, cell_timeout, 0.001, 1e9, "S",
        "give a cell up after this many seconds (600)"),
    KEY(SWITCH, trace, 0, 1, NULL, "record who ran which chunk when"),
    KEY(SWITCH, save, 0, 1, NULL,
        "write what each cell computed as a picture (mandelbrot, "
        "floyd-steinberg), by one more repetition"),
    KEY(SWITCH, oversubscribe, 0, 1, NULL, "continue when workers share cores"),
    KEY(EVENTS, events, 0, 0, "E,...",
        "counters of each worker: default, none or names, see dlsbench list "
        "events"),
    {.name = NULL},
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
    const struct policy_key *k = policy_keys;
    while (k->name != NULL && strcmp(k->name, key) != 0)
        k++;
    if (k->name == NULL)
        return -ENOENT;
    char *field = (char *)policy + k->offset;
    if (k->kind == POLICY_EVENTS)
        return set_events(policy, value, err);
    if (k->kind == POLICY_SWITCH)
        return set_switch(key, value, (bool *)field, err);
    if (k->kind == POLICY_REAL)
        return number_real(key, value, k->min, k->max, (double *)field, err);
    int64_t whole = 0;
    int code = number_integer(key, value, (int64_t)k->min, (int64_t)k->max,
                              &whole, err);
    if (code == 0)
        *(int *)field = (int)whole;
    return code;
}

void policy_write(FILE *out, const struct policy *policy)
{
    for (const struct policy_key *key = policy_keys; key->name; key++) {
        const char *field = (const char *)policy + key->offset;
        fprintf(out, "%s: ", key->name);
        if (key->kind == POLICY_WHOLE)
            fprintf(out, "%d", *(const int *)field);
        else if (key->kind == POLICY_REAL)
            fprintf(out, "%.17g", *(const double *)field);
        else if (key->kind == POLICY_SWITCH)
            fputs(*(const bool *)field ? "on" : "off", out);
        else
            campaign_text_quote(out, field);
        fputc('\n', out);
    }
}

static bool is_equal(const struct policy_key *key, const struct policy *a,
                     const struct policy *b)
{
    const char *x = (const char *)a + key->offset;
    const char *y = (const char *)b + key->offset;
    switch (key->kind) {
    case POLICY_WHOLE:
        return *(const int *)x == *(const int *)y;
    case POLICY_REAL:
        return *(const double *)x == *(const double *)y;
    case POLICY_SWITCH:
        return *(const bool *)x == *(const bool *)y;
    default:
        return strcmp(x, y) == 0;
    }
}

const char *policy_difference(const struct policy *a, const struct policy *b)
{
    for (const struct policy_key *key = policy_keys; key->name != NULL; key++)
        if (strcmp(key->name, "cell_timeout") != 0 &&
            strcmp(key->name, "oversubscribe") != 0 && !is_equal(key, a, b))
            return key->name;
    return NULL;
}
