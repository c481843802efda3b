/* The result directory of a run: results/<campaign>/<name>/. */
#ifndef BENCH_RESULTS_RUNDIR_H
#define BENCH_RESULTS_RUNDIR_H

#include "base/error.h"
#include "bench/campaign/campaign.h"
#include "harness/process/shard.h"

#include <limits.h>
#include <stdbool.h>

enum { LAUNCH_ID_SIZE = 256 };

struct rundir_options {
    const char *out; /* NULL: named by the time; with a '/': a path */
    bool resume;
    bool prepare; /* made for shards to come, or there already */
    struct shard shard;
};

struct rundir {
    char path[2048];     /* as the user writes it */
    char full[PATH_MAX]; /* for the plan: ranks may start elsewhere */
    struct shard shard;
    uint64_t seed; /* of the campaign that it holds */
    int gained;    /* cells that the campaign has more than what it held */
    int lock;      /* kept until the process ends */
};

/* Where the directory has its campaign, whether it is there or not. */
int rundir_campaign_path(const struct campaign *whole,
                         const struct rundir_options *options, char *path,
                         size_t size);

/* Names the directory in `path` and `full`, and makes nothing. */
int rundir_name(struct rundir *dir, const struct campaign *whole,
                const struct rundir_options *options, struct error *err);

/* Looks without making anything: `found` says whether the directory is there.
 * It must hold the campaign `whole`, if any.  With --resume, what rundir_open
 * would refuse is refused, but for a run that is in it and the right to
 * write. */
int rundir_find(struct rundir *dir, const struct campaign *whole,
                const struct campaign_setup *setup,
                const struct rundir_options *options, bool *found,
                struct error *err);

/* Makes the directory, or takes an existing one for --resume or --prepare or
 * for another shard of the same campaign.  Stores campaign.yaml; if --resume or
 * --prepare bring more cells, stores it again with the old seed.  Refuses a
 * path that has no space or permission to write, or where another run is
 * active, or a launch of a killed run does not end.  `whole` is the campaign
 * before its shard was taken. */
int rundir_open(struct rundir *dir, const struct campaign *whole,
                const struct campaign_setup *setup,
                const struct rundir_options *options, struct error *err);

/* Removes the plans and unfinished manifests of launches that were killed on
 * this host. */
void rundir_clean(const struct rundir *dir);

/* Reserves a launch id (UTC-host-pid-shard) by creating its manifest, which
 * says "began": false until the launch replaces it. */
int rundir_reserve(const struct rundir *dir, char id[LAUNCH_ID_SIZE],
                   struct error *err);

/* Appends the line that says that a launch failed on this cell. */
int rundir_fail(const struct rundir *dir, const char *launch,
                const struct cell *cell, const char *reason, struct error *err);

/* The name of a result directory, for rundir.c: folders.c. */

/* Sets dir->path by --out or by the time. */
int rundir_choose(struct rundir *dir, const char *campaign, const char *out,
                  struct error *err);

/* Paths are stored and printed in lines of text. */
int rundir_check_line(const char *path, struct error *err);

#endif
