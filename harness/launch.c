#include "harness/launch.h"

#include "harness/engine/engine.h"
#include "harness/manifest.h"
#include "harness/plan.h"
#include "harness/record/record.h"
#include "harness/rows.h"
#include "harness/run.h"
#include "harness/stats.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Cells are measured in blocks: rounds of repetitions over a whole block keep
 * a slow drift of the machine from favouring one cell, and every finished
 * block is kept when the launch is interrupted. */
enum { BLOCK = 8, REPETITIONS_LEAST = 3, SIMULATED_WORKERS_RECORDED = 1024 };

/* One cell of a block while it is measured. */
struct item {
    const struct cell *cell;
    struct loop *loop;
    struct run *run; /* NULL: could not be opened, or is done */
    double *time;
    int repetitions;
    double spent_s;
    bool unverified;
};

struct launch {
    struct plan plan;
    struct launch_context context;
    struct record_file runs, workers, chunks;
    struct loop **loop;            /* opened so far */
    const struct cell **loop_cell; /* the first cell of each */
    int loops;
    uint64_t random;
    int failed; /* cells that did not run or verify */
    char last_reason[sizeof(((struct error *)0)->text)];
};

static bool root(const struct launch *launch)
{
    return launch->context.comm.rank == 0;
}

static void report(const struct launch *launch, const char *format,
                   const char *text, int number)
{
    if (!root(launch))
        return;
    printf(format, text, number);
    fflush(stdout);
}

/* The same reason for many cells is said once. */
static void complain(struct launch *launch, const struct error *err)
{
    if (!root(launch) || strcmp(launch->last_reason, err->text) == 0)
        return;
    snprintf(launch->last_reason, sizeof(launch->last_reason), "%s", err->text);
    fprintf(stderr, "dlsbench: %s\n", err->text);
}

/* ---- loops ---- */

/* Whether memory that one cell's workers have touched is where the other's
 * want it: they are bound alike. */
static bool same_places(const struct cell *a, const struct cell *b)
{
    return strcmp(a->bind, b->bind) == 0 && a->smt == b->smt &&
           strcmp(a->rank_per, b->rank_per) == 0 &&
           strcmp(a->memory, b->memory) == 0 &&
           strcmp(a->master, b->master) == 0;
}

/* Cells with the same kernel and binding share its instance and its
 * reference; those whose
 * workers are sent its input share that. */
static int get_loop(struct launch *launch, const struct cell *cell,
                    struct loop **out, struct error *err)
{
    bool fed = strcmp(cell->data, "sent") == 0;
    for (int i = 0; i < launch->loops; i++) {
        if (strcmp(launch->loop[i]->name, cell->kernel) == 0 &&
            launch->loop[i]->fed == fed &&
            same_places(launch->loop_cell[i], cell)) {
            *out = launch->loop[i];
            return 0;
        }
    }
    size_t n = (size_t)launch->loops + 1;
    struct loop *loop = calloc(1, sizeof(*loop));
    struct loop **more = realloc(launch->loop, n * sizeof(*more));
    const struct cell **cells = realloc(launch->loop_cell, n * sizeof(*cells));
    if (loop == NULL || more == NULL || cells == NULL)
        abort(); /* before any agreement: nothing sensible is left */
    launch->loop = more;
    launch->loop_cell = cells;
    int code =
        loop_open(loop, cell->kernel, fed, &launch->context.comm,
                  launch->plan.policy.verify_limit, launch->plan.seed, err);
    if (code != 0) {
        free(loop);
        return code;
    }
    launch->loop_cell[launch->loops] = cell;
    launch->loop[launch->loops++] = loop;
    *out = loop;
    return 0;
}

/* ---- recording, rank 0 ---- */

