#include "bench/simgrid/platforms.h"

#include "base/text.h"
#include "bench/foretell/replay/replay_cell.h"
#include "harness/process/need.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The bytes that SMPI adds to a message. */
static const double ENVELOPE_BYTES = 16;

/* ---- platforms ---- */

static bool is_this_machine(const struct cell *cell)
{
    return text_is(replay_cell_platform(cell), this_machine_name);
}

static long cores_of(const struct cell *cell)
{
    return (long)cell->ranks * cell->threads;
}

/* The largest cell of each simulated platform, under the platform's name. */
static int pick_largest(const struct cell *cells, int count,
                        struct cell **largest)
{
    int found = 0;
    int64_t room = 0;
    *largest = NULL;
    for (int i = 0; i < count; i++) {
        const char *name = replay_cell_platform(&cells[i]);
        int k = 0;
        if (is_this_machine(&cells[i]))
            continue;
        while (k < found && !text_is((*largest)[k].platform, name))
            k++;
        if (k < found && cores_of(&cells[i]) <= cores_of(&(*largest)[k]))
            continue;
        need_room(largest, &room, k + 1, sizeof(**largest));
        (*largest)[k] = cells[i];
        (*largest)[k].platform = name;
        found += k == found;
    }
    return found;
}

static int check_alike(const struct simulate_platform *platform,
                       struct error *err)
{
    const struct simulate_host *hosts = platform->hosts;
    for (int i = 1; i < platform->count; i++)
        if (hosts[i].cores != hosts[0].cores ||
            hosts[i].speed != hosts[0].speed)
            return error_set(err, ENOTSUP,
                             "platform: %s: a replay knows hosts that are "
                             "alike, and %s and %s are not: use dlsbench sim",
                             platform->path, hosts[0].name, hosts[i].name);
    return 0;
}

/* Hosts that the cell's ranks are on; 0: it has none that is large enough. */
static int hosts_of(const struct simulate_platform *platform,
                    const struct cell *cell)
{
    int ranks = platform->hosts[0].cores / cell->threads;
    int hosts = ranks > 0 ? (cell->ranks + ranks - 1) / ranks : 0;
    return hosts <= platform->count ? hosts : 0;
}

/* NULL: not known yet, or the cell does not fit. */
static struct platform_route *
find_route(const struct platforms *platforms,
           const struct simulate_platform *platform, const struct cell *cell)
{
    int far = simulate_far(platform, hosts_of(platform, cell));
    for (int i = 0; i < platforms->routes; i++)
        if (platforms->route[i].platform == platform &&
            platforms->route[i].far == far)
            return &platforms->route[i];
    return NULL;
}

static int add_route(struct platforms *platforms, const struct cell *cell,
                     struct error *err)
{
    const struct simulate_platform *platform =
        simulate_find(&platforms->simulate, replay_cell_platform(cell));
    if (hosts_of(platform, cell) == 0 ||
        find_route(platforms, platform, cell) != NULL)
        return 0;
    need_room(&platforms->route, &platforms->room, platforms->routes + 1,
              sizeof(*platforms->route));
    struct platform_route *route = &platforms->route[platforms->routes++];
    *route = (struct platform_route){
        .platform = platform,
        .far = simulate_far(platform, hosts_of(platform, cell))};
    return simulate_distances(&platforms->simulate, platform, route->far,
                              &route->take, err);
}

static int open_simulated(struct platforms *platforms, const struct cell *cells,
                          int count, struct error *err)
{
    struct cell *largest;
    struct simulate *simulate = &platforms->simulate;
    int code = 0, found = pick_largest(cells, count, &largest);
    if (found > 0)
        code = simulate_open(simulate, largest, found, err);
    free(largest);
    for (int i = 0; code == 0 && i < simulate->count; i++)
        code = check_alike(&simulate->platforms[i], err);
    for (int i = 0; code == 0 && i < count; i++)
        if (!is_this_machine(&cells[i]))
            code = add_route(platforms, &cells[i], err);
    return code;
}

/* The calibration of this-machine, or of the nodes of this-cluster. */
static int open_calibrated(struct platforms *platforms, struct error *err)
{
    const struct this_machine *machine = platforms->machine;
    for (int i = 0; i < platforms->simulate.count; i++)
        if (platforms->simulate.platforms[i].machine != NULL)
            machine = platforms->simulate.platforms[i].machine;
    if (machine == NULL)
        return 0;
    int code =
        calibration_load(machine->calibration, &platforms->calibration, err);
    platforms->calibrated = code == 0;
    return code;
}

int platforms_open(struct platforms *platforms, const struct cell *cells,
                   int count, const char *calibration, struct error *err)
{
    int code = 0;
    *platforms = (struct platforms){.simulate = {.calibration = calibration}};
    for (int i = 0; i < count && platforms->machine == NULL; i++)
        if (is_this_machine(&cells[i]))
            platforms->machine = need_zeroed(1, sizeof(*platforms->machine));
    if (platforms->machine != NULL)
        code = this_machine_open(platforms->machine, calibration, err);
    if (code == 0)
        code = open_simulated(platforms, cells, count, err);
    return code == 0 ? open_calibrated(platforms, err) : code;
}

void platforms_close(struct platforms *platforms)
{
    simulate_close(&platforms->simulate);
    if (platforms->calibrated)
        calibration_free(&platforms->calibration);
    free(platforms->route);
    free(platforms->machine);
    *platforms = (struct platforms){.calibrated = false};
}

int platforms_store(const struct platforms *platforms, const char *dir,
                    struct error *err)
{
    if (platforms->machine != NULL)
        return this_machine_store(platforms->machine, dir, err);
    return simulate_store(&platforms->simulate, dir, err);
}

/* ---- a cell's ---- */

static enum calibration_which which_of(const struct cell *cell)
{
    return cell->ranks == 1 ? CALIBRATION_THREADS : CALIBRATION_RANKS;
}

static int find_simulated(const struct platforms *platforms,
                          const struct cell *cell, struct platform *found,
                          struct error *err)
{
    const struct simulate *simulate = &platforms->simulate;
    const struct simulate_platform *platform =
        simulate_find(simulate, replay_cell_platform(cell));
    struct worklist_simulation charges;
    int code = simulate_check_room(platform, cell->ranks, cell->threads, err);
    if (code != 0)
        return code;
    const struct simulate_distances *route =
        &find_route(platforms, platform, cell)->take;
    simulate_fill(platform, cell, &charges);
    double envelope_s = ENVELOPE_BYTES * route->byte_s;
    found->costs.count_s = charges.count_s;
    found->costs.state_s = charges.state_s;
    found->costs.request_s = charges.request_s;
    found->costs.latency_s = route->far_s - envelope_s;
    found->costs.near_s = route->near_s - envelope_s;
    found->costs.byte_s = route->byte_s;
    found->node_ranks = platform->hosts[0].cores / cell->threads;
    found->flops = platform->hosts[0].speed;
    if (platform->machine != NULL)
        found->kind = &platforms->calibration.kind[which_of(cell)];
    return 0;
}

int platforms_find(const struct platforms *platforms, const struct cell *cell,
                   struct platform *found, struct error *err)
{
    struct cell usual;
    *found = (struct platform){.costs = replay_costs_usual};
    if (!is_this_machine(cell))
        return find_simulated(platforms, cell, found, err);
    cell_defaults(&usual, NULL);
    replay_costs_fill(&found->costs, &platforms->calibration, which_of(cell));
    if (cell->request_cost != usual.request_cost)
        found->costs.request_s = cell->request_cost;
    found->kind = &platforms->calibration.kind[which_of(cell)];
    return 0;
}
