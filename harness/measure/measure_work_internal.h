/* Private parts of a kernel's measurement, shared by the files of this folder:
 * measure_work.c opens and measures grids, sample.c independent iterations. */
#ifndef HARNESS_MEASURE_MEASURE_WORK_INTERNAL_H
#define HARNESS_MEASURE_MEASURE_WORK_INTERNAL_H

#include "harness/measure/measure_work.h"
#include "kernels/kernel.h"

/* A few rounds; the median of their medians counts. */
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
    char *output; /* of the whole grid, or a block for each thread */
    char *state;
    char **scratch;       /* one for each thread */
    int64_t blocks, size; /* of the sample */
    char *input;    /* its input data, where iterations have some; for all */
    int64_t h;      /* of the grid's blocks */
    int at, passes; /* of the round: the pass under way, how many */
    double *pass_s; /* by thread: the last pass */
    double (*pass)[WORK_PASSES]; /* by thread: those of a round */
    double *round_s;             /* by width, round and thread: the median */
    struct work_block (*block)[WORK_BLOCKS]; /* by thread: of the sample */
};

/* Separate memory; none for 0 bytes.  Returns 0 or -ENOMEM. */
int work_map(size_t bytes, char **out, struct error *err);

/* Collective: one round of passes; the first warms up and tells rank 0 how many
 * more fit.  round_s, by thread, becomes the median. */
void work_round(struct work *work, void (*body)(int, void *), double *round_s);

/* The middle of a thread's rounds from its first on; `threads`: the distance
 * between two of them. */
double work_middle(const double *round_s, int threads);

/* Collective: independent iterations; `cost` has one for each thread of this
 * rank. */
int work_sample(struct work *work, struct calibration_cost *cost,
                struct error *err);

/* Collective, for grids whose c_p and c_b rank 0 has: the kernel's blocks. */
int work_blocks(struct work *work, const struct measure_kernel *asked,
                struct calibration_kernel *kernel, struct error *err);

/* The number of measured time steps. */
int work_steps(const struct work *work);

#endif
