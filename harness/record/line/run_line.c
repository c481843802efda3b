#include "harness/record/line/run_line.h"

#include "base/text.h"

void run_line_begin(struct line *line, const char *cell, const char *type,
                    const char *launch)
{
    line_begin(line);
    line_members(line, NULL, cell);
    line_whole(line, "schema", RECORD_SCHEMA);
    line_text(line, "type", type);
    line_text(line, "launch", launch);
}

void run_line_add(struct line *line, const char *cell, const char *launch,
                  const struct run_line *run)
{
    run_line_begin(line, cell, "run", launch);
#define COLUMN(type, name, write, of, text)                                    \
    if (((of)&run->groups) != 0)                                               \
        write(line, #name, run->name);
#include "harness/record/line/run_columns.def"
    line_end(line);
}

void run_line_done(struct line *line, const char *cell, const char *launch,
                   const char *status, int64_t repetitions, const char *reason)
{
    char text[4096];
    if (reason != NULL)
        text_line(text, sizeof(text), reason);
    run_line_begin(line, cell, "cell_done", launch);
    line_text(line, "status", status);
    line_whole(line, "repetitions", repetitions);
    line_text(line, "reason", reason != NULL ? text : NULL);
    line_end(line);
}
