/* Files that others have written. */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <stdbool.h>
#include <stdio.h>

/* Opens a regular file for reading.  NULL: *why says why, and errno is set.  A
 * pipe, which would be waited for, a device or a folder is refused: most files
 * are read several times, and by all ranks. */
FILE *file_open(const char *path, const char **why);

/* Whether file_open would open it. */
bool file_is_readable(const char *path, const char **why);

#endif
