/* Checks of files below /sys and /proc: cores, quota, other load, clock. */
#include "bench/doctor/doctor.h"

#include "base/file.h"
#include "base/folder.h"
#include "base/stats.h"
#include "base/system/groups.h"

#include <dirent.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>

enum { PATH_SIZE = 1024 };

static const double MEGABYTE = 1024 * 1024;

void doctor_open(struct doctor *doctor, const char *root)
{
    *doctor = (struct doctor){.root = root};
    allowed_read(root, &doctor->allowed);
}

void doctor_add(struct doctor *doctor, enum health health, const char *name,
                const char *format, ...)
{
    va_list arguments;
    if (doctor->count == DOCTOR_FINDINGS)
        return;
    struct finding *finding = &doctor->list[doctor->count++];
    finding->health = health;
    finding->name = name;
    va_start(arguments, format);
    vsnprintf(finding->text, sizeof(finding->text), format, arguments);
    va_end(arguments);
}

int doctor_count(const struct doctor *doctor, enum health health)
{
    int count = 0;
    for (int i = 0; i < doctor->count; i++)
        count += doctor->list[i].health == health;
    return count;
}

/* The first line of a file below the root. */
static bool read_line(const struct doctor *doctor, const char *name, char *text,
                      size_t size)
{
    char path[PATH_SIZE];
    snprintf(path, sizeof(path), "%s%s", doctor->root, name);
    return file_first_line(path, text, size);
}

/* ---- cores ---- */

void doctor_cores(struct doctor *doctor)
{
    char mask[64];
    const struct allowed *allowed = &doctor->allowed;
    int mine = allowed_count(&allowed->mask);
    if (mine == 0) {
        doctor_add(doctor, HEALTH_WARNING, "cores",
                   "the processors of this process cannot be read");
        return;
    }
    allowed_text(&allowed->mask, mask, sizeof(mask));
    if (mine == 1 && allowed->machine > 1)
        doctor_add(doctor, HEALTH_BAD, "cores",
                   "this process may use processor %s alone, of %d: ask for "
                   "more (taskset, srun --cpus-per-task, docker --cpuset-cpus)",
                   mask, allowed->machine);
    else if (mine < allowed->machine)
        doctor_add(doctor, HEALTH_WARNING, "cores",
                   "this process may use %d of %d processors (%s), by %s", mine,
                   allowed->machine, mask,
                   allowed_by(allowed, mine) == ALLOWED_CPUSET
                       ? "its cpuset"
                       : "its affinity mask");
    else
        doctor_add(doctor, HEALTH_FINE, "cores",
                   "this process may use all %d processors", mine);
}

struct throttled {
    double times, seconds; /* of all groups together */
};

static void look_throttled(void *into, const char *folder, int version)
{
    struct throttled *throttled = into;
    char path[PATH_SIZE], line[128];
    double value;
    (void)version;
    snprintf(path, sizeof(path), "%s/cpu.stat", folder);
    FILE *file = fopen(path, "r");
    while (file != NULL && fgets(line, sizeof(line), file) != NULL)
        if (sscanf(line, "nr_throttled %lf", &value) == 1)
            throttled->times += value;
        else if (sscanf(line, "throttled_time %lf", &value) == 1)
            throttled->seconds += 1e-9 * value;
        else if (sscanf(line, "throttled_usec %lf", &value) == 1)
            throttled->seconds += 1e-6 * value;
    if (file != NULL)
        fclose(file);
}

static struct throttled read_throttled(const struct doctor *doctor)
{
    struct throttled throttled = {0};
    char why[200];
    groups_visit(doctor->root, "cpu", look_throttled, &throttled, why,
                 sizeof(why));
    return throttled;
}

double doctor_throttled(const struct doctor *doctor)
{
    return read_throttled(doctor).seconds;
}

void doctor_quota(struct doctor *doctor)
{
    const struct allowed *allowed = &doctor->allowed;
    double times = read_throttled(doctor).times;
    char fewer[40] = "";
    int mine = allowed_count(&allowed->mask);
    if (isfinite(allowed->quota) && allowed->quota >= 1)
        snprintf(fewer, sizeof(fewer), "use at most %d, or ",
                 (int)allowed->quota);
    if (isfinite(allowed->quota) && allowed->quota < mine)
        doctor_add(doctor, HEALTH_BAD, "quota",
                   "%.4g of %d processors' time, by %s: workers are stopped "
                   "until it is filled up; %sraise it",
                   allowed->quota, mine, allowed->quota_file, fewer);
    else if (times > 0)
        doctor_add(doctor, HEALTH_WARNING, "quota",
                   "a control group of this process was stopped %.0f times "
                   "for its CPU quota",
                   times);
    else if (allowed->unknown[0] != '\0')
        doctor_add(doctor, HEALTH_WARNING, "quota", "not known: %s",
                   allowed->unknown);
    else
        doctor_add(doctor, HEALTH_FINE, "quota",
                   "no CPU quota below the processors (groups outside of a "
                   "container cannot be seen)");
}

