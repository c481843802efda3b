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

int error_prefix(struct error *err, int code, const char *format, ...)
{
    if (err == NULL)
        return code;
    struct error old = *err;
    va_list args;
    va_start(args, format);
    vsnprintf(err->text, sizeof(err->text), format, args);
    va_end(args);
    strncat(err->text, ": ", sizeof(err->text) - strlen(err->text) - 1);
    strncat(err->text, old.text, sizeof(err->text) - strlen(err->text) - 1);
    return code;
}
