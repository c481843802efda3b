#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "bench/papers/beaumont/report.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct beaumont_reading printed = {.data_mbit = 2,
                                                .latency_mbit = 2};

static bool same(double a, double b)
{
    return fabs(a - b) <= 1e-12 * fabs(b);
}

static void homogeneous_platforms_are_the_papers(void **state)
{
    struct divisible_worker w[BEAUMONT_WORKERS_MAX];
    (void)state;
    beaumont_platform(&beaumont_figures[BEAUMONT_HOMOGENEOUS_20], &printed, 3,
                      0, w);
    for (int i = 0; i < 20; i++) {
        assert_true(same(w[i].G, 2 / 32.10) && w[i].g == 0 && w[i].z == 0);
        assert_true(same(w[i].w, 1000 / 114.444));
    }
}

static bool among(double value, double factor, const double *of, int count)
{
    for (int i = 0; i < count; i++)
        if (same(value, factor / of[i]))
            return true;
    return false;
}

static void random_platforms_are_from_the_papers_set(void **state)
{
    static const double processors[] = {22.151, 48.492, 34.333, 114.444};
    static const double networks[] = {4.70, 32.10, 30.25};
    (void)state;
    for (int f = BEAUMONT_RANDOM_5; f < BEAUMONT_FIGURES; f++) {
        const struct beaumont_figure *figure = &beaumont_figures[f];
        for (int n = 0; n < 50; n++) {
            struct divisible_worker w[BEAUMONT_WORKERS_MAX];
            beaumont_platform(figure, &printed, 7, n, w);
            for (int i = 0; i < figure->workers; i++) {
                assert_true(among(w[i].w, figure->mflop, processors, 4));
                assert_true(among(w[i].G, 2, networks, 3));
                assert_true(w[i].g == (figure->latency ? w[i].G : 0));
            }
        }
    }
}

static void all_figures_have_the_same_platforms(void **state)
{
    struct divisible_worker five[BEAUMONT_WORKERS_MAX];
    struct divisible_worker twenty[BEAUMONT_WORKERS_MAX];
    struct divisible_worker other[BEAUMONT_WORKERS_MAX];
    (void)state;
    beaumont_platform(&beaumont_figures[BEAUMONT_RANDOM_5], &printed, 1, 9,
                      five);
    beaumont_platform(&beaumont_figures[BEAUMONT_RANDOM_20], &printed, 1, 9,
                      twenty);
    beaumont_platform(&beaumont_figures[BEAUMONT_RANDOM_20], &printed, 1, 10,
                      other);
    assert_memory_equal(five, twenty, 5 * sizeof(*five));
    assert_memory_not_equal(other, twenty, sizeof(other));
}

/* 2 Mbyte a unit and a latency of 2 Mbit. */
static void readings_weigh_data_and_latency(void **state)
{
    const struct beaumont_reading bytes = {.data_mbit = 16, .latency_mbit = 2};
    struct divisible_worker as_printed[BEAUMONT_WORKERS_MAX];
    struct divisible_worker other[BEAUMONT_WORKERS_MAX];
    const struct beaumont_figure *figure =
        &beaumont_figures[BEAUMONT_LATENCY_20];
    (void)state;
    beaumont_platform(figure, &printed, 1, 9, as_printed);
    beaumont_platform(figure, &bytes, 1, 9, other);
    for (int i = 0; i < figure->workers; i++) {
        assert_true(fabs(other[i].G - 8 * as_printed[i].G) < 1e-12);
        assert_true(other[i].g == as_printed[i].g);
        assert_true(as_printed[i].g == as_printed[i].G);
        assert_true(other[i].w == as_printed[i].w);
    }
}

static void one_network_is_the_first_workers(void **state)
{
    const struct beaumont_reading one = {
        .data_mbit = 2, .latency_mbit = 2, .one_network = true};
    struct divisible_worker mixed[BEAUMONT_WORKERS_MAX];
    struct divisible_worker same_links[BEAUMONT_WORKERS_MAX];
    (void)state;
    beaumont_platform(&beaumont_figures[BEAUMONT_RANDOM_20], &printed, 1, 9,
                      mixed);
    beaumont_platform(&beaumont_figures[BEAUMONT_RANDOM_20], &one, 1, 9,
                      same_links);
    int different = 0;
    for (int i = 0; i < 20; i++) {
        assert_true(same_links[i].G == mixed[0].G);
        assert_true(same_links[i].w == mixed[i].w);
        different += mixed[i].G != mixed[0].G;
    }
    assert_true(different > 0);
}

