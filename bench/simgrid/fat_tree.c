#include "bench/simgrid/fat_tree.h"

#include "base/file.h"
#include "harness/program/need.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* More hosts than any platform has. */
enum { MOST_HOSTS = 1 << 24 };

/* ---- the file as elements ---- */

/* What is read; `at` moves on behind it. */
struct reader {
    const char *text;
    size_t at;
};

struct element {
    struct fat_tree_value name;
    bool ends; /* "</name>" */
};

static bool value_is(const char *text, struct fat_tree_value value,
                     const char *word)
{
    return strlen(word) == value.length &&
           strncmp(text + value.at, word, value.length) == 0;
}

static void skip_blanks(struct reader *in)
{
    in->at += strspn(in->text + in->at, " \t\r\n");
}

static bool skip_word(struct reader *in, const char *word)
{
    size_t length = strlen(word);
    if (strncmp(in->text + in->at, word, length) != 0)
        return false;
    in->at += length;
    return true;
}

static bool skip_behind(struct reader *in, const char *end)
{
    const char *found = strstr(in->text + in->at, end);
    if (found == NULL)
        return false;
    in->at = (size_t)(found - in->text) + strlen(end);
    return true;
}

/* Blanks, comments and what stands before the platform; a document type with
 * declarations of its own may change anything. */
static bool skip_between(struct reader *in)
{
    for (;;) {
        skip_blanks(in);
        if (skip_word(in, "<!--")) {
            if (!skip_behind(in, "-->"))
                return false;
        } else if (skip_word(in, "<?")) {
            if (!skip_behind(in, "?>"))
                return false;
        } else if (skip_word(in, "<!DOCTYPE")) {
            in->at += strcspn(in->text + in->at, "[>");
            if (!skip_word(in, ">"))
                return false;
        } else
            return true;
    }
}

static bool read_name(struct reader *in, struct fat_tree_value *name)
{
    *name = (struct fat_tree_value){.at = in->at};
    while (isalnum((unsigned char)in->text[in->at]) ||
           (in->text[in->at] != '\0' && strchr("_-", in->text[in->at]) != NULL))
        in->at++;
    name->length = in->at - name->at;
    return name->length > 0;
}

static bool read_element(struct reader *in, struct element *element)
{
    if (!skip_word(in, "<"))
        return false;
    element->ends = skip_word(in, "/");
    return read_name(in, &element->name);
}

/* The next attribute; false: there is none, which is no error. */
static bool read_attribute(struct reader *in, struct fat_tree_value *name,
                           struct fat_tree_value *value)
{
    skip_blanks(in);
    if (!read_name(in, name))
        return false;
    skip_blanks(in);
    if (!skip_word(in, "="))
        return false;
    skip_blanks(in);
    char quote[2] = {in->text[in->at], '\0'};
    if (quote[0] != '"' && quote[0] != '\'')
        return false;
    value->at = ++in->at;
    value->length = strcspn(in->text + in->at, quote);
    in->at += value->length;
    return skip_word(in, quote);
}

static bool read_end(struct reader *in)
{
    skip_blanks(in);
    skip_word(in, "/");
    return skip_word(in, ">");
}

/* ---- the cluster ---- */

/* Its attributes that matter here. */
struct cluster {
    struct fat_tree_value radical, prefix, suffix, topology, parameters;
    bool seen;
};

/* Returns where the attribute belongs; NULL: nowhere. */
static struct fat_tree_value *
place_of(struct cluster *cluster, const char *text, struct fat_tree_value name)
{
    if (value_is(text, name, "radical"))
        return &cluster->radical;
    if (value_is(text, name, "prefix"))
        return &cluster->prefix;
    if (value_is(text, name, "suffix"))
        return &cluster->suffix;
    if (value_is(text, name, "topology"))
        return &cluster->topology;
    return value_is(text, name, "topo_parameters") ? &cluster->parameters
                                                   : NULL;
}