static struct row_context row_context(const struct launch *launch,
                                      const struct item *item)
{
    return (struct row_context){.launch = launch->plan.launch,
                                .cell = item->cell,
                                .loop = item->loop,
                                .run = item->run,
                                .events = &launch->context.events,
                                .seed = launch->plan.seed,
                                .tick_s = launch->context.tick_s,
                                .repetition = item->repetitions};
}

/* A line for each of many thousand simulated workers would be most of what is
 * written. */
static int recorded_workers(const struct launch *launch,
                            const struct item *item)
{
    int workers = run_workers(item->run);
    bool many = engine_simulated && workers > SIMULATED_WORKERS_RECORDED;
    return many && !launch->plan.policy.trace ? 0 : workers;
}

static int record_repetition(struct launch *launch, const struct item *item,
                             const struct run_result *result, struct error *err)
{
    struct row_context context = row_context(launch, item);
    int code = record_line(&launch->runs, row_run(&context, result), err);
    for (int w = 0; code == 0 && w < recorded_workers(launch, item); w++)
        code =
            record_line(&launch->workers, row_worker(&context, result, w), err);
    for (int64_t i = 0;
         code == 0 && launch->plan.policy.trace && i < result->logged; i++)
        code =
            record_line(&launch->chunks, row_chunk(&context, result, i), err);
    return code;
}

/* A cell is complete when this line is on disk, and its others before it. */
static int record_done(struct launch *launch, const struct cell *cell,
                       const char *status, int repetitions, const char *reason,
                       struct error *err)
{
    int code = 0;
    if (root(launch)) {
        code = record_sync(&launch->workers, err);
        if (code == 0 && launch->plan.policy.trace)
            code = record_sync(&launch->chunks, err);
        if (code == 0)
            code = record_line(&launch->runs,
                               row_done(launch->plan.launch, cell, status,
                                        repetitions, reason),
                               err);
        if (code == 0)
            code = record_sync(&launch->runs, err);
    }
    code = comm_agree(&launch->context.comm, code, err);
    if (code != 0)
        return code;
    if (strcmp(status, "ok") != 0)
        launch->failed++;
    if (root(launch)) {
        printf("@done %s %s\n", cell->hash, status);
        fflush(stdout);
    }
    return 0;
}

/* ---- measuring ---- */

/* Whether the cell has been measured well enough. */
static bool enough(const struct item *item, const struct policy *policy)
{
    int n = item->repetitions;
    if (engine_simulated && !cell_learns_by_repetition(item->cell))
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
    struct stats_median m = stats_median(sorted, n);
    free(sorted);
    return fmax(m.high - m.median, m.median - m.low) <= policy->ci * m.median;
}

static int measure_once(struct launch *launch, struct item *item, bool warm_up,
                        struct error *err)
{
    struct run_result result;
    double start = engine_now();
    report(launch, "@rep %s %d\n", item->cell->hash,
           warm_up ? 0 : item->repetitions + 1);
    int code = run_repeat(item->run, &result, err);
    if (code != 0)
        return code;
    /* A warm-up that is wrong is as bad as any. */
    if (root(launch) && !result.verified && !item->unverified) {
        struct error wrong;
        error_set(&wrong, EIO,
                  "cell %s (%s, %s, %s) does not verify: iteration %lld is "
                  "wrong or was not run exactly once",
                  item->cell->hash, item->cell->kernel, item->cell->scheme,
                  item->cell->hierarchy, (long long)result.wrong_iteration);
        complain(launch, &wrong);
        item->unverified = true;
    }
    if (warm_up)
        return 0;
    item->time[item->repetitions++] = result.time_s;
    item->spent_s += engine_now() - start;
    if (root(launch))
        code = record_repetition(launch, item, &result, err);
    return comm_agree(&launch->context.comm, code, err);
}

