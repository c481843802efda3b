#include "bench/campaign/gain.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int gain_count(const struct campaign *stored, const struct campaign *whole)
{
    int at = 0;
    for (int i = 0; i < stored->hashed; i++, at++) {
        while (at < whole->hashed &&
               strcmp(whole->hashes[at], stored->hashes[i]) < 0)
            at++;
        if (at == whole->hashed ||
            strcmp(whole->hashes[at], stored->hashes[i]) != 0)
            return -1;
    }
    return whole->hashed - stored->hashed;
}

char *gain_text(const struct campaign *whole, uint64_t seed,
                const struct campaign_setup *setup, struct error *err)
{
    char seeded[48], named[CAMPAIGN_NAME_MAX + 8];
    struct campaign again;
    struct campaign_setup with = {.cores = setup->cores,
                                  .room = setup->room,
                                  .sets = 2,
                                  .replayed = setup->replayed};
    snprintf(seeded, sizeof(seeded), "seed=%" PRIu64, seed);
    snprintf(named, sizeof(named), "name=%s", whole->name);
    with.set[0] = seeded;
    with.set[1] = named;
    if (campaign_parse("campaign", whole->text, &with, &again, err) != 0)
        return NULL;
    char *text = again.text;
    again.text = NULL;
    campaign_free(&again);
    return text;
}
