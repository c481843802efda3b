/* The keys of a campaign file. */
#ifndef BENCH_CAMPAIGN_CAMPAIGN_KEYS_H
#define BENCH_CAMPAIGN_CAMPAIGN_KEYS_H

#include "base/error.h"

#include <stdbool.h>

/* Whether a name can be the name of a folder.  Returns 0 or -EINVAL. */
int campaign_name_check(const char *name, struct error *err);

/* Whether the key has one value for the whole campaign: name, seed, depth, the
 * keys for sizes by time, and the policy keys. */
bool campaign_key_is_scalar(const char *key);

/* Whether the key is a field of cells. */
bool campaign_key_is_field(const char *key);

/* Where a key stands: each place allows all keys of the one before it, and
 * more. */
enum campaign_keys {
    CAMPAIGN_KEYS_CELL,      /* cell fields */
    CAMPAIGN_KEYS_OVERRIDES, /* overrides: and --set: also name, seed, policy */
    CAMPAIGN_KEYS_ALL        /* the file: also cells and overrides */
};

/* The keys allowed at a place, ended by NULL. */
enum { CAMPAIGN_KEYS_MAX = 112 };
void campaign_key_names(enum campaign_keys where,
                        const char *names[CAMPAIGN_KEYS_MAX]);

/* The help sentence of a key; NULL: unknown key. */
const char *campaign_key_help(const char *key);

/* The error for an unknown key.  Returns -EINVAL. */
int campaign_key_unknown(const char *key, enum campaign_keys where,
                         struct error *err);

#endif
