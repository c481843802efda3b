/* A cell: everything that is chosen for a measurement, except the repetition.
 *
 * The command line fills cells from options and campaign files; the launch
 * (hidden subcommand) runs them.  All text fields hold canonical forms after
 * cell_check, so that equal cells have equal text and hashes. */
#ifndef HARNESS_CELL_CELL_H
#define HARNESS_CELL_CELL_H

#include "base/error.h"
#include "base/spec.h"
#include "harness/disturb/perturb.h"
#include "sched/schemes/pair.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

enum { CELL_HASH_SIZE = 17 }; /* 16 hexadecimal digits and the end */

/* How a cell is simulated.  Numbers that are 0 are not given. */
struct cell_simulation {
    char platform[512];  /* SimGrid's XML file; empty: the cell runs natively,
                            and the rest does not apply */
    double cp;           /* c_p: seconds of one operation of the kernel at power
                            1, that of the slowest host; 0: its flops over the
                            host's flop/s */
    double request_cost; /* seconds in which a master takes in a request and
                            answers it; 0 counts */
    double result_bytes; /* of an iteration, on their way to the master; 0: as
                            many as the kernel has */
    double boundary_bytes; /* of one column of a boundary; 0: the kernel's */
};

/* What was chosen for a cell of scheme auto (harness/setup/choice.h); an empty
 * scheme: nothing yet, or the cell has one of its own. */
struct cell_choice {
    char scheme[SPEC_CANONICAL_MAX];
    char hierarchy[64];
    int64_t sync_interval; /* 0: none */
};

struct cell {
    char kernel[SPEC_CANONICAL_MAX];
    char scheme[SPEC_CANONICAL_MAX]; /* or plan, under protocol push; or
                                        schedule, under transport openmp */
    char hierarchy[64]; /* flat | [MxMx...][node], e.g. 16, 4x16, 2xnode */
    char transport[16]; /* shared | master | window | openmp |
                           steal */
    char master[16];    /* computing | dedicated: what master ranks do */
    char window[16];    /* auto | shared | rma: kind of MPI window */
    char openmp[16];    /* auto | libgomp | libomp: OpenMP runtime */
    char victim[16];   /* random | near: whom a thief tries; auto: no thieves */
    char collect[16];  /* master | local: where results go */
    char bind[256];    /* compact | scatter | none | processors: 0,2,4-7 */
    char rank_per[16]; /* socket | numa: a rank's workers stay in one; empty:
                          in the node */
    char memory[16];   /* touch | bind: workers' data on their NUMA nodes */
    char timing[16];   /* worker | chunk */
    char protocol[16]; /* parallel | dmps | subproblem | push */
    char data[16];     /* none | sent: input data with every chunk */
    char placement[16]; /* sticky | replan: chunks of several time steps */
    char power[512];    /* v,v,... or n:v,n:v,..., or measured at the start;
                           empty: all equal */
    char load[512];     /* competing load, w0,w2:1; empty: dedicated */
    char perturb[PERTURB_TEXT_MAX]; /* what goes wrong on purpose, see
                                       harness/disturb/perturb.h */
    bool prefetch;      /* requests go one ahead; under push: overlap */
    bool smt;           /* workers on hardware threads instead of cores */
    int ranks, threads; /* of the launch shape */
    int workers;        /* asked for: cell_check makes ranks of it; else 0 */
    int nodes;          /* asked for with rank_per, which makes ranks of it */
    int64_t min_chunk;
    /* Chunks that are out for so many times what they should take are handed
     * out again; 0: never. */
    double reissue;
    /* Columns; 0: no synchronization (parallel), or still to be chosen. */
    int64_t sync_interval;
    /* given, or how the driver chooses sync_interval before the cell runs: auto
     * | andronikos | chen-xue (bench/predict/forecast.h).  Then it stands in
     * the hash in place of the number, and predicted_s is the time that was
     * predicted (0: not known). */
    char sync_choice[16];
    double predicted_s;
    struct cell_choice chosen; /* of scheme auto: what runs in its place */
    struct cell_simulation simulation;
    char hash[CELL_HASH_SIZE]; /* XXH3 of the canonical fields; set by check */
};

