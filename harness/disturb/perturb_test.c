/* Perturbations: their specs, whom the seed chooses, and when a worker is
 * held: the closed forms against stepping through time. */
#include "harness/testing.h"

#include "harness/disturb/perturb.h"

#include <errno.h>
#include <math.h>

static struct perturbs read_list(const char *text, const char *canonical)
{
    struct perturbs perturbs;
    struct error err = {""};
    char written[PERTURB_TEXT_MAX];
    if (perturbs_parse(text, &perturbs, written, &err) != 0)
        fail_msg("%s: %s", text, err.text);
    if (canonical != NULL)
        assert_string_equal(written, canonical);
    return perturbs;
}

static struct perturb read_spec(const char *text, const char *canonical)
{
    struct perturbs perturbs = read_list(text, canonical);
    assert_int_equal(perturbs.count, 1);
    return perturbs.list[0];
}

static void specs_have_one_form(void **unused)
{
    assert_int_equal(read_list("none", "none").count, 0);
    assert_int_equal(read_list("", "none").count, 0);
    read_spec("delay", "delay:workers=1,factor=2,period=0.01,seed=1");
    read_spec("stop:seconds=0.50,worker=03,at=.25",
              "stop:worker=3,workers=1,at=0.25,seconds=0.5,seed=1");
    struct perturb gone =
        read_spec("gone:workers=2,seed=9", "gone:workers=2,at=0,seed=9");
    assert_int_equal(gone.first, -1);
    assert_true(isinf(gone.seconds));
    read_spec("network:latency=10", "network:latency=10,bandwidth=1");
}

/* Several are one cell in whatever order. */
static void several_are_joined_by_a_plus(void **unused)
{
    const char *both = "delay:worker=1,workers=1,factor=2,period=0.01,seed=1+"
                       "stop:worker=3,workers=1,at=0.1,seconds=0.2,seed=1";
    struct perturbs perturbs = read_list(
        "delay:worker=1,factor=2+stop:worker=3,at=0.1,seconds=0.2", both);
    assert_int_equal(perturbs.count, 2);
    assert_string_equal(perturbs.list[0].kind->name, "delay");
    assert_true(perturbs.list[1].at_s == 0.1);
    read_list("stop:seconds=.2,at=0.1,worker=3+delay:factor=2,worker=1", both);
    /* A plus of a number is none. */
    read_list("gone:at=1e+3+stop:seconds=1E+2",
              "gone:workers=1,at=1000,seed=1+"
              "stop:workers=1,at=0,seconds=100,seed=1");
    assert_false(perturbs_ever(&perturbs));
    perturbs = read_list("stop+gone+network", NULL);
    assert_int_equal(perturbs.count, 3);
    assert_true(perturbs_ever(&perturbs));
}

static void wrong_specs_are_refused(void **unused)
{
    static const struct {
        const char *text, *says;
    } wrong[] = {
        {"sotp", "did you mean 'stop'?"},
        {"", NULL},
        {"delay:factor=0.5", "allowed is 1 to 1000"},
        {"delay:from=1", "allowed: worker, workers, factor, period, seed, at"},
        {"stop:worker=-1", "out of range"},
        {"stop:worker=w1", "not a whole number"},
        {"gone:seconds=1", "unknown key 'seconds'"},
        {"network:worker=1", "allowed: latency, bandwidth"},
        {"stop+", "the name is missing"},
        {"+stop", "the name is missing"},
        {"stop++gone", "the name is missing"},
        {"stop+none", "give none alone"},
        {"stop+deley", "did you mean 'delay'?"},
        {"stop+delay:from=1", "allowed: worker, workers, factor, period, seed"},
        {"stop:seed=1+gone+stop", "is given twice"},
        {"stop,gone", "unknown"},
        {"gone+gone:at=1+gone:at=2+gone:at=3+gone:at=4+gone:at=5+gone:at=6+"
         "gone:at=7+gone:at=8",
         "at most 8"},
    };
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        struct perturbs perturbs;
        struct error err = {""};
        int code = perturbs_parse(wrong[i].text, &perturbs, NULL, &err);
        assert_int_equal(code, wrong[i].says ? -EINVAL : 0);
        if (wrong[i].says != NULL && strstr(err.text, wrong[i].says) == NULL)
            fail_msg("%s: '%s'", wrong[i].text, err.text);
    }
}

/* As many as asked, never the excluded first ones, and each of the rest about
 * as often. */
