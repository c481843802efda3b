/* Cells: every field is set from text, and says what it can be. */
#include "harness/cell/cell_field.h"
#include "harness/cell/cell_testing.h"

#include <errno.h>

static const struct {
    const char *field, *value;
} right_values[] = {
    {"kernel", "mandelbrot:size=64"},
    {"scheme", "gss:min=2"},
    {"layout", "2x4"},
    {"ranks", "3"},
    {"threads", "16777216"},
    {"hierarchy", "4x16"},
    {"transport", "auto"},
    {"transport", "shared"},
    {"transport", "master"},
    {"transport", "window"},
    {"transport", "steal"},
    {"master", "computing"},
    {"master", "dedicated"},
    {"window", "auto"},
    {"window", "shared"},
    {"window", "rma"},
    {"transport", "openmp"},
    {"openmp", "auto"},
    {"openmp", "libgomp"},
    {"openmp", "libomp"},
    {"victim", "auto"},
    {"victim", "random"},
    {"victim", "near"},
    {"collect", "auto"},
    {"collect", "shared"},
    {"collect", "master"},
    {"collect", "local"},
    {"bind", "compact"},
    {"bind", "scatter"},
    {"bind", "fast"},
    {"bind", "all"},
    {"bind", "kind=0"},
    {"bind", "none"},
    {"bind", "0,2,4-7"},
    {"rank_per", "node"},
    {"rank_per", "socket"},
    {"rank_per", "numa"},
    {"nodes", "4"},
    {"power", "measured"},
    {"smt", "on"},
    {"smt", "off"},
    {"memory", "touch"},
    {"memory", "bind"},
    {"timing", "worker"},
    {"timing", "chunk"},
    {"power", "1,2"},
    {"load", "x"},
    {"perturb", "stop:at=1"},
    {"reissue", "4"},
    {"costs", "model"},
    {"costs", "measured"},
    {"costs", "costs.txt"},
    {"answer", "early"},
    {"answer", "collected"},
    {"prefetch", "on"},
    {"prefetch", "off"},
    {"prefetch", "true"},
    {"prefetch", "false"},
    {"min_chunk", "5"},
    {"min_chunk", "9223372036854775807"},
    {"protocol", "auto"},
    {"protocol", "parallel"},
    {"protocol", "dmps"},
    {"protocol", "subproblem"},
    {"protocol", "push"},
    {"data", "auto"},
    {"data", "none"},
    {"data", "sent"},
    {"placement", "sticky"},
    {"placement", "replan"},
    {"workers", "12"},
    {"sync_interval", "1"},
    {"sync_interval", "auto"},
    {"sync_interval", "andronikos"},
    {"sync_interval", "chen-xue"},
    {"platform", "a.xml"},
    {"cp", "1e-9"},
    {"request_cost", "0"},
    {"result_bytes", "800000"},
    {"boundary_bytes", "8"},
};

static void every_field_takes_its_values(void **unused)
{
    const char *names[CELL_FIELDS + 1];
    bool met[CELL_FIELDS] = {false};
    cell_field_names(names);
    for (size_t i = 0; i < sizeof(right_values) / sizeof(right_values[0]);
         i++) {
        struct cell cell;
        struct error err = {""};
        cell_defaults(&cell, testing_texts());
        if (cell_set(&cell, right_values[i].field, right_values[i].value,
                     &err) != 0)
            fail_msg("%s=%s: %s", right_values[i].field, right_values[i].value,
                     err.text);
        for (int f = 0; names[f] != NULL; f++)
            met[f] = met[f] || strcmp(names[f], right_values[i].field) == 0;
    }
    for (int f = 0; names[f] != NULL; f++)
        if (!met[f])
            fail_msg("the field %s is not tested", names[f]);
}

/* The key `steps` of a trace means work per second, not time steps. */
static void a_trace_has_no_time_steps(void **unused)
{
    static const char *const kernel[] = {"trace:file=a.txt",
                                         "trace:file=a.txt,steps=1000"};
    for (size_t i = 0; i < sizeof(kernel) / sizeof(kernel[0]); i++) {
        struct cell cell;
        struct error err = {""};
        cell_defaults(&cell, testing_texts());
        cell.ranks = 2;
        cell.kernel = kernel[i];
        cell.scheme = "ss";
        if (cell_check(&cell, &err) != 0)
            fail_msg("%s", err.text);
        assert_string_equal(cell.collect, "shared");
        assert_string_equal(cell.placement, "sticky");
    }
}

