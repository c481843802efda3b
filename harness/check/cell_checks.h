/* The parts of setup_resolve in harness/check/cell_*.c, one for each question,
 * called in the order of its table.  A part can use the values that earlier
 * parts have resolved.  Each returns 0, -EINVAL or -ENOTSUP. */
#ifndef HARNESS_CHECK_CELL_CHECKS_H
#define HARNESS_CHECK_CELL_CHECKS_H

#include "harness/cell/cell_field.h"
#include "harness/check/setup.h"

/* Whether the texts are lists of powers and of loaded workers, of any
 * length. */
int setup_read_power(const struct cell *cell, struct error *err);
int setup_read_load(const struct cell *cell, struct error *err);

/* Replaces `auto` by the first fitting transport, and gives fields that do not
 * apply under it one canonical value. */
int setup_settle_transport(struct setup *setup, struct error *err);

/* Whether the transport supports all requests of the cell; otherwise the error
 * names alternatives. */
int setup_check_transport(struct setup *setup, struct error *err);

/* Makes a schedule canonical, under a transport that has schedules. */
int setup_check_schedule(struct setup *setup, struct error *err);

/* Which cells support reissue, for messages. */
void reissue_possible(char *text, size_t size);

/* Checks plans and input data; resolves `data`. */
int setup_check_push(struct setup *setup, struct error *err);

/* Checks the scheme with hierarchy and protocol. */
int setup_check_scheme(struct setup *setup, struct error *err);

/* Whether the costs that the scheme needs are known; makes `costs`
 * canonical. */
int setup_check_costs(struct setup *setup, struct error *err);

/* Sets the powers and makes their text canonical: empty if they are equal. */
int setup_check_power(struct setup *setup, struct error *err);

/* Sets the load and makes its text canonical: groups by number of processes,
 * their workers in order. */
int setup_check_load(struct setup *setup, struct error *err);

/* Whether the perturbed workers exist, and whether reissue is possible; the
 * error lists what is. */
int setup_check_perturb(struct setup *setup, struct error *err);

#endif
