/* Feedback-guided dynamic loop scheduling: blocks that follow the times of the
 * last execution of the loop.
 *
 *     block j = [b_(j-1), b_j) took T_j:  each of its iterations counts as
 *     c = T_j / (b_j - b_(j-1)),  C(b) their sum,  W = C(I)
 *     new b_j = least b with C(b) >= j W / p
 *
 * Bull, Euro-Par 1998 (the main form; Tabirca et al. 2001 to 2004 have its
 * analysis).  The first execution is static.  Block j stays with worker j, so
 * that its data do.  The papers leave rounding open.  A block whose time is not
 * known counts with the mean of the others; a loop of another size is cut at
 * the same fractions.
 *
 * Executions are time steps: with placement replan, each step of the loop; else
 * each repetition, from the warm-up on; below a master that cuts ranges by this
 * scheme, each range. */
#include "sched/arith.h"

#include <stdio.h>

struct fgdls_worker {
    int64_t start;     /* start of its block in this execution */
    int64_t end;       /* end that its block should have */
    double time, size; /* as reported in this execution */
    double cost;       /* cost of an iteration */
};

struct fgdls_state {
    int64_t iterations;
    int64_t workers;
    int64_t set; /* blocks set so far */
    struct fgdls_worker worker[];
};

/* b_j = ceil(j I / p), without a product that could overflow. */
static int fgdls_init(void *state, const struct sched_loop *loop,
                      const struct spec *spec, struct error *err)
{
    struct fgdls_state *s = state;
    int64_t each = loop->iterations / loop->workers;
    int64_t more = loop->iterations % loop->workers;
    (void)spec;
    (void)err;
    s->iterations = loop->iterations;
    s->workers = loop->workers;
    for (int64_t j = 0; j < s->workers; j++) {
        int64_t extra = (j + 1) * more / s->workers;
        extra += (j + 1) * more % s->workers != 0;
        s->worker[j].end = (j + 1) * each + extra;
    }
    return 0;
}

/* Workers ask in the order of their numbers.  If the run's minimum chunk
 * enlarged earlier blocks, this one is smaller or empty. */
static int64_t fgdls_next(void *state, int worker, int64_t remaining)
{
    struct fgdls_state *s = state;
    int64_t start = s->iterations - remaining;
    int64_t size = s->worker[worker].end - start;
    if (s->set >= s->workers)
        return SCHED_NO_CHUNK;
    s->worker[worker].start = start;
    s->set = worker + 1;
    if (s->set == s->workers)
        return remaining;
    return size > 0 ? size : SCHED_NO_CHUNK;
}

static void fgdls_feedback(void *state, int worker, int64_t size, double time)
{
    struct fgdls_state *s = state;
    if (!(time > 0))
        return;
    s->worker[worker].time += time;
    s->worker[worker].size += (double)size;
}

/* The iterations of block j in the last execution. */
static int64_t block_of(const struct fgdls_state *s, int64_t j)
{
    if (j >= s->set)
        return 0;
    int64_t end = j + 1 < s->set ? s->worker[j + 1].start : s->iterations;
    return end - s->worker[j].start;
}

/* Sets every block's cost; returns W, or 0 if no time is known. */
static double find_costs(struct fgdls_state *s)
{
    double time = 0, size = 0, whole = 0;
    for (int64_t j = 0; j < s->workers; j++) {
        time += s->worker[j].time;
        size += s->worker[j].size;
    }
    if (!(size > 0))
        return 0;
    for (int64_t j = 0; j < s->workers; j++) {
        struct fgdls_worker *w = &s->worker[j];
        w->cost = w->size > 0 ? w->time / w->size : time / size;
        whole += w->cost * (double)block_of(s, j);
    }
    return whole;
}

/* Sets new bounds for a loop as long as the last one. */
static void move_bounds(struct fgdls_state *s, double whole)
{
    int64_t block = 0;
    double before = 0; /* cost of the blocks before this one */
    for (int64_t j = 0; j < s->workers; j++) {
        double target = whole * ((double)(j + 1) / (double)s->workers);
        while (block + 1 < s->workers &&
               before + s->worker[block].cost * (double)block_of(s, block) <
                   target) {
            before += s->worker[block].cost * (double)block_of(s, block);
            block++;
        }
        int64_t most = block_of(s, block);
        int64_t part =
            sched_round_up((target - before) / s->worker[block].cost);
        part = part < most ? part : most;
        s->worker[j].end =
            (block < s->set ? s->worker[block].start : s->iterations) + part;
    }
}

static void fgdls_again(void *state, const struct sched_loop *loop)
{
    struct fgdls_state *s = state;
    double whole = find_costs(s);
    double ratio = (double)loop->iterations / (double)s->iterations;
    if (whole > 0 && whole <= DBL_MAX)
        move_bounds(s, whole);
    for (int64_t j = 0; j < s->workers; j++) {
        struct fgdls_worker *w = &s->worker[j];
        if (loop->iterations != s->iterations)
            w->end = sched_round(ratio * (double)w->end);
        w->time = w->size = 0;
    }
    s->iterations = loop->iterations;
    s->set = 0;
}

static void fgdls_note(const void *state, char *text, size_t size)
{
    (void)state;
    snprintf(text, size,
             "fgdls: these are the blocks of the first execution; the times of "
             "each change those of the next");
}

static const struct spec_param fgdls_params[] = {{0}};

const struct sched_ops sched_fgdls_ops = {
    .name = "fgdls",
    .citation = "Bull 1998",
    .summary = "blocks by the times of the last execution, for time steps",
    .params = fgdls_params,
    .flags = SCHED_PRIMED | SCHED_BY_NUMBER | SCHED_KEEPS,
    .state_size = sizeof(struct fgdls_state),
    .worker_size = sizeof(struct fgdls_worker),
    .init = fgdls_init,
    .next = fgdls_next,
    .feedback = fgdls_feedback,
    .again = fgdls_again,
    .note = fgdls_note,
};
