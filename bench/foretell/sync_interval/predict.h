/* dlsbench predict: its request, its lists, and its table. */
#ifndef BENCH_FORETELL_SYNC_INTERVAL_PREDICT_H
#define BENCH_FORETELL_SYNC_INTERVAL_PREDICT_H

#include "base/error.h"
#include "sched/interval/interval.h"

#include <stdbool.h>

struct predict {
    struct interval_model model;
    struct interval_group *group; /* used by the model */
    void *widths;                 /* the model's, of a calibration; or NULL */
    void *pieces;                 /* likewise */
    bool chen_xue;                /* prints Chen and Xue's model */
    bool has_csched, has_tms;     /* given; otherwise 0 */
    bool calibrated;
    char source[512]; /* its calibration, in words */
    double optimum;   /* of the selected model, not rounded */
    double *h;        /* ascending, including the optimum */
    int count;
};

/* A kernel on a calibrated machine. */
struct predict_kernel {
    const char *file; /* NULL: the default place */
    const char *kernel, *layout, *scheme;
    const char *power; /* NULL: all equal, as in run */
    bool stream;
};

/* Fills the model from the calibration; free p->group and p->widths. Prints
 * doubts about it on stderr. */
int predict_calibrated(const struct predict_kernel *kernel, struct predict *p,
                       struct error *err);

/* Groups of workers from --workers "n,n:power,..." (power 1 by default), each
 * with one c_p from --cp "s,s,..."; free *group. */
int predict_groups(const char *workers, const char *c_p,
                   struct interval_group **group, int *count,
                   struct error *err);

/* Intervals from --h "a,b,..." in [1, max], ascending, without duplicates, with
 * the optimum added; free *h. text NULL: whole intervals from an eighth to
 * eight times the optimum, each sqrt(2) times the one before. */
int predict_intervals(const char *text, double optimum, double max, double **h,
                      int *count, struct error *err);

/* Prints the result on stdout, as a table that names its sources. */
void predict_table(const struct predict *p);

#endif
