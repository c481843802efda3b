/* The private parts of setup_resolve in harness/check/cell_*.c, one for each
 * question, called in the order of its table.  A part can use the values that
 * earlier parts have resolved.  Each returns 0, -EINVAL or -ENOTSUP. */
#ifndef HARNESS_CHECK_CELL_CHECKS_H
#define HARNESS_CHECK_CELL_CHECKS_H

#include "harness/cell/cell_field.h"
#include "harness/check/setup.h"

/* Whether the texts are lists of powers and of loaded workers at all, of
 * whatever length. */
int setup_read_power(const struct cell *cell, struct error *err);
int setup_read_load(const struct cell *cell, struct error *err);

/* Puts the first fitting transport in the place of `auto`, and writes what does
 * not apply under it in one way only. */
int setup_settle_transport(struct setup *setup, struct error *err);

/* Whether the transport supports all requests of the cell; if not, the text
 * names alternatives. */
int setup_check_transport(struct setup *setup, struct error *err);

/* A schedule's canonical form, under a transport that has them. */
int setup_check_schedule(struct setup *setup, struct error *err);

/* Where chunks can be handed out again, for messages. */
void reissue_possible(char *text, size_t size);

/* Plans and input data; resolves `data`. */
int setup_check_push(struct setup *setup, struct error *err);

/* The scheme with hierarchy and protocol. */
int setup_check_scheme(struct setup *setup, struct error *err);

/* Whether the costs of iterations that the scheme needs are known; writes
 * `costs` in one form. */
int setup_check_costs(struct setup *setup, struct error *err);

/* Makes the powers, and writes them in one form: equal ones are none. */
int setup_check_power(struct setup *setup, struct error *err);

/* Makes the load, and writes it in one form: groups by number of processes,
 * their workers in order. */
int setup_check_load(struct setup *setup, struct error *err);

/* Whether there are such workers, and whether chunks can be handed out again;
 * the text says what is possible. */
int setup_check_perturb(struct setup *setup, struct error *err);

#endif
