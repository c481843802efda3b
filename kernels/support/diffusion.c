/* Rows as lanes of a vector: at time t, lane k works on column t - 2k, two
 * columns behind the row above, because it needs that row's error one column
 * further on, which was made one step before.  The errors of the row above are
 * then those of the step before (right), of two (above) and of three (left)
 * steps before, moved by one lane.
 *
 * A block gives row k the columns from - k to to - k, so that its lane is busy
 * from time from + k to to + k: lanes start and stop one after the other, and
 * the steps at both ends are masked.  A lane that has not started shows the
 * errors of its last block (carry) as if it were in step; one that has stopped
 * shows 0, which matters only at the right edge.
 *
 * Speed, on Zen 3 at 3.45 GHz with gcc 12.  The plain loop waits for its chain
 * from one error to the next: 2.7 ns or 9.3 cycles per pixel.  A row alone is
 * done here in 2.2 ns, 7.6 cycles, which is the chain (7 e, two sums, shift,
 * comparison, selection).  Eight lanes take 0.5 ns: 14 cycles a step.  The
 * chain of a step is 8 operations long, but no longer limits: cut (with wrong
 * pixels) it takes 0.53 instead of 0.55.  The limit is the number of
 * operations, 45 instructions a step; of these the turning of gray costs a
 * tenth, pixels too, and three-operand instructions would gain 3 %.  Narrow
 * blocks pay for their masked ends: 1.15 times at 256 columns, 1.35 at 128. */
#include "kernels/support/diffusion.h"

#include <stdbool.h>
#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define INLINE static inline __attribute__((always_inline))

enum {
    LANES = DIFFUSION_ROWS,
    STEPS = 8, /* of a batch: gray and pixels are turned 8 x 8 at a time */
    ROUND = 8,
    FAR = 10000, /* more than a plan's starts, or its ends, differ */
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

#define LOW8(a, b) __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11)
#define HIGH8(a, b) __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15)
#define LOW4(a, b)                                                             \
    (lanes) __builtin_shufflevector((pairs)(a), (pairs)(b), 0, 4, 1, 5)
#define HIGH4(a, b)                                                            \
    (lanes) __builtin_shufflevector((pairs)(a), (pairs)(b), 2, 6, 3, 7)
#define LOW2(a, b) (lanes) __builtin_shufflevector((quads)(a), (quads)(b), 0, 2)
#define HIGH2(a, b)                                                            \
    (lanes) __builtin_shufflevector((quads)(a), (quads)(b), 1, 3)

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
    return __builtin_shufflevector(first, error, 0, 8, 9, 10, 11, 12, 13, 14);
#endif
}

/* Returns which pixels become white: gray + (sum >> 4) >= HALF, put so that
 * the comparison waits for nothing but the sum. */
INLINE lanes step(struct front *f, lanes gray, int16_t up)
{
    lanes least = (all(DIFFUSION_HALF - 1) - gray) * 16 + all(15);
    lanes right = move_up(f->error, up);
    lanes sum = f->above * 4 + f->above + f->above_left + all(ROUND);
    sum += f->error * 8 - f->error;
    sum += right * 2 + right;
    lanes white = sum > least;
    f->above_left = f->above;
    f->above = right;
    f->error = (sum >> 4) + gray - (white & all(DIFFUSION_WHITE));
    return white;
}

/* When lanes start and stop, and what they carry from block to block. */
struct plan {
    int64_t start[LANES], end[LANES]; /* times; equal: never */
    int64_t first, last;              /* the least start, the greatest end */
    int64_t all_from, all_to;         /* all rows are busy */
    lanes after_first, before_last;   /* starts and ends, from there */
    lanes carry, carry_before;
};

INLINE int64_t limit(int64_t value, int64_t least, int64_t most)
{
    return value < least ? least : value > most ? most : value;
}

/* Starts and ends seen from time t; distant ones may be given as nearer. */
INLINE lanes starts(const struct plan *p, int64_t t)
{
    return p->after_first - all((int)limit(t - p->first, -FAR, FAR));
}

INLINE lanes ends(const struct plan *p, int64_t t)
{
    return all((int)limit(p->last - t, -FAR, FAR)) - p->before_last;
}

/* The errors that a lane shows before it starts: `start` is relative to now. */
INLINE lanes held(const struct plan *p, lanes start)
{
    lanes before = start == all(2);
    return (start > all(0)) &
           ((before & p->carry_before) | (~before & p->carry));
}

