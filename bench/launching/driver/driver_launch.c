/* One launch: its worklist, command and output. */
#include "bench/launching/driver/driver_internal.h"

#include "base/text.h"
#include "bench/launching/launcher.h"
#include "harness/check/worklist.h"
#include "harness/process/need.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Ranks that wait in vain for others end by themselves this long after the
 * driver, if there is one, has stopped them. */
static const double START_S = 10;

/* ---- the output of the launch ---- */

/* Frames and rules that a launcher puts around its messages. */
static bool is_decoration(const char *line)
{
    return strspn(line, "=-_* \t") == strlen(line) || line[0] == '=';
}

static void keep_reason(struct driver *driver, const char *line,
                        enum driver_weight weight)
{
    const char *own = "dlsbench: ";
    if (text_begins(line, own)) {
        line += strlen(own);
        weight = OWN;
    }
    if (is_decoration(line) ||
        (driver->said[0] != '\0' && weight <= driver->weight))
        return;
    snprintf(driver->said, sizeof(driver->said), "%s", line);
    driver->weight = weight;
}

static void look_for_cause(struct driver *driver, const char *line)
{
    if (!driver->watch.launched)
        cause_line(&driver->cause, line, subprocess_now());
}

static void on_output(void *arg, const char *line)
{
    struct driver *driver = arg;
    if (!watch_line(&driver->watch, line, subprocess_now())) {
        keep_reason(driver, line, ON_OUTPUT);
        look_for_cause(driver, line);
        driver_message(driver, line);
        return;
    }
    driver->said[0] = '\0';
}

static void on_message(void *arg, const char *line)
{
    struct driver *driver = arg;
    keep_reason(driver, line, ON_ERROR);
    look_for_cause(driver, line);
    driver_message(driver, line);
}

static double on_tick(void *arg)
{
    struct driver *driver = arg;
    double now = subprocess_now();
    progress_show(&driver->progress, &driver->watch, now, false);
    double left = watch_left(&driver->watch, now);
    return driver->watch.launched ? left
                                  : fmin(left, cause_left(&driver->cause, now));
}

/* ---- the launch ---- */

static const struct simulate_platform *platform_of(const struct driver *driver,
                                                   struct driver_shape shape)
{
    return simulate_find(driver->options->simulate, shape.cell->platform);
}

static int make_worklist(const struct driver *driver, struct driver_shape shape,
                         const char *path, struct error *err)
{
    const struct watch *watch = &driver->watch;
    struct worklist work = {.seed = driver->campaign->seed,
                            .gained = driver->campaign->gained,
                            .ranks = shape.ranks,
                            .threads = shape.threads,
                            .policy = driver->campaign->policy};
    snprintf(work.out, sizeof(work.out), "%s", driver->dir->full);
    snprintf(work.launch, sizeof(work.launch), "%s", driver->launch);
    snprintf(work.campaign, sizeof(work.campaign), "%s",
             driver->campaign->name);
    snprintf(work.shard, sizeof(work.shard), "%d/%d", driver->dir->shard.index,
             driver->dir->shard.count);
    if (driver->options->simulate != NULL)
        simulate_fill(platform_of(driver, shape), shape.cell, &work.simulation);
    text_line(work.command, sizeof(work.command), driver->options->command);
    work.cells = need_zeroed((size_t)watch->count, sizeof(*work.cells));
    for (int i = 0; i < watch->count; i++)
        if (driver_has_waiting(&watch->cells[i], shape))
            work.cells[work.count++] = *watch->cells[i].cell;
    int code = worklist_save(&work, path, err);
    worklist_free(&work);
    return code;
}

/* `files`: those of a simulation. */
static char **make_command(const struct driver *driver,
                           struct driver_shape shape, const char *work,
                           const struct simulate_files *files,
                           struct error *err)
{
    const struct driver_options *options = driver->options;
    char limit[32];
    const char *const tail[] = {driver->program, "launch", work, limit, NULL};
    snprintf(limit, sizeof(limit), "%g",
             driver->campaign->policy.cell_timeout + START_S);
    if (options->simulate != NULL)
        return simulate_argv(options->simulate, platform_of(driver, shape),
                             (long)shape.ranks * shape.threads, work, files,
                             err);
    return launcher_argv(options->launcher, shape.ranks, shape.threads, tail,
                         err);
}

static int run_command(struct driver *driver, char **argv,
                       struct subprocess_end *end, struct error *err)
{
    const struct subprocess_watcher watcher = {.output = on_output,
                                               .message = on_message,
                                               .tick = on_tick,
                                               .arg = driver};
    char words[600];
    driver->said[0] = '\0';
    driver->weight = ON_OUTPUT;
    cause_open(&driver->cause, subprocess_now());
    watch_launch(&driver->watch, subprocess_now());
    int code = subprocess_run(argv, &driver->stops, &watcher, end, err);
    if (code == 0)
        return 0;
    cause_line(&driver->cause, err->text, subprocess_now());
    driver_cause(driver, 1, words, sizeof(words));
    return words[0] != '\0' ? error_set(err, -code, "%s", words) : code;
}

static int start_launch(struct driver *driver, struct driver_shape shape,
                        const char *work, struct subprocess_end *end,
                        struct error *err)
{
    struct simulate_files files = {-1, -1};
    int code = 0;
    if (driver->options->simulate != NULL)
        code = simulate_files_open(&files, platform_of(driver, shape),
                                   shape.ranks, shape.threads, err);
    if (code != 0)
        return code;
    char **argv = make_command(driver, shape, work, &files, err);
    code = -EINVAL;
    if (argv != NULL)
        code = run_command(driver, argv, end, err);
    launcher_free(argv);
    simulate_files_close(&files);
    return code;
}

int driver_launch(struct driver *driver, struct driver_shape shape,
                  struct error *err)
{
    char work[PATH_MAX + LAUNCH_ID_SIZE + 16];
    const struct simulate *simulate = driver->options->simulate;
    struct subprocess_end end;
    struct error why;
    int code = rundir_reserve(driver->dir, driver->launch, err);
    if (code != 0)
        return code;
    if (simulate != NULL &&
        simulate_check(platform_of(driver, shape), shape.ranks, shape.threads,
                       &why) != 0)
        return driver_fail_shape(driver, shape, why.text, err);
    snprintf(work, sizeof(work), "%s/worklist-%s.json", driver->dir->full,
             driver->launch);
    code = make_worklist(driver, shape, work, err);
    if (code == 0)
        code = start_launch(driver, shape, work, &end, err);
    if (code == 0)
        code = driver_settle(driver, shape, &end, err);
    unlink(work); /* if the launch did not start */
    return code;
}
