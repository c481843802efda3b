/* dlsbench run: measures a campaign or a single cell.  A driver: the ranks are
 * started by a launcher and run `dlsbench launch`. */
#include "bench/commands/run/replays.h"
#include "bench/commands/run/run_options.h"

#include "base/text.h"
#include "bench/foretell/auto_scheme/choose.h"
#include "bench/foretell/sync_interval/intervals.h"
#include "bench/foretell/sync_interval/models.h"
#include "bench/launching/driver/announce.h"
#include "bench/launching/driver/driver.h"
#include "bench/options/command.h"
#include "bench/results/summary.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A campaign being run. */
struct job {
    int argc;
    char **argv;         /* as typed */
    const char *command; /* likewise, quoted for a shell */
    const struct run_options *options;
    struct campaign *campaign;
    struct rundir dir;
    struct choose choose;
    struct platforms platforms; /* with replays */
};

/* --cores alone says nothing about the inside of a node. */
static int look_at_machine(struct run_options *options, struct error *err)
{
    struct campaign_setup *setup = &options->setup;
    struct topo_room *room = &options->room;
    int code = 0;
    setup->cores = (int)options->cores;
    if (options->cores == 0 || options->topology != NULL)
        code = campaign_look(options->topology, setup, room, err);
    else
        *room = (struct topo_room){.domains = {1}, .cores = {setup->cores}};
    setup->room = options->simulated ? NULL : room;
    return code;
}

/* Drops complete and verified cells; the rest runs (again). */
static int drop_complete(const struct rundir *dir, struct campaign *campaign,
                         struct error *err)
{
    struct cross_result *all = &campaign->all;
    struct results results;
    int kept = 0;
    int code = results_read(dir->path, &results, err);
    if (code != 0)
        return code;
    for (int i = 0; i < all->count; i++) {
        const struct result *done = results_find(&results, all->cells[i].hash);
        if (done == NULL || done->status != RESULT_OK)
            all->cells[kept++] = all->cells[i];
    }
    command_say("%d of %d cell%s %s complete already", all->count - kept,
                all->count, text_s(all->count), all->count == 1 ? "is" : "are");
    all->count = kept;
    results_free(&results);
    return 0;
}

/* The results are there, unless files were removed. */
static int check_kept(const struct rundir *dir, const struct campaign *campaign,
                      const struct results *results, struct error *err)
{
    int lost = 0;
    for (int i = 0; i < campaign->all.count; i++) {
        const struct result *result =
            results_find(results, campaign->all.cells[i].hash);
        lost += result == NULL || result->status == RESULT_NONE;
    }
    if (lost == 0)
        return 0;
    return error_set(err, EIO,
                     "%s: files were removed while %d of %d cell%s ran; "
                     "--resume runs them again",
                     dir->path, lost, campaign->all.count,
                     text_s(campaign->all.count));
}

static int print_results(const struct rundir *dir,
                         const struct campaign *campaign, int format,
                         struct error *err)
{
    struct results results;
    int code = results_read(dir->path, &results, err);
    if (code != 0)
        return code;
    code = models_store(dir->path, &results, err);
    if (code == 0) {
        summary_print(&results, dir->path, true, campaign->all.skipped,
                      format > 0 ? format : TABLE_TEXT);
        code = check_kept(dir, campaign, &results, err);
    }
    results_free(&results);
    fflush(stdout);
    return code;
}

/* Says how to continue after an interruption or a stop. */
static void say_resume(const struct job *job, const struct driver_end *end,
                       const char *why)
{
    char *command = run_command_line(job->argc, job->argv, job->dir.path);
    command_say("%s: cells complete: %d, left: %d; resume with: %s", why,
                end->ok + end->unverified, end->waiting + end->failed,
                command ? command : "--resume");
    free(command);
}

static int run_cells(const struct job *job, struct error *err)
{
    const struct run_options *options = job->options;
    const struct campaign *campaign = job->campaign;
    const struct driver_options driver = {
        .launcher = options->launcher,
        .simulate = options->simulated ? &options->simulate : NULL,
        .command = job->command};
    struct driver_end end;
    int code = options->setup.replayed
                   ? replays_run(&job->dir, campaign, &job->platforms,
                                 job->command, &end, err)
                   : driver_run(&job->dir, campaign, campaign->all.cells,
                                campaign->all.count, &driver, &end, err);
    if (code != 0) {
        command_fail(COMMAND_FAILED, err);
        say_resume(job, &end, "stopped");
        return COMMAND_FAILED;
    }
    if (end.interrupted) {
        say_resume(job, &end, "interrupted");
        return COMMAND_FAILED;
    }
    if (print_results(&job->dir, campaign, job->options->format, err) != 0)
        return command_fail(COMMAND_FAILED, err);
    return end.failed + end.unverified == 0 ? COMMAND_OK : COMMAND_FAILED;
}

