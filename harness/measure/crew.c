#include "harness/measure/crew.h"
#include "harness/check/cell_transport.h"

#include <stdio.h>
#include <string.h>

int crew_cell(const struct launch_context *context, const char *transport,
              int64_t size, struct cell *cell, struct error *err)
{
    char kernel[64];
    cell_defaults(cell, context->texts);
    cell->ranks = context->comm.ranks;
    cell->threads = context->threads;
    snprintf(kernel, sizeof(kernel), "null:size=%lld", (long long)size);
    cell->kernel = cell_keep(cell, kernel);
    cell->scheme = "ss";
    cell->transport = transport;
    int code = cell_check(cell, err);
    if (code != 0 || !cell_transport(cell)->rules->counts_ahead)
        return code;
    /* Simulations charge for single requests of chunks. */
    cell->prefetch = false;
    return cell_check(cell, err);
}

int crew_open(struct crew *crew, struct launch_context *context,
              struct error *err)
{
    const struct comm *comm = &context->comm;
    struct cell cell;
    *crew = (struct crew){.context = context};
    int code = crew_cell(context, "auto", 1, &cell, err);
    if (code == 0)
        code = cell_tree_build(&cell, &crew->tree, err);
    code = comm_agree(comm, code, err);
    if (code != 0)
        return code;
    crew->workers = crew->tree.workers;
    crew->first = crew->tree.rank_worker[comm->rank];
    crew->crowded = comm_max_int(comm, place_crowded(&context->place,
                                                     &crew->tree, false)) != 0;
    crew->patience.spin_s = crew->crowded ? 0 : comm->patience.spin_s;
    crew->patience.nap_ns = crew->crowded ? 0 : ENGINE_SHORT_NAP_NS;
    return 0;
}

void crew_close(struct crew *crew)
{
    tree_free(&crew->tree);
}

void crew_bind(const struct crew *crew, int thread)
{
    const struct place *place = &crew->context->place;
    struct error err;
    struct place_slot slot =
        place_slot(place, &crew->tree, 1, crew->context->comm.rank, thread);
    /* The cell that counts chunks has checked that this works. */
    topo_bind_compact(place->topo, slot.slot, slot.slots, &err);
}

void crew_start(const struct crew *crew, int thread)
{
    const struct comm *comm = &crew->context->comm;
    crew_meet(crew);
    if (thread == 0 && crew->crowded)
        comm_quiet_barrier(comm);
    else if (thread == 0)
        comm_sharp_barrier(comm);
    crew_meet(crew);
}

void crew_meet(const struct crew *crew)
{
    engine_team_barrier(crew->context->team, &crew->patience);
}
