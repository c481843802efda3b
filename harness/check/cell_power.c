/* The list of powers of a cell. */
#include "harness/check/cell_checks.h"

#include "harness/process/need.h"
#include "sched/sched.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Expands the list into out (at most `room` entries); *total counts all. */
static int expand_powers(const char *text, double *out, int64_t room,
                         int64_t *total, struct error *err)
{
    struct spec_list list;
    int code = spec_list(text, CELL_WORKERS_MAX, out, room, &list);
    if (code != 0 && list.wrong_times)
        return error_set(err, EINVAL,
                         "power: '%s' before ':' must be a number of workers",
                         list.wrong);
    if (code != 0 || !(list.smallest > 0))
        return error_set(err, EINVAL,
                         "power: '%s' must be a number above 0, or all of it "
                         "the word measured",
                         code != 0 ? list.wrong : "0");
    if (list.largest / list.smallest > SCHED_POWER_RATIO_MAX)
        return error_set(err, EINVAL,
                         "power: the powers range from %g to %g, the largest "
                         "may be at most %g times the smallest",
                         list.smallest, list.largest, SCHED_POWER_RATIO_MAX);
    *total = list.count;
    return 0;
}

/* One form for powers: v for one, n:v for two or more.  A list that would not
 * fit (1/3 becomes 16 digits) keeps its given form. */
static void format_powers(struct cell *cell, const double *power, int workers)
{
    char list[CELL_LIST_MAX] = "", word[48], value[32];
    size_t used = 0;
    for (int i = 0, n = 1; i < workers; i += n, n = 1) {
        while (i + n < workers && power[i + n] == power[i])
            n++;
        cell_real_text(power[i], value, sizeof(value));
        size_t length =
            (size_t)snprintf(word, sizeof(word), "%s%.0d%s%s", i > 0 ? "," : "",
                             n > 1 ? n : 0, n > 1 ? ":" : "", value);
        if (used + length >= sizeof(list))
            return;
        memcpy(list + used, word, length + 1);
        used += length;
    }
    cell->power = cell_keep(cell, list);
}

int setup_read_power(const struct cell *cell, struct error *err)
{
    int64_t total;
    if (cell->power[0] == '\0' || cell_measures_power(cell))
        return 0;
    return expand_powers(cell->power, NULL, 0, &total, err);
}

static int check_measured(const struct cell *cell, struct error *err)
{
    if (cell->platform[0] != '\0' && cell->load[0] != '\0')
        return error_set(err, ENOTSUP,
                         "power measured under a load is for runs: a "
                         "simulation knows the powers of its platform alone");
    if (strcmp(cell->data, "sent") == 0)
        return error_set(err, ENOTSUP,
                         "power measured: the workers have no input data to "
                         "measure with before they are sent (data: sent)");
    return 0;
}

int setup_check_power(struct setup *setup, struct error *err)
{
    int64_t total = 0;
    struct cell *cell = &setup->cell;
    int workers = setup->workers;
    if (cell_measures_power(cell)) {
        setup->measures_power = workers > 1;
        if (workers == 1)
            cell->power = "";
        return check_measured(&setup->cell, err);
    }
    if (cell->power[0] == '\0')
        return 0;
    setup->power = need_zeroed((size_t)workers, sizeof(*setup->power));
    int code = expand_powers(cell->power, setup->power, workers, &total, err);
    if (code == 0 && total != workers)
        code = error_set(err, ENOTSUP,
                         "power: %lld powers are given for %d workers",
                         (long long)total, workers);
    if (code != 0)
        return code;
    int equal = 1;
    while (equal < workers && setup->power[equal] == setup->power[0])
        equal++;
    if (equal < workers) {
        format_powers(cell, setup->power, workers);
        return 0;
    }
    cell->power = "";
    free(setup->power);
    setup->power = NULL;
    return 0;
}