/* Dedicated masters come on top of the workers asked for. */
static void workers_become_ranks(void **unused)
{
    static const struct {
        const char *workers, *threads, *master, *hierarchy;
        int ranks; /* 0: impossible */
    } set[] = {
        {"12", "1", "computing", "flat", 12},
        {"12", "4", "computing", "flat", 3},
        {"12", "1", "dedicated", "flat", 13},
        {"12", "1", "dedicated", "2", 15},
        {"12", "2", "dedicated", "2x2", 13},
        {"12", "5", "computing", "flat", 0},
    };
    for (size_t i = 0; i < sizeof(set) / sizeof(set[0]); i++) {
        struct cell cell;
        struct error err = {""};
        cell_defaults(&cell, testing_texts());
        cell_set(&cell, "kernel", "null", &err);
        cell_set(&cell, "scheme", "ss", &err);
        cell_set(&cell, "workers", set[i].workers, &err);
        cell_set(&cell, "threads", set[i].threads, &err);
        cell_set(&cell, "master", set[i].master, &err);
        cell_set(&cell, "hierarchy", set[i].hierarchy, &err);
        int code = cell_check(&cell, &err);
        assert_int_equal(code, set[i].ranks ? 0 : -ENOTSUP);
        if (code != 0)
            continue;
        assert_int_equal(cell.ranks, set[i].ranks);
        assert_int_equal(cell_workers(&cell), 12);
        assert_int_equal(cell.workers, 0);
    }
}

static void values_arrive(void **unused)
{
    struct cell cell;
    fill(&cell,
         WORDS("kernel=adjoint:size=9", "scheme=tss", "layout=3x5",
               "hierarchy=node", "transport=master", "master=dedicated",
               "window=rma", "collect=local", "bind=scatter", "timing=chunk",
               "power=2:1,3", "load=w0", "protocol=dmps", "sync_interval=9",
               "placement=replan", "prefetch=off", "min_chunk=7"));
    assert_string_equal(cell.kernel, "adjoint:size=9");
    assert_string_equal(cell.scheme, "tss");
    assert_int_equal(cell.ranks, 3);
    assert_int_equal(cell.threads, 5);
    assert_string_equal(cell.hierarchy, "node");
    assert_string_equal(cell.transport, "master");
    assert_string_equal(cell.master, "dedicated");
    assert_string_equal(cell.window, "rma");
    assert_string_equal(cell.collect, "local");
    assert_string_equal(cell.bind, "scatter");
    assert_string_equal(cell.timing, "chunk");
    assert_string_equal(cell.power, "2:1,3");
    assert_string_equal(cell.load, "w0");
    assert_string_equal(cell.protocol, "dmps");
    assert_string_equal(cell.placement, "replan");
    assert_int_equal(cell.sync_interval, 9);
    assert_false(cell.prefetch);
    assert_int_equal(cell.min_chunk, 7);
}

