/* The table of fields: what holds for every line of it. */
#include "harness/cell/cell_field.h"
#include "harness/cell/cell_testing.h"
#include "harness/transport/registry/transport_registry.h"

/* Whether all fields are equal but these (NULL ends the names). */
static bool cell_equal_but(const struct cell *a, const struct cell *b,
                           const char *const *names)
{
    for (int i = 0; i < CELL_FIELDS; i++) {
        const struct cell_field *f = &cell_field_table[i];
        int n = 0;
        while (names[n] != NULL && strcmp(names[n], f->name) != 0)
            n++;
        if (names[n] == NULL && !f->made && cell_field_compare(a, b, f) != 0)
            return false;
    }
    return true;
}

/* A value of each field that is not the usual one. */
static void make_unusual(struct cell *cell, const struct cell_field *field)
{
    static const struct {
        const char *field, *value;
    } special[] = {{"bind", "0-3"},        {"rank_per", "numa"},
                   {"layout", "7x9"},      {"transport", "window"},
                   {"sync_interval", "7"}, {"hierarchy", "2xnode"}};
    const char *value = field->kind == CELL_SWITCH
                            ? (field->fallback != NULL ? "off" : "on")
                            : "77";
    struct error err = {""};
    const char *names[CELL_NAMES_MAX];
    const char *const *choices =
        field->names != NULL ? field->names(field, names) : field->choices;
    for (int i = 0; choices[i] != NULL; i++)
        if (strcmp(choices[i], field->fallback) != 0 &&
            !(field->usual && strstr(field->usual, choices[i])))
            value = choices[i];
    if (field->most > 0 && field->most < 77)
        value = "0.5";
    for (size_t i = 0; i < sizeof(special) / sizeof(special[0]); i++)
        if (strcmp(special[i].field, field->name) == 0)
            value = special[i].value;
    if (cell_set(cell, field->name, value, &err) != 0)
        fail_msg("%s", err.text);
}

/* Whether any transport lists the field. */
static bool is_served(const struct cell_field *field)
{
    for (int t = 0; transport_list[t] != NULL; t++) {
        const struct transport_rules *rules = transport_list[t]->rules;
        for (int i = 0; i < TRANSPORT_FIELDS && rules->fields[i]; i++)
            if (strcmp(rules->fields[i], field->name) == 0)
                return true;
    }
    return false;
}

static void served_fields_are_those_of_transports(void **unused)
{
    for (int i = 0; i < CELL_FIELDS; i++)
        if (cell_field_table[i].served != is_served(&cell_field_table[i]))
            fail_msg("%s: .served and the rules of transports differ",
                     cell_field_table[i].name);
}

/* Where every field applies. */
static void make_base(struct cell *cell)
{
    cell_defaults(cell, testing_texts());
    cell_set(cell, "kernel", "null", NULL);
    cell_set(cell, "scheme", "ss", NULL);
    cell_set(cell, "transport", "master", NULL);
    cell_set(cell, "platform", "a.xml", NULL);
    cell_hash(cell);
}

static void places_in_the_hash_are_taken_once(void **unused)
{
    bool taken[HASH_MAX] = {false};
    for (int i = 0; i < CELL_FIELDS; i++) {
        int hash = cell_field_table[i].hash;
        assert_true(hash >= 0 && hash < HASH_MAX);
        if (hash > 0 && taken[hash])
            fail_msg("%s: its place is taken", cell_field_table[i].name);
        taken[hash] = hash > 0;
    }
}

static void fallbacks_are_values(void **unused)
{
    struct cell cell;
    cell_defaults(&cell, testing_texts());
    for (int i = 0; i < CELL_FIELDS; i++) {
        const struct cell_field *field = &cell_field_table[i];
        char text[SPEC_CANONICAL_MAX];
        cell_field_text(&cell, field, text);
        if (field->fallback != NULL)
            assert_string_equal(text, field->fallback);
    }
}

static void text_is_read_back(void **unused)
{
    for (int i = 0; i < CELL_FIELDS; i++) {
        const struct cell_field *field = &cell_field_table[i];
        struct cell cell, again;
        char text[SPEC_CANONICAL_MAX];
        make_base(&cell);
        if (field->made || field->kind == CELL_ALIAS)
            continue;
        make_unusual(&cell, field);
        make_base(&again);
        cell_field_text(&cell, field, text);
        assert_int_equal(cell_set(&again, field->name, text, NULL), 0);
        assert_int_equal(cell_field_compare(&cell, &again, field), 0);
    }
}

