/* Calibration files: they are read back as written, broken ones are refused
 * with a text, and a lookup finds the nearest entry. */
#include "harness/testing.h"

#include "harness/costs/calibration.h"
#include "harness/measure/measure_internal.h"

#include <errno.h>
#include <math.h>

static const double c_p[2][3] = {{2e-9, 1e-9, 4e-9}, {3e-9, 3e-9, 6e-9}};

static void add_blocks(struct calibration_kernel *kernel)
{
    kernel->chunk = 2;
    kernel->blocks = 2;
    kernel->block[0] = (struct calibration_block){4, 3e-8, 1e-6 / 3, 2e-7};
    kernel->block[1] = (struct calibration_block){8, 5e-8, -1e-9, 3e-7};
}

static struct calibration make(void)
{
    struct calibration c = {.took_s = 12.5};
    struct calibration_kind *kind = &c.kind[CALIBRATION_RANKS];
    struct error err;
    assert_int_equal(calibration_describe_here(&c, &err), 0);
    strcpy(c.mpi, "an MPI with \"quotes\"");
    assert_int_equal(calibration_kind_open(kind, 3, 3, 2, 2, &err), 0);
    for (int w = 0; w < 3; w++) {
        kind->worker[w].core = w - 1;
        strcpy(kind->worker[w].host, c.host);
        kind->kernel[0].cost[w] = (struct calibration_cost){.c_p = c_p[0][w],
                                                            .c_b = 5e-9,
                                                            .r2 = 0.9,
                                                            .operation = 1.5e-9,
                                                            .start = 5e-9,
                                                            .power = 1};
        kind->kernel[1].cost[w] =
            (struct calibration_cost){.c_p = c_p[1][w], .r2 = NAN, .power = 1};
        kind->pair[w] =
            (struct calibration_pair){.worker = {w == 2, w == 0 ? 1 : 2},
                                      .c_d = (1 + w) * 1e-6,
                                      .c_c = (3 - w) * 1e-9,
                                      .r2 = 0.99};
        for (int i = 0; i < CALIBRATION_SIZES; i++) {
            kind->pair[w].size[i].bytes = 1 << i;
            kind->pair[w].size[i].one_way = 1e-6 / 3 * i + 1e-7;
        }
    }
    strcpy(kind->kernel[0].spec, "heat:rows=10,cols=20");
    kind->kernel[0].grid = true;
    kind->kernel[0].rows = 10;
    kind->kernel[0].columns = 20;
    add_blocks(&kind->kernel[0]);
    strcpy(kind->kernel[1].spec, "heat:rows=1000,cols=2000");
    kind->kernel[1].rows = 1000;
    kind->kernel[1].columns = 2000;
    kind->dispatches = 1;
    strcpy(kind->dispatch[0].transport, "master");
    kind->dispatch[0].c_sch = 3e-7;
    kind->charge =
        (struct calibration_charge){2e-8, 5e-8, 6e-8, 2e-7, NAN, 3e-7};
    kind->slices = (struct calibration_slices){.run = 0.0039, .gap = 0.0041};
    for (int i = 0; i < CALIBRATION_SIZES; i++)
        kind->rate[i] = (struct calibration_rate){8 << i, 1e6 / (i + 3)};
    for (int i = 0; i < CALIBRATION_STARTS; i++)
        kind->slices.start[i] = 0.001 / 3 * i;
    for (int i = 0; i < 2; i++) {
        struct calibration_transfer *t = &kind->transfer[i];
        *t = (struct calibration_transfer){
            .worker = i + 1, .g = 2e-6, .G = (1 + i) * 1e-10, .r2 = 0.98};
        for (int s = 0; s < CALIBRATION_SIZES; s++) {
            t->size[s].bytes = 4096 << s;
            t->size[s].one_way = 3e-6 * (s + 1);
        }
    }
    calibration_set_powers(kind);
    return c;
}

/* The file that a calibration is saved as, as text; free it. */
static char *saved(const struct calibration *c, char *folder, size_t size,
                   char path[300])
{
    struct error err;
    testing_folder(folder, size);
    snprintf(path, 300, "%s/c.json", folder);
    if (calibration_save(c, path, &err) != 0)
        fail_msg("%s", err.text);
    return testing_read(path, NULL);
}

