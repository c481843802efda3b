/* The candidates of `dlsbench omp --try`: the unmodified program, and changes
 * of a schedule or of environment variables. */
#ifndef BENCH_PROGRAMS_SAMPLES_CANDIDATES_H
#define BENCH_PROGRAMS_SAMPLES_CANDIDATES_H

#include "base/error.h"
#include "sched/select/select.h"

#include <stdbool.h>

enum { CANDIDATES_OWN = 0, CANDIDATES_MAX = SELECT_MAX };

/* The kind of change that a candidate makes. */
enum factor {
    FACTOR_SCHEDULE,
    FACTOR_THREADS,
    FACTOR_PLACES,
    FACTOR_WAITING,
    FACTOR_OTHER, /* another variable */
    FACTORS,
    FACTOR_NONE = FACTORS, /* the unmodified program */
    FACTOR_SEVERAL
};
extern const char *const factor_names[FACTORS];

/* The arrays are parallel, and own their texts.  A candidate's number is its
 * index, and never changes. */
struct candidates {
    int count;
    char *name[CANDIDATES_MAX];    /* canonical; the first is "as it is" */
    char *scheme[CANDIDATES_MAX];  /* or @FILE; NULL: unchanged */
    char *setting[CANDIDATES_MAX]; /* "OMP_X=1 OMP_Y=2"; NULL: none */
    enum factor factor[CANDIDATES_MAX];
};

/* Reads a list of schemes, settings such as OMP_NUM_THREADS=4 (blanks join
 * several into one), and words: `schemes` (all of them), `threads`, `places`,
 * `waiting`, and `all` for all of these.  `loops` as in struct start: if static
 * ones are cut, `schemes` includes an order of blocks.  A part with '=' and no
 * ':' before it belongs to the preceding scheme ("tss:first=9,last=1,gss" are
 * two).  `schemes` leaves out those that cannot run.  Returns 0 or -EINVAL with
 * a text; free it in any case. */
int candidates_read(struct candidates *candidates, const char *list,
                    const char *loops, struct error *err);
void candidates_free(struct candidates *candidates);

/* Adds a candidate unless it is there; scheme and setting NULL: none.  Returns
 * its number, or -1: the list is full. */
int candidates_add(struct candidates *candidates, enum factor factor,
                   const char *name, const char *scheme, const char *setting);

/* Adds the usual changes of this factor, for this machine and environment. */
void candidates_add_usual(struct candidates *candidates, enum factor factor);

/* Whether a candidate changes more than the schedule. */
bool candidates_have_settings(const struct candidates *candidates);

/* The equivalent clause of OpenMP, "dynamic, 4"; NULL: none. */
enum { CANDIDATES_CLAUSE = 64 };
const char *candidates_clause(const char *scheme, char text[CANDIDATES_CLAUSE]);

/* The candidate's number, -1: none has this name. */
int candidates_find(const struct candidates *candidates, const char *name);

#endif
