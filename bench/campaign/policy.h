/* How a campaign is measured (struct policy), set by name: campaign keys,
 * --set and options all come through here. */
#ifndef BENCH_CAMPAIGN_POLICY_H
#define BENCH_CAMPAIGN_POLICY_H

#include "base/error.h"
#include "harness/cell/cell.h"

#include <stddef.h>
#include <stdio.h>

enum policy_kind { POLICY_WHOLE, POLICY_REAL, POLICY_SWITCH, POLICY_EVENTS };

/* A key of policy_set.  As an option of `dlsbench run` it has - for _. */
struct policy_key {
    const char *name;
    const char *arg; /* what help calls its value; NULL: a switch */
    const char *help;
    enum policy_kind kind;
    size_t offset;
    double min, max;
};

/* One without a name ends the list. */
extern const struct policy_key policy_keys[];

/* Sets one value from text.  Returns 0; -ENOENT when there is no such key
 * (without a text); -EINVAL. */
int policy_set(struct policy *policy, const char *key, const char *value,
               struct error *err);

/* All settings as keys of a campaign, a line each. */
void policy_write(FILE *out, const struct policy *policy);

/* The name of a setting that differs and decides what is measured of a cell;
 * NULL: none.  A cell's time limit and the leave to share cores do not. */
const char *policy_difference(const struct policy *a, const struct policy *b);

#endif
