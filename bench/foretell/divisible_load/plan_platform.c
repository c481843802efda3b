/* The workers of `plan`, from its options or from a file. */
#include "base/file.h"
#include "base/text.h"
#include "bench/foretell/divisible_load/plan_command.h"
#include "bench/options/numbers.h"
#include "harness/process/need.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { COSTS = 5 };
static const char *const cost_names[COSTS] = {"g", "G", "w", "z", "late"};

static double *cost_of(struct divisible_worker *worker, int cost)
{
    double *const field[COSTS] = {&worker->g, &worker->G, &worker->w,
                                  &worker->z, &worker->late};
    return field[cost];
}

/* ---- from lists ---- */

static int read_list(const char *text, int cost, int workers,
                     struct divisible_worker *worker, struct error *err)
{
    char what[12];
    double *list;
    if (text == NULL)
        return 0;
    snprintf(what, sizeof(what), "--%s", cost_names[cost]);
    int code = number_costs(what, text, workers, &list, err);
    if (code != 0)
        return code;
    for (int i = 0; i < workers; i++)
        *cost_of(&worker[i], cost) = list[i];
    free(list);
    return 0;
}

static int read_lists(const struct plan_source *source,
                      struct plan_platform *out, struct error *err)
{
    const char *const text[COSTS] = {source->g, source->G, source->w, source->z,
                                     source->late};
    const char *missing = source->workers == NULL ? "--workers"
                          : source->G == NULL     ? "--G"
                          : source->w == NULL     ? "--w"
                                                  : NULL;
    int64_t workers = 0;
    if (missing != NULL)
        return error_set(err, EINVAL,
                         "plan: %s is missing (or --platform FILE)", missing);
    int code = number_integer("--workers", source->workers, 1,
                              DIVISIBLE_WORKERS_MAX, &workers, err);
    if (code != 0)
        return code;
    out->worker = need_zeroed((size_t)workers, sizeof(*out->worker));
    for (int cost = 0; code == 0 && cost < COSTS; cost++)
        code = read_list(text[cost], cost, (int)workers, out->worker, err);
    out->platform.workers = (int)workers;
    return code;
}

/* ---- from a file ---- */

struct parser {
    const char *path;
    int line;
    int column[COSTS + 1]; /* the meaning of each column */
    int columns;           /* 0: no header yet */
    struct plan_platform *out;
    int64_t room; /* of its workers */
};

/* Cuts the comment and the blanks at both ends. */
static char *trim_line(char *text)
{
    text[strcspn(text, "#")] = '\0';
    return text_trim(text);
}

static int read_name(struct parser *parser, const char *name, struct error *err)
{
    for (int cost = 0; cost < COSTS; cost++) {
        if (strcmp(name, cost_names[cost]) != 0)
            continue;
        for (int k = 0; k < parser->columns; k++)
            if (parser->column[k] == cost)
                return error_set(err, EINVAL, "%s:%d: column %s is there twice",
                                 parser->path, parser->line, name);
        parser->column[parser->columns++] = cost;
        return 0;
    }
    return error_set(err, EINVAL,
                     "%s:%d: column '%s' is unknown, the header names columns "
                     "of g, G, w, z, late",
                     parser->path, parser->line, name);
}

static int read_number(struct parser *parser, int k, const char *text,
                       struct divisible_worker *worker, struct error *err)
{
    char what[600];
    if (k >= parser->columns)
        return error_set(err, EINVAL, "%s:%d: more values than columns",
                         parser->path, parser->line);
    int cost = parser->column[k];
    snprintf(what, sizeof(what), "%.500s:%d: %s", parser->path, parser->line,
             cost_names[cost]);
    return number_real(what, text, 0, 1e300, cost_of(worker, cost), err);
}

static bool has_column(const struct parser *parser, int cost)
{
    for (int k = 0; k < parser->columns; k++)
        if (parser->column[k] == cost)
            return true;
    return false;
}

