#include "bench/options/command.h"

#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>

void command_say(const char *format, ...)
{
    char said[2048], line[2 * sizeof(said)];
    va_list args;
    va_start(args, format);
    vsnprintf(said, sizeof(said), format, args);
    va_end(args);
    text_line(line, sizeof(line), said);
    fprintf(stderr, "dlsbench: %s\n", line);
}

int command_fail(int code, const struct error *err)
{
    fflush(stdout);
    command_say("%s", err->text);
    return code;
}
