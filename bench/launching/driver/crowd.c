#include "bench/launching/driver/crowd.h"

#include "base/text.h"
#include "bench/launching/launcher.h"
#include "bench/options/command.h"
#include "harness/cell/binding.h"
#include "harness/check/setup.h"
#include "harness/program/need.h"
#include "harness/topo/topo.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

/* Whether the cell's workers would get slower cores than they could. */
static bool warn_slower(const struct cell *cell, const struct topo *topo)
{
    struct topo_binding binding;
    int workers = cell_workers(cell), slower = 0;
    int *processor = need_zeroed((size_t)workers + 1, sizeof(*processor));
    binding_of_cell(&binding, cell);
    if (binding.bind != TOPO_KIND && binding.bind != TOPO_NONE &&
        topo_assign(topo, &binding, 0, workers, 0, processor, NULL) == 0)
        slower = topo_slower(topo, processor, workers);
    free(processor);
    if (slower > 0)
        command_say("warning: bind %s: %d of %d worker%s would get slower "
                    "cores while faster ones are free: --bind fast",
                    cell->bind, slower, workers, text_s(workers));
    return slower > 0;
}

static int check_cells(const struct campaign *campaign, const struct topo *topo,
                       struct error *err)
{
    bool warned = topo_kinds(topo) == 1;
    int code = 0;
    for (int i = 0; i < campaign->all.count && code == 0; i++) {
        const struct cell *cell = &campaign->all.cells[i];
        int room = cell->smt ? topo_processors(topo) : topo_cores(topo);
        double quota = topo_allowed(topo)->quota;
        if (campaign->policy.oversubscribe)
            room = INT_MAX;
        else if (cell_workers(cell) > quota)
            code = error_prefix(
                err, topo_refuse_quota(cell_workers(cell), quota, err),
                "layout %dx%d", cell->ranks, cell->threads);
        if (code == 0 && cell_workers(cell) > room)
            code = error_set(
                err, EBUSY,
                "layout %dx%d: %d workers cannot share the %d %s of this host: "
                "ask for fewer, give --oversubscribe to continue, or "
                "--launcher to start them on other hosts",
                cell->ranks, cell->threads, cell_workers(cell), room,
                cell->smt ? "hardware threads" : "cores");
        warned = warned || (code == 0 && warn_slower(cell, topo));
    }
    return code;
}

int crowd_check(const struct campaign *campaign, const char *launcher,
                struct error *err)
{
    struct topo *topo;
    if (!launcher_is_local(launcher))
        return 0;
    int code = topo_open(&topo, err);
    if (code != 0)
        return code;
    code = check_cells(campaign, topo, err);
    topo_close(topo);
    return code;
}
