/* The table of fields, their defaults, and how they are set from text. */
#include "harness/cell/cell_field.h"

#include "base/nearest.h"
#include "base/text.h"
#include "harness/cell/binding.h"
#include "harness/process/need.h"
#include "harness/transport/registry/transport_registry.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* ---- setting one field ---- */

/* "a, b, c" of a list, and the nearest, after an unknown name or value. */
static int refuse_unknown(const char *what, const char *value,
                          const char *const *allowed, struct error *err)
{
    return nearest_unknown(err, value, allowed, "", "%s: '%s' is unknown", what,
                           value);
}

static const char *find_listed(const char *const *names, const char *text)
{
    while (*names != NULL && strcmp(*names, text) != 0)
        names++;
    return *names;
}

json_t *cell_texts(void)
{
    json_t *texts = json_object();
    if (texts == NULL)
        need_failed();
    return texts;
}

const char *cell_keep(const struct cell *cell, const char *text)
{
    if (cell->texts == NULL)
        return text;
    if (json_object_get(cell->texts, text) == NULL &&
        json_object_set_new_nocheck(cell->texts, text, json_true()) != 0)
        need_failed();
    return json_object_iter_key(json_object_iter_at(cell->texts, text));
}

int cell_field_set_text(struct cell *cell, const struct cell_field *field,
                        const char *value, struct error *err)
{
    const char *names[CELL_NAMES_MAX];
    const char *const *choices =
        field->names != NULL ? field->names(field, names) : field->choices;
    const char **at = cell_field_at(cell, field->offset);
    const char *listed = find_listed(choices, value);
    if (choices[0] != NULL && listed == NULL)
        return refuse_unknown(field->name, value, choices, err);
    long wrong = text_wrong_byte(value);
    if (wrong >= 0)
        return error_set(err, EINVAL,
                         "%s: '%.200s': byte %ld is a control character or not "
                         "UTF-8, which results could not hold",
                         field->name, value, wrong + 1);
    if (strlen(value) >= field->size)
        return error_set(err, EINVAL,
                         "%s: the value is longer than %zu characters",
                         field->name, field->size - 1);
    *at = listed != NULL ? listed : cell_keep(cell, value);
    return 0;
}

static int set_switch(struct cell *cell, const struct cell_field *field,
                      const char *value, struct error *err)
{
    static const char *const allowed[] = {"on", "off", "true", "false", NULL};
    if (find_listed(allowed, value) == NULL)
        return refuse_unknown(field->name, value, allowed, err);
    bool on = strcmp(value, "on") == 0 || strcmp(value, "true") == 0;
    *(bool *)cell_field_at(cell, field->offset) = on;
    return 0;
}

static int set_whole(struct cell *cell, const struct cell_field *field,
                     const char *value, struct error *err)
{
    int64_t number, most = field->most > 0 ? (int64_t)field->most : INT64_MAX;
    if (spec_integer(value, &number) != 0 || number < (int64_t)field->least ||
        number > most) {
        char limit[32] = "";
        if (field->most > 0)
            snprintf(limit, sizeof(limit), " to %.0f", field->most);
        return error_set(err, EINVAL, "%s: '%s' must be a number from %.0f%s",
                         field->name, value, field->least, limit);
    }
    void *at = cell_field_at(cell, field->offset);
    if (field->kind == CELL_COUNT)
        *(int *)at = (int)number;
    else
        *(int64_t *)at = number;
    return 0;
}

static int set_real(struct cell *cell, const struct cell_field *field,
                    const char *value, struct error *err)
{
    double number;
    if (spec_real(value, &number) != 0 ||
        !(number >= field->least && number <= field->most))
        return error_set(err, EINVAL, "%s: '%s' must be a number from %g to %g",
                         field->name, value, field->least, field->most);
    *(double *)cell_field_at(cell, field->offset) = number;
    return 0;
}

static int set_field(struct cell *cell, const struct cell_field *field,
                     const char *value, struct error *err)
{
    if (field->set != NULL)
        return field->set(cell, value, err);
    switch (field->kind) {
    case CELL_SWITCH:
        return set_switch(cell, field, value, err);
    case CELL_COUNT:
    case CELL_LONG:
        return set_whole(cell, field, value, err);
    case CELL_REAL:
        return set_real(cell, field, value, err);
    default:
        return cell_field_set_text(cell, field, value, err);
    }
}

/* ---- fields with a special form ---- */

static const char *const *name_transports(const struct cell_field *field,
                                          const char *names[CELL_NAMES_MAX])
{
    (void)field;
    return transport_names(names);
}

/* The field belongs to one transport. */
static const char *const *name_choices(const struct cell_field *field,
                                       const char *names[CELL_NAMES_MAX])
{
    return transport_choices(field->name, names);
}

static int set_layout(struct cell *cell, const char *value, struct error *err)
{
    struct cell read = *cell;
    char copy[64];
    snprintf(copy, sizeof(copy), "%s", value);
    char *times = strchr(copy, 'x');
    if (times != NULL)
        *times = '\0';
    if (times == NULL || cell_set(&read, "ranks", copy, NULL) != 0 ||
        cell_set(&read, "threads", times + 1, NULL) != 0)
        return error_set(err, EINVAL,
                         "layout: '%s' must be RANKSxTHREADS, e.g. 2x4", value);
    cell->ranks = read.ranks;
    cell->threads = read.threads;
    return 0;
}

