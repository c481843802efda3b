/* The first load of a campaign returns -ENODATA if its sizes are by time and
 * speeds are missing.  The second load then has them as a setting. */
#include "bench/commands/run/speeds.h"

#include "bench/calibrate/calibrate.h"
#include "bench/calibrate/calibration_find.h"
#include "bench/foretell/replay/replay_cell.h"
#include "bench/options/command.h"
#include "bench/options/table.h"
#include "bench/simgrid/this_machine.h"
#include "kernels/kernel.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* `what` each kernel with a cost model takes for an operation. */
static void list_speeds(double (*seconds)(const struct kernel_ops *, double),
                        double of, char speeds[SIZING_SPEEDS_MAX])
{
    size_t used = 0;
    speeds[0] = '\0';
    for (int i = 0; kernel_list[i] != NULL; i++) {
        const struct kernel_ops *ops = kernel_list[i];
        double s = ops->cost != NULL ? seconds(ops, of) : 0;
        if (s > 0 && used < SIZING_SPEEDS_MAX)
            used += (size_t)snprintf(speeds + used, SIZING_SPEEDS_MAX - used,
                                     "%s%s=%.3g", used > 0 ? "," : "",
                                     ops->name, s);
    }
}

/* ---- the result directory ---- */

static double any_speed(const struct kernel_ops *ops, double seconds)
{
    (void)ops;
    return seconds;
}

static int add_set(struct campaign_setup *setup, const char *set,
                   struct error *err)
{
    if (setup->sets == CAMPAIGN_SETS_MAX)
        return error_set(err, E2BIG, "--set: too many of them");
    setup->set[setup->sets++] = set;
    return 0;
}

/* The campaign with any speeds at all: its name, folder and platforms. */
static int load_anyhow(const struct run_options *o, const char *path,
                       struct campaign *campaign, struct error *err)
{
    char set[SIZING_SPEEDS_MAX + 8] = "speeds=";
    struct campaign_setup setup = o->setup;
    list_speeds(any_speed, 1e-9, set + strlen(set));
    int code = add_set(&setup, set, err);
    return code == 0 ? campaign_load(path, &setup, campaign, err) : code;
}

/* The speeds of an earlier run in --out; false: none. */
static bool stored_speeds(const struct run_options *o,
                          const struct campaign *whole,
                          char speeds[SIZING_SPEEDS_MAX])
{
    const struct campaign_setup plain = {.cores = o->setup.cores,
                                         .room = o->setup.room,
                                         .replayed = o->setup.replayed};
    char path[PATH_MAX];
    struct campaign stored;
    if (o->dir.out == NULL ||
        rundir_campaign_path(whole, &o->dir, path, sizeof(path)) != 0 ||
        access(path, F_OK) != 0 ||
        campaign_load(path, &plain, &stored, NULL) != 0)
        return false;
    memcpy(speeds, stored.sizing.speeds, SIZING_SPEEDS_MAX);
    campaign_free(&stored);
    return speeds[0] != '\0';
}

/* ---- measured, or described ---- */

/* Speeds from a calibration.  Only a run may measure a missing one; dry runs
 * and simulations fail with the text of `lacking`. */
static int measured_speeds(const struct run_options *o, const char *lacking,
                           char speeds[SIZING_SPEEDS_MAX], struct error *err)
{
    struct calibrate_request request = {.launcher = o->launcher};
    struct calibration calibration;
    char path[PATH_MAX];
    int code =
        calibration_find_quietly(o->calibration, &calibration, path, err);
    bool none = calibration_is_missing(o->calibration, code);
    bool has_place = path[0] != '\0';
    if (none && (o->simulated || o->dry_run || !has_place))
        return code == -ENOENT && has_place
                   ? error_set(err, ENODATA, "%s", lacking)
                   : code;
    if (none) {
        calibration_say_measuring(code, "the sizes of kernels", path);
        request.oversubscribe = o->policy.oversubscribe;
        code = calibrate_check_place(path, err);
        if (code == 0)
            code = calibrate_make(&request, path, &calibration, err);
    } else if (code == 0 && (o->format != TABLE_CSV || o->calibration)) {
        calibration_warn(path, &calibration);
    }
    if (code != 0)
        return code;
    sizing_speeds_make(&calibration, speeds);
    calibration_free(&calibration);
    if (o->format != TABLE_CSV)
        command_say("sizes are by the kernels' speeds in %s", path);
    return 0;
}

static double by_flops(const struct kernel_ops *ops, double flops)
{
    return ops->cost->flops / flops;
}

/* The slowest host's. */
static int platform_speeds(struct run_options *o, const struct cell *cell,
                           char speeds[SIZING_SPEEDS_MAX], struct error *err)
{
    struct simulate simulate = {.calibration = o->calibration};
    double slowest = INFINITY;
    int code = simulate_open(&simulate, cell, 1, err);
    for (int i = 0; code == 0 && i < simulate.platforms[0].count; i++)
        slowest = fmin(slowest, simulate.platforms[0].hosts[i].speed);
    simulate_close(&simulate);
    if (code != 0)
        return code;
    list_speeds(by_flops, slowest, speeds);
    command_say("sizes are by the kernels' operations and the %.4g flop/s of "
                "%s",
                slowest, cell->platform);
    return 0;
}

static int find_speeds(struct run_options *o, const char *path,
                       const char *lacking, char speeds[SIZING_SPEEDS_MAX],
                       struct error *err)
{
    struct campaign whole;
    int code = load_anyhow(o, path, &whole, err);
    if (code != 0)
        return code;
    struct cell *first = &whole.all.cells[0];
    first->platform = replay_cell_platform(first);
    bool described = o->simulated && first->platform[0] != '\0' &&
                     !this_machine_is(first->platform);
    if (!stored_speeds(o, &whole, speeds))
        code = described ? platform_speeds(o, first, speeds, err)
                         : measured_speeds(o, lacking, speeds, err);
    campaign_free(&whole);
    return code;
}

/* With the speeds that it lacks. */
static int load_sized(struct run_options *o, const char *path,
                      struct campaign *campaign, struct error *err)
{
    char speeds[SIZING_SPEEDS_MAX];
    int code = campaign_load(path, &o->setup, campaign, err);
    if (code != -ENODATA)
        return code;
    struct error lacking = *err;
    code = find_speeds(o, path, lacking.text, speeds, err);
    if (code != 0)
        return code;
    snprintf(o->speeds, sizeof(o->speeds), "speeds=%s", speeds);
    code = add_set(&o->setup, o->speeds, err);
    return code == 0 ? campaign_load(path, &o->setup, campaign, err) : code;
}

int speeds_load_campaign(struct run_options *o, struct campaign *campaign,
                         struct error *err)
{
    char path[PATH_MAX];
    *campaign = (struct campaign){.by_nodes = false};
    int code = campaign_find(o->file, path, sizeof(path), err);
    if (code == 0)
        code = load_sized(o, path, campaign, err);
    /* On a single node it may be impossible. */
    if (o->nodes[0] != '\0' && campaign->by_nodes) {
        if (code == 0)
            campaign_free(campaign);
        code = add_set(&o->setup, o->nodes, err);
        return code == 0 ? load_sized(o, path, campaign, err) : code;
    }
    if (code == 0 && o->nodes[0] != '\0' && !o->dry_run && !o->dir.prepare)
        command_say("no layout of campaign %s is by nodes: --nodes is not used",
                    campaign->name);
    return code;
}
