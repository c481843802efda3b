#include "base/error.h"

#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int error_set(struct error *err, int code, const char *format, ...)
{
    if (err != NULL) {
        /* Longer than the text, so that the text never ends with a character
         * that was cut here. */
        char said[sizeof(err->text) + 4];
        va_list args;
        va_start(args, format);
        vsnprintf(said, sizeof(said), format, args);
        va_end(args);
        text_line(err->text, sizeof(err->text), said);
    }
    return -code;
}

int error_prefix(struct error *err, int code, const char *format, ...)
{
    if (err == NULL)
        return code;
    char said[2 * sizeof(err->text) + 4];
    va_list args;
    va_start(args, format);
    vsnprintf(said, sizeof(err->text), format, args);
    va_end(args);
    size_t used = strlen(said);
    snprintf(said + used, sizeof(said) - used, ": %s", err->text);
    text_line(err->text, sizeof(err->text), said);
    return code;
}
