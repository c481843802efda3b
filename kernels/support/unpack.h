/* Files of users, uncompressed or compressed by gzip, xz or zstd. */
#ifndef KERNELS_SUPPORT_UNPACK_H
#define KERNELS_SUPPORT_UNPACK_H

#include "base/error.h"

#include <stdio.h>

/* Opens a regular file.  Where its first bytes say that it is compressed, *file
 * is a stream of its contents; several members are one after the other.  That
 * stream fails at its end: ENODATA: it was cut off; EBADMSG: it is damaged;
 * EILSEQ: something else follows; EFBIG: it grows beyond the memory that is
 * available (file_why of base/file.h has the words).  `most` (or NULL) is at
 * least the bytes that the contents have.  `what` begins messages.  Returns 0,
 * -ENOENT, -EINVAL (also: left out of this build) or -ENOMEM with a text. */
int unpack_open(const char *what, const char *path, FILE **file, double *most,
                struct error *err);

/* unpack_open with this many bytes of available memory, for tests. */
int unpack_open_within(const char *what, const char *path, double memory,
                       FILE **file, double *most, struct error *err);

/* After a text that was wrong, or whole: if what is left of the contents (of
 * the next 64 MB) shows that the compressed data are damaged, says that
 * instead. Returns 0 or -EINVAL. */
int unpack_blame(FILE *file, struct error *err);

#endif
