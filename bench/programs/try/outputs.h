/* Whether the answers of a program are the same under all choices, by what it
 * writes to stdout, where no check says it. */
#ifndef BENCH_PROGRAMS_TRY_OUTPUTS_H
#define BENCH_PROGRAMS_TRY_OUTPUTS_H

#include "bench/programs/execution/output.h"
#include "bench/programs/samples/tries.h"

#include <stdbool.h>

enum outputs_state {
    OUTPUTS_CHECKED,  /* a check does it */
    OUTPUTS_FEW,      /* fewer than two runs as it is */
    OUTPUTS_VARY,     /* runs as it is differ */
    OUTPUTS_EMPTY,    /* nothing is written */
    OUTPUTS_AS_LINES, /* runs as it is have the same lines in any order */
    OUTPUTS_COMPARED,
};

struct outputs {
    char
        first[OUTPUT_DIGEST]; /* of the run that does not count; may be empty */
    struct output *text;      /* of it; NULL: it is of an earlier command */
    enum outputs_state state;
    int compared;              /* runs as it is */
    int other[CANDIDATES_MAX]; /* the round of another answer, 0: there is none
                                */
    double differ[CANDIDATES_MAX]; /* NAN or output_differ */
    bool in_lines[CANDIDATES_MAX]; /* only the order of its lines is another */
};

/* Takes over the first run's output. */
void outputs_open(struct outputs *outputs, bool checked, const char *first,
                  struct output *text);
void outputs_close(struct outputs *outputs);

/* Before outputs_judge: what a choice wrote. */
void outputs_take(struct outputs *outputs, int candidate,
                  const struct output *output, const char *digest);

/* By all runs that there are. */
void outputs_judge(struct outputs *outputs, const struct tries *tries);

/* "other answers under steal in round 2: ..."; returns `text`. */
const char *outputs_say_other(const struct outputs *outputs,
                              const struct candidates *candidates,
                              int candidate, char *text, size_t size);

/* Whether answers were compared, as a sentence; returns `text`. */
const char *outputs_say(const struct outputs *outputs, char *text, size_t size);

#endif
