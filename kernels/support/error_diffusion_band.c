/* floyd-steinberg: all rows of a narrow block in one go.  Lanes start and end
 * one after the other.  A lane at the end of its row begins at once with the
 * row 8 below; none is ever idle.  Steps of two rows are put together only when
 * lanes change their rows, in the first 8 steps of every 8 rows (a switch).
 *
 * Time 0 is when lane 0 begins a row.  Lane k begins at time k with column base
 * - k, base = from - (rows above): it works on column base + t - 2k, as in
 * error_diffusion_lanes.h, and ends at time width + k, which is time k of its
 * next row.  That row's first pixel needs from the row above the last two
 * errors of the block before (carry) and the first of this block: lane k - 1
 * made it one step ago; lane 0 finds it in memory, where lane 7 left it at time
 * 7, so that 16 columns suffice.
 *
 * Speed, in blocks of a chunk of 125 rows, 8000 columns of 3000 rows, as
 * multiples of whole rows: 1.47 with 50 columns, 1.20 with 100, 1.05 with 200,
 * 1.01 with 400.  Within the caches 1.20 is still 1.12: 13 batches of steps for
 * 12.5, and the switch, which costs twice a batch.  Without prefetching lines
 * at both ends of a block it would be 0.13 more.
 *
 * At the image's left edge all lanes would start at the same column, at the
 * right edge end at the same.  Steps of 8 would cross the row's ends there:
 * diffusion_run does these blocks. */
#include "kernels/support/error_diffusion.h"
#include "kernels/support/error_diffusion_lanes.h"

#include <stdbool.h>
#include <string.h>

enum {
    NARROWEST = 16,
    WIDEST = 8192, /* wider, the ends of 8 rows cost nothing */
    MARGIN = 16,   /* to the edges */
};

int64_t diffusion_band(const struct diffusion *d, int64_t rows)
{
    int64_t width = d->to - d->from;
    if (width < NARROWEST || width > WIDEST || d->from < MARGIN ||
        d->to + MARGIN > d->cols)
        return 0;
    int64_t most = ((d->from - MARGIN) / LANES + 1) * LANES;
    rows = rows < most ? rows : most;
    return rows % LANES == 1 ? rows - 1 : rows; /* no lanes for a row alone */
}

/* Up to 8 rows, as seen from column base of the first. */
struct group {
    int rows; /* rows to read */
    int busy; /* rows to store: all of them, or none */
    const uint16_t *gray;
    uint8_t *pixels;
    const int16_t *up;
    int16_t *down; /* errors of the last row */
    struct diffusion_carry *carry;
    int64_t ahead; /* the place where work continues after these rows */
    int64_t errors_ahead;
};

struct band {
    int64_t width;
    int64_t lag; /* pixels from a lane's place to that of the next lane */
    struct front front;
    lanes before; /* errors of the step before front.error */
};

/* Rows row to row + 7 of the block, as far as there are so many. */
static struct group make_group(const struct diffusion *d, int64_t rows,
                               int64_t row, int16_t *errors, int64_t stride)
{
    bool last = rows - row <= LANES;
    int64_t base = d->from - row, at = row * d->cols + base;
    int64_t end = last ? rows : row + LANES;
    return (struct group){
        .rows = (int)(end - row),
        .busy = (int)(end - row),
        .gray = d->gray + at,
        .pixels = d->pixels + at,
        .up = (row == 0 ? d->up : errors + row * stride) + base,
        .down = errors + end * stride + base,
        .carry = d->carry + row,
        .ahead = last ? d->to - d->from - row * (d->cols - 1)
                      : LANES * (d->cols - 1),
        .errors_ahead =
            last ? d->to - d->from - row * (stride - 1) : LANES * (stride - 1),
    };
}

INLINE lanes load_lane(const struct band *b, const struct group *g, int k,
                       int64_t t)
{
    int row = k < g->rows ? k : g->rows - 1;
    lanes gray;
    memcpy(&gray, g->gray + row * b->lag + t, sizeof(gray));
    return gray;
}

/* ---- steps in which no lane changes its row ---- */

INLINE void run_steps(struct band *b, const struct group *g, int64_t t,
                      int steps)
{
    lanes gray[LANES], white[STEPS], error[STEPS];
    uint64_t pixels[LANES];
    const int last = g->rows - 1;
    for (int k = 0; k < LANES; k++)
        gray[k] = load_lane(b, g, k, t);
    turn(gray);
    for (int s = steps; s < STEPS; s++)
        white[s] = all(0);
    for (int s = 0; s < steps; s++) {
        b->before = b->front.error;
        white[s] = step(&b->front, gray[s], g->up[t + s + 1]);
        error[s] = b->front.error;
    }
    turn_masks(white, pixels);
    for (int k = 0; k < g->rows; k++)
        memcpy(g->pixels + k * b->lag + t, &pixels[k], STEPS);
    for (int s = 0; s < steps; s++)
        g->down[t - 2 * last + s] = error[s][last];
}

/* Prefetches: the hardware does not see where short rows continue. */
INLINE void fetch_ahead(const struct band *b, const struct group *g, int64_t t)
{
    for (int k = 0; k < g->rows; k++) {
        int64_t at = g->ahead + k * b->lag + t;
        __builtin_prefetch(g->gray + at, 0);
        __builtin_prefetch(g->pixels + at, 1);
    }
    __builtin_prefetch(g->down + g->errors_ahead + t - 2 * (g->rows - 1), 1);
}

