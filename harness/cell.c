#include "harness/cell.h"

#include "base/nearest.h"
#include "harness/hierarchy.h"
#include "kernels/kernel.h"
#include "sched/sched.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* The default interval is the one the papers measure most. */
enum { WORKERS_MAX = 1 << 24, SYNC_INTERVAL = 100 };

const char *const cell_fields[] = {
    "kernel",    "scheme",    "layout",        "ranks",  "threads",
    "hierarchy", "transport", "master",        "window", "collect",
    "bind",      "timing",    "power",         "load",   "prefetch",
    "min_chunk", "protocol",  "sync_interval", NULL};

void cell_defaults(struct cell *cell)
{
    *cell = (struct cell){.hierarchy = "flat",
                          .transport = "auto",
                          .master = "computing",
                          .window = "auto",
                          .collect = "auto",
                          .bind = "compact",
                          .timing = "worker",
                          .protocol = "auto",
                          .prefetch = true,
                          .ranks = 1,
                          .threads = 1,
                          .min_chunk = 1};
}

void policy_defaults(struct policy *policy)
{
    *policy = (struct policy){.repetitions = 10,
                              .repetitions_max = 50,
                              .ci = 0.02,
                              .cell_seconds = 60,
                              .verify_limit = 60,
                              .cell_timeout = 600};
}

/* ---- setting one field ---- */

/* The text fields in one table: where they live and what they may hold. */
struct text_field {
    const char *name;
    size_t offset, size;
    const char *choices[8]; /* empty: free text, checked by cell_check */
};

#define TEXT_FIELD(field, ...)                                                 \
    {                                                                          \
#field, offsetof(struct cell, field),                                  \
            sizeof(((struct cell *)0)->field),                                 \
        {                                                                      \
            __VA_ARGS__                                                        \
        }                                                                      \
    }

static const struct text_field text_fields[] = {
    TEXT_FIELD(kernel, NULL),
    TEXT_FIELD(scheme, NULL),
    TEXT_FIELD(hierarchy, NULL),
    TEXT_FIELD(transport, "auto", "shared", "master", "window"),
    TEXT_FIELD(master, "computing", "dedicated"),
    TEXT_FIELD(window, "auto", "shared", "rma"),
    TEXT_FIELD(collect, "auto", "master", "local"),
    TEXT_FIELD(bind, "compact", "scatter", "none"),
    TEXT_FIELD(timing, "worker", "chunk"),
    TEXT_FIELD(protocol, "auto", "parallel", "dmps"),
    TEXT_FIELD(power, NULL),
    TEXT_FIELD(load, NULL),
};

enum { TEXT_FIELDS = sizeof(text_fields) / sizeof(text_fields[0]) };

static const struct text_field *find_text_field(const char *name)
{
    for (int i = 0; i < TEXT_FIELDS; i++)
        if (strcmp(text_fields[i].name, name) == 0)
            return &text_fields[i];
    return NULL;
}

/* "a, b, c" of a list, and the nearest, after an unknown name or value. */
static int unknown(const char *what, const char *value,
                   const char *const *allowed, struct error *err)
{
    char list[256] = "";
    size_t used = 0;
    for (int i = 0; allowed[i] != NULL && used < sizeof(list); i++)
        used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s",
                                 i > 0 ? ", " : "", allowed[i]);
    const char *near = nearest_name(value, allowed);
    return error_set(err, EINVAL, "%s: '%s' is unknown, allowed: %s%s%s%s",
                     what, value, list, near ? "; did you mean '" : "",
                     near ? near : "", near ? "'?" : "");
}

static int set_text(struct cell *cell, const struct text_field *field,
                    const char *value, struct error *err)
{
    if (field->choices[0] != NULL) {
        int i = 0;
        while (field->choices[i] != NULL && strcmp(field->choices[i], value))
            i++;
        if (field->choices[i] == NULL)
            return unknown(field->name, value, field->choices, err);
    }
    if (strlen(value) >= field->size)
        return error_set(err, EINVAL,
                         "%s: the value is longer than %zu "
                         "characters",
                         field->name, field->size - 1);
    snprintf((char *)cell + field->offset, field->size, "%s", value);
    return 0;
}

