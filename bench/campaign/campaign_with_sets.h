/* The text of a campaign as it runs: its file, plus --set. */
#ifndef BENCH_CAMPAIGN_CAMPAIGN_WITH_SETS_H
#define BENCH_CAMPAIGN_CAMPAIGN_WITH_SETS_H

#include "bench/campaign/campaign.h"
#include "bench/campaign/yaml_document.h"

#include <stdio.h>

/* Writes a YAML scalar in single quotes. */
void campaign_text_quote(FILE *out, const char *text);

/* The text of a document with the settings of `setup` as `overrides:`, which
 * runs the same cells.  They become lines at the end if possible; otherwise the
 * whole text is written again, without comments.  The caller frees it; NULL:
 * out of memory. */
char *campaign_text_with_sets(struct document *doc, const char *text,
                              const struct campaign_setup *setup);

#endif
