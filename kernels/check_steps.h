/* A helper of the tests of kernels with time steps (after cmocka.h). */
#ifndef KERNELS_CHECK_STEPS_H
#define KERNELS_CHECK_STEPS_H

#include "kernels/check.h"

/* All steps in random chunks, in random order, give the reference's bits; and
 * they are not those of a step less. */
static inline void check_steps(const char *text, uint64_t seed)
{
    struct check_kernel k = check_make(text);
    const struct kernel_steps *steps = k.ops->steps;
    size_t total = (size_t)k.iterations * k.bytes;
    char *want = check_memory(total), *got = check_memory(total);
    char *state = check_memory(steps->state_bytes(k.instance));
    int count = steps->count(k.instance);
    memset(want, 0x55, total);
    k.ops->reference(k.instance, 0, k.iterations, want);
    steps->begin(k.instance, state);
    for (int step = 0; step < count; step++) {
        if (step > 0)
            steps->advance(k.instance, state, got);
        if (step > 0 && memcmp(got, want, total) == 0)
            fail_msg("%s: step %d has the last one's output", text, step - 1);
        memset(got, 0xaa, total);
        for (int64_t at = k.iterations; at > 0;) {
            int64_t size = 1 + (int64_t)(random_next(&seed) % (uint64_t)at);
            at -= size;
            steps->run(k.instance, state, at, size, got + (size_t)at * k.bytes,
                       NULL);
        }
    }
    if (memcmp(got, want, total) != 0)
        fail_msg("%s: the last step differs from the reference", text);
    free(want);
    free(got);
    free(state);
    check_free(&k);
}

#endif
