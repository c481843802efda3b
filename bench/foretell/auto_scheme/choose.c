/* choose_open decides how each candidate is predicted, before there is a result
 * directory. choose_settle predicts, and writes a line for every candidate; the
 * chosen one is marked. */
#include "bench/foretell/auto_scheme/choose.h"

#include "bench/launching/driver/driver.h"
#include "bench/options/command.h"
#include "bench/results/results.h"
#include "harness/check/setup.h"
#include "harness/process/need.h"
#include "harness/record/record.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* How many starts of the loop, for the median of a candidate whose core is
 * shared in time slices. */
enum { REPETITIONS = 5 };

static bool is_by_simulation(const struct cell *cell)
{
    return choice_by(cell) == CHOICE_SIMULATION;
}

/* ---- the candidates ---- */

static int on_this_machine(const struct cell *candidate, struct cell *cell,
                           struct error *err)
{
    *cell = *candidate;
    cell->platform = this_machine_name;
    return cell_check(cell, err);
}

static int add_candidate(struct choose *choose, const struct cell *candidate,
                         struct error *err)
{
    struct cell cell;
    int code = on_this_machine(candidate, &cell, err);
    if (code != 0)
        return code;
    for (int i = 0; i < choose->candidate_count; i++)
        if (strcmp(choose->candidates[i].hash, cell.hash) == 0)
            return 0;
    need_room(&choose->candidates, &choose->room, choose->candidate_count + 1,
              sizeof(*choose->candidates));
    choose->candidates[choose->candidate_count++] = cell;
    return 0;
}

static int list_candidates(const struct cell *cell, struct cell **list,
                           int *count, struct error *err)
{
    struct setup setup;
    int code = setup_resolve(&setup, cell, err);
    if (code == 0)
        code = choice_candidates(&setup, list, count, err);
    setup_free(&setup);
    return code;
}

/* Counts the candidates that a replay predicts, and adds the others. */
static int add_all(struct choose *choose, const struct cell *cell,
                   struct error *err)
{
    struct cell *list;
    struct error ignored;
    int count;
    int code = list_candidates(cell, &list, &count, err);
    if (code != 0)
        return code;
    for (int i = 0; code == 0 && i < count; i++) {
        if (replayed_check(&choose->replayed, &list[i], true, &ignored) == 0)
            choose->replay_count++;
        else
            code = add_candidate(choose, &list[i], err);
    }
    free(list);
    return code;
}

/* How many candidates can be replayed at all; none: `why` not. */
static int count_replays(struct choose *choose, const struct cell *cell,
                         struct error *why)
{
    struct cell *list;
    int count, good = 0;
    if (list_candidates(cell, &list, &count, why) != 0)
        return 0;
    for (int i = 0; i < count; i++)
        good += replayed_check(&choose->replayed, &list[i], false, why) == 0;
    free(list);
    return good;
}

/* Returns 0 if some candidates of each cell can be replayed. */
static int replay_alone(struct choose *choose, const struct campaign *campaign,
                        struct error *why)
{
    const struct cross_result *all = &campaign->all;
    choose->replay_count = 0;
    for (int i = 0; i < all->count; i++) {
        if (!is_by_simulation(&all->cells[i]))
            continue;
        int count = count_replays(choose, &all->cells[i], why);
        if (count == 0)
            return -ENOTSUP;
        choose->replay_count += count;
    }
    choose->alone = true;
    choose->candidate_count = 0;
    return 0;
}

/* Prints why candidates cannot be simulated, because predictions then ignore
 * more.  An error names once what each method lacks. */
static int open_simulations(struct choose *choose,
                            const struct campaign *campaign, struct error *err)
{
    struct error why, lacks = {""};
    int code = simulate_open(&choose->simulate, choose->candidates, 1, &why);
    if (code == 0)
        return 0;
    if (replay_alone(choose, campaign, &lacks) == 0) {
        command_say("scheme auto: all candidates are replayed, which leaves "
                    "out results that travel, what schemes learn in earlier "
                    "repetitions, and unequal workers: %s",
                    why.text);
        return 0;
    }
    bool same = strstr(why.text, lacks.text) != NULL;
    return error_set(err, -code,
                     "scheme auto by simulation: %.330s%s%.300s; auto:by=trial "
                     "needs neither calibration nor simulation",
                     why.text,
                     same ? "" : "; and without it: ", same ? "" : lacks.text);
}

