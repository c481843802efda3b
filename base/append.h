/* Files that grow by whole lines, as those of results do. */
#ifndef BASE_APPEND_H
#define BASE_APPEND_H

#include "base/error.h"

#include <stddef.h>

/* Opens the file, made if it is not there, to append to; ends the line that a
 * writer left torn, so that the next stays whole.  Returns a descriptor, or
 * -errno with a text that names the file. */
int append_open(const char *path, struct error *err);

/* Writes lines, together as far as the system does.  Returns 0 or -errno with a
 * text. */
int append_text(int descriptor, const char *path, const char *text,
                size_t length, struct error *err);

#endif
