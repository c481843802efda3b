#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int error_set(struct error *err, int code, const char *format, ...)
{
    if (err != NULL) {
        va_list args;
        va_start(args, format);
        vsnprintf(err->text, sizeof(err->text), format, args);
        va_end(args);
    }
    return -code;
}

static void append(struct error *err, const char *more)
{
    size_t used = strlen(err->text);
    size_t room = sizeof(err->text) - 1 - used;
    size_t length = strlen(more);
    if (length > room)
        length = room;
    memcpy(err->text + used, more, length);
    err->text[used + length] = '\0';
}

int error_prefix(struct error *err, int code, const char *format, ...)
{
    if (err == NULL)
        return code;
    struct error old = *err;
    va_list args;
    va_start(args, format);
    vsnprintf(err->text, sizeof(err->text), format, args);
    va_end(args);
    append(err, ": ");
    append(err, old.text);
    return code;
}