/* ---- others ---- */

void doctor_pressure(struct doctor *doctor)
{
    char line[128];
    double share;
    if (!read_line(doctor, "/proc/pressure/cpu", line, sizeof(line)) ||
        sscanf(line, "some avg10=%lf", &share) != 1)
        return;
    doctor_add(
        doctor, share > 5 ? HEALTH_WARNING : HEALTH_FINE, "waiting",
        "some thread waited for a core during %.0f %% of the last 10 s%s",
        share, share > 5 ? ": wait until it is quiet" : "");
}

/* Shares of the cores that do not matter. */
static const double OTHERS_FINE = 0.02, STOLEN_FINE = 0.005;

bool doctor_others(struct doctor *doctor, const struct busy *before,
                   const struct busy *after, double seconds)
{
    if (before->processors == 0 || after->processors == 0 || seconds <= 0) {
        doctor_add(doctor, HEALTH_WARNING, "others",
                   "/proc/stat cannot be read: nobody knows what else runs");
        return false;
    }
    double all = seconds * after->processors;
    double stolen = fmax(after->stolen_s - before->stolen_s, 0) / all;
    /* Ticks of the kernel are as long as a percent of the second. */
    double others = (after->seconds - before->seconds) / all - stolen;
    others = fmin(fmax(others, 0), 1);
    doctor_add(
        doctor,
        others > 0.2           ? HEALTH_BAD
        : others > OTHERS_FINE ? HEALTH_WARNING
                               : HEALTH_FINE,
        "others", "other processes had %.1f %% of the cores%s", 100 * others,
        others > OTHERS_FINE ? ": end them, or wait (top shows them)" : "");
    doctor_add(doctor,
               stolen > 0.05          ? HEALTH_BAD
               : stolen > STOLEN_FINE ? HEALTH_WARNING
                                      : HEALTH_FINE,
               "hypervisor", "the hypervisor took %.1f %% of the cores%s",
               100 * stolen,
               stolen > STOLEN_FINE ? ": other virtual machines run there"
                                    : "");
    return others <= OTHERS_FINE && stolen <= STOLEN_FINE;
}

void doctor_handover(struct doctor *doctor, const double *seconds, int count)
{
    /* One that was interrupted is no state. */
    enum { OUTLIERS = 2 };
    double sorted[STATS_SPLIT_MAX];
    memcpy(sorted, seconds, (size_t)count * sizeof(*sorted));
    stats_sort(sorted, count);
    count -= OUTLIERS;
    int below = 0;
    double border = stats_split(sorted, count, 2);
    while (below < count && sorted[below] < border)
        below++;
    if (below <= OUTLIERS || below == count)
        doctor_add(doctor, HEALTH_FINE, "hand-over",
                   "a core sees what another one wrote after %.0f ns",
                   1e9 * sorted[count / 2]);
    else
        doctor_add(doctor, HEALTH_WARNING, "hand-over",
                   "a core sees what another one wrote after %.0f ns at times "
                   "and after %.0f ns at others: times change with it, compare "
                   "runs of the same state only ('dlsbench compare' does)",
                   1e9 * sorted[below / 2],
                   1e9 * sorted[below + (count - below) / 2]);
}

void doctor_governor(struct doctor *doctor)
{
    char governor[64];
    if (read_line(doctor,
                  "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor",
                  governor, sizeof(governor)))
        doctor_add(doctor, HEALTH_FINE, "governor", "the clock is set by '%s'",
                   governor);
}

void doctor_clock_source(struct doctor *doctor, double ns)
{
    char source[64];
    bool fast = ns <= 100;
    if (!read_line(doctor,
                   "/sys/devices/system/clocksource/clocksource0/"
                   "current_clocksource",
                   source, sizeof(source)))
        strcpy(source, "an unknown source");
    doctor_add(doctor, fast ? HEALTH_FINE : HEALTH_WARNING, "clock",
               "a reading of the time takes %.0f ns (%s)%s", ns, source,
               fast ? "" : ": --timing chunk costs several a chunk");
}

const char *doctor_taker(const struct busy *before, const struct busy *after,
                         double throttled_s, double lost_s)
{
    double stolen_s = after->stolen_s - before->stolen_s;
    double others_s = after->seconds - before->seconds - stolen_s;
    if (throttled_s > lost_s / 2)
        return "a CPU quota takes the rest";
    if (before->processors == 0 || after->processors == 0)
        return "nobody knows who takes the rest";
    if (stolen_s > lost_s / 2)
        return "the hypervisor takes the rest";
    if (others_s > lost_s / 2)
        return "other processes have it meanwhile";
    return "a quota outside of this container, or the hypervisor, may take the "
           "rest: no process here has that core meanwhile";
}

