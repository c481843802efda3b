/* From options to a campaign: checks of options together, then its cells. */
#include "bench/commands/run/run_options.h"

#include "base/text.h"
#include "bench/commands/run/speeds.h"
#include "bench/options/command.h"
#include "bench/options/table.h"
#include "bench/simgrid/this_machine.h"
#include "harness/cell/binding.h"
#include "harness/check/setup.h"
#include "kernels/kernel.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A campaign file is missing, or a single cell is meant. */
static int check_single(const struct run_options *o, struct error *err)
{
    const char *command = o->simulated ? "sim" : "run";
    if (o->setup.replayed)
        return error_set(err, EINVAL,
                         "replay: a campaign, or --scheme with --trace or "
                         "--kernel, is missing");
    if (o->field == NULL)
        return error_set(err, EINVAL,
                         "%s: a campaign file, or --kernel and --scheme, is "
                         "missing",
                         command);
    if (o->cell.kernel[0] == '\0')
        return error_set(err, EINVAL, "%s: --kernel is missing", command);
    if (o->cell.scheme[0] == '\0')
        return error_set(err, EINVAL, "%s: --scheme is missing", command);
    if (o->setup.sets > 0)
        return error_set(err, EINVAL,
                         "--set goes with a campaign file; a single cell has "
                         "options for all");
    return 0;
}

/* Checks of options together. */
static int check_together(const struct run_options *o, struct error *err)
{
    if (o->file != NULL && o->field != NULL) {
        char name[32];
        run_option_name(o->field, name, sizeof(name));
        return error_set(err, EINVAL,
                         "--%s does not go with a campaign file; to override "
                         "a field of its cells use --set",
                         name);
    }
    if (o->simulated && o->launcher != NULL)
        return error_set(err, EINVAL,
                         "--launcher goes with dlsbench run only: nothing else "
                         "starts ranks by it");
    if (o->file == NULL && check_single(o, err) != 0)
        return -EINVAL;
    if (o->from != NULL && !o->dry_run)
        return error_set(err, EINVAL, "--from goes with --dry-run");
    if (o->dry_run && o->format > TABLE_CSV)
        return error_set(err, EINVAL,
                         "--dry-run has no --format %s: use table or csv",
                         o->format == TABLE_JSON ? "json" : "markdown");
    if (o->dir.resume && o->dir.out == NULL)
        return error_set(err, EINVAL,
                         "--resume needs --out: the directory to continue");
    if (o->dir.shard.count > 1 && o->dir.out == NULL)
        return error_set(err, EINVAL,
                         "--shard needs --out, so that all parts meet in one "
                         "directory");
    return 0;
}

/* Cells are simulated on platforms, and measured here. */
static int check_platforms(const struct run_options *o,
                           const struct campaign *campaign, struct error *err)
{
    for (int i = 0; i < campaign->all.count; i++) {
        const char *platform = campaign->all.cells[i].platform;
        if (o->simulated && platform[0] == '\0')
            return error_set(err, EINVAL,
                             "sim: platform is missing, a SimGrid file such as "
                             "bench/platforms/ranger.xml: give --platform, or "
                             "platform in the campaign");
        if (!o->simulated && platform[0] != '\0')
            return error_set(err, EINVAL,
                             "run: the campaign has cells for platform %s: "
                             "simulate them with dlsbench sim",
                             platform);
    }
    return 0;
}

int run_options_read(int argc, char **argv, enum run_as as,
                     struct run_options *o, struct error *err)
{
    *o = (struct run_options){.simulated = as != AS_RUN,
                              .setup = {.replayed = as == AS_REPLAY},
                              .dir = {.shard = {.count = 1}}};
    cell_defaults(&o->cell, cell_texts());
    policy_defaults(&o->policy);
    int code = run_table_read(argc, argv, o, err);
    if (code == 0)
        code = check_together(o, err);
    if (o->launcher == NULL)
        o->launcher = launcher_default(o->launcher_text);
    launcher_inside(false); /* sizes by time may be measured first */
    if (code == 0 && !o->simulated && !o->dry_run && !o->dir.prepare)
        code = launcher_check(o->launcher, err);
    return code;
}

