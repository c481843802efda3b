/* Whom a thief tries: everybody else once in a round, the near ones first. */
#include "harness/testing.h"

#include "harness/transport/steal/victims.h"

enum { UNITS_MAX = 40 };

/* As numbers: the smaller, the nearer. */
static int distance(const struct site *a, const struct site *b)
{
    if (a->node != b->node)
        return 3;
    return a->socket != b->socket ? 2 : a->cache != b->cache;
}

static void choose(struct site *site, int count, uint64_t *seed)
{
    for (int i = 0; i < count; i++)
        site[i] = (struct site){(uint64_t)testing_between(seed, 1, 3),
                                (int32_t)testing_between(seed, 0, 1),
                                (int32_t)testing_between(seed, 0, 2)};
}

static void check_round(const struct victims *victims, const struct site *site,
                        int count, int self, uint64_t *random)
{
    struct victims_round round = {0};
    int tried[UNITS_MAX] = {0}, n = 0, last = 0, victim;
    while ((victim = victims_next(victims, &round, UNITS_MAX, random)) >= 0) {
        assert_true(victim < count && victim != self);
        tried[victim]++;
        n++;
        if (site == NULL)
            continue;
        int far = distance(&site[self], &site[victim]);
        assert_true(far >= last);
        last = far;
    }
    assert_int_equal(n, count - 1);
    for (int i = 0; i < count; i++)
        assert_int_equal(tried[i], i != self);
}

static void a_round_tries_everybody_once_and_the_near_first(void **unused)
{
    uint64_t seed = testing_say_seed(__func__), random = seed;
    for (int i = 0; i < 300; i++) {
        struct site site[UNITS_MAX];
        struct nearness nearness;
        struct victims victims;
        int count = (int)testing_between(&seed, 1, UNITS_MAX);
        int self = (int)testing_between(&seed, 0, count - 1);
        choose(site, count, &seed);
        assert_int_equal(nearness_open(&nearness, site, count), 0);
        victims_open(&victims, &nearness, self, true);
        check_round(&victims, site, count, self, &random);
        victims_open(&victims, &nearness, self, false);
        check_round(&victims, NULL, count, self, &random);
        nearness_close(&nearness);
        assert_int_equal(nearness_open(&nearness, NULL, count), 0);
        victims_open(&victims, &nearness, self, true);
        check_round(&victims, NULL, count, self, &random);
        nearness_close(&nearness);
    }
}

/* The first of a round, over all seeds: everybody of the nearest tier about as
 * often. */
static void equally_near_ones_are_tried_first_equally_often(void **unused)
{
    enum { COUNT = 8, DRAWS = 8000 };
    struct nearness nearness;
    struct victims victims;
    int first[COUNT] = {0};
    uint64_t random = testing_say_seed(__func__);
    assert_int_equal(nearness_open(&nearness, NULL, COUNT), 0);
    victims_open(&victims, &nearness, 3, false);
    for (int i = 0; i < DRAWS; i++) {
        struct victims_round round = {0};
        first[victims_next(&victims, &round, UNITS_MAX, &random)]++;
    }
    for (int i = 0; i < COUNT; i++)
        if (i != 3)
            assert_in_range(first[i], DRAWS / (COUNT - 1) * 4 / 5,
                            DRAWS / (COUNT - 1) * 6 / 5);
    assert_int_equal(first[3], 0);
    nearness_close(&nearness);
}

/* Of many so many are drawn, of every tier, and never the thief itself. */
static void of_many_only_some_are_tried(void **unused)
{
    enum { COUNT = 1000, NODE = 100, MOST = 5 };
    struct site site[COUNT];
    struct nearness nearness;
    struct victims victims;
    struct victims_round round = {0};
    uint64_t random = testing_say_seed(__func__);
    for (int i = 0; i < COUNT; i++)
        site[i] = (struct site){(uint64_t)(i % (COUNT / NODE)), 0, 0};
    assert_int_equal(nearness_open(&nearness, site, COUNT), 0);
    victims_open(&victims, &nearness, 7, true);
    for (int i = 0; i < 2 * MOST; i++) {
        int victim = victims_next(&victims, &round, MOST, &random);
        assert_true(victim >= 0 && victim != 7);
        assert_int_equal(site[victim].node == site[7].node, i < MOST);
    }
    assert_int_equal(victims_next(&victims, &round, MOST, &random), -1);
    nearness_close(&nearness);
}

static void the_same_seed_tries_the_same(void **unused)
{
    struct nearness nearness;
    struct victims victims;
    struct victims_round a = {0}, b = {0};
    uint64_t one = 42, other = 42;
    assert_int_equal(nearness_open(&nearness, NULL, 20), 0);
    victims_open(&victims, &nearness, 0, false);
    for (int i = 0; i < 20; i++)
        assert_int_equal(victims_next(&victims, &a, 9, &one),
                         victims_next(&victims, &b, 9, &other));
    nearness_close(&nearness);
}

TESTS(cmocka_unit_test(a_round_tries_everybody_once_and_the_near_first),
      cmocka_unit_test(equally_near_ones_are_tried_first_equally_often),
      cmocka_unit_test(of_many_only_some_are_tried),
      cmocka_unit_test(the_same_seed_tries_the_same))