static void assert_same_kind(const struct calibration_kind *a,
                             const struct calibration_kind *b)
{
    assert_int_equal(a->workers, b->workers);
    assert_int_equal(a->pairs, b->pairs);
    assert_int_equal(a->kernels, b->kernels);
    assert_int_equal(a->dispatches, b->dispatches);
    assert_int_equal(a->transfers, b->transfers);
    assert_memory_equal(a->transfer, b->transfer,
                        (size_t)a->transfers * sizeof(*a->transfer));
    assert_memory_equal(a->pair, b->pair, (size_t)a->pairs * sizeof(*a->pair));
    assert_memory_equal(a->worker, b->worker,
                        (size_t)a->workers * sizeof(*a->worker));
    for (int k = 0; k < a->kernels; k++) {
        const struct calibration_kernel *x = &a->kernel[k], *y = &b->kernel[k];
        assert_string_equal(x->spec, y->spec);
        assert_int_equal(x->grid, y->grid);
        assert_int_equal(x->rows, y->rows);
        assert_int_equal(x->columns, y->columns);
        assert_int_equal(x->chunk, y->chunk);
        assert_int_equal(x->blocks, y->blocks);
        assert_memory_equal(x->block, y->block,
                            (size_t)x->blocks * sizeof(*x->block));
        for (int w = 0; w < a->workers; w++) {
            assert_true(x->cost[w].c_p == y->cost[w].c_p);
            assert_true(x->cost[w].c_b == y->cost[w].c_b);
            assert_true(x->cost[w].operation == y->cost[w].operation);
            assert_true(x->cost[w].start == y->cost[w].start);
            assert_true(x->cost[w].power == y->cost[w].power);
            assert_true(x->cost[w].r2 == y->cost[w].r2 ||
                        (isnan(x->cost[w].r2) && isnan(y->cost[w].r2)));
        }
    }
    assert_string_equal(a->dispatch[0].transport, b->dispatch[0].transport);
    assert_true(a->dispatch[0].c_sch == b->dispatch[0].c_sch);
    assert_memory_equal(a->rate, b->rate, sizeof(a->rate));
    assert_memory_equal(&a->slices, &b->slices, sizeof(a->slices));
    assert_true(a->charge.state == b->charge.state);
    assert_true(a->charge.send == b->charge.send);
    assert_true(a->charge.receive == b->charge.receive);
    assert_true(a->charge.one_way == b->charge.one_way);
    assert_true(isnan(a->charge.round) && isnan(b->charge.round));
    assert_true(a->charge.steal == b->charge.steal);
}

static void files_come_back(void **unused)
{
    char folder[256], path[300];
    struct calibration c = make(), read;
    struct error err = {""};
    free(saved(&c, folder, sizeof(folder), path));
    if (calibration_load(path, &read, &err) != 0)
        fail_msg("%s", err.text);
    assert_string_equal(read.host, c.host);
    assert_string_equal(read.processor, c.processor);
    assert_string_equal(read.cpuset, c.cpuset);
    assert_string_equal(read.mpi, c.mpi);
    assert_string_equal(read.version, c.version);
    assert_string_equal(read.started, c.started);
    assert_true(read.took_s == 12.5);
    assert_int_equal(read.kind[CALIBRATION_THREADS].workers, 0);
    assert_same_kind(&read.kind[CALIBRATION_RANKS], &c.kind[CALIBRATION_RANKS]);
    testing_folder_remove(folder);
    calibration_free(&read);
    calibration_free(&c);
}

