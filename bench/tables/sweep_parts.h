/* What the parts of bench/sweep*.c share: sweep_find.c finds sweeps and what
 * the model says of them, sweep.c prints them. */
#ifndef BENCH_TABLES_SWEEP_PARTS_H
#define BENCH_TABLES_SWEEP_PARTS_H

#include "bench/predict/forecast.h"
#include "bench/results/results.h"

#include <stdbool.h>

/* One measured interval. */
struct sweep_point {
    const struct result *result;
    double h, time_s, half_s; /* median, half its 95 % interval (NAN: few) */
    double model_s, plain_s;  /* T of the model with and without skew; NAN */
};

/* An interval that somebody recommends. */
struct sweep_choice {
    double h;      /* NAN: not known */
    double time_s; /* there; NAN */
    double loss;   /* over the best measured time, less 1 */
    bool measured; /* by a cell of its own, not interpolated */
};

enum { SWEEP_AUTO, SWEEP_PAPER, SWEEP_CHEN_XUE, SWEEP_CHOICES };

struct sweep {
    const struct cell *cell;   /* one of them: what they have in common */
    struct sweep_point *point; /* by h */
    int points;
    int best;             /* -1: not ranked */
    bool known;           /* the calibration knows this loop */
    const char *unranked; /* why not, as result_unranked; NULL: it is */
    struct forecast_shape shape;
    double k;
    struct sweep_choice choice[SWEEP_CHOICES];
    struct sweep_choice plain; /* the model's, if there were no skew */
    double model_error,
        plain_error;    /* mean over the points of |T / time - 1| */
    double predicted_s; /* T at the model's h */
};

struct sweeps {
    struct sweep *list;
    int count;
};

/* All sweeps of the results, with what the calibration in `dir` says. */
int sweeps_find(const struct results *results, const char *dir,
                struct sweeps *sweeps, struct error *err);
void sweeps_free(struct sweeps *sweeps);

/* The time at h: measured, or between the neighbours; NAN outside. */
double sweep_time(const struct sweep *sweep, double h);

#endif
