/* Shared by the tests of the engine. */
#ifndef HARNESS_ENGINE_ENGINE_TESTING_H
#define HARNESS_ENGINE_ENGINE_TESTING_H

#include "harness/testing.h"

#include "harness/engine/engine.h"

#include <pthread.h>
#include <sys/mman.h>
#include <time.h>

/* Under a sanitizer everything is slower, and forks are not watched. */
#ifdef DLSBENCH_SANITIZED
enum { SLOWER = 8 };
#else
enum { SLOWER = 1 };
#endif

static const struct engine_patience awake = {.spin_s = 1e-3};
static const struct engine_patience asleep = {.spin_s = 0};

static inline void *shared_memory(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(memory != MAP_FAILED);
    return memory;
}

static inline double cpu_s(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline void nap(double seconds)
{
    struct timespec t = {.tv_sec = (time_t)seconds,
                         .tv_nsec = (long)((seconds - (int)seconds) * 1e9)};
    nanosleep(&t, NULL);
}

#endif
