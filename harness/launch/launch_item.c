/* One cell of a launch: open, measure, record, finish. */
#include "base/stats.h"
#include "harness/engine/engine.h"
#include "harness/launch/handover.h"
#include "harness/launch/launch_internal.h"
#include "harness/process/need.h"
#include "harness/record/record.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { REPETITIONS_LEAST = 3, SIMULATED_WORKERS_RECORDED = 1024 };

/* ---- recording, rank 0 ---- */

static struct row_context row_context(const struct launch *launch,
                                      const struct item *item)
{
    return (struct row_context){
        .launch = launch->work.launch,
        .cell = item->trial ? &item->trial->cell : item->cell,
        .loop = item->loop,
        .run = item->run,
        .events = &launch->context.events,
        .seed = launch->work.seed,
        .tick_s = launch->context.tick_s,
        .repetition = item->repetitions,
        .trial = item->trial,
        .handover_s = {launch->handover_s[0], launch->handover_s[1]}};
}

static int record_repetition(struct launch *launch, const struct item *item,
                             const struct run_result *result, struct error *err)
{
    struct row_context context = row_context(launch, item);
    int code = row_run(&context, result, &launch->runs, err);
    int workers = run_workers(item->run);
    /* Lines for each of many thousand simulated workers would be most of the
     * output. */
    if (engine_simulated && workers > SIMULATED_WORKERS_RECORDED &&
        !launch->work.policy.trace)
        workers = 0;
    for (int w = 0; code == 0 && w < workers; w++)
        code =
            record_line(&launch->workers, row_worker(&context, result, w), err);
    for (int64_t i = 0;
         code == 0 && launch->work.policy.trace && i < result->logged; i++)
        code =
            record_line(&launch->chunks, row_chunk(&context, result, i), err);
    return code;
}

/* A cell is complete when this line is on disk, and its others before it. */
static int end_cell(struct launch *launch, const struct cell *cell,
                    const char *status, int repetitions, const char *reason,
                    struct error *err)
{
    int code = 0;
    if (launch_root(launch)) {
        code = record_sync(&launch->workers, err);
        if (code == 0 && launch->work.policy.trace)
            code = record_sync(&launch->chunks, err);
        if (code == 0)
            code = record_done(&launch->runs, cell_to_json(cell),
                               launch->work.launch, status, repetitions, reason,
                               err);
        if (code == 0)
            code = record_sync(&launch->runs, err);
    }
    code = comm_agree(&launch->context.comm, code, err);
    if (code != 0)
        return code;
    if (strcmp(status, "ok") != 0)
        launch->failed++;
    if (launch_root(launch)) {
        printf("@done %s %s\n", cell->hash, status);
        fflush(stdout);
    }
    return 0;
}

/* ---- measuring ---- */

bool item_enough(const struct item *item, const struct policy *policy)
{
    int n = item->repetitions;
    if (item->trial != NULL)
        return n >= item->trial->rule.repetitions;
    if (!run_varies(item->run))
        return true;
    if (n >= policy->repetitions_max)
        return true;
    if (item->spent_s > policy->cell_seconds && n >= REPETITIONS_LEAST)
        return true;
    if (n < policy->repetitions)
        return false;
    double *sorted = malloc((size_t)n * sizeof(*sorted));
    if (sorted == NULL)
        return true;
    memcpy(sorted, item->time, (size_t)n * sizeof(*sorted));
    struct stats_median median = stats_median(sorted, n);
    free(sorted);
    return stats_known(median, policy->ci);
}

/* Reports a wrong repetition only once. */
static void complain_once(struct launch *launch, struct item *item,
                          const struct run_result *result)
{
    if (launch_root(launch) && !result->verified && !item->unverified) {
        struct error wrong;
        error_set(&wrong, EIO,
                  "cell %s (%s, %s, %s) does not verify: iteration %lld is "
                  "wrong or was not run exactly once",
                  item->cell->hash, item->cell->kernel, item->cell->scheme,
                  item->cell->hierarchy, (long long)result->wrong_iteration);
        launch_complain(launch, &wrong);
        item->unverified = true;
    }
}

/* A worker without some of the manifest's counts has null in its record: others
 * took its core's counters, or it had no files left. */
static void complain_uncounted(struct launch *launch, const struct item *item,
                               const struct run_result *result)
{
    const struct launch_context *context = &launch->context;
    int workers = run_workers(item->run);
    if (!launch_root(launch) || result->counted == NULL)
        return;
    for (int w = 0; w < workers; w++) {
        uint32_t missing = context->counted & ~result->counted[w].known;
        if (missing == 0)
            continue;
        struct error why;
        error_set(
            &why, EBUSY,
            "events: workers do not count %s in some loops (their records "
            "have null): others have taken the counters, or files",
            context->events.name[__builtin_ctz(missing)]);
        launch_complain(launch, &why);
        return;
    }
}

/* A warm-up that is wrong is as bad as any. */
int item_warm(struct launch *launch, struct item *item, struct error *err)
{
    struct run_result result;
    int count = item->trial != NULL ? item->trial->count : 1, code = 0;
    launch_report(launch, "@rep %s %d\n", item->cell->hash, 0);
    for (int i = 0; i < count && code == 0; i++) {
        struct run *run = item->trial ? item->trial->run[i] : item->run;
        code = run_repeat(run, &result, err);
        if (code == 0)
            complain_once(launch, item, &result);
    }
    return code;
}

/* After a repetition: what runs next. */
static int decide_next(struct launch *launch, struct item *item, double time_s,
                       struct error *err)
{
    struct trial *trial = item->trial;
    enum select_event event = trial_add(trial, &launch->context.comm, time_s);
    item->run = trial->run[trial->current];
    json_t *row = launch_root(launch)
                      ? trial_row_decision(trial, launch->work.launch,
                                           item->repetitions, event)
                      : NULL;
    return row != NULL ? record_line(&launch->choices, row, err) : 0;
}

