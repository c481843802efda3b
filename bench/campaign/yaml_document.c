#include "bench/campaign/yaml_document.h"

#include "harness/process/need.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static int parser_error(const char *path, const yaml_parser_t *parser,
                        struct error *err)
{
    return error_set(
        err, EINVAL, "%s:%zu:%zu: not YAML: %s%s%s", path,
        parser->problem_mark.line + 1, parser->problem_mark.column + 1,
        parser->problem ? parser->problem : "unreadable",
        parser->context ? " " : "", parser->context ? parser->context : "");
}

/* After the first document there must be no other. */
static int check_end(struct document *doc, yaml_parser_t *parser,
                     struct error *err)
{
    yaml_document_t next;
    if (!yaml_parser_load(parser, &next))
        return parser_error(doc->path, parser, err);
    bool more = yaml_document_get_root_node(&next) != NULL;
    size_t line = next.start_mark.line + 1;
    yaml_document_delete(&next);
    if (more)
        return error_set(err, EINVAL,
                         "%s:%zu:1: a second document begins, one is allowed",
                         doc->path, line);
    return 0;
}

static void begin_parser(yaml_parser_t *parser, const char *text)
{
    yaml_parser_set_input_string(parser, (const unsigned char *)text,
                                 strlen(text));
}

/* Checks the depth before the document is built, because the parser's time for
 * a bracket grows with the number of open ones.  This also finds syntax
 * errors. */
