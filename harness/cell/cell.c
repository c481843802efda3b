/* The fields of cells: their defaults, and how they are set from text. */
#include "harness/cell/cell_fields.h"

#include "base/nearest.h"
#include "base/text.h"
#include "harness/cell/binding.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

const char *const cell_fields[] = {
    "kernel",    "scheme",       "layout",       "ranks",          "threads",
    "workers",   "rank_per",     "nodes",        "hierarchy",      "transport",
    "master",    "window",       "collect",      "bind",           "smt",
    "memory",    "timing",       "power",        "load",           "prefetch",
    "min_chunk", "protocol",     "placement",    "sync_interval",  "platform",
    "cp",        "request_cost", "result_bytes", "boundary_bytes", "data",
    "perturb",   "reissue",      "openmp",       "victim",         NULL};

void cell_defaults(struct cell *cell)
{
    *cell = (struct cell){.hierarchy = "flat",
                          .transport = "auto",
                          .master = "computing",
                          .window = "auto",
                          .openmp = "auto",
                          .victim = "auto",
                          .collect = "auto",
                          .bind = "compact",
                          .memory = "touch",
                          .timing = "worker",
                          .protocol = "auto",
                          .data = "auto",
                          .perturb = "none",
                          .placement = "sticky",
                          .sync_choice = "given",
                          .prefetch = true,
                          .ranks = 1,
                          .threads = 1,
                          .min_chunk = 1};
    cell_simulation_defaults(cell);
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

/* ---- setting one field ---- */

#define TEXT_FIELD(field, ...)                                                 \
    {                                                                          \
#field, offsetof(struct cell, field),                                  \
            sizeof(((struct cell *)0)->field),                                 \
        {                                                                      \
            __VA_ARGS__                                                        \
        }                                                                      \
    }

const struct cell_text_field cell_text_fields[] = {
    TEXT_FIELD(kernel, NULL),
    TEXT_FIELD(scheme, NULL),
    TEXT_FIELD(hierarchy, NULL),
    TEXT_FIELD(transport, "auto", "shared", "master", "window", "openmp",
               "steal"),
    TEXT_FIELD(master, "computing", "dedicated"),
    TEXT_FIELD(window, "auto", "shared", "rma"),
    TEXT_FIELD(openmp, "auto", "libgomp", "libomp"),
    TEXT_FIELD(victim, "auto", "random", "near"),
    TEXT_FIELD(collect, "auto", "master", "local"),
    TEXT_FIELD(bind, NULL),
    TEXT_FIELD(rank_per, NULL),
    TEXT_FIELD(memory, "touch", "bind"),
    TEXT_FIELD(timing, "worker", "chunk"),
    TEXT_FIELD(protocol, "auto", "parallel", "dmps", "subproblem", "push"),
    TEXT_FIELD(data, "auto", "none", "sent"),
    TEXT_FIELD(placement, "sticky", "replan"),
    TEXT_FIELD(sync_choice, "given", "auto", "andronikos", "chen-xue"),
    TEXT_FIELD(power, NULL),
    TEXT_FIELD(load, NULL),
    TEXT_FIELD(perturb, NULL),
    {NULL, 0, 0, {NULL}},
};

static const struct cell_text_field *find_text_field(const char *name)
{
    const struct cell_text_field *field = cell_text_fields;
    while (field->name != NULL && strcmp(field->name, name) != 0)
        field++;
    return field->name != NULL ? field : NULL;
}

/* "a, b, c" of a list, and the nearest, after an unknown name or value. */
static int unknown(const char *what, const char *value,
                   const char *const *allowed, struct error *err)
{
    char list[512] = "";
    size_t used = 0;
    for (int i = 0; allowed[i] != NULL && used < sizeof(list); i++)
        used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s",
                                 i > 0 ? ", " : "", allowed[i]);
    const char *near = nearest_name(value, allowed);
    return error_set(err, EINVAL, "%s: '%s' is unknown, allowed: %s%s%s%s",
                     what, value, list, near ? "; did you mean '" : "",
                     near ? near : "", near ? "'?" : "");
}

