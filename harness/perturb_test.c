/* Perturbations: their specs, whom the seed chooses, and when a worker is
 * held: the closed forms against stepping through time. */
#include "harness/testing.h"

#include "harness/perturb.h"

#include <errno.h>
#include <math.h>

static struct perturb read_spec(const char *text, const char *canonical)
{
    struct perturb perturb;
    struct error err = {""};
    char written[SPEC_CANONICAL_MAX];
    if (perturb_parse(text, &perturb, written, &err) != 0)
        fail_msg("%s: %s", text, err.text);
    assert_string_equal(written, canonical);
    return perturb;
}

static void specs_have_one_form(void **unused)
{
    (void)unused;
    assert_null(read_spec("none", "none").kind);
    read_spec("delay", "delay:workers=1,factor=2,period=0.01,seed=1");
    read_spec("stop:seconds=0.50,worker=03,at=.25",
              "stop:worker=3,workers=1,at=0.25,seconds=0.5,seed=1");
    struct perturb gone =
        read_spec("gone:workers=2,seed=9", "gone:workers=2,at=0,seed=9");
    assert_int_equal(gone.first, -1);
    assert_true(isinf(gone.seconds));
    read_spec("network:latency=10", "network:latency=10,bandwidth=1");
}

static void wrong_specs_are_refused(void **unused)
{
    (void)unused;
    static const struct {
        const char *text, *says;
    } wrong[] = {
        {"sotp", "did you mean 'stop'?"},
        {"", NULL},
        {"delay:factor=0.5", "allowed is 1 to 1000"},
        {"delay:at=1", "allowed: worker, workers, factor, period, seed"},
        {"stop:worker=-1", "out of range"},
        {"stop:worker=w1", "not a whole number"},
        {"gone:seconds=1", "unknown key 'seconds'"},
        {"network:worker=1", "allowed: latency, bandwidth"},
    };
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        struct perturb perturb;
        struct error err = {""};
        int code = perturb_parse(wrong[i].text, &perturb, NULL, &err);
        assert_int_equal(code, wrong[i].says ? -EINVAL : 0);
        if (wrong[i].says != NULL && strstr(err.text, wrong[i].says) == NULL)
            fail_msg("%s: '%s'", wrong[i].text, err.text);
    }
}

/* As many as asked, never the first ones that are out of bounds, and each of
 * the rest about as often. */
static void the_seed_chooses_fairly(void **unused)
{
    (void)unused;
    enum { WORKERS = 10, FROM = 2, SEEDS = 4000 };
    int often[WORKERS] = {0};
    bool hit[WORKERS], again[WORKERS];
    for (int seed = 0; seed < SEEDS; seed++) {
        char text[64];
        struct perturb perturb;
        int count = 0;
        snprintf(text, sizeof(text), "stop:workers=3,seed=%d", seed);
        assert_int_equal(perturb_parse(text, &perturb, NULL, NULL), 0);
        perturb_pick(&perturb, FROM, WORKERS, hit);
        perturb_pick(&perturb, FROM, WORKERS, again);
        assert_memory_equal(hit, again, sizeof(hit));
        for (int w = 0; w < WORKERS; w++) {
            often[w] += hit[w];
            count += hit[w];
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
    perturb_pick(&named, 0, WORKERS, hit);
    for (int w = 0; w < WORKERS; w++)
        assert_int_equal(hit[w], w == 4 || w == 5);
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
    (void)unused;
    static const char *const specs[] = {
        "delay:factor=2", "delay:factor=5,period=0.03", "delay:factor=1",
        "stop:at=0.02,seconds=0.05", "stop:at=0,seconds=0.01"};
    uint64_t state = testing_say_seed(__func__);
    for (int i = 0; i < 500; i++) {
        struct perturb perturb;
        perturb_parse(specs[i % 5], &perturb, NULL, NULL);
        double phase = perturb_phase(&perturb, i);
        double from = 1e-6 * (double)(testing_random(&state) % 100000);
        double work = 1e-6 * (double)(testing_random(&state) % 60000 + 1);
        double end = perturb.kind->end(&perturb, phase, from, work);
        double stepped = stepped_end(&perturb, phase, from, work);
        assert_true(phase >= 0 && phase <= perturb.period_s);
        /* A step more or less may cost one delay. */
        double slack = 2e-4 + perturb.period_s * (1 - 1 / perturb.factor);
        if (fabs(end - stepped) > slack || end < from + work - 1e-12)
            fail_msg("%s: %g of work at %g: end %g, by steps %g", specs[i % 5],
                     work, from, end, stepped);
    }
}

/* What a delayed worker has computed until `time` since a period began. */
static double computed(const struct perturb *perturb, double time)
{
    double on = perturb->period_s / perturb->factor;
    double periods = floor(time / perturb->period_s);
    double at = time - periods * perturb->period_s;
    return periods * on + (at < on ? at : on);
}

static void a_delayed_worker_computes_all_its_work(void **unused)
{
    (void)unused;
    uint64_t state = testing_say_seed(__func__);
    for (int i = 0; i < 2000; i++) {
        struct perturb perturb;
        perturb_parse(i % 2 ? "delay:factor=3" : "delay:factor=7,period=0.02",
                      &perturb, NULL, NULL);
        double phase = perturb_phase(&perturb, i);
        double from = 1e-6 * (double)(testing_random(&state) % 100000);
        double work = 1e-6 * (double)(testing_random(&state) % 60000 + 1);
        double end = perturb.kind->end(&perturb, phase, from, work);
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
    (void)unused;
    struct perturb perturb;
    perturb_parse("delay:factor=4", &perturb, NULL, NULL);
    double end = perturb.kind->end(&perturb, 0.003, 0, 2.0);
    assert_true(fabs(end - 8.0) < 0.01);
}

static void who_is_gone_is_never_done(void **unused)
{
    (void)unused;
    struct perturb perturb;
    perturb_parse("gone:at=0.5", &perturb, NULL, NULL);
    assert_true(perturb.kind->ever);
    assert_true(isinf(perturb.kind->end(&perturb, 0, 0.4, 0.2)));
    assert_true(isinf(perturb.kind->free_at(&perturb, 0, 0.5)));
    assert_true(perturb.kind->end(&perturb, 0, 0.1, 0.2) <= 0.3 + 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(specs_have_one_form),
        cmocka_unit_test(wrong_specs_are_refused),
        cmocka_unit_test(the_seed_chooses_fairly),
        cmocka_unit_test(ends_are_those_of_small_steps),
        cmocka_unit_test(a_delayed_worker_computes_all_its_work),
        cmocka_unit_test(a_delayed_worker_is_factor_times_as_slow),
        cmocka_unit_test(who_is_gone_is_never_done),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
