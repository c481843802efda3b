#include "kernels/support/memory.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

/* MemAvailable counts caches that can be dropped; sysconf knows only free
 * pages and is the fallback.  Negative: not known. */
static double available_bytes(void)
{
    double kib = -1;
    FILE *file = fopen("/proc/meminfo", "r");
    if (file != NULL) {
        char line[128];
        while (kib < 0 && fgets(line, sizeof(line), file) != NULL)
            if (sscanf(line, "MemAvailable: %lf kB", &kib) != 1)
                kib = -1;
        fclose(file);
    }
    if (kib >= 0)
        return kib * 1024;
    long pages = sysconf(_SC_AVPHYS_PAGES);
    long page = sysconf(_SC_PAGESIZE);
    return pages < 0 || page < 0 ? -1 : (double)pages * (double)page;
}

int kernel_memory_check(const char *kernel, const char *what, double bytes,
                        struct error *err)
{
    double available = available_bytes();
    if (available < 0 || bytes <= available)
        return 0;
    return error_set(err, ENOMEM,
                     "kernel %s: %s need %.1f MiB, available are %.1f MiB",
                     kernel, what, bytes / 0x1p20, available / 0x1p20);
}
