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
    const char *out; /* NULL: named by the time; with '/': a path */
    bool resume;
    bool prepare; /* made for later shards, or exists already */
    struct shard shard;
};

struct rundir {
    char path[2048];     /* as written by the user */
    char full[PATH_MAX]; /* for the plan: ranks may start in another folder */
    struct shard shard;
    uint64_t seed; /* of the stored campaign */
    int gained;    /* cells that the stored campaign does not have */
    int lock;      /* held until the process ends */
};

/* The path of the directory's campaign file, whether it exists or not. */
int rundir_campaign_path(const struct campaign *whole,
                         const struct rundir_options *options, char *path,
                         size_t size);

/* Sets the directory's `path` and `full`, and makes nothing. */
int rundir_name(struct rundir *dir, const struct campaign *whole,
                const struct rundir_options *options, struct error *err);

/* Looks without making anything: sets `found` if the directory exists.  Its
 * campaign, if any, must be `whole`.  With --resume it refuses what rundir_open
 * would refuse, except for an active run and missing permission to write. */
int rundir_find(struct rundir *dir, const struct campaign *whole,
                const struct campaign_setup *setup,
                const struct rundir_options *options, bool *found,
                struct error *err);

/* Makes the directory, or takes an existing one for --resume or --prepare or
 * another shard of the same campaign.  Stores campaign.yaml; if --resume or
 * --prepare add cells, stores it again with the old seed.  Refuses a path
 * without space or permission to write, with an active run, or with a launch of
 * a killed run that does not end.  `whole`: the campaign before its shard was
 * taken. */
int rundir_open(struct rundir *dir, const struct campaign *whole,
                const struct campaign_setup *setup,
                const struct rundir_options *options, struct error *err);

/* Removes the plans and unfinished manifests of launches that were killed on
 * this host. */
void rundir_clean(const struct rundir *dir);

/* Reserves a launch id (UTC-host-pid-shard) by creating its manifest with
 * "began": false, until the launch replaces it. */
int rundir_reserve(const struct rundir *dir, char id[LAUNCH_ID_SIZE],
                   struct error *err);

/* Appends the line that a launch failed on this cell. */
int rundir_fail(const struct rundir *dir, const char *launch,
                const struct cell *cell, const char *reason, struct error *err);

/* Private functions of rundir.c and folders.c: the directory's name. */

/* Sets dir->path from --out or the time. */
int rundir_choose(struct rundir *dir, const char *campaign, const char *out,
                  struct error *err);

/* Checks that a path fits a line of text, as stored and printed. */
int rundir_check_line(const char *path, struct error *err);

#endif
