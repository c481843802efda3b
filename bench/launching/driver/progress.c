#include "bench/launching/driver/progress.h"

#include "base/text.h"

#include <stdio.h>

/* A smaller share of the work does not predict the rest. */
static const double LEAST = 0.02;

double progress_left(double elapsed, double fraction)
{
    if (!(fraction > 0) || elapsed < 0)
        return -1;
    if (fraction >= 1)
        return 0;
    return elapsed * (1 - fraction) / fraction;
}

static void current_text(const struct watch *watch, char *text, size_t size)
{
    char longer[96] = "";
    if (watch->current < 0)
        return;
    const struct watched_cell *watched = &watch->cells[watch->current];
    const struct cell *c = watched->cell;
    if (watch_is_longer(watched))
        snprintf(longer, sizeof(longer),
                 ", times vary: repetition %d (at least %d, at most %d)",
                 watched->repetitions, watched->expected, watch->most);
    snprintf(text, size, "%s, %.40s %.30s %dx%d %s %s", longer, c->kernel,
             c->scheme, c->ranks, c->threads, c->transport, c->hierarchy);
}

void progress_text(const struct watch *watch, double elapsed, char *text,
                   size_t size)
{
    char left[64] = "", current[224] = "";
    double fraction = watch_fraction(watch);
    double seconds = progress_left(elapsed, fraction);
    int done = watch->count - watch_count(watch, CELL_WAITING);
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

void progress_show(struct progress *progress, const struct watch *watch,
                   double now, bool last)
{
    char text[320];
    if (!(watch_fraction(watch) > 0))
        progress->started = now; /* starting up is no work of the cells */
    if (!last && (!progress_is_time(progress, now) ||
                  watch_count(watch, CELL_WAITING) == 0))
        return;
    progress_text(watch, now - progress->started, text, sizeof(text));
    progress_line(progress, text, now, last);
}
