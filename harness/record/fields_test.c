#include "base/unit_testing.h"

#include "harness/record/fields.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct thing {
    char name[8];
    bool large, square;
    int count, index;
    int64_t rows, lost;
    double cost, share, wait;
};

#define AT(member) RECORD_AT(struct thing, member)
static const struct record_field fields[] = {
    {"name", RECORD_TEXT, AT(name)},
    {"large", RECORD_SWITCH, AT(large)},
    {"form", RECORD_CHOICE, AT(square), .words = {"round", "square"}},
    {"count", RECORD_COUNT, AT(count), .least = 1},
    {"index", RECORD_INDEX, AT(index)},
    {"rows", RECORD_LONG, AT(rows)},
    {"lost", RECORD_TALLY, AT(lost)},
    {"cost_s", RECORD_REAL, AT(cost), .above = true},
    {"share", RECORD_KNOWN, AT(share), .least = -INFINITY, .most = 1},
    {"wait_s", RECORD_TIME, AT(wait), .most = 1e6, .later = true},
    {.name = NULL}};

static const struct thing full = {"gss",   true, true, 3,    2,
                                  1 << 20, 5,    0.5,  0.25, 1e-3};
static const char full_text[] =
    "{\"name\": \"gss\", \"large\": true, \"form\": \"square\", \"count\": 3, "
    "\"index\": 2, \"rows\": 1048576, \"lost\": 5, \"cost_s\": 0.5, \"share\": "
    "0.25, \"wait_s\": 0.001}";

static char *dump(json_t *object)
{
    char *text = json_dumps(object, 0);
    json_decref(object);
    assert_non_null(text);
    return text;
}

static int take(const char *text, struct thing *thing, struct error *err)
{
    json_t *object = json_loads(text, 0, NULL);
    assert_non_null(object);
    int code = record_take(object, thing, fields, err);
    json_decref(object);
    return code;
}

static void fields_are_written_in_order_and_come_back(void **unused)
{
    struct thing read;
    char *text = dump(record_object(&full, fields));
    assert_string_equal(text, full_text);
    memset(&read, 0, sizeof(read));
    assert_int_equal(take(text, &read, NULL), 0);
    free(text);
    text = dump(record_object(&read, fields));
    assert_string_equal(text, full_text);
    free(text);
}

static void what_is_not_known_is_null(void **unused)
{
    struct thing none = full, read = full;
    none.index = -1;
    none.lost = -1;
    none.share = NAN;
    none.wait = -1;
    json_t *object = record_object(&none, fields);
    char *text = dump(json_incref(object));
    assert_non_null(strstr(text, "\"index\": null"));
    assert_non_null(strstr(text, "\"lost\": null"));
    assert_non_null(strstr(text, "\"share\": null, \"wait_s\": null"));
    assert_int_equal(take(text, &read, NULL), 0);
    assert_int_equal(read.index, -1);
    assert_true(read.lost == -1);
    assert_true(isnan(read.share) && isnan(read.wait));
    free(text);
    /* An earlier version did not know of it. */
    json_object_del(object, "wait_s");
    read.wait = 1;
    assert_int_equal(record_take(object, &read, fields, NULL), 0);
    assert_true(isnan(read.wait));
    json_decref(object);
    text = dump(record_object(NULL, fields));
    assert_non_null(strstr(text, "\"name\": null, \"large\": null"));
    free(text);
}

static void wrong_values_are_refused(void **unused)
{
    static const char index_says[] =
        "'index' must be a whole number from 0 to 2147483647, or null";
    static const struct {
        const char *from, *to, *says;
    } rows[] = {
        {"\"gss\"", "\"too long\"", "'name' must be a text of fitting length"},
        {"\"gss\"", "1", "'name' must be a text of fitting length"},
        {"true", "1", "'large' must be true or false"},
        {"\"square\"", "\"oval\"", "'form' must be 'round' or 'square'"},
        {"\"count\": 3", "\"count\": 0",
         "'count' must be a whole number from 1 to 2147483647"},
        {"\"count\": 3", "\"count\": 3.0",
         "'count' must be a whole number from 1 to 2147483647"},
        {"\"count\": 3", "\"count\": 4294967297",
         "'count' must be a whole number from 1 to 2147483647"},
        {"\"index\": 2", "\"index\": 4294967296", index_says},
        {"\"index\": 2", "\"index\": \"2\"", index_says},
        {"\"index\": 2", "\"index\": -1", index_says},
        {"\"index\": 2", "\"indes\": 2", index_says},
        {"\"lost\": 5", "\"lost\": 0.5",
         "'lost' must be a whole number from 0, or null"},
        {"0.25", "\"0.25\"", "'share' must be a number to 1, or null"},
        {"0.25", "1.25", "'share' must be a number to 1, or null"},
        {"\"share\"", "\"chair\"", "'share' must be a number to 1, or null"},
        {"0.001", "-1", "'wait_s' must be a number from 0 to 1000000, or null"},
        {"0.001", "true",
         "'wait_s' must be a number from 0 to 1000000, or null"},
        {"0.001", "1e308",
         "'wait_s' must be a number from 0 to 1000000, or null"},
        {"0.5", "null", "'cost_s' must be a number above 0"},
        {"1048576", "-1", "'rows' must be a whole number from 0"},
        {"0.5", "0", "'cost_s' must be a number above 0"},
        {"\"cost_s\"", "\"cost\"", "'cost_s' must be a number above 0"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct thing read = full;
        struct error err = {""};
        char text[400];
        const char *at = strstr(full_text, rows[i].from);
        assert_non_null(at);
        snprintf(text, sizeof(text), "%.*s%s%s", (int)(at - full_text),
                 full_text, rows[i].to, at + strlen(rows[i].from));
        assert_int_equal(take(text, &read, &err), -EINVAL);
        assert_string_equal(err.text, rows[i].says);
    }
}

static void lists_come_back(void **unused)
{
    struct thing two[2] = {full, full}, read[2];
    struct error err = {""};
    two[1].rows = 7;
    memset(read, 0, sizeof(read));
    json_t *list = record_list(two, 2, sizeof(two[0]), fields);
    assert_int_equal(json_array_size(list), 2);
    assert_int_equal(
        record_take_list(list, read, 2, sizeof(read[0]), fields, &err), 0);
    assert_true(read[0].rows == full.rows && read[1].rows == 7);
    json_object_del(json_array_get(list, 1), "name");
    assert_int_equal(
        record_take_list(list, read, 2, sizeof(read[0]), fields, &err),
        -EINVAL);
    json_decref(list);
}

TESTS(cmocka_unit_test(fields_are_written_in_order_and_come_back),
      cmocka_unit_test(what_is_not_known_is_null),
      cmocka_unit_test(wrong_values_are_refused),
      cmocka_unit_test(lists_come_back))
