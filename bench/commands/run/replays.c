/* A group is the cells that differ only in their schemes.  Each process takes
 * the next group until none is left, and writes its own launch.  Within a
 * group, cells with the same chunks share one replay. */
#include "bench/commands/run/replays.h"

#include "bench/commands/run/replay_processes.h"
#include "bench/foretell/replay/replay_cell.h"
#include "bench/foretell/replay/replay_store.h"
#include "bench/options/command.h"
#include "harness/process/need.h"
#include "harness/record/record.h"
#include "kernels/kernel.h"

#include <errno.h>
#include <limits.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* In memory that all processes share. */
struct counts {
    atomic_int next; /* group; each process takes the next one */
    atomic_int ok, unverified, failed;
};

/* A cell in its place. */
struct placed {
    const struct cell *cell;
    char *but_scheme; /* all its properties except the scheme */
    long cores;
};

/* The results of a group's cells with these chunks. */
struct known {
    uint64_t chunks;
    struct run_line line;
};

struct replays {
    const struct rundir *dir;
    const struct campaign *campaign;
    const struct platforms *platforms;
    const char *command;
    struct placed *cells;
    int count;
    int *group; /* the first cell of each: they differ in their schemes only */
    int groups;
    struct counts *counts;
    /* Of this process: */
    struct replay_store store;
    struct replay_loop loop;
    struct cell looped;  /* the cell of `loop`; no kernel: none is open */
    struct known *known; /* for this group */
    int known_count;
    int64_t known_room;
};

/* ---- one cell ---- */

static bool same_loop(const struct cell *a, const struct cell *b)
{
    return strcmp(a->kernel, b->kernel) == 0 &&
           strcmp(a->platform, b->platform) == 0 && a->cp == b->cp &&
           (a->ranks == 1) == (b->ranks == 1);
}

/* The costs of the cell's iterations: those of the cell before, or anew. */
static int take_loop(struct replays *r, const struct cell *cell,
                     const struct platform *platform, struct error *err)
{
    const struct kernel_ops *kernel;
    struct spec spec;
    double cp = cell->cp;
    if (same_loop(&r->looped, cell))
        return 0;
    replay_loop_close(&r->loop);
    r->looped.kernel = "";
    int code = kernel_parse(cell->kernel, &kernel, &spec, err);
    if (code == 0 && !(cp > 0) && platform->kind == NULL)
        cp = kernel->cost->flops / platform->flops;
    if (code == 0)
        code =
            replay_loop_open(&r->loop, cell->kernel, cp, platform->kind, err);
    if (code == 0)
        r->looped = *cell;
    return code;
}

static void count_chunk(void *arg, int worker, const struct chunk *chunk,
                        double begin_s, double compute_s)
{
    int64_t *iterations = arg;
    (void)worker, (void)begin_s, (void)compute_s;
    *iterations += chunk->size;
}

static struct run_line *find_known(struct replays *r, uint64_t chunks)
{
    for (int i = 0; i < r->known_count; i++)
        if (r->known[i].chunks == chunks)
            return &r->known[i].line;
    return NULL;
}

/* As a launch does: a window of ranks on one node is in their memory. */
static void choose_window(struct cell *cell, const struct platform *platform)
{
    if (strcmp(cell->transport, "window") == 0 &&
        strcmp(cell->window, "auto") == 0)
        cell->window = cell->ranks <= platform->node_ranks ? "shared" : "rma";
}

/* Fills the line of a repetition, and sets the cell's window to the choice of a
 * launch.  A cell with the chunks of an earlier one of its group gets that
 * one's line without a new replay. */
static int replay_one(struct replays *r, struct cell *cell,
                      struct run_line *line, struct error *err)
{
    struct platform platform;
    struct replay_result result;
    int64_t iterations = 0;
    uint64_t chunks;
    int code = platforms_find(r->platforms, cell, &platform, err);
    if (code == 0)
        code = take_loop(r, cell, &platform, err);
    if (code != 0)
        return code;
    choose_window(cell, &platform);
    const struct replay_cell replay = {.cell = cell,
                                       .loop = &r->loop,
                                       .costs = platform.costs,
                                       .node_ranks = platform.node_ranks,
                                       .as_simulated = true,
                                       .handed = count_chunk,
                                       .arg = &iterations};
    bool fixed = replay_cell_chunks(&replay, &chunks);
    const struct run_line *same = fixed ? find_known(r, chunks) : NULL;
    if (same != NULL) {
        *line = *same;
        return 0;
    }
    code = replay_cell_run(&replay, &result, err);
    if (code != 0)
        return code;
    *line = replay_store_line(&result, iterations,
                              iterations == r->loop.iterations);
    replay_free(&result);
    if (!fixed)
        return 0;
    need_room(&r->known, &r->known_room, r->known_count + 1, sizeof(*r->known));
    r->known[r->known_count++] = (struct known){chunks, *line};
    return 0;
}

