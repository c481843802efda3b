/* The origin of the runs in a result directory (tries.json).  Runs of another
 * program, build or check must not be added. */
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
    json_t *before; /* its content; NULL: no file yet */
    json_t *now;
    uint64_t seed; /* of the order within rounds */
};

/* Whether the directory is empty or can be resumed.  Returns 0 or -errno with a
 * text.  Call origin_close in any case. */
int origin_open(struct origin *origin, const struct try_plan *plan,
                struct error *err);
void origin_close(struct origin *origin);

/* Checks and adds the modules with the loops of a first run. */
int origin_add_modules(struct origin *origin, const struct loops *loops,
                       struct error *err);

/* Lists stored between calls: the loops found, and the schemes that take no
 * loop.  NULL: not stored yet. origin_set takes ownership of `list`. */
const json_t *origin_list(const struct origin *origin, const char *name);
void origin_set(struct origin *origin, const char *name, json_t *list);

/* Writes tries.json: before the first counted run, and when a list has
 * changed. */
int origin_write(const struct origin *origin, struct error *err);

#endif
