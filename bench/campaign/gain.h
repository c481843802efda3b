/* A campaign that gained cells since a result directory was made for it. */
#ifndef BENCH_CAMPAIGN_GAIN_H
#define BENCH_CAMPAIGN_GAIN_H

#include "bench/campaign/campaign.h"

/* How many cells `whole` has more than `stored`; -1: it lacks some. */
int gain_count(const struct campaign *stored, const struct campaign *whole);

/* The text of `whole` with this seed and its name, to be stored instead of the
 * old one; free it.  NULL and a text when it cannot be read again. */
char *gain_text(const struct campaign *whole, uint64_t seed,
                const struct campaign_setup *setup, struct error *err);

#endif
