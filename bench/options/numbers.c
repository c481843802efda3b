#include "bench/options/numbers.h"

#include "base/spec.h"
#include "harness/process/need.h"

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

/* A list that is to be freed, and how many numbers were given for it. */
static int parse_list(const char *what, const char *text, int workers,
                      double **list, struct spec_list *found, struct error *err)
{
    int64_t times;
    double value;
    *list = need_zeroed((size_t)workers, sizeof(**list));
    if (spec_list(text, workers, *list, workers, found) == 0)
        return 0;
    free(*list);
    return found->wrong_times
               ? number_integer(what, found->wrong, 1, workers, &times, err)
               : number_real(what, found->wrong, 0, 1e300, &value, err);
}

static int wrong_count(const char *what, const char *things, int64_t count,
                       int workers, struct error *err)
{
    return error_set(err, EINVAL,
                     "%s: %" PRId64 " %s for %d workers, there must be one "
                     "for each (n:v means n times v)",
                     what, count, things, workers);
}

int number_powers(const char *what, const char *text, int workers,
                  double **power, struct error *err)
{
    double *list;
    struct spec_list found;
    int code = parse_list(what, text, workers, &list, &found, err);
    if (code != 0)
        return code;
    if (!(found.smallest > 0))
        code = error_set(err, EINVAL, "%s: a power must be above 0", what);
    else if (found.count != workers)
        code = wrong_count(what, "powers", found.count, workers, err);
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
    struct spec_list found;
    int code = parse_list(what, text, workers, &list, &found, err);
    if (code != 0)
        return code;
    if (found.count != workers && found.count != 1) {
        free(list);
        return wrong_count(what, "values", found.count, workers, err);
    }
    for (int i = 1; found.count == 1 && i < workers; i++)
        list[i] = list[0];
    *cost = list;
    return 0;
}

int number_order(const char *what, const char *text, int workers, int **order,
                 int *count, struct error *err)
{
    char *copy = need_copy(text), *rest = copy, *entry;
    int *list = need_zeroed(strlen(text) + 1, sizeof(*list));
    int n = 0, code = 0;
    while (code == 0 && (entry = strsep(&rest, ",")) != NULL) {
        int64_t worker = 0;
        code = number_integer(what, entry, 0, workers - 1, &worker, err);
        if (code == 0)
            list[n++] = (int)worker;
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
