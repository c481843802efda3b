/* What to do about a loop whose schedule costs time. */
#ifndef BENCH_PROGRAMS_SEEN_ADVICE_H
#define BENCH_PROGRAMS_SEEN_ADVICE_H

#include "bench/programs/seen/loops.h"

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

#endif
