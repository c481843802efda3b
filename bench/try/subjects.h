/* What candidates are compared by: the loops of a program that can get another
 * scheme and take a part of its time that matters, and the whole program. */
#ifndef BENCH_TRY_SUBJECTS_H
#define BENCH_TRY_SUBJECTS_H

#include "bench/omp/loops.h"

#include <stdbool.h>

struct subject {
    char *name; /* as a result directory has it */
    char *line; /* file:line for rules; NULL: not known, or the program */
    double time_s;
    char **build; /* its places in builds of its modules, for rules */
    int builds;
    int64_t room;
};

struct subjects {
    struct subject *subject; /* the whole program is the first */
    int count;
    int64_t room;
    double all_s; /* of loops that can change, also small ones */
    bool untimed; /* there are some whose time as it is is not known */
};

/* Those of a run as it is, which took `seconds`.  `dynamic`: loops with dynamic
 * and guided count, too.  Frees nothing of the loops. */
void subjects_find(struct subjects *subjects, const struct loops *loops,
                   double seconds, bool dynamic);
void subjects_free(struct subjects *subjects);

#endif
