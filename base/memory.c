#include "base/memory.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { PATH_SIZE = 4096 };

/* ---- the system ---- */

static FILE *open_below(const char *root, const char *path, const char *name)
{
    char full[2 * PATH_SIZE];
    snprintf(full, sizeof(full), "%s%s%s", root, path, name);
    return fopen(full, "re");
}

/* MemAvailable counts caches that can be dropped; sysconf knows only free
 * pages and is the fallback. */
static double system_available(const char *root)
{
    double kib = -1;
    char line[256];
    FILE *file = open_below(root, "/proc/meminfo", "");
    while (file != NULL && kib < 0 && fgets(line, sizeof(line), file) != NULL)
        if (sscanf(line, "MemAvailable: %lf kB", &kib) != 1)
            kib = -1;
    if (file != NULL)
        fclose(file);
    if (kib >= 0)
        return kib * 1024;
    long pages = sysconf(_SC_AVPHYS_PAGES);
    long page = sysconf(_SC_PAGESIZE);
    return pages < 0 || page < 0 ? -1 : (double)pages * (double)page;
}

/* ---- control groups, version 1 and 2 ---- */

struct names {
    const char *mount, *limit, *usage, *inactive, *active;
};

static const struct names version_1 = {
    "/sys/fs/cgroup/memory", "/memory.limit_in_bytes", "/memory.usage_in_bytes",
    "total_inactive_file", "total_active_file"};
static const struct names version_2 = {"/sys/fs/cgroup", "/memory.max",
                                       "/memory.current", "inactive_file",
                                       "active_file"};

/* One number; "max" or a missing file: -1, not known. */
static double read_number(const char *root, const char *folder,
                          const char *name)
{
    double value = -1;
    FILE *file = open_below(root, folder, name);
    if (file == NULL)
        return -1;
    if (fscanf(file, "%lf", &value) != 1)
        value = -1;
    fclose(file);
    return value;
}

static double cached_files(const char *root, const char *folder,
                           const struct names *names)
{
    char key[64];
    double value, sum = 0;
    FILE *file = open_below(root, folder, "/memory.stat");
    if (file == NULL)
        return 0;
    while (fscanf(file, "%63s %lf", key, &value) == 2)
        if (strcmp(key, names->inactive) == 0 ||
            strcmp(key, names->active) == 0)
            sum += value;
    fclose(file);
    return sum;
}

/* The memory that one group leaves; infinite where it sets no limit. */
static double group_left(const char *root, const char *folder,
                         const struct names *names)
{
    double limit = read_number(root, folder, names->limit);
    double usage = read_number(root, folder, names->usage);
    if (limit < 0 || usage < 0)
        return INFINITY;
    double left = limit - usage + cached_files(root, folder, names);
    return left > 0 ? left : 0;
}

/* A group and all above it.  In a container the path may be the host's: then
 * only the top of the mount is there. */
static double groups_left(const char *root, const char *path,
                          const struct names *names)
{
    char folder[PATH_SIZE];
    size_t mount = strlen(names->mount);
    double least = INFINITY;
    snprintf(folder, sizeof(folder), "%s%s", names->mount, path);
    for (;;) {
        least = fmin(least, group_left(root, folder, names));
        char *slash = strrchr(folder, '/');
        if (slash == NULL || (size_t)(slash - folder) < mount)
            return least;
        *slash = '\0';
    }
}

/* A line of /proc/self/cgroup: number:controllers:path. */
static double line_left(const char *root, char *line)
{
    char *rest, *controllers = strchr(line, ':');
    char *path = controllers ? strchr(controllers + 1, ':') : NULL;
    if (path == NULL)
        return INFINITY;
    line[strcspn(line, "\n")] = '\0';
    *path++ = '\0';
    controllers++;
    if (*controllers == '\0')
        return groups_left(root, path, &version_2);
    for (char *name = strtok_r(controllers, ",", &rest); name;
         name = strtok_r(NULL, ",", &rest))
        if (strcmp(name, "memory") == 0)
            return groups_left(root, path, &version_1);
    return INFINITY;
}

double memory_available_below(const char *root)
{
    char line[PATH_SIZE];
    double least = system_available(root);
    FILE *file = open_below(root, "/proc/self/cgroup", "");
    if (least < 0)
        least = INFINITY;
    while (file != NULL && fgets(line, sizeof(line), file) != NULL)
        least = fmin(least, line_left(root, line));
    if (file != NULL)
        fclose(file);
    return isfinite(least) ? least : -1;
}

double memory_available(void)
{
    return memory_available_below("");
}