/* The shape that is not given: by rank_per, or one rank with all cores. */
static int single_shape(struct run_options *o, struct error *err)
{
    const char *job = getenv("SLURM_JOB_NUM_NODES");
    for (int i = 0; i < o->setup.lists.count; i++)
        if (strcmp(o->setup.lists.list[i].field, "ranks") == 0 && !o->threads &&
            !o->simulated)
            return error_set(err, EINVAL,
                             "--ranks has several values: give --threads");
    if (o->cell.rank_per[0] != '\0' && o->setup.lists.count > 0)
        return error_set(err, EINVAL,
                         "--rank-per: no other option may be a list then; "
                         "write a campaign file");
    if (o->cell.rank_per[0] != '\0') {
        if (o->cell.nodes == 0 && job != NULL)
            o->cell.nodes = atoi(job);
        return binding_fill_shape(&o->cell, o->setup.room, o->ranks, o->threads,
                                  err);
    }
    if (o->cell.nodes > 0)
        return error_set(err, EINVAL, "--nodes goes with --rank-per");
    if (!o->simulated && !o->threads && o->cell.ranks == 1)
        o->cell.threads =
            o->cell.smt ? o->room.processors[TOPO_NODE] : o->setup.cores;
    return 0;
}

/* A core of this machine is shared in time slices, and loops start anywhere in
 * one. */
static bool repetitions_differ(const struct cell *cell)
{
    struct scheme scheme;
    bool learns = scheme_parse(cell->scheme, &scheme, NULL) == 0 &&
                  scheme_keeps(&scheme) &&
                  strcmp(cell->placement, "replan") != 0;
    return learns || (cell->load[0] != '\0' && this_machine_is(cell->platform));
}

/* Further repetitions would be identical. */
static void set_simulated_repetitions(struct campaign *campaign)
{
    bool any = false;
    for (int i = 0; i < campaign->all.count; i++)
        any = any || repetitions_differ(&campaign->all.cells[i]);
    if (!any)
        campaign->policy.repetitions = 1;
    campaign->policy.repetitions_max = campaign->policy.repetitions;
}

static int no_picture(const char *kernel, struct error *err)
{
    char have[256] = "";
    for (int i = 0; kernel_list[i] != NULL; i++) {
        size_t used = strlen(have);
        if (kernel_list[i]->save != NULL)
            snprintf(have + used, sizeof(have) - used, "%s%s", used ? ", " : "",
                     kernel_list[i]->name);
    }
    return error_set(err, EINVAL,
                     "save: kernel %s computes no picture, there is one of: %s",
                     kernel, have);
}

int run_check_save(const struct campaign *campaign, struct error *err)
{
    for (int i = 0; campaign->policy.save && i < campaign->all.count; i++) {
        const struct kernel_ops *kernel;
        struct spec spec;
        int code =
            kernel_parse(campaign->all.cells[i].kernel, &kernel, &spec, err);
        if (code != 0)
            return code;
        if (kernel->save == NULL)
            return no_picture(kernel->name, err);
    }
    return 0;
}

/* Prints a line for each reason, with the first combination as the example. */
void run_say_left_out(const struct campaign *campaign)
{
    for (int i = 0; i < campaign->all.reasons; i++) {
        const struct cross_skip *skip = &campaign->all.skips[i];
        if (text_begins(skip->reason, "a replay knows"))
            command_say("left out: %d combination%s, %s (first: %s)",
                        skip->count, text_s(skip->count), skip->reason,
                        skip->example);
    }
    command_say("replayed, not run: results stay where they are computed "
                "(collect local)");
}

int run_options_campaign(struct run_options *o, struct campaign *campaign,
                         struct error *err)
{
    int code;
    if (o->file != NULL) {
        for (int i = 0; i < o->measures; i++)
            o->setup.set[o->setup.sets++] = o->measure[i];
        code = speeds_load_campaign(o, campaign, err);
    } else {
        code = single_shape(o, err);
        if (code != 0)
            return code;
        if (!o->max_given && o->policy.repetitions_max < o->policy.repetitions)
            o->policy.repetitions_max = o->policy.repetitions;
        code = o->setup.lists.count > 0
                   ? campaign_crossed(&o->cell, &o->setup.lists, &o->policy,
                                      campaign, err)
                   : campaign_single(&o->cell, &o->policy, campaign, err);
    }
    if (code == 0 && (code = check_platforms(o, campaign, err)) != 0)
        campaign_free(campaign);
    if (code == 0 && o->simulated)
        set_simulated_repetitions(campaign);
    return code;
}

/* A single loop has options that campaigns do not have; they may be
 * abbreviated. */
bool run_is_campaign(int argc, char **argv)
{
    const char *const own[] = {"--trace", "--kernel", "--scheme", NULL};
    bool any = argc == 1; /* the campaign or loop is missing */
    for (int i = 1; i < argc; i++) {
        size_t size = strcspn(argv[i], "=");
        for (int k = 0; size >= 4 && own[k] != NULL; k++)
            if (strncmp(own[k], argv[i], size) == 0)
                return false;
        any = any || argv[i][0] != '-';
    }
    return any;
}
