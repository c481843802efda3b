/* Calibrations as JSON, and their file. */
#include "harness/calibration/calibration.h"

#include "base/file.h"
#include "harness/record/record.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WORKERS_MAX = 1 << 20 };

static const char type[] = "dlsbench calibration";

/* ---- writing ---- */

static json_t *worker_to_json(const struct calibration_worker *w, int number)
{
    return json_pack("{s:i,s:s,s:o,s:f}", "worker", number, "host", w->host,
                     "core", w->core >= 0 ? json_integer(w->core) : json_null(),
                     "power", w->power);
}

static json_t *sizes_to_json(const double *bytes, const double *one_way_s)
{
    json_t *sizes = json_array();
    for (int i = 0; i < CALIBRATION_SIZES; i++)
        json_array_append_new(sizes, json_pack("{s:f,s:f}", "bytes", bytes[i],
                                               "one_way_s", one_way_s[i]));
    return sizes;
}

static json_t *transfer_to_json(const struct calibration_transfer *t)
{
    return json_pack("{s:i,s:f,s:f,s:o,s:o}", "worker", t->worker, "g_s", t->g,
                     "G_s_per_byte", t->G, "r2", record_real(t->r2), "sizes",
                     sizes_to_json(t->bytes, t->one_way_s));
}

static json_t *pair_to_json(const struct calibration_pair *pair)
{
    return json_pack("{s:[i,i],s:f,s:f,s:o,s:o}", "workers", pair->worker[0],
                     pair->worker[1], "c_d_s", pair->c_d, "c_c_s_per_byte",
                     pair->c_c, "r2", record_real(pair->r2), "sizes",
                     sizes_to_json(pair->bytes, pair->one_way_s));
}

static json_t *kernel_to_json(const struct calibration_kernel *kernel,
                              int workers)
{
    json_t *costs = json_array();
    for (int w = 0; w < workers; w++) {
        const struct calibration_cost *cost = &kernel->cost[w];
        json_array_append_new(
            costs,
            json_pack("{s:i,s:f,s:f,s:f,s:f,s:o,s:f}", "worker", w, "c_p_s",
                      cost->c_p, "c_b_s_per_row", cost->c_b, "operation_s",
                      cost->operation, "start_s", cost->start, "r2",
                      record_real(cost->r2), "power", cost->power));
    }
    return json_pack("{s:s,s:s,s:I,s:I,s:o}", "kernel", kernel->spec, "unit",
                     kernel->grid ? "grid point" : "iteration", "rows",
                     (json_int_t)kernel->rows, "columns",
                     (json_int_t)kernel->columns, "workers", costs);
}

static json_t *charge_to_json(const struct calibration_charge *c)
{
    return json_pack("{s:o,s:o,s:o,s:o,s:o,s:o}", "state_s",
                     record_real(c->state), "send_s", record_real(c->send),
                     "receive_s", record_real(c->receive), "one_way_s",
                     record_real(c->one_way), "round_s", record_real(c->round),
                     "steal_s", record_real(c->steal));
}

json_t *calibration_kind_to_json(const struct calibration_kind *kind)
{
    json_t *workers = json_array(), *pairs = json_array();
    json_t *kernels = json_array(), *dispatch = json_array();
    json_t *transfers = json_array();
    for (int w = 0; w < kind->workers; w++)
        json_array_append_new(workers, worker_to_json(&kind->worker[w], w));
    for (int i = 0; i < kind->pairs; i++)
        json_array_append_new(pairs, pair_to_json(&kind->pair[i]));
    for (int k = 0; k < kind->kernels; k++)
        json_array_append_new(kernels,
                              kernel_to_json(&kind->kernel[k], kind->workers));
    for (int i = 0; i < kind->transfers; i++)
        json_array_append_new(transfers, transfer_to_json(&kind->transfer[i]));
    for (int i = 0; i < kind->dispatches; i++)
        json_array_append_new(dispatch,
                              json_pack("{s:s,s:f}", "transport",
                                        kind->dispatch[i].transport, "c_sch_s",
                                        kind->dispatch[i].c_sch));
    return json_pack("{s:o,s:o,s:o,s:o,s:o,s:o,s:o}", "workers", workers,
                     "boundaries", pairs, "kernels", kernels, "transfers",
                     transfers, "dispatch", dispatch, "charges",
                     charge_to_json(&kind->charge), "slices",
                     calibration_slices_to_json(&kind->slices));
}

