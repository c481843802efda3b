/* The progress display on stderr: one line redrawn on a terminal, otherwise
 * plain lines every few seconds where something has changed. */
#ifndef BENCH_LAUNCHING_PROGRESS_LINE_H
#define BENCH_LAUNCHING_PROGRESS_LINE_H

#include <stdbool.h>
#include <stddef.h>

struct progress {
    bool terminal;
    double started; /* first repetition, s, on the clock of `now` */
    double shown;   /* when the last line was printed */
    double every_s; /* between two lines, without a terminal */
    bool drawn;     /* the terminal shows a line */
    char text[320]; /* the last line, without a terminal */
};

void progress_open(struct progress *progress, double now);

bool progress_is_time(const struct progress *progress, double now);

/* Shows the text if it is time, or always with `last`. */
void progress_line(struct progress *progress, const char *text, double now,
                   bool last);

/* Removes the line before a message. */
void progress_clear(struct progress *progress);

/* "1 h 20 min", "3 min 5 s", "12 s". */
void progress_duration(double seconds, char *text, size_t size);

#endif