/* The result directory, and the intervals of the model: chosen before it is
 * made if possible, so that an error leaves nothing behind. */
static int open_directory(const struct run_options *options,
                          struct campaign *campaign, struct rundir *dir,
                          struct error *err)
{
    struct cross_result *all = &campaign->all;
    const struct intervals_source source = {
        .file = options->calibration,
        .launcher = options->launcher,
        .oversubscribe = campaign->policy.oversubscribe,
        .simulate = options->simulated ? &options->simulate : NULL};
    struct intervals intervals = {.loaded = false};
    int code = 0;
    if (!options->dir.resume)
        code = intervals_open(&intervals, &source, all->cells, all->count, err);
    if (code == 0)
        code = rundir_open(dir, campaign, &options->setup, &options->dir, err);
    if (code == 0) {
        /* Cells that were there keep their seed, and new ones get the same. */
        campaign->seed = dir->seed;
        campaign->gained = dir->gained;
        if (dir->gained > 0)
            command_say("the campaign has %d cell%s more than %s held",
                        dir->gained, text_s(dir->gained), dir->path);
    }
    if (code == 0)
        code = intervals_settle(&intervals, &source, dir->path, all->cells,
                                all->count, err);
    intervals_close(&intervals);
    return code;
}

/* --prepare: for jobs that continue the directory by --resume. */
static int prepare_directory(const struct run_options *options,
                             const struct campaign *campaign)
{
    struct rundir dir;
    struct error err;
    if (rundir_open(&dir, campaign, &options->setup, &options->dir, &err) != 0)
        return command_fail(COMMAND_USAGE, &err);
    printf("%s\n%s\n", dir.full, campaign->name);
    return COMMAND_OK;
}

/* Missing cells are simulated like the existing ones: results that continue
 * keep their first calibration, `name` in their directory. */
static bool stored_calibration(const struct run_options *options,
                               const struct campaign *campaign,
                               const char *name, char path[PATH_MAX])
{
    struct rundir dir;
    bool found = false;
    if (rundir_find(&dir, campaign, &options->setup, &options->dir, &found,
                    NULL) != 0 ||
        !found)
        return false;
    return (size_t)snprintf(path, PATH_MAX, "%s/%s", dir.path, name) <
               PATH_MAX &&
           access(path, R_OK) == 0;
}

/* The sources of scheme auto, and the result directory. */
static int open_job(struct job *job, struct error *err)
{
    char stored[PATH_MAX];
    const struct run_options *options = job->options;
    bool goes_on = stored_calibration(options, job->campaign,
                                      "auto/calibration.json", stored);
    int code =
        choose_open(&job->choose, goes_on ? stored : options->calibration,
                    job->campaign, err);
    if (code == 0)
        code = open_directory(options, job->campaign, &job->dir, err);
    if (code != 0)
        choose_close(&job->choose);
    return code;
}

static void say_start(const struct campaign *campaign, const char *results)
{
    fprintf(stderr, "dlsbench: %s: %d cell%s", campaign->name,
            campaign->all.count, text_s(campaign->all.count));
    if (campaign->all.skipped > 0)
        fprintf(stderr, " (%d impossible combination%s skipped, see --dry-run)",
                campaign->all.skipped, text_s(campaign->all.skipped));
    fprintf(stderr, ", results in %s\n", results);
}

static int say_plan(struct job *job, struct error *err)
{
    if (rundir_name(&job->dir, job->campaign, &job->options->dir, err) != 0)
        return command_fail(COMMAND_USAGE, err);
    if (job->options->dir.prepare) /* instead of running */
        return printf("%s\n%s\n", job->dir.full, job->campaign->name), 0;
    if (job->options->format != TABLE_CSV)
        say_start(job->campaign, job->options->dir.out != NULL
                                     ? job->dir.full
                                     : "a folder named by the time of the run");
    return run_dry(job->options, job->campaign);
}