static int set_count(const char *field, const char *value, int *out,
                     struct error *err)
{
    int64_t number;
    if (spec_integer(value, &number) != 0 || number < 1 || number > WORKERS_MAX)
        return error_set(err, EINVAL, "%s: '%s' must be a number from 1 to %d",
                         field, value, WORKERS_MAX);
    *out = (int)number;
    return 0;
}

static int set_long(const char *field, const char *value, int64_t *out,
                    struct error *err)
{
    int64_t number;
    if (spec_integer(value, &number) != 0 || number < 1)
        return error_set(err, EINVAL, "%s: '%s' must be a number from 1", field,
                         value);
    *out = number;
    return 0;
}

static int set_layout(struct cell *cell, const char *value, struct error *err)
{
    char copy[64];
    snprintf(copy, sizeof(copy), "%s", value);
    char *times = strchr(copy, 'x');
    int ranks = 0, threads = 0;
    if (times != NULL)
        *times = '\0';
    if (times == NULL || set_count("", copy, &ranks, NULL) != 0 ||
        set_count("", times + 1, &threads, NULL) != 0)
        return error_set(err, EINVAL,
                         "layout: '%s' must be RANKSxTHREADS, e.g. 2x4", value);
    cell->ranks = ranks;
    cell->threads = threads;
    return 0;
}

static int set_switch(const char *field, const char *value, bool *out,
                      struct error *err)
{
    static const char *const allowed[] = {"on", "off", "true", "false", NULL};
    for (int i = 0; allowed[i] != NULL; i++) {
        if (strcmp(value, allowed[i]) == 0) {
            *out = i % 2 == 0;
            return 0;
        }
    }
    return unknown(field, value, allowed, err);
}

int cell_set(struct cell *cell, const char *field, const char *value,
             struct error *err)
{
    const struct text_field *text = find_text_field(field);
    if (text != NULL)
        return set_text(cell, text, value, err);
    if (strcmp(field, "layout") == 0)
        return set_layout(cell, value, err);
    if (strcmp(field, "ranks") == 0)
        return set_count(field, value, &cell->ranks, err);
    if (strcmp(field, "threads") == 0)
        return set_count(field, value, &cell->threads, err);
    if (strcmp(field, "prefetch") == 0)
        return set_switch(field, value, &cell->prefetch, err);
    if (strcmp(field, "min_chunk") == 0)
        return set_long(field, value, &cell->min_chunk, err);
    if (strcmp(field, "sync_interval") == 0)
        return set_long(field, value, &cell->sync_interval, err);
    return unknown("field", field, cell_fields, err);
}

/* ---- powers ---- */

/* One entry of the list: "v" or "n:v".  Returns NULL at the end of it. */
static int parse_power(char *word, long *count, double *value,
                       struct error *err)
{
    char *colon = strchr(word, ':');
    int64_t times = 1;
    if (colon != NULL) {
        *colon = '\0';
        if (spec_integer(word, &times) != 0 || times < 1 || times > WORKERS_MAX)
            return error_set(err, EINVAL,
                             "power: '%s' before ':' must be a number of "
                             "workers",
                             word);
        word = colon + 1;
    }
    if (spec_real(word, value) != 0 || *value <= 0)
        return error_set(err, EINVAL, "power: '%s' must be a number above 0",
                         word);
    *count = (long)times;
    return 0;
}

/* Expands the list into out (at most max entries); *total counts all. */
static int expand_power(const char *text, double *out, long max, long *total,
                        struct error *err)
{
    char copy[sizeof(((struct cell *)0)->power)];
    snprintf(copy, sizeof(copy), "%s", text);
    *total = 0;
    for (char *word = copy; word != NULL;) {
        char *comma = strchr(word, ',');
        long count = 0;
        double value = 0;
        if (comma != NULL)
            *comma = '\0';
        int code = parse_power(word, &count, &value, err);
        if (code != 0)
            return code;
        for (long i = 0; i < count && *total + i < max; i++)
            out[*total + i] = value;
        *total += count;
        word = comma ? comma + 1 : NULL;
    }
    return 0;
}

