#include "harness/record/fields.h"

#include "base/text.h"
#include "harness/record/record.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- writing ---- */

static json_t *value_of(const void *at, const struct record_field *field)
{
    switch (field->kind) {
    case RECORD_TEXT:
        return json_string(at);
    case RECORD_SWITCH:
        return json_boolean(*(const bool *)at);
    case RECORD_CHOICE:
        return json_string(field->words[*(const bool *)at]);
    case RECORD_COUNT:
        return json_integer(*(const int *)at);
    case RECORD_INDEX:
        return *(const int *)at < 0 ? json_null()
                                    : json_integer(*(const int *)at);
    case RECORD_LONG:
        return json_integer(*(const int64_t *)at);
    case RECORD_TALLY:
        return *(const int64_t *)at < 0 ? json_null()
                                        : json_integer(*(const int64_t *)at);
    case RECORD_TIME:
        return *(const double *)at < 0 ? json_null()
                                       : record_real(*(const double *)at);
    default:
        return record_real(*(const double *)at);
    }
}

void record_put(json_t *object, const void *from,
                const struct record_field *fields)
{
    for (const struct record_field *f = fields; f->name != NULL; f++)
        json_object_set_new(object, f->name,
                            from == NULL
                                ? json_null()
                                : value_of((const char *)from + f->offset, f));
}

json_t *record_object(const void *from, const struct record_field *fields)
{
    json_t *object = json_object();
    record_put(object, from, fields);
    return object;
}

json_t *record_list(const void *from, int count, size_t size,
                    const struct record_field *fields)
{
    json_t *list = json_array();
    for (int i = 0; i < count; i++)
        json_array_append_new(
            list, record_object((const char *)from + (size_t)i * size, fields));
    return list;
}

/* ---- reading ---- */

static int take_text(const json_t *value, char *at,
                     const struct record_field *field)
{
    const char *text = json_string_value(value);
    if (text == NULL || strlen(text) >= field->size)
        return -EINVAL;
    memcpy(at, text, strlen(text) + 1);
    return 0;
}

static int take_choice(const json_t *value, bool *at,
                       const struct record_field *field)
{
    const char *text = json_string_value(value);
    if (text == NULL ||
        (!text_is(text, field->words[0]) && !text_is(text, field->words[1])))
        return -EINVAL;
    *at = text_is(text, field->words[1]);
    return 0;
}

static int take_switch(const json_t *value, bool *at)
{
    if (!json_is_boolean(value))
        return -EINVAL;
    *at = json_is_true(value);
    return 0;
}

/* Whether an unknown value is null. */
static bool may_be_null(const struct record_field *field)
{
    return field->kind == RECORD_INDEX || field->kind == RECORD_TALLY ||
           field->kind == RECORD_KNOWN || field->kind == RECORD_TIME;
}

static bool is_unknown(const json_t *value, const struct record_field *field)
{
    return may_be_null(field) &&
           (json_is_null(value) || (value == NULL && field->later));
}

static bool is_within(double number, const struct record_field *field)
{
    return (number > field->least ||
            (number == field->least && !field->above)) &&
           (field->most == 0 || number <= field->most);
}

/* A whole number, or -1 if unknown. */
static int take_whole(const json_t *value, void *at,
                      const struct record_field *field)
{
    bool narrow = field->size == sizeof(int);
    json_int_t number = json_integer_value(value);
    if (is_unknown(value, field))
        number = -1;
    else if (!json_is_integer(value) || !is_within((double)number, field) ||
             (narrow && (number < INT_MIN || number > INT_MAX)))
        return -EINVAL;
    if (narrow)
        *(int *)at = (int)number;
    else
        *(json_int_t *)at = number;
    return 0;
}

static int take_real(const json_t *value, double *at,
                     const struct record_field *field)
{
    double number = json_number_value(value);
    if (is_unknown(value, field))
        number = NAN;
    else if (!json_is_number(value) || !isfinite(number) ||
             !is_within(number, field))
        return -EINVAL;
    *at = number;
    return 0;
}

static int take_value(const json_t *value, void *at,
                      const struct record_field *field)
{
    switch (field->kind) {
    case RECORD_TEXT:
        return take_text(value, at, field);
    case RECORD_SWITCH:
        return take_switch(value, at);
    case RECORD_CHOICE:
        return take_choice(value, at, field);
    case RECORD_COUNT:
    case RECORD_INDEX:
    case RECORD_LONG:
    case RECORD_TALLY:
        return take_whole(value, at, field);
    default:
        return take_real(value, at, field);
    }
}

static int refuse_number(const struct record_field *field, struct error *err)
{
    bool real = field->kind == RECORD_REAL || field->kind == RECORD_KNOWN ||
                field->kind == RECORD_TIME;
    char least[32] = "", most[32] = "";
    if (isfinite(field->least))
        snprintf(least, sizeof(least), " %s %.15g",
                 field->above ? "above" : "from", field->least);
    if (field->most != 0)
        snprintf(most, sizeof(most), " to %.15g", field->most);
    else if (!real && field->size == sizeof(int))
        snprintf(most, sizeof(most), " to %d", INT_MAX);
    return error_set(err, EINVAL, "'%s' must be %s%s%s%s", field->name,
                     real ? "a number" : "a whole number", least, most,
                     may_be_null(field) ? ", or null" : "");
}

static int refuse_value(const struct record_field *field, struct error *err)
{
    const char *name = field->name;
    switch (field->kind) {
    case RECORD_TEXT:
        return error_set(err, EINVAL, "'%s' must be a text of fitting length",
                         name);
    case RECORD_SWITCH:
        return error_set(err, EINVAL, "'%s' must be true or false", name);
    case RECORD_CHOICE:
        return error_set(err, EINVAL, "'%s' must be '%s' or '%s'", name,
                         field->words[0], field->words[1]);
    default:
        return refuse_number(field, err);
    }
}

int record_take(const json_t *object, void *to,
                const struct record_field *fields, struct error *err)
{
    for (const struct record_field *f = fields; f->name != NULL; f++)
        if (take_value(json_object_get(object, f->name), (char *)to + f->offset,
                       f) != 0)
            return refuse_value(f, err);
    return 0;
}

int record_take_list(const json_t *list, void *to, int count, size_t size,
                     const struct record_field *fields, struct error *err)
{
    int code = 0;
    for (int i = 0; code == 0 && i < count; i++)
        code = record_take(json_array_get(list, (size_t)i),
                           (char *)to + (size_t)i * size, fields, err);
    return code;
}