int choose_open(struct choose *choose, const char *calibration,
                const struct campaign *campaign, struct error *err)
{
    const struct cross_result *all = &campaign->all;
    int code = 0;
    *choose = (struct choose){.simulate = {.calibration = calibration},
                              .replayed = {.file = calibration}};
    for (int i = 0; code == 0 && i < all->count; i++) {
        if (!is_by_simulation(&all->cells[i]))
            continue;
        choose->count++;
        code = add_all(choose, &all->cells[i], err);
    }
    if (code == 0 && choose->candidate_count > 0)
        code = open_simulations(choose, campaign, err);
    /* SimGrid's side has warned, if it was opened. */
    if (code == 0 && (choose->alone || choose->candidate_count == 0))
        replayed_warn(&choose->replayed);
    return code;
}

void choose_close(struct choose *choose)
{
    simulate_close(&choose->simulate);
    replayed_close(&choose->replayed);
    free(choose->candidates);
    *choose = (struct choose){.count = 0};
}

/* ---- simulating candidates ---- */

static int make_folder(const struct rundir *dir, struct rundir *folder,
                       struct error *err)
{
    *folder = (struct rundir){.shard = dir->shard};
    if ((size_t)snprintf(folder->path, sizeof(folder->path), "%s/auto",
                         dir->path) >= sizeof(folder->path) ||
        (size_t)snprintf(folder->full, sizeof(folder->full), "%s/auto",
                         dir->full) >= sizeof(folder->full))
        return error_set(err, ENAMETOOLONG, "%s: the path is too long",
                         dir->path);
    if (mkdir(folder->full, 0777) != 0 && errno != EEXIST)
        return error_set(err, errno, "%s: cannot make the folder: %s",
                         folder->path, strerror(errno));
    return 0;
}

/* Results of earlier launches and other shards are reused. */
static int drop_known(struct choose *choose, const char *dir, struct error *err)
{
    struct results results;
    int kept = 0;
    int code = results_read(dir, &results, err);
    if (code != 0)
        return code;
    for (int i = 0; i < choose->candidate_count; i++) {
        const struct result *done =
            results_find(&results, choose->candidates[i].hash);
        if (done == NULL || done->status != RESULT_OK)
            choose->candidates[kept++] = choose->candidates[i];
    }
    choose->candidate_count = kept;
    results_free(&results);
    return 0;
}

static int simulate_all(struct choose *choose, const struct rundir *folder,
                        const struct campaign *campaign, const char *command,
                        struct error *err)
{
    const struct driver_options options = {
        .launcher = "", .simulate = &choose->simulate, .command = command};
    struct campaign simulation = *campaign;
    struct policy *policy = &simulation.policy;
    struct driver_end end;
    policy->repetitions = policy->repetitions_max = REPETITIONS;
    policy->trace = policy->save = false;
    strcpy(policy->events, "none");
    int code = drop_known(choose, folder->full, err);
    if (code != 0 || choose->candidate_count == 0)
        return code;
    fprintf(stderr,
            "dlsbench: scheme auto: simulating %d candidates on %s, into %s\n",
            choose->candidate_count, this_machine_name, folder->path);
    code = simulate_store(&choose->simulate, folder->full, err);
    if (code == 0)
        code = driver_run(folder, &simulation, choose->candidates,
                          choose->candidate_count, &options, &end, err);
    if (code == 0 && end.interrupted)
        code = error_set(err, EINTR, "scheme auto: interrupted");
    return code;
}

/* ---- the choice ---- */

/* The median of its simulations; NAN: none. */
static double simulated_time(const struct results *results,
                             const struct cell *candidate)
{
    struct cell cell;
    if (on_this_machine(candidate, &cell, NULL) != 0)
        return NAN;
    const struct result *result = results_find(results, cell.hash);
    if (result == NULL || result->count == 0)
        return NAN;
    return result_median(result, offsetof(struct result_sample, time_s), NULL);
}