/* A step at which only some lanes are busy; times are relative to it. */
INLINE lanes masked_step(struct plan *p, struct front *f, lanes gray,
                         int16_t up, lanes start, lanes end)
{
    lanes white = step(f, gray, up);
    lanes busy = (start <= all(0)) & (end > all(0));
    lanes hold = held(p, start);
    p->carry_before = (busy & p->carry) | (~busy & p->carry_before);
    p->carry = (busy & f->error) | (~busy & p->carry);
    f->error = (busy & f->error) | hold;
    return white;
}

/* ---- batches of 8 steps ---- */

INLINE void load_gray(const struct diffusion *d, int rows, int64_t t,
                      lanes gray[LANES])
{
    for (int k = 0; k < LANES; k++) {
        int row = k < rows ? k : rows - 1;
        memcpy(&gray[k], d->gray + row * d->cols + t - 2 * row,
               sizeof(gray[k]));
    }
    turn(gray);
}

/* The lines that come after these rows: the hardware does not see where short
 * rows continue. */
INLINE void fetch_ahead(const struct diffusion *d, int rows, int64_t t)
{
    for (int k = 0; k < rows; k++) {
        int64_t at = d->ahead + k * d->cols + t - 2 * k;
        __builtin_prefetch(d->gray + at, 0);
        __builtin_prefetch(d->pixels + at, 1);
    }
}

INLINE void run_whole(const struct diffusion *d, struct plan *p,
                      struct front *f, int rows, int64_t t)
{
    lanes gray[LANES], white[STEPS], error[STEPS];
    uint64_t pixels[LANES];
    fetch_ahead(d, rows, t);
    load_gray(d, rows, t, gray);
    for (int s = 0; s < STEPS; s++) {
        white[s] = step(f, gray[s], d->up[t + s + 1]);
        error[s] = f->error;
    }
    turn_masks(white, pixels);
    for (int k = 0; k < rows; k++)
        memcpy(d->pixels + k * d->cols + t - 2 * k, &pixels[k], STEPS);
    for (int s = 0; s < STEPS; s++)
        d->down[t - 2 * (rows - 1) + s] = error[s][rows - 1];
    p->carry = error[STEPS - 1];
    p->carry_before = error[STEPS - 2];
}

/* Eight bytes that are all bits from byte `first` to byte `end` - 1. */
INLINE uint64_t bytes_between(int first, int end)
{
    static const uint8_t from[16] = {0,   0,   0,   0,   0,   0,   0,   0,
                                     255, 255, 255, 255, 255, 255, 255, 255};
    uint64_t before, after;
    memcpy(&after, from + 8 - first, sizeof(after));
    memcpy(&before, from + 8 - end, sizeof(before));
    return after & ~before;
}

/* Steps [first, end) of a batch of pixels.  The others in the same row are
 * written as they are; beyond the row's ends nothing is touched. */
INLINE void store_part(const struct diffusion *d, int row, int64_t col,
                       uint64_t turned, int first, int end)
{
    uint8_t *to = d->pixels + row * d->cols + col;
    if (col < 0 || col + STEPS > d->cols) {
        memcpy(to + first, (uint8_t *)&turned + first, (size_t)(end - first));
        return;
    }
    uint64_t old, part = bytes_between(first, end);
    memcpy(&old, to, STEPS);
    part = (turned & part) | (old & ~part);
    memcpy(to, &part, STEPS);
}

/* Pixels and errors of the lanes that are busy. */
static void store_busy(const struct diffusion *d, const struct plan *p,
                       int rows, int64_t t, const lanes white[STEPS],
                       const lanes error[STEPS])
{
    uint64_t turned[LANES];
    turn_masks(white, turned);
    for (int k = 0; k < rows; k++) {
        int first = (int)limit(p->start[k] - t, 0, STEPS);
        int end = (int)limit(p->end[k] - t, 0, STEPS);
        if (first < end)
            store_part(d, k, t - 2 * k, turned[k], first, end);
        if (k == rows - 1)
            for (int s = first; s < end; s++)
                d->down[t - 2 * k + s] = error[s][k];
    }
}

