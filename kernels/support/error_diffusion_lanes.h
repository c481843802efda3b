/* Rows as lanes of a vector: at time t, lane k works on column t - 2k, two
 * columns behind the row above.  It needs that row's error one column further
 * on, made one step before.  The errors of the row above then come from one
 * step (right), two (above) and three steps before (left), moved by one lane.
 * For error_diffusion.c and error_diffusion_band.c alone: the names are short.
 */
#ifndef KERNELS_SUPPORT_ERROR_DIFFUSION_LANES_H
#define KERNELS_SUPPORT_ERROR_DIFFUSION_LANES_H

#include "kernels/support/error_diffusion.h"

#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define INLINE static inline __attribute__((always_inline))

enum {
    LANES = DIFFUSION_ROWS,
    STEPS = 8, /* of a batch: gray and pixels are turned 8 x 8 at a time */
    ROUND = 8,
};

typedef int16_t lanes __attribute__((vector_size(16)));
typedef uint8_t octets __attribute__((vector_size(16)));
typedef int32_t pairs __attribute__((vector_size(16)));
typedef int64_t quads __attribute__((vector_size(16)));

INLINE lanes all(int value)
{
    return (lanes){0} + (int16_t)value;
}

/* ---- 8 x 8 turned: rows of 8 columns to columns of 8 rows and back ---- */

/* The elements of two vectors with these numbers; gcc has clang's name for it
 * from 12 on. */
#if defined(__clang__) || __GNUC__ >= 12
#define SHUFFLE(kind, a, b, ...)                                               \
    (lanes) __builtin_shufflevector((kind)(a), (kind)(b), __VA_ARGS__)
#else
#define SHUFFLE(kind, a, b, ...)                                               \
    (lanes) __builtin_shuffle((kind)(a), (kind)(b), (kind){__VA_ARGS__})
#endif
#define LOW8(a, b) SHUFFLE(lanes, a, b, 0, 8, 1, 9, 2, 10, 3, 11)
#define HIGH8(a, b) SHUFFLE(lanes, a, b, 4, 12, 5, 13, 6, 14, 7, 15)
#define LOW4(a, b) SHUFFLE(pairs, a, b, 0, 4, 1, 5)
#define HIGH4(a, b) SHUFFLE(pairs, a, b, 2, 6, 3, 7)
#define LOW2(a, b) SHUFFLE(quads, a, b, 0, 2)
#define HIGH2(a, b) SHUFFLE(quads, a, b, 1, 3)

INLINE void turn(lanes v[8])
{
    lanes a[8], b[8];
    for (int i = 0; i < 4; i++) {
        a[2 * i] = LOW8(v[2 * i], v[2 * i + 1]);
        a[2 * i + 1] = HIGH8(v[2 * i], v[2 * i + 1]);
    }
    for (int i = 0; i < 2; i++) {
        b[4 * i] = LOW4(a[4 * i], a[4 * i + 2]);
        b[4 * i + 1] = HIGH4(a[4 * i], a[4 * i + 2]);
        b[4 * i + 2] = LOW4(a[4 * i + 1], a[4 * i + 3]);
        b[4 * i + 3] = HIGH4(a[4 * i + 1], a[4 * i + 3]);
    }
    for (int i = 0; i < 4; i++) {
        v[2 * i] = LOW2(b[i], b[i + 4]);
        v[2 * i + 1] = HIGH2(b[i], b[i + 4]);
    }
}

/* The masks of two steps, one byte each: byte 2k of a, byte 2k + 1 of b. */
INLINE lanes two_masks(lanes a, lanes b)
{
    const lanes even = (lanes)(octets){255, 0, 255, 0, 255, 0, 255, 0,
                                       255, 0, 255, 0, 255, 0, 255, 0};
    return (a & even) | (b & ~even);
}

/* white[s] lane k becomes byte s of row k. */
INLINE void turn_masks(const lanes white[STEPS], uint64_t row[LANES])
{
    lanes a = two_masks(white[0], white[1]), b = two_masks(white[2], white[3]);
    lanes c = two_masks(white[4], white[5]), d = two_masks(white[6], white[7]);
    lanes ab0 = LOW8(a, b), ab1 = HIGH8(a, b);
    lanes cd0 = LOW8(c, d), cd1 = HIGH8(c, d);
    lanes out[4] = {LOW4(ab0, cd0), HIGH4(ab0, cd0), LOW4(ab1, cd1),
                    HIGH4(ab1, cd1)};
    memcpy(row, out, sizeof(out));
}

/* ---- steps ---- */

struct front {
    lanes error;             /* of the step before */
    lanes above, above_left; /* errors of the rows above */
};

/* The lanes one up; lane 0 takes the row above.  (gcc 12 makes a shuffle of
 * this kind lane by lane, six times slower than the one instruction.) */
INLINE lanes move_up(lanes error, int16_t up)
{
    const lanes first = {up};
#ifdef __SSE2__
    return (lanes)_mm_slli_si128((__m128i)error, 2) | first;
#else
    return SHUFFLE(lanes, first, error, 0, 8, 9, 10, 11, 12, 13, 14);
#endif
}

/* Returns which pixels become white: gray + (sum >> 4) >= HALF, written so that
 * the comparison depends only on the sum.  `left`: errors to the left. */
INLINE lanes step_from(struct front *f, lanes left, lanes gray, int16_t up)
{
    lanes least = (all(DIFFUSION_HALF - 1) - gray) * 16 + all(15);
    lanes right = move_up(f->error, up);
    lanes sum = f->above * 4 + f->above + f->above_left + all(ROUND);
    sum += left * 8 - left;
    sum += right * 2 + right;
    lanes white = sum > least;
    f->above_left = f->above;
    f->above = right;
    f->error = (sum >> 4) + gray - (white & all(DIFFUSION_WHITE));
    return white;
}

/* All lanes stay in their rows. */
INLINE lanes step(struct front *f, lanes gray, int16_t up)
{
    return step_from(f, f->error, gray, up);
}

/* Eight bytes; all bits are set from byte `first` to byte `end` - 1. */
INLINE uint64_t bytes_between(int first, int end)
{
    static const uint8_t from[16] = {0,   0,   0,   0,   0,   0,   0,   0,
                                     255, 255, 255, 255, 255, 255, 255, 255};
    uint64_t before, after;
    memcpy(&after, from + 8 - first, sizeof(after));
    memcpy(&before, from + 8 - end, sizeof(before));
    return after & ~before;
}

#endif
