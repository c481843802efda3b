/* The origin of the runs in a result directory (tries.json): runs of another
 * program, build or check do not belong to them. */
#ifndef BENCH_PROGRAMS_TRY_ORIGIN_H
#define BENCH_PROGRAMS_TRY_ORIGIN_H

#include "base/error.h"
#include "bench/programs/seen/loops.h"
#include "bench/programs/try/try.h"

#include <jansson.h>
#include <stdint.h>

struct origin {
    const char *folder;
    char *path;     /* of tries.json */
    json_t *before; /* what it says; NULL: there is none yet */
    json_t *now;
    uint64_t seed; /* of the order in the rounds */
};

/* Whether the directory can be resumed, or is empty: 0 or -errno with a text.
 * Call origin_close in any case. */
int origin_open(struct origin *origin, const struct try_plan *plan,
                struct error *err);
void origin_close(struct origin *origin);

/* The same for the modules that have the loops of a first run. */
int origin_add_modules(struct origin *origin, const struct loops *loops,
                       struct error *err);

/* Lists kept from call to call: the loops found, and the schemes that hand out
 * no loop's chunks.  NULL: there is none yet; _set takes over `list`. */
const json_t *origin_list(const struct origin *origin, const char *name);
void origin_set(struct origin *origin, const char *name, json_t *list);

/* Writes tries.json: before the first run that counts, and when a list has
 * changed. */
int origin_write(const struct origin *origin, struct error *err);

#endif
