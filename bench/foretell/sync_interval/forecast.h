/* The model of sched/interval/interval.h for a loop on this machine: costs from
 * a calibration, lengths and skew from the kernel, k from the scheme. */
#ifndef BENCH_FORETELL_SYNC_INTERVAL_FORECAST_H
#define BENCH_FORETELL_SYNC_INTERVAL_FORECAST_H

#include "base/error.h"
#include "harness/cell/cell.h"
#include "harness/costs/calibration.h"
#include "sched/interval/interval.h"

#include <stdbool.h>
#include <stddef.h>

/* The grid of a kernel with dependences. */
struct forecast_shape {
    int64_t rows, columns;
    size_t boundary_bytes;
    int skew, reach, steps;
};

/* Makes the kernel temporarily, if it needs no data for that. -ENOTSUP: its
 * iterations are independent; otherwise the kernel's errors. */
int forecast_shape(const char *kernel, struct forecast_shape *shape,
                   struct error *err);

/* The loop to predict. */
struct forecast_loop {
    const char *kernel; /* only its name matters */
    struct forecast_shape shape;
    int ranks, threads; /* ranks > 1: all boundaries cost as much as between
                           ranks, even those between threads */
    int workers;
    const double *power;   /* by worker, if the scheme cuts by power; NULL:
                              equal chunks */
    const int *load;       /* busy processes on each worker's core, or NULL */
    const char *transport; /* for c_sch */
    int64_t k;             /* chunks per worker; lowered if too many */
    const struct forecast_chunks *chunks; /* NULL: k equal ones */
    bool stream;                          /* DMPS; false: subproblem */
};

/* The most listed chunks: the model reads the list for each h that it tries. */
enum { FORECAST_LISTED = 1 << 14 };

/* The chunks of a scheme if all workers ask in turn. */
struct forecast_chunks {
    int64_t k;     /* per worker, rounded, at least 1 */
    int64_t count; /* of the list */
    int64_t room;
    struct interval_piece *list; /* rows and workers; NULL: k equal chunks per
                                    worker, or too many */
};

/* A copy of the calibrated block costs of a kernel, by width. */
struct forecast_widths;

/* s time steps are modelled as s times as many rows and chunks. */
struct forecast {
    struct interval_model model;
    struct interval_group *group;    /* used by the model */
    struct forecast_widths *widths;  /* used by the model; NULL: not measured */
    void *pieces;                    /* used by the model; NULL: not listed */
    char kernel[SPEC_CANONICAL_MAX]; /* the spec that its c_p are from */
};

/* Workers of one power whose c_p differ by at most 10 % are one group.  A
 * worker on a core with n busy processes takes n + 1 times as long.  With fewer
 * rows than workers, only as many workers count.  Workers beyond the calibrated
 * ones repeat them in turn.  Blocks cost what a simulation on this-machine
 * charges for their width. -EINVAL if the calibration lacks something, with the
 * remedy. */
int forecast_open(struct forecast *forecast, const struct forecast_loop *loop,
                  const struct calibration *calibration, struct error *err);
void forecast_close(struct forecast *forecast);

/* The chunks of `rows` rows under a scheme; free them with forecast_forget. */
int forecast_chunks(const char *scheme, int64_t rows, int workers,
                    const double *power, int64_t min_chunk,
                    struct forecast_chunks *chunks, struct error *err);
void forecast_forget(struct forecast_chunks *chunks);

/* Whether the scheme gives more powerful workers larger chunks. */
bool forecast_by_power(const char *scheme);

/* A forecast for a checked cell, with its load. */
int forecast_cell(struct forecast *forecast, const struct cell *cell,
                  const struct forecast_shape *shape,
                  const struct calibration *calibration, struct error *err);

/* The interval for a word of `sync_interval`, as a whole number:
 *     auto         the best of this model
 *     andronikos   the paper's formula (4), (7), (9) or (12)
 *     chen-xue     Chen and Xue's, for one chunk for each worker
 * Sets time_s to the model's T for this interval. */
int64_t forecast_interval(const struct forecast *forecast, const char *word,
                          double *time_s);

/* T at h; unless `skewed`, without the skew. */
double forecast_time(const struct forecast *forecast, double h, bool skewed);

/* The model's best h without the skew. */
int64_t forecast_without_skew(const struct forecast *forecast);

#endif
