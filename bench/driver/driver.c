#include "bench/driver/driver.h"

#include "base/text.h"
#include "bench/driver/progress.h"
#include "bench/driver/watch.h"
#include "bench/results/results.h"
#include "bench/start/child.h"
#include "bench/start/launcher.h"
#include "bench/start/stops.h"
#include "harness/setup/plan.h"
#include "harness/setup/setup.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Who speaks: a launcher that repeats its command on stdout knows less of a
 * failure than what stands on stderr, and our own ranks know most. */
enum weight { ON_OUTPUT, ON_ERROR, OWN };

/* Ranks that wait in vain for others end by themselves this long after the
 * driver, if there is one, has stopped them. */
static const double START_S = 10;

struct driver {
    const struct rundir *dir;
    const struct campaign *campaign;
    const struct driver_options *options;
    char program[PATH_MAX]; /* this program: the ranks run it too */
    struct stops stops;
    bool interrupted;
    struct watch watch;
    struct progress progress;
    /* The launch: */
    char launch[LAUNCH_ID_SIZE];
    char said[200];     /* the first of its best words since the last line */
    enum weight weight; /* of what was said */
};

/* What the cells of one launch have in common. */
struct shape {
    int ranks, threads;
    const struct cell *cell; /* simulated as this one */
};

/* ---- what the launch says ---- */

static void message(const struct driver *driver, const char *text)
{
    progress_clear((struct progress *)&driver->progress);
    fprintf(stderr, "%s\n", text);
}

/* Frames and rules that a launcher puts around its messages. */
static bool is_decoration(const char *line)
{
    return strspn(line, "=-_* \t") == strlen(line) || line[0] == '=';
}

static void keep_reason(struct driver *driver, const char *line,
                        enum weight weight)
{
    const char *own = "dlsbench: ";
    if (strncmp(line, own, strlen(own)) == 0) {
        line += strlen(own);
        weight = OWN;
    }
    if (is_decoration(line) ||
        (driver->said[0] != '\0' && weight <= driver->weight))
        return;
    snprintf(driver->said, sizeof(driver->said), "%s", line);
    driver->weight = weight;
}

static void on_output(void *arg, const char *line)
{
    struct driver *driver = arg;
    if (!watch_line(&driver->watch, line, child_now())) {
        keep_reason(driver, line, ON_OUTPUT);
        message(driver, line);
        return;
    }
    driver->said[0] = '\0';
}

static void on_message(void *arg, const char *line)
{
    struct driver *driver = arg;
    keep_reason(driver, line, ON_ERROR);
    message(driver, line);
}

static double on_tick(void *arg)
{
    struct driver *driver = arg;
    double now = child_now();
    progress_show(&driver->progress, &driver->watch, now, false);
    return watch_left(&driver->watch, now);
}

/* ---- failed cells ---- */

static int fail_task(struct driver *driver, struct task *task,
                     const char *reason, struct error *err)
{
    task->state = TASK_FAILED;
    return rundir_fail(driver->dir, driver->launch, task->cell, reason, err);
}

/* Whoever is gone and nobody else has the chunk of. */
static const char *never_ends(const struct cell *c)
{
    return cell_loses_workers(c) && c->reissue == 0
               ? "; a worker was gone (perturb) and its chunk not handed out "
                 "again (reissue off)"
               : "";
}

static int fail_current(struct driver *driver, struct task *task,
                        const char *why, struct error *err)
{
    char text[768], reason[600];
    const struct cell *c = task->cell;
    snprintf(reason, sizeof(reason), "%.400s%s", why, never_ends(c));
    snprintf(text, sizeof(text),
             "dlsbench: failed: %.100s %.60s %dx%d %s %s: %.300s", c->kernel,
             c->scheme, c->ranks, c->threads, c->transport, c->hierarchy,
             reason);
    message(driver, text);
    return fail_task(driver, task, reason, err);
}

static bool waits(const struct task *task, struct shape shape)
{
    return task->state == TASK_WAITING && task->cell->ranks == shape.ranks &&
           task->cell->threads == shape.threads &&
           cell_simulation_compare(task->cell, shape.cell) == 0;
}

