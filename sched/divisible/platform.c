#include "sched/divisible/platform.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

/* Sums and quotients of allowed values stay far from overflow. */
static const double largest = 1e50;

static int check_worker(const struct divisible_worker *worker, int i,
                        struct error *err)
{
    const struct {
        const char *name;
        double value;
    } costs[] = {{"g", worker->g},
                 {"G", worker->G},
                 {"z", worker->z},
                 {"late", worker->late}};
    for (size_t k = 0; k < sizeof(costs) / sizeof(costs[0]); k++)
        if (!(costs[k].value >= 0 && costs[k].value <= largest))
            return error_set(err, EINVAL,
                             "%s of worker %d is %g s, it must be 0 to %g",
                             costs[k].name, i, costs[k].value, largest);
    if (!(worker->w >= 1 / largest && worker->w <= largest))
        return error_set(err, EINVAL,
                         "w of worker %d is %g s, it must be above 0 (%g to "
                         "%g)",
                         i, worker->w, 1 / largest, largest);
    return 0;
}

int divisible_check(const struct divisible_platform *platform, double load,
                    struct error *err)
{
    int code = 0;
    if (platform->workers < 1 || platform->workers > DIVISIBLE_WORKERS_MAX)
        return error_set(err, EINVAL, "%d workers, allowed is 1 to %d",
                         platform->workers, DIVISIBLE_WORKERS_MAX);
    if (!(load >= 1 / largest && load <= largest))
        return error_set(err, EINVAL,
                         "the load is %g, it must be above 0 (%g to %g)", load,
                         1 / largest, largest);
    for (int i = 0; code == 0 && i < platform->workers; i++)
        code = check_worker(&platform->worker[i], i, err);
    return code;
}

double divisible_latencies(const struct divisible_platform *platform)
{
    double sum = 0;
    for (int i = 0; i < platform->workers; i++)
        sum += platform->worker[i].g;
    return sum;
}

static double key_of(const struct divisible_worker *worker,
                     enum divisible_key key)
{
    switch (key) {
    case DIVISIBLE_BY_LINK:
        return worker->G;
    case DIVISIBLE_BY_LATENCY:
        return worker->g * worker->w;
    default:
        return worker->g + divisible_start_up(worker) + worker->G + worker->w;
    }
}

/* Merges order[0 .. half - 1] and order[half .. count - 1] by way of spare. */
static void merge_halves(const struct divisible_platform *platform,
                         enum divisible_key key, int *order, int half,
                         int count, int *spare)
{
    memcpy(spare, order, (size_t)half * sizeof(*order));
    for (int left = 0, right = half, out = 0; left < half; out++) {
        bool second =
            right < count && key_of(&platform->worker[order[right]], key) <
                                 key_of(&platform->worker[spare[left]], key);
        order[out] = second ? order[right++] : spare[left++];
    }
}

/* qsort is not stable and takes no argument for its comparison. */
static void sort_order(const struct divisible_platform *platform,
                       enum divisible_key key, int *order, int count,
                       int *spare)
{
    int half = count / 2;
    if (count < 2)
        return;
    sort_order(platform, key, order, half, spare);
    sort_order(platform, key, order + half, count - half, spare);
    merge_halves(platform, key, order, half, count, spare);
}

void divisible_sort(const struct divisible_platform *platform,
                    enum divisible_key key, int *order)
{
    int spare[DIVISIBLE_WORKERS_MAX / 2];
    for (int i = 0; i < platform->workers; i++)
        order[i] = i;
    sort_order(platform, key, order, platform->workers, spare);
}
