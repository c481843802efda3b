/* The text of a campaign as it runs: its file, with --set. */
#ifndef BENCH_CAMPAIGN_CAMPAIGN_WITH_SETS_H
#define BENCH_CAMPAIGN_CAMPAIGN_WITH_SETS_H

#include "bench/campaign/campaign.h"
#include "bench/campaign/yaml_document.h"

#include <stdio.h>

/* Writes a scalar of YAML in single quotes. */
void campaign_text_quote(FILE *out, const char *text);

/* The text of a document, with the settings of `setup` as `overrides:`: a
 * campaign that runs the same cells.  They become lines at its end if possible;
 * otherwise the whole text is written anew, without comments.  The caller
 * frees; NULL: out of memory. */
char *campaign_text_with_sets(struct document *doc, const char *text,
                              const struct campaign_setup *setup);

#endif
