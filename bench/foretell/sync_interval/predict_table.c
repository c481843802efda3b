/* The text that `predict` prints. */
#include "base/text.h"
#include "bench/foretell/sync_interval/predict.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* Sub-chunks whose times differ by more than this factor are reported. */
static const double uneven = 1.1;

/* The numbers of the paper's formulas for T and for the best h.  Equal workers:
 * (3) and (4) with a chunk each, (5) and (7) with k chunks.  Groups of workers:
 * (8) and (9) with a chunk each, (10) and (12) with k. */
static void say_model(const struct predict *p)
{
    bool different = p->model.groups > 1, more = p->model.k > 1;
    bool starts = p->group[0].c_b > 0;
    const char *time = different ? (more ? "10" : "8") : more ? "5" : "3";
    const char *best = different ? (more ? "12" : "9") : more ? "7" : "4";
    if (p->chen_xue)
        printf(
            "model     Chen and Xue's h; T by Andronikos et al. 2010, formula "
            "(%s)\n",
            time);
    else if (p->model.printed)
        printf(
            "model     Andronikos et al. 2010: T by formula (%s), the best h "
            "by (%s)\n",
            time, best);
    else
        printf("model     exact, ours after Andronikos et al. 2010%s%s%s%s%s\n",
               p->model.skew > 0 || p->model.stream || starts ? ", with" : "",
               p->model.skew > 0 ? " skew" : "",
               p->model.stream ? " stream" : "", starts ? " block starts" : "",
               p->model.width != NULL ? " widths" : "");
}

static void say_loop(const struct predict *p)
{
    printf("loop      U_c = %.15g (chunks), U_s = %.15g (synchronization "
           "points)\n",
           p->model.chunk_dim, p->model.sync_dim);
    if (p->model.skew > 0 && !p->model.printed)
        printf("          every row lags %g column%s behind the row above it\n",
               p->model.skew, text_s(p->model.skew));
    if (p->model.lead > 0 && !p->model.printed)
        printf("          a block stays %g column%s behind in the rows above: "
               "the model is for h > %g\n",
               p->model.lead, text_s(p->model.lead), p->model.lead);
    for (int j = 0; j < p->model.groups; j++)
        printf("%-10s%" PRId64 " of power %g, c_p %g s, with %" PRId64
               " chunk%s of %.6g each\n",
               j == 0 ? "workers" : "", p->group[j].workers, p->group[j].power,
               p->group[j].c_p, p->model.k, text_s(p->model.k),
               interval_chunk(&p->model, j));
    if (p->model.k > 1)
        printf("          %s\n",
               p->model.stream && !p->model.printed
                   ? "chunks stream as in DMPS"
                   : "chunks in subproblems, one after the other (DMPS: see "
                     "--stream)");
}

static void say_costs(const struct predict *p)
{
    if (p->group[0].c_b > 0 && !p->model.printed)
        printf("costs     c_b %g s for each row of a block\n", p->group[0].c_b);
    printf("costs     c_d %g s, c_c %g s, c_sch %g s%s", p->model.c_d,
           p->model.c_c, p->model.c_sch, p->has_csched ? "" : " (not given)");
    if (p->has_tms)
        printf(", t_(m-s) %g s", p->model.t_ms);
    putchar('\n');
}

/* Premise PR1: the sub-chunks of all workers take the same time. */
static void say_premise(const struct predict *p)
{
    double low = INFINITY, high = 0;
    for (int j = 0; j < p->model.groups; j++) {
        double time = interval_chunk(&p->model, j) * p->group[j].c_p;
        low = fmin(low, time);
        high = fmax(high, time);
    }
    if (p->model.printed && high > uneven * low)
        printf("note      sub-chunks of the groups take up to %.3g times as "
               "long as others: the\n"
               "          model expects c_p in proportion to 1 / power, T is a "
               "rough estimate\n",
               high / low);
    if (interval_workers(&p->model) == 1)
        puts(
            "note      one worker never synchronizes: the largest h is as good "
            "as any");
}

static void say_answer(const struct predict *p)
{
    int64_t h = interval_whole(&p->model, p->optimum);
    printf("answer    synchronize every %" PRId64
           " of %.10g iterations: %.4g s\n",
           h, p->model.sync_dim,
           interval_time(&p->model, (double)h, INTERVAL_TWA_TEXT));
}

static void say_optimum(const struct predict *p)
{
    printf("optimum   h = %.6g, as a whole number %" PRId64 "%s\n", p->optimum,
           interval_whole(&p->model, p->optimum),
           p->optimum <= 1                   ? " (the smallest there is)"
           : p->optimum >= p->model.sync_dim ? " (all of U_s: no pipeline)"
           : p->model.skew > 0 ? ", blocks that cover the lag well"
                               : "");
    if (p->chen_xue)
        printf("          Andronikos et al. have h = %.6g\n",
               interval_optimum(&p->model));
    puts(
        "T text    T_wa = 2 (c_d + h c_c) + c_sch, as the paper's text defines "
        "it");
    printf("T printed T_wa = NP t_(m-s), which gives the times that the paper "
           "prints%s\n",
           p->has_tms ? "" : ";\n          needs --tms");
    puts("T - optimum leaves out T_wa, as the paper does when it seeks h\n");
}

/* In percent, by the model in which T_wa does not depend on h, as for the
 * optimum. */
static double above_optimum(const struct predict *p, double h)
{
    const struct interval_model *m = &p->model;
    double best = interval_time(m, p->optimum, INTERVAL_TWA_PRINTED);
    double more = interval_time(m, h, INTERVAL_TWA_PRINTED) - best;
    double percent =
        100 * more / interval_time(m, p->optimum, INTERVAL_TWA_TEXT);
    return fabs(percent) < 5e-5 ? 0 : percent; /* never -0.0000 */
}

void predict_table(const struct predict *p)
{
    say_answer(p);
    say_model(p);
    if (p->calibrated)
        printf("measured  %s\n", p->source);
    say_loop(p);
    say_costs(p);
    say_premise(p);
    say_optimum(p);
    printf("%12s %14s", "h", "T text, s");
    if (p->has_tms)
        printf(" %14s", "T printed, s");
    printf(" %14s\n", "T - optimum");
    for (int i = 0; i < p->count; i++) {
        double h = p->h[i];
        printf("%12.6g %#14.7g", h,
               interval_time(&p->model, h, INTERVAL_TWA_TEXT));
        if (p->has_tms)
            printf(" %#14.7g",
                   interval_time(&p->model, h, INTERVAL_TWA_PRINTED));
        if (h == p->optimum)
            puts("        optimum");
        else
            printf(" %+13.4f%%\n", above_optimum(p, h));
    }
}