static void heuristics_are_the_papers_eleven(void **state)
{
    (void)state;
    for (int h = 0; h < BEAUMONT_HEURISTICS; h++) {
        struct divisible_choice c = beaumont_choice(h, &printed);
        const char *name = beaumont_heuristic(h);
        if (h < BEAUMONT_FIRST_MI) {
            assert_string_equal(divisible_names[c.algorithm], name);
            continue;
        }
        assert_int_equal(c.algorithm, DIVISIBLE_MULTI_INSTALLMENT);
        assert_int_equal(c.installments, atoi(name + 3));
    }
}

/* A plan of M.I.1 on 5 equal workers, in closed form: all start one after the
 * other and end together. */
static void a_point_is_the_mean_of_its_plans(void **state)
{
    const struct beaumont_setup setup = {
        2, 1, {2, 2, 0, 0, false}, &beaumont_analytic, NULL};
    struct beaumont_series *s = calloc(1, sizeof(*s));
    double G = 2 / 32.10, w = 1000 / 114.444, keep = w / (G + w);
    (void)state;
    assert_int_equal(beaumont_run(&setup, s, NULL), 0);
    double expected = 100 * (G + w) * (1 - keep) / (1 - pow(keep, 5));
    double found =
        s->point[BEAUMONT_HOMOGENEOUS_5][0][BEAUMONT_FIRST_MI].time_s;
    assert_true(fabs(found / expected - 1) < 1e-9);
    assert_int_equal(s->platforms[BEAUMONT_HOMOGENEOUS_5], 1);
    /* All that is above load / n* is waiting for the first message. */
    const struct beaumont_point *mi =
        &s->point[BEAUMONT_HOMOGENEOUS_5][0][BEAUMONT_FIRST_MI];
    assert_true(mi->rounds == 1 && mi->latency == 0);
    assert_true(fabs(mi->over_bound - expected * 5 / (100 * (G + w))) < 1e-9);
    assert_true(fabs(mi->waiting - (1 - 1 / mi->over_bound)) < 1e-9);
    assert_int_equal(s->platforms[BEAUMONT_RANDOM_20], 2);
    for (int f = 0; f < BEAUMONT_FIGURES; f++)
        for (int load = 0; load < BEAUMONT_LOADS; load++)
            for (int h = 0; h < BEAUMONT_HEURISTICS; h++) {
                const struct beaumont_point *p = &s->point[f][load][h];
                assert_true(p->ratio_min <= p->ratio &&
                            p->ratio <= p->ratio_max);
                assert_true(p->over_bound > 1 - 1e-9 && p->rounds >= 1);
                assert_true(p->waiting > -1e-9 && p->latency >= 0);
                assert_true((p->latency > 0) == beaumont_figures[f].latency);
                assert_true(h != BEAUMONT_ADAPTIVE || p->ratio == 1);
            }
    free(s);
}

/* An engine of three lanes that takes twice as long, and one that fails. */
static int submit(void *self, int lane,
                  const struct divisible_platform *platform,
                  const struct divisible_plan *plan, int count,
                  struct error *err)
{
    bool *busy = self;
    (void)platform, (void)plan, (void)count, (void)err;
    assert_false(busy[lane]);
    busy[lane] = true;
    return 0;
}

static int collect_double(void *self, int lane,
                          const struct divisible_plan *plan, int count,
                          double *seconds, struct error *err)
{
    bool *busy = self;
    (void)err;
    assert_true(busy[lane]);
    busy[lane] = false;
    for (int i = 0; i < count; i++)
        seconds[i] = 2 * plan[i].makespan;
    return 0;
}

static int refuse(void *self, int lane, const struct divisible_plan *plan,
                  int count, double *seconds, struct error *err)
{
    (void)self, (void)lane, (void)plan, (void)count, (void)seconds;
    return error_set(err, EIO, "no engine");
}

static void assert_doubled(const struct beaumont_series *a,
                           const struct beaumont_series *b)
{
    for (int f = 0; f < BEAUMONT_FIGURES; f++) {
        assert_int_equal(a->platforms[f], b->platforms[f]);
        for (int load = 0; load < BEAUMONT_LOADS; load++)
            for (int h = 0; h < BEAUMONT_HEURISTICS; h++) {
                const struct beaumont_point *p = &a->point[f][load][h];
                const struct beaumont_point *q = &b->point[f][load][h];
                assert_true(same(p->time_s, 2 * q->time_s));
                assert_true(same(p->ratio, q->ratio));
            }
    }
}

