/* The list of schemes, their specs and what is refused. */
#include "sched/sched_testing.h"
#include "sched/schemes/scheme_registry.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

/* Results name schemes in this order, and tables sort them by it.  New schemes
 * may come anywhere between. */
static void names_and_their_order_stay(void **unused)
{
    static const char *const name[] = {
        "static", "ss",         "css",   "wcss",  "gss",  "fss",
        "tss",    "tss-taylor", "qss",   "wf",    "dtss", "dtss-acp",
        "dfss",   "dgss",       "fsc",   "mfsc",  "fac",  "tap",
        "tfss",   "fiss",       "viss",  "rnd",   "bold", "awf",
        "awf-b",  "awf-c",      "awf-d", "awf-e", "af"};
    size_t n = sizeof(name) / sizeof(name[0]);
    size_t met = 0;
    for (int i = 0; sched_schemes[i] != NULL; i++)
        if (met < n && strcmp(sched_schemes[i]->name, name[met]) == 0)
            met++;
    if (met < n)
        fail_msg("scheme %s is not where it was", name[met]);
}

static void every_table_is_complete(void **unused)
{
    for (int i = 0; sched_schemes[i] != NULL; i++) {
        const struct sched_ops *ops = sched_schemes[i];
        assert_true(ops->name[0] != '\0' && strlen(ops->name) < SPEC_NAME_MAX);
        assert_true(ops->citation != NULL && ops->citation[0] != '\0');
        assert_true(ops->summary != NULL && ops->summary[0] != '\0');
        assert_null(strchr(ops->summary, '\n'));
        assert_non_null(ops->params);
        assert_true(ops->init != NULL || ops->worker_size == 0);
        assert_true(ops->init == NULL || ops->state_size > 0);
        assert_int_equal(ops->order != NULL, ops->order_room != NULL);
        assert_true(ops->next || ops->next_by_cost || ops->order);
        if (ops->flags & SCHED_NEEDS_COST)
            assert_true(ops->next_by_cost || ops->order);
        if (ops->order != NULL)
            assert_true(!ops->feedback && !(ops->flags & SCHED_PRIMED));
        assert_int_equal(ops->state_size % 8, 0);
        assert_int_equal(ops->worker_size % 8, 0);
        if (ops->again != NULL)
            assert_non_null(ops->feedback);
        if (ops->flags & SCHED_KEEPS)
            assert_non_null(ops->again);
        for (const struct spec_param *p = ops->params; p->key != NULL; p++)
            assert_true(p->help != NULL &&
                        (p->type > SPEC_REAL || p->min < p->max));
    }
}

static void names_are_unique(void **unused)
{
    for (int i = 0; sched_schemes[i] != NULL; i++)
        for (int j = 0; sched_schemes[j] != NULL; j++) {
            const struct sched_ops *a = sched_schemes[i], *b = sched_schemes[j];
            if (i != j)
                assert_string_not_equal(a->name, b->name);
            if (a->alias != NULL)
                assert_string_not_equal(a->alias, b->name);
        }
}

static void assert_recorded(const char *text, const char *canonical)
{
    const struct sched_ops *ops;
    struct spec parsed, again;
    assert_int_equal(sched_parse(text, &ops, &parsed, NULL), 0);
    assert_string_equal(parsed.canonical, canonical);
    assert_string_equal(parsed.name, ops->name);
    assert_int_equal(sched_parse(canonical, &ops, &again, NULL), 0);
    assert_string_equal(again.canonical, parsed.canonical);
}