/* A state lasts for seconds: short repetitions share a look. */
static const double LOOK_S = 0.02;

void launch_look(struct launch *launch)
{
    double now = engine_now();
    bool due = launch_root(launch) && !(now - launch->looked_s < LOOK_S);
    launch->handover_s[0] = launch->handover_s[1];
    if (engine_simulated || !comm_max_int(&launch->context.comm, due))
        return;
    launch->handover_s[1] = handover_measure(&launch->context);
    launch->looked_s = now;
}

int item_measure(struct launch *launch, struct item *item, struct error *err)
{
    struct run_result result;
    double start = engine_now();
    launch_report(launch, "@rep %s %d\n", item->cell->hash,
                  item->repetitions + 1);
    int code = run_repeat(item->run, &result, err);
    if (code != 0)
        return code;
    launch_look(launch);
    complain_once(launch, item, &result);
    complain_uncounted(launch, item, &result);
    item->time[item->repetitions++] = result.time_s;
    double spent_s = engine_now() - start;
    item->spent_s += spent_s;
    item->loop->serial.beside_s += spent_s;
    if (launch_root(launch))
        code = record_repetition(launch, item, &result, err);
    if (item->trial != NULL) {
        struct error why;
        int decided = decide_next(launch, item, result.time_s, &why);
        if (code == 0 && (code = decided) != 0)
            *err = why;
    }
    return comm_agree(&launch->context.comm, code, err);
}

/* Runs one more repetition, because each repetition's output is wiped. */
static int save_item(struct launch *launch, struct item *item,
                     struct error *err)
{
    struct run_result result;
    char path[sizeof(launch->work.out) + SPEC_CANONICAL_MAX + 32];
    const struct cell *cell = item->cell;
    snprintf(path, sizeof(path), "%s/%.*s-%s.pgm", launch->work.out,
             (int)strcspn(cell->kernel, ":"), cell->kernel, cell->hash);
    int code = run_save(item->run, path, &result, err);
    if (code == 0 && launch_root(launch) && !result.verified)
        item->unverified = true;
    return code;
}

void item_close(struct item *item)
{
    if (item->trial != NULL)
        trial_close(item->trial);
    else if (item->run != NULL)
        run_close(item->run);
    setup_free(&item->setup);
    item->trial = NULL;
    item->run = NULL;
}

/* The results of the candidates. */
static int record_trial(struct launch *launch, const struct trial *trial,
                        struct error *err)
{
    int code = 0;
    for (int i = 0; launch_root(launch) && code == 0 && i < trial->count; i++)
        code = record_line(&launch->choices,
                           trial_row_candidate(trial, launch->work.launch, i),
                           err);
    if (launch_root(launch) && code == 0)
        code = record_sync(&launch->choices, err);
    return comm_agree(&launch->context.comm, code, err);
}

int item_finish(struct launch *launch, struct item *item, struct error *err)
{
    struct error why;
    int code = 0;
    int saved = launch->work.policy.save ? save_item(launch, item, &why) : 0;
    int unverified = comm_max_int(&launch->context.comm, item->unverified);
    if (saved != 0)
        launch_complain(launch, &why);
    if (item->trial != NULL)
        code = record_trial(launch, item->trial, err);
    if (code != 0)
        return code;
    code = end_cell(launch, item->trial ? &item->trial->cell : item->cell,
                    saved != 0   ? "failed"
                    : unverified ? "unverified"
                                 : "ok",
                    item->repetitions, saved != 0 ? why.text : NULL, err);
    item_close(item);
    return code;
}

/* A choice from before the launch takes the cell's place. */
static int open_setup(struct launch *launch, struct item *item,
                      struct error *err)
{
    struct cell runs = *item->cell;
    int code = 0;
    if (choice_by(item->cell) == CHOICE_SIMULATION)
        code = choice_apply(item->cell, &runs, err);
    if (code == 0)
        code = setup_resolve(&item->setup, &runs, err);
    return comm_agree(&launch->context.comm, code, err);
}

/* Opens the run of the cell, of its choice, or of its first trial. */
static int open_run(struct launch *launch, struct item *item, struct error *err)
{
    const struct policy *policy = &launch->work.policy;
    struct launch_context *context;
    int code = context_of_cell(&launch->context, item->cell, &context, err);
    if (code != 0)
        return code;
    if (item->setup.scheme.kind == SCHEME_AUTO) {
        code = trial_open(&item->trial, &item->setup, item->loop, context,
                          policy, err);
        if (code == 0)
            item->run = item->trial->run[item->trial->current];
        return code;
    }
    return run_open(&item->run, &item->setup, item->loop, context,
                    policy->oversubscribe, err);
}

/* A cell that cannot be opened is recorded as failed, with the reason, and the
 * others continue. */
int item_open(struct launch *launch, struct item *item, struct error *err)
{
    struct error why;
    launch_report(launch, "@rep %s %d\n", item->cell->hash, 0);
    int code = open_setup(launch, item, &why);
    if (code == 0)
        code = launch_loop(launch, &item->setup, &item->loop, &why);
    if (code == 0)
        code = open_run(launch, item, &why);
    if (code == 0) {
        /* The times of all its repetitions. */
        int most = launch->work.policy.repetitions_max;
        if (item->trial != NULL && item->trial->rule.repetitions > most)
            most = item->trial->rule.repetitions;
        item->time = need_zeroed((size_t)most + 1, sizeof(*item->time));
        return 0;
    }
    launch_complain(launch, &why);
    item->run = NULL;
    return end_cell(launch, item->cell, "failed", 0, why.text, err);
}
