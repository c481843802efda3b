/* Verification: whatever a run does wrong with one iteration is noticed.  One
 * rank, started without a launcher. */
#include "harness/testing.h"

#include "harness/problem/verify.h"

#include <xxhash.h>

enum { ITERATIONS = 500, BYTES = 24 };

static const struct kernel_ops no_kernel;

struct fixture {
    struct comm comm;
    struct loop loop;
};

/* The right output, its checksums, and all of it known. */
static void make_right(struct loop *loop)
{
    for (size_t i = 0; i < ITERATIONS * BYTES; i++)
        loop->output[i] = (char)(i * 7 + i / BYTES);
    for (int64_t i = 0; i < ITERATIONS; i++) {
        loop->checksum[i] = XXH3_64bits(loop->output + i * BYTES, BYTES);
        loop->known[i] = 1;
    }
}

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));
    struct error err = {""};
    if (comm_open(&f->comm, &err) != 0)
        fail_msg("%s", err.text);
    f->loop = (struct loop){.kernel = &no_kernel,
                            .iterations = ITERATIONS,
                            .output_bytes = BYTES,
                            .output = malloc(ITERATIONS * BYTES),
                            .checksum = calloc(ITERATIONS, 8),
                            .known = calloc(ITERATIONS, 1)};
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    comm_close(&f->comm);
    free(f->loop.output);
    free(f->loop.checksum);
    free(f->loop.known);
    free(f);
    return 0;
}

static struct verdict verify(struct fixture *f, const struct extent *extent,
                             int64_t count)
{
    struct verdict verdict = {.wrong_iteration = -77};
    struct error err = {""};
    if (verify_output(&f->loop, &f->comm, extent, count, &verdict, &err) != 0)
        fail_msg("%s", err.text);
    return verdict;
}

/* Random chunks in random order that cover the loop. */
static int random_chunks(const struct loop *loop, struct extent *extent,
                         uint64_t *seed)
{
    int count = 0;
    for (int64_t at = 0; at < ITERATIONS; count++) {
        int64_t size = testing_between(seed, 1, 40);
        if (size > ITERATIONS - at)
            size = ITERATIONS - at;
        extent[count] = (struct extent){loop->output, at, size};
        at += size;
    }
    for (int i = count - 1; i > 0; i--) {
        int j = (int)testing_between(seed, 0, i);
        struct extent swap = extent[i];
        extent[i] = extent[j];
        extent[j] = swap;
    }
    return count;
}

static void right_output_is_good(void **state)
{
    struct fixture *f = *state;
    struct extent extent[ITERATIONS];
    uint64_t seed = testing_say_seed(__func__);
    make_right(&f->loop);
    for (int round = 0; round < 50; round++) {
        int count = random_chunks(&f->loop, extent, &seed);
        struct verdict v = verify(f, extent, count);
        assert_true(v.good);
        assert_int_equal(v.wrong_iteration, -1);
    }
}

static void one_wrong_bit_is_found(void **state)
{
    struct fixture *f = *state;
    struct extent extent[ITERATIONS];
    uint64_t seed = testing_say_seed(__func__);
    make_right(&f->loop);
    for (int round = 0; round < 200; round++) {
        int count = random_chunks(&f->loop, extent, &seed);
        int64_t at = testing_between(&seed, 0, ITERATIONS * BYTES - 1);
        char bit = (char)(1 << testing_between(&seed, 0, 7));
        f->loop.output[at] ^= bit;
        struct verdict v = verify(f, extent, count);
        assert_false(v.good);
        assert_int_equal(v.wrong_iteration, at / BYTES);
        /* A sampled loop says nothing about an iteration it does not know. */
        f->loop.known[at / BYTES] = 0;
        assert_true(verify(f, extent, count).good);
        f->loop.known[at / BYTES] = 1;
        f->loop.output[at] ^= bit;
    }
}

static void missing_and_doubled_iterations_are_found(void **state)
{
    struct fixture *f = *state;
    struct extent extent[2 * ITERATIONS];
    uint64_t seed = testing_say_seed(__func__);
    make_right(&f->loop);
    for (int round = 0; round < 200; round++) {
        int count = random_chunks(&f->loop, extent, &seed);
        int which = (int)testing_between(&seed, 0, count - 1);
        struct extent chunk = extent[which];
        /* Without it. */
        extent[which] = extent[count - 1];
        struct verdict v = verify(f, extent, count - 1);
        assert_false(v.good);
        assert_int_equal(v.wrong_iteration, chunk.start);
        /* Twice, or very often: no sum wraps round to 1. */
        int times = round % 2 ? 2 : 257;
        for (int i = 0; i < times; i++)
            extent[count - 1 + i] = chunk;
        v = verify(f, extent, count - 1 + times);
        assert_false(v.good);
        assert_int_equal(v.wrong_iteration, chunk.start);
    }
    /* One twice and another not at all: the number is right. */
    struct extent swapped[ITERATIONS];
    for (int i = 0; i < ITERATIONS; i++)
        swapped[i] = (struct extent){f->loop.output, i, 1};
    swapped[17].start = 18;
    struct verdict v = verify(f, swapped, ITERATIONS);
    assert_false(v.good);
    assert_int_equal(v.wrong_iteration, 17);
    assert_false(verify(f, NULL, 0).good);
}

