/* The files that come with this program: campaigns, papers, platforms.  In a
 * checkout they are below its top folder, when installed below
 * PREFIX/share/dlsbench, in both under the same names.  A program in a build
 * folder elsewhere knows the checkout that it was built from. */
#ifndef BENCH_LAUNCHING_INSTALLED_H
#define BENCH_LAUNCHING_INSTALLED_H

#include <stddef.h>

/* The path of `name`, such as "bench/campaigns".  Returns 0, or -ENOENT when it
 * is not there or its path is longer than `size`. */
int installed_find(const char *name, char *path, size_t size);

/* The same of a library that is loaded into other programs, such as
 * "libdls-omp.so": in LIBDIR/dlsbench, or in lib/ of the build. */
int installed_library(const char *name, char *path, size_t size);

#endif
