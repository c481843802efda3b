#include "bench/programs/seen/seen_verdict.h"

#include "base/text.h"
#include "bench/options/table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Handing out a shorter chunk takes as long; neither is measured well. */
static const double tiny_s = 100e-9;

bool verdict_may_change(const struct counters_site *site)
{
    return !(site->flags & COUNTERS_ORDERED) &&
           (site->clause == CLAUSE_RUNTIME || site->clause == CLAUSE_DYNAMIC ||
            site->clause == CLAUSE_GUIDED || site->clause == CLAUSE_BLOCKS);
}

bool verdict_is_timed(const struct counters_site *site)
{
    return site->threads_max > 0;
}

/* An interrupted thread lengthens the mean, and hardly the time of all. */
static bool is_tiny(const struct loops_loop *loop)
{
    double whole = loop->seconds * loop->site->threads_max /
                   fmax((double)loop->site->chunks, 1);
    return loop->site->chunks > 0 && fmin(loop->chunk_s, whole) < tiny_s;
}

/* Computing time per thread in chunks; of a sample, plus two errors. */
static double computed_each(const struct loops_loop *loop)
{
    const struct counters_site *site = loop->site;
    double error =
        2 * loop->chunk_cv / sqrt(fmax((double)site->sample.chunks, 1));
    return is_tiny(loop) ? 0
                         : (1 + error) * loop->chunk_s * (double)site->chunks /
                               fmax(site->threads_max, 1);
}

/* Upper limit of the time for handing out: the loop's time minus its chunks. */
static double asked_at_most(const struct loops_loop *loop)
{
    double rest = fmax(loop->seconds - loop->saved_s - computed_each(loop), 0);
    double asked = is_tiny(loop) ? rest : fmin(loop->asked_s, rest);
    /* A visit has one chunk at least. */
    return asked * fmax(1 - (double)loop->site->visits /
                                fmax((double)loop->site->chunks, 1),
                        0);
}

/* The time per thread in which other programs had its core. */
static double lost_each(const struct loops_loop *loop)
{
    return loop->lost_s / fmax(loop->site->threads_max, 1);
}

/* If one sampled request loses the core, all requests seem long. */
static bool is_asking_disturbed(const struct loops_loop *loop)
{
    return loop->lost_s > 0.1 * loop->busy_s &&
           lost_each(loop) > 0.5 * asked_at_most(loop);
}

/* The time for handing out, excluding the effect of other programs. */
static double asking_seconds(const struct loops_loop *loop)
{
    return is_asking_disturbed(loop)
               ? 0
               : fmax(asked_at_most(loop) - lost_each(loop), 0);
}

bool verdict_is_disturbed(const struct loops_loop *loop, double seconds)
{
    return loop->lost_s > 0.5 * seconds;
}

/* If another program has a core, its thread is late, and other threads idle. */
static double idle_of_others_s(const struct loops_loop *part)
{
    double idle = verdict_idle(part);
    bool others = part->lost_s > idle * part->here_s;
    return idle >= 0.05 && others && part->site->threads_max > 1
               ? idle * part->seconds
               : 0;
}

double verdict_unjudged_s(const struct loops_loop *loop)
{
    bool is_loop = counters_is_loop(loop->site->clause);
    if (!is_loop && !verdict_is_static(loop->site))
        return idle_of_others_s(loop);
    if (is_loop && !verdict_may_change(loop->site))
        return 0;
    double waited =
        verdict_is_disturbed(loop, loop->saved_s) ? loop->saved_s : 0;
    return is_loop && is_asking_disturbed(loop)
               ? fmax(waited, asked_at_most(loop))
               : waited;
}

/* The computing time that the sampled chunks do not represent: it may contain a
 * long chunk that was not timed. */
static double unseen_s(const struct loops_loop *loop)
{
    const struct counters_site *site = loop->site;
    double chunks = (double)site->chunks;
    double seen = chunks * loop->chunk_s + loop->asked_s * site->threads_max;
    return (double)site->sample.chunks >= chunks
               ? 0
               : fmax(loop->busy_s - loop->lost_s - seen, 0);
}

/* The time of waiting at the end.  If others had the cores at times, at most as
 * much as the longest chunks explain. */
static double waiting_seconds(const struct loops_loop *loop)
{
    double saved = fmax(loop->saved_s - loop->lost_s, 0);
    /* Chunks are sampled: the longest one is known of equal ones alone. */
    bool equal = loop->site->clause == CLAUSE_DYNAMIC ||
                 loop->site->chunks >= loop->site->iterations;
    bool doubtful = equal && loop->lost_s > 0.1 * loop->saved_s;
    if (verdict_is_disturbed(loop, loop->saved_s))
        return 0;
    return doubtful && loop->longest_s > 0
               ? fmin(saved, loop->longest_s + unseen_s(loop))
               : saved;
}

