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

/* The first line of a small file, as of /proc and /sys, without its end; cut
 * at size - 1.  False: it cannot be read, or is empty. */
bool file_first_line(const char *path, char *text, size_t size);

/* ---- lines of others ---- */

enum { FILE_LINE_MAX = 1 << 17 };

struct file_lines {
    FILE *file;
    char *text;  /* the line, without its end */
    long number; /* of it, from 1 */
};

/* Reads the next line; \n, \r\n and \r end one.  A byte order mark of UTF-8 is
 * skipped.  A zero byte, a line above FILE_LINE_MAX, UTF-16 and compressed data
 * are refused.  Returns 1, 0 at the end, or -EINVAL, -EIO or -ENOMEM with a
 * text that does not name the place. */
int file_next_line(struct file_lines *lines, struct error *err);
void file_free_lines(struct file_lines *lines);

/* Says of the first bytes of a text that they are UTF-16 or compressed.
 * Returns 0 or -EINVAL. */
int file_check_start(const char *text, size_t length, struct error *err);

/* Skips a byte order mark of UTF-8 at the beginning of a file. */
void file_skip_mark(FILE *file);

/* Why a stream could not be read, by its errno; also those of
 * kernels/support/unpack.h. */
const char *file_why(int code);

/* ---- lines that we append ---- */

/* Opens the file, made if it is not there, to append to; ends the line that a
 * writer left torn, so that the next stays whole.  Returns a descriptor, or
 * -errno with a text that names the file. */
int file_open_to_append(const char *path, struct error *err);

/* Writes lines, together as far as the system does.  Returns 0 or -errno with a
 * text. */
int file_append(int descriptor, const char *path, const char *text,
                size_t length, struct error *err);

#endif