static void specs_are_recorded_with_their_defaults(void **unused)
{
    static const char *const spec[][2] = {
        {"static", "static"},
        {"ss", "ss"},
        {"css", "css"},
        {"css:chunk=007", "css:chunk=7"},
        {"wcss", "wcss:k=1"},
        {"gss", "gss:min=1"},
        {"fss", "fss:alpha=2"},
        {"fac2", "fss:alpha=2"},
        {"fss:alpha=5/2", "fss:alpha=2.5"},
        {"tss", "tss:last=1"},
        {"tss:last=2,first=9", "tss:first=9,last=2"},
        {"tss-taylor", "tss-taylor"},
        {"qss", "qss:delta=3"},
        {"qss:delta=1/2", "qss:delta=0.5"},
        {"qss:middle=40", "qss:middle=40"},
        {"wf", "wf:alpha=2"},
        {"dtss", "dtss"},
        {"dtss-acp", "dtss-acp"},
        {"dfss", "dfss:alpha=2"},
        {"dgss", "dgss"},
        {"wf2", "wf:alpha=2"},
        {"fsc", "fsc:h=0.5,sigma=1"},
        {"mfsc", "mfsc"},
        {"fac", "fac:mu=1,sigma=1"},
        {"tap", "tap:mu=1,sigma=1,alpha=1.3,min=1"},
        {"tfss", "tfss"},
        {"fiss", "fiss:stages=3"},
        {"viss", "viss:x=4"},
        {"rnd", "rnd:seed=1"},
        {"rnd:seed=0,max=9", "rnd:max=9,seed=0"},
        {"bold", "bold:mu=1,sigma=1,h=0.5"},
        {"awf", "awf"},
        {"awf-b", "awf-b"},
        {"awf-e", "awf-e"},
        {"af", "af"},
        {"af:first=50", "af:first=50"},
    };
    for (size_t i = 0; i < sizeof(spec) / sizeof(spec[0]); i++)
        assert_recorded(spec[i][0], spec[i][1]);
}

static void later_specs_are_recorded_with_their_defaults(void **unused)
{
    static const char *const spec[][2] = {
        {"static:by=iterations,plus=0", "static"},
        {"static:by=cost", "static:by=cost"},
        {"static:plus=1,by=cost", "static:by=cost,plus=1"},
        {"hss", "hss"},
        {"binlpt", "binlpt"},
        {"binlpt:chunks=9", "binlpt:chunks=9"},
        {"fgdls", "fgdls"},
        {"aid-static", "aid-static:chunk=1"},
        {"aid-hybrid", "aid-hybrid:chunk=1,share=0.8"},
        {"hybrid", "hybrid:static=0.8"},
        {"pls:swr=1/4", "pls:swr=0.25"},
        {"timed", "timed:us=100,first=1"},
    };
    for (size_t i = 0; i < sizeof(spec) / sizeof(spec[0]); i++)
        assert_recorded(spec[i][0], spec[i][1]);
}

static void assert_bad(const char *text, const char *part)
{
    const struct sched_ops *ops = NULL;
    struct spec spec;
    struct error err = {""};
    int code = sched_parse(text, &ops, &spec, &err);
    if (code != -EINVAL || ops != NULL || strstr(err.text, part) == NULL)
        fail_msg("'%s': %d, '%s', not '%s'", text, code, err.text, part);
}

static void bad_specs_name_what_is_wrong(void **unused)
{
    static const char *const bad[][2] = {
        {"", "the name is missing"},
        {":chunk=1", "the name is missing"},
        {"a-name-that-is-longer-than-any-scheme", "too long"},
        {"gsss", "did you mean 'gss'?"},
        {"TSS", "did you mean 'tss'? 'dlsbench list schemes' lists"},
        {"fscc", "did you mean 'fsc'?"},
        {"tss-tailor", "did you mean 'tss-taylor'?"},
        {"ss:chunk=4", "unknown key 'chunk', ss takes none"},
        {"css:chnk=4", "did you mean 'chunk'?"},
        {"css:", "key=value must follow"},
        {"css:chunk", "must be written chunk=value"},
        {"css:chunk=", "has no value"},
        {"css:chunk=4,chunk=4", "given twice"},
        {"css:chunk=4x", "not a whole number"},
        {"css:chunk=2.5", "not a whole number"},
        {"css:chunk=0", "out of range, allowed is 1 to"},
        {"css:chunk=99999999999999999999", "out of range"},
        {"gss:min=-1", "out of range"},
        {"fss:alpha=0.5", "out of range, allowed is 1 to"},
        {"fss:alpha=two", "not a number"},
        {"fss:alpha=nan", "out of range"},
        {"fac2:alpha=2", "write fss:alpha="},
        {"wf:alpha=1/0", "out of range"},
        {"wcss:k=0", "out of range"},
        {"tss:first=3,last=5", "first=3 is less than last=5"},
        {"tss:last=1,first=0", "out of range"},
        {"qss:delta=3,middle=9", "give one of them"},
        {"qss:delta=0", "out of range"},
        {"wf2:alpha=2", "write wf:alpha="},
        {"fsc:h=-1", "out of range"},
        {"fsc:mu=1", "unknown key 'mu'"},
        {"fac:mu=0", "out of range"},
        {"fac:sigma=-1", "out of range"},
        {"tap:alpha=-1", "out of range"},
        {"fiss:stages=1", "out of range, allowed is 2 to"},
        {"viss:x=0.5", "out of range"},
        {"rnd:min=9,max=3", "min=9 is more than max=3"},
        {"rnd:seed=0.5", "not a whole number"},
        {"bold:mu=0", "out of range"},
        {"bold:alpha=1", "unknown key 'alpha'"},
        {"awf-f", "did you mean 'awf-"},
        {"af:first=0", "out of range"},
    };
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_bad(bad[i][0], bad[i][1]);
}