static int fail_shape(struct driver *driver, struct shape shape,
                      const char *reason, struct error *err)
{
    char text[512];
    int code = 0, failed = 0;
    for (int i = 0; code == 0 && i < driver->watch.count; i++) {
        if (!waits(&driver->watch.tasks[i], shape))
            continue;
        code = fail_task(driver, &driver->watch.tasks[i], reason, err);
        failed++;
    }
    snprintf(text, sizeof(text),
             "dlsbench: failed: %d cells of layout %dx%d: %.300s", failed,
             shape.ranks, shape.threads, reason);
    if (failed > 0)
        message(driver, text);
    return code;
}

static void describe_end(const struct driver *driver,
                         const struct child_end *end, char *text, int size)
{
    char how[100];
    if (end->timed_out) {
        snprintf(text, (size_t)size,
                 "stopped, it took longer than cell_timeout (%g s)",
                 driver->campaign->policy.cell_timeout);
        return;
    }
    child_describe(end->status, how, sizeof(how));
    snprintf(text, (size_t)size,
             driver->said[0] ? "%s (the launch ended with %s)"
                             : "%sthe launch ended with %s",
             driver->said, how);
}

/* A launch may have died before it could say what it had finished: what it has
 * written counts. */
static int take_records(struct driver *driver, struct shape shape,
                        struct error *err)
{
    static const enum task_state states[] = {[RESULT_NONE] = TASK_WAITING,
                                             [RESULT_FAILED] = TASK_FAILED,
                                             [RESULT_UNVERIFIED] =
                                                 TASK_UNVERIFIED,
                                             [RESULT_OK] = TASK_OK};
    struct watch *watch = &driver->watch;
    struct results results;
    int code =
        results_read_launch(driver->dir->full, driver->launch, &results, err);
    if (code != 0)
        return code;
    for (int i = 0; i < watch->count; i++) {
        const struct result *result =
            waits(&watch->tasks[i], shape)
                ? results_find(&results, watch->tasks[i].cell->hash)
                : NULL;
        if (result != NULL && result->status != RESULT_NONE)
            watch_end(watch, i, states[result->status]);
    }
    results_free(&results);
    return 0;
}

/* The launch is over.  A crash is the current cell's; a launch that brought
 * nothing forward would do so again, so all its cells fail. */
static int settle(struct driver *driver, struct shape shape,
                  const struct child_end *end, struct error *err)
{
    char reason[400];
    struct watch *watch = &driver->watch;
    int current = watch->current;
    watch->current = -1;
    int code = take_records(driver, shape, err);
    if (code != 0)
        return code;
    if (end->interrupted) {
        driver->interrupted = true;
        return 0;
    }
    if (watch->ended)
        return fail_shape(driver, shape, "the launch did not report it", err);
    describe_end(driver, end, reason, sizeof(reason));
    if (current >= 0 && waits(&watch->tasks[current], shape))
        return fail_current(driver, &watch->tasks[current], reason, err);
    if (watch->progressed)
        return 0;
    return fail_shape(driver, shape, reason, err);
}

/* ---- launches ---- */

static const struct simulate_platform *platform_of(const struct driver *driver,
                                                   struct shape shape)
{
    return simulate_find(driver->options->simulate, shape.cell->platform);
}

static int make_plan(const struct driver *driver, struct shape shape,
                     const char *path, struct error *err)
{
    const struct watch *watch = &driver->watch;
    struct plan plan = {.seed = driver->campaign->seed,
                        .ranks = shape.ranks,
                        .threads = shape.threads,
                        .policy = driver->campaign->policy};
    snprintf(plan.out, sizeof(plan.out), "%s", driver->dir->full);
    snprintf(plan.launch, sizeof(plan.launch), "%s", driver->launch);
    snprintf(plan.campaign, sizeof(plan.campaign), "%s",
             driver->campaign->name);
    snprintf(plan.shard, sizeof(plan.shard), "%d/%d", driver->dir->part.shard,
             driver->dir->part.shards);
    if (driver->options->simulate != NULL)
        simulate_fill(platform_of(driver, shape), shape.cell, &plan.simulation);
    text_line(plan.command, sizeof(plan.command), driver->options->command);
    plan.cells = calloc((size_t)watch->count + 1, sizeof(*plan.cells));
    if (plan.cells == NULL)
        return error_set(err, ENOMEM, "out of memory");
    for (int i = 0; i < watch->count; i++)
        if (waits(&watch->tasks[i], shape))
            plan.cells[plan.count++] = *watch->tasks[i].cell;
    int code = plan_save(&plan, path, err);
    plan_free(&plan);
    return code;
}

