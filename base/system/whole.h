/* Files that exist whole or not at all. */
#ifndef BASE_SYSTEM_WHOLE_H
#define BASE_SYSTEM_WHOLE_H

#include "base/error.h"

#include <stddef.h>

/* Gives the file this content: written beside it, synced to the disk, renamed.
 * On an error the file is as it was and nothing is left beside it.  A symbolic
 * link at `path` is replaced, not followed.  The mode is the umask's.  Returns
 * 0 or -errno with a text that names the file. */
int file_whole(const char *path, const void *data, size_t size,
               struct error *err);

/* A new file at `path` for writing, with the umask's mode; an old file or a
 * link there is an error.  Returns a descriptor or -errno. */
int file_new(const char *path);

#endif
