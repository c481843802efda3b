#include "bench/launching/progress_line.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static const double REDRAW_S = 0.2, PLAIN_S = 5;

void progress_open(struct progress *progress, double now)
{
    *progress = (struct progress){.terminal = isatty(STDERR_FILENO),
                                  .started = now,
                                  .shown = now,
                                  .every_s = PLAIN_S};
}

void progress_duration(double seconds, char *text, size_t size)
{
    double capped = seconds < 1e8 ? seconds : 1e8;
    long s = lround(ceil(capped));
    if (s >= 3600)
        snprintf(text, size, "%ld h %ld min", s / 3600, s / 60 % 60);
    else if (s >= 60)
        snprintf(text, size, "%ld min %ld s", s / 60, s % 60);
    else
        snprintf(text, size, "%ld s", s);
}

bool progress_is_time(const struct progress *progress, double now)
{
    return now - progress->shown >=
           (progress->terminal ? REDRAW_S : progress->every_s);
}

void progress_line(struct progress *progress, const char *text, double now,
                   bool last)
{
    if (!last && !progress_is_time(progress, now))
        return;
    progress->shown = now;
    if (!progress->terminal) {
        if (strcmp(progress->text, text) != 0)
            fprintf(stderr, "dlsbench: %s\n", text);
        snprintf(progress->text, sizeof(progress->text), "%s", text);
        return;
    }
    struct winsize window;
    bool known =
        ioctl(STDERR_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 10;
    fprintf(stderr, "\r\033[K%.*s%s", (known ? window.ws_col : 80) - 1, text,
            last ? "\n" : "");
    fflush(stderr);
    progress->drawn = !last;
}

void progress_clear(struct progress *progress)
{
    if (progress->drawn)
        fputs("\r\033[K", stderr);
    progress->drawn = false;
}
