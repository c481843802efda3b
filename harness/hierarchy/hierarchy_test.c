/* Hierarchies: text to levels and back, and what is refused. */
#include "harness/testing.h"

#include "harness/hierarchy/hierarchy.h"

#include <errno.h>

static const struct {
    const char *text, *canonical;
    int levels, fan[3];
    bool node;
    long leaves, masters;
} good[] = {
    {"flat", "flat", 0, {0}, false, 1, 1},
    {"node", "node", 0, {0}, true, 1, 1},
    {"16", "16", 1, {16}, false, 16, 17},
    {"1", "1", 1, {1}, false, 1, 2},
    {"4x16", "4x16", 2, {4, 16}, false, 64, 69},
    {"04x016", "4x16", 2, {4, 16}, false, 64, 69},
    {"2xnode", "2xnode", 1, {2}, true, 2, 3},
    {"2x3x4xnode", "2x3x4xnode", 3, {2, 3, 4}, true, 24, 33},
};

static void texts_become_levels(void **unused)
{
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        struct hierarchy h;
        struct error err = {""};
        char text[64];
        if (hierarchy_parse(good[i].text, &h, &err) != 0)
            fail_msg("%s: %s", good[i].text, err.text);
        hierarchy_format(&h, text, sizeof(text));
        assert_string_equal(text, good[i].canonical);
        assert_int_equal(h.levels, good[i].levels);
        assert_int_equal(h.node, good[i].node);
        for (int level = 0; level < h.levels; level++)
            assert_int_equal(h.fan[level], good[i].fan[level]);
        assert_int_equal(hierarchy_leaves(&h), good[i].leaves);
        assert_int_equal(hierarchy_masters(&h), good[i].masters);
    }
}

static void random_levels_come_back(void **unused)
{
    uint64_t seed = testing_say_seed(__func__);
    for (int round = 0; round < 2000; round++) {
        struct hierarchy h = {.node = testing_random(&seed) % 2};
        h.levels = (int)testing_between(&seed, 0, HIERARCHY_LEVELS_MAX);
        long leaves = 1, masters = 1;
        for (int i = 0; i < h.levels; i++) {
            h.fan[i] = (int)testing_between(&seed, 1, 9);
            leaves *= h.fan[i];
            masters += leaves;
        }
        char text[64];
        struct hierarchy read;
        hierarchy_format(&h, text, sizeof(text));
        assert_int_equal(hierarchy_parse(text, &read, NULL), 0);
        assert_memory_equal(&read, &h, sizeof(h));
        assert_int_equal(hierarchy_leaves(&h), leaves);
        assert_int_equal(hierarchy_masters(&h), masters);
    }
}

static void refused(const char *text, const char *says)
{
    struct hierarchy h = {.levels = 77};
    struct error err = {""};
    assert_int_equal(hierarchy_parse(text, &h, &err), -EINVAL);
    if (strstr(err.text, says) == NULL)
        fail_msg("'%s' gives '%s', it should say '%s'", text, err.text, says);
    assert_int_equal(h.levels, 77); /* outputs only on success */
}

static void wrong_texts_are_refused(void **unused)
{
    const char *const unknown[] = {
        "",   "x",   "4x",   "x4",    "4xx4",  "-1",     "+1",     " 4",
        "4 ", "4.0", "Flat", "flat ", "nodes", "4xflat", "flatx4", "2x10 "};
    for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++)
        refused(unknown[i], "allowed are flat");
    refused("0", "1 to 1000000");
    refused("4x0", "1 to 1000000");
    refused("1000001", "1 to 1000000");
    refused("99999999999999999999", "1 to 1000000");
    refused("nodex4", "node must be the last level");
    refused("2xnodexnode", "node must be the last level");
    refused("1x1x1x1x1x1x1x1x1", "at most 8 levels");
}

static void products_do_not_overflow(void **unused)
{
    struct hierarchy h;
    assert_int_equal(
        hierarchy_parse("1000000x1000000x1000000x1000000x1000000", &h, NULL),
        0);
    assert_true(hierarchy_leaves(&h) > 1000000000L);
    assert_true(hierarchy_masters(&h) > 1000000000L);
}

static void long_texts_are_cut(void **unused)
{
    struct hierarchy h = {.levels = HIERARCHY_LEVELS_MAX, .node = true};
    for (int i = 0; i < h.levels; i++)
        h.fan[i] = 1000000;
    char text[16 + 1];
    memset(text, '#', sizeof(text));
    hierarchy_format(&h, text, 16);
    assert_int_equal(text[16], '#');
    assert_memory_equal(text, "1000000x1000000", 16); /* with its end */
}

TESTS(cmocka_unit_test(texts_become_levels),
      cmocka_unit_test(random_levels_come_back),
      cmocka_unit_test(wrong_texts_are_refused),
      cmocka_unit_test(products_do_not_overflow),
      cmocka_unit_test(long_texts_are_cut))
