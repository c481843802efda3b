/* Functions of a shared library, called like from a user's program. */
#ifndef BENCH_OVERHEAD_LIBRARY_H
#define BENCH_OVERHEAD_LIBRARY_H

#include "base/error.h"

struct library_function {
    const char *name; /* NULL ends a list */
    void *pointer;    /* where to store the function's address */
};

/* Returns 0, or -ENOENT if one is missing. */
int library_functions(void *library, const struct library_function *functions,
                      struct error *err);

#endif
