/* The progress of a run on stderr: one line redrawn on a terminal, otherwise
 * plain lines every few seconds. */
#ifndef BENCH_LAUNCHING_DRIVER_PROGRESS_H
#define BENCH_LAUNCHING_DRIVER_PROGRESS_H

#include "bench/launching/driver/launch_watch.h"

#include <stddef.h>

struct progress {
    bool terminal;
    double started; /* first repetition, s, as the `now` of the functions */
    double shown;   /* when the last line was written */
    double every_s; /* between two lines, where there is no terminal */
    bool drawn;     /* a line is on the terminal */
};

void progress_open(struct progress *progress, double now);

/* Shows the state when it is time to, or always with `last`. */
void progress_show(struct progress *progress, const struct watch *watch,
                   double now, bool last);

/* The same for a text of the caller's own. */
void progress_line(struct progress *progress, const char *text, double now,
                   bool last);

/* Makes room for a message. */
void progress_clear(struct progress *progress);

/* Seconds left when `fraction` (0 to 1) took `elapsed`; negative: unknown. */
double progress_left(double elapsed, double fraction);

/* "1 h 20 min", "3 min 5 s", "12 s". */
void progress_duration(double seconds, char *text, size_t size);

/* The line: cells done, time left, current cell and, where it runs longer than
 * expected, its repetition. */
void progress_text(const struct watch *watch, double elapsed, char *text,
                   size_t size);

#endif
