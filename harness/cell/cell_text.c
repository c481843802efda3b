/* Texts about cells: their fields as text, as labels, as hashes, and which
 * cells are equal. */
#include "harness/cell/cell_field.h"

#include "base/text.h"
#include "harness/transport/registry/transport_registry.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* ---- one field ---- */

void cell_real_text(double value, char *text, size_t size)
{
    double back = 0;
    snprintf(text, size, "0");
    for (int digits = 1; digits <= 17 && back != value; digits++) {
        snprintf(text, size, "%.*g", digits, value);
        back = strtod(text, NULL);
    }
}

static int64_t whole_of(const struct cell *cell, const struct cell_field *field)
{
    const void *at = cell_field_of(cell, field->offset);
    return field->kind == CELL_COUNT ? *(const int *)at : *(const int64_t *)at;
}

static double real_of(const struct cell *cell, const struct cell_field *field)
{
    return *(const double *)(const void *)cell_field_of(cell, field->offset);
}

static bool switch_of(const struct cell *cell, const struct cell_field *field)
{
    return *(const bool *)cell_field_of(cell, field->offset);
}

/* The word in place of the number; NULL: the number itself. */
static const char *word_of(const struct cell *cell,
                           const struct cell_field *field)
{
    const char *word =
        field->word != 0 ? cell_field_word(cell, field->word) : "given";
    return strcmp(word, "given") != 0 ? word : NULL;
}

/* Numbers not given are empty. */
static void plain_text(const struct cell *cell, const struct cell_field *field,
                       char text[SPEC_CANONICAL_MAX])
{
    bool given = true;
    text[0] = '\0';
    switch (field->kind) {
    case CELL_TEXT:
        snprintf(text, SPEC_CANONICAL_MAX, "%s",
                 cell_field_word(cell, field->offset));
        break;
    case CELL_SWITCH:
        strcpy(text, switch_of(cell, field) ? "on" : "off");
        break;
    case CELL_COUNT:
    case CELL_LONG:
        given = !field->optional || whole_of(cell, field) != 0;
        if (given)
            snprintf(text, SPEC_CANONICAL_MAX, "%" PRId64,
                     whole_of(cell, field));
        break;
    case CELL_REAL:
        given = !field->optional || real_of(cell, field) != 0;
        if (given)
            cell_real_text(real_of(cell, field), text, SPEC_CANONICAL_MAX);
        break;
    case CELL_ALIAS:
        break;
    }
}

void cell_field_text(const struct cell *cell, const struct cell_field *field,
                     char text[SPEC_CANONICAL_MAX])
{
    const char *word = word_of(cell, field);
    if (word != NULL)
        snprintf(text, SPEC_CANONICAL_MAX, "%s", word);
    else
        plain_text(cell, field, text);
}

/* Whether `text` is one of "a|b|c". */
static bool is_among(const char *list, const char *text)
{
    size_t length = strlen(text);
    for (const char *at = list; at != NULL; at = strchr(at, '|')) {
        at += *at == '|';
        if (strcspn(at, "|") == length && strncmp(at, text, length) == 0)
            return true;
    }
    return false;
}

bool cell_as_printed(const struct cell *cell)
{
    return cell->platform[0] != '\0' &&
           strcmp(cell->platform, "this-machine") != 0 &&
           strcmp(cell->platform, "this-cluster") != 0;
}

bool cell_may_prefetch(const struct cell *cell)
{
    const struct transport_ops *ops = transport_find(cell->transport);
    if (ops == NULL || !transport_has_field(ops, "prefetch"))
        return false;
    /* The counter of an rma window is a message away. */
    return !ops->rules->counts_ahead ||
           (strcmp(cell->protocol, "parallel") == 0 &&
            strcmp(cell->hierarchy, "flat") == 0 &&
            strcmp(cell->window, "rma") != 0 && !cell_as_printed(cell));
}

bool cell_field_applies(const struct cell *cell, const struct cell_field *field)
{
    bool absent =
        field->with != 0 && cell_field_word(cell, field->with)[0] == '\0';
    const struct transport_ops *ops = transport_find(cell->transport);
    bool unserved = field->served &&
                    (ops == NULL || !transport_has_field(ops, field->name));
    if (field == &cell_field_table[CELL_FIELD_prefetch])
        unserved = !cell_may_prefetch(cell);
    return !absent && !unserved && field->kind != CELL_ALIAS;
}

bool cell_field_unusual(const struct cell *cell, const struct cell_field *field)
{
    char text[SPEC_CANONICAL_MAX];
    const char *usual = field->usual != NULL         ? field->usual
                        : field->fallback != NULL    ? field->fallback
                        : field->kind == CELL_SWITCH ? "off"
                                                     : "";
    if (!cell_field_applies(cell, field))
        return false;
    cell_field_text(cell, field, text);
    return field->said || (text[0] != '\0' && !is_among(usual, text));
}

/* ---- labels ---- */

static void append_words(char *text, size_t size, const char *more)
{
    size_t used = strlen(text);
    snprintf(text + used, size - used, "%s", more);
}

/* What a replay puts before its platform. */
static const char replayed[] = "replayed, ";

/* A file's name without folder and ending; words, such as those of a replay's
 * costs, as they are. */
static void shorten_value(char *value)
{
    char *file = value + (text_begins(value, replayed) ? strlen(replayed) : 0);
    const char *name = path_last(file);
    if (name == file && strchr(file, ' ') != NULL)
        return;
    memmove(file, name, strlen(name) + 1);
    file[strcspn(file, ".")] = '\0';
}

