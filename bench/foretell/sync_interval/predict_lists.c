/* Lists in the options of `predict`: workers, costs, intervals. */
#include "base/stats.h"
#include "base/text.h"
#include "bench/foretell/sync_interval/predict.h"
#include "bench/options/numbers.h"
#include "harness/process/need.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    WORKERS_MAX = 1 << 20,
    SWEEP_STEPS = 6, /* on each side of the optimum, by factors of sqrt(2) */
};

static int count_entries(const char *text)
{
    int count = 1;
    for (; *text != '\0'; text++)
        count += *text == ',';
    return count;
}

/* "n" or "n:power" */
static int read_group(char *entry, struct interval_group *group,
                      struct error *err)
{
    char *colon = strchr(entry, ':');
    if (colon != NULL)
        *colon = '\0';
    group->power = 1;
    int code = number_integer("--workers", entry, 1, WORKERS_MAX,
                              &group->workers, err);
    if (code == 0 && colon != NULL)
        code = number_real("--workers", colon + 1, 0, 1e15, &group->power, err);
    if (code == 0 && !(group->power > 0))
        code = error_set(err, EINVAL, "--workers: a power must be above 0");
    return code;
}

static int read_groups(char *workers, struct interval_group *group,
                       struct error *err)
{
    int code = 0;
    char *entry;
    int64_t total = 0;
    for (int j = 0; code == 0 && (entry = strsep(&workers, ",")) != NULL; j++) {
        code = read_group(entry, &group[j], err);
        total += group[j].workers;
        if (code == 0 && total > WORKERS_MAX)
            code = error_set(err, EINVAL, "--workers: more than %d workers",
                             WORKERS_MAX);
    }
    return code;
}

static int read_costs(char *c_p, struct interval_group *group,
                      struct error *err)
{
    int code = 0;
    char *entry;
    for (int j = 0; code == 0 && (entry = strsep(&c_p, ",")) != NULL; j++) {
        code = number_real("--cp", entry, 0, 1e15, &group[j].c_p, err);
        if (code == 0 && !(group[j].c_p > 0))
            code = error_set(err, EINVAL,
                             "--cp: %s s for an iteration, it must be above 0",
                             entry);
    }
    return code;
}

int predict_groups(const char *workers, const char *c_p,
                   struct interval_group **group, int *count, struct error *err)
{
    int groups = count_entries(workers);
    if (count_entries(c_p) != groups)
        return error_set(
            err, EINVAL,
            "--cp: %d given for %d group%s of --workers, there must be "
            "one for each",
            count_entries(c_p), groups, text_s(groups));
    struct interval_group *list = need_zeroed((size_t)groups, sizeof(*list));
    char *copy = need_copy(workers), *costs = need_copy(c_p);
    int code = read_groups(copy, list, err);
    if (code == 0)
        code = read_costs(costs, list, err);
    free(copy);
    free(costs);
    if (code != 0) {
        free(list);
        return code;
    }
    *group = list;
    *count = groups;
    return 0;
}

static int read_intervals(const char *text, double max, double *list,
                          struct error *err)
{
    char *copy = need_copy(text), *rest = copy, *entry;
    int code = 0;
    for (int i = 0; code == 0 && (entry = strsep(&rest, ",")) != NULL; i++) {
        code = number_real("--h", entry, -1e300, 1e300, &list[i], err);
        if (code == 0 && !(list[i] >= 1))
            code = error_set(err, EINVAL,
                             "--h: an interval of %s is not one, it must be at "
                             "least 1",
                             entry);
        else if (code == 0 && list[i] > max)
            code = error_set(err, EINVAL,
                             "--h: an interval of %s is longer than the sync "
                             "dimension, %.15g",
                             entry, max);
    }
    free(copy);
    return code;
}

/* Sorts and removes duplicates.  Numbers that print like the optimum become
 * it. */
static int sort_once(double *list, int count, double optimum)
{
    int kept = 0;
    for (int i = 0; i < count; i++)
        if (fabs(list[i] - optimum) < 1e-8 * optimum)
            list[i] = optimum;
    stats_sort(list, count);
    for (int i = 0; i < count; i++)
        if (kept == 0 || list[i] > list[kept - 1])
            list[kept++] = list[i];
    return kept;
}

int predict_intervals(const char *text, double optimum, double max, double **h,
                      int *count, struct error *err)
{
    int given = text != NULL ? count_entries(text) : 2 * SWEEP_STEPS + 1;
    double *list = need_zeroed((size_t)given + 1, sizeof(*list));
    int code = 0;
    if (text != NULL)
        code = read_intervals(text, max, list, err);
    for (int i = 0; text == NULL && i < given; i++)
        list[i] =
            fmin(fmax(round(optimum * exp2((i - SWEEP_STEPS) / 2.0)), 1), max);
    if (code != 0) {
        free(list);
        return code;
    }
    list[given] = optimum;
    *count = sort_once(list, given + 1, optimum);
    *h = list;
    return 0;
}