static int check_depth(const char *path, const char *text, struct error *err)
{
    yaml_parser_t parser;
    yaml_event_t event;
    int code = 0, depth = 0;
    bool more = true;
    if (!yaml_parser_initialize(&parser))
        need_failed();
    begin_parser(&parser, text);
    while (more && yaml_parser_parse(&parser, &event)) {
        depth += event.type == YAML_SEQUENCE_START_EVENT ||
                 event.type == YAML_MAPPING_START_EVENT;
        depth -= event.type == YAML_SEQUENCE_END_EVENT ||
                 event.type == YAML_MAPPING_END_EVENT;
        if (depth > DOCUMENT_DEPTH_MAX)
            code = error_set(
                err, EINVAL,
                "%s:%zu:%zu: lists and maps are nested deeper than %d "
                "levels",
                path, event.start_mark.line + 1, event.start_mark.column + 1,
                DOCUMENT_DEPTH_MAX);
        more = code == 0 && event.type != YAML_STREAM_END_EVENT;
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
    return code;
}

/* ---- merge keys (<<), which libyaml does not resolve ---- */

/* More keys than any map of a campaign may have. */
enum { MERGED_MAX = 128 };

static yaml_node_pair_t *find_key(struct document *doc, const yaml_node_t *map,
                                  const yaml_node_t *key)
{
    yaml_node_pair_t *p = map->data.mapping.pairs.start;
    for (; p < map->data.mapping.pairs.top; p++) {
        const yaml_node_t *own = yaml_document_get_node(&doc->yaml, p->key);
        if (own->type == YAML_SCALAR_NODE && key->type == YAML_SCALAR_NODE &&
            own->data.scalar.length == key->data.scalar.length &&
            memcmp(own->data.scalar.value, key->data.scalar.value,
                   key->data.scalar.length) == 0)
            return p;
    }
    return NULL;
}

static yaml_node_pair_t *find_merge(struct document *doc,
                                    const yaml_node_t *map)
{
    yaml_node_pair_t *p = map->data.mapping.pairs.start;
    for (; p < map->data.mapping.pairs.top; p++) {
        const yaml_node_t *key = yaml_document_get_node(&doc->yaml, p->key);
        if (key->type == YAML_SCALAR_NODE &&
            key->data.scalar.style == YAML_PLAIN_SCALAR_STYLE &&
            strcmp((const char *)key->data.scalar.value, "<<") == 0)
            return p;
    }
    return NULL;
}

static int resolve_merges(struct document *doc, int map, int depth,
                          struct error *err);

/* Adds the pairs whose keys the map lacks. */
static int add_pairs(struct document *doc, int map, int from, int depth,
                     struct error *err)
{
    const yaml_node_t *source = yaml_document_get_node(&doc->yaml, from);
    if (source->type != YAML_MAPPING_NODE)
        return document_error(doc, source, err,
                              "<<: a map or a list of maps is needed, as "
                              "<<: *name");
    int code = resolve_merges(doc, from, depth + 1, err);
    for (int i = 0; code == 0; i++) {
        /* Both may have moved. */
        const yaml_node_t *to = yaml_document_get_node(&doc->yaml, map);
        const yaml_node_pair_t *p = source->data.mapping.pairs.start + i;
        if (p >= source->data.mapping.pairs.top)
            return 0;
        yaml_node_pair_t pair = *p;
        if (find_key(doc, to, yaml_document_get_node(&doc->yaml, pair.key)))
            continue;
        if (to->data.mapping.pairs.top - to->data.mapping.pairs.start >=
            MERGED_MAX)
            return document_error(
                doc, to, err, "<<: the map has more than %d keys", MERGED_MAX);
        if (!yaml_document_append_mapping_pair(&doc->yaml, map, pair.key,
                                               pair.value))
            need_failed();
    }
    return code;
}

/* Adds the pairs of a map's merge keys to it, and removes the merge keys: the
 * map's keys have precedence, then those of the first map with them. */
static int resolve_merges(struct document *doc, int map, int depth,
                          struct error *err)
{
    yaml_node_t *node = yaml_document_get_node(&doc->yaml, map);
    yaml_node_pair_t *p;
    int code = 0;
    while (code == 0 && (p = find_merge(doc, node)) != NULL) {
        int value = p->value;
        const yaml_node_t *from = yaml_document_get_node(&doc->yaml, value);
        memmove(p, p + 1,
                (size_t)(node->data.mapping.pairs.top - p - 1) * sizeof(*p));
        node->data.mapping.pairs.top--;
        if (depth > DOCUMENT_DEPTH_MAX)
            return document_error(doc, node, err,
                                  "<<: merged maps merge others, deeper than "
                                  "%d levels",
                                  DOCUMENT_DEPTH_MAX);
        if (from->type != YAML_SEQUENCE_NODE) {
            code = add_pairs(doc, map, value, depth, err);
            continue;
        }
        const yaml_node_item_t *item = from->data.sequence.items.start;
        for (; code == 0 && item < from->data.sequence.items.top; item++)
            code = add_pairs(doc, map, *item, depth, err);
    }
    return code;
}

static int resolve_all(struct document *doc, struct error *err)
{
    int code = 0;
    for (int i = 1; code == 0; i++) {
        const yaml_node_t *node = yaml_document_get_node(&doc->yaml, i);
        if (node == NULL)
            return 0;
        if (node->type == YAML_MAPPING_NODE)
            code = resolve_merges(doc, i, 0, err);
    }
    return code;
}

int document_parse(const char *path, const char *text, struct document *doc,
                   struct error *err)
{
    int code = check_depth(path, text, err);
    if (code != 0)
        return code;
    yaml_parser_t parser;
    if (!yaml_parser_initialize(&parser))
        need_failed();
    begin_parser(&parser, text);
    doc->path = path;
    if (!yaml_parser_load(&parser, &doc->yaml)) {
        code = parser_error(path, &parser, err);
    } else {
        if (yaml_document_get_root_node(&doc->yaml) == NULL)
            code = error_set(err, EINVAL, "%s:1:1: the file is empty", path);
        else
            code = check_end(doc, &parser, err);
        if (code == 0)
            code = resolve_all(doc, err);
        if (code != 0)
            yaml_document_delete(&doc->yaml);
    }
    yaml_parser_delete(&parser);
    return code;
}

void document_free(struct document *doc)
{
    yaml_document_delete(&doc->yaml);
}

struct text_place document_place(const struct document *doc,
                                 const yaml_node_t *node)
{
    return (struct text_place){.origin = doc->path,
                               .line = (int)node->start_mark.line + 1,
                               .column = (int)node->start_mark.column + 1};
}

int document_error(const struct document *doc, const yaml_node_t *node,
                   struct error *err, const char *format, ...)
{
    char text[sizeof(err->text)];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    error_set(err, EINVAL, "%s", text);
    return text_place_prefix(err, -EINVAL, document_place(doc, node));
}

const char *document_text(const struct document *doc, const yaml_node_t *node,
                          const char *what, struct error *err)
{
    if (node->type != YAML_SCALAR_NODE) {
        document_error(doc, node, err, "%s: a single value is needed", what);
        return NULL;
    }
    const char *text = (const char *)node->data.scalar.value;
    if (node->data.scalar.length != strlen(text)) {
        document_error(doc, node, err, "%s: the value has a zero byte", what);
        return NULL;
    }
    /* power: "" is a value; `power:` with nothing after it is an oversight */
    if (text[0] == '\0' && node->data.scalar.style == YAML_PLAIN_SCALAR_STYLE) {
        document_error(doc, node, err, "%s: the value is missing", what);
        return NULL;
    }
    return text;
}

const char *document_list(struct document *doc, yaml_node_t *node,
                          const char *what, char *text, size_t size,
                          struct error *err)
{
    if (node->type != YAML_SEQUENCE_NODE)
        return document_text(doc, node, what, err);
    yaml_node_item_t *item = node->data.sequence.items.start;
    size_t used = 0;
    text[0] = '\0';
    for (; item < node->data.sequence.items.top; item++) {
        yaml_node_t *value = yaml_document_get_node(&doc->yaml, *item);
        const char *word = document_text(doc, value, what, err);
        if (word == NULL)
            return NULL;
        used += (size_t)snprintf(text + used, size - used, "%s%s",
                                 used > 0 ? "," : "", word);
        if (used >= size) {
            document_error(doc, value, err,
                           "%s: the list is longer than %zu "
                           "characters",
                           what, size - 1);
            return NULL;
        }
    }
    return text;
}

static int check_unique(struct document *doc, const yaml_node_t *map,
                        const yaml_node_pair_t *pair, const char *key,
                        struct error *err)
{
    const yaml_node_pair_t *p = map->data.mapping.pairs.start;
    for (; p < pair; p++) {
        yaml_node_t *node = yaml_document_get_node(&doc->yaml, p->key);
        if (strcmp((const char *)node->data.scalar.value, key) == 0)
            return document_error(doc,
                                  yaml_document_get_node(&doc->yaml, pair->key),
                                  err, "%s is given twice, first in line %zu",
                                  key, node->start_mark.line + 1);
    }
    return 0;
}

int document_map(struct document *doc, const yaml_node_t *map, bool unique,
                 int (*each)(void *arg, const char *key,
                             const yaml_node_t *key_node, yaml_node_t *value,
                             struct error *err),
                 void *arg, struct error *err)
{
    const yaml_node_pair_t *p = map->data.mapping.pairs.start;
    for (; p < map->data.mapping.pairs.top; p++) {
        yaml_node_t *key_node = yaml_document_get_node(&doc->yaml, p->key);
        yaml_node_t *value = yaml_document_get_node(&doc->yaml, p->value);
        const char *key = document_text(doc, key_node, "key", err);
        if (key == NULL)
            return -EINVAL;
        int code = unique ? check_unique(doc, map, p, key, err) : 0;
        if (code == 0)
            code = each(arg, key, key_node, value, err);
        if (code != 0)
            return code;
    }
    return 0;
}
