/* Reads a campaign from its text: the pairs of the whole file, then `overrides`
 * and --set, and last the blocks, which need all of these. */
#include "bench/campaign/campaign.h"

#include "base/text.h"
#include "bench/campaign/campaign_keys.h"
#include "bench/campaign/campaign_parse.h"
#include "bench/campaign/campaign_with_sets.h"
#include "bench/campaign/policy.h"
#include "bench/options/numbers.h"
#include "harness/process/need.h"
#include "harness/topo/topo.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* ---- keys ---- */

/* Sets a key with one value for the whole campaign; -ENOENT: another key. */
static int set_scalar(struct campaign_parser *parser, const char *key,
                      const char *text, struct error *err)
{
    struct campaign *campaign = parser->campaign;
    if (text_is(key, "name")) {
        int code = campaign_name_check(text, err);
        if (code == 0)
            snprintf(campaign->name, sizeof(campaign->name), "%s", text);
        campaign->named = true;
        return code;
    }
    if (text_is(key, "seed")) {
        int64_t seed = 0;
        int code = number_integer(key, text, 0, INT64_MAX, &seed, err);
        campaign->seed = (uint64_t)seed;
        campaign->seeded = true;
        return code;
    }
    if (text_is(key, "cell_time"))
        parser->time_overridden = parser->into == &parser->overrides;
    if (text_is(key, "cell_time"))
        return number_real(key, text, 1e-6, 1e9, &campaign->sizing.cell_s, err);
    if (text_is(key, "speeds")) {
        int code = sizing_speeds_check(text, err);
        if (code == 0)
            snprintf(campaign->sizing.speeds, sizeof(campaign->sizing.speeds),
                     "%s", text);
        return code;
    }
    if (text_is(key, "depth")) {
        snprintf(parser->depth.asked, sizeof(parser->depth.asked), "%s", text);
        return 0;
    }
    if (text_is(key, "repetitions_max"))
        parser->max_given = true;
    return policy_set(&campaign->policy, key, text, err);
}

/* ---- fields of cells ---- */

/* The values of one field: a scalar or a list of scalars. */
static int read_values(struct document *doc, struct cross *cross,
                       struct cross_field *field, yaml_node_t *node,
                       const struct text_place *place, struct error *err)
{
    yaml_node_item_t single = 0;
    const yaml_node_item_t *item = &single, *end = &single + 1;
    if (node->type == YAML_SEQUENCE_NODE) {
        item = node->data.sequence.items.start;
        end = node->data.sequence.items.top;
        if (item == end)
            return document_error(doc, node, err, "%s: the list is empty",
                                  field->name);
    }
    for (; item < end; item++) {
        yaml_node_t *value = node->type == YAML_SEQUENCE_NODE
                                 ? yaml_document_get_node(&doc->yaml, *item)
                                 : node;
        const char *text = document_text(doc, value, field->name, err);
        if (text == NULL)
            return -EINVAL;
        int code =
            cross_value_add(cross, field, text,
                            place ? *place : document_place(doc, value), err);
        if (code != 0)
            return code;
    }
    return 0;
}

static int shape_conflict(const struct cross *cross, const char *key)
{
    bool part = text_is(key, "ranks") || text_is(key, "threads");
    for (int i = 0; i < cross->count; i++) {
        const char *name = cross->fields[i].name;
        if ((part && text_is(name, "layout")) ||
            (text_is(key, "layout") &&
             (text_is(name, "ranks") || text_is(name, "threads"))))
            return -EINVAL;
    }
    return 0;
}

int parser_read_field(struct campaign_parser *parser, const char *key,
                      const yaml_node_t *key_node, yaml_node_t *value,
                      struct error *err)
{
    if (shape_conflict(parser->into, key) != 0)
        return document_error(&parser->doc, key_node, err,
                              "%s: layout says ranks and threads, give layout "
                              "or these",
                              key);
    struct cross_field *field = cross_field_add(parser->into, key, err);
    if (field == NULL)
        return text_place_prefix(err, -EINVAL,
                                 document_place(&parser->doc, key_node));
    return read_values(&parser->doc, parser->into, field, value, NULL, err);
}

