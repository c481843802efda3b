/* Private parts of a kernel's measurement, shared by the files of this folder:
 * measure_work.c opens and measures grids, sample.c independent iterations. */
#ifndef HARNESS_MEASURE_MEASURE_WORK_INTERNAL_H
#define HARNESS_MEASURE_MEASURE_WORK_INTERNAL_H

#include "harness/measure/measure_work.h"
#include "kernels/kernel.h"

/* The result is the median of the rounds' medians. */
enum { WORK_ROUNDS = 2, WORK_PASSES = 64, WORK_BLOCKS = 16 };

/* A block of the sample: the passes of a round, and the rounds' medians. */
struct work_block {
    double pass_s[WORK_PASSES], round_s[WORK_ROUNDS];
};

struct work {
    struct crew *crew;
    const struct kernel_ops *ops;
    void *instance;
    int64_t iterations;
    size_t output_bytes, scratch_bytes, mapped;
    struct kernel_grid grid;
    char *output; /* the whole grid, or a block per thread */
    char *state;
    char **scratch;       /* one per thread */
    int64_t blocks, size; /* of the sample */
    char *input;          /* input data of the sample, if any; shared */
    int64_t h;            /* of the grid's blocks */
    int at, passes;       /* of the round: the current pass, their number */
    double *pass_s;       /* by thread: the last pass */
    double (*pass)[WORK_PASSES]; /* by thread: all passes of a round */
    double *round_s;             /* by width, round and thread: the median */
    struct work_block (*block)[WORK_BLOCKS]; /* by thread: of the sample */
};

/* Maps memory; none for 0 bytes.  Returns 0 or -ENOMEM. */
int work_map(size_t bytes, char **out, struct error *err);

/* Collective: one round of passes.  The first one warms up, and rank 0 decides
 * by it how many more fit. round_s, by thread, becomes the median. */
void work_round(struct work *work, void (*body)(int, void *), double *round_s);

/* The middle of a thread's rounds, starting at `round_s`; consecutive rounds
 * are `threads` apart. */
double work_middle(const double *round_s, int threads);

/* Collective, for independent iterations: fills `cost`, one per thread of this
 * rank. */
int work_sample(struct work *work, struct calibration_cost *cost,
                struct error *err);

/* Collective, for grids with c_p and c_b at rank 0: the kernel's blocks. */
int work_blocks(struct work *work, const struct measure_kernel *asked,
                struct calibration_kernel *kernel, struct error *err);

/* The number of measured time steps. */
int work_steps(const struct work *work);

#endif