double *cell_powers(const struct cell *cell)
{
    long total;
    int workers = cell_workers(cell);
    if (cell->power[0] == '\0')
        return NULL;
    double *power = calloc((size_t)workers, sizeof(*power));
    if (power != NULL)
        expand_power(cell->power, power, workers, &total, NULL);
    return power;
}

/* The shortest text that reads back as this number. */
static void format_real(double value, char *text, size_t size)
{
    double back = 0;
    for (int digits = 1; digits <= 17 && back != value; digits++) {
        snprintf(text, size, "%.*g", digits, value);
        back = strtod(text, NULL);
    }
}

/* One way to write powers: v alone, n:v from two on.  A list that has no room
 * for it (1/3 becomes 16 digits) stays as it was given. */
static void format_powers(struct cell *cell, const double *power, int workers)
{
    char list[sizeof(cell->power)] = "", word[48], value[32];
    size_t used = 0;
    for (int i = 0, n = 1; i < workers; i += n, n = 1) {
        while (i + n < workers && power[i + n] == power[i])
            n++;
        format_real(power[i], value, sizeof(value));
        size_t length =
            (size_t)snprintf(word, sizeof(word), "%s%.0d%s%s", i > 0 ? "," : "",
                             n > 1 ? n : 0, n > 1 ? ":" : "", value);
        if (used + length >= sizeof(list))
            return;
        memcpy(list + used, word, length + 1);
        used += length;
    }
    strcpy(cell->power, list);
}

/* Powers are one cell however they are written, and equal ones are none. */
static int check_power(struct cell *cell, struct error *err)
{
    long total;
    if (cell->power[0] == '\0')
        return 0;
    int workers = cell_workers(cell);
    double *power = calloc((size_t)workers, sizeof(*power));
    if (power == NULL)
        return error_set(err, ENOMEM, "out of memory");
    int code = expand_power(cell->power, power, workers, &total, err);
    if (code == 0 && total != workers)
        code = error_set(err, ENOTSUP,
                         "power: %ld powers are given for %d workers", total,
                         workers);
    bool equal = true;
    for (int i = 1; code == 0 && i < workers; i++)
        equal = equal && power[i] == power[0];
    if (code == 0 && equal)
        cell->power[0] = '\0';
    else if (code == 0)
        format_powers(cell, power, workers);
    free(power);
    return code;
}

/* ---- the whole cell ---- */