/* Into the candidate; returns whether by a replay. */
static bool predict_time(struct choose *choose, const struct results *results,
                         struct cell *candidate)
{
    struct error ignored;
    candidate->predicted_s = simulated_time(results, candidate);
    if (!isnan(candidate->predicted_s) ||
        replayed_check(&choose->replayed, candidate, !choose->alone,
                       &ignored) != 0)
        return false;
    candidate->predicted_s = replayed_time(&choose->replayed, candidate);
    return true;
}

static json_t *candidate_row(const struct cell *cell, const char *launch,
                             const struct cell *candidate, bool chosen,
                             bool replayed)
{
    return json_pack(
        "{s:i,s:s,s:s,s:s,s:s,s:s,s:s,s:s,s:o,s:o,s:b,s:b}", "schema",
        RECORD_SCHEMA, "type", "candidate", "launch", launch, "cell",
        cell->hash, "by", "simulation", "candidate", candidate->hash, "scheme",
        candidate->scheme, "hierarchy", candidate->hierarchy, "sync_interval",
        candidate->sync_interval > 0 ? json_integer(candidate->sync_interval)
                                     : json_null(),
        "predicted_s", record_real(candidate->predicted_s), "chosen", chosen,
        "replayed", replayed);
}

static int choose_one(struct choose *choose, struct cell *cell,
                      const struct results *results, const char *launch,
                      struct record_file *file, struct error *err)
{
    struct cell *list;
    int count;
    int code = list_candidates(cell, &list, &count, err);
    if (code != 0)
        return code;
    bool *replayed = need_zeroed((size_t)count + 1, sizeof(*replayed));
    for (int i = 0; i < count; i++)
        replayed[i] = predict_time(choose, results, &list[i]);
    int best = -1;
    for (int i = 0; i < count; i++)
        if (!isnan(list[i].predicted_s) &&
            (best < 0 || list[i].predicted_s < list[best].predicted_s))
            best = i;
    if (best < 0)
        code = error_set(err, EIO,
                         "scheme auto: no candidate of %s, %dx%d, could be "
                         "simulated; auto:by=trial needs no simulation",
                         cell->kernel, cell->ranks, cell->threads);
    for (int i = 0; code == 0 && i < count; i++)
        code = record_line(
            file, candidate_row(cell, launch, &list[i], i == best, replayed[i]),
            err);
    if (code == 0) {
        choice_make(cell, &list[best]);
        cell->predicted_s = list[best].predicted_s;
    }
    free(replayed);
    free(list);
    return code;
}

static int choose_all(struct choose *choose, const struct rundir *dir,
                      const struct rundir *folder, struct campaign *campaign,
                      struct error *err)
{
    char launch[LAUNCH_ID_SIZE];
    struct results results;
    struct record_file file;
    struct error ignored;
    int code = rundir_reserve(folder, launch, err);
    if (code == 0)
        code = results_read(folder->full, &results, err);
    if (code != 0)
        return code;
    code = record_open(&file, dir->full, "choices", launch, err);
    for (int i = 0; code == 0 && i < campaign->all.count; i++)
        if (is_by_simulation(&campaign->all.cells[i]))
            code = choose_one(choose, &campaign->all.cells[i], &results, launch,
                              &file, err);
    if (code == 0)
        code = record_sync(&file, err);
    record_close(&file, code == 0 ? err : &ignored);
    results_free(&results);
    return code;
}

int choose_settle(struct choose *choose, const struct rundir *dir,
                  struct campaign *campaign, const char *command,
                  struct error *err)
{
    struct rundir folder;
    if (choose->count == 0)
        return 0;
    int code = make_folder(dir, &folder, err);
    if (code == 0 && choose->replay_count > 0) {
        char path[PATH_MAX + 32];
        fprintf(stderr,
                "dlsbench: scheme auto: replaying %d candidates on %s\n",
                choose->replay_count, this_machine_name);
        snprintf(path, sizeof(path), "%s/calibration.json", folder.full);
        code = replayed_store(&choose->replayed, path, err);
    }
    if (code == 0 && choose->candidate_count > 0)
        code = simulate_all(choose, &folder, campaign, command, err);
    return code == 0 ? choose_all(choose, dir, &folder, campaign, err) : code;
}