int calibration_save(const struct calibration *c, const char *path,
                     struct error *err)
{
    json_t *kinds = json_object();
    for (int i = 0; i < CALIBRATION_KINDS; i++)
        if (c->kind[i].workers > 0)
            json_object_set_new(kinds, calibration_names[i],
                                calibration_kind_to_json(&c->kind[i]));
    json_t *root = json_pack(
        "{s:s,s:i,s:s,s:s,s:s,s:s,s:s,s:s,s:f,s:o}", "type", type, "schema",
        CALIBRATION_SCHEMA, "host", c->host, "processor", c->processor,
        "cpuset", c->cpuset, "mpi", c->mpi, "version", c->version, "started",
        c->started, "took_s", c->took_s, "kinds", kinds);
    if (root == NULL)
        return error_set(err, ENOMEM, "%s: out of memory", path);
    return record_whole(path, root, err);
}

/* ---- reading ----
 *
 * Values that cannot be are refused, with the place in words. */

struct reader {
    const char *kind;
    struct error *err;
};

static int missing(const struct reader *reader, const char *where,
                   const char *key, const char *allowed)
{
    return error_set(reader->err, EINVAL, "%s, %s: '%s' must be %s",
                     reader->kind, where, key, allowed);
}

/* A number of at least `least`; a null or missing one becomes NAN when that is
 * allowed. */
static int read_real(const struct reader *reader, const json_t *object,
                     const char *where, const char *key, double least,
                     bool above, double *out)
{
    const json_t *value = json_object_get(object, key);
    double number = json_is_number(value) ? json_number_value(value) : NAN;
    if (!isfinite(number) || number < least || (above && number <= least))
        return missing(reader, where, key,
                       above ? "a number above 0" : "a number from 0");
    *out = number;
    return 0;
}

