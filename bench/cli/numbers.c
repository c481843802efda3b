#include "bench/cli/numbers.h"

#include "base/spec.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int number_integer(const char *what, const char *text, int64_t min, int64_t max,
                   int64_t *value, struct error *err)
{
    int64_t number;
    int code = spec_integer(text, &number);
    if (code == -EINVAL)
        return error_set(err, EINVAL, "%s: '%s' is not a whole number", what,
                         text);
    if (code != 0 || number < min || number > max)
        return error_set(err, EINVAL,
                         "%s: %s is out of range, allowed is %" PRId64
                         " to %" PRId64,
                         what, text, min, max);
    *value = number;
    return 0;
}

int number_real(const char *what, const char *text, double min, double max,
                double *value, struct error *err)
{
    double number;
    int code = spec_real(text, &number);
    if (code == -EINVAL)
        return error_set(err, EINVAL, "%s: '%s' is not a number", what, text);
    if (code != 0 || !(number >= min && number <= max))
        return error_set(err, EINVAL,
                         "%s: %s is out of range, allowed is %g to %g", what,
                         text, min, max);
    *value = number;
    return 0;
}

/* One entry "v" or "n:v" of a list. */
static int parse_entry(const char *what, char *entry, int workers,
                       int64_t *times, double *value, struct error *err)
{
    char *colon = strchr(entry, ':');
    *times = 1;
    if (colon != NULL) {
        *colon = '\0';
        int code = number_integer(what, entry, 1, workers, times, err);
        if (code != 0)
            return code;
    }
    const char *text = colon ? colon + 1 : entry;
    return number_real(what, text, 0, 1e300, value, err);
}

/* All entries, at most `workers` of them kept; *count is how many there are. */
static int parse_entries(const char *what, char *text, int workers,
                         double *list, int64_t *count, struct error *err)
{
    int code = 0;
    for (char *entry = text; code == 0 && entry != NULL;) {
        char *comma = strchr(entry, ',');
        if (comma != NULL)
            *comma = '\0';
        int64_t times = 1;
        double value = 0;
        code = parse_entry(what, entry, workers, &times, &value, err);
        for (int64_t i = 0; code == 0 && i < times; i++, ++*count)
            if (*count < workers)
                list[*count] = value;
        entry = comma ? comma + 1 : NULL;
    }
    return code;
}

/* A list that is to be freed, and how many entries were given for it. */
static int parse_list(const char *what, const char *text, int workers,
                      double **list, int64_t *count, struct error *err)
{
    char *copy = strdup(text);
    *list = calloc((size_t)workers, sizeof(**list));
    *count = 0;
    int code = copy && *list ? 0 : error_set(err, ENOMEM, "out of memory");
    if (code == 0)
        code = parse_entries(what, copy, workers, *list, count, err);
    free(copy);
    if (code != 0)
        free(*list);
    return code;
}

static int wrong_count(const char *what, const char *things, int64_t count,
                       int workers, struct error *err)
{
    return error_set(err, EINVAL,
                     "%s: %" PRId64 " %s for %d workers, there must be one "
                     "for each (n:v stands for n times v)",
                     what, count, things, workers);
}

int number_powers(const char *what, const char *text, int workers,
                  double **power, struct error *err)
{
    double *list;
    int64_t count;
    int code = parse_list(what, text, workers, &list, &count, err);
    if (code != 0)
        return code;
    for (int64_t i = 0; code == 0 && i < count && i < workers; i++)
        if (list[i] <= 0)
            code = error_set(err, EINVAL, "%s: a power must be above 0", what);
    if (code == 0 && count != workers)
        code = wrong_count(what, "powers", count, workers, err);
    if (code == 0)
        *power = list;
    else
        free(list);
    return code;
}

int number_costs(const char *what, const char *text, int workers, double **cost,
                 struct error *err)
{
    double *list;
    int64_t count;
    int code = parse_list(what, text, workers, &list, &count, err);
    if (code != 0)
        return code;
    if (count != workers && count != 1) {
        free(list);
        return wrong_count(what, "values", count, workers, err);
    }
    for (int i = 1; count == 1 && i < workers; i++)
        list[i] = list[0];
    *cost = list;
    return 0;
}

int number_order(const char *what, const char *text, int workers, int **order,
                 int *count, struct error *err)
{
    char *copy = strdup(text);
    int *list = calloc(strlen(text) + 1, sizeof(*list));
    int n = 0;
    int code = copy && list ? 0 : error_set(err, ENOMEM, "out of memory");
    for (char *entry = copy; code == 0 && entry != NULL;) {
        char *comma = strchr(entry, ',');
        if (comma != NULL)
            *comma = '\0';
        int64_t worker = 0;
        code = number_integer(what, entry, 0, workers - 1, &worker, err);
        if (code == 0)
            list[n++] = (int)worker;
        entry = comma ? comma + 1 : NULL;
    }
    free(copy);
    if (code != 0) {
        free(list);
        return code;
    }
    *order = list;
    *count = n;
    return 0;
}
