/* What the parts of cell_check share: harness/setup/cell_*.c, and nobody
 * else. */
#ifndef HARNESS_SETUP_CELL_CHECKS_H
#define HARNESS_SETUP_CELL_CHECKS_H

#include "harness/cell/cell_field.h"

/* Whether `power` is a list of powers at all, of whatever length.  Returns 0
 * or -EINVAL. */
int cell_power_parse(const struct cell *cell, struct error *err);

/* Writes `power` in its canonical form: powers are one cell however they are
 * written, and equal ones are none.  -ENOTSUP: not as many as workers. */
int cell_power_check(struct cell *cell, struct error *err);

/* Whether `load` is a list of loaded workers at all.  Returns 0 or -EINVAL. */
int cell_load_parse(const struct cell *cell, struct error *err);

/* Writes `load` in its canonical form: groups by number of processes, their
 * workers in order.  -EINVAL: a worker is named twice; -ENOTSUP: there is no
 * such worker, or workers are not bound. */
int cell_load_check(struct cell *cell, struct error *err);

/* Whether `perturb` names a perturbation at all.  Returns 0 or -EINVAL. */
int cell_perturb_parse(const struct cell *cell, struct error *err);

/* Of a cell whose protocol, transport and hierarchy are resolved: writes
 * `perturb` in its canonical form.  -ENOTSUP: there are no such workers, or
 * chunks cannot be handed out again here; the text says what is possible. */
int cell_perturb_check(struct cell *cell, struct error *err);

/* harness/setup/cell_scheme.c: of a cell whose words are all right.  Returns 0,
 * -EINVAL or -ENOTSUP. */
int cell_scheme_check(const struct cell *cell, struct error *err);

/* harness/setup/cell_steal.c: of a cell of transport steal.  Returns 0 or
 * -ENOTSUP.
 */
int cell_steal_check(const struct cell *cell, struct error *err);

/* Whether the scheme is a plan. */
bool cell_is_plan(const struct cell *cell);

/* Whether the scheme is an OpenMP schedule and of no other kind. */
bool cell_is_schedule(const struct cell *cell);

/* What transport openmp needs of a cell whose transport, hierarchy and protocol
 * are resolved, and what schedules need; writes the schedule's canonical form.
 * Returns 0, -EINVAL or -ENOTSUP. */
int cell_openmp_check(struct cell *cell, struct error *err);

/* What plans and input data need of a cell whose protocol, transport and
 * hierarchy are resolved; resolves `data`.  Returns 0 or -ENOTSUP. */
int cell_push_check(struct cell *cell, struct error *err);

#endif
