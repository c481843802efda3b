/* What candidates are compared by: the whole program, and each loop that can
 * get another scheme and takes enough of its time. */
#ifndef BENCH_PROGRAMS_TRY_SUBJECTS_H
#define BENCH_PROGRAMS_TRY_SUBJECTS_H

#include "bench/programs/samples/tries.h"
#include "bench/programs/seen/loops.h"

#include <jansson.h>
#include <stdbool.h>

struct subject {
    char *name;   /* as in the result directory */
    char *line;   /* file:line for rules; NULL: unknown, or the program */
    char *file;   /* of the line, with folders; NULL: not known */
    int number;   /* of the line */
    bool blocks;  /* cut in blocks, which are not iterations */
    double share; /* of the unmodified program's time */
    char **build; /* its names in builds of its modules, for rules */
    int builds;
    int64_t room;
};

struct subjects {
    struct subject *subject; /* the whole program first, then loops that matter,
                                then small ones */
    int count;               /* without the small loops */
    int known;               /* with the small loops */
    int64_t room;
    double all;   /* the share of all changeable loops */
    bool untimed; /* some have an unknown time in the unmodified program */
};

/* Adds the loops of a run of the unmodified program, which took `seconds`, with
 * their shares.  `which`: the loops that can change, as in struct start.
 * `loops` stays the caller's. */
void subjects_find(struct subjects *subjects, const char *program,
                   const struct loops *loops, double seconds,
                   const char *which);

/* Sets the shares to the medians over the unmodified program's runs, if any,
 * and decides again which loops matter. */
void subjects_weigh(struct subjects *subjects, const struct tries *tries);

/* For tries.json.  Damaged entries are skipped. */
json_t *subjects_to_json(const struct subjects *subjects);
void subjects_from_json(struct subjects *subjects, const json_t *list);

void subjects_free(struct subjects *subjects);

#endif
