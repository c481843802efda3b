/* Speed of the heat kernel.  A point is
 *     (((A'[i+1][j] + A'[i][j+1]) + A[i-1][j]) + A[i][j-1]) / 4
 * and the plain loop waits for its chain A[i][j-1] -> A[i][j]: an addition and
 * a product, 3 + 3 cycles.  Measured on Zen 3 at 3.45 GHz with gcc 12: 1.72 ns
 * or 5.9 cycles per point on all grids that fit into the caches.  Here
 *  - the quarter is taken off the chain: with s = 4 A[i][j], the next s is
 *    u + s/4.  s/4 is exact (values stay in [1, 2]), so a fused operation has
 *    the same bits as the sum alone, after 4 cycles: 1.3 ns, 4.4 cycles, for a
 *    row alone;
 *  - HEAT_WAVE rows are under way together, each one column behind the row
 *    above, whose value is still in a register: 0.55 ns, 1.9 cycles.
 * The chains are not the limit then: with both cut (and wrong values) the loop
 * still takes 0.45 ns, 27 instructions for 4 points, 16 of them floating-point.
 * 8 rows are slower for want of registers; vectors of 4 rows, with blocks
 * turned 4 x 4 before and after the chain, reach 0.50 but need 28 columns to
 * start and to stop instead of 3.  On grids beyond the caches memory limits:
 * 10000 x 10000 takes 0.95 to 1.0 ns where b[i] = a[i] / 2, which moves the
 * same 24 bytes per point, takes 0.8 to 0.95.  Narrow blocks of such grids wait
 * for memory, unless what comes next is fetched early: 1.6 times faster in
 * blocks of 128 columns.
 *
 * Copies.  The instructions at both ends of a strip run once in each strip, 4
 * rows further each time.  The processor sees this pattern and prefetches the
 * same columns of later rows, more than 16 rows beyond the chunk.  These belong
 * to another worker, who must get each line back before writing to it.  Two
 * threads, 100 x 1000 points, 20 steps, blocks of 128 columns, cores whose
 * hand-over takes 225 ns (Zen 5): the worker below computed for 950 us, 510
 * alone.  It took 700 with 16 rows of memory between the two, 540 with 8 copies
 * of this function in turns.  With equal turns a copy would advance by 32 rows
 * each time, in high chunks again such a pattern.  Grids that do not fit into
 * the second cache are better off with one copy: 3 % on one core, and up to a
 * third for two threads on 4000 x 4000 points. */
#include "kernels/support/heat_wave.h"

#include <stdbool.h>

/* Columns in a cache line. */
enum { LINE = 8 };

/* clang unrolls these loops by itself; told to, it does so too late to keep a
 * wave in registers (6 times slower with clang 14). */
#ifdef __clang__
#define UNROLL
#else
#define UNROLL _Pragma("GCC unroll 8")
#endif
#define INLINE static inline __attribute__((always_inline))

/* The values that row k passes to its next column, and to the row below it. */
struct wave {
    double sum[HEAT_WAVE]; /* 4 A[i][j-1] */
    double last[HEAT_WAVE];
};

/* Rows first to last do a column each: row k does t - k.  For row `ending`
 * that is the last column of the strip. */
INLINE void wave_step(const struct heat_strip *s, struct wave *w, int64_t t,
                      int rows, int first, int last, int ending, bool fused)
{
    double u[HEAT_WAVE];
    UNROLL
    for (int k = first; k <= last; k++) {
        const double *old = s->old + k * s->cols;
        double down = k == rows - 1 ? s->down[t - k] : old[s->cols + t - k];
        double right =
            k == ending && s->to == s->cols ? HEAT_RIGHT : old[t - k + 1];
        u[k] = down + right;
    }
    UNROLL
    for (int k = last; k >= first; k--) {
        u[k] += k == 0 ? s->up[t] : w->last[k - 1];
        w->sum[k] =
            fused ? __builtin_fma(0.25, w->sum[k], u[k]) : u[k] + w->last[k];
        w->last[k] = 0.25 * w->sum[k];
    }
    UNROLL
    for (int k = first; k <= last; k++)
        s->now[k * s->cols + t - k] = w->last[k];
}