/* Values with characters written otherwise ("&#48;") are not read. */
static bool read_cluster(struct reader *in, struct cluster *cluster)
{
    struct fat_tree_value name, value;
    if (cluster->seen)
        return false;
    cluster->seen = true;
    while (read_attribute(in, &name, &value)) {
        struct fat_tree_value *place = place_of(cluster, in->text, name);
        if (place == NULL)
            continue;
        if (place->at > 0 ||
            memchr(in->text + value.at, '&', value.length) != NULL)
            return false;
        *place = value;
    }
    return read_end(in);
}

static bool skip_attributes(struct reader *in)
{
    struct fat_tree_value name, value;
    while (read_attribute(in, &name, &value))
        continue;
    return read_end(in);
}

/* No hosts, links, routes and files beside the cluster. */
static bool may_stand_beside(const char *text, struct fat_tree_value name)
{
    return value_is(text, name, "platform") || value_is(text, name, "zone") ||
           value_is(text, name, "config") || value_is(text, name, "prop");
}

static bool find_cluster(const char *text, struct cluster *cluster)
{
    struct reader in = {text, 0};
    struct element element;
    *cluster = (struct cluster){.seen = false};
    for (;;) {
        if (!skip_between(&in))
            return false;
        if (text[in.at] == '\0')
            return cluster->seen &&
                   value_is(text, cluster->topology, "FAT_TREE");
        if (!read_element(&in, &element))
            return false;
        bool is_cluster = value_is(text, element.name, "cluster");
        if (!is_cluster && !may_stand_beside(text, element.name))
            return false;
        if (is_cluster && !element.ends ? !read_cluster(&in, cluster)
                                        : !skip_attributes(&in))
            return false;
    }
}

/* ---- its numbers ---- */

/* Digits only, as SimGrid writes numbers into names. */
static bool read_number(struct reader *in, int *number)
{
    const char *from = in->text + in->at;
    size_t length = strspn(from, "0123456789");
    if (length == 0 || length > 8 || (length > 1 && from[0] == '0'))
        return false;
    *number = atoi(from);
    in->at += length;
    return true;
}

/* One more group of numbers, "7" or "0-15". */
static bool add_numbers(struct fat_tree *tree, int64_t *room, int first,
                        int last)
{
    bool ascend = tree->hosts == 0 || tree->number[tree->hosts - 1] < first;
    if (!ascend || last < first || last - first >= MOST_HOSTS - tree->hosts)
        return false;
    need_room(&tree->number, room, tree->hosts + last - first + 1,
              sizeof(*tree->number));
    while (first <= last)
        tree->number[tree->hosts++] = first++;
    return true;
}

static bool read_radical(struct fat_tree *tree)
{
    struct reader in = {tree->text, tree->radical.at};
    size_t end = tree->radical.at + tree->radical.length;
    int64_t room = 0;
    do {
        int first, last;
        if (!read_number(&in, &first))
            return false;
        last = first;
        if (skip_word(&in, "-") && !read_number(&in, &last))
            return false;
        if (!add_numbers(tree, &room, first, last))
            return false;
    } while (skip_word(&in, ","));
    return in.at == end;
}

/* "levels;children,...;parents,...;links,...": the hosts are the product of the
 * children of all levels.  SimGrid refuses what is wrong behind them. */
static bool read_children(struct fat_tree *tree, struct fat_tree_value from)
{
    struct reader in = {tree->text, from.at};
    int levels, children = 0;
    if (!read_number(&in, &levels) || levels == 0 || !skip_word(&in, ";"))
        return false;
    long below = 1;
    for (int i = 0; i < levels; i++) {
        if (i > 0 && !skip_word(&in, ","))
            return false;
        below *= i > 0 ? children : 1;
        tree->children.at = in.at;
        if (!read_number(&in, &children) || children == 0 ||
            below * children > tree->hosts)
            return false;
    }
    tree->children.length = in.at - tree->children.at;
    tree->whole = (int)below;
    return skip_word(&in, ";") && below * children == tree->hosts;
}

