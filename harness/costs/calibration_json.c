/* Calibrations as JSON, and their file. */
#include "harness/costs/calibration.h"

#include "base/file.h"
#include "harness/costs/calibration_fields.h"
#include "harness/record/fields.h"
#include "harness/record/record.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ENTRIES_MAX = 1 << 20 };

static const char type[] = "dlsbench calibration";

/* ---- writing ---- */

static json_t *number_object(int worker, const void *from,
                             const struct record_field *fields)
{
    json_t *object = json_object();
    json_object_set_new(object, "worker", json_integer(worker));
    record_put(object, from, fields);
    return object;
}

static json_t *workers_to_json(const struct calibration_kind *kind)
{
    json_t *workers = json_array();
    for (int w = 0; w < kind->workers; w++)
        json_array_append_new(
            workers,
            number_object(w, &kind->worker[w], calibration_worker_fields));
    return workers;
}

static json_t *sizes_to_json(const struct calibration_size *size)
{
    return record_list(size, CALIBRATION_SIZES, sizeof(*size),
                       calibration_size_fields);
}

static json_t *pairs_to_json(const struct calibration_kind *kind)
{
    json_t *pairs = json_array();
    for (int i = 0; i < kind->pairs; i++) {
        const struct calibration_pair *pair = &kind->pair[i];
        json_t *object =
            json_pack("{s:[i,i]}", "workers", pair->worker[0], pair->worker[1]);
        record_put(object, pair, calibration_pair_fields);
        json_object_set_new(object, "sizes", sizes_to_json(pair->size));
        json_array_append_new(pairs, object);
    }
    return pairs;
}

static json_t *transfers_to_json(const struct calibration_kind *kind)
{
    json_t *transfers = json_array();
    for (int i = 0; i < kind->transfers; i++) {
        const struct calibration_transfer *t = &kind->transfer[i];
        json_t *object =
            number_object(t->worker, t, calibration_transfer_fields);
        json_object_set_new(object, "sizes", sizes_to_json(t->size));
        json_array_append_new(transfers, object);
    }
    return transfers;
}

static json_t *kernels_to_json(const struct calibration_kind *kind)
{
    json_t *kernels = json_array();
    for (int k = 0; k < kind->kernels; k++) {
        json_t *object =
            record_object(&kind->kernel[k], calibration_kernel_fields);
        json_t *costs = json_array();
        for (int w = 0; w < kind->workers; w++)
            json_array_append_new(costs,
                                  number_object(w, &kind->kernel[k].cost[w],
                                                calibration_cost_fields));
        json_object_set_new(object, "workers", costs);
        if (kind->kernel[k].blocks > 0)
            json_object_set_new(object, "blocks",
                                calibration_blocks_to_json(&kind->kernel[k]));
        json_array_append_new(kernels, object);
    }
    return kernels;
}

json_t *calibration_kind_to_json(const struct calibration_kind *kind)
{
    return json_pack(
        "{s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o}", "workers", workers_to_json(kind),
        "boundaries", pairs_to_json(kind), "kernels", kernels_to_json(kind),
        "transfers", transfers_to_json(kind), "dispatch",
        record_list(kind->dispatch, kind->dispatches, sizeof(*kind->dispatch),
                    calibration_dispatch_fields),
        "charges", record_object(&kind->charge, calibration_charge_fields),
        "rates",
        record_list(kind->rate, kind->rate[0].bytes > 0 ? CALIBRATION_SIZES : 0,
                    sizeof(*kind->rate), calibration_rate_fields),
        "slices", calibration_slices_to_json(&kind->slices));
}

int calibration_save(const struct calibration *c, const char *path,
                     struct error *err)
{
    json_t *root =
        json_pack("{s:s,s:i}", "type", type, "schema", CALIBRATION_SCHEMA);
    json_t *kinds = json_object();
    for (int i = 0; i < CALIBRATION_KINDS; i++)
        if (c->kind[i].workers > 0)
            json_object_set_new(kinds, calibration_names[i],
                                calibration_kind_to_json(&c->kind[i]));
    if (root == NULL || kinds == NULL)
        return error_set(err, ENOMEM, "%s: out of memory", path);
    record_put(root, c, calibration_head_fields);
    json_object_set_new(root, "kinds", kinds);
    return record_whole(path, root, err);
}

/* ---- reading ----
 *
 * Values that cannot be are refused, with the place in words. */

struct parser {
    const char *kind;
    struct error *err;
};

static int add_place(const struct parser *parser, const char *where, int code)
{
    return code == 0
               ? 0
               : error_prefix(parser->err, code, "%s, %s", parser->kind, where);
}

static int refuse_value(const struct parser *parser, const char *where,
                        const char *key, const char *allowed)
{
    return error_set(parser->err, EINVAL, "%s, %s: '%s' must be %s",
                     parser->kind, where, key, allowed);
}

