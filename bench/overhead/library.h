/* Functions of a shared library, called as a user's program calls them. */
#ifndef BENCH_OVERHEAD_LIBRARY_H
#define BENCH_OVERHEAD_LIBRARY_H

#include "base/error.h"

struct library_function {
    const char *name; /* NULL ends a list */
    void *pointer;    /* where the address of the function goes */
};

/* Returns 0, or -ENOENT if one is missing. */
int library_functions(void *library, const struct library_function *functions,
                      struct error *err);

#endif