static void lanes_give_the_same_as_one(void **state)
{
    bool busy[3] = {false};
    const struct beaumont_engine engine = {"double", 3, busy, submit,
                                           collect_double};
    const struct beaumont_setup three = {
        4, 1, {2, 2, 0, 0, false}, &engine, NULL};
    const struct beaumont_setup one = {
        4, 1, {2, 2, 0, 0, false}, &beaumont_analytic, NULL};
    struct beaumont_series *a = calloc(1, sizeof(*a));
    struct beaumont_series *b = calloc(1, sizeof(*b));
    (void)state;
    assert_int_equal(beaumont_run(&three, a, NULL), 0);
    assert_int_equal(beaumont_run(&one, b, NULL), 0);
    assert_true(same(a->deviation, 1) && b->deviation == 0);
    assert_doubled(a, b);
    free(a);
    free(b);
}

static void errors_of_the_engine_are_passed_up(void **state)
{
    bool busy[2] = {false};
    const struct beaumont_engine engine = {"none", 2, busy, submit, refuse};
    const struct beaumont_setup setup = {
        1, 1, {2, 2, 0, 0, false}, &engine, NULL};
    struct beaumont_series *s = calloc(1, sizeof(*s));
    struct error err = {""};
    (void)state;
    assert_int_equal(beaumont_run(&setup, s, &err), -EIO);
    assert_string_equal(err.text, "no engine");
    free(s);
}

/* Curves by hand: as the paper has them. */
static void set_all(struct beaumont_series *s, int figure, int heuristic,
                    double ratio)
{
    for (int load = 0; load < BEAUMONT_LOADS; load++)
        s->point[figure][load][heuristic].ratio = ratio;
}

static void set_as_claimed(struct beaumont_series *s)
{
    for (int f = 0; f < BEAUMONT_FIGURES; f++) {
        for (int h = 0; h < BEAUMONT_HEURISTICS; h++)
            set_all(s, f, h, h == BEAUMONT_ADAPTIVE ? 1 : 1.01);
        set_all(s, f, BEAUMONT_FIXED, 2);
        set_all(s, f, BEAUMONT_FIRST_MI, 2);
        set_all(s, f, BEAUMONT_FIRST_MI + 1, 1.1);
    }
    set_all(s, BEAUMONT_LATENCY_5, BEAUMONT_FIRST_MI + 3, 1.005);
    set_all(s, BEAUMONT_LATENCY_20, BEAUMONT_FIRST_MI + 4, 0.98);
    set_all(s, BEAUMONT_HIGH_LATENCY_5, BEAUMONT_SQRT, 1.001);
    set_all(s, BEAUMONT_HIGH_LATENCY_20, BEAUMONT_SQRT, 1.001);
}

static void claims_hold_on_curves_as_claimed(void **state)
{
    struct beaumont_series *s = calloc(1, sizeof(*s));
    struct beaumont_claim claim[BEAUMONT_CLAIMS];
    (void)state;
    set_as_claimed(s);
    beaumont_claims(s, claim);
    for (int i = 0; i < BEAUMONT_CLAIMS; i++)
        if (!claim[i].holds)
            fail_msg("%s: %s", claim[i].claim, claim[i].found);
    free(s);
}

/* One change against each claim; only that one falls. */
static void each_claim_can_fail(void **state)
{
    static const struct {
        int figure, heuristic;
        double ratio;
    } rows[BEAUMONT_CLAIMS] = {
        {BEAUMONT_HOMOGENEOUS_5, BEAUMONT_FIXED, 1.02},
        {BEAUMONT_RANDOM_5, BEAUMONT_FIRST_MI, 1.02},
        {BEAUMONT_HOMOGENEOUS_5, BEAUMONT_FIRST_MI + 1, 1.01},
        {BEAUMONT_LATENCY_5, BEAUMONT_FIRST_MI + 1, 1.004},
        {BEAUMONT_LATENCY_20, BEAUMONT_FIRST_MI + 1, 0.975},
        {BEAUMONT_HOMOGENEOUS_5, BEAUMONT_SQRT, 1.06},
        {BEAUMONT_RANDOM_5, BEAUMONT_FIRST_MI + 4, 0.99},
        {BEAUMONT_LATENCY_5, BEAUMONT_FIRST_MI + 3, 0.99},
        {BEAUMONT_LATENCY_20, BEAUMONT_FIRST_MI + 4, 0.96},
        {BEAUMONT_HIGH_LATENCY_5, BEAUMONT_SQRT, 1.02},
    };
    struct beaumont_series *s = calloc(1, sizeof(*s));
    struct beaumont_claim claim[BEAUMONT_CLAIMS];
    (void)state;
    for (int i = 0; i < BEAUMONT_CLAIMS; i++) {
        set_as_claimed(s);
        set_all(s, rows[i].figure, rows[i].heuristic, rows[i].ratio);
        beaumont_claims(s, claim);
        for (int k = 0; k < BEAUMONT_CLAIMS; k++)
            if (claim[k].holds != (k != i))
                fail_msg("row %d: %s: %s", i, claim[k].claim, claim[k].found);
    }
    free(s);
}

