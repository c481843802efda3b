#include "bench/driver/crowd.h"

#include "bench/start/launcher.h"
#include "harness/setup/setup.h"
#include "harness/topo/topo.h"

#include <errno.h>

static int refuse_crowd(const struct cell *cell, int room, struct error *err)
{
    return error_set(err, EBUSY,
                     "layout %dx%d: %d workers cannot share the %d %s of this "
                     "host: ask for fewer, give --oversubscribe to go on, or "
                     "--launcher to start them on other hosts",
                     cell->ranks, cell->threads, cell_workers(cell), room,
                     cell->smt ? "hardware threads" : "cores");
}

int crowd_check(const struct campaign *campaign, const char *launcher,
                struct error *err)
{
    struct topo *topo;
    if (campaign->policy.oversubscribe || !launcher_is_local(launcher))
        return 0;
    int code = topo_open(&topo, err);
    if (code != 0)
        return code;
    for (int i = 0; i < campaign->all.count && code == 0; i++) {
        const struct cell *cell = &campaign->all.cells[i];
        int room = cell->smt ? topo_processors(topo) : topo_cores(topo);
        if (cell_workers(cell) > room)
            code = refuse_crowd(cell, room, err);
    }
    topo_close(topo);
    return code;
}
