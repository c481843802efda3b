/* The model of sched/interval/interval.h for a loop on this machine: its costs
 * from a calibration, its lengths and skew from the kernel, k from the scheme.
 */
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

/* Makes the kernel, if it can without its data, for a moment.  -ENOTSUP: its
 * iterations are independent; else the errors of the kernel. */
int forecast_shape(const char *kernel, struct forecast_shape *shape,
                   struct error *err);

/* The loop to predict. */
struct forecast_loop {
    const char *kernel; /* only its name is looked up */
    struct forecast_shape shape;
    int ranks, threads; /* ranks > 1: boundaries have the cost between ranks,
                           also those between threads */
    int workers;
    const double *power;   /* by worker, where the scheme cuts by power; NULL:
                              equal chunks */
    const int *load;       /* busy processes beside each worker; NULL: none */
    const char *transport; /* for c_sch */
    int64_t k;             /* chunks for each worker; lowered to what fits */
    const struct forecast_chunks *chunks; /* NULL: k equal ones */
    bool stream;                          /* DMPS; false: subproblems */
};

/* The model goes through its list of chunks for each h that it tries. */
enum { FORECAST_LISTED = 1 << 14 };

/* The chunks of a scheme if all workers ask in turns. */
struct forecast_chunks {
    int64_t k;     /* for each worker, rounded, at least 1 */
    int64_t count; /* of the list */
    int64_t room;
    struct interval_piece *list; /* rows and workers; NULL: they are k equal
                                    ones for each worker, or too many */
};

/* A copy of the calibrated costs of a kernel's blocks, by width. */
struct forecast_widths;

/* T of s time steps is that of s times as many rows and chunks. */
struct forecast {
    struct interval_model model;
    struct interval_group *group;    /* the model's */
    struct forecast_widths *widths;  /* the model's; NULL: none were measured */
    void *pieces;                    /* the model's; NULL: none are listed */
    char kernel[SPEC_CANONICAL_MAX]; /* that its c_p were measured with */
};

/* Workers of one power whose c_p are within 10 % are one group.  A worker
 * beside n busy processes takes n + 1 times as long.  With fewer rows than
 * workers, there are only as many workers.  Workers beyond those of the
 * calibration repeat them in turn.  Blocks take what a simulation on
 * this-machine charges for their width.  -EINVAL when the calibration lacks
 * something, with the remedy. */
int forecast_open(struct forecast *forecast, const struct forecast_loop *loop,
                  const struct calibration *calibration, struct error *err);
void forecast_close(struct forecast *forecast);

/* Chunks that the scheme makes of `rows`; free them with forecast_forget. */
int forecast_chunks(const char *scheme, int64_t rows, int workers,
                    const double *power, int64_t min_chunk,
                    struct forecast_chunks *chunks, struct error *err);
void forecast_forget(struct forecast_chunks *chunks);

/* Whether the scheme gives more powerful workers larger chunks. */
bool forecast_by_power(const char *scheme);

/* All of this for a checked cell, with its load. */
int forecast_cell(struct forecast *forecast, const struct cell *cell,
                  const struct forecast_shape *shape,
                  const struct calibration *calibration, struct error *err);

/* The interval for a word of `sync_interval`, as a whole number:
 *     auto         the best of this model
 *     andronikos   the paper's formula (4), (7), (9) or (12)
 *     chen-xue     Chen and Xue's, for one chunk for each worker
 * time_s gets the model's T for this interval. */
int64_t forecast_interval(const struct forecast *forecast, const char *word,
                          double *time_s);

/* T at h, without the skew when `skewed` is false. */
double forecast_time(const struct forecast *forecast, double h, bool skewed);

/* The best h of the model as if there were no skew. */
int64_t forecast_without_skew(const struct forecast *forecast);

#endif
