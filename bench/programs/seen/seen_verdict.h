/* In words: whether another scheme could speed up a loop; and the answer for a
 * whole program. */
#ifndef BENCH_PROGRAMS_SEEN_SEEN_VERDICT_H
#define BENCH_PROGRAMS_SEEN_SEEN_VERDICT_H

#include "bench/programs/seen/source_lines.h"

#include <stdbool.h>
#include <stdio.h>

/* Gains below this share of the program's time do not matter. */
static const double verdict_matters = 0.01;

/* Whether the library can give the loop another scheme. */
bool verdict_may_change(const struct counters_site *site);

/* Whether all threads of its visits were measured, not only one. */
bool verdict_is_timed(const struct counters_site *site);

/* The largest possible gain of a loop, as a share of the program's `seconds`:
 * with perfect balance and chunks handed out in no time.  Excludes time in
 * which other programs had the cores. */
double verdict_gain(const struct loops_loop *loop, double seconds);

/* Returns `text`. */
const char *verdict_text(const struct loops_loop *loop, double seconds,
                         char *text, size_t size);

/* verdict_text for a part of a region: region_parts.c. */
const char *verdict_part(const struct loops_loop *part, double seconds,
                         char *text, size_t size);

/* Whether a part has only a static loop, or code without constructs. */
bool verdict_is_static(const struct counters_site *site);

/* The gain from perfect balance in a part that is a static loop or has no known
 * construct; otherwise 0. */
double verdict_part_gain(const struct loops_loop *part, double seconds);

/* Whether threads mostly wait for single iterations. */
bool verdict_is_single(const struct loops_loop *loop);

/* The share of all threads' time in which they did not compute. */
double verdict_idle(const struct loops_loop *part);

/* The share of all threads' time in which they waited for locks. */
double verdict_locked(const struct loops_loop *loop);

/* Whether other programs on the cores may explain so many seconds. */
bool verdict_is_disturbed(const struct loops_loop *loop, double seconds);

/* The seconds that either a schedule might save or other programs took: this
 * run cannot tell.  Rows that no schedule changes: the idle time. */
double verdict_unjudged_s(const struct loops_loop *loop);

/* The time of a visit that had not ended, if it is most of the row's; otherwise
 * 0, because the other visits suffice. */
double verdict_open_s(const struct loops_loop *loop);

/* ---- sentences on loops and parts ---- */

/* A note after a row's gain if other programs had its cores: the gain may be
 * less, or they took the rest of what balance saves. */
const char *verdict_rest(const struct loops_loop *row, double gain,
                         double saves);
/* The sentences on rows that had not ended, were disturbed by other programs,
 * or whose threads wait for one another. */
void verdict_say_open(const struct loops_loop *loop, double seconds, char *text,
                      size_t size);
void verdict_say_disturbed(const struct loops_loop *loop, double loss,
                           char *text, size_t size);
bool verdict_is_locked(const struct loops_loop *loop);
/* The constructs in which threads wait for one another. */
const char *verdict_locks_word(uint32_t kinds);
void verdict_say_locked(const struct loops_loop *loop, double seconds,
                        char *text, size_t size);

/* ---- what to do about a loop whose schedule costs time ---- */

enum { ADVICE_SIZE = 200 };

/* The computing time of a thread in a visit if it is so short that one thread
 * may be faster, else 0. */
double advice_brief_s(const struct loops_loop *loop);

/* A short list for --try: schemes that keep the order of the loop, and
 * `threads` for short visits.  Returns the number of entries. */
int advice_list(const struct loops_loop *loop, char text[ADVICE_SIZE]);

/* How long --try takes for so many choices and a program of so many seconds. */
enum { ADVICE_TIME = 24 };
void advice_time(int choices, double seconds, char text[ADVICE_TIME]);

/* The next command, in words.  One run does not show which scheme is faster:
 * neither the costs of iterations nor the noise are known.  Returns `text`. */
const char *advice_text(const struct loops_loop *loop, char text[ADVICE_SIZE]);

/* ---- the whole program: seen_answer.c ---- */

struct report_run;

/* Sums over the rows of all processes. */
struct answer_sum {
    double share, gain, best; /* of all; the best row, whose name is `name` */
    double most;              /* as a share of its process's own time */
    char name[LINES_NAME];
    const struct loops_loop *row;
    const struct counters *counters;
    double fixed;            /* share of time in loops that never change */
    bool unknown;            /* there are loops of unknown time */
    bool changed;            /* a scheme handed out chunks */
    bool shares;             /* or threads share cores */
    double disturbed;        /* share of time that others may have taken */
    double here_s, locked_s; /* over all threads */
    uint32_t waits;          /* the constructs in which they waited */
    double idle; /* largest idle share of a part that no schedule changes */
    char idler[LINES_NAME], what[120];
    bool idle_is_loop; /* it is a loop's, so its gain has the remedy */
    int threads;       /* of the largest team */
    double open;       /* share of time that had not ended */
    char open_name[LINES_NAME], end[80];
};

struct answer_whole {
    double all_s;     /* all processes, without waiting for one another */
    double inside;    /* share of it inside regions */
    double regions;   /* their number */
    double between_s; /* mean time between regions; INFINITY: no regions */
    double beside;    /* share of all in regions, and in none of their rows */
    double edges;     /* share of all in beginning and ending short regions */
    double lost;      /* share of computing time in which others had the core */
    double away;      /* share of it without a core for any reason */
    bool open;        /* a process ended within a region */
    bool unseen;      /* some loops were not measured */
};

struct answer_whole answer_whole(const struct loops *loops,
                                 const struct report_run *run);

/* The first line: the cores used, and the time outside regions. */
void answer_print_whole(FILE *out, const struct loops *loops,
                        const struct report_run *run,
                        const struct answer_whole *whole);

/* The next command for a row of the sum, after "see the next line"; without
 * one, a remedy. */
void answer_print_next(FILE *out, const struct answer_sum *sum,
                       const struct report_run *run);

/* The last line, then a command to copy if there is one; the caller frees the
 * text. */
char *answer_text(const struct answer_sum *sum,
                  const struct answer_whole *whole,
                  const struct report_run *run);

#endif
