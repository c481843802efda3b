/* Powers that launches have measured: they are in the workers' records. */
#include "bench/results/results.h"

#include "harness/check/setup.h"

#include <errno.h>
#include <stdlib.h>

bool results_measure_power(const struct results *results)
{
    for (int i = 0; i < results->count; i++)
        if (cell_measures_power(&results->list[i].cell))
            return true;
    return false;
}

/* A worker's power is the same in all repetitions of a launch; of several
 * launches it is the mean. */
int results_take_worker(struct results *results, const json_t *line)
{
    const char *hash = json_string_value(json_object_get(line, "cell"));
    const json_t *power = json_object_get(line, "power");
    json_int_t worker = json_integer_value(json_object_get(line, "worker"));
    struct result *result =
        hash ? (struct result *)results_find(results, hash) : NULL;
    if (result == NULL || !cell_measures_power(&result->cell) ||
        !json_is_number(power) || worker < 0 ||
        worker >= cell_workers(&result->cell))
        return 0;
    size_t workers = (size_t)cell_workers(&result->cell);
    if (result->power == NULL)
        result->power = calloc(2 * workers, sizeof(*result->power));
    if (result->power == NULL)
        return -ENOMEM;
    double *mean = &result->power[worker];
    double *lines = &result->power[workers + (size_t)worker];
    *mean += (json_number_value(power) - *mean) / ++*lines;
    return 0;
}