static void add_words(const struct cell *cell, const struct cell_field *field,
                      char *text, size_t size)
{
    char value[SPEC_CANONICAL_MAX], words[SPEC_CANONICAL_MAX + 64];
    const char *place = strstr(field->words, "%s");
    plain_text(cell, field, value);
    if (field->path)
        shorten_value(value);
    if (place == NULL)
        append_words(text, size, field->words);
    else if (value[0] != '\0') {
        snprintf(words, sizeof(words), "%.*s%s%s", (int)(place - field->words),
                 field->words, value, place + 2);
        append_words(text, size, words);
    }
}

void cell_words(const struct cell *cell, char *text, size_t size)
{
    text[0] = '\0';
    for (int i = 0; i < CELL_FIELDS; i++) {
        const struct cell_field *f = &cell_field_table[i];
        if (f->words != NULL && cell_field_unusual(cell, f))
            add_words(cell, f, text, size);
    }
}

void cell_condition_words(const struct cell *cell, char *text, size_t size)
{
    text[0] = '\0';
    for (int i = 0; i < CELL_FIELDS; i++) {
        const struct cell_field *f = &cell_field_table[i];
        if (f->group == CELL_CONDITIONS && f->words != NULL &&
            cell_field_unusual(cell, f))
            add_words(cell, f, text, size);
    }
}

void cell_simulation_words(const struct cell *cell, char *text, size_t size)
{
    char words[2 * SPEC_CANONICAL_MAX] = "";
    for (int i = 0; i < CELL_FIELDS; i++) {
        const struct cell_field *f = &cell_field_table[i];
        if (f->group == CELL_SIMULATION && f->words != NULL &&
            cell_field_unusual(cell, f))
            add_words(cell, f, words, sizeof(words));
    }
    size_t on = strlen(", on ");
    snprintf(text, size, "%s", strlen(words) > on ? words + on : "");
}

/* ---- comparison ---- */

int cell_field_compare(const struct cell *a, const struct cell *b,
                       const struct cell_field *field)
{
    int64_t i, j;
    double x, y;
    switch (field->kind) {
    case CELL_TEXT:
        return strcmp(cell_field_word(a, field->offset),
                      cell_field_word(b, field->offset));
    case CELL_SWITCH:
        return switch_of(a, field) - switch_of(b, field);
    case CELL_COUNT:
    case CELL_LONG:
        i = whole_of(a, field), j = whole_of(b, field);
        return (i > j) - (i < j);
    case CELL_REAL:
        x = real_of(a, field), y = real_of(b, field);
        return (x > y) - (x < y);
    case CELL_ALIAS:
        break;
    }
    return 0;
}

static int compare_group(const struct cell *a, const struct cell *b,
                         enum cell_group group)
{
    int order = 0;
    for (int i = 0; order == 0 && i < CELL_FIELDS; i++)
        if (cell_field_table[i].group == group)
            order = cell_field_compare(a, b, &cell_field_table[i]);
    return order;
}

int cell_simulation_compare(const struct cell *a, const struct cell *b)
{
    return compare_group(a, b, CELL_SIMULATION);
}

bool cell_same_places(const struct cell *a, const struct cell *b)
{
    return compare_group(a, b, CELL_PLACES) == 0;
}

/* ---- the hash ---- */

static void raw_text(const struct cell *cell, const struct cell_field *field,
                     char text[SPEC_CANONICAL_MAX])
{
    const char *word = word_of(cell, field);
    if (field->kind == CELL_SWITCH)
        strcpy(text, switch_of(cell, field) ? "1" : "0");
    else if (field->kind == CELL_REAL)
        snprintf(text, SPEC_CANONICAL_MAX, "%.17g", real_of(cell, field));
    else if (field->kind == CELL_TEXT || word != NULL)
        cell_field_text(cell, field, text);
    else
        snprintf(text, SPEC_CANONICAL_MAX, "%" PRId64, whole_of(cell, field));
}

static void add_hashed(const struct cell *cell, const struct cell_field *field,
                       char *text, size_t size)
{
    char raw[SPEC_CANONICAL_MAX];
    bool named = field->hash > HASH_UNUSUAL && !field->bare;
    raw_text(cell, field, raw);
    if (text[0] != '\0')
        append_words(text, size, "|");
    if (named || (field->bare && field->kind == CELL_SWITCH))
        append_words(text, size, field->name);
    if (named)
        append_words(text, size, " ");
    if (!field->bare || field->kind != CELL_SWITCH)
        append_words(text, size, raw);
}

void cell_hash(struct cell *cell)
{
    char text[8192] = "";
    const struct cell_field *at[HASH_MAX] = {NULL};
    for (int i = 0; i < CELL_FIELDS; i++)
        if (cell_field_table[i].hash > 0)
            at[cell_field_table[i].hash] = &cell_field_table[i];
    for (int i = 0; i < HASH_MAX; i++) {
        const struct cell_field *f = at[i];
        bool absent = f == NULL || (f->with != 0 &&
                                    cell_field_word(cell, f->with)[0] == '\0');
        if (!absent && (i < HASH_UNUSUAL || cell_field_unusual(cell, f)))
            add_hashed(cell, f, text, sizeof(text));
    }
    snprintf(cell->hash, sizeof(cell->hash), "%016" PRIx64,
             (uint64_t)XXH3_64bits(text, strlen(text)));
}