int cell_text_check(const char *name, const char *value, size_t size,
                    struct error *err)
{
    long wrong = text_wrong_byte(value);
    if (wrong >= 0)
        return error_set(err, EINVAL,
                         "%s: '%.200s': byte %ld is a control character or not "
                         "UTF-8, which results could not hold",
                         name, value, wrong + 1);
    if (strlen(value) >= size)
        return error_set(err, EINVAL,
                         "%s: the value is longer than %zu characters", name,
                         size - 1);
    return 0;
}

int cell_set_text(struct cell *cell, const struct cell_text_field *field,
                  const char *value, struct error *err)
{
    if (field->choices[0] != NULL) {
        int i = 0;
        while (field->choices[i] != NULL && strcmp(field->choices[i], value))
            i++;
        if (field->choices[i] == NULL)
            return unknown(field->name, value, field->choices, err);
    }
    int code = cell_text_check(field->name, value, field->size, err);
    if (code != 0)
        return code;
    snprintf((char *)cell + field->offset, field->size, "%s", value);
    return 0;
}

static int set_count(const char *field, const char *value, int *out,
                     struct error *err)
{
    int64_t number;
    if (spec_integer(value, &number) != 0 || number < 1 ||
        number > CELL_WORKERS_MAX)
        return error_set(err, EINVAL, "%s: '%s' must be a number from 1 to %d",
                         field, value, CELL_WORKERS_MAX);
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

/* A number, or who chooses it. */
static int set_interval(struct cell *cell, const char *value, struct error *err)
{
    const struct cell_text_field *choice = find_text_field("sync_choice");
    int64_t number = 0;
    bool word = false;
    for (int i = 1; choice->choices[i] != NULL; i++)
        word = word || strcmp(choice->choices[i], value) == 0;
    if (!word && (spec_integer(value, &number) != 0 || number < 1))
        return error_set(err, EINVAL,
                         "sync_interval: '%s' must be a number from 1, auto, "
                         "andronikos or chen-xue",
                         value);
    cell->sync_interval = number;
    return cell_set_text(cell, choice, word ? value : "given", err);
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

/* Text fields whose words depend on each other. */
static int check_text(const char *field, const char *value, struct error *err)
{
    struct topo_binding binding;
    if (strcmp(field, "bind") == 0)
        return binding_bind_parse(&binding, value, err);
    if (strcmp(field, "rank_per") == 0)
        return binding_domain_parse(&binding.domain, value, err);
    return 0;
}

/* reissue on: chunks are out too long after so many times what they should
 * take.  Less than that is what a core shared with another process costs. */
static const double REISSUE_FACTOR = 3, FACTOR_MAX = 1e6;

int cell_reissue_set(struct cell *cell, const char *value, struct error *err)
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
                         "chunks are out too long after so many times what "
                         "they should take",
                         value);
    cell->reissue = factor;
    return 0;
}

int cell_set(struct cell *cell, const char *field, const char *value,
             struct error *err)
{
    const struct cell_text_field *text = find_text_field(field);
    int code = check_text(field, value, err);
    if (code != 0)
        return code;
    if (text != NULL)
        return cell_set_text(cell, text, value, err);
    if (strcmp(field, "layout") == 0)
        return set_layout(cell, value, err);
    if (strcmp(field, "ranks") == 0)
        return set_count(field, value, &cell->ranks, err);
    if (strcmp(field, "threads") == 0)
        return set_count(field, value, &cell->threads, err);
    if (strcmp(field, "workers") == 0)
        return set_count(field, value, &cell->workers, err);
    if (strcmp(field, "nodes") == 0)
        return set_count(field, value, &cell->nodes, err);
    if (strcmp(field, "smt") == 0)
        return set_switch(field, value, &cell->smt, err);
    if (strcmp(field, "prefetch") == 0)
        return set_switch(field, value, &cell->prefetch, err);
    if (strcmp(field, "reissue") == 0)
        return cell_reissue_set(cell, value, err);
    if (strcmp(field, "min_chunk") == 0)
        return set_long(field, value, &cell->min_chunk, err);
    if (strcmp(field, "sync_interval") == 0)
        return set_interval(cell, value, err);
    code = cell_simulation_set(cell, field, value, err);
    return code != -ENOENT ? code : unknown("field", field, cell_fields, err);
}
