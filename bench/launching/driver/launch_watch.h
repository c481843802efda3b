/* The driver's knowledge about its cells from the lines of a launch. */
#ifndef BENCH_LAUNCHING_DRIVER_LAUNCH_WATCH_H
#define BENCH_LAUNCHING_DRIVER_LAUNCH_WATCH_H

#include "base/error.h"
#include "harness/cell/cell.h"

enum cell_state { CELL_WAITING, CELL_OK, CELL_UNVERIFIED, CELL_FAILED };

struct watched_cell {
    const struct cell *cell;
    enum cell_state state;
    int repetitions; /* begun in this launch */
    int expected;    /* of these */
    double seconds;  /* spent in this launch */
};

struct watch {
    struct watched_cell *cells; /* in the order of their hashes */
    int count;
    int most;       /* of each, where its times vary */
    bool warms;     /* there is one more before them */
    double timeout; /* s for one cell */
    /* The launch: */
    bool launched, ended, progressed;
    int current;  /* cell that runs, -1: none, the serial loop may run */
    int last;     /* cell that ran last, -1: none yet */
    double since; /* when it began, or when the last line came */
};

/* Watches these cells; watch_free ends that.  Simulated cells run
 * without warm-up (`warms` false). */
void watch_open(struct watch *watch, const struct cell *cells, int count,
                const struct policy *policy, bool warms);
void watch_free(struct watch *watch);

/* A launch begins: what waits begins anew. */
void watch_launch(struct watch *watch, double now);

/* Takes one line of the launch.  False when it is not of the protocol. */
bool watch_line(struct watch *watch, const char *line, double now);

/* This cell has ended so. */
void watch_end(struct watch *watch, int cell, enum cell_state state);

/* The cell whose failure ended the launch.  It is the current one, or the last
 * if none has ended (the serial loop runs again between repetitions).  -1: no
 * cell failed, so another launch continues, or none began, so all fail. */
int watch_failed(const struct watch *watch);

/* Seconds until the current cell (or the silence, or the end of a launch that
 * has done all its cells) has lasted too long. */
double watch_left(const struct watch *watch, double now);

/* This cell's times vary, so it runs more repetitions than were expected. */
bool watch_is_longer(const struct watched_cell *watched);
bool watch_any_longer(const struct watch *watch);

/* The share of the work that is done, 0 to 1.  A cell that runs longer is
 * expected to need as many repetitions as it may have. */
double watch_fraction(const struct watch *watch);

/* Cells in this state. */
int watch_count(const struct watch *watch, enum cell_state state);

#endif