static void bad_specs_of_later_schemes(void **unused)
{
    static const char *const bad[][2] = {
        {"static:by=costs", "allowed is iterations|cost"},
        {"static:plus=1", "plus=1 is a cost, it goes with by=cost"},
        {"static:by=cost,plus=-1", "out of range"},
        {"hss:chunk=1", "unknown key 'chunk', hss takes none"},
        {"binlpt:chunks=0", "out of range"},
        {"fgdls:chunk=1", "fgdls takes none"},
        {"aid-static:share=1", "unknown key 'share'"},
        {"aid-hybrid:share=1.1", "out of range"},
        {"hybrid:static=-0.1", "out of range"},
        {"hybrid:chunk=0", "out of range"},
        {"pls:swr=2", "out of range"},
        {"timed:us=0", "out of range"},
    };
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_bad(bad[i][0], bad[i][1]);
}

static void assert_refused(const char *text, const struct sched_loop *loop,
                           int64_t min_chunk, const char *part)
{
    struct testing_loop t;
    struct error err = {""};
    int code = testing_try(&t, text, loop, min_chunk, &err);
    if (code != -EINVAL || strstr(err.text, part) == NULL)
        fail_msg("%s: %d, '%s', not '%s'", text, code, err.text, part);
}

static void bad_loops_are_refused(void **unused)
{
    double power[] = {1, 1, 1};
    struct sched_loop loop = {.iterations = 10, .workers = 3, .power = power};
    struct sched_loop empty = {.iterations = 0, .workers = 3};
    struct sched_loop nobody = {.iterations = 10, .workers = 0};
    struct sched_loop negative = {.iterations = 10, .workers = -5};
    for (int i = 0; sched_schemes[i] != NULL; i++) {
        const char *name = sched_schemes[i]->name;
        assert_refused(name, &empty, 1, "loop of 0 iterations");
        assert_refused(name, &nobody, 1, "0 workers");
        assert_refused(name, &negative, 1, "-5 workers");
        assert_refused(name, &loop, 0, "minimum chunk of 0");
    }
    power[1] = 0;
    assert_refused("gss", &loop, 1, "power of worker 1 is 0");
    power[1] = NAN;
    assert_refused("gss", &loop, 1, "power of worker 1 is nan");
    power[1] = INFINITY;
    assert_refused("gss", &loop, 1, "power of worker 1 is inf");
    power[1] = 2e9;
    assert_refused("gss", &loop, 1, "powers range from 1 to 2e+09");
    power[1] = 1;
    assert_refused("tss:last=2", &loop, 1, "last=2 is more than the first");
    assert_refused("hss", &loop, 1, "costs of the iterations, which nobody");
    assert_refused("binlpt", &loop, 1, "costs of the iterations, which nobody");
    assert_refused("static:by=cost", &loop, 1, "which nobody knows here");
}

TESTS(cmocka_unit_test(names_and_their_order_stay),
      cmocka_unit_test(every_table_is_complete),
      cmocka_unit_test(names_are_unique),
      cmocka_unit_test(specs_are_recorded_with_their_defaults),
      cmocka_unit_test(later_specs_are_recorded_with_their_defaults),
      cmocka_unit_test(bad_specs_name_what_is_wrong),
      cmocka_unit_test(bad_specs_of_later_schemes),
      cmocka_unit_test(bad_loops_are_refused))
