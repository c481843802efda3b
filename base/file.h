/* Files from other programs, and files that grow by whole lines. */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Opens a regular file for reading.  NULL: *why is the reason, and errno is
 * set.  Refuses a pipe (reading would wait), a device or a folder: most files
 * are read several times, and by all ranks. */
FILE *file_open(const char *path, const char **why);

/* Whether file_open would open it. */
bool file_is_readable(const char *path, const char **why);

/* Removes a file or an empty folder; tries a second time.  Keeps errno. */
void file_discard(const char *path);

/* The first line of a small file, such as those of /proc and /sys, without its
 * end, truncated to size - 1.  False: unreadable, or empty. */
bool file_first_line(const char *path, char *text, size_t size);

/* ---- lines from other programs ---- */

enum { FILE_LINE_MAX = 1 << 17 };

struct file_lines {
    FILE *file;
    char *text;  /* the line, without its end */
    long number; /* its number, from 1 */
};

/* Reads the next line, ended by \n, \r\n or \r.  Skips a UTF-8 byte order mark.
 * Refuses a zero byte, a line above FILE_LINE_MAX, UTF-16 and compressed data.
 * Returns 1, 0 at the end, or -EINVAL, -EIO or -ENOMEM with a text that does
 * not name the place. */
int file_next_line(struct file_lines *lines, struct error *err);
void file_free_lines(struct file_lines *lines);

/* Checks whether the first bytes of a text are UTF-16 or compressed.  Returns 0
 * or -EINVAL. */
int file_check_start(const char *text, size_t length, struct error *err);

/* Skips a byte order mark of UTF-8 at the beginning of a file. */
void file_skip_mark(FILE *file);

/* Why a stream could not be read, by its errno; also for the codes of
 * kernels/support/unpack.h. */
const char *file_why(int code);

/* ---- lines that we append ---- */

/* Opens a file to append to, created if missing; ends a line that a writer left
 * torn, so that the next one is whole.  Returns a descriptor, or -errno with a
 * text that names the file. */
int file_open_to_append(const char *path, struct error *err);

/* Appends lines, in one write if the system allows.  Returns 0 or -errno with a
 * text. */
int file_append(int descriptor, const char *path, const char *text,
                size_t length, struct error *err);

#endif
