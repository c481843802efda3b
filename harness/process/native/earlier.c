/* A launch is found by the path of its worklist, which is in the command lines
 * of its launcher, its ranks and its simulation. */
#include "harness/process/earlier.h"

#include "base/stamp.h"
#include "base/text.h"
#include "harness/process/process.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { WORDS_SIZE = 1 << 15 };

enum { LOOK_US = 50000 }; /* between two looks */

/* The parts of a worklist's path. */
struct worklist_path {
    char directory[PATH_MAX];
    char launch[NAME_MAX + 1];
    struct shard shard;
};

/* DIRECTORY/worklist-LAUNCH.json; false when it is not. */
static bool split_path(const char *path, struct worklist_path *parts)
{
    const char *slash = strrchr(path, '/'), *prefix = "/worklist-";
    const char *end = strrchr(path, '.');
    if (slash == NULL || !text_begins(slash, prefix) || end < slash ||
        strcmp(end, ".json") != 0)
        return false;
    const char *launch = slash + strlen(prefix);
    snprintf(parts->directory, sizeof(parts->directory), "%.*s",
             (int)(slash - path), path);
    snprintf(parts->launch, sizeof(parts->launch), "%.*s", (int)(end - launch),
             launch);
    return shard_parse(parts->launch, &parts->shard);
}

struct search {
    const char *directory, *own;
    const struct shard *shard;
    char *words; /* of a process, WORDS_SIZE bytes */
    struct worklist_path found;
};

/* Simulations of scheme auto run in a folder of the directory. */
static bool is_inside(const char *directory, const char *whole)
{
    size_t length = strlen(whole);
    return strncmp(directory, whole, length) == 0 &&
           (directory[length] == '\0' ||
            strcmp(directory + length, "/auto") == 0);
}

static bool is_conflict(const struct search *search, const char *path)
{
    struct worklist_path of;
    if (!split_path(path, &of) || !is_inside(of.directory, search->directory) ||
        (search->own != NULL && strcmp(of.launch, search->own) == 0))
        return false;
    return shard_overlaps(&of.shard, search->shard);
}

/* Launchers and ranks have "... launch FILE" in their command line, simulations
 * ".../dlsbench-sim FILE" with the path as smpirun needs it. */
static bool runs_launch(pid_t pid, void *arg)
{
    struct search *search = arg;
    size_t length = process_words(pid, search->words, WORDS_SIZE);
    const char *before = "";
    for (const char *word = search->words; word < search->words + length;
         word += strlen(word) + 1) {
        const char *slash = strrchr(before, '/');
        bool simulated = text_is(slash ? slash : "", "/dlsbench-sim");
        char path[PATH_MAX + NAME_MAX];
        snprintf(path, sizeof(path), "%s", word);
        if (simulated)
            text_from_word(path);
        if ((simulated || text_is(before, "launch")) &&
            is_conflict(search, path))
            return split_path(path, &search->found);
        before = word;
    }
    return false;
}

static double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int earlier_await(const char *directory, const struct shard *shard,
                  const char *own, double limit_s, struct error *err)
{
    struct search search = {.directory = directory,
                            .own = own,
                            .shard = shard,
                            .words = malloc(WORDS_SIZE)};
    double deadline = seconds_now() + limit_s;
    pid_t pid = 0;
    char host[65];
    if (search.words == NULL)
        return error_set(err, ENOMEM, "out of memory");
    while ((pid = process_find(runs_launch, &search)) != 0 &&
           seconds_now() < deadline)
        usleep(LOOK_US);
    free(search.words);
    if (pid == 0)
        return 0;
    stamp_host_name(host, sizeof(host));
    return error_set(err, EBUSY,
                     "%s: process %ld still runs launch %s of %s, and would "
                     "disturb this one: wait for its end or end it",
                     host, (long)pid, search.found.launch, directory);
}

/* Each MPI has its own variable for a rank's number on its host. */
static bool is_first_here(void)
{
    static const char *const names[] = {
        "MPI_LOCALRANKID", "OMPI_COMM_WORLD_LOCAL_RANK", "SLURM_LOCALID"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const char *number = getenv(names[i]);
        if (number != NULL)
            return strcmp(number, "0") == 0;
    }
    return true;
}

int earlier_await_worklist(const char *worklist, double limit_s,
                           struct error *err)
{
    struct worklist_path path;
    if (!is_first_here() || !split_path(worklist, &path))
        return 0;
    return earlier_await(path.directory, &path.shard, path.launch, limit_s,
                         err);
}