/* The line of a field alone decides how it is hashed, compared, kept in JSON
 * and described among other cells. */
static void a_line_is_enough(void **unused)
{
    for (int i = 0; i < CELL_FIELDS; i++) {
        const struct cell_field *field = &cell_field_table[i];
        const char *const but[] = {field->name, NULL}, *const none[] = {NULL};
        struct cell base, cell, read;
        struct error err = {""};
        if (field->made || field->asks || field->kind == CELL_ALIAS)
            continue;
        make_base(&base);
        cell = base;
        make_unusual(&cell, field);
        cell_hash(&cell);
        if (strcmp(cell.hash, base.hash) == 0)
            fail_msg("%s is not hashed", field->name);
        assert_false(cell_equal_but(&cell, &base, none));
        assert_true(cell_equal_but(&cell, &base, but));
        if (cell_field_applies(&cell, field) &&
            !cell_field_unusual(&cell, field))
            fail_msg("%s is not said", field->name);
        json_t *object = cell_to_json(&cell);
        if (cell_from_json(object, testing_texts(), &read, &err) != 0)
            fail_msg("%s: %s", field->name, err.text);
        assert_true(cell_equal_but(&cell, &read, none));
        cell_from_row(object, testing_texts(), &read);
        assert_true(cell_equal_but(&cell, &read, none));
        json_decref(object);
    }
}

/* Missing fields and unknown ones have the usual value. */
static void rows_of_other_versions_are_read(void **unused)
{
    struct cell cell, usual;
    const char *const but[] = {"kernel", "ranks", NULL};
    json_t *line =
        json_pack("{s:s,s:s,s:i,s:s,s:s}", "kernel", "older", "transport",
                  "pigeon", "ranks", 3, "threads", "many", "colour", "red");
    cell_from_row(line, testing_texts(), &cell);
    cell_defaults(&usual, testing_texts());
    assert_string_equal(cell.kernel, "older");
    assert_int_equal(cell.ranks, 3);
    assert_true(cell_equal_but(&cell, &usual, but));
    json_decref(line);
}

static void words_say_what_is_not_as_usual(void **unused)
{
    struct cell cell = good(WORDS("layout=2x1"));
    char words[512];
    cell_words(&cell, words, sizeof(words));
    assert_string_equal(words, ", master computing, flat, collect shared");
    cell = good(WORDS("layout=1x4"));
    cell_words(&cell, words, sizeof(words));
    assert_string_equal(words, ", shared, flat");
    cell = good(WORDS("layout=1x4", "prefetch=off"));
    cell_words(&cell, words, sizeof(words));
    assert_string_equal(words, ", shared, flat, no prefetch");
    cell = good(WORDS("layout=2x2", "prefetch=off", "collect=local", "smt=on",
                      "min_chunk=7", "load=w1:1", "bind=0-3"));
    cell_words(&cell, words, sizeof(words));
    assert_string_equal(words, ", master computing, flat, collect local, no "
                               "prefetch, bind 0-3, smt, min-chunk 7, "
                               "non-dedicated, load w1:1");
    cell = good(WORDS("layout=2x1", "answer=collected"));
    cell_words(&cell, words, sizeof(words));
    assert_string_equal(words, ", master computing, flat, answer collected");
    cell = good(WORDS("kernel=heat", "sync_interval=auto"));
    cell.sync_interval = 42;
    cell_words(&cell, words, sizeof(words));
    assert_string_equal(words, ", shared, flat, sync interval 42 by auto");
    cell_words(&cell, words, 12);
    assert_string_equal(words, ", shared, f");
}

static void places_are_compared(void **unused)
{
    struct cell a = good(WORDS("layout=2x2")), b = a;
    b.scheme = "gss";
    assert_true(cell_same_places(&a, &b));
    b.smt = true;
    assert_false(cell_same_places(&a, &b));
}

TESTS(cmocka_unit_test(places_in_the_hash_are_taken_once),
      cmocka_unit_test(served_fields_are_those_of_transports),
      cmocka_unit_test(fallbacks_are_values),
      cmocka_unit_test(text_is_read_back), cmocka_unit_test(a_line_is_enough),
      cmocka_unit_test(rows_of_other_versions_are_read),
      cmocka_unit_test(words_say_what_is_not_as_usual),
      cmocka_unit_test(places_are_compared))
