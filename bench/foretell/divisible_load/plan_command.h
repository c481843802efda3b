/* dlsbench plan: its request, its platform, and its output. */
#ifndef BENCH_FORETELL_DIVISIBLE_LOAD_PLAN_COMMAND_H
#define BENCH_FORETELL_DIVISIBLE_LOAD_PLAN_COMMAND_H

#include "base/error.h"
#include "bench/options/table.h"
#include "harness/disturb/perturb.h"
#include "sched/divisible/algorithm.h"

#include <stdio.h>

/* The source of a platform: lists, a file, or a calibration.  A list has one
 * number for each worker (n:v means n times v, a single number is for all).  A
 * calibration comes with a kernel and the bytes of input per iteration. */
struct plan_source {
    const char *workers, *g, *G, *w, *z, *late; /* NULL: not given */
    const char *file;
    const char *kernel, *unit_bytes, *calibration;
};

struct plan_platform {
    struct divisible_worker *worker; /* owned */
    struct divisible_platform platform;
};

/* Reads a platform, checked together with the load.  A file is CSV; empty lines
 * and comments after # are ignored.  Its header names the columns g, G, w, z,
 * late in any order; G and w are required, missing others are 0.  One line
 * follows for each worker.  Returns 0 or -errno with a text; free with
 * plan_platform_free. */
int plan_platform_read(const struct plan_source *source, bool overlap,
                       double load, struct plan_platform *out,
                       struct error *err);
void plan_platform_free(struct plan_platform *platform);

/* The part of it for calibrations; the platform is not checked yet. */
int plan_calibrated(const struct plan_source *source, struct plan_platform *out,
                    struct error *err);

/* What disturbs the workers of a plan. */
struct plan_perturb {
    char text[PERTURB_TEXT_MAX]; /* canonical */
    struct perturbs perturbs;
    struct divisible_disturbance disturbance;
    uint8_t hit[DIVISIBLE_WORKERS_MAX];
};

/* In addition to the formats of table.h. */
enum { PLAN_GANTT = TABLE_MARKDOWN + 1 };

struct plan_request {
    struct plan_platform platform;
    struct divisible_choice choice;
    struct plan_perturb *perturb; /* the platform's; owned; NULL: none */
    int *order;                   /* the choice's; owned */
    bool all;                     /* algorithms, one line each */
    double load;
    int format;
    const char *batch; /* a file of lines of options; NULL: none, else nothing
                          of the above is there */
};

/* Reads the options.  Returns 0 or -errno with a text; free with
 * plan_request_free. */
int plan_request_read(int argc, char **argv, struct plan_request *request,
                      struct error *err);
void plan_request_free(struct plan_request *request);

/* Makes the plans of the lines of request->batch and prints CSV.  A line has
 * options of this command; --load, --algorithm and --installments may be
 * lists.  A row for each plan has these columns: line, load, algorithm,
 * installments, rounds, chunks, makespan_s, over_bound (makespan over load /
 * n*), latency_share and waiting_share.  The shares are of all workers' time
 * until the end; the rest is receiving and computing load.  Returns 0 or -errno
 * with a text that names the line. */
int plan_batch(const struct plan_request *request, struct error *err);

/* A plan with its purpose. */
struct plan_view {
    const struct divisible_platform *platform;
    const struct divisible_plan *plan;
    const struct divisible_choice *choice;
    const struct plan_perturb *perturb; /* NULL: none */
    double load;
    double bound; /* load / n*: no schedule is shorter, s */
};

/* One line each: the plan and its sources. */
void plan_head(const struct plan_view *view, FILE *out);
/* "multi-installment, 3 rounds", as headings have it. */
void plan_title(const struct plan_view *view, char *text, int size);

/* One row for each chunk; but for text it has full digits and the makespan in
 * each row. */
void plan_table(const struct plan_view *view, enum table_format format,
                FILE *out);

/* A Gantt chart of text, `width` columns wide. */
void plan_gantt(const struct plan_view *view, int width, FILE *out);

#endif