/* One place of a good file replaced by something else. */
static const struct {
    const char *from, *to, *expected;
} damages[] = {
    {"\"schema\": 3", "\"schema\": 1",
     "a calibration of schema 1, this program reads 3"},
    {"\"layout\": ", "\"layout\": 4", "a later layout of the kernels"},
    {"\"layout\": ", "\"lay\": ", "an earlier layout of the kernels"},
    {"\"h\": 8", "\"h\": 4", "'h' must be more than in the block before"},
    {"\"row_s\": ", "\"row_s\": 0, \"x\": ", "'row_s' must be a number above"},
    {"\"blocks\": ", "\"blocks\": {}, \"x\": ", "'blocks' must be a list"},
    {"dlsbench calibration", "shopping list", "not a calibration"},
    {"\"host\"", "\"hots\"", "'host' must be a text"},
    {"\"kinds\"", "\"sorts\"", "neither threads nor ranks"},
    {"\"c_d_s\"", "\"c_x\"", "boundaries: 'c_d_s' must be a number"},
    {"\"c_p_s\": 2", "\"c_p_s\": -2", "'c_p_s' must be a number above 0"},
    {"\"c_p_s\"", "\"c_p\"", "'c_p_s' must be a number above 0"},
    {"\"start_s\"", "\"starts\"", "'start_s' must be a number from 0"},
    {"\"rows\": 10,", "\"rows\": 0,", "'rows' must be a whole number"},
    {"\"c_sch_s\"", "\"c_s\"", "dispatch: 'c_sch_s' must be"},
    {"\"kinds\": {", "\"kinds\": ", "the calibration is broken"},
    {"\"send_s\": ", "\"send_s\": -",
     "ranks, charges: 'send_s' must be a number from 0 to 1000000, or "
     "null"},
    {"\"send_s\": ", "\"send_s\": \"1\", \"x\": ", "charges: 'send_s' must"},
    {"\"send_s\": ", "\"send_s\": 1e308, \"x\": ", "charges: 'send_s' must"},
    {"\"charges\"", "\"changes\"", "charges: 'state_s' must be a number"},
    {"\"charges\": ", "\"charges\": \"x\", \"y\": ",
     "charges: 'state_s' must be a number"},
    {"\"c_p_s\": ", "\"c_p_s\": 1e308, \"x\": ", "'c_p_s' must be a number"},
    {"\"power\": ", "\"power\": 0, \"x\": ", "workers: 'power' must be"},
    {"\"core\": ", "\"core\": 4294967296, \"x\": ",
     "workers: 'core' must be a whole number from 0 to 2147483647, or "
     "null"},
    {"\"r2\": ", "\"r2\": \"x\", \"x\": ", "boundaries: 'r2' must be"},
    {"\"boundaries\": ", "\"boundaries\": \"x\", \"y\": ",
     "'boundaries' must be a list"},
    {"\"dispatch\": ", "\"dispatch\": {}, \"y\": ",
     "'dispatch' must be a list"},
    {"\"dispatch\": ", "\"dispatch\": [1, 2, 3, 4, 5], \"y\": ",
     "'dispatch' must be a list of 4 at most"},
    {"\"transfers\": ", "\"transfers\": null, \"y\": ",
     "'transfers' must be a list"},
    {"\"messages_per_s\": ", "\"messages_per_s\": -1, \"x\": ",
     "rates: 'messages_per_s' must be"},
    {"\"rates\": [", "\"rates\": [{\"bytes\": 8, \"messages_per_s\": 1}, ",
     "'rates' must be a list of 7"},
    {"\"run_s\": ", "\"run_s\": 1e-300, \"x\": ", "slices: 'run_s, gap_s"},
    {"\"gap_s\": ", "\"gap_s\": 1e308, \"x\": ", "slices: 'run_s, gap_s"},
};

static void broken_files_are_refused(void **unused)
{
    struct calibration c = make();
    for (size_t i = 0; i < sizeof(damages) / sizeof(damages[0]); i++) {
        char folder[256], path[300], *changed = NULL;
        struct calibration read;
        struct error err = {""};
        char *text = saved(&c, folder, sizeof(folder), path);
        char *at = strstr(text, damages[i].from);
        if (at == NULL)
            fail_msg("no %s in the file", damages[i].from);
        assert_true(asprintf(&changed, "%.*s%s%s", (int)(at - text), text,
                             damages[i].to, at + strlen(damages[i].from)) > 0);
        testing_write(path, changed, strlen(changed));
        bool earlier = strstr(damages[i].expected, "schema 1") != NULL ||
                       strstr(damages[i].expected, "earlier") != NULL;
        assert_int_equal(calibration_load(path, &read, &err),
                         earlier ? -ESTALE : -EINVAL);
        if (strstr(err.text, damages[i].expected) == NULL ||
            strstr(err.text, path) == NULL)
            fail_msg("'%s' does not hold '%s'", err.text, damages[i].expected);
        free(changed);
        free(text);
        testing_folder_remove(folder);
    }
    calibration_free(&c);
}

static void cut_and_missing_files_are_refused(void **unused)
{
    char folder[256], path[300];
    struct calibration c = make(), read;
    struct error err = {""};
    char *text = saved(&c, folder, sizeof(folder), path);
    size_t whole = strlen(text);
    for (size_t length = 0; length < whole; length += 37) {
        testing_write(path, text, length);
        assert_int_equal(calibration_load(path, &read, &err), -EINVAL);
    }
    testing_folder_remove(folder);
    assert_int_equal(calibration_load(path, &read, &err), -ENOENT);
    assert_non_null(strstr(err.text, "cannot read the calibration"));
    free(text);
    calibration_free(&c);
}

static void doubts_name_machine_and_version(void **unused)
{
    struct calibration c = make();
    char text[512];
    calibration_doubts(&c, text, sizeof(text));
    assert_string_equal(text, "");
    strcpy(c.version, "an older one");
    calibration_doubts(&c, text, sizeof(text));
    assert_non_null(strstr(text, "another version"));
    assert_non_null(strstr(text, "an older one"));
    strcpy(c.processor, "Abacus");
    calibration_doubts(&c, text, sizeof(text));
    assert_non_null(strstr(text, "another machine"));
    assert_non_null(strstr(text, "Abacus"));
    calibration_free(&c);
}

