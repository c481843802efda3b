/* Memory for a program's lists.  If memory runs out, the program ends with one
 * line and exit code 1, because it has no alternative.
 *
 * Do not use it for memory that grows with a user's data (a kernel's arrays,
 * the log of all chunks): a cell that does not fit is refused with a reason.
 * Only for programs: a library must not end the program that uses it. */
#ifndef HARNESS_PROCESS_NEED_H
#define HARNESS_PROCESS_NEED_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* `count` zeroed elements of `size` bytes, for free(); never NULL. */
void *need_zeroed(size_t count, size_t size);

/* A copy of the text, for free(); never NULL. */
char *need_copy(const char *text);

/* A new text, for free(); never NULL. */
char *need_text(const char *format, ...) __attribute__((format(printf, 1, 2)));
char *need_vtext(const char *format, va_list arguments)
    __attribute__((format(printf, 1, 0)));

/* open_memstream; never NULL. */
FILE *need_stream(char **text, size_t *size);

/* list_grow of base/list.h that does not fail. */
void need_room(void *list, int64_t *room, int64_t count, size_t size);

/* Ends the program after a failed request for memory. */
_Noreturn void need_failed(void);

#endif