static int add_worker(struct parser *parser,
                      const struct divisible_worker *worker, struct error *err)
{
    struct plan_platform *out = parser->out;
    int count = out->platform.workers;
    if (count == DIVISIBLE_WORKERS_MAX)
        return error_set(err, EINVAL, "%s:%d: more than %d workers",
                         parser->path, parser->line, DIVISIBLE_WORKERS_MAX);
    need_room(&out->worker, &parser->room, count + 1, sizeof(*out->worker));
    out->worker[count] = *worker;
    out->platform.workers = count + 1;
    return 0;
}

static int read_line(struct parser *parser, char *line, struct error *err)
{
    struct divisible_worker worker = {0};
    bool header = parser->columns == 0;
    char *text;
    int code = 0, k = 0;
    for (; code == 0 && (text = strsep(&line, ",")) != NULL; k++)
        code = header ? read_name(parser, trim_line(text), err)
                      : read_number(parser, k, trim_line(text), &worker, err);
    if (code == 0 && header) {
        for (int cost = 1; cost <= 2; cost++)
            if (!has_column(parser, cost))
                return error_set(err, EINVAL, "%s:%d: column %s is missing",
                                 parser->path, parser->line, cost_names[cost]);
        return 0;
    }
    if (code == 0 && k < parser->columns)
        return error_set(err, EINVAL, "%s:%d: %d values for %d columns",
                         parser->path, parser->line, k, parser->columns);
    return code == 0 ? add_worker(parser, &worker, err) : code;
}

static int read_file(const char *path, struct plan_platform *out,
                     struct error *err)
{
    struct parser parser = {.path = path, .out = out};
    const char *why;
    struct file_lines lines = {.file = file_open(path, &why)};
    int code;
    if (lines.file == NULL)
        return error_set(err, errno, "cannot read %s: %s", path, why);
    while ((code = file_next_line(&lines, err)) > 0) {
        parser.line = (int)lines.number;
        char *text = trim_line(lines.text);
        code = *text != '\0' ? read_line(&parser, text, err) : 0;
        if (code != 0)
            break;
    }
    if (code < 0 && lines.number > parser.line)
        error_prefix(err, code, "%s:%ld", path, lines.number);
    else if (code == 0 && out->platform.workers == 0)
        code = error_set(err, EINVAL, "%s: there are no workers in it", path);
    file_free_lines(&lines);
    fclose(lines.file);
    return code;
}

static int check_source(const struct plan_source *source, struct error *err)
{
    bool lists =
        source->g || source->G || source->w || source->z || source->late;
    if (source->file != NULL && (lists || source->workers || source->kernel))
        return error_set(err, EINVAL,
                         "plan: --platform does not go with --workers, --g, "
                         "--G, --w, --z, --late or --kernel");
    if (source->kernel != NULL && lists)
        return error_set(err, EINVAL,
                         "plan: --kernel does not go with --g, --G, --w, "
                         "--z or --late");
    if (source->kernel == NULL && (source->unit_bytes || source->calibration))
        return error_set(err, EINVAL,
                         "plan: --unit-bytes and --calibration need --kernel");
    return 0;
}

int plan_platform_read(const struct plan_source *source, bool overlap,
                       double load, struct plan_platform *out,
                       struct error *err)
{
    *out = (struct plan_platform){.platform.overlap = overlap};
    int code = check_source(source, err);
    if (code == 0 && source->file != NULL)
        code = read_file(source->file, out, err);
    else if (code == 0 && source->kernel != NULL)
        code = plan_calibrated(source, out, err);
    else if (code == 0)
        code = read_lists(source, out, err);
    out->platform.worker = out->worker;
    if (code == 0)
        code = divisible_check(&out->platform, load, err);
    if (code != 0)
        plan_platform_free(out);
    return code;
}

void plan_platform_free(struct plan_platform *platform)
{
    free(platform->worker);
    *platform = (struct plan_platform){0};
}
