/* In words: whether a loop is worth another scheme, and the sentence on a whole
 * program. */
#ifndef BENCH_PROGRAMS_SEEN_SEEN_VERDICT_H
#define BENCH_PROGRAMS_SEEN_SEEN_VERDICT_H

#include "bench/programs/seen/source_lines.h"

#include <stdbool.h>
#include <stdio.h>

/* Below this part of the program's time nothing is worth a change. */
static const double verdict_matters = 0.01;

/* Whether the library can give it another scheme. */
bool verdict_may_change(const struct counters_site *site);

/* Whether all threads of its visits were seen, not one thread's time alone. */
bool verdict_is_timed(const struct counters_site *site);

/* What a loop could gain at most, as part of a program that takes `seconds`:
 * with perfect balance, and chunks handed out in no time; without what others
 * took that had the cores. */
double verdict_gain(const struct loops_loop *loop, double seconds);

/* Returns `text`. */
const char *verdict_text(const struct loops_loop *loop, double seconds,
                         char *text, size_t size);

/* The same of a part of a region: region_parts.c. */
const char *verdict_part(const struct loops_loop *part, double seconds,
                         char *text, size_t size);

/* A part that is nothing but a static loop, or code of the threads' own. */
bool verdict_is_static(const struct counters_site *site);

/* What balance would save of a part that is a static loop, or nothing that is
 * known; 0 of others. */
double verdict_part_gain(const struct loops_loop *part, double seconds);

/* Whether most of a loop's loss is waiting for single iterations. */
bool verdict_is_single(const struct loops_loop *loop);

/* The share of all threads' time in which they did not compute. */
double verdict_idle(const struct loops_loop *part);

/* The share of all threads' time in which they waited for locks. */
double verdict_locked(const struct loops_loop *loop);

/* Whether what others had of the cores may be the reason of so many seconds. */
bool verdict_is_disturbed(const struct loops_loop *loop, double seconds);

/* The seconds of a row that a schedule might save or that others took: this
 * run cannot tell which.  Of what no schedule changes: the idle time. */
double verdict_unjudged_s(const struct loops_loop *loop);

/* The time of a visit that was not over at the end, where it is most of the
 * row's; else its other visits tell enough, and this is 0. */
double verdict_open_s(const struct loops_loop *loop);

/* ---- sentences on loops and parts ---- */

/* After what a row may gain, where it has others to blame: it may be less than
 * this, or the rest of what balance saves is theirs. */
const char *verdict_rest(const struct loops_loop *row, double gain,
                         double saves);
/* Not over; others had its cores; threads wait for one another. */
void verdict_say_open(const struct loops_loop *loop, double seconds, char *text,
                      size_t size);
void verdict_say_disturbed(const struct loops_loop *loop, double loss,
                           char *text, size_t size);
bool verdict_is_locked(const struct loops_loop *loop);
/* Where threads wait for one another, by the kinds that they met. */
const char *verdict_locks_word(uint32_t kinds);
void verdict_say_locked(const struct loops_loop *loop, double seconds,
                        char *text, size_t size);

/* ---- what to do about a loop whose schedule costs time ---- */

enum { ADVICE_SIZE = 200 };

/* A short list for --try: schemes that keep the order of the loop.  Returns how
 * many there are. */
int advice_list(const struct loops_loop *loop, char text[ADVICE_SIZE]);

/* How long --try takes for so many choices, for a program of so many seconds.
 */
enum { ADVICE_TIME = 24 };
void advice_time(int choices, double seconds, char text[ADVICE_TIME]);

/* The next command, in words.  One run does not tell which scheme is faster:
 * the costs of iterations are not known, nor is the noise.  Returns `text`. */
const char *advice_text(const struct loops_loop *loop, char text[ADVICE_SIZE]);

/* ---- the whole program: seen_answer.c ---- */

struct report_run;

/* The rows of all processes together. */
struct answer_sum {
    double share, gain, best; /* the best one's gain, and its name */
    double most;              /* gain of a process's own time */
    char name[LINES_NAME];
    const struct loops_loop *row;
    const struct counters *counters;
    double fixed;            /* of the time, in loops that never change */
    bool unknown;            /* there are loops whose time is not known */
    bool changed;            /* a scheme handed out chunks */
    bool shares;             /* or whose threads share cores */
    double disturbed;        /* of the time, what others may have made */
    double here_s, locked_s; /* of all threads */
    uint32_t waits;          /* the kinds of what locked them */
    double idle; /* the largest loss of a part that no schedule changes */
    char idler[LINES_NAME], what[120];
    bool idle_is_loop; /* it is a loop's, whose gain says what changes it */
    int threads;       /* of the largest team */
    double open;       /* of the time, not over at the end */
    char open_name[LINES_NAME], end[80];
};

struct answer_whole {
    double all_s;     /* of all processes, without waiting for one another */
    double inside;    /* part of it */
    double between_s; /* mean time outside, for each region; INFINITY: none */
    double lost;      /* of the threads' computing, others had the cores */
    double away;      /* of it, in which they lacked a core for any reason */
    bool open;        /* a process ended inside of a region */
    bool unseen;      /* there are loops that were not measured */
};

struct answer_whole answer_whole(const struct loops *loops,
                                 const struct report_run *run);

/* The first line: the cores that were used, and the time outside of regions. */
void answer_print_whole(FILE *out, const struct loops *loops,
                        const struct report_run *run,
                        const struct answer_whole *whole);

/* The next command for the row of a sum, after "see the next line"; or what to
 * do where there is none. */
void answer_print_next(FILE *out, const struct answer_sum *sum,
                       const struct report_run *run);

/* The last line, and below it a command if there is one to copy; the caller
 * frees it. */
char *answer_text(const struct answer_sum *sum,
                  const struct answer_whole *whole,
                  const struct report_run *run);

#endif
