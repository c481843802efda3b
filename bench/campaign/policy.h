/* How a campaign is measured (struct policy), set by name: campaign keys,
 * --set and options all come through here. */
#ifndef BENCH_CAMPAIGN_POLICY_H
#define BENCH_CAMPAIGN_POLICY_H

#include "base/error.h"
#include "harness/cell/cell.h"

/* The names of policy_set, NULL ends the list. */
extern const char *const policy_keys[];

/* Sets one value from text.  Returns 0; -ENOENT when there is no such key
 * (without a text); -EINVAL. */
int policy_set(struct policy *policy, const char *key, const char *value,
               struct error *err);

/* The name of a setting that differs and decides what is measured of a cell;
 * NULL: none.  A cell's time limit and the leave to share cores do not. */
const char *policy_difference(const struct policy *a, const struct policy *b);

#endif
