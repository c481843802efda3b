#include "bench/launching/driver/progress.h"

#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static const double REDRAW_S = 0.2, PLAIN_S = 5;
/* A smaller share of the work tells nothing about the rest. */
static const double LEAST = 0.02;

void progress_open(struct progress *progress, double now)
{
    *progress = (struct progress){.terminal = isatty(STDERR_FILENO),
                                  .started = now,
                                  .shown = now,
                                  .every_s = PLAIN_S};
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

static void current_text(const struct watch *watch, char *text, size_t size)
{
    char longer[64] = "";
    if (watch->current < 0)
        return;
    const struct task *task = &watch->tasks[watch->current];
    const struct cell *c = task->cell;
    if (watch_is_longer(task))
        snprintf(longer, sizeof(longer),
                 ", times vary: repetition %d of %d to %d", task->repetitions,
                 task->expected, watch->most);
    snprintf(text, size, "%s, %.40s %.30s %dx%d %s %s", longer, c->kernel,
             c->scheme, c->ranks, c->threads, c->transport, c->hierarchy);
}

void progress_text(const struct watch *watch, double elapsed, char *text,
                   size_t size)
{
    char left[64] = "", current[224] = "";
    double fraction = watch_fraction(watch);
    double seconds = progress_left(elapsed, fraction);
    int done = watch->count - watch_count(watch, TASK_WAITING);
    current_text(watch, current, sizeof(current));
    if (seconds >= 0 && fraction >= LEAST && done < watch->count) {
        char duration[48];
        progress_duration(seconds, duration, sizeof(duration));
        snprintf(left, sizeof(left), ", %s%s left",
                 watch_any_longer(watch) ? "up to " : "", duration);
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
    return now - progress->shown >=
           (progress->terminal ? REDRAW_S : progress->every_s);
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
    if (!(watch_fraction(watch) > 0))
        progress->started = now; /* starting up is no work of the cells */
    if (!last &&
        (!is_time(progress, now) || watch_count(watch, TASK_WAITING) == 0))
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
