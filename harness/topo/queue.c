#include "harness/topo/queue.h"

#include "base/stats.h"

#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LOOKS = 7, PAUSE_NS = 3000000, PROCESSOR_FIELD = 39 };

int queue_processor(void)
{
    return sched_getcpu();
}

/* Fields are counted from 1; the second is the name in brackets and may contain
 * anything, so the third follows the last bracket. */
bool queue_parse(const char *line, bool *running, int *processor)
{
    const char *at = strrchr(line, ')');
    if (at == NULL || at[1] != ' ' || at[2] == '\0')
        return false;
    at += 2;
    *running = *at == 'R';
    for (int field = 3; field < PROCESSOR_FIELD; field++) {
        at = strchr(at, ' ');
        if (at == NULL)
            return false;
        at++;
    }
    return sscanf(at, "%d", processor) == 1;
}

static bool is_number(const char *name)
{
    return name[0] != '\0' && strspn(name, "0123456789") == strlen(name);
}

static bool is_own(pid_t pid, const pid_t *own, int owns)
{
    for (int i = 0; i < owns; i++)
        if (own[i] == pid)
            return true;
    return false;
}

/* Threads may end meanwhile: then there is nothing to read. */
static void look_at_thread(const char *path, const int *processor, int count,
                           int *seen)
{
    char line[1024];
    bool running;
    int on;
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return;
    bool known = fgets(line, sizeof(line), file) != NULL &&
                 queue_parse(line, &running, &on);
    fclose(file);
    for (int i = 0; known && running && i < count; i++)
        seen[i] += processor[i] == on;
}

static void look_at_process(const char *pid, const int *processor, int count,
                            int *seen)
{
    char path[512];
    const struct dirent *entry;
    snprintf(path, sizeof(path), "/proc/%s/task", pid);
    DIR *tasks = opendir(path);
    if (tasks == NULL)
        return;
    while ((entry = readdir(tasks)) != NULL) {
        if (!is_number(entry->d_name))
            continue;
        snprintf(path, sizeof(path), "/proc/%s/task/%s/stat", pid,
                 entry->d_name);
        look_at_thread(path, processor, count, seen);
    }
    closedir(tasks);
}

static int look_at_all(const int *processor, int count, const pid_t *own,
                       int owns, int *seen, struct error *err)
{
    const struct dirent *entry;
    DIR *all = opendir("/proc");
    if (all == NULL)
        return error_set(err, errno, "cannot count running threads: /proc: %s",
                         strerror(errno));
    while ((entry = readdir(all)) != NULL)
        if (is_number(entry->d_name) &&
            !is_own((pid_t)atol(entry->d_name), own, owns))
            look_at_process(entry->d_name, processor, count, seen);
    closedir(all);
    return 0;
}

int queue_count(const int *processor, int count, const pid_t *own, int owns,
                int *foreign, struct error *err)
{
    const struct timespec pause = {.tv_nsec = PAUSE_NS};
    int code = 0;
    int *seen = calloc((size_t)count * LOOKS + 1, sizeof(*seen));
    if (seen == NULL)
        return error_set(err, ENOMEM, "out of memory");
    for (int k = 0; k < LOOKS && code == 0; k++) {
        code = look_at_all(processor, count, own, owns, seen + k * count, err);
        nanosleep(&pause, NULL);
    }
    if (code == 0) {
        /* seen[look][processor] -> foreign[processor] */
        for (int i = 0; i < count; i++) {
            double value[LOOKS];
            for (int k = 0; k < LOOKS; k++)
                value[k] = seen[k * count + i];
            foreign[i] = (int)stats_middle(value, LOOKS);
        }
    }
    free(seen);
    return code;
}