double verdict_gain(const struct loops_loop *loop, double seconds)
{
    if (loop->shares || !verdict_may_change(loop->site) ||
        !verdict_is_timed(loop->site) || loop->site->visits == 0)
        return 0;
    return fmin((waiting_seconds(loop) + asking_seconds(loop)) / seconds, 1);
}

double verdict_open_s(const struct loops_loop *loop)
{
    return loop->open_s > 0.5 * loop->seconds ? loop->open_s : 0;
}

double verdict_idle(const struct loops_loop *part)
{
    return part->here_s > 0 ? fmax(1 - part->busy_s / part->here_s, 0) : 0;
}

double verdict_locked(const struct loops_loop *loop)
{
    return loop->here_s > 0 ? fmin(loop->locks_s / loop->here_s, 1) : 0;
}

/* ---- what to try ---- */

/* An iteration that takes less is not worth a chunk of its own. */
static const double alone_s = 1e-6;
/* Beginning and ending a visit may take longer than less computing. */
static const double brief_s = 20e-6;

/* Chunks of a thread in a visit: few enough to cost little, and enough to
 * balance.  What --try runs if nothing else is said, and what starts a run. */
enum { CHUNKS = 32, ROUNDS = 10 };

double advice_brief_s(const struct loops_loop *loop)
{
    double visits = (double)loop->site->visits * loop->site->threads_max;
    double chunks_s = loop->chunk_s * (double)loop->site->chunks;
    double all_s = chunks_s > 0 ? fmin(chunks_s, loop->busy_s) : loop->busy_s;
    double each_s = all_s / fmax(visits, 1);
    bool near = all_s < 1.5 * loop->seconds; /* that one thread takes */
    return loop->site->threads_max > 1 && near && each_s < brief_s ? each_s : 0;
}

int advice_list(const struct loops_loop *loop, char text[ADVICE_SIZE])
{
    const char *more = advice_brief_s(loop) > 0 ? ",threads" : "";
    const struct counters_site *site = loop->site;
    double iterations = (double)site->iterations;
    double share =
        iterations / fmax((double)site->visits, 1) / fmax(site->threads_max, 1);
    bool alone = loop->busy_s > alone_s * iterations;
    double least = loop->busy_s > 0 ? alone_s * iterations / loop->busy_s : 1;
    double chunk = ceil(fmax(share / CHUNKS, least));
    bool fixed = chunk > 1 && chunk < share;
    bool blocks =
        !counters_is_loop(site->clause) || site->clause == CLAUSE_BLOCKS;
    char css[40] = "";
    if (!blocks && fixed)
        snprintf(css, sizeof(css), "css:chunk=%.0f,", chunk);
    const char *last = blocks ? "ss,last-first" : alone ? "ss" : "gss";
    snprintf(text, ADVICE_SIZE, "%sfss,tss,%s%s", css, last, more);
    return (blocks || fixed ? 4 : 3) + (more[0] != '\0');
}

void advice_time(int choices, double seconds, char text[ADVICE_TIME])
{
    double all_s = seconds * (1 + ROUNDS * (choices + 1));
    double unit_s = all_s < 120 ? 1 : all_s < 7200 ? 60 : 3600;
    snprintf(text, ADVICE_TIME, "%.3g %s", ceil(all_s / unit_s),
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
    int used =
        snprintf(text, ADVICE_SIZE, "--try %.60s%s finds out whether one helps",
                 list, loops);
    if (loop->site->clause != CLAUSE_BLOCKS)
        snprintf(text + used, ADVICE_SIZE - (size_t)used,
                 ", --on %d%s replays them beside the loop as it is",
                 loop->site->threads_max, loops);
    return text;
}

/* ---- advice ---- */

/* No schedule cuts an iteration. */
static bool are_single(const struct counters_site *site)
{
    return site->clause != CLAUSE_BLOCKS && site->chunks >= site->iterations;
}

bool verdict_is_single(const struct loops_loop *loop)
{
    return are_single(loop->site) &&
           waiting_seconds(loop) >= asking_seconds(loop);
}

/* For rows whose balance saves more than a schedule may gain. */
const char *verdict_rest(const struct loops_loop *row, double gain,
                         double saves)
{
    bool less = gain < 0.8 * saves && saves - gain >= 0.001;
    return gain >= verdict_matters && row->lost_s > 0.1 * row->busy_s
               ? " (others had its cores at times: this may be theirs)"
           : less ? " (the rest may be others', who had its cores at times)"
                  : "";
}

/* The advice for a loop whose threads wait at its end. */
static void say_waiting(const struct loops_loop *loop, double gain, double all,
                        char *text, size_t size)
{
    const struct counters_site *site = loop->site;
    char advice[ADVICE_SIZE];
    bool single = are_single(site);
    bool few =
        loop->chunk_s >= alone_s &&
        (double)site->chunks < 8.0 * (double)site->visits * site->threads_max;
    snprintf(text, size,
             "up to %.1f %% of the program, for waiting at the end%s: %s%s",
             100 * gain, verdict_rest(loop, gain, all),
             !single && few ? "more and smaller chunks, " : "",
             single ? "threads wait for single iterations, which no schedule "
                      "cuts; make the long ones shorter, or begin with them"
                    : advice_text(loop, advice));
}

static void say_asking(const struct loops_loop *loop, double gain, char *text,
                       size_t size)
{
    char advice[ADVICE_SIZE];
    snprintf(text, size,
             "%sup to %.1f %% of the program%s, most of it for handing out "
             "%schunks: larger ones, %s",
             loop->site->threads_max == 1 ? "one thread, but " : "", 100 * gain,
             verdict_rest(loop, gain, 0), is_tiny(loop) ? "tiny " : "",
             advice_text(loop, advice));
}

/* ---- the sentence ---- */

static const char *fixed_reason(const struct counters_site *site)
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
                 100 * fmin(loop->seconds / seconds, 1),
                 fixed_reason(loop->site));
    else
        snprintf(text, size,
                 "never changed: %s; the time of all its threads is not known",
                 fixed_reason(loop->site));
}

