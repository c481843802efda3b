#include "bench/foretell/auto_scheme/replayed.h"

#include "bench/calibrate/calibration_find.h"
#include "bench/foretell/replay/replay_cell.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static enum calibration_which which_of(const struct cell *cell)
{
    return cell->ranks == 1 ? CALIBRATION_THREADS : CALIBRATION_RANKS;
}

/* Cells of one kernel follow each other, and counting it takes the longest. */
static int open_loop(struct replayed *replayed, const struct cell *cell,
                     struct error *err)
{
    enum calibration_which which = which_of(cell);
    if (replayed->loop.before != NULL && replayed->which == which &&
        strcmp(replayed->kernel, cell->kernel) == 0)
        return 0;
    replay_loop_close(&replayed->loop);
    snprintf(replayed->kernel, sizeof(replayed->kernel), "%s", cell->kernel);
    replayed->which = which;
    return replay_loop_open(&replayed->loop, cell->kernel, cell->cp,
                            &replayed->calibration.kind[which], err);
}

void replayed_warn(const struct replayed *replayed)
{
    if (replayed->open)
        calibration_warn(replayed->path, &replayed->calibration);
}

int replayed_check(struct replayed *replayed, const struct cell *cell,
                   bool wholly, struct error *err)
{
    const struct calibration_kind *kind =
        &replayed->calibration.kind[which_of(cell)];
    const char *without;
    int code = replay_cell_check(cell, &without, err);
    if (code == 0 && !replayed->open) {
        code = calibration_find_quietly(replayed->file, &replayed->calibration,
                                        replayed->path, err);
        replayed->open = code == 0;
    }
    if (code == 0)
        code = open_loop(replayed, cell, err);
    if (code != 0 || !wholly)
        return code;
    if (without == NULL && cell->ranks > 1)
        without = "the time that a message keeps its two ends busy";
    else if (without == NULL && kind->workers < 1)
        without = "workers that are not calibrated";
    else if (without == NULL && !calibration_is_alike(kind))
        without = "workers that are not equally fast";
    return without == NULL
               ? 0
               : error_set(err, ENOTSUP, "a replay leaves out %s", without);
}

void replayed_close(struct replayed *replayed)
{
    replay_loop_close(&replayed->loop);
    if (replayed->open)
        calibration_free(&replayed->calibration);
    replayed->open = false;
}

int replayed_store(const struct replayed *replayed, const char *path,
                   struct error *err)
{
    if (access(path, F_OK) == 0)
        return 0;
    return calibration_save(&replayed->calibration, path, err);
}

double replayed_time(struct replayed *replayed, const struct cell *cell)
{
    struct replay_result result;
    struct error ignored;
    if (open_loop(replayed, cell, &ignored) != 0)
        return NAN;
    struct replay_cell replay = {.cell = cell,
                                 .loop = &replayed->loop,
                                 .costs = replay_costs_usual,
                                 .node_ranks = cell->ranks};
    replay_costs_fill(&replay.costs, &replayed->calibration, which_of(cell));
    if (replay_cell_run(&replay, &result, &ignored) != 0)
        return NAN;
    double time_s = result.time_s;
    replay_free(&result);
    return time_s;
}