/* `hosts` is written for a simulation. */
static char **command(const struct driver *driver, struct shape shape,
                      const char *plan, const char *hosts, struct error *err)
{
    const struct driver_options *options = driver->options;
    char limit[32];
    const char *const tail[] = {driver->program, "launch", plan, limit, NULL};
    snprintf(limit, sizeof(limit), "%g",
             driver->campaign->policy.cell_timeout + START_S);
    if (options->simulate != NULL)
        return simulate_argv(options->simulate, platform_of(driver, shape),
                             shape.ranks, shape.threads, plan, hosts, err);
    return launcher_argv(options->launcher, shape.ranks, shape.threads, tail,
                         err);
}

static int start(struct driver *driver, struct shape shape, const char *plan,
                 struct child_end *end, struct error *err)
{
    const struct child_watcher watcher = {.output = on_output,
                                          .message = on_message,
                                          .tick = on_tick,
                                          .arg = driver};
    char hosts[PATH_MAX + LAUNCH_ID_SIZE + 32];
    snprintf(hosts, sizeof(hosts), "%s.hosts", plan);
    char **argv = command(driver, shape, plan, hosts, err);
    if (argv == NULL)
        return -EINVAL;
    driver->said[0] = '\0';
    watch_launch(&driver->watch, child_now());
    int code = child_run(argv, &driver->stops, &watcher, end, err);
    launcher_free(argv);
    if (driver->options->simulate != NULL)
        unlink(hosts);
    return code;
}

static int run_launch(struct driver *driver, struct shape shape,
                      struct error *err)
{
    char plan[PATH_MAX + LAUNCH_ID_SIZE + 16];
    const struct simulate *simulate = driver->options->simulate;
    struct child_end end;
    struct error why;
    int code = rundir_reserve(driver->dir, driver->launch, err);
    if (code != 0)
        return code;
    if (simulate != NULL &&
        simulate_check(platform_of(driver, shape), shape.ranks, shape.threads,
                       &why) != 0)
        return fail_shape(driver, shape, why.text, err);
    snprintf(plan, sizeof(plan), "%s/plan-%s.json", driver->dir->full,
             driver->launch);
    code = make_plan(driver, shape, plan, err);
    if (code == 0)
        code = start(driver, shape, plan, &end, err);
    if (code == 0)
        code = settle(driver, shape, &end, err);
    unlink(plan); /* of a launch that did not start */
    return code;
}

/* The first waiting task's shape; tasks that come first have fewer ranks. */
static bool next_shape(const struct watch *watch, struct shape *shape)
{
    bool found = false;
    for (int i = 0; i < watch->count; i++) {
        const struct task *task = &watch->tasks[i];
        const struct cell *c = task->cell;
        if (task->state != TASK_WAITING)
            continue;
        if (found &&
            (c->ranks > shape->ranks ||
             (c->ranks == shape->ranks && c->threads >= shape->threads)))
            continue;
        *shape = (struct shape){c->ranks, c->threads, c};
        found = true;
    }
    return found;
}

static int run_all(struct driver *driver, struct error *err)
{
    struct shape shape = {0, 0, NULL};
    int code = 0;
    while (code == 0 && !driver->interrupted &&
           next_shape(&driver->watch, &shape)) {
        if (stops_came(&driver->stops))
            driver->interrupted = true;
        else
            code = run_launch(driver, shape, err);
    }
    return code;
}

static int driver_open(struct driver *driver, const struct cell *cells,
                       int count, struct error *err)
{
    int code = child_program(driver->program, sizeof(driver->program), err);
    if (code != 0)
        return code;
    code = stops_open(&driver->stops, err);
    if (code != 0)
        return code;
    return watch_open(&driver->watch, cells, count, &driver->campaign->policy,
                      err);
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
    progress_open(&driver.progress, child_now());
    code = run_all(&driver, err);
    progress_show(&driver.progress, &driver.watch, child_now(), true);
    *end = (struct driver_end){
        .ok = watch_count(&driver.watch, TASK_OK),
        .unverified = watch_count(&driver.watch, TASK_UNVERIFIED),
        .failed = watch_count(&driver.watch, TASK_FAILED),
        .waiting = watch_count(&driver.watch, TASK_WAITING),
        .interrupted = driver.interrupted};
    watch_free(&driver.watch);
    stops_close(&driver.stops);
    return code;
}
