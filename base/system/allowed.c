/* Reads files below `root`: the affinity mask, the processors that are online,
 * and cpusets and CPU quotas of control groups.  Of all quotas the smallest
 * counts. */
#include "base/system/allowed.h"

#include "base/system/groups.h"
#include "base/text.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_SIZE = 2200, LINE_SIZE = 256 };

/* ---- sets ---- */

bool allowed_has(const struct allowed_set *set, int processor)
{
    return processor < ALLOWED_PROCESSORS &&
           (set->word[processor / 64] >> (processor % 64) & 1) != 0;
}

int allowed_count(const struct allowed_set *set)
{
    int count = 0;
    for (int i = 0; i < ALLOWED_WORDS; i++)
        count += __builtin_popcountll(set->word[i]);
    return count;
}

void allowed_text(const struct allowed_set *set, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < ALLOWED_PROCESSORS && used < size; i++) {
        int last = i;
        if (!allowed_has(set, i))
            continue;
        while (allowed_has(set, last + 1))
            last++;
        const char *comma = used > 0 ? "," : "";
        used += (size_t)(last == i ? snprintf(text + used, size - used, "%s%d",
                                              comma, i)
                                   : snprintf(text + used, size - used,
                                              "%s%d-%d", comma, i, last));
        i = last;
    }
}

/* Reads a list such as "0-3,8"; false: it is no list. */
static bool read_list(const char *text, struct allowed_set *set)
{
    *set = (struct allowed_set){{0}};
    for (;;) {
        char *end;
        unsigned long first = strtoul(text, &end, 10), last = first;
        if (end == text)
            return false;
        if (*end == '-')
            last = strtoul(end + 1, &end, 10);
        for (; first <= last && first < ALLOWED_PROCESSORS; first++)
            set->word[first / 64] |= (uint64_t)1 << (first % 64);
        if (*end != ',')
            return true;
        text = end + 1;
    }
}

/* ---- files ---- */

static FILE *open_in(const char *folder, const char *name)
{
    char path[PATH_SIZE];
    snprintf(path, sizeof(path), "%s%s", folder, name);
    return fopen(path, "re");
}

/* The first line.  Returns 0 or errno. */
static int read_line(const char *folder, const char *name, char line[LINE_SIZE])
{
    FILE *file = open_in(folder, name);
    if (file == NULL)
        return errno;
    errno = 0;
    bool read = fgets(line, LINE_SIZE, file) != NULL;
    int code = read ? 0 : errno != 0 ? errno : ENODATA;
    fclose(file);
    return code;
}

/* Reads the list after `name` in a file, or the whole line if `name` is empty;
 * false: not found. */
static bool read_set(const char *folder, const char *path, const char *name,
                     struct allowed_set *set)
{
    char *line = NULL;
    size_t size = 0;
    bool found = false;
    FILE *file = open_in(folder, path);
    while (file != NULL && !found && getline(&line, &size, file) > 0)
        found = text_begins(line, name) && read_list(line + strlen(name), set);
    free(line);
    if (file != NULL)
        fclose(file);
    return found;
}

/* ---- control groups ---- */

struct visit {
    struct allowed *allowed;
    const char *root;
};

/* The quota's two numbers: "max 100000" and "150000 100000" of version 2, two
 * files of version 1, where -1 is no limit.  A group without the file sets
 * none. */
static void look_quota(void *into, const char *folder, int version)
{
    const struct visit *visit = into;
    struct allowed *allowed = visit->allowed;
    const char *name = version == 2 ? "/cpu.max" : "/cpu.cfs_quota_us";
    char line[LINE_SIZE] = "", second[LINE_SIZE] = "";
    double quota, period = 100000;
    int code = read_line(folder, name, line);
    if (code == 0 && version == 1)
        code = read_line(folder, "/cpu.cfs_period_us", second);
    if (code == ENOENT || (code == 0 && strncmp(line, "max", 3) == 0))
        return;
    int numbers = version == 2 ? sscanf(line, "%lf %lf", &quota, &period)
                               : sscanf(line, "%lf", &quota) +
                                     sscanf(second, "%lf", &period);
    if (code != 0 || numbers < 1 || (version == 1 && numbers < 2) ||
        !(period > 0)) {
        snprintf(visit->allowed->unknown, sizeof(visit->allowed->unknown),
                 "%.120s%s: %.50s", folder + strlen(visit->root), name,
                 code != 0 ? strerror(code) : "not a quota");
        return;
    }
    if (quota < 0 || quota / period >= allowed->quota)
        return;
    allowed->quota = quota / period;
    snprintf(allowed->quota_file, sizeof(allowed->quota_file), "%.200s%s",
             folder + strlen(visit->root), name);
}

/* A group's cpuset is within those above it. */
static void look_cpuset(void *into, const char *folder, int version)
{
    static const char *const names[3][2] = {
        [1] = {"/cpuset.effective_cpus", "/cpuset.cpus"},
        [2] = {"/cpuset.cpus.effective", "/cpuset.cpus"}};
    const struct visit *visit = into;
    struct allowed_set set;
    for (int i = 0; i < 2 && visit->allowed->cpuset == 0; i++)
        if (read_set(folder, names[version][i], "", &set))
            visit->allowed->cpuset = allowed_count(&set);
}

void allowed_read(const char *root, struct allowed *allowed)
{
    struct visit visit = {allowed, root};
    char why[sizeof(allowed->unknown)] = "";
    *allowed = (struct allowed){.quota = INFINITY};
    read_set(root, "/proc/self/status", "Cpus_allowed_list:", &allowed->mask);
    if (read_set(root, "/sys/devices/system/cpu/online", "", &allowed->online))
        allowed->machine = allowed_count(&allowed->online);
    /* The mask may have processors that could be plugged in. */
    for (int i = 0; allowed->machine > 0 && i < ALLOWED_WORDS; i++)
        allowed->mask.word[i] &= allowed->online.word[i];
    groups_visit(root, "cpuset", look_cpuset, &visit, why, sizeof(why));
    if (!groups_visit(root, "cpu", look_quota, &visit, why, sizeof(why)))
        memcpy(allowed->unknown, why, sizeof(why));
}

enum allowed_by allowed_by(const struct allowed *allowed, int processors)
{
    if (allowed->quota < processors)
        return ALLOWED_QUOTA;
    if (allowed->cpuset > 0 ? processors < allowed->cpuset
                            : processors < allowed->machine)
        return ALLOWED_MASK;
    return processors < allowed->machine ? ALLOWED_CPUSET : ALLOWED_MACHINE;
}
