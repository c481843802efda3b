#include "harness/launch/launch.h"

#include "harness/launch/launch_internal.h"
#include "harness/process/need.h"

#include "base/random.h"
#include "harness/engine/engine.h"
#include "harness/process/guard.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void launch_complain(struct launch *launch, const struct error *err)
{
    if (!launch_root(launch) || strcmp(launch->last_reason, err->text) == 0)
        return;
    snprintf(launch->last_reason, sizeof(launch->last_reason), "%s", err->text);
    fprintf(stderr, "dlsbench: %s\n", err->text);
}

/* ---- loops ---- */

int launch_loop(struct launch *launch, const struct setup *setup,
                struct loop **out, struct error *err)
{
    for (int i = 0; i < launch->loops; i++) {
        const struct opened *opened = &launch->opened[i];
        if (strcmp(opened->loop->name, setup->cell.kernel) == 0 &&
            opened->loop->fed == setup->sent &&
            cell_same_places(&opened->cell, &setup->cell)) {
            *out = opened->loop;
            return 0;
        }
    }
    struct loop *loop = need_zeroed(1, sizeof(*loop));
    need_room(&launch->opened, &launch->opened_room, launch->loops + 1,
              sizeof(*launch->opened));
    int code =
        loop_open(loop, setup->kernel, &setup->kernel_spec, setup->sent,
                  &launch->context.comm, launch->work.policy.verify_limit,
                  launch->work.seed, err);
    if (code != 0) {
        free(loop);
        return code;
    }
    launch->opened[launch->loops++] = (struct opened){loop, setup->cell};
    *out = loop;
    return 0;
}

/* Cells that take turns, and their serial loops, which take turns too. */
struct block {
    struct item *item;
    int count;
    struct loop *loop[LAUNCH_BLOCK_MOST];
    int loops;
};

/* Whether a cell of the loop is still measured. */
static bool is_open(const struct block *block, const struct loop *loop)
{
    for (int i = 0; i < block->count; i++)
        if (block->item[i].loop == loop && block->item[i].run != NULL)
            return true;
    return false;
}

/* Rank 0 decides: its clock and its samples count. */
static int end_turn(struct launch *launch, struct item *item, bool warm_up,
                    int *left, struct error *err)
{
    int done = !warm_up && launch_root(launch) &&
               item_enough(item, &launch->work.policy);
    if (!warm_up && comm_max_int(&launch->context.comm, done))
        return item_finish(launch, item, err);
    ++*left;
    return 0;
}

/* One repetition of every cell of the block that still needs one, in a new
 * order.  Sets *left to how many will need another. */
static int measure_round(struct launch *launch, const struct block *block,
                         bool warm_up, int *left, struct error *err)
{
    int order[2 * LAUNCH_BLOCK_MOST], code = 0;
    *left = 0;
    random_order(order, block->count + block->loops, &launch->random);
    launch_look(launch);
    energy_read(&launch->energy);
    for (int i = 0; code == 0 && i < block->count + block->loops; i++) {
        int serial = order[i] - block->count;
        struct item *next = serial < 0 ? &block->item[order[i]] : NULL;
        if (next == NULL && !warm_up && is_open(block, block->loop[serial]))
            code = beside_turn(launch, block->loop[serial], err);
        if (next == NULL || next->run == NULL)
            continue;
        code = warm_up ? item_warm(launch, next, err)
                       : item_measure(launch, next, err);
        if (code == 0)
            code = end_turn(launch, next, warm_up, left, err);
    }
    return code;
}

static int measure_block(struct launch *launch, const int *order, int count,
                         struct error *err)
{
    struct item *item = need_zeroed((size_t)count, sizeof(*item));
    struct block block = {.item = item, .count = count};
    int code = 0, left = 0;
    for (int i = 0; i < count && code == 0; i++) {
        item[i].cell = &launch->work.cells[order[i]];
        code = item_open(launch, &item[i], err);
    }
    left = count;
    block.loops = beside_begin(item, count, block.loop);
    if (code == 0 && !engine_simulated)
        code = measure_round(launch, &block, true, &left, err);
    while (code == 0 && left > 0)
        code = measure_round(launch, &block, false, &left, err);
    for (int i = 0; i < count; i++) {
        item_close(&item[i]);
        free(item[i].time);
    }
    free(item);
    return code;
}