static void poisoned_output_is_wrong(void **state)
{
    struct fixture *f = *state;
    const struct extent all = {f->loop.output, 0, ITERATIONS};
    const struct extent part = {f->loop.output, 100, 50};
    make_right(&f->loop);
    verify_poison(&f->loop, &part, 1);
    for (int i = 0; i < ITERATIONS * BYTES; i++)
        assert_int_equal((uint8_t)f->loop.output[i] == LOOP_POISON &&
                             i / BYTES >= 100 && i / BYTES < 150,
                         i / BYTES >= 100 && i / BYTES < 150);
    struct verdict v = verify(f, &all, 1);
    assert_false(v.good);
    assert_int_equal(v.wrong_iteration, 100);
}

/* Collected results and results computed here have different places. */
static void each_chunk_is_looked_for_in_its_place(void **state)
{
    struct fixture *f = *state;
    char *inbox = malloc(ITERATIONS * BYTES);
    assert_non_null(inbox);
    make_right(&f->loop);
    memcpy(inbox, f->loop.output, ITERATIONS * BYTES);
    const struct extent extent[] = {{f->loop.output, 0, 200},
                                    {inbox, 200, 300}};
    memset(f->loop.output + 200 * BYTES, 1, 300 * BYTES);
    memset(inbox, 2, 200 * BYTES);
    assert_true(verify(f, extent, 2).good);
    verify_poison(&f->loop, extent, 2);
    assert_int_equal((uint8_t)f->loop.output[199 * BYTES], LOOP_POISON);
    assert_int_equal(f->loop.output[200 * BYTES], 1);
    assert_int_equal(inbox[199 * BYTES], 2);
    assert_int_equal((uint8_t)inbox[200 * BYTES], LOOP_POISON);
    assert_int_equal(verify(f, extent, 2).wrong_iteration, 0);
    free(inbox);
}

static bool is_five_and_seven(const void *instance, const uint64_t tally[2])
{
    (void)instance;
    return tally[0] == 5 && tally[1] == 7;
}

static void tallies_are_asked(void **state)
{
    struct fixture *f = *state;
    const struct kernel_ops ops = {.check_tally = is_five_and_seven};
    struct loop loop = {.kernel = &ops};
    struct verdict v;
    uint64_t right[2] = {5, 7}, wrong[2] = {5, 8};
    verify_tally(&loop, &f->comm, right, &v);
    assert_true(v.good);
    verify_tally(&loop, &f->comm, wrong, &v);
    assert_false(v.good);
}

/* ---- the collective steps with one rank ---- */

static void collective_steps_work_alone(void **state)
{
    struct fixture *f = *state;
    const struct comm *comm = &f->comm;
    struct error err = {"mine"};
    assert_int_equal(comm->ranks, 1);
    assert_true(comm->one_host);
    assert_int_equal(comm_agree(comm, 0, &err), 0);
    assert_int_equal(comm_agree(comm, -5, &err), -5);
    assert_string_equal(err.text, "mine");
    assert_int_equal(comm_max_int(comm, -3), -3);
    uint64_t one = 0;
    comm_share_u64(comm, 42, &one);
    assert_int_equal(one, 42);
    void *all = NULL;
    size_t total = 99;
    assert_int_equal(comm_gather_any(comm, "abc", 4, &all, &total), 0);
    assert_int_equal(total, 4);
    assert_string_equal(all, "abc");
    free(all);
    assert_int_equal(comm_gather_any(comm, NULL, 0, &all, &total), 0);
    assert_int_equal(total, 0);
    free(all);
    comm_quiet_barrier(comm);
    comm_sharp_barrier(comm);
    char text[400];
    comm_describe(text, sizeof(text));
    assert_true(strlen(text) > 3);
    assert_null(strchr(text, '\n'));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(right_output_is_good),
        cmocka_unit_test(one_wrong_bit_is_found),
        cmocka_unit_test(missing_and_doubled_iterations_are_found),
        cmocka_unit_test(poisoned_output_is_wrong),
        cmocka_unit_test(each_chunk_is_looked_for_in_its_place),
        cmocka_unit_test(tallies_are_asked),
        cmocka_unit_test(collective_steps_work_alone),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
