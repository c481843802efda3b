/* A loop of a launch: one kernel instance with its output, its reference and
 * its serial cost.  Cells with the same kernel and binding share it. */
#ifndef HARNESS_PROBLEM_LOOP_H
#define HARNESS_PROBLEM_LOOP_H

#include "base/error.h"
#include "harness/cell/cell.h"
#include "harness/messages/comm.h"
#include "harness/messages/input.h"
#include "kernels/kernel.h"

/* The byte that output is filled with before a run. */
enum { LOOP_POISON = 0xa5 };

/* Powers that were measured with a loop, under a load and perturbations. */
struct loop_powers {
    struct loop_powers *next;
    const char *load, *perturb; /* the cell's, which outlive the loop */
    double took_s;
    double power[]; /* one per worker */
};

/* Seconds of serial_s besides those of iterations. */
struct loop_extra {
    double row_start_s; /* simulated grids: to start a row of a block */
    double advance_s;   /* steps: to make the data of the next one, between
                           each two of them */
};

/* One pass over the whole loop. */
struct loop_pass {
    double took_s;
    double between_s; /* of it, between time steps */
    double others;    /* share of the core that other processes had; NAN: not
                         known */
};

enum { LOOP_PASSES = 50 }; /* kept */

/* harness/problem/serial.h */
struct loop_serial {
    int passes; /* so far; 0: natively no serial time to speak of */
    int from;   /* passes before the present block of cells */
    struct loop_pass last;
    double took_s[LOOP_PASSES]; /* the last ones, in a ring */
    double spent_s;             /* in passes since the loop was opened */
    double beside_s;            /* in repetitions of its cells */
};

struct loop {
    const struct kernel_ops *kernel;
    void *instance;
    char name[SPEC_CANONICAL_MAX]; /* canonical spec */
    int64_t iterations;
    size_t output_bytes, scratch_bytes;
    struct kernel_grid grid; /* of a kernel with dependences; of one with steps
                                steps and state_bytes alone */
    char *state;             /* grid.state_bytes of it, or NULL */
    /* Where a master collects results: the output, but with a separate place
     * for dependent rows.  A worker of this rank may be reading a collected row
     * as its boundary. */
    char *inbox;
    char *output; /* iterations * output_bytes; untouched pages cost nothing */
    struct loop_shared *shared; /* loop_shared.h; NULL: no cell asked for it */
    bool placed; /* output and state are where its runs' `memory` wants them:
                    all runs of a loop bind their workers in the same way */

    /* Where chunks travel with their input data: all of them at rank 0, and
     * room for those that come to this rank. */
    bool fed;
    struct input input;
    int64_t *input_before; /* the input's */

    /* The reference: XXH3 of each iteration's output, on every rank. */
    uint64_t *checksum;
    uint8_t *known; /* 1: checksum is known (all of them unless sampled) */
    bool sampled;

    struct loop_powers *powers; /* of its cells with power measured */

    struct loop_known *known_costs; /* harness/problem/loop_costs.h */

    /* The time of the loop on one worker alone, measured by rank 0 when it was
     * opened; -1: no output, no serial time to speak of. */
    double serial_s;
    struct loop_serial serial; /* since then, in turns with its cells; rank 0 */
    double *cost_before; /* rank 0: s before iteration i, iterations + 1 of
                            them, one time step after the other where costs
                            drift; or NULL.  With those between steps they
                            add up to serial_s, except for grids */
    bool drifts;
    struct loop_extra extra; /* on every rank */
};

/* Collective: makes the instance of a kernel's spec on every rank.  Fed ranks
 * get its input data (the kernel must have some).  The reference comes from the
 * cache if this build computed it before, and is a random sample if it would
 * take more than verify_limit seconds.  The calling thread of rank 0 measures
 * the serial cost (of a fed one, on its input).  All ranks return the same
 * code. */
int loop_open(struct loop *loop, const struct kernel_ops *kernel,
              const struct spec *spec, bool fed, const struct comm *comm,
              double verify_limit, uint64_t seed, struct error *err);
void loop_close(struct loop *loop);

/* Time steps of independent iterations; 1: there are none. */
static inline int loop_steps(const struct loop *loop)
{
    return loop->kernel->steps != NULL ? loop->grid.steps : 1;
}

/* Seconds of serial_s between all time steps. */
static inline double loop_advances_s(const struct loop *loop)
{
    return loop->extra.advance_s * (loop_steps(loop) - 1);
}

/* The part of cost_before for one time step. */
static inline const double *loop_cost(const struct loop *loop, int64_t step)
{
    return loop->cost_before +
           (loop->drifts ? step * (loop->iterations + 1) : 0);
}

/* Writes what a kernel with steps says of them to grid and drifts. */
void loop_open_steps(struct loop *loop);

/* The checksum of one iteration's output in `memory` (output or inbox). */
uint64_t loop_checksum(const struct loop *loop, const char *memory,
                       int64_t iteration);

#endif
