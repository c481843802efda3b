/* Sweeps: which cells are one, what was fastest, what lies in between. */
#include "harness/testing.h"

#include "bench/tables/sweep.h"
#include "bench/tables/sweep_parts.h"

#include <math.h>

enum { REPETITIONS = 7 };

/* Repetitions around `time_s`, which is their median. */
static void fill(struct result *result, const char *kernel,
                 const char *interval, int64_t h, double time_s)
{
    struct error err = {""};
    *result = (struct result){.status = RESULT_OK, .count = REPETITIONS};
    cell_defaults(&result->cell);
    cell_set(&result->cell, "kernel", kernel, &err);
    cell_set(&result->cell, "scheme", "css:chunk=4", &err);
    cell_set(&result->cell, "sync_interval", interval, &err);
    result->cell.threads = 2;
    if (cell_check(&result->cell, &err) != 0)
        fail_msg("%s", err.text);
    result->cell.sync_interval = h;
    result->samples = calloc(REPETITIONS, sizeof(*result->samples));
    for (int i = 0; i < REPETITIONS; i++)
        result->samples[i].time_s = time_s * (1 + 0.01 * (i - 3));
}

static struct results make(struct result *list)
{
    const char *heat = "heat:rows=64,cols=96";
    fill(&list[0], heat, "64", 64, 3.0);
    fill(&list[1], heat, "4", 4, 5.0);
    fill(&list[2], heat, "auto", 10, 1.5);
    fill(&list[3], heat, "16", 16, 2.0);
    fill(&list[4], "heat:rows=65,cols=96", "4", 4, 1.0);
    fill(&list[5], "heat:rows=65,cols=96", "5", 5, 1.0);
    fill(&list[6], "heat:rows=65,cols=96", "auto", 6, 1.0);
    fill(&list[7], heat, "8", 8, 0.1);
    list[7].status = RESULT_UNVERIFIED;
    return (struct results){.count = 8, .list = list};
}

static void free_all(struct result *list)
{
    for (int i = 0; i < 8; i++)
        free(list[i].samples);
}

static void three_given_intervals_are_a_sweep(void **unused)
{
    (void)unused;
    struct result list[8];
    struct results results = make(list);
    struct sweeps sweeps;
    struct error err = {""};
    assert_int_equal(sweeps_find(&results, "/nowhere", &sweeps, &err), 0);
    assert_int_equal(sweeps.count, 1);
    const struct sweep *s = &sweeps.list[0];
    assert_int_equal(s->points, 4);
    for (int i = 0; i < 4; i++)
        assert_true(s->point[i].h == ((double[]){4, 10, 16, 64})[i]);
    assert_int_equal(s->best, 1);
    assert_true(s->point[1].time_s == 1.5);
    assert_true(s->point[1].half_s > 0.04 && s->point[1].half_s < 0.05);
    assert_false(s->known);
    assert_true(isnan(s->choice[SWEEP_AUTO].h) && isnan(s->predicted_s));
    sweeps_free(&sweeps);
    free_all(list);
}

static void times_between_are_interpolated(void **unused)
{
    (void)unused;
    struct result list[8];
    struct results results = make(list);
    struct sweeps sweeps;
    struct error err;
    assert_int_equal(sweeps_find(&results, "/nowhere", &sweeps, &err), 0);
    const struct sweep *s = &sweeps.list[0];
    assert_true(sweep_time(s, 16) == 2.0);
    assert_true(fabs(sweep_time(s, 32) - 2.5) < 1e-12); /* half of 16 to 64 */
    assert_true(fabs(sweep_time(s, sqrt(40)) - 3.25) < 1e-12);
    assert_true(isnan(sweep_time(s, 3)) && isnan(sweep_time(s, 65)));
    sweeps_free(&sweeps);
    free_all(list);
}

/* A calibration that knows heat, in the directory. */
static void put_calibration(const char *folder)
{
    struct calibration c = {.took_s = 1};
    struct calibration_kind *kind = &c.kind[CALIBRATION_THREADS];
    struct error err;
    char path[300];
    assert_int_equal(calibration_kind_open(kind, 2, 1, 1, 0, &err), 0);
    strcpy(kind->kernel[0].spec, "heat");
    kind->kernel[0].rows = kind->kernel[0].columns = 80;
    for (int w = 0; w < 2; w++) {
        kind->worker[w].power = 1;
        kind->kernel[0].cost[w] =
            (struct calibration_cost){.c_p = 1e-4, .r2 = 1, .power = 1};
    }
    kind->pair[0] =
        (struct calibration_pair){.worker = {0, 1}, .c_d = 1e-4, .c_c = 1e-9};
    for (int i = 0; i < CALIBRATION_SIZES; i++)
        kind->pair[0].bytes[i] = kind->pair[0].one_way_s[i] = 1;
    snprintf(path, sizeof(path), "%s/calibration.json", folder);
    if (calibration_save(&c, path, &err) != 0)
        fail_msg("%s", err.text);
    calibration_free(&c);
}

