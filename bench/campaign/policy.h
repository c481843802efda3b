/* How a campaign is measured (struct policy), set by name from campaign keys,
 * --set and options. */
#ifndef BENCH_CAMPAIGN_POLICY_H
#define BENCH_CAMPAIGN_POLICY_H

#include "base/error.h"
#include "harness/cell/cell.h"

#include <stddef.h>
#include <stdio.h>

enum policy_kind { POLICY_WHOLE, POLICY_REAL, POLICY_SWITCH, POLICY_EVENTS };

/* A key of policy_set.  Options of `dlsbench run` have - for _. */
struct policy_key {
    const char *name;
    const char *arg; /* name of its value in help; NULL: a switch */
    const char *help;
    enum policy_kind kind;
    size_t offset;
    double min, max;
};

/* Ended by an entry without a name. */
extern const struct policy_key policy_keys[];

/* Sets one value from text.  Returns 0; -ENOENT for an unknown key (without a
 * text); -EINVAL. */
int policy_set(struct policy *policy, const char *key, const char *value,
               struct error *err);

/* Writes all settings as campaign keys, one per line. */
void policy_write(FILE *out, const struct policy *policy);

/* The name of a setting that differs and affects the measurement of a cell;
 * NULL: none.  A cell's time limit and the permission to share cores do not. */
const char *policy_difference(const struct policy *a, const struct policy *b);

#endif
