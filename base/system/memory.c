/* The least of what the system has and of what each control group leaves.
 * Cached files count as free, because the kernel can drop them. */
#include "base/system/memory.h"

#include "base/system/groups.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { PATH_SIZE = 4096 };

/* ---- the system ---- */

static FILE *open_below(const char *folder, const char *name)
{
    char full[4 * PATH_SIZE];
    snprintf(full, sizeof(full), "%s%s", folder, name);
    return fopen(full, "re");
}

/* MemAvailable counts caches that can be dropped; sysconf knows only free
 * pages and is the fallback. */
static double system_available(const char *root)
{
    double kib = -1;
    char line[256];
    FILE *file = open_below(root, "/proc/meminfo");
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

/* ---- control groups ---- */

struct names {
    const char *limit, *usage, *inactive, *active;
};

static const struct names versions[] = {
    [1] = {"/memory.limit_in_bytes", "/memory.usage_in_bytes",
           "total_inactive_file", "total_active_file"},
    [2] = {"/memory.max", "/memory.current", "inactive_file", "active_file"}};

/* One number; "max" or a missing file: -1, not known. */
static double read_number(const char *folder, const char *name)
{
    double value = -1;
    FILE *file = open_below(folder, name);
    if (file == NULL)
        return -1;
    if (fscanf(file, "%lf", &value) != 1)
        value = -1;
    fclose(file);
    return value;
}

static double cached_files(const char *folder, const struct names *names)
{
    char key[64];
    double value, sum = 0;
    FILE *file = open_below(folder, "/memory.stat");
    if (file == NULL)
        return 0;
    while (fscanf(file, "%63s %lf", key, &value) == 2)
        if (strcmp(key, names->inactive) == 0 ||
            strcmp(key, names->active) == 0)
            sum += value;
    fclose(file);
    return sum;
}

/* The memory that one group leaves, where it sets a limit. */
static void look_at_group(void *into, const char *folder, int version)
{
    double *least = into;
    const struct names *names = &versions[version];
    double limit = read_number(folder, names->limit);
    double usage = read_number(folder, names->usage);
    if (limit < 0 || usage < 0)
        return;
    double left = limit - usage + cached_files(folder, names);
    *least = fmin(*least, fmax(left, 0));
}

double memory_available_below(const char *root)
{
    char why[256];
    double least = system_available(root);
    if (least < 0)
        least = INFINITY;
    groups_visit(root, "memory", look_at_group, &least, why, sizeof(why));
    return isfinite(least) ? least : -1;
}

double memory_available(void)
{
    return memory_available_below("");
}
