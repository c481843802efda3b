/* Helpers of the kernels' tests (to be included after cmocka.h). */
#ifndef KERNELS_CHECK_H
#define KERNELS_CHECK_H

#include "base/random.h"
#include "kernels/kernel.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct check_kernel {
    const struct kernel_ops *ops;
    void *instance;
    int64_t iterations;
    size_t bytes; /* output per iteration */
    void *scratch;
};

static inline void *check_memory(size_t size)
{
    void *memory = aligned_alloc(64, (size + 127) / 64 * 64);
    assert_non_null(memory);
    return memory;
}

static inline struct check_kernel check_make(const char *text)
{
    struct check_kernel k = {0};
    struct spec spec;
    struct error err = {""};
    if (kernel_parse(text, &k.ops, &spec, &err) != 0 ||
        k.ops->create(&spec, &k.instance, &err) != 0)
        fail_msg("%s: %s", text, err.text);
    k.iterations = k.ops->iterations(k.instance);
    k.bytes = k.ops->output_bytes(k.instance);
    size_t scratch =
        k.ops->scratch_bytes ? k.ops->scratch_bytes(k.instance) : 0;
    k.scratch = check_memory(scratch);
    memset(k.scratch, 0, scratch);
    return k;
}

static inline void check_free(struct check_kernel *k)
{
    k->ops->destroy(k->instance);
    free(k->scratch);
}

/* A spec is refused with `code`, and the text names `words`. */
static inline void check_refused(const char *text, int code, const char *words)
{
    const struct kernel_ops *ops;
    struct spec spec;
    struct error err = {""};
    void *instance = NULL;
    int got = kernel_parse(text, &ops, &spec, &err);
    if (got == 0)
        got = ops->create(&spec, &instance, &err);
    if (got != -code || instance != NULL || strstr(err.text, words) == NULL)
        fail_msg("%s: code %d, text '%s', expected '%s'", text, got, err.text,
                 words);
}

static inline void check_count_poll(void *arg)
{
    ++*(int64_t *)arg;
}

static inline uint64_t check_seed(void)
{
    const char *given = getenv("DLSBENCH_SEED");
    uint64_t seed = given ? strtoull(given, NULL, 10) : (uint64_t)time(NULL);
    print_message("DLSBENCH_SEED=%llu\n", (unsigned long long)seed);
    return seed;
}

/* Runs [begin, end) in random chunks, halves in random order. */
static inline void check_run_part(const struct check_kernel *k, char *output,
                                  int64_t begin, int64_t end, uint64_t *seed,
                                  const struct kernel_poll *poll)
{
    int64_t size = end - begin;
    if (size == 0)
        return;
    if (size == 1 || random_next(seed) % 4 == 0) {
        k->ops->run(k->instance, k->scratch, begin, size,
                    output + (size_t)begin * k->bytes, poll);
        return;
    }
    int64_t middle = begin + 1 + (int64_t)(random_next(seed) % (uint64_t)size);
    middle = middle < end ? middle : end - 1;
    bool turned = random_next(seed) & 1;
    check_run_part(k, output, turned ? middle : begin, turned ? end : middle,
                   seed, poll);
    check_run_part(k, output, turned ? begin : middle, turned ? middle : end,
                   seed, poll);
}

/* run gives the reference's bits in random chunks, with and without poll. */
static inline void check_bits(const char *text, uint64_t seed)
{
    struct check_kernel k = check_make(text);
    size_t total = (size_t)k.iterations * k.bytes;
    char *want = check_memory(total), *got = check_memory(total);
    memset(want, 0x55, total);
    k.ops->reference(k.instance, 0, k.iterations, want);
    int64_t polls = 0;
    const struct kernel_poll poll = {check_count_poll, &polls};
    for (int round = 0; round < 4; round++) {
        memset(got, 0xaa, total);
        check_run_part(&k, got, 0, k.iterations, &seed,
                       round % 2 ? &poll : NULL);
        if (memcmp(got, want, total) != 0)
            fail_msg("%s: run differs from the reference", text);
    }
    free(want);
    free(got);
    check_free(&k);
}

/* Runs on a copy of the input that `make` makes, in chunks of `size`. `spoil`:
 * one byte of it is changed, and then the bits must differ. */
static inline void check_input(const char *text, int64_t size, bool spoil)
{
    struct check_kernel k = check_make(text);
    const struct kernel_input *input = k.ops->input;
    size_t total = (size_t)k.iterations * k.bytes;
    char *want = check_memory(total), *got = check_memory(total);
    memset(want, 0x55, total);
    memset(got, 0xaa, total);
    k.ops->reference(k.instance, 0, k.iterations, want);
    for (int64_t at = 0; at < k.iterations; at += size) {
        int64_t n = k.iterations - at < size ? k.iterations - at : size;
        size_t bytes = 0, filled = 0;
        for (int64_t i = at; i < at + n; i++)
            bytes += input->bytes(k.instance, i);
        assert_int_equal(bytes % 8, 0);
        char *data = check_memory(bytes);
        for (int64_t i = at; i < at + n; i++) {
            input->make(k.instance, i, data + filled);
            filled += input->bytes(k.instance, i);
        }
        if (spoil && at == 0)
            data[bytes / 2 / 8 * 8 + 7] ^= 0x40;
        input->run(k.instance, k.scratch, at, n, data,
                   got + (size_t)at * k.bytes, NULL);
        free(data);
    }
    if ((memcmp(got, want, total) != 0) != spoil)
        fail_msg("%s: on %s input the bits are %s", text,
                 spoil ? "wrong" : "right", spoil ? "right" : "wrong");
    free(want);
    free(got);
    check_free(&k);
}

#endif
