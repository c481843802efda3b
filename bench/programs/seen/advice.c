#include "bench/programs/seen/advice.h"

#include <math.h>
#include <stdio.h>

/* An iteration that takes less is not worth being handed out alone. */
static const double alone_s = 1e-6;

/* Chunks of a thread in a visit: few enough to cost little, and enough to
 * balance. */
enum { CHUNKS = 32 };

/* What --try runs if nothing else is said, and what starts a run. */
enum { ROUNDS = 10 };

int advice_list(const struct loops_loop *loop, char text[ADVICE_SIZE])
{
    const struct counters_site *site = loop->site;
    double iterations = (double)site->iterations;
    double visits = fmax((double)site->visits, 1);
    double threads = fmax(site->threads_max, 1);
    double chunk = ceil(iterations / visits / threads / CHUNKS);
    bool alone = loop->busy_s > alone_s * iterations;
    if (chunk > 1)
        snprintf(text, ADVICE_SIZE, "css:chunk=%.0f,fss,tss,%s", chunk,
                 alone ? "ss" : "gss");
    else
        snprintf(text, ADVICE_SIZE, "fss,tss,%s", alone ? "ss" : "gss");
    return chunk > 1 ? 4 : 3;
}

void advice_time(int choices, double seconds, char text[ADVICE_TIME])
{
    double all_s = seconds * (1 + ROUNDS * (choices + 1));
    snprintf(text, ADVICE_TIME, "%.3g %s",
             ceil(all_s / (all_s < 120    ? 1
                           : all_s < 7200 ? 60
                                          : 3600)),
             all_s < 120    ? "s"
             : all_s < 7200 ? "min"
                            : "h");
}

const char *advice_text(const struct loops_loop *loop, char text[ADVICE_SIZE])
{
    const char *loops = loop->site->clause == CLAUSE_RUNTIME ? ""
                        : loop->site->clause == CLAUSE_BLOCKS
                            ? " --loops static"
                            : " --loops dynamic";
    char list[ADVICE_SIZE];
    advice_list(loop, list);
    if (loop->site->clause == CLAUSE_BLOCKS) {
        snprintf(text, ADVICE_SIZE, "--try %.60s%s finds out whether one helps",
                 list, loops);
        return text;
    }
    snprintf(text, ADVICE_SIZE,
             "--try %.60s%s finds out whether one helps, --on %d%s replays "
             "them beside the loop as it is",
             list, loops, loop->site->threads_max, loops);
    return text;
}
