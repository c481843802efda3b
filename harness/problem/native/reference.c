/* The cache has only complete references.  Dependent rows and several time
 * steps are always computed whole, because no part of them can be sampled. */
#include "harness/problem/reference.h"

#include "base/random.h"
#include "harness/engine/engine.h"
#include "harness/problem/cached.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { ESTIMATE_SAMPLES = 16, SAMPLE_LEAST = 16 };

/* ---- computing ---- */

static void compute_one(struct loop *loop, int64_t iteration, void *output)
{
    memset(output, 0, loop->output_bytes);
    loop->kernel->reference(loop->instance, iteration, 1, output);
    loop->checksum[iteration] = XXH3_64bits(output, loop->output_bytes);
    loop->known[iteration] = 1;
}

/* Seconds for all iterations, from a few spread over the loop. */
static double estimate_serial(struct loop *loop, void *output)
{
    int64_t samples = loop->iterations < ESTIMATE_SAMPLES ? loop->iterations
                                                          : ESTIMATE_SAMPLES;
    double start = engine_now();
    for (int64_t i = 0; i < samples; i++)
        compute_one(loop, (2 * i + 1) * loop->iterations / (2 * samples),
                    output);
    return (engine_now() - start) / (double)samples * (double)loop->iterations;
}

static void compute_sample(struct loop *loop, double limit, uint64_t seed,
                           void *output)
{
    double start = engine_now();
    for (int64_t i = 0; i < loop->iterations &&
                        (i < SAMPLE_LEAST || engine_now() - start < limit);
         i++)
        compute_one(loop,
                    (int64_t)(random_next(&seed) % (uint64_t)loop->iterations),
                    output);
    loop->sampled = true;
}

/* Rows that depend on each other, or time steps that do: one call for all,
 * straight into the output, and no sample. */
static double compute_dependent(struct loop *loop)
{
    double start = engine_now();
    loop->kernel->reference(loop->instance, 0, loop->iterations, loop->output);
    for (int64_t i = 0; i < loop->iterations; i++)
        loop->checksum[i] = loop_checksum(loop, loop->output, i);
    memset(loop->known, 1, (size_t)loop->iterations);
    return engine_now() - start;
}

int reference_make(struct loop *loop, const struct spec *spec,
                   double verify_limit, uint64_t seed, double *took_s,
                   struct error *err)
{
    uint64_t key = cache_key(loop->name, loop->kernel, spec);
    if (cache_read("reference", key, loop->iterations, loop->checksum,
                   took_s)) {
        memset(loop->known, 1, (size_t)loop->iterations);
        return 0;
    }
    if (loop->kernel->dependence != NULL || loop_steps(loop) > 1) {
        *took_s = compute_dependent(loop);
        cache_write("reference", key, loop->iterations, loop->checksum,
                    *took_s);
        return 0;
    }
    void *output = malloc(loop->output_bytes);
    if (output == NULL)
        return error_set(err, ENOMEM, "out of memory for the reference");
    *took_s = estimate_serial(loop, output);
    if (*took_s > verify_limit) {
        compute_sample(loop, verify_limit, seed, output);
    } else {
        double start = engine_now();
        for (int64_t i = 0; i < loop->iterations; i++)
            compute_one(loop, i, output);
        *took_s = engine_now() - start;
        cache_write("reference", key, loop->iterations, loop->checksum,
                    *took_s);
    }
    free(output);
    return 0;
}
