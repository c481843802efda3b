#include "bench/launching/driver/progress.h"

#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static const double REDRAW_S = 0.2, PLAIN_S = 5;

void progress_open(struct progress *progress, double now)
{
    *progress = (struct progress){
        .terminal = isatty(STDERR_FILENO), .started = now, .shown = now};
}

double progress_left(double elapsed, double fraction)
{
    if (!(fraction > 0) || elapsed < 0)
        return -1;
    if (fraction >= 1)
        return 0;
    return elapsed * (1 - fraction) / fraction;
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

void progress_text(const struct watch *watch, double elapsed, char *text,
                   size_t size)
{
    char left[64] = "", current[160] = "";
    double seconds = progress_left(elapsed, watch_fraction(watch));
    int done = watch->count - watch_count(watch, TASK_WAITING);
    if (watch->current >= 0) {
        const struct cell *c = watch->tasks[watch->current].cell;
        snprintf(current, sizeof(current), ", %.40s %.30s %dx%d %s %s",
                 c->kernel, c->scheme, c->ranks, c->threads, c->transport,
                 c->hierarchy);
    }
    if (seconds >= 0 && done < watch->count) {
        char duration[48];
        progress_duration(seconds, duration, sizeof(duration));
        snprintf(left, sizeof(left), ", %s left", duration);
    }
    snprintf(text, size, "%d/%d cell%s%s%s", done, watch->count,
             text_s(watch->count), left, current);
}

static int count_columns(void)
{
    struct winsize window;
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 10)
        return window.ws_col;
    return 80;
}

static bool is_time(const struct progress *progress, double now)
{
    return now - progress->shown >= (progress->terminal ? REDRAW_S : PLAIN_S);
}

void progress_line(struct progress *progress, const char *text, double now,
                   bool last)
{
    if (!last && !is_time(progress, now))
        return;
    progress->shown = now;
    if (!progress->terminal) {
        fprintf(stderr, "dlsbench: %s\n", text);
        return;
    }
    fprintf(stderr, "\r\033[K%.*s%s", count_columns() - 1, text,
            last ? "\n" : "");
    fflush(stderr);
    progress->drawn = !last;
}

void progress_show(struct progress *progress, const struct watch *watch,
                   double now, bool last)
{
    char text[320];
    if (!last && !is_time(progress, now))
        return;
    progress_text(watch, now - progress->started, text, sizeof(text));
    progress_line(progress, text, now, last);
}

void progress_clear(struct progress *progress)
{
    if (progress->drawn)
        fputs("\r\033[K", stderr);
    progress->drawn = false;
}