/* Reads a pair of the whole file or its overrides. */
static int read_pair(void *arg, const char *key, const yaml_node_t *key_node,
                     yaml_node_t *value, struct error *err)
{
    struct campaign_parser *parser = arg;
    bool root = parser->into == &parser->top;
    if (root && (text_is(key, "cells") || text_is(key, "overrides"))) {
        *(text_is(key, "cells") ? &parser->cells : &parser->overridden) = value;
        return 0;
    }
    if (campaign_key_is_field(key))
        return parser_read_field(parser, key, key_node, value, err);
    if (!campaign_key_is_scalar(key))
        return text_place_prefix(
            err,
            campaign_key_unknown(
                key, root ? CAMPAIGN_KEYS_ALL : CAMPAIGN_KEYS_OVERRIDES, err),
            document_place(&parser->doc, key_node));
    char list[sizeof(parser->campaign->policy.events)];
    const char *text =
        text_is(key, "events")
            ? document_list(&parser->doc, value, key, list, sizeof(list), err)
            : document_text(&parser->doc, value, key, err);
    if (text == NULL)
        return -EINVAL;
    int code = set_scalar(parser, key, text, err);
    return code == 0 ? 0
                     : text_place_prefix(err, code,
                                         document_place(&parser->doc, value));
}

/* ---- --set ---- */

static int set_list(struct cross *cross, struct cross_field *field,
                    const char *text, struct text_place place,
                    struct error *err)
{
    struct document doc;
    int code = document_parse(place.origin, text, &doc, err);
    if (code != 0)
        return code;
    code = read_values(&doc, cross, field,
                       yaml_document_get_root_node(&doc.yaml), &place, err);
    document_free(&doc);
    return code;
}

static int read_set(struct campaign_parser *parser, const char *set,
                    struct error *err)
{
    char key[64], origin[80];
    const char *equals = strchr(set, '=');
    if (equals == NULL || equals == set ||
        (size_t)(equals - set) >= sizeof(key))
        return error_set(err, EINVAL,
                         "--set: '%s' must be key=value, e.g. "
                         "--set repetitions=20",
                         set);
    const char *text = equals + 1;
    snprintf(key, sizeof(key), "%.*s", (int)(equals - set), set);
    snprintf(origin, sizeof(origin), "--set %s", key);
    struct text_place place = {.origin = origin};
    if (campaign_key_is_scalar(key)) {
        int code = set_scalar(parser, key, text, err);
        return code == 0 ? 0 : error_prefix(err, code, "--set");
    }
    if (!campaign_key_is_field(key))
        return error_prefix(
            err, campaign_key_unknown(key, CAMPAIGN_KEYS_OVERRIDES, err),
            "--set");
    struct cross_field *field = cross_field_add(&parser->overrides, key, err);
    if (field == NULL)
        return -EINVAL;
    if (text[0] == '[')
        return set_list(&parser->overrides, field, text, place, err);
    return cross_value_add(&parser->overrides, field, text,
                           (struct text_place){.origin = "--set"}, err);
}

/* ---- the whole file ---- */

static int read_root(struct campaign_parser *parser, struct error *err)
{
    struct document *doc = &parser->doc;
    yaml_node_t *root = yaml_document_get_root_node(&doc->yaml);
    if (root->type != YAML_MAPPING_NODE)
        return document_error(doc, root, err,
                              "a campaign is a map, with cells: at least");
    parser->into = &parser->top;
    int code = document_map(doc, root, true, read_pair, parser, err);
    parser->into = &parser->overrides;
    if (code == 0 && parser->overridden != NULL) {
        if (parser->overridden->type != YAML_MAPPING_NODE)
            return document_error(doc, parser->overridden, err,
                                  "overrides: a map is needed");
        code = document_map(doc, parser->overridden, false, read_pair, parser,
                            err);
    }
    for (int i = 0; code == 0 && i < parser->setup->sets; i++)
        code = read_set(parser, parser->setup->set[i], err);
    return code == 0 ? parser_read_blocks(parser, err) : code;
}

