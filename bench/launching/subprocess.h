/* One child process with all that it starts, watched through its output. */
#ifndef BENCH_LAUNCHING_SUBPROCESS_H
#define BENCH_LAUNCHING_SUBPROCESS_H

#include "base/error.h"
#include "bench/launching/reaper.h"
#include "bench/launching/stops.h"

#include <stdbool.h>
#include <stddef.h>

/* The callbacks of the watcher; all calls come from inside subprocess_run. */
struct subprocess_watcher {
    void (*output)(void *arg, const char *line);  /* a line of its stdout */
    void (*message)(void *arg, const char *line); /* a line of its stderr */
    /* All of its stdout, in place of lines; NULL: lines. */
    void (*bytes)(void *arg, const char *data, size_t size);
    /* Called several times a second: seconds until the child is to be stopped
     * (0 or less: now). */
    double (*tick)(void *arg);
    void *arg;
};

struct subprocess_end {
    int status;       /* as of waitpid */
    bool interrupted; /* `stops` said so: the child was stopped */
    bool timed_out;   /* tick said so: the child was stopped */
    struct reaper_usage usage;
};

/* Monotonic time in seconds. */
double subprocess_now(void);

/* The path of this program: the ranks run it too. */
int subprocess_program(char *path, size_t size, struct error *err);

/* Runs argv to its end.  A child that is to stop gets SIGTERM, and SIGKILL
 * after 5 s.  None of its processes is left on this host when this returns.
 * Otherwise it returns an error: no launch may run at the same time as the
 * rest. */
int subprocess_run(char *const argv[], const struct stops *stops,
                   const struct subprocess_watcher *watcher,
                   struct subprocess_end *end, struct error *err);

/* "exit code 3", "signal 11 (Segmentation fault)", also when a launcher
 * reports the signal as exit code 128 + signal. */
void subprocess_describe(int status, char *text, int size);

#endif