static int measure_all(struct launch *launch, struct error *err)
{
    int count = launch->work.count, code = 0;
    int *order = need_zeroed((size_t)count + 1, sizeof(*order));
    launch->random = launch->work.seed;
    random_order(order, count, &launch->random);
    if (!engine_simulated)
        launch_gather(launch->work.cells, order, count);
    for (int from = 0, block; from < count && code == 0; from += block) {
        /* A simulation does not drift, and may need all memory for one cell. */
        block = engine_simulated
                    ? 1
                    : launch_block(launch->work.cells, order, from, count,
                                   launch->work.policy.cell_seconds);
        code = measure_block(launch, order + from, block, err);
    }
    free(order);
    return code;
}

/* ---- the launch ---- */

static int open_files(struct launch *launch, json_t *manifest,
                      struct error *err)
{
    const struct worklist *work = &launch->work;
    launch->runs.descriptor = -1;
    launch->workers.descriptor = -1;
    launch->chunks.descriptor = -1;
    launch->choices.descriptor = -1;
    if (!launch_root(launch))
        return 0;
    int code =
        record_manifest(work->out, work->launch, json_incref(manifest), err);
    if (code == 0)
        code = record_open(&launch->runs, work->out, "runs", work->launch, err);
    if (code == 0)
        code = record_open(&launch->workers, work->out, "workers", work->launch,
                           err);
    if (code == 0 && work->policy.trace)
        code = record_open(&launch->chunks, work->out, "chunks", work->launch,
                           err);
    bool tries = false;
    for (int i = 0; i < work->count; i++)
        tries = tries || choice_by(&work->cells[i]) == CHOICE_TRIAL;
    if (code == 0 && tries)
        code = record_open(&launch->choices, work->out, "choices", work->launch,
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
    if (code == 0)
        code = record_close(&launch->choices, err);
    return code;
}

/* Rank 0 reads the worklist and removes the file; the others get its text. */
static int read_work(struct launch *launch, const char *path, struct error *err)
{
    const struct comm *comm = &launch->context.comm;
    char *text = launch_root(launch) ? worklist_read(path, err) : NULL;
    int code = launch_root(launch) && text == NULL ? -EINVAL : 0;
    code = comm_agree(comm, code, err);
    if (code != 0)
        return code;
    if (launch_root(launch))
        unlink(path);
    text = comm_broadcast_text(comm, text);
    code = worklist_parse(text, &launch->work, err);
    free(text);
    return comm_agree(comm, code, err);
}

static int run_launch(struct launch *launch, const char *worklist_path,
                      struct error *err)
{
    int code = read_work(launch, worklist_path, err);
    if (code == 0)
        code = context_open(&launch->context, &launch->work, err);
    if (code != 0)
        return code;
    json_t *manifest = manifest_make(&launch->work, &launch->context);
    code = comm_agree(&launch->context.comm, open_files(launch, manifest, err),
                      err);
    if (code == 0) {
        launch_report(launch, "@launch %s %d\n", launch->work.launch,
                      launch->work.ranks * launch->work.threads);
        if (!engine_simulated && launch->context.comm.host_rank == 0)
            energy_open(&launch->energy, "");
        launch->began_s = engine_now();
        code = measure_all(launch, err);
    }
    int written = 0;
    if (code == 0 && manifest_end(launch, manifest))
        written = record_manifest(launch->work.out, launch->work.launch,
                                  json_incref(manifest), err);
    json_decref(manifest);
    int closed = close_files(launch, code == 0 && written == 0 ? err : NULL);
    return code != 0 ? code
                     : comm_agree(&launch->context.comm,
                                  written != 0 ? written : closed, err);
}

int launch_main(const char *worklist_path)
{
    struct launch launch = {.handover_s = {NAN, NAN}};
    struct error err;
    int code = comm_open(&launch.context.comm, &err);
    if (code != 0) {
        fprintf(stderr, "dlsbench: %s\n", err.text);
        return 1;
    }
    guard_started();
    code = run_launch(&launch, worklist_path, &err);
    if (code != 0)
        launch_complain(&launch, &err);
    else
        launch_report(&launch, "@end %s %d\n", launch.work.launch,
                      launch.failed);
    for (int i = 0; i < launch.loops; i++) {
        loop_close(launch.opened[i].loop);
        free(launch.opened[i].loop);
    }
    free(launch.opened);
    context_close(&launch.context);
    worklist_free(&launch.work);
    comm_close(&launch.context.comm);
    return code != 0 || launch.failed > 0;
}
