/* The schedules of OpenMP loops as specs: static[:chunk=n], dynamic:chunk=n,
 * guided:chunk=n, and runtime, the value of OMP_SCHEDULE when the cell is made.
 * Under transport openmp they replace schemes. */
#ifndef HARNESS_TRANSPORT_OPENMP_OPENMP_SCHEDULE_H
#define HARNESS_TRANSPORT_OPENMP_OPENMP_SCHEDULE_H

#include "base/error.h"
#include "base/spec.h"

#include <stdbool.h>
#include <stdint.h>

enum openmp_kind {
    OPENMP_STATIC = 1, /* the numbers of omp_sched_t */
    OPENMP_DYNAMIC,
    OPENMP_GUIDED,
    OPENMP_AUTO,
};

struct openmp_schedule {
    enum openmp_kind kind;
    bool runtime;   /* schedule(runtime): this kind is set before the loop */
    int64_t chunk;  /* 0: not given */
    bool monotonic; /* a thread's chunks ascend; else in any order */
};

/* All names, for lists; NULL ends them. */
struct openmp_about {
    const char *name, *summary;
    const struct spec_param *params;
};
extern const struct openmp_about openmp_schedules[];

/* Whether a spec names a schedule; `static` is also the name of a scheme. */
bool openmp_schedule_named(const char *text);

/* Reads a spec and writes its canonical form.  A `runtime` without kind= takes
 * the kind of `variable` (the value of OMP_SCHEDULE, or NULL), so that the
 * canonical form shows what runs; unless `complete`, it may stay open.  Returns
 * 0 or -EINVAL. */
int openmp_schedule_parse(const char *text, bool complete, const char *variable,
                          struct openmp_schedule *schedule,
                          char canonical[SPEC_CANONICAL_MAX],
                          struct error *err);

#endif
