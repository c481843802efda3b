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

/* Measured powers of a loop's workers, under a load and perturbations. */
struct loop_powers {
    struct loop_powers *next;
    const char *load, *perturb; /* the cell's; they outlive the loop */
    double took_s;
    double power[]; /* one per worker */
};

/* Seconds of serial_s that are not spent in iterations. */
struct loop_extra {
    double row_start_s; /* simulated grids: the start of a block's row */
    double advance_s;   /* steps: making the next step's data, each time */
};

/* One pass over the whole loop. */
struct loop_pass {
    double took_s;
    double between_s; /* part of it, between time steps */
    double others;    /* share of the core that other processes had; NAN:
                         unknown */
};

enum { LOOP_PASSES = 50 }; /* most that are stored */

/* harness/problem/serial.h */
struct loop_serial {
    int passes; /* so far; 0: natively no serial time is measured */
    int from;   /* passes before the current block of cells */
    struct loop_pass last;
    double took_s[LOOP_PASSES]; /* the newest ones, in a ring */
    double spent_s;             /* in passes since the loop was opened */
    double beside_s;            /* time in repetitions of its cells */
};

struct loop {
    const struct kernel_ops *kernel;
    void *instance;
    char name[SPEC_CANONICAL_MAX]; /* canonical spec */
    int64_t iterations;
    size_t output_bytes, scratch_bytes;
    struct kernel_grid grid; /* of a kernel with dependences; a kernel with
                                steps only sets steps and state_bytes */
    char *state;             /* grid.state_bytes bytes, or NULL */
    /* Memory in which a master collects results: the output, but separate for
     * dependent rows, because a worker of this rank may be reading a collected
     * row as its boundary. */
    char *inbox;
    char *output; /* iterations * output_bytes; untouched pages cost nothing */
    struct loop_shared *shared; /* loop_shared.h; NULL: no cell needs it */
    bool placed; /* output and state are bound as `memory` requires: all runs of
                    a loop bind their workers alike */

    /* Chunks travel with input data: all data at rank 0, and room for those
     * that this rank receives. */
    bool fed;
    struct input input;
    int64_t *input_before; /* the memory behind input */

    /* The reference: XXH3 of each iteration's output, on every rank. */
    uint64_t *checksum;
    uint8_t *known; /* 1: the checksum is known (all are unless sampled) */
    bool sampled;

    struct loop_powers *powers; /* for its cells with measured powers */

    struct loop_known *known_costs; /* harness/problem/loop_costs.h */

    /* The loop's time on one worker alone, measured by rank 0 at its opening;
     * -1: no output, so no serial time is measured. */
    double serial_s;
    struct loop_serial serial; /* later passes, beside its cells; rank 0 */
    double *cost_before; /* rank 0: seconds before iteration i, iterations + 1
                            entries, for each time step if costs drift; or NULL.
                            With the time between steps they add up to serial_s,
                            except for grids */
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

/* Number of time steps of independent iterations; 1: no steps. */
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

/* Sets grid and drifts from a kernel with steps. */
void loop_open_steps(struct loop *loop);

/* The checksum of one iteration's output in `memory` (output or inbox). */
uint64_t loop_checksum(const struct loop *loop, const char *memory,
                       int64_t iteration);

#endif
