/* A YAML document with the place of every value. */
#ifndef BENCH_CAMPAIGN_YAML_DOCUMENT_H
#define BENCH_CAMPAIGN_YAML_DOCUMENT_H

#include "base/error.h"
#include "bench/campaign/cross.h"

#include <yaml.h>

/* Campaigns need 4 levels. */
enum { DOCUMENT_DEPTH_MAX = 32 };

struct document {
    const char *path; /* its name in messages */
    yaml_document_t yaml;
};

/* Parses the only document in text; its lists and maps are nested at most
 * DOCUMENT_DEPTH_MAX deep.  Merge keys (<<) are replaced by their contents.
 * Free it with document_free. */
int document_parse(const char *path, const char *text, struct document *doc,
                   struct error *err);
void document_free(struct document *doc);

struct text_place document_place(const struct document *doc,
                                 const yaml_node_t *node);

/* Sets the error "path:line:column: ..." for a node; returns -EINVAL. */
int document_error(const struct document *doc, const yaml_node_t *node,
                   struct error *err, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* The text of a scalar; NULL and an error if it is no scalar or empty. */
const char *document_text(const struct document *doc, const yaml_node_t *node,
                          const char *what, struct error *err);

/* document_text, or a list of texts joined by commas, in text[size]. */
const char *document_list(struct document *doc, yaml_node_t *node,
                          const char *what, char *text, size_t size,
                          struct error *err);

/* Calls `each` for the pairs of a map, in order; stops at the first error.
 * Keys must be texts and, with `unique`, different. */
int document_map(struct document *doc, const yaml_node_t *map, bool unique,
                 int (*each)(void *arg, const char *key,
                             const yaml_node_t *key_node, yaml_node_t *value,
                             struct error *err),
                 void *arg, struct error *err);

#endif