/* How long and how thoroughly a cell is measured: not part of its hash. */
struct policy {
    int repetitions;     /* at least so many (10) */
    int repetitions_max; /* at most so many (50) */
    double ci;           /* stop when the 95 % CI of the median is within
                            this share of it (0.02) */
    double cell_seconds; /* or when the repetitions of a cell took so long */
    double verify_limit; /* s of reference time, above: a sample (60) */
    double cell_timeout; /* s for one cell, the driver kills after it (600) */
    char events[1024];   /* to count: none, default or a list; see
                            harness/counters/counters.h */
    bool trace;          /* write chunks-<launch>.jsonl */
    bool save;           /* write each cell's output as a picture */
    bool oversubscribe;  /* go on when workers share cores, tagged */
};

/* A cell with every default: transport and collect "auto" are resolved by
 * cell_check (one rank: shared and local; more: master and master). */
void cell_defaults(struct cell *cell);
void policy_defaults(struct policy *policy);

/* Sets one field by its column name from text: kernel, scheme, hierarchy,
 * transport, master, window, openmp, victim, collect, bind, rank_per, memory,
 * timing, power, load, perturb, prefetch and smt (on|off), reissue (on|off or a
 * factor), ranks, threads, workers, nodes, min_chunk, protocol, placement,
 * sync_interval, (a number, auto, andronikos or chen-xue), layout (RxT: ranks x
 * threads), and of simulations platform, cp, request_cost, result_bytes,
 * boundary_bytes.  Unknown names and values are errors that list what is
 * allowed and the nearest.  Returns 0 or -EINVAL. */
int cell_set(struct cell *cell, const char *field, const char *value,
             struct error *err);

/* The fields that cell_set knows, NULL ends the list (for messages, help). */
extern const char *const cell_fields[];

/* Checks that this cell can run at all (specs parse, the hierarchy fits the
 * shape, as many powers as workers, ...), writes canonical forms and the hash.
 * -EINVAL: a field is wrong in itself; -ENOTSUP: the fields are right but do
 * not go together (a campaign skips and counts these). */
int cell_check(struct cell *cell, struct error *err);

/* Reads a scheme's spec, or a plan's (of sched/divisible), an OpenMP schedule's
 * (harness/transport/openmp/openmp_schedule.h) or auto's
 * (harness/setup/choice.h): then pair->outer is NULL.  `static` without keys is
 * the scheme.  Unknown names are errors that list all.  Returns 0 or -EINVAL.
 */
int cell_scheme_parse(const char *text, struct sched_pair *pair,
                      struct error *err);

/* Whether what the scheme of a checked cell learns in one repetition is meant
 * for the next, so that they differ. */
bool cell_learns_by_repetition(const struct cell *cell);

/* Number of workers of a checked cell. */
int cell_workers(const struct cell *cell);

/* Whether the launch measures the powers of this cell's workers. */
bool cell_measures_power(const struct cell *cell);

/* The powers of a checked cell, one per worker; NULL when all are equal, or
 * still to be measured (or out of memory).  The caller frees. */
double *cell_powers(const struct cell *cell);

/* The competing load of a checked cell: the number of busy processes beside
 * each worker; NULL when it is dedicated (or out of memory).  The caller
 * frees. */
int *cell_loads(const struct cell *cell);

/* Which workers of a checked cell its perturbations hold: one byte for each,
 * with a bit for each perturbation. */
void cell_perturb_pick(const struct cell *cell, const struct perturbs *perturbs,
                       uint8_t *hit);

/* Whether workers of this cell never come back. */
bool cell_loses_workers(const struct cell *cell);

/* Less than, equal to or greater than 0, as for sorting.  Cells that are
 * simulated in the same way can share a launch. */
int cell_simulation_compare(const struct cell *a, const struct cell *b);

/* What is said of it where cells are told apart: the platform's name and what
 * is not as usual; empty for native cells. */
void cell_simulation_words(const struct cell *cell, char *text, size_t size);

/* Cells as JSON objects with the column names of runs-<launch>.jsonl. */
json_t *cell_to_json(const struct cell *cell);

/* The fields of such an object as they are: nothing is checked or resolved.
 * Returns 0 or -EINVAL. */
int cell_from_json(const json_t *object, struct cell *cell, struct error *err);

/* The checked cell of a plan, ready to run: its interval has been chosen.
 * Returns 0, -EINVAL or -ENOTSUP. */
int cell_read(const json_t *object, struct cell *cell, struct error *err);

#endif
