/* Files that others have written, and files that grow by whole lines. */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Opens a regular file for reading.  NULL: *why says why, and errno is set.  A
 * pipe, which would be waited for, a device or a folder is refused: most files
 * are read several times, and by all ranks. */
FILE *file_open(const char *path, const char **why);

/* Whether file_open would open it. */
bool file_is_readable(const char *path, const char **why);

/* Removes a file, or an empty folder; once more where it fails.  Keeps errno.
 */
void file_discard(const char *path);

/* ---- lines ---- */

/* Opens the file, made if it is not there, to append to; ends the line that a
 * writer left torn, so that the next stays whole.  Returns a descriptor, or
 * -errno with a text that names the file. */
int file_open_to_append(const char *path, struct error *err);

/* Writes lines, together as far as the system does.  Returns 0 or -errno with a
 * text. */
int file_append(int descriptor, const char *path, const char *text,
                size_t length, struct error *err);

#endif
