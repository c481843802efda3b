#include "bench/launching/driver/driver_internal.h"

#include "bench/launching/launcher.h"

/* The shape of the first waiting cell; cells with fewer ranks come first. */
static bool next_shape(const struct watch *watch, struct driver_shape *shape)
{
    bool found = false;
    for (int i = 0; i < watch->count; i++) {
        const struct watched_cell *watched = &watch->cells[i];
        const struct cell *c = watched->cell;
        if (watched->state != CELL_WAITING)
            continue;
        if (found &&
            (c->ranks > shape->ranks ||
             (c->ranks == shape->ranks && c->threads >= shape->threads)))
            continue;
        *shape = (struct driver_shape){c->ranks, c->threads, c};
        found = true;
    }
    return found;
}

static int run_all(struct driver *driver, struct error *err)
{
    struct driver_shape shape = {0, 0, NULL};
    int code = 0;
    while (code == 0 && !driver->interrupted &&
           next_shape(&driver->watch, &shape)) {
        if (stops_came(&driver->stops))
            driver->interrupted = true;
        else
            code = driver_launch(driver, shape, err);
    }
    return code;
}

static int driver_open(struct driver *driver, const struct cell *cells,
                       int count, struct error *err)
{
    int code =
        subprocess_program(driver->program, sizeof(driver->program), err);
    if (code != 0)
        return code;
    launcher_inside(driver->campaign->policy.oversubscribe);
    code = stops_open(&driver->stops, err);
    if (code != 0)
        return code;
    watch_open(&driver->watch, cells, count, &driver->campaign->policy,
               driver->options->simulate == NULL);
    return 0;
}

int driver_run(const struct rundir *dir, const struct campaign *campaign,
               const struct cell *cells, int count,
               const struct driver_options *options, struct driver_end *end,
               struct error *err)
{
    struct driver driver = {
        .dir = dir, .campaign = campaign, .options = options};
    *end = (struct driver_end){.waiting = count};
    int code = driver_open(&driver, cells, count, err);
    if (code != 0)
        return code;
    rundir_clean(dir);
    progress_open(&driver.progress, subprocess_now());
    code = run_all(&driver, err);
    progress_show(&driver.progress, &driver.watch, subprocess_now(), true);
    *end = (struct driver_end){
        .ok = watch_count(&driver.watch, CELL_OK),
        .unverified = watch_count(&driver.watch, CELL_UNVERIFIED),
        .failed = watch_count(&driver.watch, CELL_FAILED),
        .waiting = watch_count(&driver.watch, CELL_WAITING),
        .interrupted = driver.interrupted};
    watch_free(&driver.watch);
    stops_close(&driver.stops);
    return code;
}