/* A cell that cannot be replayed fails; only its record must be written. */
static int record_one(struct replays *r, const struct cell *cell,
                      struct error *err)
{
    struct run_line line;
    struct error why;
    struct cell made = *cell;
    if (replay_one(r, &made, &line, &why) != 0) {
        atomic_fetch_add(&r->counts->failed, 1);
        return record_done(&r->store.file, cell_to_json(&made), r->store.launch,
                           "failed", 0, why.text, err);
    }
    bool ok = strcmp(line.status, "ok") == 0;
    atomic_fetch_add(ok ? &r->counts->ok : &r->counts->unverified, 1);
    return replay_store_put(&r->store, &made, line, err);
}

/* ---- a process ---- */

static int open_launch(struct replays *r, struct error *err)
{
    char launch[LAUNCH_ID_SIZE], text[32];
    const struct shard *shard = &r->dir->shard;
    int code = rundir_reserve(r->dir, launch, err);
    if (code != 0)
        return code;
    snprintf(text, sizeof(text), "%d/%d", shard->index, shard->count);
    json_t *manifest =
        record_manifest_head(launch, r->campaign->name, text, r->command, true);
    json_object_set_new(manifest, "seed",
                        json_integer((json_int_t)r->campaign->seed));
    json_object_set_new(manifest, "gained", json_integer(r->campaign->gained));
    return replay_store_begin(&r->store, r->dir->path, launch, manifest, err);
}

static int work(void *arg)
{
    struct replays *r = arg;
    struct error err;
    int code, i;
    /* Large arrays are used again and again: their pages stay. */
    mallopt(M_MMAP_THRESHOLD, INT_MAX);
    mallopt(M_TRIM_THRESHOLD, INT_MAX);
    code = open_launch(r, &err);
    while (code == 0 &&
           (i = atomic_fetch_add(&r->counts->next, 1)) < r->groups) {
        r->known_count = 0;
        for (int c = r->group[i]; code == 0 && c < r->group[i + 1]; c++)
            code = record_one(r, r->cells[c].cell, &err);
    }
    if (code == 0)
        code = replay_store_close(&r->store, &err);
    if (code != 0)
        command_say("%s", err.text);
    return code == 0 ? 0 : 1;
}

/* ---- all cells ---- */

static char *text_but_scheme(const struct cell *cell)
{
    json_t *object = cell_to_json(cell);
    json_object_del(object, "cell");
    json_object_del(object, "scheme");
    char *text = json_dumps(object, JSON_COMPACT);
    json_decref(object);
    return text != NULL ? text : need_copy("");
}

/* The largest first, so that all processes end together; then by the kernel,
 * which the text begins with. */
static int by_place(const void *a, const void *b)
{
    const struct placed *x = a, *y = b;
    if (x->cores != y->cores)
        return x->cores > y->cores ? -1 : 1;
    int order = strcmp(x->but_scheme, y->but_scheme);
    return order != 0 ? order : strcmp(x->cell->hash, y->cell->hash);
}

static void place_cells(struct replays *r)
{
    const struct cell *cells = r->campaign->all.cells;
    r->cells = need_zeroed((size_t)r->count + 1, sizeof(*r->cells));
    r->group = need_zeroed((size_t)r->count + 1, sizeof(*r->group));
    for (int i = 0; i < r->count; i++)
        r->cells[i] =
            (struct placed){.cell = &cells[i],
                            .but_scheme = text_but_scheme(&cells[i]),
                            .cores = (long)cells[i].ranks * cells[i].threads};
    qsort(r->cells, (size_t)r->count, sizeof(*r->cells), by_place);
    for (int i = 0; i < r->count; i++)
        if (i == 0 ||
            strcmp(r->cells[i].but_scheme, r->cells[i - 1].but_scheme) != 0)
            r->group[r->groups++] = i;
    r->group[r->groups] = r->count;
}

static int count_done(void *arg)
{
    const struct counts *counts = ((struct replays *)arg)->counts;
    return counts->ok + counts->unverified + counts->failed;
}

int replays_run(const struct rundir *dir, const struct campaign *campaign,
                const struct platforms *platforms, const char *command,
                struct driver_end *end, struct error *err)
{
    int count = campaign->all.count;
    struct replays r = {.dir = dir,
                        .campaign = campaign,
                        .platforms = platforms,
                        .command = command,
                        .looped = {.kernel = "", .platform = ""},
                        .count = count};
    r.counts = mmap(NULL, sizeof(*r.counts), PROT_READ | PROT_WRITE,
                    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    *end = (struct driver_end){.waiting = count};
    if (r.counts == MAP_FAILED)
        return error_set(err, errno, "memory of the replays: %s",
                         strerror(errno));
    place_cells(&r);
    rundir_clean(dir);
    const struct replay_processes all = {.most = r.groups,
                                         .cells = count,
                                         .work = work,
                                         .done = count_done,
                                         .arg = &r};
    int code = count > 0 ? replay_processes(&all, &end->interrupted, err) : 0;
    end->ok = r.counts->ok;
    end->unverified = r.counts->unverified;
    end->failed = r.counts->failed;
    end->waiting = count - end->ok - end->unverified - end->failed;
    munmap(r.counts, sizeof(*r.counts));
    for (int i = 0; i < r.count; i++)
        free(r.cells[i].but_scheme);
    free(r.cells);
    free(r.group);
    return code;
}
