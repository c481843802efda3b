/* Resolves the scheme as a schedule of OpenMP, if the transport has schedules.
 * The schedule `runtime` takes that of OMP_SCHEDULE. */
#include "harness/check/cell_checks.h"

#include <stdlib.h>
#include <string.h>

int setup_check_schedule(struct setup *setup, struct error *err)
{
    struct cell *cell = &setup->cell;
    struct scheme *scheme = &setup->scheme;
    if (setup->transport->rules->refuses[TRANSPORT_SCHEDULE] != NULL)
        return 0;
    scheme->kind = SCHEME_SCHEDULE;
    scheme->pair.outer = scheme->pair.inner = NULL;
    int code =
        openmp_schedule_parse(cell->scheme, true, getenv("OMP_SCHEDULE"),
                              &scheme->schedule, scheme->pair.canonical, err);
    if (code == 0)
        cell->scheme = cell_keep(cell, scheme->pair.canonical);
    return code;
}