static int check_repetitions(struct campaign_parser *parser, struct error *err)
{
    struct policy *policy = &parser->campaign->policy;
    if (policy->repetitions <= policy->repetitions_max)
        return 0;
    if (parser->max_given)
        return error_set(err, EINVAL,
                         "%s: repetitions (%d) are more than repetitions_max "
                         "(%d)",
                         parser->doc.path, policy->repetitions,
                         policy->repetitions_max);
    policy->repetitions_max = policy->repetitions;
    return 0;
}

static int compare_hashes(const void *a, const void *b)
{
    return memcmp(a, b, CELL_HASH_SIZE);
}

/* All cells' hashes in order: the same cells give the same number, however the
 * file that names them is written. */
static uint64_t hash_cells(struct campaign *campaign)
{
    size_t n = (size_t)campaign->all.count;
    char(*hashes)[CELL_HASH_SIZE] = need_zeroed(n, sizeof(*hashes));
    campaign->hashes = hashes;
    campaign->hashed = campaign->all.count;
    for (size_t i = 0; i < n; i++)
        memcpy(hashes[i], campaign->all.cells[i].hash, sizeof(hashes[i]));
    qsort(hashes, n, sizeof(*hashes), compare_hashes);
    return XXH3_64bits(hashes, n * sizeof(*hashes)) >> 1;
}

static int finish_campaign(struct campaign_parser *parser, struct error *err)
{
    struct campaign *campaign = parser->campaign;
    int code = check_repetitions(parser, err);
    if (code == 0)
        code = parser_check_depth(parser, err);
    if (code == 0 && campaign->all.count == 0)
        code = error_set(err, ENOTSUP, "%s: no cell can be replayed: %s",
                         parser->doc.path, campaign->all.skips[0].reason);
    if (code == 0)
        cross_unique(&campaign->all);
    if (code == 0)
        campaign->cells = hash_cells(campaign);
    if (code == 0 && !campaign->seeded)
        campaign->seed = campaign->cells;
    if (code == 0 && !campaign->named) {
        /* The file's name without folder and ending. */
        snprintf(campaign->name, CAMPAIGN_NAME_MAX, "%s",
                 path_last(parser->doc.path));
        char *dot = strrchr(campaign->name, '.');
        if (dot != NULL && dot != campaign->name)
            *dot = '\0';
        code = campaign_name_check(campaign->name, err);
    }
    return code;
}

int campaign_parse(const char *path, const char *text,
                   const struct campaign_setup *setup,
                   struct campaign *campaign, struct error *err)
{
    struct campaign_parser parser = {.setup = setup, .campaign = campaign};
    *campaign = (struct campaign){.all = {.texts = cell_texts()}};
    policy_defaults(&campaign->policy);
    campaign->sizing.cores = setup->cores;
    parser.top.cores = parser.overrides.cores = setup->cores;
    int code = document_parse(path, text, &parser.doc, err);
    if (code != 0) {
        campaign_free(campaign);
        return code;
    }
    code = read_root(&parser, err);
    if (code == 0)
        code = finish_campaign(&parser, err);
    campaign->asked = campaign->policy;
    if (code == 0 && (campaign->text = campaign_text_with_sets(
                          &parser.doc, text, setup)) == NULL)
        code = error_set(err, ENOMEM, "out of memory");
    cross_free(&parser.top);
    cross_free(&parser.overrides);
    document_free(&parser.doc);
    if (code != 0)
        campaign_free(campaign);
    return code;
}

int campaign_look(const char *machine, struct campaign_setup *setup,
                  struct topo_room *room, struct error *err)
{
    struct topo *topo;
    int code = topo_open_other(&topo, machine, NULL, err);
    if (code != 0)
        return code;
    topo_room(topo, room);
    int cores = topo_cores(topo);
    if (setup->cores == 0)
        setup->cores = cores > 2 ? cores : 2;
    setup->room = room;
    topo_close(topo);
    return 0;
}

void campaign_free(struct campaign *campaign)
{
    json_decref(campaign->all.texts);
    cross_result_free(&campaign->all);
    free(campaign->text);
    free(campaign->hashes);
    campaign->text = NULL;
    campaign->hashes = NULL;
}
