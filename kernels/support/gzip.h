/* Files that gzip has compressed, read as if they were not. */
#ifndef KERNELS_SUPPORT_GZIP_H
#define KERNELS_SUPPORT_GZIP_H

#include <stdbool.h>
#include <stdio.h>

/* No compressed byte stands for more. */
enum { GZIP_RATIO = 1032 };

/* A file that is open at its beginning: itself, or, where its first bytes are
 * those of gzip, a stream of its contents, in whose place it is closed. *packed
 * says which.  NULL: out of memory, and the file is closed. */
FILE *gzip_open(FILE *file, bool *packed);

#endif