/* One more repetition, since the output of a repetition is gone with it. */
static int save_item(struct launch *launch, struct item *item,
                     struct error *err)
{
    struct run_result result;
    char path[sizeof(launch->plan.out) + SPEC_CANONICAL_MAX + 32];
    const struct cell *cell = item->cell;
    snprintf(path, sizeof(path), "%s/%.*s-%s.pgm", launch->plan.out,
             (int)strcspn(cell->kernel, ":"), cell->kernel, cell->hash);
    int code = run_save(item->run, path, &result, err);
    if (code == 0 && root(launch) && !result.verified)
        item->unverified = true;
    return code;
}

static int finish_item(struct launch *launch, struct item *item,
                       struct error *err)
{
    struct error why;
    int saved = launch->plan.policy.save ? save_item(launch, item, &why) : 0;
    int unverified = comm_max_int(&launch->context.comm, item->unverified);
    if (saved != 0)
        complain(launch, &why);
    int code =
        record_done(launch, item->cell,
                    saved != 0   ? "failed"
                    : unverified ? "unverified"
                                 : "ok",
                    item->repetitions, saved != 0 ? why.text : NULL, err);
    run_close(item->run);
    item->run = NULL;
    return code;
}

/* A cell that cannot be opened is recorded as failed, with the reason, and
 * the others go on. */
static int open_item(struct launch *launch, struct item *item,
                     struct error *err)
{
    struct error why;
    report(launch, "@rep %s %d\n", item->cell->hash, 0);
    item->time = calloc((size_t)launch->plan.policy.repetitions_max + 1,
                        sizeof(*item->time));
    if (item->time == NULL)
        abort();
    struct launch_context *context;
    int code = get_loop(launch, item->cell, &item->loop, &why);
    if (code == 0)
        code = context_of_cell(&launch->context, item->cell, &context, &why);
    if (code == 0)
        code = run_open(&item->run, item->cell, item->loop, context,
                        launch->plan.policy.oversubscribe, &why);
    if (code == 0)
        return 0;
    complain(launch, &why);
    item->run = NULL;
    return record_done(launch, item->cell, "failed", 0, why.text, err);
}

static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u; /* splitmix64 */
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static void shuffle(int *order, int count, uint64_t *random)
{
    for (int i = count - 1; i > 0; i--) {
        int j = (int)(next_random(random) % (uint64_t)(i + 1));
        int swap = order[i];
        order[i] = order[j];
        order[j] = swap;
    }
}

/* One repetition of every cell of the block that still needs one, in a new
 * order.  Sets *left to how many will need another. */
static int measure_round(struct launch *launch, struct item *item, int count,
                         bool warm_up, int *left, struct error *err)
{
    int order[BLOCK];
    *left = 0;
    for (int i = 0; i < count; i++)
        order[i] = i;
    shuffle(order, count, &launch->random);
    for (int i = 0; i < count; i++) {
        struct item *next = &item[order[i]];
        if (next->run == NULL)
            continue;
        int code = measure_once(launch, next, warm_up, err);
        if (code != 0)
            return code;
        /* Rank 0 decides: its clock and its samples count. */
        int done =
            !warm_up && root(launch) && enough(next, &launch->plan.policy);
        if (!warm_up && comm_max_int(&launch->context.comm, done))
            code = finish_item(launch, next, err);
        else
            ++*left;
        if (code != 0)
            return code;
    }
    return 0;
}

static int measure_block(struct launch *launch, const int *order, int count,
                         struct error *err)
{
    struct item item[BLOCK] = {{0}};
    int code = 0, left = 0;
    for (int i = 0; i < count && code == 0; i++) {
        item[i].cell = &launch->plan.cells[order[i]];
        code = open_item(launch, &item[i], err);
    }
    left = count;
    if (code == 0 && !engine_simulated)
        code = measure_round(launch, item, count, true, &left, err);
    while (code == 0 && left > 0)
        code = measure_round(launch, item, count, false, &left, err);
    for (int i = 0; i < count; i++) {
        if (item[i].run != NULL)
            run_close(item[i].run);
        free(item[i].time);
    }
    return code;
}

