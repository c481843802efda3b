/* floyd-steinberg: up to 8 rows as lanes of a vector (error_diffusion_lanes.h),
 * and a row alone.
 *
 * A block gives row k the columns from - k to to - k, so that its lane is busy
 * from time from + k to to + k: lanes start and stop one after the other, and
 * the steps at both ends are masked.  Before its start a lane shows the errors
 * of its last block (carry) as if it were in step; after its end it shows 0,
 * which matters only at the right edge.
 *
 * Speed, on Zen 3 at 3.45 GHz with gcc 12.  The plain loop waits for its chain
 * from one error to the next: 2.7 ns or 9.3 cycles per pixel.  A row alone is
 * done here in 2.2 ns, 7.6 cycles, which is the chain (7 e, two sums, shift,
 * comparison, selection).  Eight lanes take 0.5 ns: 14 cycles a step.  The
 * chain of a step is 8 operations long, but no longer limits: without it (with
 * wrong pixels) a pixel takes 0.53 instead of 0.55 ns.  The limit is the number
 * of operations, 45 instructions a step.  Turning gray costs a tenth, turning
 * pixels another; three-operand instructions would gain 3 %.  Masked ends cost
 * 18 % in blocks of 400 columns, 80 % in blocks of 100; hence
 * error_diffusion_band.c. */
#include "kernels/support/error_diffusion.h"
#include "kernels/support/error_diffusion_lanes.h"

#include <stdbool.h>
#include <string.h>

enum {
    FAR = 10000, /* more than the starts, or the ends, of a plan differ */
};

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

/* Starts and ends relative to time t; distant ones are cut to FAR. */
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

/* Prefetches the lines that follow these rows: the hardware does not see where
 * short rows continue. */
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

/* Stores steps [first, end) of a batch of pixels.  Other pixels of the row are
 * written back unchanged; nothing beyond the row's ends is touched. */
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

/* Pixels and errors of the busy lanes. */
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
        /* The row above is read only while lane 0 is busy. */
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

void diffusion_run(struct diffusion *d, int rows)
{
    const int64_t end = d->to, piece = DIFFUSION_PIECE / DIFFUSION_ROWS;
    for (; d->from < end; d->from = d->to) {
        d->to = end - d->from > 2 * piece ? d->from + piece : end;
        if (rows == 1)
            run_row(d);
        else
            run_lanes(d, rows);
        d->done(d->arg, (d->to - d->from) * rows);
    }
}

void diffusion_run_block(const struct diffusion *d, int64_t rows,
                         int16_t *errors, int64_t stride)
{
    for (int64_t k = 0, done; k < rows; k += done) {
        struct diffusion at = *d;
        at.gray += k * d->cols;
        at.pixels += k * d->cols;
        at.carry += k;
        at.from -= k;
        at.to -= k;
        done = diffusion_band(&at, rows - k);
        if (k > 0)
            at.up = errors + k * stride;
        if (done > 0) {
            diffusion_run_band(&at, done, errors + k * stride, stride);
            continue;
        }
        done = limit(rows - k, 1, LANES);
        at.down = errors + (k + done) * stride;
        at.ahead = rows - k >= 2 * done ? done * d->cols
                                        : d->to - d->from - k * d->cols;
        diffusion_run(&at, (int)done);
    }
}