static void a_reading_is_a_run_with_it(void **state)
{
    struct beaumont_setup setup = {
        3, 5, {2, 2, 0, 0, false}, &beaumont_analytic, NULL};
    struct beaumont_series *s = calloc(1, sizeof(*s));
    struct beaumont_readings *r = calloc(1, sizeof(*r));
    struct beaumont_claim claim[BEAUMONT_CLAIMS];
    int differ = 0;
    (void)state;
    assert_int_equal(beaumont_readings_run(&setup, r, NULL), 0);
    assert_int_equal(r->platforms, 3);
    for (int k = 0; k < BEAUMONT_READINGS; k++) {
        setup.reading = beaumont_variants[k].reading;
        assert_int_equal(beaumont_run(&setup, s, NULL), 0);
        beaumont_claims(s, claim);
        for (int i = 0; i < BEAUMONT_CLAIMS; i++) {
            assert_int_equal(r->claim[k][i].holds, claim[i].holds);
            assert_string_equal(r->claim[k][i].found, claim[i].found);
            differ += r->claim[k][i].holds != r->claim[0][i].holds;
        }
    }
    assert_true(differ > 0);
    free(r);
    free(s);
}

static int lines(const char *text)
{
    int n = 0;
    for (; *text != '\0'; text++)
        n += *text == '\n';
    return n;
}

static void csv_has_a_row_for_each_point_and_claim(void **state)
{
    const struct beaumont_setup setup = {
        1, 1, {2, 2, DIVISIBLE_TAIL_SHARE, 0, false}, &beaumont_analytic, NULL};
    struct beaumont_series *s = calloc(1, sizeof(*s));
    struct beaumont_readings *r = calloc(1, sizeof(*r));
    struct beaumont_claim claim[BEAUMONT_CLAIMS];
    char *text = NULL;
    size_t size;
    (void)state;
    assert_int_equal(beaumont_run(&setup, s, NULL), 0);
    beaumont_claims(s, claim);
    assert_int_equal(beaumont_readings_run(&setup, r, NULL), 0);
    FILE *out = open_memstream(&text, &size);
    assert_int_equal(beaumont_figures_csv(&setup, s, out), 0);
    fclose(out);
    assert_int_equal(lines(text), 1 + BEAUMONT_FIGURES * BEAUMONT_LOADS *
                                          BEAUMONT_HEURISTICS);
    assert_non_null(strstr(text, "\n15,20,random,1,50,1,analytic,share,2000,"
                                 "mi-8,"));
    free(text);
    out = open_memstream(&text, &size);
    assert_int_equal(beaumont_claims_csv(claim, out), 0);
    assert_int_equal(beaumont_report(&setup, s, claim, r, out), 0);
    fclose(out);
    assert_non_null(strstr(text, "why: lp-adaptive in figure 8, 9: "));
    assert_non_null(strstr(text, "  as printed "));
    assert_non_null(strstr(text, "claim,figure,read_as,holds,found,why\n"));
    assert_non_null(strstr(text, "figure 13: 20 workers, random, with latency, "
                                 "1000 Mflop a unit\n"));
    free(text);
    text = NULL;
    out = open_memstream(&text, &size);
    assert_int_equal(beaumont_readings_csv(r, out), 0);
    fclose(out);
    assert_int_equal(lines(text), 1 + BEAUMONT_READINGS * BEAUMONT_CLAIMS);
    free(text);
    free(r);
    free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(homogeneous_platforms_are_the_papers),
        cmocka_unit_test(random_platforms_are_from_the_papers_set),
        cmocka_unit_test(all_figures_have_the_same_platforms),
        cmocka_unit_test(readings_weigh_data_and_latency),
        cmocka_unit_test(one_network_is_the_first_workers),
        cmocka_unit_test(heuristics_are_the_papers_eleven),
        cmocka_unit_test(a_point_is_the_mean_of_its_plans),
        cmocka_unit_test(lanes_give_the_same_as_one),
        cmocka_unit_test(errors_of_the_engine_are_passed_up),
        cmocka_unit_test(claims_hold_on_curves_as_claimed),
        cmocka_unit_test(each_claim_can_fail),
        cmocka_unit_test(a_reading_is_a_run_with_it),
        cmocka_unit_test(csv_has_a_row_for_each_point_and_claim),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
