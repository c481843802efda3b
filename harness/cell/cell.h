/* A cell: everything that is chosen for a measurement, except the repetition.
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

/* Room for texts of fields. */
enum { CELL_WORD_MAX = 64, CELL_BIND_MAX = 256, CELL_LIST_MAX = 512 };

/* The fields are in harness/cell/cell_fields.def, with their meaning.  Texts
 * are pointers, so that many cells share them: char[n] there is their room. */
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
    double ci;           /* stop when the 95 % CI of the median is within
                            this share of it (0.02) */
    double cell_seconds; /* or when the repetitions of a cell took so long */
    double verify_limit; /* s of reference time, above: a sample (60) */
    double cell_timeout; /* s for one cell, the driver kills after it (600) */
    char events[1024];   /* to count: none, default or a list; see
                            harness/counters/counters.h */
    bool trace;          /* write chunks-<launch>.jsonl */
    bool save;           /* write each cell's output as a picture */
    bool oversubscribe;  /* run even if workers share cores, tagged */
};

/* Texts that cells share, each once, as keys of a JSON object.  Who makes it
 * frees it by json_decref after the last of these cells. */
json_t *cell_texts(void);

/* A cell with all defaults; cell_check resolves "auto".  The texts of it and of
 * its copies are kept in `texts`.  NULL: the cell points to the texts that it
 * is given, and is not checked. */
void cell_defaults(struct cell *cell, json_t *texts);

/* This text among the cell's texts, for one of its fields. */
const char *cell_keep(const struct cell *cell, const char *text);
void policy_defaults(struct policy *policy);

/* Sets one field by its column name from text.  Unknown names and values are
 * errors that list what is allowed and the nearest.  Returns 0 or -EINVAL. */
int cell_set(struct cell *cell, const char *field, const char *value,
             struct error *err);

/* Whether it is simulated as in a paper.  Platforms from dlsbench calibrate
 * represent native runs; their cells follow the native rules. */
bool cell_as_printed(const struct cell *cell);

/* Whether requests can go one ahead, of a cell that is checked otherwise. */
bool cell_may_prefetch(const struct cell *cell);

/* Whether memory that the workers of one have touched is where those of the
 * other want it: they have the same binding. */
bool cell_same_places(const struct cell *a, const struct cell *b);

/* Less than, equal to or greater than 0, for sorting.  Cells with equal
 * simulations can share a launch. */
int cell_simulation_compare(const struct cell *a, const struct cell *b);

/* Its description among other cells: transport and hierarchy, and every unusual
 * field, as ", master computing, flat, bind none". */
void cell_words(const struct cell *cell, char *text, size_t size);

/* Only powers, load and perturbations, as ", load w1:1"; empty for a cell on
 * equal, quiet cores. */
void cell_condition_words(const struct cell *cell, char *text, size_t size);

/* Only its simulation: the platform's name and unusual fields; empty for native
 * cells. */
void cell_simulation_words(const struct cell *cell, char *text, size_t size);

/* Cells as JSON objects with the column names of runs-<launch>.jsonl. */
json_t *cell_to_json(const struct cell *cell);

/* The fields of such an object as they are: nothing is checked or resolved.
 * `texts` as in cell_defaults.  Returns 0 or -EINVAL. */
int cell_from_json(const json_t *object, json_t *texts, struct cell *cell,
                   struct error *err);

/* The same from a line of results: a field that this build no longer knows, or
 * that the line does not have, keeps its default, so that old results stay
 * readable. */
void cell_from_row(const json_t *line, json_t *texts, struct cell *cell);

#endif
