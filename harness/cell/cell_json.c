/* Cells as JSON objects, in plans and in results. */
#include "harness/cell/cell_fields.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

json_t *cell_to_json(const struct cell *cell)
{
    json_t *object = json_object();
    json_object_set_new(object, "cell", json_string(cell->hash));
    const struct cell_text_field *field = cell_text_fields;
    for (; field->name != NULL; field++)
        json_object_set_new(object, field->name,
                            json_string((const char *)cell + field->offset));
    json_object_set_new(object, "prefetch", json_boolean(cell->prefetch));
    json_object_set_new(object, "smt", json_boolean(cell->smt));
    json_object_set_new(object, "ranks", json_integer(cell->ranks));
    json_object_set_new(object, "threads", json_integer(cell->threads));
    json_object_set_new(object, "min_chunk", json_integer(cell->min_chunk));
    json_object_set_new(object, "sync_interval",
                        cell->sync_interval > 0
                            ? json_integer(cell->sync_interval)
                            : json_null());
    json_object_set_new(object, "reissue",
                        cell->reissue > 0 ? json_real(cell->reissue)
                                          : json_null());
    json_object_set_new(object, "predicted_s",
                        cell->predicted_s > 0 ? json_real(cell->predicted_s)
                                              : json_null());
    if (cell->chosen.scheme[0] != '\0')
        json_object_update_new(
            object, json_pack("{s:s,s:s,s:I}", "chosen_scheme",
                              cell->chosen.scheme, "chosen_hierarchy",
                              cell->chosen.hierarchy, "chosen_interval",
                              (json_int_t)cell->chosen.sync_interval));
    cell_simulation_to_json(cell, object);
    return object;
}

static int read_integer(const json_t *object, const char *name, int64_t most,
                        int64_t *out, struct error *err)
{
    const json_t *value = json_object_get(object, name);
    if (!json_is_integer(value) || json_integer_value(value) < 1 ||
        json_integer_value(value) > most)
        return error_set(err, EINVAL, "cell: '%s' must be a number from 1",
                         name);
    *out = json_integer_value(value);
    return 0;
}

static int read_switch(const json_t *object, const char *name, bool *out,
                       struct error *err)
{
    const json_t *value = json_object_get(object, name);
    if (!json_is_boolean(value))
        return error_set(err, EINVAL, "cell: '%s' must be true or false", name);
    *out = json_is_true(value);
    return 0;
}

static int read_numbers(const json_t *object, struct cell *cell,
                        struct error *err)
{
    int64_t ranks = 0, threads = 0;
    int code = read_switch(object, "prefetch", &cell->prefetch, err);
    if (code == 0)
        code = read_switch(object, "smt", &cell->smt, err);
    if (code == 0)
        code = read_integer(object, "ranks", CELL_WORKERS_MAX, &ranks, err);
    if (code == 0)
        code = read_integer(object, "threads", CELL_WORKERS_MAX, &threads, err);
    if (code == 0)
        code =
            read_integer(object, "min_chunk", INT64_MAX, &cell->min_chunk, err);
    if (code == 0 && !json_is_null(json_object_get(object, "sync_interval")))
        code = read_integer(object, "sync_interval", INT64_MAX,
                            &cell->sync_interval, err);
    if (code != 0)
        return code;
    cell->predicted_s =
        json_number_value(json_object_get(object, "predicted_s"));
    cell->reissue = json_number_value(json_object_get(object, "reissue"));
    cell->ranks = (int)ranks;
    cell->threads = (int)threads;
    return 0;
}

static void read_choice(const json_t *object, struct cell_choice *chosen)
{
    const char *scheme, *hierarchy;
    json_int_t interval;
    if (json_unpack((json_t *)object, "{s:s,s:s,s:I}", "chosen_scheme", &scheme,
                    "chosen_hierarchy", &hierarchy, "chosen_interval",
                    &interval) != 0)
        return;
    snprintf(chosen->scheme, sizeof(chosen->scheme), "%s", scheme);
    snprintf(chosen->hierarchy, sizeof(chosen->hierarchy), "%s", hierarchy);
    chosen->sync_interval = interval;
}

int cell_from_json(const json_t *object, struct cell *cell, struct error *err)
{
    struct cell read;
    cell_defaults(&read);
    const struct cell_text_field *field = cell_text_fields;
    for (; field->name != NULL; field++) {
        const char *text =
            json_string_value(json_object_get(object, field->name));
        if (text == NULL)
            return error_set(err, EINVAL, "cell: the field '%s' is missing",
                             field->name);
        int code = cell_set_text(&read, field, text, err);
        if (code != 0)
            return code;
    }
    read_choice(object, &read.chosen);
    int code = read_numbers(object, &read, err);
    if (code == 0)
        code = cell_simulation_from_json(object, &read, err);
    if (code == 0)
        *cell = read;
    return code;
}
