#include "bench/campaign/campaign_keys.h"

#include "base/nearest.h"
#include "base/text.h"
#include "bench/campaign/campaign.h"
#include "bench/campaign/policy.h"
#include "harness/cell/cell_field.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

int campaign_name_check(const char *name, struct error *err)
{
    size_t length = strlen(name);
    bool good = length > 0 && length < CAMPAIGN_NAME_MAX && name[0] != '.';
    for (size_t i = 0; good && i < length; i++)
        good = name[i] >= ' ' && name[i] <= '~' && name[i] != '/';
    if (good)
        return 0;
    return error_set(err, EINVAL,
                     "name: '%.80s' cannot name a folder, allowed are up to %d "
                     "printable ASCII characters, without / and not first a "
                     "dot",
                     name, CAMPAIGN_NAME_MAX - 1);
}

/* Besides the policy. */
static const char *const own_keys[] = {"name",   "seed",  "cell_time",
                                       "speeds", "depth", NULL};

bool campaign_key_is_scalar(const char *key)
{
    for (int i = 0; own_keys[i] != NULL; i++)
        if (text_is(own_keys[i], key))
            return true;
    for (int i = 0; policy_keys[i] != NULL; i++)
        if (text_is(policy_keys[i], key))
            return true;
    return false;
}

bool campaign_key_is_field(const char *key)
{
    return cell_field_find(key) != NULL;
}

void campaign_key_names(enum campaign_keys where,
                        const char *names[CAMPAIGN_KEYS_MAX])
{
    int n = 0;
    if (where != CAMPAIGN_KEYS_CELL) {
        for (int i = 0; own_keys[i] != NULL; i++)
            names[n++] = own_keys[i];
        for (int i = 0; policy_keys[i] != NULL; i++)
            names[n++] = policy_keys[i];
    }
    if (where == CAMPAIGN_KEYS_ALL) {
        names[n++] = "cells";
        names[n++] = "overrides";
    }
    cell_field_names(names + n);
}

int campaign_key_unknown(const char *key, enum campaign_keys where,
                         struct error *err)
{
    const char *names[CAMPAIGN_KEYS_MAX];
    if (where != CAMPAIGN_KEYS_ALL &&
        (text_is(key, "cells") || text_is(key, "overrides")))
        return error_set(err, EINVAL,
                         "%s is a part of a campaign file and cannot be set: "
                         "set what its cells have, e.g. scheme=[ss, gss]",
                         key);
    campaign_key_names(where, names);
    return nearest_unknown(err, key, names, "dlsbench list keys",
                           "unknown key '%s'", key);
}