static void run_group(struct band *b, const struct group *g)
{
    int64_t t = STEPS;
    for (; t + STEPS <= b->width; t += STEPS) {
        fetch_ahead(b, g, t);
        run_steps(b, g, t, STEPS);
    }
    fetch_ahead(b, g, t);
    fetch_ahead(b, g, b->width + STEPS - 1);
    if (t < b->width)
        run_steps(b, g, t, (int)(b->width - t));
}

/* ---- switches ---- */

/* The data that lanes bring to their new row, and take from their old one. */
struct passage {
    lanes error, above, above_left;
    lanes last, before;
};

static struct passage make_passage(const struct group *next)
{
    struct passage p = {.last = all(0)};
    if (next->busy == 0)
        return p;
    p.above[0] = next->up[0];
    p.above_left[0] = next->up[-1];
    for (int k = 0; k < next->busy; k++) {
        p.error[k] = next->carry[k].last;
        if (k + 1 < next->busy) {
            p.above[k + 1] = next->carry[k].last;
            p.above_left[k + 1] = next->carry[k].before;
        }
    }
    return p;
}

/* Old row in the first k steps, new row in the others. */
INLINE lanes load_both(const struct band *b, const struct group *old,
                       const struct group *next, int k)
{
    static const int16_t from[2 * LANES] = {-1, -1, -1, -1, -1, -1, -1, -1};
    lanes first;
    memcpy(&first, from + LANES - k, sizeof(first));
    return (load_lane(b, old, k, b->width) & first) |
           (load_lane(b, next, k, 0) & ~first);
}

/* Lane k of a, the others of b. */
INLINE lanes put_lane(lanes a, lanes b, lanes lane)
{
    return (a & lane) | (b & ~lane);
}

/* Lane k begins its new row.  Its last error stays in the front for this step:
 * lane k + 1 needs it once more.  Returns the errors to the left. */
INLINE lanes pass_lane(struct band *b, struct passage *p, int k)
{
    static const int16_t one[2 * LANES] = {[LANES] = -1};
    struct front *f = &b->front;
    lanes lane;
    memcpy(&lane, one + LANES - k, sizeof(lane));
    p->last |= f->error & lane;
    p->before |= b->before & lane;
    f->above = put_lane(p->above, f->above, lane);
    f->above_left = put_lane(p->above_left, f->above_left, lane);
    return put_lane(p->error, f->error, lane);
}

/* May write to the right of an old row's end, but not to the left of a new
 * row's begin. */
INLINE void store_switch(const struct band *b, const struct group *old,
                         const struct group *next, const lanes white[STEPS],
                         const lanes error[STEPS])
{
    uint64_t pixels[LANES];
    turn_masks(white, pixels);
    for (int k = 1; k < old->busy; k++)
        memcpy(old->pixels + k * b->lag + b->width, &pixels[k], STEPS);
    for (int k = 0; k < next->busy; k++) {
        uint8_t *to = next->pixels + k * b->lag;
        uint64_t kept, mask = bytes_between(k, STEPS);
        memcpy(&kept, to, STEPS);
        kept = (pixels[k] & mask) | (kept & ~mask);
        memcpy(to, &kept, STEPS);
    }
    for (int k = old->busy - 1, s = 0; s < k; s++)
        old->down[b->width - 2 * k + s] = error[s][k];
    if (next->busy > 0)
        for (int k = next->busy - 1, s = k; s < STEPS; s++)
            next->down[s - 2 * k] = error[s][k];
}

static void run_switch(struct band *b, const struct group *old,
                       const struct group *next)
{
    static const int16_t none[STEPS + 1] = {0};
    const int16_t *up = next->busy > 0 ? next->up : none;
    lanes gray[LANES], white[STEPS], error[STEPS];
    struct passage p = make_passage(next);
    for (int k = 0; k < LANES; k++)
        gray[k] = load_both(b, old, next, k);
    turn(gray);
    for (int s = 0; s < STEPS; s++) {
        lanes left = pass_lane(b, &p, s);
        b->before = b->front.error;
        white[s] = step_from(&b->front, left, gray[s], up[s + 1]);
        error[s] = b->front.error;
    }
    store_switch(b, old, next, white, error);
    for (int k = 0; k < old->busy; k++)
        old->carry[k] = (struct diffusion_carry){p.last[k], p.before[k]};
}

void diffusion_run_band(const struct diffusion *d, int64_t rows,
                        int16_t *errors, int64_t stride)
{
    struct band b = {.width = d->to - d->from, .lag = d->cols - 2};
    struct group old, next = make_group(d, rows, 0, errors, stride);
    old = next;
    old.busy = 0;
    for (int64_t row = 0; row < rows; row += LANES) {
        next = make_group(d, rows, row, errors, stride);
        run_switch(&b, &old, &next);
        fetch_ahead(&b, &next, 0);
        run_group(&b, &next);
        d->done(d->arg, b.width * next.rows);
        old = next;
    }
    next.busy = 0;
    run_switch(&b, &old, &next);
}
