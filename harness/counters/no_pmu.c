/* Why the kernel gives no hardware counters. */
#include "harness/counters/papi_events.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* How much the kernel keeps for itself; -9 when it does not say. */
static int paranoid_level(void)
{
    int level = -9;
    FILE *file = fopen("/proc/sys/kernel/perf_event_paranoid", "r");
    if (file == NULL)
        return level;
    if (fscanf(file, "%d", &level) != 1)
        level = -9;
    fclose(file);
    return level;
}

/* Cycles that are counted but do not grow: a virtual machine promised counters
 * that it lacks. */
static bool stands_still(int cycles)
{
    struct {
        uint64_t value, enabled, running;
    } reading = {0};
    for (volatile int i = 0; i < 1000; i++)
        ;
    return read(cycles, &reading, sizeof(reading)) == sizeof(reading) &&
           reading.running > 0 && reading.value == 0;
}

void events_refusal(int code, int paranoid, char *why, size_t size)
{
    if (code == EACCES || code == EPERM)
        snprintf(why, size,
                 paranoid > 2
                     ? "no permission: /proc/sys/kernel/perf_event_paranoid "
                       "is %d, and 2 or less is needed"
                 : paranoid < -1
                     ? "no permission: perf_event_paranoid cannot be read, or "
                       "a container (seccomp) forbids it"
                     : "no permission, though perf_event_paranoid is %d: a "
                       "container (seccomp) forbids it",
                 paranoid);
    else if (code == ENOSYS)
        snprintf(why, size, "this kernel has no performance events");
    else if (code == ENOENT || code == ENODEV || code == EOPNOTSUPP)
        snprintf(why, size,
                 "no PMU: the kernel sees no processor counters (a virtual "
                 "machine?)");
    else
        snprintf(why, size, "the kernel refuses to count cycles: %s",
                 strerror(code));
}

bool events_no_pmu(char *why, size_t size)
{
    struct perf_event_attr cycles = {.type = PERF_TYPE_HARDWARE,
                                     .size = sizeof(cycles),
                                     .config = PERF_COUNT_HW_CPU_CYCLES,
                                     .exclude_kernel = 1,
                                     .exclude_hv = 1,
                                     .read_format =
                                         PERF_FORMAT_TOTAL_TIME_ENABLED |
                                         PERF_FORMAT_TOTAL_TIME_RUNNING};
    long file =
        syscall(SYS_perf_event_open, &cycles, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    int code = errno;
    if (file >= 0) {
        bool still = stands_still((int)file);
        close((int)file);
        if (still)
            snprintf(why, size,
                     "the kernel counts, but this processor's counters stand "
                     "still (a virtual machine?)");
        return still;
    }
    events_refusal(code, paranoid_level(), why, size);
    return true;
}