static void theory_stands_beside_it(void **unused)
{
    (void)unused;
    char folder[256], path[300], *text;
    struct result list[8];
    struct results results = make(list);
    struct sweeps sweeps;
    struct forecast f;
    struct error err = {""};
    testing_folder(folder, sizeof(folder));
    put_calibration(folder);
    assert_int_equal(sweeps_find(&results, folder, &sweeps, &err), 0);
    const struct sweep *s = &sweeps.list[0];
    assert_true(s->known && s->k == 8);
    struct calibration c;
    snprintf(path, sizeof(path), "%s/calibration.json", folder);
    assert_int_equal(calibration_load(path, &c, &err), 0);
    assert_int_equal(forecast_cell(&f, &list[0].cell, &s->shape, &c, &err), 0);
    double time, error = 0;
    assert_true(s->choice[SWEEP_AUTO].h ==
                (double)forecast_interval(&f, "auto", &time));
    assert_true(s->predicted_s == time);
    for (int i = 0; i < 4; i++)
        error +=
            fabs(forecast_time(&f, s->point[i].h, true) / s->point[i].time_s -
                 1) /
            4;
    assert_true(fabs(s->model_error - error) < 1e-12);
    assert_true(s->plain_error == s->model_error); /* heat has no skew */
    forecast_close(&f);
    calibration_free(&c);
    sweeps_free(&sweeps);

    assert_int_equal(sweep_store(&results, folder, &err), 0);
    snprintf(path, sizeof(path), "%s/sync-interval.csv", folder);
    text = testing_read(path, NULL);
    assert_non_null(strstr(text, "kernel,layout,transport,hierarchy,protocol,"
                                 "scheme,k,h_theory,h_actual,"));
    assert_non_null(strstr(text, ",1x2,shared,flat,dmps,css:chunk=4,8,"));
    free(text);

    for (int i = 0; i < results.count; i++)
        strcpy(list[i].cell.load, "w0:1");
    assert_int_equal(sweeps_find(&results, folder, &sweeps, &err), 0);
    assert_true(sweeps.count > 0 && !sweeps.list[0].known);
    assert_true(isnan(sweeps.list[0].predicted_s));
    sweeps_free(&sweeps);
    testing_folder_remove(folder);
    free_all(list);
}

static void groups_that_differ_in_load_are_told_apart(void **unused)
{
    (void)unused;
    char folder[256], path[300], *text;
    struct result list[6];
    struct results results = {.count = 6, .list = list};
    struct error err = {""};
    for (int i = 0; i < 6; i++) {
        fill(&list[i], "heat:rows=64,cols=96", "4", 4 << i % 3, 1 + i);
        if (i >= 3)
            snprintf(list[i].cell.load, sizeof(list[i].cell.load), "w1:1");
    }
    testing_folder(folder, sizeof(folder));
    assert_int_equal(sweep_store(&results, folder, &err), 0);
    snprintf(path, sizeof(path), "%s/sync-interval.csv", folder);
    text = testing_read(path, NULL);
    assert_non_null(strstr(text, "master,window,collect,bind,rank_per,memory,"
                                 "timing,power,load,placement,smt,"
                                 "prefetch,min_chunk,"
                                 "oversubscribed,simulation\n"));
    assert_non_null(strstr(text, ",w1:1,"));
    free(text);
    snprintf(path, sizeof(path), "%s/sync-interval.txt", folder);
    text = testing_read(path, NULL);
    assert_non_null(strstr(text, "  1: css:chunk=4, 1 rank x 2 threads, "
                                 "shared, flat\n"));
    assert_non_null(strstr(text, "  2: css:chunk=4, 1 rank x 2 threads, "
                                 "shared, flat, non-dedicated, load w1:1\n"));
    free(text);
    testing_folder_remove(folder);
    for (int i = 0; i < 6; i++)
        free(list[i].samples);
}

static void shared_cores_are_not_ranked(void **unused)
{
    (void)unused;
    char folder[256], path[300], *text;
    struct result list[8];
    struct results results = make(list);
    struct sweeps sweeps;
    struct error err = {""};
    for (int i = 0; i < 8; i++)
        list[i].oversubscribed = true;
    testing_folder(folder, sizeof(folder));
    put_calibration(folder);
    assert_int_equal(sweeps_find(&results, folder, &sweeps, &err), 0);
    assert_int_equal(sweeps.count, 1);
    assert_true(sweeps.list[0].unranked != NULL && sweeps.list[0].best == -1);
    assert_true(sweeps.list[0].known);
    assert_true(isnan(sweeps.list[0].choice[SWEEP_AUTO].loss));
    sweeps_free(&sweeps);
    assert_int_equal(sweep_store(&results, folder, &err), 0);
    snprintf(path, sizeof(path), "%s/sync-interval.txt", folder);
    text = testing_read(path, NULL);
    assert_non_null(strstr(text, "; oversubscribed, not ranked\n"));
    assert_null(strstr(text, "* 10"));
    free(text);
    list[0].oversubscribed = false; /* two are left of those that shared */
    assert_int_equal(sweeps_find(&results, folder, &sweeps, &err), 0);
    assert_int_equal(sweeps.count, 0);
    sweeps_free(&sweeps);
    testing_folder_remove(folder);
    free_all(list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(three_given_intervals_are_a_sweep),
        cmocka_unit_test(times_between_are_interpolated),
        cmocka_unit_test(theory_stands_beside_it),
        cmocka_unit_test(groups_that_differ_in_load_are_told_apart),
        cmocka_unit_test(shared_cores_are_not_ranked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
