#include "kernels/support/memory_check.h"

#include "base/system/memory.h"

#include <errno.h>

int kernel_memory_check(const char *kernel, const char *what, double bytes,
                        struct error *err)
{
    double available = memory_available();
    if (available < 0 || bytes <= available)
        return 0;
    return error_set(err, ENOMEM,
                     "kernel %s: %s need %.1f MiB, available are %.1f MiB",
                     kernel, what, bytes / 0x1p20, available / 0x1p20);
}