static int read_fields(const struct parser *parser, const json_t *object,
                       const char *where, void *to,
                       const struct record_field *fields)
{
    return add_place(parser, where,
                     record_take(object, to, fields, parser->err));
}

static int read_sizes(const struct parser *parser, const json_t *object,
                      const char *where, struct calibration_size *size)
{
    const json_t *sizes = json_object_get(object, "sizes");
    if (json_array_size(sizes) != CALIBRATION_SIZES)
        return refuse_value(parser, where, "sizes", "a list of 7");
    return add_place(parser, where,
                     record_take_list(sizes, size, CALIBRATION_SIZES,
                                      sizeof(*size), calibration_size_fields,
                                      parser->err));
}

static int read_transfer(const struct parser *parser, const json_t *object,
                         int number, struct calibration_transfer *t)
{
    const json_t *worker = json_object_get(object, "worker");
    if (!json_is_integer(worker) || json_integer_value(worker) != number + 1)
        return refuse_value(parser, "transfers", "worker",
                            "each worker but the first, in order");
    t->worker = number + 1;
    int code = read_fields(parser, object, "transfers", t,
                           calibration_transfer_fields);
    return code ? code : read_sizes(parser, object, "transfers", t->size);
}

static int read_pair(const struct parser *parser, const json_t *object,
                     int workers, struct calibration_pair *pair)
{
    const json_t *ends = json_object_get(object, "workers");
    for (size_t i = 0; i < 2; i++) {
        const json_t *end = json_array_get(ends, i);
        if (!json_is_integer(end) || json_integer_value(end) < 0 ||
            json_integer_value(end) >= workers)
            return refuse_value(parser, "boundaries", "workers",
                                "two of the workers");
        pair->worker[i] = (int)json_integer_value(end);
    }
    int code = read_fields(parser, object, "boundaries", pair,
                           calibration_pair_fields);
    return code ? code : read_sizes(parser, object, "boundaries", pair->size);
}

static int read_kernel(const struct parser *parser, const json_t *object,
                       int workers, struct calibration_kernel *kernel)
{
    const json_t *costs = json_object_get(object, "workers");
    int code = read_fields(parser, object, "kernels", kernel,
                           calibration_kernel_fields);
    if (code != 0)
        return code;
    if (json_array_size(costs) != (size_t)workers)
        return refuse_value(parser, kernel->spec, "workers",
                            "a list with an entry for each worker");
    code = add_place(parser, kernel->spec,
                     record_take_list(costs, kernel->cost, workers,
                                      sizeof(*kernel->cost),
                                      calibration_cost_fields, parser->err));
    if (code == 0)
        code = add_place(
            parser, kernel->spec,
            calibration_blocks_from_json(json_object_get(object, "blocks"),
                                         kernel, parser->err));
    return code;
}

static int read_dispatch(const struct parser *parser, const json_t *list,
                         struct calibration_kind *kind)
{
    size_t most = sizeof(kind->dispatch) / sizeof(kind->dispatch[0]);
    if (json_array_size(list) > most)
        return refuse_value(parser, "all", "dispatch", "a list of 4 at most");
    kind->dispatches = (int)json_array_size(list);
    return add_place(parser, "dispatch",
                     record_take_list(list, kind->dispatch, kind->dispatches,
                                      sizeof(*kind->dispatch),
                                      calibration_dispatch_fields,
                                      parser->err));
}

/* Earlier versions did not measure them. */
static int read_rates(const struct parser *parser, const json_t *list,
                      struct calibration_kind *kind)
{
    for (int i = 0; i < CALIBRATION_SIZES; i++)
        kind->rate[i] = (struct calibration_rate){0, NAN};
    if (list == NULL || json_array_size(list) == 0)
        return 0;
    if (json_array_size(list) != CALIBRATION_SIZES)
        return refuse_value(parser, "all", "rates", "a list of 7");
    return add_place(parser, "rates",
                     record_take_list(list, kind->rate, CALIBRATION_SIZES,
                                      sizeof(*kind->rate),
                                      calibration_rate_fields, parser->err));
}

/* Allocates what the lists contain. */
static int count_lists(const struct parser *parser, const json_t *object,
                       struct calibration_kind *kind)
{
    static const char *const names[] = {"workers", "boundaries", "kernels",
                                        "transfers", "dispatch"};
    int count[sizeof(names) / sizeof(names[0])];
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const json_t *list = json_object_get(object, names[i]);
        if (!json_is_array(list) || json_array_size(list) > ENTRIES_MAX)
            return refuse_value(parser, "all", names[i], "a list");
        count[i] = (int)json_array_size(list);
    }
    if (count[0] < 1)
        return refuse_value(parser, "all", "workers", "a list of them");
    return calibration_kind_open(kind, count[0], count[1], count[2], count[3],
                                 parser->err);
}