static void powers_are_relative_to_the_slowest(void **unused)
{
    struct calibration c = make();
    const struct calibration_kind *kind = &c.kind[CALIBRATION_RANKS];
    /* 2, 4, 1 of the one kernel and 2, 2, 1 of the other */
    assert_true(fabs(kind->kernel[0].cost[1].power - 4) < 1e-12);
    assert_true(fabs(kind->kernel[1].cost[2].power - 1) < 1e-12);
    assert_true(fabs(kind->worker[0].power - 2) < 1e-12);
    assert_true(fabs(kind->worker[1].power - sqrt(8)) < 1e-12);
    assert_true(fabs(kind->worker[2].power - 1) < 1e-12);
    assert_false(calibration_is_alike(kind));
    kind->worker[0].power = kind->worker[1].power = 1.09;
    assert_true(calibration_is_alike(kind));
    calibration_free(&c);
}

static void what_is_looked_up_is_the_nearest(void **unused)
{
    struct calibration c = make();
    const struct calibration_kind *kind = &c.kind[CALIBRATION_RANKS];
    double c_d, c_c;
    assert_ptr_equal(calibration_kernel_near(kind, "heat:rows=1", 19000),
                     &kind->kernel[0]);
    assert_ptr_equal(calibration_kernel_near(kind, "heat", 21000),
                     &kind->kernel[1]);
    assert_ptr_equal(
        calibration_kernel_near(kind, "heat:rows=10,cols=20", 2000000),
        &kind->kernel[0]);
    assert_null(calibration_kernel_near(kind, "hea", 21000));
    assert_null(calibration_kernel_near(kind, "heater", 21000));
    assert_true(calibration_exchange(kind, 3, &c_d, &c_c));
    assert_true(c_d == 2e-6 && fabs(c_c - 2e-9) < 1e-20);
    assert_true(calibration_exchange(kind, 2, &c_d, &c_c));
    assert_true(c_d == 1e-6 && fabs(c_c - 3e-9) < 1e-20);
    assert_true(calibration_c_sch(kind, "master") == 3e-7);
    assert_true(isnan(calibration_c_sch(kind, "window")));
    assert_false(calibration_exchange(&c.kind[0], 2, &c_d, &c_c));
    calibration_free(&c);
}

static void a_tournament_has_every_pair_once(void **unused)
{
    for (int n = 1; n <= 64; n++) {
        int played[64][64] = {{0}}, count = 0;
        for (int r = 0; r < boundary_rounds(n); r++) {
            bool busy[64] = {false};
            for (int m = 0; m < (n + 1) / 2; m++) {
                int pair[2];
                if (!boundary_match(n, r, m, pair))
                    continue;
                assert_true(0 <= pair[0] && pair[0] < pair[1] && pair[1] < n);
                assert_false(busy[pair[0]] || busy[pair[1]]);
                busy[pair[0]] = busy[pair[1]] = true;
                played[pair[0]][pair[1]]++;
                count++;
            }
        }
        assert_int_equal(count, n * (n - 1) / 2);
        assert_int_equal(count, boundary_pairs(n));
        for (int a = 0; a < n; a++)
            for (int b = a + 1; b < n; b++)
                assert_int_equal(played[a][b], 1);
    }
    assert_int_equal(boundary_rounds(1000), 63);
    assert_int_equal(boundary_pairs(1000), 63 * 500);
}

/* Any few repetitions in a row have starts from all over. */
static void starts_are_taken_in_turns(void **unused)
{
    struct calibration_slices s = {.run = 1, .gap = 1};
    int seen[CALIBRATION_STARTS] = {0}, short_ones = 0;
    for (int i = 0; i < CALIBRATION_STARTS; i++)
        s.start[i] = i;
    assert_true(calibration_start(&s, 0) == 7);
    for (int64_t r = 0; r < 300; r++) {
        seen[(int)calibration_start(&s, r)]++;
        short_ones += r < 5 && calibration_start(&s, r) < 7;
    }
    for (int i = 0; i < CALIBRATION_STARTS; i++)
        assert_true(seen[i] >= 18 && seen[i] <= 22);
    assert_int_equal(short_ones, 2);
}

TESTS(cmocka_unit_test(files_come_back),
      cmocka_unit_test(broken_files_are_refused),
      cmocka_unit_test(cut_and_missing_files_are_refused),
      cmocka_unit_test(doubts_name_machine_and_version),
      cmocka_unit_test(powers_are_relative_to_the_slowest),
      cmocka_unit_test(what_is_looked_up_is_the_nearest),
      cmocka_unit_test(a_tournament_has_every_pair_once),
      cmocka_unit_test(starts_are_taken_in_turns))
