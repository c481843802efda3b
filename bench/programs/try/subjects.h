/* What candidates are compared by: the loops of a program that can get another
 * scheme and take a part of its time that matters, and the whole program. */
#ifndef BENCH_PROGRAMS_TRY_SUBJECTS_H
#define BENCH_PROGRAMS_TRY_SUBJECTS_H

#include "bench/programs/samples/tries.h"
#include "bench/programs/seen/loops.h"

#include <jansson.h>
#include <stdbool.h>

struct subject {
    char *name;   /* as a result directory has it */
    char *line;   /* file:line for rules; NULL: not known, or the program */
    char *file;   /* of it, with folders; NULL: not known */
    int number;   /* of the line */
    bool blocks;  /* it was cut in blocks, which are no iterations */
    double share; /* of the program's time as it is */
    char **build; /* its places in builds of its modules, for rules */
    int builds;
    int64_t room;
};

struct subjects {
    struct subject *subject; /* the whole program is the first, and small loops
                                come behind those that matter */
    int count;               /* without the small ones */
    int known;               /* with them */
    int64_t room;
    double all;   /* the share of all loops that can change */
    bool untimed; /* there are some whose time as it is is not known */
};

/* Adds those of a run as it is, which took `seconds`, with the shares of this
 * run.
 * `which`: the loops that can change, as in struct start.  Frees nothing of the
 * loops. */
void subjects_find(struct subjects *subjects, const char *program,
                   const struct loops *loops, double seconds,
                   const char *which);

/* Takes the median shares of the runs as it is, where there are any, and says
 * anew which loops matter. */
void subjects_weigh(struct subjects *subjects, const struct tries *tries);

/* For tries.json.  Damaged entries are skipped. */
json_t *subjects_to_json(const struct subjects *subjects);
void subjects_from_json(struct subjects *subjects, const json_t *list);

void subjects_free(struct subjects *subjects);

#endif
