#include "harness/process/need.h"

#include "base/list.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Ends at once: other threads still run, and exit handlers would wait for ranks
 * that do not know of it. */
void need_failed(void)
{
    static const char line[] = "dlsbench: out of memory\n";
    if (write(STDERR_FILENO, line, sizeof(line) - 1) < 0)
        _exit(2);
    _exit(1);
}

void *need_zeroed(size_t count, size_t size)
{
    void *memory = calloc(count > 0 ? count : 1, size);
    if (memory == NULL)
        need_failed();
    return memory;
}

char *need_copy(const char *text)
{
    char *copy = strdup(text);
    if (copy == NULL)
        need_failed();
    return copy;
}

char *need_vtext(const char *format, va_list arguments)
{
    char *text = NULL;
    if (vasprintf(&text, format, arguments) < 0)
        need_failed();
    return text;
}

char *need_text(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = need_vtext(format, arguments);
    va_end(arguments);
    return text;
}

FILE *need_stream(char **text, size_t *size)
{
    FILE *stream = open_memstream(text, size);
    if (stream == NULL)
        need_failed();
    return stream;
}

void need_room(void *list, int64_t *room, int64_t count, size_t size)
{
    if (list_grow(list, room, count, size) != 0)
        need_failed();
}