static int read_lists(const struct parser *parser, const json_t *object,
                      struct calibration_kind *kind)
{
    const json_t *pairs = json_object_get(object, "boundaries");
    const json_t *kernels = json_object_get(object, "kernels");
    const json_t *transfers = json_object_get(object, "transfers");
    const json_t *workers = json_object_get(object, "workers");
    int n = kind->workers;
    int code = add_place(
        parser, "workers",
        record_take_list(workers, kind->worker, n, sizeof(*kind->worker),
                         calibration_worker_fields, parser->err));
    for (int i = 0; code == 0 && i < kind->pairs; i++)
        code = read_pair(parser, json_array_get(pairs, (size_t)i), n,
                         &kind->pair[i]);
    for (int i = 0; code == 0 && i < kind->kernels; i++)
        code = read_kernel(parser, json_array_get(kernels, (size_t)i), n,
                           &kind->kernel[i]);
    for (int i = 0; code == 0 && i < kind->transfers; i++)
        code = read_transfer(parser, json_array_get(transfers, (size_t)i), i,
                             &kind->transfer[i]);
    return code;
}

static int read_kind(const struct parser *parser, const json_t *object,
                     struct calibration_kind *kind)
{
    int code = count_lists(parser, object, kind);
    if (code == 0)
        code = read_lists(parser, object, kind);
    if (code == 0)
        code = read_dispatch(parser, json_object_get(object, "dispatch"), kind);
    if (code == 0)
        code = read_rates(parser, json_object_get(object, "rates"), kind);
    if (code == 0)
        code = read_fields(parser, json_object_get(object, "charges"),
                           "charges", &kind->charge, calibration_charge_fields);
    if (code == 0 && calibration_slices_from_json(
                         json_object_get(object, "slices"), &kind->slices) != 0)
        code = refuse_value(parser, "slices", "run_s, gap_s and start_s",
                            "numbers from 1e-9 to 1e6 and a list of 15");
    return code;
}

int calibration_kind_from_json(const json_t *object,
                               struct calibration_kind *kind, struct error *err)
{
    const struct parser parser = {"the measurement", err};
    *kind = (struct calibration_kind){.workers = 0};
    int code = read_kind(&parser, object, kind);
    if (code != 0)
        calibration_kind_free(kind);
    return code;
}

static int read_root(const json_t *root, struct calibration *c,
                     struct error *err)
{
    const json_t *schema = json_object_get(root, "schema");
    const char *what = json_string_value(json_object_get(root, "type"));
    if (what == NULL || strcmp(what, type) != 0 || !json_is_integer(schema))
        return error_set(err, EINVAL, "not a calibration of dlsbench");
    if (json_integer_value(schema) != CALIBRATION_SCHEMA)
        return error_set(
            err,
            json_integer_value(schema) < CALIBRATION_SCHEMA ? ESTALE : EINVAL,
            "a calibration of schema %lld, this program reads %d: "
            "measure again with dlsbench calibrate",
            (long long)json_integer_value(schema), (int)CALIBRATION_SCHEMA);
    const struct parser head = {"the head", err};
    int code = read_fields(&head, root, "machine", c, calibration_head_fields),
        found = 0;
    if (code == 0 && c->layout != CALIBRATION_LAYOUT)
        code = error_set(err, c->layout < CALIBRATION_LAYOUT ? ESTALE : EINVAL,
                         "a calibration of %s layout of the kernels, or of "
                         "synchronizations, than this program's: measure again "
                         "with dlsbench calibrate",
                         c->layout < CALIBRATION_LAYOUT ? "an earlier"
                                                        : "a later");
    for (int i = 0; code == 0 && i < CALIBRATION_KINDS; i++) {
        const struct parser parser = {calibration_names[i], err};
        const json_t *kind = json_object_get(json_object_get(root, "kinds"),
                                             calibration_names[i]);
        if (kind == NULL)
            continue;
        found++;
        code = read_kind(&parser, kind, &c->kind[i]);
    }
    if (code == 0 && found == 0)
        code = error_set(err, EINVAL, "neither threads nor ranks are in it");
    return code;
}

int calibration_load(const char *path, struct calibration *c, struct error *err)
{
    json_error_t where;
    const char *why;
    *c = (struct calibration){.took_s = 0};
    FILE *file = file_open(path, &why);
    if (file == NULL)
        return error_set(err, errno == ESTALE ? EIO : errno,
                         "%s: cannot read the calibration: %s", path, why);
    file_skip_mark(file);
    errno = 0;
    json_t *root = json_loadf(file, 0, &where);
    bool lacks = rows_lack_memory(root, &where);
    fclose(file);
    if (lacks)
        return error_set(err, ENOMEM, "%s: out of memory", path);
    if (root == NULL)
        return error_set(err, EINVAL,
                         "%s: the calibration is broken (line %d: %s): measure "
                         "again with dlsbench calibrate",
                         path, where.line, where.text);
    int code = read_root(root, c, err);
    json_decref(root);
    if (code == 0)
        return 0;
    calibration_free(c);
    return error_prefix(err, code, "%s", path);
}
