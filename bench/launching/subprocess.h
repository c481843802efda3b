/* One child process and its descendants, watched through its output. */
#ifndef BENCH_LAUNCHING_SUBPROCESS_H
#define BENCH_LAUNCHING_SUBPROCESS_H

#include "base/error.h"
#include "bench/launching/reaper.h"
#include "bench/launching/stops.h"

#include <stdbool.h>
#include <stddef.h>

/* The watcher's callbacks; only subprocess_run calls them. */
struct subprocess_watcher {
    void (*output)(void *arg, const char *line);  /* a line of its stdout */
    void (*message)(void *arg, const char *line); /* a line of its stderr */
    /* All of its stdout instead of lines; NULL: lines. */
    void (*bytes)(void *arg, const char *data, size_t size);
    /* Called several times a second: returns the seconds until the child must
     * be stopped (0 or less: now). */
    double (*tick)(void *arg);
    void *arg;
};

struct subprocess_end {
    int status;       /* from waitpid */
    bool interrupted; /* stopped because of `stops` */
    bool timed_out;   /* stopped because of tick */
    struct reaper_usage usage;
};

/* Monotonic time in seconds. */
double subprocess_now(void);

/* The path of this program, which the ranks also run. */
int subprocess_program(char *path, size_t size, struct error *err);

/* Runs argv to its end.  To stop it, it gets SIGTERM, and SIGKILL after 5 s.
 * On return none of its processes is left on this host; otherwise it returns an
 * error, because no launch may run beside them. */
int subprocess_run(char *const argv[], const struct stops *stops,
                   const struct subprocess_watcher *watcher,
                   struct subprocess_end *end, struct error *err);

/* "exit code 3", "signal 11 (Segmentation fault)", also when a launcher
 * reports the signal as exit code 128 + signal. */
void subprocess_describe(int status, char *text, int size);

#endif
