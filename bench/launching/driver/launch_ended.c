/* After a launch, even one that died: which cells are done, which run again,
 * and which fail, with the reason. */
#include "bench/launching/driver/driver_internal.h"

#include "base/text.h"
#include "bench/results/results.h"

#include <stdio.h>

void driver_message(struct driver *driver, const char *text)
{
    progress_clear(&driver->progress);
    fprintf(stderr, "%s\n", text);
}

bool driver_has_waiting(const struct watched_cell *watched,
                        struct driver_shape shape)
{
    return watched->state == CELL_WAITING &&
           watched->cell->ranks == shape.ranks &&
           watched->cell->threads == shape.threads &&
           cell_simulation_compare(watched->cell, shape.cell) == 0;
}

static int fail_cell(struct driver *driver, struct watched_cell *watched,
                     const char *reason, struct error *err)
{
    watched->state = CELL_FAILED;
    return rundir_fail(driver->dir, driver->launch, watched->cell, reason, err);
}

static int fail_current(struct driver *driver, struct watched_cell *watched,
                        const char *why, struct error *err)
{
    char text[1024], reason[800];
    const struct cell *c = watched->cell;
    bool endless = cell_loses_workers(c) && c->reissue == 0;
    snprintf(reason, sizeof(reason), "%.700s%s", why,
             endless
                 ? "; a worker was gone (perturb) and its chunk not handed out "
                   "again (reissue off)"
                 : "");
    snprintf(text, sizeof(text),
             "dlsbench: failed: %.100s %.60s %dx%d %s %s: %.700s", c->kernel,
             c->scheme, c->ranks, c->threads, c->transport, c->hierarchy,
             reason);
    driver_message(driver, text);
    return fail_cell(driver, watched, reason, err);
}

int driver_fail_shape(struct driver *driver, struct driver_shape shape,
                      const char *reason, struct error *err)
{
    char text[1024];
    int code = 0, failed = 0;
    for (int i = 0; code == 0 && i < driver->watch.count; i++) {
        if (!driver_has_waiting(&driver->watch.cells[i], shape))
            continue;
        code = fail_cell(driver, &driver->watch.cells[i], reason, err);
        failed++;
    }
    snprintf(text, sizeof(text),
             "dlsbench: failed: %d cell%s of layout %dx%d: %.700s", failed,
             text_s(failed), shape.ranks, shape.threads, reason);
    if (failed > 0)
        driver_message(driver, text);
    return code;
}

void driver_cause(const struct driver *driver, int ranks, char *words,
                  size_t size)
{
    words[0] = '\0';
    if (driver->options->simulate == NULL && !driver->watch.launched)
        cause_words(&driver->cause, driver->said, driver->weight == OWN, ranks,
                    words, size);
}

static void describe_end(const struct driver *driver, int ranks,
                         const struct subprocess_end *end, char *text, int size)
{
    char how[100], words[600];
    driver_cause(driver, ranks, words, sizeof(words));
    if (words[0] != '\0' && end->timed_out) {
        snprintf(text, (size_t)size, "%s (the launch was stopped)", words);
        return;
    }
    if (end->timed_out) {
        snprintf(text, (size_t)size,
                 "stopped, it took longer than cell_timeout (%g s)",
                 driver->campaign->policy.cell_timeout);
        return;
    }
    subprocess_describe(end->status, how, sizeof(how));
    snprintf(text, (size_t)size,
             words[0] || driver->said[0] ? "%s (the launch ended with %s)"
                                         : "%sthe launch ended with %s",
             words[0] ? words : driver->said, how);
}

/* A launch may have died before it could report its finished cells: its records
 * count. */
static int take_records(struct driver *driver, struct driver_shape shape,
                        struct error *err)
{
    static const enum cell_state states[] = {[RESULT_NONE] = CELL_WAITING,
                                             [RESULT_FAILED] = CELL_FAILED,
                                             [RESULT_UNVERIFIED] =
                                                 CELL_UNVERIFIED,
                                             [RESULT_OK] = CELL_OK};
    struct watch *watch = &driver->watch;
    struct results results;
    int code =
        results_read_launch(driver->dir->full, driver->launch, &results, err);
    if (code != 0)
        return code;
    for (int i = 0; i < watch->count; i++) {
        const struct result *result =
            driver_has_waiting(&watch->cells[i], shape)
                ? results_find(&results, watch->cells[i].cell->hash)
                : NULL;
        if (result != NULL && result->status != RESULT_NONE)
            watch_end(watch, i, states[result->status]);
    }
    results_free(&results);
    return 0;
}

int driver_settle(struct driver *driver, struct driver_shape shape,
                  const struct subprocess_end *end, struct error *err)
{
    char reason[700];
    struct watch *watch = &driver->watch;
    int failed = watch_failed(watch);
    watch->current = -1;
    int code = take_records(driver, shape, err);
    if (code != 0)
        return code;
    if (end->interrupted) {
        driver->interrupted = true;
        return 0;
    }
    if (watch->ended)
        return driver_fail_shape(driver, shape, "the launch did not report it",
                                 err);
    describe_end(driver, shape.ranks, end, reason, sizeof(reason));
    if (failed >= 0 && driver_has_waiting(&watch->cells[failed], shape))
        return fail_current(driver, &watch->cells[failed], reason, err);
    if (watch->progressed)
        return 0;
    return driver_fail_shape(driver, shape, reason, err);
}