static void the_seed_chooses_fairly(void **unused)
{
    enum { WORKERS = 10, FROM = 2, SEEDS = 4000 };
    int often[WORKERS] = {0};
    for (int seed = 0; seed < SEEDS; seed++) {
        char text[64];
        int count = 0;
        uint8_t hit[WORKERS] = {0};
        snprintf(text, sizeof(text), "stop:workers=3,seed=%d", seed);
        struct perturb perturb = read_spec(text, NULL);
        perturb_pick(&perturb, FROM, WORKERS, 1, hit);
        perturb_pick(&perturb, FROM, WORKERS, 4, hit);
        for (int w = 0; w < WORKERS; w++) {
            assert_true(hit[w] == 0 || hit[w] == 5);
            often[w] += hit[w] & 1;
            count += hit[w] & 1;
        }
        assert_int_equal(count, 3);
    }
    for (int w = 0; w < WORKERS; w++) {
        double share = (double)often[w] / SEEDS;
        assert_true(w < FROM ? often[w] == 0 : fabs(share - 3.0 / 8) < 0.04);
    }
    struct perturb named =
        read_spec("delay:worker=4,workers=2",
                  "delay:worker=4,workers=2,factor=2,period=0.01,seed=1");
    uint8_t hit[WORKERS] = {0};
    perturb_pick(&named, 0, WORKERS, 2, hit);
    for (int w = 0; w < WORKERS; w++)
        assert_int_equal(hit[w], w == 4 || w == 5 ? 2 : 0);
}

/* When work that begins at `from` is done, by small steps. */
static double stepped_end(const struct perturb *perturb, double phase,
                          double from, double work)
{
    const double step = 1e-5;
    double now = from;
    while (work > 0) {
        double free_s = perturb->kind->free_at(perturb, phase, now);
        if (free_s > now) {
            now = free_s;
            continue;
        }
        now += step;
        work -= step;
    }
    return now;
}

static void ends_are_those_of_small_steps(void **unused)
{
    static const char *const specs[] = {
        "delay:factor=2",         "delay:factor=5,period=0.03",
        "delay:factor=1",         "stop:at=0.02,seconds=0.05",
        "stop:at=0,seconds=0.01", "delay:factor=4,at=0.05"};
    uint64_t state = testing_say_seed(__func__);
    for (int i = 0; i < 500; i++) {
        struct perturb perturb = read_spec(specs[i % 6], NULL);
        int32_t times;
        double phase = perturb_phase(&perturb, i);
        double from = 1e-6 * (double)(testing_random(&state) % 100000);
        double work = 1e-6 * (double)(testing_random(&state) % 60000 + 1);
        double end = perturb.kind->end(&perturb, phase, from, work, &times);
        double stepped = stepped_end(&perturb, phase, from, work);
        assert_true(phase >= 0 && phase <= perturb.period_s);
        /* A step more or less may cost one delay. */
        double slack = 2e-4 + perturb.period_s * (1 - 1 / perturb.factor);
        if (fabs(end - stepped) > slack || end < from + work - 1e-12)
            fail_msg("%s: %g of work at %g: end %g, by steps %g", specs[i % 6],
                     work, from, end, stepped);
    }
}

/* The computing time of a delayed worker until `time` since a period began. */
static double computed(const struct perturb *perturb, double time)
{
    double on = perturb->period_s / perturb->factor;
    double periods = floor(time / perturb->period_s);
    double at = time - periods * perturb->period_s;
    return periods * on + (at < on ? at : on);
}

static void a_delayed_worker_computes_all_its_work(void **unused)
{
    uint64_t state = testing_say_seed(__func__);
    for (int i = 0; i < 2000; i++) {
        struct perturb perturb = read_spec(
            i % 2 ? "delay:factor=3" : "delay:factor=7,period=0.02", NULL);
        int32_t times;
        double phase = perturb_phase(&perturb, i);
        double from = 1e-6 * (double)(testing_random(&state) % 100000);
        double work = 1e-6 * (double)(testing_random(&state) % 60000 + 1);
        double end = perturb.kind->end(&perturb, phase, from, work, &times);
        double done =
            computed(&perturb, end + phase) - computed(&perturb, from + phase);
        if (fabs(done - work) > 1e-9)
            fail_msg("%g of work at %g, phase %g: %g was done", work, from,
                     phase, done);
    }
}

/* Over many periods a worker is factor times as slow. */
static void a_delayed_worker_is_factor_times_as_slow(void **unused)
{
    struct perturb perturb = read_spec("delay:factor=4", NULL);
    int32_t times;
    double end = perturb.kind->end(&perturb, 0.003, 0, 2.0, &times);
    assert_true(fabs(end - 8.0) < 0.01);
}

static void who_is_gone_is_never_done(void **unused)
{
    struct perturb perturb = read_spec("gone:at=0.5", NULL);
    int32_t times;
    assert_true(perturb.kind->ever);
    assert_true(isinf(perturb.kind->end(&perturb, 0, 0.4, 0.2, &times)));
    assert_true(isinf(perturb.kind->free_at(&perturb, 0, 0.5)));
    assert_true(perturb.kind->end(&perturb, 0, 0.1, 0.2, &times) <=
                0.3 + 1e-12);
}

