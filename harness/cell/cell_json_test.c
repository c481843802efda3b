/* Cells as JSON, there and back, and what damage does to it. */
#include "harness/cell/cell_testing.h"

#include <errno.h>

static void cells_come_back_from_json(void **unused)
{
    const struct cell cells[] = {
        good(WORDS("scheme=ss")),
        good(WORDS("layout=9x2", "hierarchy=2", "master=dedicated",
                   "power=6:1,6:2.5", "prefetch=off", "collect=local",
                   "bind=scatter", "timing=chunk", "min_chunk=4294967297",
                   "scheme=wcss:k=3", "kernel=mandelbrot:size=33")),
        good(WORDS("layout=3x1", "transport=window", "window=rma")),
        good(WORDS("kernel=heat", "threads=2", "sync_interval=7")),
    };
    for (size_t i = 0; i < sizeof(cells) / sizeof(cells[0]); i++) {
        struct cell read;
        struct error err = {""};
        json_t *object = cell_to_json(&cells[i]);
        char *text = json_dumps(object, 0);
        json_t *parsed = json_loads(text, 0, NULL);
        assert_non_null(parsed);
        if (cell_read(parsed, testing_texts(), &read, &err) != 0)
            fail_msg("%s: %s", text, err.text);
        assert_true(equal(&read, &cells[i]));
        json_decref(object);
        json_decref(parsed);
        free(text);
    }
}

static void damaged(const char *key, json_t *value)
{
    struct cell cell = good(WORDS("layout=2x2")), read;
    struct error err = {""};
    json_t *object = cell_to_json(&cell);
    if (value == NULL)
        json_object_del(object, key);
    else
        json_object_set_new(object, key, value);
    int code = cell_read(object, testing_texts(), &read, &err);
    if (code != -EINVAL || err.text[0] == '\0')
        fail_msg("a cell with a wrong %s is taken: %d %s", key, code, err.text);
    json_decref(object);
}

static void damaged_json_is_refused(void **unused)
{
    static const char *const keys[] = {
        "kernel",    "scheme",  "hierarchy", "transport", "master",
        "window",    "collect", "answer",    "bind",      "timing",
        "power",     "load",    "prefetch",  "ranks",     "threads",
        "min_chunk", "smt",     "rank_per",  "memory"};
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        damaged(keys[i], NULL);
        damaged(keys[i], json_null());
        damaged(keys[i], json_array());
    }
    damaged("ranks", json_integer(0));
    damaged("ranks", json_integer(-1));
    damaged("ranks", json_string("2"));
    damaged("ranks", json_integer((json_int_t)1 << 32 | 2));
    damaged("threads", json_integer(0));
    damaged("threads", json_real(2));
    damaged("min_chunk", json_integer(0));
    damaged("sync_interval", json_integer(-1));
    damaged("sync_interval", json_string("100"));
    damaged("sync_choice", json_string("somebody"));
    damaged("sync_choice", NULL);
    damaged("transport", json_string("pigeon"));
    damaged("kernel", json_string("nul"));
    struct cell read, open = good(WORDS("kernel=heat", "sync_interval=auto"));
    struct error err = {""};
    json_t *object = cell_to_json(&open), *list = json_array();
    assert_int_equal(cell_read(object, testing_texts(), &read, &err), -EINVAL);
    assert_non_null(strstr(err.text, "was not chosen"));
    json_object_set_new(object, "sync_interval", json_integer(12));
    json_object_set_new(object, "predicted_s", json_real(0.25));
    assert_int_equal(cell_read(object, testing_texts(), &read, &err), 0);
    assert_true(read.sync_interval == 12 && read.predicted_s == 0.25);
    assert_string_equal(read.hash, open.hash);
    json_decref(object);
    assert_int_equal(cell_read(list, testing_texts(), &read, &err), -EINVAL);
    assert_int_equal(cell_read(NULL, testing_texts(), &read, &err), -EINVAL);
    json_decref(list);
}

TESTS(cmocka_unit_test(cells_come_back_from_json),
      cmocka_unit_test(damaged_json_is_refused))
