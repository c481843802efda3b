/* The files of a launch: its reserved id, the line of its failure, and the
 * remains of killed launches. */
#include "bench/results/rundir.h"

#include "base/file.h"
#include "base/folder.h"
#include "base/stamp.h"
#include "harness/record/record.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Whether the launch of this file began on this host, by a process that is not
 * there any more: UTC-host-pid-shard. */
static bool was_killed(const char *path, const char *kind)
{
    char host[STAMP_HOST_SIZE], mine[80];
    stamp_host(host);
    int length = snprintf(mine, sizeof(mine), "Z-%s-", host);
    const char *found = strstr(strrchr(path, '/') + strlen(kind) + 1, mine);
    int pid = found != NULL ? atoi(found + length) : 0;
    return pid > 0 &&
           (pid == getpid() || (kill(pid, 0) != 0 && errno == ESRCH));
}

void rundir_clean(const struct rundir *dir)
{
    static const char *const kinds[][2] = {{"worklist-", ".json"},
                                           {"manifest-", ".json.part"}};
    for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
        struct folder found;
        if (folder_find(dir->full, kinds[k][0], kinds[k][1], &found, NULL) != 0)
            continue;
        for (int i = 0; i < found.count; i++)
            if (was_killed(found.path[i], kinds[k][0]))
                file_discard(found.path[i]);
        folder_free(&found);
    }
}

int rundir_reserve(const struct rundir *dir, char id[LAUNCH_ID_SIZE],
                   struct error *err)
{
    char path[PATH_MAX], launch[STAMP_LAUNCH_SIZE], part[64];
    shard_print(&dir->shard, part, sizeof(part));
    for (int tries = 0; tries < 100; tries++) {
        struct timespec now;
        clock_gettime(CLOCK_REALTIME, &now);
        stamp_launch(&now, launch);
        snprintf(id, LAUNCH_ID_SIZE, "%s-%s", launch, part);
        snprintf(path, sizeof(path), "%s/manifest-%s.json", dir->path, id);
        int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0) {
            dprintf(fd,
                    "{\"schema\": %d, \"launch\": \"%s\", \"began\": false}\n",
                    RECORD_SCHEMA, id);
            close(fd);
            return 0;
        }
        if (errno != EEXIST)
            return error_set(err, errno, "%s: cannot create: %s", path,
                             strerror(errno));
        usleep(1000);
    }
    return error_set(err, EEXIST, "%s: cannot reserve a launch", dir->path);
}

int rundir_fail(const struct rundir *dir, const char *launch,
                const struct cell *cell, const char *reason, struct error *err)
{
    struct record_file file;
    struct error ignored;
    int code = record_open(&file, dir->path, "runs", launch, err);
    if (code != 0)
        return code;
    code = record_done(&file, cell_to_json(cell), launch, "failed", 0, reason,
                       err);
    if (code == 0)
        code = record_sync(&file, err);
    record_close(&file, &ignored);
    return code;
}