/* Whether names are in the order of their numbers under strverscmp: a number
 * must begin and end where SimGrid puts it. */
static bool names_ascend(const struct fat_tree *tree)
{
    const char *prefix = tree->text + tree->prefix.at;
    const char *suffix = tree->text + tree->suffix.at;
    return !(tree->prefix.length > 0 &&
             isdigit((unsigned char)prefix[tree->prefix.length - 1])) &&
           !(tree->suffix.length > 0 && isdigit((unsigned char)suffix[0]));
}

/* ---- all of it ---- */

static char *read_text(const char *path)
{
    const char *why;
    char *text = NULL;
    size_t room = 0;
    FILE *file = file_open(path, &why);
    if (file == NULL)
        return NULL;
    ssize_t length = getdelim(&text, &room, '\0', file);
    bool whole = length > 0 && feof(file) && !ferror(file);
    fclose(file);
    if (whole && strlen(text) == (size_t)length)
        return text;
    free(text);
    return NULL;
}

bool fat_tree_read(struct fat_tree *tree, const char *path)
{
    struct cluster cluster;
    *tree = (struct fat_tree){.text = read_text(path)};
    if (tree->text != NULL && find_cluster(tree->text, &cluster)) {
        tree->radical = cluster.radical;
        tree->prefix = cluster.prefix;
        tree->suffix = cluster.suffix;
        if (read_radical(tree) && read_children(tree, cluster.parameters) &&
            names_ascend(tree))
            return true;
    }
    fat_tree_free(tree);
    return false;
}

void fat_tree_free(struct fat_tree *tree)
{
    free(tree->text);
    free(tree->number);
    *tree = (struct fat_tree){.text = NULL};
}

bool fat_tree_name(const struct fat_tree *tree, int i, char *name, size_t size)
{
    int length =
        snprintf(name, size, "%.*s%d%.*s", (int)tree->prefix.length,
                 tree->text + tree->prefix.at, tree->number[i],
                 (int)tree->suffix.length, tree->text + tree->suffix.at);
    return length > 0 && (size_t)length < size;
}

int fat_tree_fit(const struct fat_tree *tree, int needed)
{
    int subtrees = (needed + tree->whole - 1) / tree->whole;
    int hosts = (subtrees > 0 ? subtrees : 1) * tree->whole;
    return hosts < tree->hosts ? hosts : tree->hosts;
}

static void write_radical(FILE *out, const int *number, int hosts)
{
    for (int first = 0, next; first < hosts; first = next) {
        for (next = first + 1;
             next < hosts && number[next] == number[next - 1] + 1; next++)
            continue;
        fprintf(out, "%s%d", first > 0 ? "," : "", number[first]);
        if (next > first + 1)
            fprintf(out, "-%d", number[next - 1]);
    }
}

static void write_children(FILE *out, const struct fat_tree *tree, int hosts)
{
    fprintf(out, "%d", hosts / tree->whole);
}

char *fat_tree_cut(const struct fat_tree *tree, int hosts)
{
    const struct fat_tree_value *radical = &tree->radical;
    const struct fat_tree_value *children = &tree->children;
    char *text = NULL;
    size_t size, at = 0;
    FILE *out = need_stream(&text, &size);
    for (int turn = 0; turn < 2; turn++) {
        bool is_radical = (radical->at < children->at) == (turn == 0);
        const struct fat_tree_value *value = is_radical ? radical : children;
        fwrite(tree->text + at, 1, value->at - at, out);
        if (is_radical)
            write_radical(out, tree->number, hosts);
        else
            write_children(out, tree, hosts);
        at = value->at + value->length;
    }
    fputs(tree->text + at, out);
    fclose(out);
    return text;
}