/* ---- several on one worker ---- */

/* One alone is known in closed form; beside one that never happens the same is
 * found by steps. */
static void steps_find_what_the_closed_forms_say(void **unused)
{
    static const char *const specs[] = {
        "delay:worker=0,factor=3", "delay:worker=0,factor=7,period=0.02",
        "delay:worker=0,factor=1", "stop:worker=0,at=0.02,seconds=0.05",
        "delay:worker=0,factor=5,at=0.07"};
    uint64_t state = testing_say_seed(__func__);
    for (int i = 0; i < 1000; i++) {
        char beside[128];
        snprintf(beside, sizeof(beside), "%s+gone:worker=0,at=1e9",
                 specs[i % 5]);
        struct perturbs one = read_list(specs[i % 5], NULL);
        struct perturbs two = read_list(beside, NULL);
        int at = two.list[0].kind->ever; /* gone sorts before stop */
        struct perturb_toll toll[1] = {0}, tolls[2] = {0};
        double from = 1e-6 * (double)(testing_random(&state) % 100000);
        double work = 1e-6 * (double)(testing_random(&state) % 60000 + 1);
        double end = perturbs_end(&one, 1, i, from, work, toll);
        double stepped = perturbs_end(&two, 3, i, from, work, tolls);
        if (fabs(end - stepped) > 1e-9 || toll[0].times != tolls[at].times ||
            fabs(toll[0].lost_s - tolls[at].lost_s) > 1e-9 ||
            fabs(toll[0].from_s - tolls[at].from_s) > 1e-9)
            fail_msg("%s: %g of work at %g: end %.9g (%d times, %g lost from "
                     "%g), by steps %.9g (%d, %g, %g)",
                     specs[i % 4], work, from, end, toll[0].times,
                     toll[0].lost_s, toll[0].from_s, stepped, tolls[at].times,
                     tolls[at].lost_s, tolls[at].from_s);
        assert_int_equal(tolls[!at].times, 0);
    }
}

/* Overlapping stops are one long one, and each has its part. */
static void what_overlaps_is_not_held_twice(void **unused)
{
    struct perturbs stops =
        read_list("stop:at=1,seconds=2+stop:at=2,seconds=3+stop:at=9", NULL);
    struct perturb_toll toll[3] = {0};
    /* 1 s of work until 1, held until 5, then 4 until 9, 1 s held, 2 more. */
    double end = perturbs_end(&stops, 7, 0, 0, 7, toll);
    assert_true(fabs(end - 12) < 1e-9);
    assert_true(fabs(toll[0].lost_s - 2) < 1e-9);
    assert_true(fabs(toll[1].lost_s - 2) < 1e-9);
    assert_true(fabs(toll[2].lost_s - 1) < 1e-9);
    assert_true(toll[1].from_s == 3);
    assert_int_equal(toll[0].times + toll[1].times + toll[2].times, 3);
    /* A worker that the long stops do not hit is not held by them. */
    memset(toll, 0, sizeof(toll));
    end = perturbs_end(&stops, 4, 0, 0, 10, toll);
    assert_true(fabs(end - 11) < 1e-9);
    assert_int_equal(toll[0].times, 0);
}

static void who_is_delayed_may_be_gone_later(void **unused)
{
    struct perturbs both = read_list("delay:factor=2+gone:at=0.5", NULL);
    struct perturb_toll toll[2] = {0};
    double free_s;
    assert_true(isfinite(perturbs_end(&both, 3, 0, 0, 0.2, toll)));
    assert_true(toll[0].times >= 39 && toll[0].times <= 41);
    assert_true(isinf(perturbs_end(&both, 3, 0, 0.4, 0.2, toll)));
    assert_true(toll[1].times == 1 && isinf(toll[1].lost_s));
    assert_int_equal(perturbs_holder(&both, 3, 0, 0.7, &free_s), 1);
    assert_true(isinf(free_s));
    assert_int_equal(perturbs_holder(&both, 0, 0, 0.7, &free_s), -1);
}

TESTS(cmocka_unit_test(specs_have_one_form),
      cmocka_unit_test(several_are_joined_by_a_plus),
      cmocka_unit_test(wrong_specs_are_refused),
      cmocka_unit_test(the_seed_chooses_fairly),
      cmocka_unit_test(ends_are_those_of_small_steps),
      cmocka_unit_test(a_delayed_worker_computes_all_its_work),
      cmocka_unit_test(a_delayed_worker_is_factor_times_as_slow),
      cmocka_unit_test(who_is_gone_is_never_done),
      cmocka_unit_test(steps_find_what_the_closed_forms_say),
      cmocka_unit_test(what_overlaps_is_not_held_twice),
      cmocka_unit_test(who_is_delayed_may_be_gone_later))
