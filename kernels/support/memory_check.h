/* Refuses an instance that does not fit before anything is allocated: Linux
 * hands out more memory than exists and later kills the process. */
#ifndef KERNELS_SUPPORT_MEMORY_CHECK_H
#define KERNELS_SUPPORT_MEMORY_CHECK_H

#include "base/error.h"

/* Checks that `bytes` (a real number, so that it cannot overflow) are
 * available; `kernel` and `what` open the message, for example "adjoint" and
 * "2 arrays of 10000 numbers".  Returns 0, or -ENOMEM with a text. */
int kernel_memory_check(const char *kernel, const char *what, double bytes,
                        struct error *err);

#endif
