#include "bench/omp/verdict.h"

#include "bench/omp/advice.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Where a chunk takes less, handing it out takes about as long, and neither is
 * measured well. */
static const double tiny_s = 100e-9;

bool verdict_may_change(const struct counters_site *site)
{
    return !(site->flags & COUNTERS_ORDERED) &&
           (site->clause == CLAUSE_RUNTIME || site->clause == CLAUSE_DYNAMIC ||
            site->clause == CLAUSE_GUIDED);
}

bool verdict_is_timed(const struct counters_site *site)
{
    return site->threads_max > 0;
}

/* A thread that is interrupted in a sampled chunk lengthens the mean, and
 * hardly the time of all. */
static bool is_tiny(const struct loops_loop *loop)
{
    double whole = loop->seconds * loop->site->threads_max /
                   fmax((double)loop->site->chunks, 1);
    return loop->site->chunks > 0 && fmin(loop->chunk_s, whole) < tiny_s;
}

/* Of handing out: not more than is left of the loop's time. */
static double asking(const struct loops_loop *loop)
{
    double rest = fmax(loop->seconds - loop->saved_s, 0);
    return is_tiny(loop) ? rest : fmin(loop->asked_s, rest);
}

double verdict_gain(const struct loops_loop *loop, double seconds)
{
    if (loop->shares || !verdict_may_change(loop->site) ||
        !verdict_is_timed(loop->site))
        return 0;
    return fmin((loop->saved_s + asking(loop)) / seconds, 1);
}

/* ---- advice ---- */

static bool is_few(const struct counters_site *site)
{
    return (double)site->chunks <
           8.0 * (double)site->visits * site->threads_max;
}

/* No schedule cuts an iteration. */
static bool are_single(const struct counters_site *site)
{
    return site->chunks >= site->iterations;
}

/* Of a loop whose threads wait at its end. */
static void say_waiting(const struct counters_site *site, double gain,
                        char *text, size_t size)
{
    char advice[ADVICE_SIZE];
    int length = snprintf(text, size,
                          "up to %.1f %% of the program, for waiting at the "
                          "end: ",
                          100 * gain);
    text += length;
    size -= (size_t)length;
    if (are_single(site))
        snprintf(text, size,
                 "its chunks are single iterations, which no schedule cuts; "
                 "begin with the long ones, or make them shorter");
    else if (is_few(site))
        snprintf(text, size, "more and smaller chunks, %s",
                 advice_text(site, advice));
    else
        snprintf(text, size, "%s", advice_text(site, advice));
}

static void say_asking(const struct loops_loop *loop, double gain, char *text,
                       size_t size)
{
    char advice[ADVICE_SIZE];
    snprintf(text, size,
             "%sup to %.1f %% of the program, most of it for handing out "
             "%schunks: larger ones, %s",
             loop->site->threads_max == 1 ? "one thread, but " : "", 100 * gain,
             is_tiny(loop) ? "tiny " : "", advice_text(loop->site, advice));
}

/* ---- the sentence ---- */

static const char *reason(const struct counters_site *site)
{
    if ((site->flags & COUNTERS_ORDERED) || site->clause == CLAUSE_DOACROSS)
        return "its order matters";
    return site->clause == CLAUSE_OTHER
               ? "its clauses need the runtime's own chunks"
               : "a program may rely on which thread has which iterations";
}

static void say_fixed(const struct loops_loop *loop, double seconds, char *text,
                      size_t size)
{
    if (verdict_is_timed(loop->site))
        snprintf(text, size, "%.1f %% of the time, never changed: %s",
                 100 * fmin(loop->seconds / seconds, 1), reason(loop->site));
    else
        snprintf(text, size,
                 "never changed: %s; the time of all its threads is not known",
                 reason(loop->site));
}

const char *verdict_text(const struct loops_loop *loop, double seconds,
                         char *text, size_t size)
{
    const struct counters_site *site = loop->site;
    double gain = verdict_gain(loop, seconds);
    if (site->visits == 0)
        snprintf(text, size, "no visit came to its end");
    else if (loop->shares)
        snprintf(text, size, "not judged: its threads share cores");
    else if (!verdict_may_change(site))
        say_fixed(loop, seconds, text, size);
    else if (!verdict_is_timed(site))
        snprintf(text, size,
                 "the time of all its threads is known only where --scheme "
                 "hands out its chunks");
    else if (site->threads_max == 1 && gain < verdict_matters)
        snprintf(text, size, "one thread, nothing to schedule");
    else if (gain < verdict_matters)
        snprintf(text, size,
                 "scheduling is not the problem: at most %.1f %% of the "
                 "program could be gained",
                 100 * gain);
    else if (asking(loop) > loop->saved_s)
        say_asking(loop, gain, text, size);
    else
        say_waiting(site, gain, text, size);
    return text;
}
