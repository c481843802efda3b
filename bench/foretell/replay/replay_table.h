/* The table of a replay. */
#ifndef BENCH_FORETELL_REPLAY_REPLAY_TABLE_H
#define BENCH_FORETELL_REPLAY_REPLAY_TABLE_H

#include "bench/foretell/replay/replay_loop.h"
#include "bench/options/table.h"
#include "harness/cell/cell.h"
#include "harness/replay/replay.h"

#include <stdbool.h>

/* Simulated seconds of a scheme, means over the workers; took_s is real
 * time. */
struct replay_line {
    char *scheme;
    int64_t chunks, messages;
    double time_s, compute_mean_s, finish_mean_s, took_s;
};

struct replay_table {
    char source[700]; /* of the calibrated costs; empty: not calibrated */
    bool given;       /* all relevant costs were given */
    int64_t workers;
    const struct cell *cell;
    const struct replay_costs *costs;
    double serial_s;
    int64_t iterations;
    struct replay_line *line;
    int64_t room;
    int count;
};

/* source and workers are set by the caller; the pointers stay the caller's. */
void replay_table_open(struct replay_table *table, const struct cell *cell,
                       const struct replay_costs *costs,
                       const struct replay_loop *loop);
void replay_table_close(struct replay_table *table);

/* took_s: real seconds of the replay. */
void replay_table_add(struct replay_table *table, const char *scheme,
                      const struct replay_result *result, double took_s);

/* Prints on stdout; marks the fastest. */
void replay_table_print(const struct replay_table *table,
                        enum table_format format);

/* Real seconds since some moment. */
double replay_table_clock(void);

#endif
