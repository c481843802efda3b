/* A cell: all choices for a measurement, except the repetition.
 *
 * The command line fills cells from options and campaign files; the launch
 * (hidden subcommand) runs them.  All text fields hold canonical forms after
 * cell_check (harness/check/setup.h), so that equal cells have equal text and
 * hashes. */
#ifndef HARNESS_CELL_CELL_H
#define HARNESS_CELL_CELL_H

#include "base/error.h"
#include "base/spec.h"
#include "harness/disturb/perturb.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

enum { CELL_HASH_SIZE = 17 }; /* 16 hexadecimal digits and the end */

/* Sizes of text fields. */
enum { CELL_WORD_MAX = 64, CELL_BIND_MAX = 256, CELL_LIST_MAX = 512 };

/* harness/cell/cell_fields.def has the fields with their meaning.  Texts are
 * pointers, which many cells share; char[n] there gives the maximum size. */
struct cell {
#define FIELD(name, type, ...)                                                 \
    __typeof__(_Generic(*(__typeof__(type) *)0,                                \
               char *: (const char *)0,                                        \
               default: *(__typeof__(type) *)0)) name;
#define ALIAS(name, ...)
#include "harness/cell/cell_fields.def"
#undef FIELD
#undef ALIAS
    char hash[CELL_HASH_SIZE]; /* XXH3 of the fields; set by cell_check */
    json_t *texts;             /* see cell_defaults */
};

/* How long and how thoroughly a cell is measured: not part of its hash. */
struct policy {
    int repetitions;     /* the least number (10) */
    int repetitions_max; /* the largest number (50) */
    double ci;           /* stop when the 95 % CI of the median is within this
                            share of it (0.02) */
    double cell_seconds; /* or when a cell's repetitions took so long */
    double verify_limit; /* s of reference time; above it: a sample (60) */
    double cell_timeout; /* s for one cell, then the driver kills it (600) */
    char events[1024];   /* events to count: none, default or a list; see
                            harness/counters/counters.h */
    bool trace;          /* write chunks-<launch>.jsonl */
    bool save;           /* save each cell's output as a picture */
    bool oversubscribe;  /* run and tag cells whose workers share cores */
};

/* A JSON object whose keys are the texts that cells share.  The caller releases
 * it with json_decref after the last of these cells. */
json_t *cell_texts(void);

/* A cell with all defaults; cell_check resolves "auto".  `texts` stores the
 * texts of the cell and its copies.  NULL: the cell points to the given texts
 * and must not be checked. */
void cell_defaults(struct cell *cell, json_t *texts);

/* Stores this text, for one of its fields, among the cell's texts. */
const char *cell_keep(const struct cell *cell, const char *text);
void policy_defaults(struct policy *policy);

/* Sets one field by its column name from text.  An error for an unknown name or
 * value lists the allowed ones and the nearest.  Returns 0 or -EINVAL. */
int cell_set(struct cell *cell, const char *field, const char *value,
             struct error *err);

/* Whether it is simulated as in a paper.  Cells on platforms from dlsbench
 * calibrate, which represent native runs, follow the native rules. */
bool cell_as_printed(const struct cell *cell);

/* Whether a cell, otherwise checked, allows prefetch. */
bool cell_may_prefetch(const struct cell *cell);

/* Whether both have the same binding, so that memory placed for one fits the
 * other. */
bool cell_same_places(const struct cell *a, const struct cell *b);

/* Returns less than, equal to or greater than 0, for sorting.  Cells that
 * compare equal can share a launch. */
int cell_simulation_compare(const struct cell *a, const struct cell *b);

/* A description that distinguishes the cell: transport and hierarchy, and every
 * unusual field, as ", master computing, flat, bind none". */
void cell_words(const struct cell *cell, char *text, size_t size);

/* Its part on powers, load and perturbations, as ", load w1:1"; empty for a
 * cell on equal, quiet cores. */
void cell_condition_words(const struct cell *cell, char *text, size_t size);

/* Its part on the simulation: the platform's name and unusual fields; empty for
 * native cells. */
void cell_simulation_words(const struct cell *cell, char *text, size_t size);

/* Cells as JSON objects with the column names of runs-<launch>.jsonl. */
json_t *cell_to_json(const struct cell *cell);

/* Reads the fields of such an object without checks or resolving.  `texts` as
 * in cell_defaults.  Returns 0 or -EINVAL. */
int cell_from_json(const json_t *object, json_t *texts, struct cell *cell,
                   struct error *err);

/* Reads them from a line of results.  Unknown fields are ignored and missing
 * ones keep their default, so that old results stay readable. */
void cell_from_row(const json_t *line, json_t *texts, struct cell *cell);

#endif