static bool is(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

int cell_workers(const struct cell *cell)
{
    struct hierarchy h;
    int ranks = cell->ranks;
    if (is(cell->transport, "master") && is(cell->master, "dedicated") &&
        hierarchy_parse(cell->hierarchy, &h, NULL) == 0)
        ranks -= (int)hierarchy_masters(&h);
    return ranks > 0 ? ranks * cell->threads : 0;
}

/* Whether the rows of the kernel depend on each other decides it. */
static int check_protocol(struct cell *cell, bool dependences,
                          struct error *err)
{
    const char *fits = dependences ? "dmps" : "parallel";
    if (is(cell->protocol, "auto"))
        strcpy(cell->protocol, fits);
    if (!is(cell->protocol, fits))
        return error_set(
            err, ENOTSUP,
            "protocol %s does not fit kernel %.*s, whose "
            "iterations are %s: use %s",
            cell->protocol, (int)strcspn(cell->kernel, ":"), cell->kernel,
            dependences ? "rows that depend on each other" : "independent",
            fits);
    if (!dependences)
        cell->sync_interval = 0;
    else if (cell->sync_interval == 0)
        cell->sync_interval = SYNC_INTERVAL;
    return 0;
}

/* What is wrong in itself, found before anything is called impossible: a
 * combination that is skipped must not hide it. */
static int check_words(const struct cell *cell, struct error *err)
{
    struct hierarchy h;
    long total;
    if (cell->ranks < 1 || cell->threads < 1 || cell->min_chunk < 1 ||
        cell->sync_interval < 0)
        return error_set(err, EINVAL,
                         "ranks, threads and min_chunk must be at least 1");
    int code = hierarchy_parse(cell->hierarchy, &h, err);
    if (code == 0 && cell->power[0] != '\0')
        code = expand_power(cell->power, NULL, 0, &total, err);
    return code;
}

static int check_shape(const struct cell *cell, struct error *err)
{
    if ((int64_t)cell->ranks * cell->threads > WORKERS_MAX)
        return error_set(err, ENOTSUP,
                         "layout %dx%d: there can be at most %d workers",
                         cell->ranks, cell->threads, WORKERS_MAX);
    return 0;
}

static int check_specs(struct cell *cell, struct error *err)
{
    const struct kernel_ops *kernel;
    const struct sched_ops *scheme;
    struct spec spec;
    if (cell->kernel[0] == '\0')
        return error_set(err, EINVAL, "kernel: none is given");
    if (cell->scheme[0] == '\0')
        return error_set(err, EINVAL, "scheme: none is given");
    int code = kernel_parse(cell->kernel, &kernel, &spec, err);
    if (code != 0)
        return code;
    snprintf(cell->kernel, sizeof(cell->kernel), "%s", spec.canonical);
    code = sched_parse(cell->scheme, &scheme, &spec, err);
    if (code != 0)
        return code;
    snprintf(cell->scheme, sizeof(cell->scheme), "%s", spec.canonical);
    code = check_words(cell, err);
    if (code != 0)
        return code;
    return check_protocol(cell, kernel->dependence != NULL, err);
}

static void resolve_auto(struct cell *cell)
{
    if (is(cell->transport, "auto"))
        strcpy(cell->transport, cell->ranks == 1 ? "shared" : "master");
    bool master = is(cell->transport, "master");
    if (is(cell->collect, "auto"))
        strcpy(cell->collect, master ? "master" : "local");
    /* What does not apply is written in one way only. */
    if (!master) {
        strcpy(cell->master, "computing");
        cell->prefetch = false;
    }
    if (!is(cell->transport, "window"))
        strcpy(cell->window, "auto");
}

static int check_transport(const struct cell *cell, struct error *err)
{
    if (is(cell->transport, "shared") && cell->ranks > 1)
        return error_set(err, ENOTSUP,
                         "transport shared needs one rank (%d are asked): use "
                         "master or window",
                         cell->ranks);
    if (is(cell->transport, "master") && cell->ranks == 1)
        return error_set(err, ENOTSUP,
                         "transport master needs two ranks or more: use "
                         "shared for one rank");
    if (is(cell->collect, "master") && !is(cell->transport, "master"))
        return error_set(err, ENOTSUP,
                         "collect master needs transport master: with %s "
                         "there is no master to collect",
                         cell->transport);
    if (cell->load[0] != '\0')
        return error_set(err, ENOTSUP,
                         "load: competing load is not built in yet");
    return 0;
}

static int check_dedicated(const struct cell *cell, const struct hierarchy *h,
                           struct error *err)
{
    long masters = hierarchy_masters(h), leaves = hierarchy_leaves(h);
    if (cell->ranks < masters + leaves)
        return error_set(err, ENOTSUP,
                         "hierarchy %s with dedicated masters needs %ld ranks "
                         "(%ld masters and a worker rank for each of the "
                         "lowest), %d are asked",
                         cell->hierarchy, masters + leaves, masters,
                         cell->ranks);
    return 0;
}

static int check_hierarchy(struct cell *cell, struct error *err)
{
    struct hierarchy h;
    int code = hierarchy_parse(cell->hierarchy, &h, err);
    if (code != 0)
        return code;
    hierarchy_format(&h, cell->hierarchy, sizeof(cell->hierarchy));
    if (is(cell->transport, "window") && h.levels > 0)
        return error_set(err, ENOTSUP,
                         "hierarchy %s needs masters, transport window has "
                         "none: allowed are flat and node",
                         cell->hierarchy);
    if (is(cell->transport, "master") && is(cell->master, "dedicated"))
        return check_dedicated(cell, &h, err);
    bool threads = is(cell->transport, "shared");
    long units = threads ? cell->threads : cell->ranks;
    if (hierarchy_leaves(&h) > units)
        return error_set(err, ENOTSUP,
                         "hierarchy %s: more masters (%ld) than %s (%ld)",
                         cell->hierarchy, hierarchy_leaves(&h),
                         threads ? "threads" : "ranks", units);
    return 0;
}

static void set_hash(struct cell *cell)
{
    char text[4096];
    snprintf(
        text, sizeof(text),
        "%s|%s|%s|%s|%s|%s|%s|%s|%s|%s|%s|%s|%d|%d|%d|%" PRId64 "|%" PRId64,
        cell->kernel, cell->scheme, cell->hierarchy, cell->transport,
        cell->master, cell->window, cell->collect, cell->bind, cell->timing,
        cell->protocol, cell->power, cell->load, cell->prefetch, cell->ranks,
        cell->threads, cell->min_chunk, cell->sync_interval);
    snprintf(cell->hash, sizeof(cell->hash), "%016" PRIx64,
             (uint64_t)XXH3_64bits(text, strlen(text)));
}

int cell_check(struct cell *cell, struct error *err)
{
    struct cell checked = *cell;
    int code = check_specs(&checked, err);
    if (code != 0)
        return code;
    resolve_auto(&checked);
    code = check_hierarchy(&checked, err);
    if (code == 0)
        code = check_shape(&checked, err);
    if (code == 0)
        code = check_transport(&checked, err);
    if (code == 0)
        code = check_power(&checked, err);
    if (code != 0)
        return code;
    set_hash(&checked);
    *cell = checked;
    return 0;
}

/* ---- JSON ---- */

json_t *cell_to_json(const struct cell *cell)
{
    json_t *object = json_object();
    json_object_set_new(object, "cell", json_string(cell->hash));
    for (int i = 0; i < TEXT_FIELDS; i++) {
        const char *text = (const char *)cell + text_fields[i].offset;
        json_object_set_new(object, text_fields[i].name, json_string(text));
    }
    json_object_set_new(object, "prefetch", json_boolean(cell->prefetch));
    json_object_set_new(object, "ranks", json_integer(cell->ranks));
    json_object_set_new(object, "threads", json_integer(cell->threads));
    json_object_set_new(object, "min_chunk", json_integer(cell->min_chunk));
    json_object_set_new(object, "sync_interval",
                        cell->sync_interval > 0
                            ? json_integer(cell->sync_interval)
                            : json_null());
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

static int read_numbers(const json_t *object, struct cell *cell,
                        struct error *err)
{
    int64_t ranks = 0, threads = 0;
    const json_t *prefetch = json_object_get(object, "prefetch");
    if (!json_is_boolean(prefetch))
        return error_set(err, EINVAL, "cell: 'prefetch' must be true or false");
    cell->prefetch = json_is_true(prefetch);
    int code = read_integer(object, "ranks", WORKERS_MAX, &ranks, err);
    if (code == 0)
        code = read_integer(object, "threads", WORKERS_MAX, &threads, err);
    if (code == 0)
        code =
            read_integer(object, "min_chunk", INT64_MAX, &cell->min_chunk, err);
    if (code == 0 && !json_is_null(json_object_get(object, "sync_interval")))
        code = read_integer(object, "sync_interval", INT64_MAX,
                            &cell->sync_interval, err);
    if (code != 0)
        return code;
    cell->ranks = (int)ranks;
    cell->threads = (int)threads;
    return 0;
}

int cell_from_json(const json_t *object, struct cell *cell, struct error *err)
{
    struct cell read;
    cell_defaults(&read);
    for (int i = 0; i < TEXT_FIELDS; i++) {
        const struct text_field *field = &text_fields[i];
        const char *text =
            json_string_value(json_object_get(object, field->name));
        if (text == NULL)
            return error_set(err, EINVAL, "cell: the field '%s' is missing",
                             field->name);
        int code = set_text(&read, field, text, err);
        if (code != 0)
            return code;
    }
    int code = read_numbers(object, &read, err);
    if (code == 0)
        code = cell_check(&read, err);
    if (code == 0)
        *cell = read;
    return code;
}
