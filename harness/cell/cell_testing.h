/* Shared by the tests of cells: cells from words, good and bad ones. */
#ifndef HARNESS_CELL_CELL_TESTING_H
#define HARNESS_CELL_CELL_TESTING_H

#include "harness/testing.h"

#include "harness/check/setup.h"

/* A cell from "field=value" words; the first that fails is the test's end. */
static inline void fill(struct cell *cell, const char *const *words)
{
    struct error err = {""};
    cell_defaults(cell, testing_texts());
    assert_int_equal(cell_set(cell, "kernel", "null", &err), 0);
    assert_int_equal(cell_set(cell, "scheme", "ss", &err), 0);
    for (int i = 0; words[i] != NULL; i++) {
        char field[64];
        const char *equals = strchr(words[i], '=');
        snprintf(field, sizeof(field), "%.*s", (int)(equals - words[i]),
                 words[i]);
        if (cell_set(cell, field, equals + 1, &err) != 0)
            fail_msg("%s: %s", words[i], err.text);
    }
}

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

static inline struct cell good(const char *const *words)
{
    struct cell cell;
    struct error err = {""};
    fill(&cell, words);
    if (cell_check(&cell, &err) != 0)
        fail_msg("%s ...: %s", words[0], err.text);
    return cell;
}

/* Resolved; setup_free it. */
static inline void open_good(struct setup *setup, const char *const *words)
{
    struct cell cell;
    struct error err = {""};
    fill(&cell, words);
    if (setup_resolve(setup, &cell, &err) != 0)
        fail_msg("%s ...: %s", words[0], err.text);
}

static inline void bad(const char *const *words, int code, const char *says)
{
    struct cell cell, before;
    struct error err = {""};
    fill(&cell, words);
    before = cell;
    int got = cell_check(&cell, &err);
    if (got != code || strstr(err.text, says) == NULL)
        fail_msg("%s ...: %d '%s', it should be %d '%s'", words[0], got,
                 err.text, code, says);
    assert_memory_equal(&cell, &before, sizeof(cell));
}

/* Every field as text; what follows the end of one does not matter. */
static inline bool equal(const struct cell *a, const struct cell *b)
{
    json_t *x = cell_to_json(a), *y = cell_to_json(b);
    bool same = json_equal(x, y) != 0;
    json_decref(x);
    json_decref(y);
    return same;
}

#endif