/* Everything before the first launch, in the open directory. */
static int begin_job(struct job *job, struct error *err)
{
    const struct run_options *options = job->options;
    int code = options->setup.replayed
                   ? platforms_store(&job->platforms, job->dir.path, err)
               : options->simulated
                   ? simulate_store(&options->simulate, job->dir.path, err)
                   : 0;
    if (code != 0)
        return command_fail(COMMAND_FAILED, err);
    say_start(job->campaign, job->dir.full);
    if (options->dir.resume &&
        drop_complete(&job->dir, job->campaign, err) != 0)
        return command_fail(COMMAND_USAGE, err);
    if (options->dir.resume && !options->simulated &&
        crowd_check(job->campaign, options->launcher, err) != 0)
        return command_fail(COMMAND_USAGE, err);
    if (!options->simulated)
        announce_campaign(job->campaign);
    if (choose_settle(&job->choose, &job->dir, job->campaign, job->command,
                      err) != 0)
        return command_fail(COMMAND_FAILED, err);
    return COMMAND_OK;
}

/* Takes the cells of the shape and shard, opens the directory and runs them.
 * Returns an exit code. */
static int run_campaign(struct job *job, struct error *err)
{
    const struct run_options *options = job->options;
    int code = options->shape.ranks > 0
                   ? campaign_shape(job->campaign, options->shape, err)
                   : 0;
    if (code == 0) {
        campaign_shard(job->campaign, options->dir.shard.index,
                       options->dir.shard.count);
        code = run_check_save(job->campaign, err);
    }
    if (code == 0 && options->dry_run)
        return say_plan(job, err);
    if (code == 0 && options->dir.prepare)
        return prepare_directory(options, job->campaign);
    if (code == 0 && !options->simulated && !options->dir.resume)
        code = crowd_check(job->campaign, options->launcher, err);
    if (code == 0)
        code = open_job(job, err);
    if (code != 0)
        return command_fail(COMMAND_USAGE, err);
    code = begin_job(job, err);
    choose_close(&job->choose);
    return code == COMMAND_OK ? run_cells(job, err) : code;
}

static int replay_campaign(struct job *job, const char *calibration,
                           struct error *err)
{
    const struct cross_result *all = &job->campaign->all;
    int code = COMMAND_USAGE;
    if (platforms_open(&job->platforms, all->cells, all->count, calibration,
                       err) != 0) {
        command_fail(COMMAND_USAGE, err);
    } else {
        run_say_left_out(job->campaign);
        code = run_campaign(job, err);
    }
    platforms_close(&job->platforms);
    return code;
}

static int simulate_campaign(struct job *job, struct run_options *options,
                             struct error *err)
{
    char stored[PATH_MAX];
    bool goes_on =
        stored_calibration(options, job->campaign, "calibration.json", stored);
    options->simulate.calibration = goes_on ? stored : options->calibration;
    if (options->setup.replayed)
        return replay_campaign(job, options->simulate.calibration, err);
    int code = COMMAND_USAGE;
    if (simulate_open(&options->simulate, job->campaign->all.cells,
                      job->campaign->all.count, err) != 0) {
        command_fail(COMMAND_USAGE, err);
    } else {
        /* Once for a run: a campaign may be one for real threads. */
        bool threads = false;
        for (int i = 0; i < job->campaign->all.count; i++)
            threads = threads || job->campaign->all.cells[i].threads != 1;
        if (threads)
            command_say("threads are simulated as cores of one host that share "
                        "its memory");
        code = run_campaign(job, err);
    }
    simulate_close(&options->simulate);
    return code;
}

/* The common way of run, sim and replay: options, then this machine's cores,
 * then the campaign's cells.  Returns an exit code. */
static int measure_cells(int argc, char **argv, enum run_as as)
{
    struct error err = {""};
    struct run_options options;
    struct campaign campaign;
    char *typed[argc + 1]; /* options_read moves the words of argv */
    memcpy(typed, argv, sizeof(typed));
    int code = run_options_read(argc, argv, as, &options, &err);
    if (code == 0)
        code = look_at_machine(&options, &err);
    if (code == 0)
        code = run_options_campaign(&options, &campaign, &err);
    if (code != 0)
        return command_fail(COMMAND_USAGE, &err);
    char *command = run_command_line(argc, typed, NULL);
    struct job job = {.argc = argc,
                      .argv = typed,
                      .command = command ? command : "",
                      .options = &options,
                      .campaign = &campaign};
    code = options.simulated && !options.dry_run
               ? simulate_campaign(&job, &options, &err)
               : run_campaign(&job, &err);
    free(command);
    campaign_free(&campaign);
    json_decref(options.cell.texts);
    return code;
}

int run_command(int argc, char **argv)
{
    return measure_cells(argc, argv, AS_RUN);
}

int sim_command(int argc, char **argv)
{
    return measure_cells(argc, argv, AS_SIM);
}

int run_replay(int argc, char **argv)
{
    return measure_cells(argc, argv, AS_REPLAY);
}
