/* Compares the program's stdout under all choices, if there is no check. */
#ifndef BENCH_PROGRAMS_TRY_OUTPUTS_H
#define BENCH_PROGRAMS_TRY_OUTPUTS_H

#include "bench/programs/execution/output.h"
#include "bench/programs/samples/tries.h"

#include <stdbool.h>

enum outputs_state {
    OUTPUTS_CHECKED,  /* a check decides */
    OUTPUTS_FEW,      /* fewer than two runs of the unmodified program */
    OUTPUTS_VARY,     /* the unmodified program's output varies */
    OUTPUTS_EMPTY,    /* the output is empty */
    OUTPUTS_AS_LINES, /* its lines are the same, their order varies */
    OUTPUTS_COMPARED,
};

struct outputs {
    char first[OUTPUT_DIGEST]; /* of the uncounted first run; may be empty */
    struct output *text;       /* of the first run; NULL: not of this command */
    enum outputs_state state;
    int compared;                  /* runs of the unmodified program */
    int other[CANDIDATES_MAX];     /* the round with another output, 0: none */
    double differ[CANDIDATES_MAX]; /* NAN or output_differ */
    bool in_lines[CANDIDATES_MAX]; /* only the order of lines differs */
};

/* Takes ownership of the first run's output. */
void outputs_open(struct outputs *outputs, bool checked, const char *first,
                  struct output *text);
void outputs_close(struct outputs *outputs);

/* Adds a choice's output; before outputs_judge. */
void outputs_take(struct outputs *outputs, int candidate,
                  const struct output *output, const char *digest);

/* Judges all runs so far. */
void outputs_judge(struct outputs *outputs, const struct tries *tries);

/* "other answers under steal in round 2: ..."; returns `text`. */
const char *outputs_say_other(const struct outputs *outputs,
                              const struct candidates *candidates,
                              int candidate, char *text, size_t size);

/* A sentence on whether outputs were compared; returns `text`. */
const char *outputs_say(const struct outputs *outputs, char *text, size_t size);

#endif
