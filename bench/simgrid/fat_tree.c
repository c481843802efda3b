#include "bench/simgrid/fat_tree.h"

#include "base/file.h"
#include "harness/process/need.h"

#include <ctype.h>
#ifdef WITH_EXPAT
#include <expat.h>
#endif
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* More hosts than any platform has. */
enum { MOST_HOSTS = 1 << 24 };

/* ---- the cluster in the file ---- */

#ifdef WITH_EXPAT

struct finder {
    XML_Parser parser;
    struct fat_tree *tree;
    bool seen, wrong;
};

/* Declarations may change anything, text is not a platform's. */
static void refuse_section(void *finder)
{
    ((struct finder *)finder)->wrong = true;
}

static void refuse_declarations(void *finder, const char *name,
                                const char *system, const char *public,
                                int declarations)
{
    (void)name, (void)system, (void)public;
    ((struct finder *)finder)->wrong |= declarations;
}

static void refuse_text(void *finder, const char *text, int length)
{
    while (length > 0 && isspace((unsigned char)text[length - 1]))
        length--;
    ((struct finder *)finder)->wrong |= length > 0;
}

/* Values with characters written otherwise ("&#48;") are not read. */
static bool is_plain(const char *tag, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (tag[i] == '&' || !isascii((unsigned char)tag[i]))
            return false;
    return true;
}

static bool read_cluster(struct fat_tree *tree, const char **attributes)
{
    const char *topology = "";
    size_t count = 0;
    while (attributes[count] != NULL)
        count++;
    tree->attributes = need_zeroed(count + 1, sizeof(*tree->attributes));
    for (size_t i = 0; i < count; i++)
        tree->attributes[i] = need_copy(attributes[i]);
    for (size_t i = 0; i < count; i += 2) {
        const char *name = tree->attributes[i],
                   *value = tree->attributes[i + 1];
        if (strchr(value, '"') != NULL)
            return false;
        if (strcmp(name, "radical") == 0)
            tree->radical = value;
        else if (strcmp(name, "prefix") == 0)
            tree->prefix = value;
        else if (strcmp(name, "suffix") == 0)
            tree->suffix = value;
        else if (strcmp(name, "topo_parameters") == 0)
            tree->parameters = value;
        else if (strcmp(name, "topology") == 0)
            topology = value;
    }
    return strcmp(topology, "FAT_TREE") == 0;
}

/* Other hosts, links, routes and files make it uncuttable. */
static void read_element(void *data, const char *name, const char **attributes)
{
    struct finder *finder = data;
    struct fat_tree *tree = finder->tree;
    if (strcmp(name, "cluster") != 0) {
        finder->wrong |=
            strcmp(name, "platform") != 0 && strcmp(name, "zone") != 0 &&
            strcmp(name, "config") != 0 && strcmp(name, "prop") != 0;
        return;
    }
    size_t length = (size_t)XML_GetCurrentByteCount(finder->parser);
    tree->from = (size_t)XML_GetCurrentByteIndex(finder->parser);
    tree->to = tree->from + length - 1;
    if (tree->text[tree->to - 1] == '/')
        tree->to--;
    finder->wrong |= finder->seen ||
                     !is_plain(tree->text + tree->from, length) ||
                     !read_cluster(tree, attributes);
    finder->seen = true;
}

static bool find_cluster(struct fat_tree *tree)
{
    struct finder finder = {.parser = XML_ParserCreate(NULL), .tree = tree};
    if (finder.parser == NULL)
        need_failed();
    XML_SetUserData(finder.parser, &finder);
    XML_SetStartElementHandler(finder.parser, read_element);
    XML_SetCharacterDataHandler(finder.parser, refuse_text);
    XML_SetStartCdataSectionHandler(finder.parser, refuse_section);
    XML_SetStartDoctypeDeclHandler(finder.parser, refuse_declarations);
    bool whole = XML_Parse(finder.parser, tree->text, (int)strlen(tree->text),
                           1) == XML_STATUS_OK;
    XML_ParserFree(finder.parser);
    return whole && finder.seen && !finder.wrong;
}