static void run_masked(const struct diffusion *d, struct plan *p,
                       struct front *f, int rows, int64_t t)
{
    lanes gray[LANES], white[STEPS], error[STEPS];
    lanes start = starts(p, t), end = ends(p, t);
    load_gray(d, rows, t, gray);
    for (int s = 0; s < STEPS; s++) {
        /* Where lane 0 is not busy, nothing of the row above is read. */
        bool first = t + s >= p->start[0] && t + s < p->end[0];
        white[s] = masked_step(p, f, gray[s], first ? d->up[t + s + 1] : 0,
                               start - all(s), end - all(s));
        error[s] = f->error;
    }
    store_busy(d, p, rows, t, white, error);
}

/* ---- blocks ---- */

static void plan_lane(struct plan *p, const struct diffusion *d, int k)
{
    int64_t from = limit(d->from - k, 0, d->cols);
    int64_t to = limit(d->to - k, 0, d->cols);
    p->start[k] = from + 2 * k;
    p->end[k] = to + 2 * k;
    if (from > 0) {
        p->carry[k] = d->carry[k].last;
        p->carry_before[k] = d->carry[k].before;
    }
    p->all_from = p->start[k] > p->all_from ? p->start[k] : p->all_from;
    p->all_to = p->end[k] < p->all_to ? p->end[k] : p->all_to;
    if (from == to) {
        p->all_to = -1;
    } else {
        p->first = p->start[k] < p->first ? p->start[k] : p->first;
        p->last = p->end[k] > p->last ? p->end[k] : p->last;
    }
}

static struct plan make_plan(const struct diffusion *d, int rows)
{
    struct plan p = {.first = INT64_MAX, .all_to = INT64_MAX};
    for (int k = 0; k < rows; k++)
        plan_lane(&p, d, k);
    for (int k = 0; k < LANES; k++) {
        bool busy = k < rows && p.start[k] < p.end[k];
        p.after_first[k] =
            (int16_t)(k < rows ? limit(p.start[k] - p.first, -FAR, FAR) : FAR);
        p.before_last[k] = (int16_t)(busy ? p.last - p.end[k] : 2 * FAR);
    }
    return p;
}

/* The three steps before the first one, as the lanes show them. */
static struct front make_front(const struct diffusion *d, const struct plan *p)
{
    int64_t t = p->first;
    bool first = p->start[0] == t && p->end[0] > t;
    struct front f;
    f.error = held(p, starts(p, t - 3));
    f.above_left = move_up(f.error, first ? d->up[t - 1] : 0);
    f.error = held(p, starts(p, t - 2));
    f.above = move_up(f.error, first ? d->up[t] : 0);
    f.error = held(p, starts(p, t - 1));
    return f;
}

static void run_lanes(const struct diffusion *d, int rows)
{
    struct plan p = make_plan(d, rows);
    if (p.last == 0)
        return;
    struct front f = make_front(d, &p);
    for (int64_t t = p.first; t < p.last; t += STEPS)
        if (t >= p.all_from && t + STEPS <= p.all_to)
            run_whole(d, &p, &f, rows, t);
        else
            run_masked(d, &p, &f, rows, t);
    for (int k = 0; k < rows; k++)
        if (p.start[k] < p.end[k])
            d->carry[k] =
                (struct diffusion_carry){p.carry[k], p.carry_before[k]};
}

/* A row alone: no lanes to fill. */
static void run_row(const struct diffusion *d)
{
    int64_t from = limit(d->from, 0, d->cols), to = limit(d->to, 0, d->cols);
    if (from == to)
        return;
    int left = from == 0 ? 0 : d->carry->last, before = left;
    int above_left = d->up[from - 1], above = d->up[from];
    for (int64_t c = from; c < to; c++) {
        int right = d->up[c + 1], gray = d->gray[c];
        int least = (DIFFUSION_HALF - 1 - gray) * 16 + 15;
        int sum = 3 * right + 5 * above + above_left + ROUND;
        sum += 7 * left;
        int white = (least - sum) >> 31; /* all bits or none */
        before = left;
        left = (sum >> 4) + gray - (white & DIFFUSION_WHITE);
        d->pixels[c] = (uint8_t)white;
        d->down[c] = (int16_t)left;
        above_left = above;
        above = right;
    }
    *d->carry = (struct diffusion_carry){(int16_t)left, (int16_t)before};
}

void diffusion_run(const struct diffusion *d, int rows)
{
    if (rows == 1)
        run_row(d);
    else
        run_lanes(d, rows);
}
