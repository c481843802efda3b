#include "harness/hierarchy/hierarchy.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int parse_level(const char *text, const char *word, size_t length,
                       struct hierarchy *h, struct error *err)
{
    char *end;
    long fan = strtol(word, &end, 10);
    if (length == 0 || end != word + length || word[0] < '0' || word[0] > '9')
        return error_set(
            err, EINVAL,
            "hierarchy: '%s' is unknown, allowed are flat, a number "
            "of masters (16), several levels (4x16), and node as "
            "last level (node, 4xnode)",
            text);
    if (fan < 1 || fan > 1000000)
        return error_set(err, EINVAL,
                         "hierarchy %s: a level needs 1 to 1000000 masters",
                         text);
    if (h->levels == HIERARCHY_LEVELS_MAX)
        return error_set(err, EINVAL, "hierarchy %s: at most %d levels", text,
                         HIERARCHY_LEVELS_MAX);
    h->fan[h->levels++] = (int)fan;
    return 0;
}

int hierarchy_parse(const char *text, struct hierarchy *out, struct error *err)
{
    struct hierarchy h = {0};
    if (strcmp(text, "flat") == 0) {
        *out = h;
        return 0;
    }
    for (const char *word = text;;) {
        size_t length = strcspn(word, "x");
        if (h.node)
            return error_set(err, EINVAL,
                             "hierarchy %s: node must be the last level", text);
        if (length == 4 && memcmp(word, "node", 4) == 0) {
            h.node = true;
        } else {
            int code = parse_level(text, word, length, &h, err);
            if (code != 0)
                return code;
        }
        if (word[length] == '\0')
            break;
        word += length + 1;
    }
    *out = h;
    return 0;
}

void hierarchy_format(const struct hierarchy *h, char *text, int size)
{
    int used = 0;
    if (h->levels == 0)
        snprintf(text, (size_t)size, h->node ? "node" : "flat");
    for (int i = 0; i < h->levels && used < size; i++)
        used += snprintf(text + used, (size_t)(size - used), "%s%d",
                         i > 0 ? "x" : "", h->fan[i]);
    if (h->levels > 0 && h->node && used < size)
        snprintf(text + used, (size_t)(size - used), "xnode");
}

long hierarchy_leaves(const struct hierarchy *h)
{
    long leaves = 1;
    for (int i = 0; i < h->levels; i++) {
        leaves *= h->fan[i];
        if (leaves > 1000000000L)
            return leaves;
    }
    return leaves;
}

long hierarchy_masters(const struct hierarchy *h)
{
    long level = 1, all = 1;
    for (int i = 0; i < h->levels; i++) {
        level *= h->fan[i];
        all += level;
        if (all > 1000000000L)
            return all;
    }
    return all;
}
