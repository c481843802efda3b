#include "base/unit_testing.h"

#include "harness/process/shard.h"

#include <string.h>

static void names_of_launches_end_with_their_part(void **state)
{
    static const struct {
        const char *launch;
        struct shard shard;
    } rows[] = {
        {"20261122T093320.344Z-vm-20946-0of1", {0, 0, 0, 1}},
        {"20261122T093320.344Z-a-host-20946-3of40", {0, 0, 3, 40}},
        {"20261122T093320.344Z-vm-20946-2x16-1of4", {2, 16, 1, 4}},
        {"20261122T093320.344Z-2x1-20946-1of4", {0, 0, 1, 4}},
    };
    struct shard shard;
    char text[64];
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        assert_true(shard_parse(rows[i].launch, &shard));
        assert_memory_equal(&shard, &rows[i].shard, sizeof(shard));
        shard_print(&shard, text, sizeof(text));
        size_t length = strlen(rows[i].launch), end = strlen(text);
        assert_string_equal(rows[i].launch + length - end, text);
    }
    assert_false(shard_parse("20261122T093320.344Z", &shard));
    assert_false(shard_parse("a-0of1x", &shard));
}

static void parts_overlap_unless_no_cell_can_be_in_both(void **state)
{
    static const struct {
        struct shard a, b;
        bool overlap;
    } rows[] = {
        {{0, 0, 0, 1}, {0, 0, 0, 1}, true},
        {{0, 0, 0, 4}, {0, 0, 1, 4}, false},
        {{0, 0, 0, 4}, {0, 0, 1, 3}, true},
        {{2, 1, 0, 1}, {4, 1, 0, 1}, false},
        {{2, 1, 0, 1}, {2, 2, 0, 1}, false},
        {{2, 1, 0, 1}, {0, 0, 0, 1}, true},
        {{2, 1, 0, 4}, {2, 1, 1, 4}, false},
        {{2, 1, 0, 4}, {2, 1, 1, 2}, true},
        /* Shards count in their shape. */
        {{2, 1, 0, 4}, {0, 0, 1, 4}, true},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        assert_int_equal(shard_overlaps(&rows[i].a, &rows[i].b),
                         rows[i].overlap);
        assert_int_equal(shard_overlaps(&rows[i].b, &rows[i].a),
                         rows[i].overlap);
    }
}

TESTS(cmocka_unit_test(names_of_launches_end_with_their_part),
      cmocka_unit_test(parts_overlap_unless_no_cell_can_be_in_both))