static int measure_all(struct launch *launch, struct error *err)
{
    int count = launch->plan.count, code = 0;
    int *order = calloc((size_t)count + 1, sizeof(*order));
    if (order == NULL)
        abort();
    for (int i = 0; i < count; i++)
        order[i] = i;
    launch->random = launch->plan.seed;
    shuffle(order, count, &launch->random);
    /* A simulation does not drift, and may need all memory for one cell. */
    int block = engine_simulated ? 1 : BLOCK;
    for (int from = 0; from < count && code == 0; from += block)
        code = measure_block(launch, order + from,
                             count - from < block ? count - from : block, err);
    free(order);
    return code;
}

/* ---- the launch ---- */

static int open_files(struct launch *launch, json_t *manifest,
                      struct error *err)
{
    const struct plan *plan = &launch->plan;
    launch->runs.descriptor = -1;
    launch->workers.descriptor = -1;
    launch->chunks.descriptor = -1;
    if (!root(launch))
        return 0;
    int code = record_manifest(plan->out, plan->launch, manifest, err);
    if (code == 0)
        code = record_open(&launch->runs, plan->out, "runs", plan->launch, err);
    if (code == 0)
        code = record_open(&launch->workers, plan->out, "workers", plan->launch,
                           err);
    if (code == 0 && plan->policy.trace)
        code = record_open(&launch->chunks, plan->out, "chunks", plan->launch,
                           err);
    return code;
}

static int close_files(struct launch *launch, struct error *err)
{
    int code = record_close(&launch->runs, err);
    if (code == 0)
        code = record_close(&launch->workers, err);
    if (code == 0)
        code = record_close(&launch->chunks, err);
    return code;
}

/* Rank 0 reads the plan; the others get its text. */
static int read_plan(struct launch *launch, const char *path, struct error *err)
{
    const struct comm *comm = &launch->context.comm;
    char *text = root(launch) ? plan_read(path, err) : NULL;
    int code = root(launch) && text == NULL ? -EINVAL : 0;
    code = comm_agree(comm, code, err);
    if (code != 0)
        return code;
    text = comm_broadcast_text(comm, text);
    code = plan_parse(text, &launch->plan, err);
    free(text);
    return comm_agree(comm, code, err);
}

static void close_launch(struct launch *launch)
{
    for (int i = 0; i < launch->loops; i++) {
        loop_close(launch->loop[i]);
        free(launch->loop[i]);
    }
    free(launch->loop);
    free(launch->loop_cell);
    context_close(&launch->context);
    plan_free(&launch->plan);
}

static int run_launch(struct launch *launch, const char *plan_path,
                      struct error *err)
{
    int code = read_plan(launch, plan_path, err);
    if (code == 0)
        code = context_open(&launch->context, &launch->plan, err);
    if (code != 0)
        return code;
    json_t *manifest = manifest_make(&launch->plan, &launch->context);
    code = comm_agree(&launch->context.comm, open_files(launch, manifest, err),
                      err);
    if (code == 0) {
        report(launch, "@launch %s %d\n", launch->plan.launch,
               launch->plan.ranks * launch->plan.threads);
        code = measure_all(launch, err);
    }
    int closed = close_files(launch, code == 0 ? err : NULL);
    return code != 0 ? code : comm_agree(&launch->context.comm, closed, err);
}

int launch_main(const char *plan_path)
{
    struct launch launch = {.failed = 0};
    struct error err;
    int code = comm_open(&launch.context.comm, &err);
    if (code != 0) {
        fprintf(stderr, "dlsbench: %s\n", err.text);
        return 1;
    }
    code = run_launch(&launch, plan_path, &err);
    if (code != 0)
        complain(&launch, &err);
    else
        report(&launch, "@end %s %d\n", launch.plan.launch, launch.failed);
    close_launch(&launch);
    comm_close(&launch.context.comm);
    return code != 0 || launch.failed > 0;
}