static int set_bind(struct cell *cell, const char *value, struct error *err)
{
    struct topo_binding binding;
    int code = binding_bind_parse(&binding, value, err);
    return code != 0
               ? code
               : cell_field_set_text(cell, &cell_field_table[CELL_FIELD_bind],
                                     value, err);
}

static int set_rank_per(struct cell *cell, const char *value, struct error *err)
{
    enum topo_domain domain;
    int code = binding_domain_parse(&domain, value, err);
    return code != 0
               ? code
               : cell_field_set_text(
                     cell, &cell_field_table[CELL_FIELD_rank_per], value, err);
}

/* A number, or the word for the way to choose it. */
static int set_interval(struct cell *cell, const char *value, struct error *err)
{
    const struct cell_field *choice = &cell_field_table[CELL_FIELD_sync_choice];
    bool word = find_listed(choice->choices, value) != NULL &&
                strcmp(value, "given") != 0;
    int64_t number = 0;
    if (!word && (spec_integer(value, &number) != 0 || number < 1))
        return error_set(err, EINVAL,
                         "sync_interval: '%s' must be a number from 1, auto, "
                         "andronikos or chen-xue",
                         value);
    cell->sync_interval = number;
    return cell_field_set_text(cell, choice, word ? value : "given", err);
}

/* reissue on: a chunk is late after this many times its expected time.  A
 * smaller factor would catch chunks whose core is shared with another
 * process. */
static const double REISSUE_FACTOR = 3, FACTOR_MAX = 1e6;

static int set_reissue(struct cell *cell, const char *value, struct error *err)
{
    double factor;
    if (strcmp(value, "on") == 0 || strcmp(value, "true") == 0)
        factor = REISSUE_FACTOR;
    else if (strcmp(value, "off") == 0 || strcmp(value, "false") == 0)
        factor = 0;
    else if (spec_real(value, &factor) != 0 || !(factor > 0) ||
             factor > FACTOR_MAX)
        return error_set(err, EINVAL,
                         "reissue: '%s' must be on, off or a factor above 0: "
                         "a chunk is late after this many times its "
                         "expected time",
                         value);
    cell->reissue = factor;
    return 0;
}

/* ---- the table ---- */

#define MEMBER(name) (((struct cell *)0)->name)
#define WITH(name) offsetof(struct cell, name)
#define ALWAYS(place) (place)
#define UNUSUAL(place) (HASH_UNUSUAL + (place))
#define FIELD(member, type, ...)                                               \
    {.name = #member,                                                          \
     .kind = _Generic(MEMBER(member),                                          \
         const char *: CELL_TEXT,                                              \
         bool: CELL_SWITCH,                                                    \
         int: CELL_COUNT,                                                      \
         int64_t: CELL_LONG,                                                   \
         double: CELL_REAL),                                                   \
     .offset = offsetof(struct cell, member),                                  \
     .size = sizeof(type),                                                     \
     __VA_ARGS__},
#define ALIAS(alias, ...) {.name = #alias, .kind = CELL_ALIAS, __VA_ARGS__},

const struct cell_field cell_field_table[CELL_FIELDS] = {
#include "harness/cell/cell_fields.def"
};

const struct cell_field *cell_field_find(const char *name)
{
    for (int i = 0; i < CELL_FIELDS; i++)
        if (!cell_field_table[i].made &&
            strcmp(cell_field_table[i].name, name) == 0)
            return &cell_field_table[i];
    return NULL;
}

void cell_field_names(const char *names[CELL_FIELDS + 1])
{
    int count = 0;
    for (int i = 0; i < CELL_FIELDS; i++)
        if (!cell_field_table[i].made)
            names[count++] = cell_field_table[i].name;
    names[count] = NULL;
}

int cell_set(struct cell *cell, const char *field, const char *value,
             struct error *err)
{
    const char *names[CELL_FIELDS + 1];
    const struct cell_field *found = cell_field_find(field);
    if (found != NULL)
        return set_field(cell, found, value, err);
    cell_field_names(names);
    return refuse_unknown("field", field, names, err);
}

static void set_default(struct cell *cell, const struct cell_field *field)
{
    void *at = cell_field_at(cell, field->offset);
    if (field->kind == CELL_TEXT)
        *(const char **)at = "";
    else if (field->kind != CELL_ALIAS)
        memset(at, 0, field->size);
    if (field->fallback != NULL)
        set_field(cell, field, field->fallback, NULL);
}

void cell_defaults(struct cell *cell, json_t *texts)
{
    *cell = (struct cell){.texts = texts};
    for (int i = 0; i < CELL_FIELDS; i++)
        set_default(cell, &cell_field_table[i]);
}

void cell_field_drop(struct cell *cell)
{
    for (int i = 0; i < CELL_FIELDS; i++) {
        const struct cell_field *f = &cell_field_table[i];
        bool absent = f->with != 0 && cell_field_word(cell, f->with)[0] == '\0';
        if (f->asks || absent)
            set_default(cell, f);
    }
}

void policy_defaults(struct policy *policy)
{
    *policy = (struct policy){.repetitions = 10,
                              .repetitions_max = 50,
                              .ci = 0.02,
                              .cell_seconds = 60,
                              .verify_limit = 60,
                              .cell_timeout = 600,
                              .events = "default"};
}
