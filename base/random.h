/* splitmix64 (Steele, Lea, Flood: Fast splittable pseudorandom number
 * generators, OOPSLA 2014): the same numbers on every machine.  Any value is a
 * good first state. */
#ifndef BASE_RANDOM_H
#define BASE_RANDOM_H

#include <stdint.h>

/* Mixes the bits of z: a changed bit of z changes about half of them. */
static inline uint64_t random_mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static inline uint64_t random_next(uint64_t *state)
{
    *state += 0x9e3779b97f4a7c15u;
    return random_mix(*state);
}

/* Uniform in [0, 1), a multiple of 2^-53. */
static inline double random_real(uint64_t *state)
{
    return (double)(random_next(state) >> 11) * 0x1p-53;
}

/* The start of the stream number `index` of a seed. */
static inline uint64_t random_stream(uint64_t seed, uint64_t index)
{
    const uint64_t golden = 0x9e3779b97f4a7c15u;
    return random_mix(random_mix(seed + golden) + (index + 1) * golden);
}

/* A random order of the numbers 0 to count - 1 (Fisher and Yates). */
static inline void random_order(int *order, int count, uint64_t *state)
{
    for (int i = 0; i < count; i++)
        order[i] = i;
    for (int i = count - 1; i > 0; i--) {
        int j = (int)(random_next(state) % (uint64_t)(i + 1));
        int swap = order[i];
        order[i] = order[j];
        order[j] = swap;
    }
}

#endif
