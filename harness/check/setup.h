/* A setup is a checked and resolved cell: its text as values.
 *
 * cell_check makes the canonical text of a cell; code that runs it, or needs
 * more than its text, resolves it to a setup and does not parse again. */
#ifndef HARNESS_CHECK_SETUP_H
#define HARNESS_CHECK_SETUP_H

#include "harness/cell/cell.h"
#include "harness/check/scheme_kind.h"
#include "harness/hierarchy/hierarchy.h"
#include "harness/topo/topo.h"
#include "harness/transport/registry/transport_registry.h"
#include "kernels/kernel.h"

enum protocol {
    PROTOCOL_PARALLEL,
    PROTOCOL_DMPS,
    PROTOCOL_SUBPROBLEM,
    PROTOCOL_PUSH
};

struct setup {
    struct cell cell; /* in canonical form, with its hash */
    const struct kernel_ops *kernel;
    struct spec kernel_spec;
    int64_t steps; /* time steps of the kernel */
    struct scheme scheme;
    struct hierarchy hierarchy;
    enum protocol protocol;
    const struct transport_ops *transport;
    struct topo_binding binding;
    struct perturbs perturbs;
    int workers;
    double *power;       /* one per worker; NULL: equal, or */
    bool measures_power; /* measured by the launch */
    int *load;           /* busy processes by worker's core; NULL: none */
    enum transport_results results; /* how results are collected */
    bool binds_memory;              /* data are on their worker's NUMA node */
    bool sent;                      /* input data are sent with every chunk */
    bool replan;                    /* every time step is scheduled again */
    bool recosts;                   /* with costs from the previous step */
    bool stamps;                    /* every chunk is timed */
};

/* Checks that the cell can run (specs parse, the hierarchy fits the shape, as
 * many powers as workers, ...) and resolves it. -EINVAL: a field is wrong;
 * -ENOTSUP: each field is right, but not their combination (a campaign skips
 * and counts these cells).  After an error there is nothing to free. */
int setup_resolve(struct setup *setup, const struct cell *cell,
                  struct error *err);
void setup_free(struct setup *setup);

/* Which workers are held by perturbations: a byte for each worker, with a bit
 * for each perturbation. */
void setup_pick_perturbed(const struct setup *setup, uint8_t *hit);

/* Whether its scheme keeps knowledge for the next repetition, so that
 * repetitions differ. */
bool setup_learns_by_repetition(const struct setup *setup);

/* ---- cells without a setup ---- */

/* Makes a cell canonical and hashes it, or leaves it unchanged.  Returns what
 * setup_resolve does. */
int cell_check(struct cell *cell, struct error *err);

/* Reads the checked cell of a plan, ready to run with its chosen interval.
 * `texts` as in cell_defaults.  Returns 0, -EINVAL or -ENOTSUP. */
int cell_read(const json_t *object, json_t *texts, struct cell *cell,
              struct error *err);

/* Number of workers of a checked cell. */
int cell_workers(const struct cell *cell);

/* Whether the launch measures the powers of this cell's workers; and whether
 * some of its workers never return. */
bool cell_measures_power(const struct cell *cell);
bool cell_loses_workers(const struct cell *cell);

#endif
