#include "bench/campaign/campaign_with_sets.h"

#include "base/text.h"
#include "harness/process/need.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Lines at the end are two blanks further in, as in the copies. */
enum { INDENT = 2 };

static const char *value_of(const char *set)
{
    return strchr(set, '=') + 1;
}

/* ---- lines at the end ---- */

/* Whether a line with a key of this map can follow the last of all lines. */
static bool begins_at(struct document *doc, const yaml_node_t *map,
                      size_t column)
{
    const yaml_node_pair_t *pairs = map->data.mapping.pairs.start;
    const yaml_node_t *key =
        pairs < map->data.mapping.pairs.top
            ? yaml_document_get_node(&doc->yaml, pairs->key)
            : NULL;
    return map->type == YAML_MAPPING_NODE &&
           map->data.mapping.style == YAML_BLOCK_MAPPING_STYLE && key != NULL &&
           key->start_mark.column == column;
}

/* The value of the last `overrides`; NULL: none. */
static yaml_node_t *find_overrides(struct document *doc, bool *last)
{
    const yaml_node_t *root = yaml_document_get_root_node(&doc->yaml);
    const yaml_node_pair_t *pair = root->data.mapping.pairs.top;
    *last = true;
    while (pair-- > root->data.mapping.pairs.start) {
        const yaml_node_t *key = yaml_document_get_node(&doc->yaml, pair->key);
        if (strcmp((const char *)key->data.scalar.value, "overrides") == 0)
            return yaml_document_get_node(&doc->yaml, pair->value);
        *last = false;
    }
    return NULL;
}

/* Flow style, another indentation, and `...` leave no place for lines. */
static bool lines_can_follow(struct document *doc,
                             const struct campaign_setup *setup)
{
    bool last;
    const yaml_node_t *map = find_overrides(doc, &last);
    if (!doc->yaml.end_implicit ||
        !begins_at(doc, yaml_document_get_root_node(&doc->yaml), 0))
        return false;
    for (int i = 0; i < setup->sets; i++)
        if (text_wrong_byte(setup->set[i]) >= 0)
            return false;
    return map == NULL || (last && begins_at(doc, map, INDENT));
}

void campaign_text_quote(FILE *out, const char *text)
{
    fputc('\'', out);
    for (; *text != '\0'; text++)
        fputs(*text == '\'' ? "''" : (char[]){*text, '\0'}, out);
    fputc('\'', out);
}

static char *append_lines(struct document *doc, const char *text,
                          const struct campaign_setup *setup)
{
    char *all = NULL;
    size_t size;
    bool last;
    FILE *out = need_stream(&all, &size);
    fputs(text, out);
    if (text[0] != '\0' && text[strlen(text) - 1] != '\n')
        fputc('\n', out);
    if (setup->sets > 0 && find_overrides(doc, &last) == NULL)
        fputs("overrides:\n", out);
    for (int i = 0; i < setup->sets; i++) {
        const char *set = setup->set[i], *value = value_of(set);
        fprintf(out, "%*s%.*s: ", INDENT, "", (int)(value - set - 1), set);
        if (value[0] == '[')
            fputs(value, out);
        else
            campaign_text_quote(out, value);
        fputc('\n', out);
    }
    fclose(out);
    return all;
}

/* ---- written anew ---- */

static int add_text(yaml_document_t *yaml, const char *text, size_t length)
{
    return yaml_document_add_scalar(yaml, NULL, (const yaml_char_t *)text,
                                    (int)length,
                                    YAML_DOUBLE_QUOTED_SCALAR_STYLE);
}

/* A list of --set, which was read before: its items are texts. */
static int add_list(yaml_document_t *yaml, const char *text)
{
    struct document list;
    if (document_parse("--set", text, &list, NULL) != 0)
        return 0;
    const yaml_node_t *from = yaml_document_get_root_node(&list.yaml);
    int to = yaml_document_add_sequence(yaml, NULL, YAML_FLOW_SEQUENCE_STYLE);
    const yaml_node_item_t *item = from->data.sequence.items.start;
    for (; to != 0 && item < from->data.sequence.items.top; item++) {
        const yaml_node_t *node = yaml_document_get_node(&list.yaml, *item);
        int copy = add_text(yaml, (const char *)node->data.scalar.value,
                            node->data.scalar.length);
        if (copy == 0 || !yaml_document_append_sequence_item(yaml, to, copy))
            to = 0;
    }
    document_free(&list);
    return to;
}

static bool add_sets(struct document *doc, const struct campaign_setup *setup)
{
    yaml_document_t *yaml = &doc->yaml;
    bool last;
    const yaml_node_t *there = find_overrides(doc, &last);
    int map =
        there != NULL
            ? (int)(there - yaml->nodes.start) + 1
            : yaml_document_add_mapping(yaml, NULL, YAML_BLOCK_MAPPING_STYLE);
    if (there == NULL) {
        int key = add_text(yaml, "overrides", strlen("overrides"));
        if (map == 0 || key == 0 ||
            !yaml_document_append_mapping_pair(yaml, 1, key, map))
            return false;
    }
    for (int i = 0; i < setup->sets; i++) {
        const char *set = setup->set[i], *value = value_of(set);
        int key = add_text(yaml, set, (size_t)(value - set - 1));
        int to = value[0] == '[' ? add_list(yaml, value)
                                 : add_text(yaml, value, strlen(value));
        if (key == 0 || to == 0 ||
            !yaml_document_append_mapping_pair(yaml, map, key, to))
            return false;
    }
    return true;
}

static int write_piece(void *arg, unsigned char *piece, size_t size)
{
    return fwrite(piece, 1, size, arg) == size;
}

/* The emitter takes the document and frees it. */
static bool emit_document(yaml_document_t *yaml, FILE *out)
{
    yaml_emitter_t emitter;
    if (!yaml_emitter_initialize(&emitter)) {
        yaml_document_delete(yaml);
        return false;
    }
    yaml_emitter_set_output(&emitter, write_piece, out);
    yaml_emitter_set_unicode(&emitter, 1);
    bool good = yaml_emitter_open(&emitter) != 0;
    if (good)
        good = yaml_emitter_dump(&emitter, yaml) != 0 &&
               yaml_emitter_close(&emitter) != 0;
    else
        yaml_document_delete(yaml);
    yaml_emitter_delete(&emitter);
    return good;
}

char *campaign_text_with_sets(struct document *doc, const char *text,
                              const struct campaign_setup *setup)
{
    if (setup->sets == 0 || lines_can_follow(doc, setup))
        return append_lines(doc, text, setup);
    struct document copy;
    char *all = NULL;
    size_t size;
    if (document_parse("campaign", text, &copy, NULL) != 0)
        return NULL;
    FILE *out = need_stream(&all, &size);
    if (!add_sets(&copy, setup)) {
        document_free(&copy);
        fclose(out);
        free(all);
        return NULL;
    }
    bool good = emit_document(&copy.yaml, out);
    good = fclose(out) == 0 && good;
    if (good)
        return all;
    free(all);
    return NULL;
}
