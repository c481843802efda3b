#include "bench/programs/seen/advice.h"

#include <stdio.h>

const char *advice_text(const struct counters_site *site,
                        char text[ADVICE_SIZE])
{
    const char *loops =
        site->clause == CLAUSE_RUNTIME ? "" : " --loops dynamic";
    snprintf(text, ADVICE_SIZE,
             "--try schemes%s finds out whether one helps, --on %d%s replays "
             "them beside the loop as it is",
             loops, site->threads_max, loops);
    return text;
}
