#include "kernels/support/cost_file.h"

#include "base/file.h"
#include "base/list.h"
#include "base/text.h"
#include "kernels/support/memory_check.h"
#include "kernels/support/unpack.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A limit, so that a short file cannot take all memory. */
enum { COUNT_MAX = 1 << 26 };

static const double COST_MAX = 1e6; /* seconds, 11 days */

struct costs {
    double unit_s; /* seconds that a 1 in the file means */
    double *cost;
    int64_t count;
};

static int parse_cost(const char *text, double unit_s, double *cost,
                      struct error *err)
{
    char *end;
    double value = text_real(text, &end);
    if (end == text || *end != '\0' || isnan(value))
        return error_set(
            err, EINVAL, "'%.60s' is not a number%s", text,
            strchr(text, ',') != NULL ? ": write a point, and no comma" : "");
    if (value < 0)
        return error_set(err, EINVAL, "the cost %.60s is negative", text);
    if (value * unit_s > COST_MAX)
        return error_set(err, EINVAL,
                         "the cost %.60s is above %g seconds: is its unit "
                         "another one?",
                         text, COST_MAX);
    *cost = value * unit_s + 0.0; /* -0 is 0 */
    return 0;
}

/* "n:" before a cost. */
static int parse_times(const char **text, int64_t *times, struct error *err)
{
    const char *colon = strchr(*text, ':');
    char *end;
    if (colon == NULL)
        return 0;
    *times = strtoll(*text, &end, 10);
    if (end != colon || *times < 1 || *times > COUNT_MAX)
        return error_set(err, EINVAL,
                         "'%.60s': before the colon there must be a number of "
                         "iterations, 1 to %d",
                         *text, COUNT_MAX);
    *text = colon + 1;
    return 0;
}

static int append_cost(struct costs *c, int64_t *room, double cost,
                       int64_t times, struct error *err)
{
    if (c->count + times > COUNT_MAX)
        return error_set(err, EINVAL, "there are more than %d iterations",
                         COUNT_MAX);
    /* The array doubles; while it is copied, both exist. */
    if (c->count + times > *room) {
        double bytes = 2.0 * sizeof(*c->cost) * (double)(c->count + times);
        int code = kernel_memory_check("trace", "its costs", bytes, err);
        if (code != 0)
            return code;
    }
    if (list_grow(&c->cost, room, c->count + times, sizeof(*c->cost)) != 0)
        return error_set(err, ENOMEM, "out of memory");
    for (int64_t i = 0; i < times; i++)
        c->cost[c->count++] = cost;
    return 0;
}

static int read_line(struct costs *c, char *line, int64_t *room,
                     struct error *err)
{
    line[strcspn(line, "#")] = '\0';
    const char *text = text_trim(line);
    double cost = 0;
    int64_t times = 1;
    if (*text == '\0')
        return 0;
    int code = parse_times(&text, &times, err);
    if (code == 0)
        code = parse_cost(text, c->unit_s, &cost, err);
    return code == 0 ? append_cost(c, room, cost, times, err) : code;
}

static int read_lines(struct costs *c, FILE *file, const char *what,
                      const char *path, struct error *err)
{
    struct file_lines lines = {.file = file};
    int64_t room = 0;
    int code;
    while ((code = file_next_line(&lines, err)) > 0 &&
           (code = read_line(c, lines.text, &room, err)) == 0)
        continue;
    if (code != 0)
        unpack_blame(file, err);
    if (code != 0)
        error_prefix(err, code, "%s: %s:%ld", what, path, lines.number);
    else if (c->count == 0)
        code = error_set(err, EINVAL, "%s: %s has no costs", what, path);
    file_free_lines(&lines);
    return code;
}

double costs_unit(const char *name)
{
    static const struct {
        const char *name;
        double seconds;
    } units[] = {{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}};
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
        if (strcmp(name, units[i].name) == 0)
            return units[i].seconds;
    return NAN;
}

int costs_read(const char *what, const char *path, double unit_s, double **cost,
               int64_t *count, struct error *err)
{
    struct costs c = {.unit_s = unit_s};
    FILE *file;
    int code = unpack_open(what, path, &file, NULL, err);
    if (code != 0)
        return code;
    code = read_lines(&c, file, what, path, err);
    fclose(file);
    if (code != 0) {
        free(c.cost);
        return code;
    }
    *cost = c.cost;
    *count = c.count;
    return 0;
}
