/* The files that come with this program: campaigns, papers, platforms.  In a
 * checkout they are below its top folder, in an installation below
 * PREFIX/share/dlsbench, under the same names.  A program in another build
 * folder knows the checkout from which it was built. */
#ifndef BENCH_LAUNCHING_INSTALLED_H
#define BENCH_LAUNCHING_INSTALLED_H

#include <stddef.h>

/* The path of `name`, such as "bench/campaigns".  Returns 0, or -ENOENT if it
 * is missing or its path is longer than `size`. */
int installed_find(const char *name, char *path, size_t size);

/* installed_find for a library that is loaded into other programs, such as
 * "libdls-omp.so": in LIBDIR/dlsbench, or in lib/ of the build. */
int installed_library(const char *name, char *path, size_t size);

#endif