static const struct {
    const char *field, *value, *says, *also;
} wrong_values[] = {
    {"transprot", "master", "field: 'transprot' is unknown",
     "did you mean 'transport'"},
    {"", "x", "field: '' is unknown", "kernel, scheme, layout"},
    {"transport", "mster", "transport: 'mster' is unknown",
     "did you mean 'master'"},
    {"transport", "", "'' is unknown",
     "auto, shared, openmp, master, window, steal"},
    {"transport", "Master", "'Master' is unknown", "did you mean 'master'"},
    {"master", "comuting", "allowed: computing, dedicated",
     "did you mean 'computing'"},
    {"window", "sharde", "allowed: auto, shared, rma", "'shared'"},
    {"victim", "mear", "allowed: auto, random, near", "'near'"},
    {"collect", "locl", "allowed: auto, shared, master, local", "'local'"},
    {"bind", "compat", "allowed: compact, fast, all, kind=N, scatter, none",
     "'compact'"},
    {"bind", "kind=x", "'kind=x' is unknown", "kind=N"},
    {"timing", "chunks", "allowed: worker, chunk", "'chunk'"},
    {"bind", "0,2-", "bind: '2-' must be processors", "0-62:2"},
    {"rank_per", "core", "allowed: node, socket, numa", ""},
    {"memory", "bnd", "allowed: touch, bind", "'bind'"},
    {"smt", "2", "allowed: on, off, true, false", ""},
    {"nodes", "0", "nodes: '0' must be a number from 1", ""},
    {"prefetch", "yes", "allowed: on, off, true, false", ""},
    {"prefetch", "flase", "prefetch", "did you mean 'false'"},
    {"layout", "2", "RANKSxTHREADS", "'2'"},
    {"layout", "2x", "RANKSxTHREADS", ""},
    {"layout", "x2", "RANKSxTHREADS", ""},
    {"layout", "2x2x2", "RANKSxTHREADS", ""},
    {"layout", "0x1", "RANKSxTHREADS", ""},
    {"layout", "-1x2", "RANKSxTHREADS", ""},
    {"layout", "1x16777217", "RANKSxTHREADS", ""},
    {"protocol", "dmsp", "allowed: auto, parallel, dmps, subproblem", "'dmps'"},
    {"sync_interval", "0", "sync_interval: '0' must be", ""},
    {"sync_interval", "h", "sync_interval", "auto"},
    {"sync_interval", "given", "sync_interval", "chen-xue"},
    {"ranks", "0", "ranks: '0' must be a number from 1", ""},
    {"ranks", "two", "ranks: 'two' must be", ""},
    {"ranks", "1.5", "ranks", ""},
    {"ranks", "99999999999999999999", "ranks", ""},
    {"threads", "16777217", "from 1 to 16777216", ""},
    {"threads", "", "threads: ''", ""},
    {"min_chunk", "0", "min_chunk: '0' must be a number from 1", ""},
    {"min_chunk", "-5", "min_chunk", ""},
    {"min_chunk", "9223372036854775808", "min_chunk", ""},
    {"min_chunk", "5 ", "min_chunk", ""},
};

static void wrong_values_say_what_is_allowed(void **unused)
{
    for (size_t i = 0; i < sizeof(wrong_values) / sizeof(wrong_values[0]);
         i++) {
        struct cell cell, before;
        struct error err = {""};
        cell_defaults(&cell, testing_texts());
        before = cell;
        int code =
            cell_set(&cell, wrong_values[i].field, wrong_values[i].value, &err);
        if (code != -EINVAL || strstr(err.text, wrong_values[i].says) == NULL ||
            strstr(err.text, wrong_values[i].also) == NULL)
            fail_msg("%s=%s: %d '%s'", wrong_values[i].field,
                     wrong_values[i].value, code, err.text);
        assert_memory_equal(&cell, &before, sizeof(cell));
    }
}

static void too_long_values_are_refused(void **unused)
{
    static const struct {
        const char *field;
        size_t most;
    } text[] = {{"kernel", SPEC_CANONICAL_MAX - 1},
                {"scheme", SPEC_CANONICAL_MAX - 1},
                {"hierarchy", 63},
                {"power", 511},
                {"load", 511}};
    char value[1024];
    for (size_t i = 0; i < sizeof(text) / sizeof(text[0]); i++) {
        struct cell cell;
        struct error err = {""};
        cell_defaults(&cell, testing_texts());
        memset(value, '1', sizeof(value));
        value[text[i].most] = '\0';
        assert_int_equal(cell_set(&cell, text[i].field, value, &err), 0);
        value[text[i].most] = '1';
        value[text[i].most + 1] = '\0';
        assert_int_equal(cell_set(&cell, text[i].field, value, &err), -EINVAL);
        assert_non_null(strstr(err.text, "longer than"));
    }
    /* A number that only starts like one. */
    struct cell cell;
    struct error err = {""};
    cell_defaults(&cell, testing_texts());
    memset(value, '0', 100);
    strcpy(value, "2x2");
    memset(value + 3, ' ', 80);
    value[83] = '\0';
    assert_int_equal(cell_set(&cell, "layout", value, &err), -EINVAL);
}

TESTS(cmocka_unit_test(every_field_takes_its_values),
      cmocka_unit_test(a_trace_has_no_time_steps),
      cmocka_unit_test(workers_become_ranks), cmocka_unit_test(values_arrive),
      cmocka_unit_test(wrong_values_say_what_is_allowed),
      cmocka_unit_test(too_long_values_are_refused))
