/* What the parts of harness/cell*.c share: the table of text fields and the
 * list of powers.  Others use harness/cell/cell.h. */
#ifndef HARNESS_CELL_CELL_FIELDS_H
#define HARNESS_CELL_CELL_FIELDS_H

#include "harness/cell/cell.h"

#include <stddef.h>

enum { CELL_WORKERS_MAX = 1 << 24 };

/* A text field: where it lives and what it may hold. */
struct cell_text_field {
    const char *name;
    size_t offset, size;
    const char *choices[8]; /* empty: free text, checked by cell_check */
};

/* All of them; a NULL name ends the table. */
extern const struct cell_text_field cell_text_fields[];

/* Whether a text fits into size bytes and can go through JSON as it is: the
 * hash is that of the bytes.  Returns 0 or -EINVAL. */
int cell_text_check(const char *name, const char *value, size_t size,
                    struct error *err);

/* Sets one from text.  Returns 0 or -EINVAL. */
int cell_set_text(struct cell *cell, const struct cell_text_field *field,
                  const char *value, struct error *err);

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

/* `reissue` from text.  Returns 0 or -EINVAL. */
int cell_reissue_set(struct cell *cell, const char *value, struct error *err);

/* Whether `perturb` names a perturbation at all.  Returns 0 or -EINVAL. */
int cell_perturb_parse(const struct cell *cell, struct error *err);

/* Of a cell whose protocol, transport and hierarchy are resolved: writes
 * `perturb` in its canonical form.  -ENOTSUP: there are no such workers, or
 * chunks cannot be handed out again here; the text says what is possible. */
int cell_perturb_check(struct cell *cell, struct error *err);

/* What the two add to the text that is hashed: nothing where nothing goes
 * wrong. */
void cell_perturb_text(const struct cell *cell, char *text, size_t size);

/* The fields of simulations: defaults; one from text (0, -ENOENT: it is none of
 * them, without a text, or -EINVAL); their canonical form; what they add to the
 * text that is hashed, nothing for native cells; JSON. */
void cell_simulation_defaults(struct cell *cell);
int cell_simulation_set(struct cell *cell, const char *field, const char *text,
                        struct error *err);
void cell_simulation_check(struct cell *cell);
void cell_simulation_text(const struct cell *cell, char *text, size_t size);
void cell_simulation_to_json(const struct cell *cell, json_t *object);
int cell_simulation_from_json(const json_t *object, struct cell *cell,
                              struct error *err);

/* harness/setup/cell_scheme.c: of a cell whose words are all right.  Returns 0,
 * -EINVAL or -ENOTSUP. */
int cell_scheme_check(const struct cell *cell, struct error *err);

/* Whether the scheme is a plan. */
bool cell_is_plan(const struct cell *cell);

/* Whether the scheme is an OpenMP schedule and of no other kind. */
bool cell_is_schedule(const struct cell *cell);

/* Writes the canonical form of a schedule of OpenMP, under a transport that has
 * them; `runtime` becomes what OMP_SCHEDULE says.  Returns 0 or -EINVAL. */
int cell_schedule_check(struct cell *cell, struct error *err);

/* What plans and input data need of a cell whose protocol, transport and
 * hierarchy are resolved; resolves `data`.  Returns 0 or -ENOTSUP. */
int cell_push_check(struct cell *cell, struct error *err);

#endif