static double optional(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

static int read_count(const struct reader *reader, const json_t *object,
                      const char *where, const char *key, int64_t least,
                      int64_t *out)
{
    const json_t *value = json_object_get(object, key);
    if (!json_is_integer(value) || json_integer_value(value) < least)
        return missing(reader, where, key, "a whole number from 1");
    *out = json_integer_value(value);
    return 0;
}

static int read_text(const struct reader *reader, const json_t *object,
                     const char *where, const char *key, char *out, size_t size)
{
    const char *text = json_string_value(json_object_get(object, key));
    if (text == NULL || strlen(text) >= size)
        return missing(reader, where, key, "a text of fitting length");
    memcpy(out, text, strlen(text) + 1);
    return 0;
}

static int read_worker(const struct reader *reader, const json_t *object,
                       struct calibration_worker *w)
{
    const json_t *core = json_object_get(object, "core");
    w->core = json_is_integer(core) ? (int)json_integer_value(core) : -1;
    int code =
        read_text(reader, object, "workers", "host", w->host, sizeof(w->host));
    return code ? code
                : read_real(reader, object, "workers", "power", 0, true,
                            &w->power);
}

static int read_sizes(const struct reader *reader, const json_t *object,
                      const char *where, double *bytes, double *one_way_s)
{
    const json_t *sizes = json_object_get(object, "sizes");
    int code = 0;
    if (json_array_size(sizes) != CALIBRATION_SIZES)
        return missing(reader, where, "sizes", "a list of 7");
    for (size_t i = 0; code == 0 && i < CALIBRATION_SIZES; i++) {
        const json_t *size = json_array_get(sizes, i);
        code = read_real(reader, size, where, "bytes", 0, true, &bytes[i]);
        if (code == 0)
            code = read_real(reader, size, where, "one_way_s", 0, true,
                             &one_way_s[i]);
    }
    return code;
}

static int read_transfer(const struct reader *reader, const json_t *object,
                         int number, struct calibration_transfer *t)
{
    const json_t *worker = json_object_get(object, "worker");
    if (!json_is_integer(worker) || json_integer_value(worker) != number + 1)
        return missing(reader, "transfers", "worker",
                       "each worker but the first, in order");
    t->worker = number + 1;
    t->r2 = optional(object, "r2");
    int code = read_real(reader, object, "transfers", "g_s", 0, false, &t->g);
    if (code == 0)
        code = read_real(reader, object, "transfers", "G_s_per_byte", 0, false,
                         &t->G);
    return code ? code
                : read_sizes(reader, object, "transfers", t->bytes,
                             t->one_way_s);
}

static int read_pair(const struct reader *reader, const json_t *object,
                     int workers, struct calibration_pair *pair)
{
    const json_t *ends = json_object_get(object, "workers");
    for (size_t i = 0; i < 2; i++) {
        const json_t *end = json_array_get(ends, i);
        if (!json_is_integer(end) || json_integer_value(end) < 0 ||
            json_integer_value(end) >= workers)
            return missing(reader, "boundaries", "workers",
                           "two of the workers");
        pair->worker[i] = (int)json_integer_value(end);
    }
    pair->r2 = optional(object, "r2");
    int code =
        read_real(reader, object, "boundaries", "c_d_s", 0, false, &pair->c_d);
    if (code == 0)
        code = read_real(reader, object, "boundaries", "c_c_s_per_byte", 0,
                         false, &pair->c_c);
    return code ? code
                : read_sizes(reader, object, "boundaries", pair->bytes,
                             pair->one_way_s);
}

static int read_cost(const struct reader *reader, const json_t *object,
                     const char *where, struct calibration_cost *cost)
{
    cost->r2 = optional(object, "r2");
    int code = read_real(reader, object, where, "c_p_s", 0, true, &cost->c_p);
    if (code == 0)
        code = read_real(reader, object, where, "c_b_s_per_row", 0, false,
                         &cost->c_b);
    if (code == 0)
        code = read_real(reader, object, where, "operation_s", 0, false,
                         &cost->operation);
    if (code == 0)
        code =
            read_real(reader, object, where, "start_s", 0, false, &cost->start);
    if (code == 0)
        code = read_real(reader, object, where, "power", 0, true, &cost->power);
    return code;
}

static int read_kernel(const struct reader *reader, const json_t *object,
                       int workers, struct calibration_kernel *kernel)
{
    char unit[16];
    const json_t *costs = json_object_get(object, "workers");
    int code = read_text(reader, object, "kernels", "kernel", kernel->spec,
                         sizeof(kernel->spec));
    if (code == 0)
        code = read_text(reader, object, "kernels", "unit", unit, sizeof(unit));
    if (code == 0)
        code =
            read_count(reader, object, kernel->spec, "rows", 1, &kernel->rows);
    if (code == 0)
        code = read_count(reader, object, kernel->spec, "columns", 1,
                          &kernel->columns);
    if (code != 0)
        return code;
    kernel->grid = strcmp(unit, "grid point") == 0;
    if (json_array_size(costs) != (size_t)workers)
        return missing(reader, kernel->spec, "workers",
                       "a list with an entry for each worker");
    for (int w = 0; code == 0 && w < workers; w++)
        code = read_cost(reader, json_array_get(costs, (size_t)w), kernel->spec,
                         &kernel->cost[w]);
    return code;
}

static int read_dispatch(const struct reader *reader, const json_t *list,
                         struct calibration_kind *kind)
{
    int code = 0;
    size_t most = sizeof(kind->dispatch) / sizeof(kind->dispatch[0]);
    for (size_t i = 0; code == 0 && i < json_array_size(list) && i < most;
         i++) {
        struct calibration_dispatch *d = &kind->dispatch[kind->dispatches++];
        const json_t *object = json_array_get(list, i);
        code = read_text(reader, object, "dispatch", "transport", d->transport,
                         sizeof(d->transport));
        if (code == 0)
            code = read_real(reader, object, "dispatch", "c_sch_s", 0, false,
                             &d->c_sch);
    }
    return code;
}

static struct calibration_charge read_charge(const json_t *object)
{
    return (struct calibration_charge){.state = optional(object, "state_s"),
                                       .send = optional(object, "send_s"),
                                       .receive = optional(object, "receive_s"),
                                       .one_way = optional(object, "one_way_s"),
                                       .round = optional(object, "round_s"),
                                       .steal = optional(object, "steal_s")};
}

static int read_kind(const struct reader *reader, const json_t *object,
                     struct calibration_kind *kind)
{
    const json_t *workers = json_object_get(object, "workers");
    const json_t *pairs = json_object_get(object, "boundaries");
    const json_t *kernels = json_object_get(object, "kernels");
    const json_t *transfers = json_object_get(object, "transfers");
    if (json_array_size(workers) < 1 || json_array_size(workers) > WORKERS_MAX)
        return missing(reader, "all", "workers", "a list of them");
    int n = (int)json_array_size(workers), code;
    code = calibration_kind_open(kind, n, (int)json_array_size(pairs),
                                 (int)json_array_size(kernels),
                                 (int)json_array_size(transfers), reader->err);
    for (int i = 0; code == 0 && i < n; i++)
        code = read_worker(reader, json_array_get(workers, (size_t)i),
                           &kind->worker[i]);
    for (int i = 0; code == 0 && i < kind->pairs; i++)
        code = read_pair(reader, json_array_get(pairs, (size_t)i), n,
                         &kind->pair[i]);
    for (int i = 0; code == 0 && i < kind->kernels; i++)
        code = read_kernel(reader, json_array_get(kernels, (size_t)i), n,
                           &kind->kernel[i]);
    for (int i = 0; code == 0 && i < kind->transfers; i++)
        code = read_transfer(reader, json_array_get(transfers, (size_t)i), i,
                             &kind->transfer[i]);
    if (code == 0)
        code = read_dispatch(reader, json_object_get(object, "dispatch"), kind);
    kind->charge = read_charge(json_object_get(object, "charges"));
    if (code == 0 && calibration_slices_from_json(
                         json_object_get(object, "slices"), &kind->slices) != 0)
        code = missing(reader, "slices", "run_s, gap_s and start_s",
                       "numbers above 0 and a list of 15");
    return code;
}

int calibration_kind_from_json(const json_t *object,
                               struct calibration_kind *kind, struct error *err)
{
    const struct reader reader = {"the measurement", err};
    *kind = (struct calibration_kind){.workers = 0};
    int code = read_kind(&reader, object, kind);
    if (code != 0)
        calibration_kind_free(kind);
    return code;
}

static int read_head(const json_t *root, struct calibration *c,
                     struct error *err)
{
    const struct reader reader = {"the head", err};
    const struct {
        const char *key;
        char *text;
        size_t size;
    } rows[] = {{"host", c->host, sizeof(c->host)},
                {"processor", c->processor, sizeof(c->processor)},
                {"cpuset", c->cpuset, sizeof(c->cpuset)},
                {"mpi", c->mpi, sizeof(c->mpi)},
                {"version", c->version, sizeof(c->version)},
                {"started", c->started, sizeof(c->started)}};
    int code = 0;
    for (size_t i = 0; code == 0 && i < sizeof(rows) / sizeof(rows[0]); i++)
        code = read_text(&reader, root, "machine", rows[i].key, rows[i].text,
                         rows[i].size);
    return code ? code
                : read_real(&reader, root, "machine", "took_s", 0, false,
                            &c->took_s);
}

static int read_root(const json_t *root, struct calibration *c,
                     struct error *err)
{
    const json_t *schema = json_object_get(root, "schema");
    const char *what = json_string_value(json_object_get(root, "type"));
    if (what == NULL || strcmp(what, type) != 0 || !json_is_integer(schema))
        return error_set(err, EINVAL, "not a calibration of dlsbench");
    if (json_integer_value(schema) != CALIBRATION_SCHEMA)
        return error_set(err, EINVAL,
                         "a calibration of schema %lld, this program reads %d: "
                         "measure again with dlsbench calibrate",
                         (long long)json_integer_value(schema),
                         (int)CALIBRATION_SCHEMA);
    int code = read_head(root, c, err), found = 0;
    for (int i = 0; code == 0 && i < CALIBRATION_KINDS; i++) {
        const struct reader reader = {calibration_names[i], err};
        const json_t *kind = json_object_get(json_object_get(root, "kinds"),
                                             calibration_names[i]);
        if (kind == NULL)
            continue;
        found++;
        code = read_kind(&reader, kind, &c->kind[i]);
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
        return error_set(err, errno, "%s: cannot read the calibration: %s",
                         path, why);
    json_t *root = json_loadf(file, 0, &where);
    fclose(file);
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