/* The next strip's lines are fetched early: its rows are too short for the
 * hardware to see where they go. */
INLINE void fetch_ahead(const struct heat_strip *s, int64_t t, int rows)
{
    UNROLL
    for (int k = 0; k < rows; k++) {
        __builtin_prefetch(s->old + s->ahead + k * s->cols + t, 0);
        __builtin_prefetch(s->now + s->ahead + k * s->cols + t, 1);
    }
}

/* All columns of `rows` rows: at least `rows` columns.  The steps at both ends
 * are written out, with constants, for the same reason. */
INLINE void wave_rows(const struct heat_strip *strip, const int rows,
                      bool fused)
{
    const struct heat_strip s = *strip;
    struct wave w;
    UNROLL
    for (int k = 0; k < rows; k++) {
        w.last[k] = s.from == 0 ? HEAT_LEFT : s.now[k * s.cols + s.from - 1];
        w.sum[k] = 4 * w.last[k];
    }
    if (rows > 1)
        wave_step(&s, &w, s.from, rows, 0, 0, -1, fused);
    if (rows > 2)
        wave_step(&s, &w, s.from + 1, rows, 0, 1, -1, fused);
    if (rows > 3)
        wave_step(&s, &w, s.from + 2, rows, 0, 2, -1, fused);
    for (int64_t t = s.from + rows - 1; t < s.to - 1;) {
        int64_t end = t + LINE < s.to - 1 ? t + LINE : s.to - 1;
        if (s.ahead != 0)
            fetch_ahead(&s, t, rows);
        for (; t < end; t++)
            wave_step(&s, &w, t, rows, 0, rows - 1, -1, fused);
    }
    wave_step(&s, &w, s.to - 1, rows, 0, rows - 1, 0, fused);
    if (rows > 1)
        wave_step(&s, &w, s.to, rows, 1, rows - 1, 1, fused);
    if (rows > 2)
        wave_step(&s, &w, s.to + 1, rows, 2, rows - 1, 2, fused);
    if (rows > 3)
        wave_step(&s, &w, s.to + 2, rows, 3, rows - 1, 3, fused);
}

/* The compiler must not merge the copies. */
#ifdef __clang__
#define APART noinline
#else
#define APART noinline, no_icf
#endif

#define WAVE_FN(name, kind, fused)                                             \
    kind __attribute__((APART)) void name(const struct heat_strip *s,          \
                                          int rows)                            \
    {                                                                          \
        if (rows == 4)                                                         \
            wave_rows(s, 4, fused);                                            \
        else if (rows == 3)                                                    \
            wave_rows(s, 3, fused);                                            \
        else if (rows == 2)                                                    \
            wave_rows(s, 2, fused);                                            \
        else                                                                   \
            wave_rows(s, 1, fused);                                            \
    }

#define COPIES(name, kind, fused)                                              \
    WAVE_FN(name##_0, kind, fused)                                             \
    WAVE_FN(name##_1, kind, fused)                                             \
    WAVE_FN(name##_2, kind, fused)                                             \
    WAVE_FN(name##_3, kind, fused)                                             \
    WAVE_FN(name##_4, kind, fused)                                             \
    WAVE_FN(name##_5, kind, fused)                                             \
    WAVE_FN(name##_6, kind, fused)                                             \
    WAVE_FN(name##_7, kind, fused)                                             \
    static heat_wave_fn *const name[HEAT_WAVE_COPIES] = {                      \
        name##_0, name##_1, name##_2, name##_3,                                \
        name##_4, name##_5, name##_6, name##_7};

COPIES(wave_plain, static, false)
#ifdef __x86_64__
COPIES(wave_fma, static __attribute__((target("fma"))), true)
#endif

heat_wave_fn *const *heat_wave_plain(void)
{
    return wave_plain;
}

heat_wave_fn *const *heat_wave_choose(void)
{
#ifdef __x86_64__
    if (__builtin_cpu_supports("fma"))
        return wave_fma;
#endif
    return wave_plain;
}
