/* A campaign file while it is read; of bench/campaign only. */
#ifndef BENCH_CAMPAIGN_CAMPAIGN_PARSE_H
#define BENCH_CAMPAIGN_CAMPAIGN_PARSE_H

#include "bench/campaign/campaign.h"
#include "bench/campaign/yaml_document.h"

/* Blocks of a campaign that count in some depths only: `depth: short` in the
 * campaign (or --set) takes those without a depth and those that name it.
 * Without a depth of the campaign all blocks count. */
struct depth {
    char asked[64]; /* by the campaign; empty: all blocks */
    bool named;     /* some block has it */
    char all[256];  /* what blocks have, for messages */
};

struct campaign_parser {
    struct document doc;
    const struct campaign_setup *setup;
    struct campaign *campaign;
    struct cross top;       /* cell fields for all blocks */
    struct cross overrides; /* outdo those of the blocks */
    struct cross *into;     /* where fields go at the moment */
    yaml_node_t *cells, *overridden;
    bool max_given;
    bool time_overridden;  /* cell_time: that of blocks does not count */
    struct sizing *sizing; /* of the block */
    struct depth depth;
};

/* A cell field with its values, into parser->into. */
int parser_read_field(struct campaign_parser *parser, const char *key,
                      const yaml_node_t *key_node, yaml_node_t *value,
                      struct error *err);

/* The list `cells`, after everything else. */
int parser_read_blocks(struct campaign_parser *parser, struct error *err);

/* After all blocks: one of them must have the depth that is asked for. */
int parser_check_depth(const struct campaign_parser *parser, struct error *err);

#endif
