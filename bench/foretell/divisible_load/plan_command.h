/* dlsbench plan: its request, its platform, and its output. */
#ifndef BENCH_FORETELL_DIVISIBLE_LOAD_PLAN_COMMAND_H
#define BENCH_FORETELL_DIVISIBLE_LOAD_PLAN_COMMAND_H

#include "base/error.h"
#include "bench/options/table.h"
#include "harness/disturb/perturb.h"
#include "sched/divisible/algorithm.h"

#include <stdio.h>

/* The source of a platform: lists, a file, or a calibration.  A list has one
 * number per worker; n:v means n times v, and a single number is for all. g, z
 * and late are seconds, G and w seconds per unit of load.  A calibration needs
 * a kernel and the bytes of input per iteration. */
struct plan_source {
    const char *workers, *g, *G, *w, *z, *late; /* NULL: not given */
    const char *file;
    const char *kernel, *unit_bytes, *calibration;
};

struct plan_platform {
    struct divisible_worker *worker; /* freed by plan_platform_free */
    struct divisible_platform platform;
};

/* Reads a platform and checks it together with the load.  A file is CSV; empty
 * lines and comments after # are ignored.  Its header names the columns g, G,
 * w, z, late in any order; G and w are required, missing others are 0.  Each
 * worker has a line.  Returns 0 or -errno with a text; free with
 * plan_platform_free. */
int plan_platform_read(const struct plan_source *source, bool overlap,
                       double load, struct plan_platform *out,
                       struct error *err);
void plan_platform_free(struct plan_platform *platform);

/* plan_platform_read for calibrations; does not check the platform. */
int plan_calibrated(const struct plan_source *source, struct plan_platform *out,
                    struct error *err);

/* The disturbance of a plan's workers. */
struct plan_perturb {
    char text[PERTURB_TEXT_MAX]; /* canonical */
    struct perturbs perturbs;
    struct divisible_disturbance disturbance;
    uint8_t hit[DIVISIBLE_WORKERS_MAX];
};

/* A format in addition to those of table.h. */
enum { PLAN_GANTT = TABLE_MARKDOWN + 1 };

struct plan_request {
    struct plan_platform platform;
    struct divisible_choice choice;
    struct plan_perturb *perturb; /* the platform's; owned; NULL: none */
    int *order;                   /* the choice's; freed with it */
    bool all;                     /* all algorithms, one line each */
    double load;
    int format;
    const char *batch; /* a file with lines of options; NULL: none; otherwise
                          the members above are unset */
};

/* Reads the options.  Returns 0 or -errno with a text; free with
 * plan_request_free. */
int plan_request_read(int argc, char **argv, struct plan_request *request,
                      struct error *err);
void plan_request_free(struct plan_request *request);

/* Makes the plans of the lines of request->batch and prints CSV.  A line has
 * options of this command; --load, --algorithm and --installments may be lists.
 * Each plan gets a row with these columns: line, load, algorithm, installments,
 * rounds, chunks, makespan_s, over_bound (makespan over load / n*),
 * latency_share and waiting_share.  The shares are of all workers' time until
 * the end; the rest is receiving and computing load.  Returns 0 or -errno with
 * a text that names the line. */
int plan_batch(const struct plan_request *request, struct error *err);

/* A plan with its platform, for printing. */
struct plan_view {
    const struct divisible_platform *platform;
    const struct divisible_plan *plan;
    const struct divisible_choice *choice;
    const struct plan_perturb *perturb; /* NULL: none */
    double load;
    double bound; /* load / n*, s: the least time of any schedule */
};

/* Prints the plan and its sources, one line each. */
void plan_head(const struct plan_view *view, FILE *out);
/* "multi-installment, 3 rounds", for headings. */
void plan_title(const struct plan_view *view, char *text, int size);

/* Prints one row for each chunk; except as text, with all digits and the
 * makespan in each row. */
void plan_table(const struct plan_view *view, enum table_format format,
                FILE *out);

/* Prints a Gantt chart as text, `width` columns wide. */
void plan_gantt(const struct plan_view *view, int width, FILE *out);

#endif
