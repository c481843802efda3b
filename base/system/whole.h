/* Files that are always complete. */
#ifndef BASE_SYSTEM_WHOLE_H
#define BASE_SYSTEM_WHOLE_H

#include "base/error.h"

#include <stddef.h>

/* Replaces a file: writes a new one beside it, syncs it to the disk, renames
 * it.  After an error the file is unchanged and nothing is left beside it.
 * Replaces a symbolic link at `path` and does not follow it.  The mode is the
 * umask's.  Returns 0 or -errno with a text that names the file. */
int file_whole(const char *path, const void *data, size_t size,
               struct error *err);

/* A new file at `path` for writing, with the umask's mode; an old file or a
 * link there is an error.  Returns a descriptor or -errno. */
int file_new(const char *path);

#endif
