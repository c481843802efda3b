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

/* Keys besides the policy's; the parts come last. */
static const struct {
    const char *name, *help;
    bool part;
} own_keys[] = {
    {"name", "what its results are called (default: as the file)", false},
    {"seed", "of the order of cells and of all that is random", false},
    {"cell_time",
     "seconds that a cell, or each time step of sph and spmv, takes if "
     "nothing is lost, for the sizes strong and weak",
     false},
    {"speeds",
     "of kernels, as adjoint=2e-10: seconds of an operation, for these sizes "
     "(default: as calibrated)",
     false},
    {"depth",
     "a word: blocks of cells with another depth are left out (default: none "
     "is)",
     false},
    {"cells", "a list of blocks, each with keys of a cell; lists are crossed",
     true},
    {"overrides", "keys that replace all above, as --set does", true},
};

enum { OWN_KEYS = sizeof(own_keys) / sizeof(own_keys[0]) };

bool campaign_key_is_scalar(const char *key)
{
    for (int i = 0; i < OWN_KEYS; i++)
        if (!own_keys[i].part && text_is(own_keys[i].name, key))
            return true;
    for (int i = 0; policy_keys[i].name != NULL; i++)
        if (text_is(policy_keys[i].name, key))
            return true;
    return false;
}

const char *campaign_key_help(const char *key)
{
    for (int i = 0; i < OWN_KEYS; i++)
        if (text_is(own_keys[i].name, key))
            return own_keys[i].help;
    for (int i = 0; policy_keys[i].name != NULL; i++)
        if (text_is(policy_keys[i].name, key))
            return policy_keys[i].help;
    const struct cell_field *field = cell_field_find(key);
    return field != NULL ? field->help : NULL;
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
        for (int i = 0; i < OWN_KEYS && !own_keys[i].part; i++)
            names[n++] = own_keys[i].name;
        for (int i = 0; policy_keys[i].name != NULL; i++)
            names[n++] = policy_keys[i].name;
    }
    for (int i = 0; where == CAMPAIGN_KEYS_ALL && i < OWN_KEYS; i++)
        if (own_keys[i].part)
            names[n++] = own_keys[i].name;
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
