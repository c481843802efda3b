/* The blocks of a campaign: maps of cell fields, each crossed by itself. */
#include "base/text.h"
#include "bench/campaign/campaign_keys.h"
#include "bench/campaign/campaign_parse.h"
#include "bench/options/numbers.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* The value of the key `depth`, or NULL. */
static yaml_node_t *find_value(struct document *doc, const yaml_node_t *block)
{
    const yaml_node_pair_t *pair = block->data.mapping.pairs.start;
    for (; pair < block->data.mapping.pairs.top; pair++) {
        const yaml_node_t *key = yaml_document_get_node(&doc->yaml, pair->key);
        if (key->type == YAML_SCALAR_NODE &&
            text_is((const char *)key->data.scalar.value, "depth"))
            return yaml_document_get_node(&doc->yaml, pair->value);
    }
    return NULL;
}

/* Sets *counts: whether the block runs.  It does if one of its depths is the
 * campaign's, or if the block or the campaign has none. */
static int read_depth(struct depth *depth, struct document *doc,
                      const yaml_node_t *block, bool *counts, struct error *err)
{
    char list[256], words[256], *rest = NULL;
    yaml_node_t *value = find_value(doc, block);
    *counts = true;
    if (value == NULL)
        return 0;
    const char *text =
        document_list(doc, value, "depth", list, sizeof(list), err);
    if (text == NULL)
        return -EINVAL;
    snprintf(words, sizeof(words), "%s", text);
    *counts = depth->asked[0] == '\0';
    for (char *word = strtok_r(words, ", ", &rest); word != NULL;
         word = strtok_r(NULL, ", ", &rest)) {
        size_t used = strlen(depth->all);
        bool asked = text_is(word, depth->asked);
        if (strstr(depth->all, word) == NULL)
            snprintf(depth->all + used, sizeof(depth->all) - used, "%s%s",
                     used > 0 ? ", " : "", word);
        depth->named = depth->named || asked;
        *counts = *counts || asked;
    }
    return 0;
}

int parser_check_depth(const struct campaign_parser *parser, struct error *err)
{
    const struct depth *depth = &parser->depth;
    if (depth->asked[0] == '\0' || depth->named)
        return 0;
    return error_set(err, EINVAL, "%s: depth: no block has '%s', allowed: %s",
                     parser->doc.path, depth->asked,
                     depth->all[0] ? depth->all : "none");
}

static int read_block_time(struct campaign_parser *parser, yaml_node_t *value,
                           struct error *err)
{
    const char *text = document_text(&parser->doc, value, "cell_time", err);
    double seconds = 0;
    if (text == NULL)
        return -EINVAL;
    int code = number_real("cell_time", text, 1e-6, 1e9, &seconds, err);
    if (code != 0)
        return text_place_prefix(err, code,
                                 document_place(&parser->doc, value));
    if (!parser->time_overridden)
        parser->sizing->cell_s = seconds;
    return 0;
}

static int read_block_pair(void *arg, const char *key,
                           const yaml_node_t *key_node, yaml_node_t *value,
                           struct error *err)
{
    struct campaign_parser *parser = arg;
    if (text_is(key, "depth"))
        return 0; /* it was read before */
    if (text_is(key, "cell_time"))
        return read_block_time(parser, value, err);
    if (!campaign_key_is_field(key))
        return text_place_prefix(
            err, campaign_key_unknown(key, CAMPAIGN_KEYS_CELL, err),
            document_place(&parser->doc, key_node));
    return parser_read_field(parser, key, key_node, value, err);
}

/* Crosses one block.  Its fields replace those of the whole file, and overrides
 * replace both. */
static int read_block(struct campaign_parser *parser, yaml_node_t *node,
                      struct error *err)
{
    struct sizing sizing = parser->campaign->sizing;
    struct cross own = {.cores = parser->setup->cores};
    struct cross cross = {.cores = parser->setup->cores,
                          .room = parser->setup->room,
                          .sizing = &sizing,
                          .replayed = parser->setup->replayed};
    bool counts = true;
    if (node->type != YAML_MAPPING_NODE)
        return document_error(&parser->doc, node, err,
                              "cells: each entry is a map of cell fields, "
                              "e.g. {kernel: null, scheme: ss}");
    parser->into = &own;
    parser->sizing = &sizing;
    int code = read_depth(&parser->depth, &parser->doc, node, &counts, err);
    if (code == 0)
        code = document_map(&parser->doc, node, true, read_block_pair, parser,
                            err);
    if (code == 0 && !counts) {
        cross_free(&own);
        return 0;
    }
    if (code == 0)
        code = cross_merge(&cross, &parser->top, err);
    if (code == 0)
        code = cross_merge(&cross, &own, err);
    if (code == 0)
        code = cross_merge(&cross, &parser->overrides, err);
    if (code == 0 && cross_by_nodes(&cross))
        parser->campaign->by_nodes = true;
    if (code == 0)
        code = cross_expand(&cross, document_place(&parser->doc, node),
                            &parser->campaign->all, err);
    cross_free(&own);
    cross_free(&cross);
    return code;
}

int parser_read_blocks(struct campaign_parser *parser, struct error *err)
{
    yaml_node_t *node = parser->cells;
    yaml_node_t *root = yaml_document_get_root_node(&parser->doc.yaml);
    if (node == NULL)
        return document_error(&parser->doc, root, err,
                              "cells is missing, a list of what to measure");
    if (node->type != YAML_SEQUENCE_NODE ||
        node->data.sequence.items.start == node->data.sequence.items.top)
        return document_error(&parser->doc, node, err,
                              "cells: a list is needed, with one entry or "
                              "more, each beginning with '- '");
    const yaml_node_item_t *item = node->data.sequence.items.start;
    for (; item < node->data.sequence.items.top; item++) {
        int code = read_block(
            parser, yaml_document_get_node(&parser->doc.yaml, *item), err);
        if (code != 0)
            return code;
    }
    return 0;
}