#else

static bool find_cluster(struct fat_tree *tree)
{
    (void)tree;
    return false;
}

#endif

/* ---- the cluster's numbers ---- */

/* Digits only, as SimGrid writes numbers into names. */
static bool read_number(const char **at, int *number)
{
    size_t length = strspn(*at, "0123456789");
    if (length == 0 || length > 8 || (length > 1 && **at == '0'))
        return false;
    *number = atoi(*at);
    *at += length;
    return true;
}

static bool skip_sign(const char **at, char sign)
{
    bool is_there = **at == sign;
    *at += is_there;
    return is_there;
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
    const char *at = tree->radical;
    int64_t room = 0;
    do {
        int first, last;
        if (!read_number(&at, &first))
            return false;
        last = first;
        if (skip_sign(&at, '-') && !read_number(&at, &last))
            return false;
        if (!add_numbers(tree, &room, first, last))
            return false;
    } while (skip_sign(&at, ','));
    return *at == '\0';
}

/* "levels;children,...;parents,...;links,...": the number of hosts is the
 * product of all levels' children.  SimGrid refuses errors after them. */
static bool read_children(struct fat_tree *tree)
{
    const char *at = tree->parameters;
    int levels, children = 0;
    if (!read_number(&at, &levels) || levels == 0 || !skip_sign(&at, ';'))
        return false;
    long below = 1;
    for (int i = 0; i < levels; i++) {
        if (i > 0 && !skip_sign(&at, ','))
            return false;
        below *= i > 0 ? children : 1;
        tree->children = at;
        if (!read_number(&at, &children) || children == 0 ||
            below * children > tree->hosts)
            return false;
    }
    tree->behind_children = at;
    tree->whole = (int)below;
    return *at == ';' && below * children == tree->hosts;
}

/* Whether names are in the order of their numbers under strverscmp: a number
 * must begin and end where SimGrid puts it. */
static bool names_ascend(const struct fat_tree *tree)
{
    size_t length = strlen(tree->prefix);
    return !(length > 0 && isdigit((unsigned char)tree->prefix[length - 1])) &&
           !isdigit((unsigned char)tree->suffix[0]);
}

/* ---- the whole file ---- */

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
    *tree = (struct fat_tree){read_text(path), .radical = "", .parameters = "",
                              .prefix = "", .suffix = ""};
    if (tree->text != NULL && find_cluster(tree) && read_radical(tree) &&
        read_children(tree) && names_ascend(tree))
        return true;
    fat_tree_free(tree);
    return false;
}

void fat_tree_free(struct fat_tree *tree)
{
    for (char **value = tree->attributes; value != NULL && *value != NULL;
         value++)
        free(*value);
    free(tree->attributes);
    free(tree->text);
    free(tree->number);
    *tree = (struct fat_tree){.text = NULL};
}

bool fat_tree_name(const struct fat_tree *tree, int i, char *name, size_t size)
{
    int length = snprintf(name, size, "%s%d%s", tree->prefix, tree->number[i],
                          tree->suffix);
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

char *fat_tree_cut(const struct fat_tree *tree, int hosts)
{
    char *text = NULL;
    size_t size;
    FILE *out = need_stream(&text, &size);
    fprintf(out, "%.*s<cluster", (int)tree->from, tree->text);
    for (char **name = tree->attributes; *name != NULL; name += 2) {
        fprintf(out, " %s=\"", name[0]);
        if (name[1] == tree->radical)
            write_radical(out, tree->number, hosts);
        else if (name[1] == tree->parameters)
            fprintf(out, "%.*s%d%s", (int)(tree->children - tree->parameters),
                    tree->parameters, hosts / tree->whole,
                    tree->behind_children);
        else
            fputs(name[1], out);
        fputc('"', out);
    }
    fputs(tree->text + tree->to, out);
    fclose(out);
    return text;
}