void doctor_speed(struct doctor *doctor, double share, double ratio,
                  const char *taker)
{
    bool same = ratio > 0.97 && ratio < 1.03;
    doctor_add(doctor,
               share < 0.8    ? HEALTH_BAD
               : share < 0.97 ? HEALTH_WARNING
                              : HEALTH_FINE,
               "own core",
               "a thread that computes for a second has %.0f %% of "
               "a core%s%s",
               100 * share, share < 0.97 ? ": " : "",
               share < 0.97 ? taker : "");
    if (share < 0.97)
        return;
    doctor_add(doctor, same ? HEALTH_FINE : HEALTH_WARNING, "frequency",
               "in its first 50 ms a thread is %.2f times as fast as after a "
               "second%s",
               ratio,
               same ? ""
               : ratio < 1
                   ? ": the clock rises, or others slowed it; first "
                     "repetitions are slow"
                   : ": the clock falls, or others slow it; long runs are "
                     "slower");
}

/* ---- limits ---- */

static void check_room(struct doctor *doctor, const char *name,
                       const char *folder, double least, const char *what)
{
    struct statvfs info;
    char path[PATH_SIZE];
    snprintf(path, sizeof(path), "%s%s", doctor->root, folder);
    if (statvfs(path, &info) != 0) {
        doctor_add(doctor, HEALTH_BAD, name, "%s cannot be used", folder);
        return;
    }
    double room = (double)info.f_bavail * (double)info.f_frsize;
    bool writes = (info.f_flag & ST_RDONLY) == 0;
    doctor_add(doctor, room >= least && writes ? HEALTH_FINE : HEALTH_BAD, name,
               writes ? "%s has %.0f MB free%s" : "%s is read-only", folder,
               room / MEGABYTE, room >= least ? "" : what);
}

static void check_limit(struct doctor *doctor, const char *name, int resource,
                        double least, const char *what)
{
    struct rlimit limit;
    if (getrlimit((__rlimit_resource_t)resource, &limit) != 0 ||
        limit.rlim_cur == RLIM_INFINITY || (double)limit.rlim_cur >= least)
        return;
    doctor_add(doctor, HEALTH_WARNING, name, "%.0f are allowed%s",
               (double)limit.rlim_cur, what);
}

/* The least room below a limit on processes and threads of a control group. */
static void look_tasks(void *into, const char *folder, int version)
{
    double *room = into, most, now;
    char path[PATH_SIZE], line[64];
    (void)version;
    snprintf(path, sizeof(path), "%s/pids.max", folder);
    if (!file_first_line(path, line, sizeof(line)) ||
        sscanf(line, "%lf", &most) != 1)
        return;
    snprintf(path, sizeof(path), "%s/pids.current", folder);
    if (file_first_line(path, line, sizeof(line)) &&
        sscanf(line, "%lf", &now) == 1)
        *room = fmin(*room, most - now);
}

static void check_tasks(struct doctor *doctor)
{
    double room = INFINITY;
    char why[200];
    groups_visit(doctor->root, "pids", look_tasks, &room, why, sizeof(why));
    if (room < 512)
        doctor_add(doctor, HEALTH_WARNING, "tasks",
                   "a control group allows %.0f more processes and threads: "
                   "ranks need more (docker --pids-limit)",
                   fmax(room, 0));
}

static bool has_infiniband(const struct doctor *doctor)
{
    char path[PATH_SIZE];
    snprintf(path, sizeof(path), "%s/sys/class/infiniband", doctor->root);
    DIR *folder = opendir(path);
    int entries = 0;
    while (folder != NULL && entries < 3 && readdir(folder) != NULL)
        entries++;
    if (folder != NULL)
        closedir(folder);
    return entries > 2;
}

void doctor_limits(struct doctor *doctor)
{
    int ranks = allowed_count(&doctor->allowed.mask);
    check_room(doctor, "shared memory", "/dev/shm",
               (64 + 16.0 * (ranks > 2 ? ranks : 2)) * MEGABYTE,
               ": MPI needs more for its ranks (docker --shm-size)");
    check_room(doctor, "scratch", scratch_base(), 16 * MEGABYTE,
               ": set TMPDIR to a folder with more room");
    check_limit(doctor, "open files", RLIMIT_NOFILE, 1024,
                ": many ranks need more (ulimit -n)");
    check_limit(doctor, "processes", RLIMIT_NPROC, 512,
                ": ranks and their threads need more (ulimit -u)");
    check_tasks(doctor);
    if (has_infiniband(doctor))
        check_limit(doctor, "locked memory", RLIMIT_MEMLOCK, 1 << 26,
                    " bytes: InfiniBand needs more (ulimit -l)");
}
