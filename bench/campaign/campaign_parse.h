/* A campaign file while it is parsed; only for bench/campaign. */
#ifndef BENCH_CAMPAIGN_CAMPAIGN_PARSE_H
#define BENCH_CAMPAIGN_CAMPAIGN_PARSE_H

#include "bench/campaign/campaign.h"
#include "bench/campaign/yaml_document.h"

/* Blocks of a campaign that run only in some depths: `depth: short` in the
 * campaign (or --set) selects blocks without a depth and those that name it.
 * Without a depth in the campaign all blocks run. */
struct depth {
    char asked[64]; /* the campaign's; empty: all blocks */
    bool named;     /* some block names it */
    char all[256];  /* the blocks' depths, for messages */
};

struct campaign_parser {
    struct document doc;
    const struct campaign_setup *setup;
    struct campaign *campaign;
    struct cross top;       /* cell fields for all blocks */
    struct cross overrides; /* override those of the blocks */
    struct cross *into;     /* where fields currently go */
    yaml_node_t *cells, *overridden;
    bool max_given;
    bool time_overridden;  /* cell_time: overrides that of blocks */
    struct sizing *sizing; /* of the current block */
    struct depth depth;
};

/* Reads a cell field with its values into parser->into. */
int parser_read_field(struct campaign_parser *parser, const char *key,
                      const yaml_node_t *key_node, yaml_node_t *value,
                      struct error *err);

/* Reads the list `cells`, after everything else. */
int parser_read_blocks(struct campaign_parser *parser, struct error *err);

/* After all blocks: one of them must have the requested depth. */
int parser_check_depth(const struct campaign_parser *parser, struct error *err);

#endif