void verdict_say_open(const struct loops_loop *loop, double seconds, char *text,
                      size_t size)
{
    snprintf(text, size,
             "not over when the program ended: %s until then, %.1f %% of "
             "the time; its balance is not known",
             table_said_seconds(loop->open_s, loop->open_s, (char[32]){""}, 32),
             100 * fmin(loop->open_s / seconds, 1));
}

void verdict_say_disturbed(const struct loops_loop *loop, double loss,
                           char *text, size_t size)
{
    int used =
        snprintf(text, size,
                 "not judged: other threads or processes had its cores for "
                 "%.1f %% of the time",
                 100 * fmin(loop->lost_s / fmax(loop->busy_s, 1e-9), 1));
    if (loss > 0 && loop->site->threads_max > 1)
        snprintf(text + used, size - (size_t)used,
                 ", so %s of waiting need not be the schedule's",
                 table_said_seconds(loss, loss, (char[32]){""}, 32));
}

/* It is more than waiting at the end; one thread only pays for its calls. */
bool verdict_is_locked(const struct loops_loop *loop)
{
    return loop->site->threads_max > 1 && verdict_locked(loop) >= 0.05 &&
           loop->locks_s > loop->saved_s * loop->site->threads_max;
}

const char *verdict_locks_word(uint32_t kinds)
{
    bool locks = (kinds & (KIND_LOCK | KIND_CRITICAL)) != 0;
    return (kinds & KIND_ORDERED) == 0 ? "critical sections or locks"
           : locks ? "critical sections, locks or ordered sections"
                   : "ordered sections";
}

void verdict_say_locked(const struct loops_loop *loop, double seconds,
                        char *text, size_t size)
{
    int used = snprintf(text, size,
                        "threads wait for one another %.1f %% of their time, "
                        "in %s: no schedule changes that",
                        100 * verdict_locked(loop),
                        verdict_locks_word(loop->site->kinds));
    if (counters_is_loop(loop->site->clause))
        snprintf(text + used, size - (size_t)used,
                 "; at most %.1f %% of the program is the schedule's",
                 100 * verdict_gain(loop, seconds));
}

static void say_fine(const struct loops_loop *loop, double gain, double seconds,
                     char *text, size_t size)
{
    const char *scheme = loop->site->scheme;
    snprintf(text, size,
             "fine %s%s: at most %.1f %% of the program could be gained%s",
             scheme[0] != '\0' ? "under " : "as it is", scheme, 100 * gain,
             verdict_rest(loop, gain, loop->saved_s / seconds));
}

const char *verdict_text(const struct loops_loop *loop, double seconds,
                         char *text, size_t size)
{
    const struct counters_site *site = loop->site;
    double gain = verdict_gain(loop, seconds);
    if (verdict_open_s(loop) > 0)
        verdict_say_open(loop, seconds, text, size);
    else if (site->visits == 0)
        snprintf(text, size, "no visit came to its end");
    else if (!verdict_may_change(site))
        say_fixed(loop, seconds, text, size);
    else if (loop->shares)
        snprintf(text, size, "not judged: its threads share cores");
    else if (!verdict_is_timed(site))
        snprintf(text, size,
                 "the time of all its threads is known only where --scheme "
                 "hands out its chunks");
    else if (verdict_is_locked(loop))
        verdict_say_locked(loop, seconds, text, size);
    else if (gain < verdict_matters &&
             verdict_unjudged_s(loop) >= verdict_matters * seconds)
        verdict_say_disturbed(loop, loop->saved_s, text, size);
    else if (site->threads_max == 1 && gain < verdict_matters)
        snprintf(text, size, "one thread, nothing to schedule");
    else if (gain < verdict_matters)
        say_fine(loop, gain, seconds, text, size);
    else if (asking_seconds(loop) > waiting_seconds(loop))
        say_asking(loop, gain, text, size);
    else
        say_waiting(loop, gain, loop->saved_s / seconds, text, size);
    return text;
}
