/* The experiments of the paper as models, for the tests of this folder. */
#ifndef SCHED_INTERVAL_INTERVAL_TESTING_H
#define SCHED_INTERVAL_INTERVAL_TESTING_H

#include "sched/interval/interval.h"
#include "sched/sched_testing.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const double power_of_kid = 0.63; /* sec. 5.1; twins have 1 */

struct experiment {
    struct interval_model model;
    struct interval_group group[2];
};

static inline void assert_near(const char *what, double value, double expected,
                               double relative)
{
    if (!(fabs(value - expected) <= relative * fabs(expected)))
        fail_msg("%s: %.9g, not %.9g", what, value, expected);
}

/* Cuts a line of csv into fields, some of which are empty. */
static inline int split(char *line, char **field, int max)
{
    int count = 0;
    line[strcspn(line, "\r\n")] = '\0';
    while (count < max && (field[count] = strsep(&line, ",")) != NULL)
        count++;
    return count;
}

static inline void add_group(struct experiment *e, int64_t workers,
                             double power, double c_p_us)
{
    if (c_p_us > 0)
        e->group[e->model.groups++] = (struct interval_group){
            .workers = workers, .power = power, .c_p = c_p_us * 1e-6};
    e->model.group = e->group;
}

/* A line of table 1. */
static inline void fill_experiment(struct experiment *e, char *const *field)
{
    double kid = atof(field[7]), twin = atof(field[8]);
    int64_t each = atoi(field[2]) / (kid > 0 && twin > 0 ? 2 : 1);
    e->model = (struct interval_model){.chunk_dim = atof(field[3]),
                                       .sync_dim = atof(field[4]),
                                       .c_d = atof(field[5]) * 1e-6,
                                       .c_c = atof(field[6]) * 1e-6,
                                       .c_sch = atof(field[9]) * 1e-6,
                                       .t_ms = atof(field[10]) * 1e-3,
                                       .k = 1};
    add_group(e, each, 1, twin);
    add_group(e, each, power_of_kid, kid);
    e->model.last = e->model.groups - 1;
}

/* Experiment 1, 2 or 3. */
static inline void open_experiment(struct experiment *e, int number)
{
    char line[256], *field[11];
    bool found = false;
    FILE *file = testing_open_paper("andronikos/table_1.csv");
    while (fgets(line, sizeof(line), file) != NULL) {
        assert_int_equal(split(line, field, 11), 11);
        if (atoi(field[0]) != number)
            continue;
        fill_experiment(e, field);
        found = true;
    }
    fclose(file);
    assert_true(found);
    assert_int_equal(interval_check(&e->model, NULL), 0);
}

/* The same for the paper's formulas. */
static inline void open_printed(struct experiment *e, int number)
{
    open_experiment(e, number);
    e->model.printed = true;
}

/* T at h is smaller than to both sides, T_wa being constant. */
static inline void assert_minimum(const struct interval_model *model)
{
    double h = interval_optimum(model);
    double best = interval_time(model, h, INTERVAL_TWA_PRINTED);
    for (double f = 1e-4; f < 8; f *= 2) {
        double low = fmax(h / (1 + f), 1);
        double high = fmin(h * (1 + f), model->sync_dim);
        if (interval_time(model, low, INTERVAL_TWA_PRINTED) < best ||
            interval_time(model, high, INTERVAL_TWA_PRINTED) < best)
            fail_msg("T is smaller than at h = %g within a factor of %g", h,
                     1 + f);
    }
}

#endif
