/* Transport openmp, and OpenMP schedules in the place of schemes. */
#include "harness/setup/cell_checks.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

static int refuse_schedule(const struct cell *cell, struct error *err)
{
    return error_set(err, ENOTSUP,
                     "scheme %s is an OpenMP schedule and needs transport "
                     "openmp, not %s (ss and css are much like dynamic, gss "
                     "like guided)",
                     cell->scheme, cell->transport);
}

static int refuse_scheme(const struct cell *cell, struct error *err)
{
    return error_set(err, ENOTSUP,
                     "scheme %s: transport openmp has OpenMP's own schedules, "
                     "static, dynamic, guided and runtime (dynamic is much "
                     "like ss and css, guided like gss)",
                     cell->scheme);
}

/* What OpenMP loops have not. */
static int check_way(const struct cell *cell, struct error *err)
{
    if (cell->platform[0] != '\0')
        return error_set(err, ENOTSUP,
                         "transport openmp is an OpenMP runtime's own code and "
                         "cannot be simulated: simulate static, css (dynamic) "
                         "or gss (guided) under transport shared");
    if (!is(cell->protocol, "parallel"))
        return error_set(err, ENOTSUP,
                         "transport openmp is for independent iterations, not "
                         "for protocol %s: use a kernel without dependences, "
                         "or transport shared, master or window",
                         cell->protocol);
    if (!is(cell->hierarchy, "flat"))
        return error_set(err, ENOTSUP,
                         "hierarchy %s needs masters, transport openmp has "
                         "none: use flat (each rank schedules its static share "
                         "among its threads)",
                         cell->hierarchy);
    if (cell->reissue > 0)
        return error_set(err, ENOTSUP,
                         "reissue: an OpenMP runtime hands nothing out again: "
                         "use transport shared or master");
    if (cell->min_chunk > 1)
        return error_set(err, ENOTSUP,
                         "min_chunk: the OpenMP runtime sizes its chunks, use "
                         "chunk= of the schedule and min_chunk 1");
    return 0;
}

int setup_check_openmp(struct setup *setup, struct error *err)
{
    struct cell *cell = &setup->cell;
    struct scheme *scheme = &setup->scheme;
    if (!is(cell->transport, "openmp")) {
        strcpy(cell->openmp, "auto");
        return scheme->kind == SCHEME_SCHEDULE ? refuse_schedule(cell, err) : 0;
    }
    if (!openmp_schedule_named(cell->scheme))
        return refuse_scheme(cell, err);
    int code = check_way(cell, err);
    if (code != 0)
        return code;
    scheme->kind = SCHEME_SCHEDULE;
    scheme->pair.outer = scheme->pair.inner = NULL;
    code =
        openmp_schedule_parse(cell->scheme, true, getenv("OMP_SCHEDULE"),
                              &scheme->schedule, scheme->pair.canonical, err);
    if (code != 0)
        return code;
    if (is(cell->openmp, "auto"))
        strcpy(cell->openmp, "libgomp");
    memcpy(cell->scheme, scheme->pair.canonical, sizeof(cell->scheme));
    return 0;
}
