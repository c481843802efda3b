/* What the driver knows about its cells from the lines of a launch. */
#ifndef BENCH_LAUNCHING_DRIVER_LAUNCH_WATCH_H
#define BENCH_LAUNCHING_DRIVER_LAUNCH_WATCH_H

#include "base/error.h"
#include "harness/cell/cell.h"

enum cell_state { CELL_WAITING, CELL_OK, CELL_UNVERIFIED, CELL_FAILED };

struct watched_cell {
    const struct cell *cell;
    enum cell_state state;
    int repetitions; /* started in this launch */
    int expected;    /* of these */
    double seconds;  /* spent in this launch */
};

struct watch {
    struct watched_cell *cells; /* sorted by hash */
    int count;
    int most;       /* most repetitions of a cell with varying times */
    bool warms;     /* each cell has an extra warm-up repetition */
    double timeout; /* s per cell */
    /* Of the launch: */
    bool launched, ended, progressed;
    int current;  /* the running cell, -1: none; the serial loop may run */
    int last;     /* the cell before, -1: none yet */
    double since; /* its begin, or the time of the last line */
};

/* Watches these cells until watch_free.  Simulated cells run without warm-up
 * (`warms` false). */
void watch_open(struct watch *watch, const struct cell *cells, int count,
                const struct policy *policy, bool warms);
void watch_free(struct watch *watch);

/* Call at a launch's begin: resets the waiting cells. */
void watch_launch(struct watch *watch, double now);

/* Reads one line of the launch.  False: the line is not from the protocol. */
bool watch_line(struct watch *watch, const char *line, double now);

/* Records the end of a cell. */
void watch_end(struct watch *watch, int cell, enum cell_state state);

/* The cell whose failure ended the launch.  It is the current one, or the last
 * if none has ended (the serial loop runs again between repetitions).  -1: no
 * cell failed, so another launch continues, or none began, so all fail. */
int watch_failed(const struct watch *watch);

/* Seconds until the current cell (or the silence, or the end of a launch with
 * all cells done) has taken too long. */
double watch_left(const struct watch *watch, double now);

/* Whether it runs more repetitions than expected, because its times vary. */
bool watch_is_longer(const struct watched_cell *watched);
bool watch_any_longer(const struct watch *watch);

/* The share of the work that is done, 0 to 1.  A cell with more repetitions
 * than expected is assumed to need the maximum. */
double watch_fraction(const struct watch *watch);

/* The number of cells in this state. */
int watch_count(const struct watch *watch, enum cell_state state);

#endif
