#include "bench/campaign/words.h"

#include "base/text.h"

#include <stdio.h>
#include <string.h>

void words_put_cores(int cores, const char *field, const char *text, char *out,
                     size_t size)
{
    const char *word = strstr(text, "cores");
    bool shape = text_is(field, "layout") || text_is(field, "ranks") ||
                 text_is(field, "threads");
    if (!shape || word == NULL)
        snprintf(out, size, "%s", text);
    else
        snprintf(out, size, "%.*s%d%s", (int)(word - text), text, cores,
                 word + strlen("cores"));
}

bool words_by_nodes(const char *field, const char *text)
{
    return text_is(field, "layout") &&
           (strncmp(text, "nodesx", 6) == 0 || strncmp(text, "allx", 4) == 0);
}

void words_put_nodes(int nodes, int cores, const char *text, char *out,
                     size_t size)
{
    int ranks = strncmp(text, "all", 3) == 0 ? nodes * cores : nodes;
    snprintf(out, size, "%d%s", ranks, strchr(text, 'x'));
}
