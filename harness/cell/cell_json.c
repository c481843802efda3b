/* Cells as JSON objects, in plans and in results. */
#include "harness/cell/cell_field.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* ---- writing ---- */

static json_t *value_of(const struct cell *cell, const struct cell_field *field)
{
    const void *at = cell_field_of(cell, field->offset);
    int64_t whole = 0;
    double real = 0;
    switch (field->kind) {
    case CELL_TEXT:
        return json_string(*(const char *const *)at);
    case CELL_SWITCH:
        return json_boolean(*(const bool *)at);
    case CELL_REAL:
        real = *(const double *)at;
        return real == 0 && field->optional ? json_null() : json_real(real);
    default:
        whole =
            field->kind == CELL_COUNT ? *(const int *)at : *(const int64_t *)at;
        return whole == 0 && field->optional ? json_null()
                                             : json_integer(whole);
    }
}

static bool is_absent(const struct cell *cell, const struct cell_field *field)
{
    return field->asks || field->kind == CELL_ALIAS ||
           (field->with != 0 && cell_field_word(cell, field->with)[0] == '\0');
}

json_t *cell_to_json(const struct cell *cell)
{
    json_t *object = json_object();
    json_object_set_new(object, "cell", json_string(cell->hash));
    for (int i = 0; i < CELL_FIELDS; i++)
        if (!is_absent(cell, &cell_field_table[i]))
            json_object_set_new(object, cell_field_table[i].name,
                                value_of(cell, &cell_field_table[i]));
    return object;
}

/* ---- reading ---- */

static int read_whole(const json_t *value, const struct cell_field *field,
                      void *at, struct error *err)
{
    json_int_t number = json_integer_value(value);
    bool none = json_is_null(value) && field->optional;
    if (!none && (!json_is_integer(value) || number < (int64_t)field->least ||
                  (field->most > 0 && (double)number > field->most)))
        return error_set(err, EINVAL, "cell: '%s' must be a number from %.0f",
                         field->name, field->least);
    if (field->kind == CELL_COUNT)
        *(int *)at = (int)number;
    else
        *(int64_t *)at = number;
    return 0;
}

static int read_value(const json_t *value, const struct cell_field *field,
                      struct cell *cell, struct error *err)
{
    void *at = cell_field_at(cell, field->offset);
    switch (field->kind) {
    case CELL_TEXT:
        if (!json_is_string(value))
            return error_set(err, EINVAL, "cell: the field '%s' is missing",
                             field->name);
        return cell_field_set_text(cell, field, json_string_value(value), err);
    case CELL_SWITCH:
        if (!json_is_boolean(value))
            return error_set(err, EINVAL, "cell: '%s' must be true or false",
                             field->name);
        *(bool *)at = json_is_true(value);
        return 0;
    case CELL_REAL:
        if (value != NULL && !json_is_number(value) && !json_is_null(value))
            return error_set(err, EINVAL, "cell: '%s' must be a number or null",
                             field->name);
        *(double *)at = json_number_value(value);
        return 0;
    default:
        return read_whole(value, field, at, err);
    }
}

int cell_from_json(const json_t *object, json_t *texts, struct cell *cell,
                   struct error *err)
{
    struct cell read;
    cell_defaults(&read, texts);
    for (int i = 0; i < CELL_FIELDS; i++) {
        const struct cell_field *field = &cell_field_table[i];
        const json_t *value = json_object_get(object, field->name);
        bool optional = field->with != 0 && value == NULL;
        if (optional || field->asks || field->kind == CELL_ALIAS)
            continue;
        int code = read_value(value, field, &read, err);
        if (code != 0)
            return code;
    }
    *cell = read;
    return 0;
}

void cell_from_row(const json_t *line, json_t *texts, struct cell *cell)
{
    cell_defaults(cell, texts);
    for (int i = 0; i < CELL_FIELDS; i++) {
        const struct cell_field *field = &cell_field_table[i];
        const json_t *value = json_object_get(line, field->name);
        if (value != NULL && !field->asks && field->kind != CELL_ALIAS)
            read_value(value, field, cell, NULL);
    }
}
