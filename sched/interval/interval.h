/* The synchronization interval: the parallel time of a loop with dependences
 * as a function of h, and the h that makes it smallest, before anything runs.
 *
 * Andronikos, Ciorba, Riakiotakis, Papakonstantinou, Chronopoulos: Studying
 * the impact of synchronization frequency on scheduling tasks with
 * dependencies in heterogeneous systems (2010); numbers (1) to (15) are its
 * formulas.  Chen and Xue's tile sizes as that paper prints them (sec. 5.3).
 *
 * Pure: no input or output, no state.  All times in seconds, all lengths in
 * iterations, as real numbers: V_i and h are not rounded.
 *
 *     (1)  t_r = t_s = c_d + h c_c       receive or send one boundary
 *     (2)  t_p = h V_i c_p               compute one sub-chunk
 *     t_idle = t_s                       claim 3.1
 *     T_tr = 2 (c_d + U_s c_c)           transfer between two subproblems
 *     U_k = U_c / k                      one subproblem (the paper's U_c star)
 *     V_i = U_k VP_i / sum(VP)           (13) for equal powers; (14) and (15)
 *                                        as printed do not cover all of U_c
 *
 * Equal workers (one group), a chunk for each of NP = N workers:
 *     (3)  T_NP = (t_p + t_s) + (U_k / V_i - 2) (t_r + t_p + t_s)
 *                 + U_s / h (t_r + t_p) + (U_s / h - 1) t_idle + T_wa
 *     (4)  h = sqrt(2 c_d U_s / D),
 *          D = (U_k - V_i) c_p + (2 U_k / V_i - 4) c_c
 * Different workers (more groups), xi being the slowest group:
 *     (8)  T_NP = sum_j NP_j (t_r + t_pj + t_s) - t_r - t_s
 *                 + (U_s / h - 1) (t_r + t_p,xi + t_idle) + T_wa
 *     (9)  h = sqrt(2 c_d U_s / D),
 *          D = sum_j NP_j (V_j c_pj + 2 c_c) - V_xi c_p,xi - 4 c_c
 * NP < N: k subproblems one after the other, k chunks for each worker:
 *     (5), (10)  T_N = k T_NP + (k - 1) T_tr - (k - 1) T_wa
 *     (7), (12)  h as (4), (9) with the U_k and V_i of this k
 *
 * Two premises: the sub-chunks of all workers take the same time (PR1) and so
 * do all messages (PR2).  V_j c_pj that differ between groups break PR1: the
 * formulas are evaluated as printed, and the result is then only an estimate.
 *
 * ---- the exact form (ours) ----
 *
 * (3) lets every worker receive and send.  The first one in the line only
 * sends and the last one only receives: with two workers (3) is 7 to 34 % too
 * long and (4) 1.5 times the best h.  Jobs that go through a line of workers
 * take, for any NP, any speeds and any V_j,
 *     s_j = h V_j c_pj + (t_r, but for j = 1) + (t_s, but for j = NP)
 *     T_NP = sum_j s_j + (U_s / h - 1) max_j s_j + T_wa
 * which is (3) for three or more equal workers, and (8) where the slowest
 * group has the largest s_j.  Competing processes known beforehand make c_pj
 * longer.  Everything below builds on this form; the best h is found
 * numerically.  `printed` asks for the formulas above instead.
 *
 * Depth D: where a chunk needs D rows above it, a boundary has D elements a
 * column, and D c_c replaces c_c everywhere.  Lead: if a block stays `lead`
 * columns to the left in these rows, blocks of h <= lead columns never wait for
 * the one above, and the true T is smaller.  For h > lead T is exact, and only
 * there the best h is sought.
 *
 * ---- skew, stream and block starts (ours) ----
 *
 * Skew s: every row of a chunk lags s columns behind the row above it
 * (Floyd-Steinberg: 1), so that a chunk of V rows has U_s + W columns to go
 * through, W = (V - 1) s, and its last row, which the successor needs, is W
 * columns behind its first.  A successor therefore stays h + W columns behind
 * instead of h.  The work of a chunk stays V U_s, and so does the number of
 * its messages, U_s / h.
 *   The parallel time is the longest path through columns and chunks: along a
 * chunk, and at each of the NP - 1 boundaries h + W columns back into the next
 * one.  The path may go back anywhere, and half way along the chunk it costs
 * most.  There the h + W columns hold
 *     g V iterations,  g = h + W                         if 2 W + h <= U_s
 *                      g = U_s - (U_s - h)^2 / (4 W)     otherwise
 * (at both ends of a chunk only some of its rows are inside the grid: the
 * columns' heights are a trapezoid), and q messages each way,
 *     q = min(h + W, (U_s + h) / 2) / h.
 * With e_j = t_r + t_s, or one of them at an end of the line,
 *     pass_j = q_j e_j + g_j V_j c_pj        s_j so far
 *     drain_j = U_s / h e_j + U_s V_j c_pj
 *     T_NP = sum_j pass_j + max_j (drain_j - pass_j) + T_wa.  A protocol that
 * passes whole blocks of h columns stays h + ceil(W / h) h behind, up to one
 * block more: T leaves this out, because it would jump at every W / m;
 * interval_whole respects it.  Where a row needs r columns of the row above to
 * the right of its own, W + r replaces W in the distance of a successor.
 *
 * Stream: in DMPS the chunks of a worker follow each other without waiting for
 * the end of a subproblem.  The pipeline fills once, not k times:
 *     T = F + max(max_j (k drain_j - pass_j),
 *                 (k - 1) F + max_j (drain_j - pass_j)) + T_wa,
 * F = sum_j pass_j (the first if the boundary of a worker's next chunk has
 * arrived when it ends one, the second if it must wait until it comes round).
 * The first of all k NP chunks lacks a t_r, the last a t_s.
 *
 * Block starts: a kernel that does many points at once pays c_b for every row
 * that it starts in a block: t_p = V (h c_p + c_b), or c_p + c_b / h in place
 * of c_p everywhere above.  On machines whose boundaries cost less than V c_b
 * this sets h.
 *
 * Widths: a real kernel runs some widths of blocks faster than others, and
 * sharing rows with another worker costs time in each block.  Then t_p is f(h)
 * V (h c_p + c_b), and t_r is e(h) longer; T_wa and T_tr are not.  T has many
 * minima; the best is sought among whole h.
 *
 * Ends: in (1) a message keeps each of its ends busy for all of its way.  If
 * the busy time of both ends together is known, b_d + h b_c,
 *     t_r + t_s = b_d + h b_c + e(h), half of b for each,
 * and the rest of the way, c_d + h c_c - (b_d + h b_c), only delays a waiting
 * worker: once, when a chunk begins to follow another.  On a simulated platform
 * SMPI defines the busy time.  Threads do not send, so b is 0: the producer's
 * store leaves it at once, and a later successor finds the boundary there.
 * Reading it is part of e(h).  If only m messages of a boundary can be under
 * way at a time, a chunk's blocks take no less than
 *     (c_d - b_d) / m + h (c_c - b_c).
 *
 * Pieces: chunks that shrink are long where they fill the pipeline, and short
 * where messages and requests count.  They are given one by one in the order of
 * the requests, with pass_c and drain_c by each chunk's rows and worker.  Chunk
 * c begins and ends at
 *     S_c = max(free, S_(c-1) + pass_(c-1))
 *     E_c = max(S_c + drain_c, E_(c-1) + pass_c),
 * At `free` its worker has ended its previous chunk and has the next one, which
 * it requested a block earlier: c_sch after that.  A chunk that begins right
 * behind the one above is no faster than that one after its first h columns,
 * and passes its boundary on later.  A later chunk gets the columns kept for it
 * in one message and, if m is known, waits c_c - b_c for each of them.  T is
 * the last E plus T_wa; for equal chunks, the T of a stream. */
#ifndef SCHED_INTERVAL_INTERVAL_H
#define SCHED_INTERVAL_INTERVAL_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

/* Workers of one kind, alpha_j. */
struct interval_group {
    int64_t workers; /* NP_j, at least 1 */
    double power;    /* VP_j, above 0; only ratios count */
    double c_p;      /* seconds per iteration of the loop body, above 0 */
    double chunk;    /* V_j instead of the one from the powers, at least 1;
                        0: from the powers */
    double c_b;      /* ours: seconds to start a row of a block, 0 or more */
};

/* One chunk. */
struct interval_piece {
    double rows, c_p, c_b; /* of its worker */
    int worker;
};

/* The time of blocks of h columns relative to the line c_p + c_b / h. */
struct interval_width {
    double factor;  /* f(h), above 0 */
    double extra_s; /* e(h), 0 or more */
};

struct interval_model {
    double chunk_dim;                   /* U_c, at least 1 */
    double sync_dim;                    /* U_s, at least 1 */
    int groups;                         /* at least 1 */
    const struct interval_group *group; /* in the order of the line */
    int last;     /* group of the line's last worker; the first is of group 0 */
    bool printed; /* the paper's formulas; ignores our extensions below */
    double c_d;   /* start-up cost of a message, s, 0 or more */
    double c_c;   /* cost per element of a message, s, 0 or more */
    double c_sch; /* the master's cost of one chunk, s, 0 or more */
    double t_ms;  /* t_(m-s), cost of one message with the master, s, 0 or more;
                     only for INTERVAL_TWA_PRINTED */
    int64_t k;    /* chunks for each worker, N / NP, at least 1 */
    double skew;  /* ours: columns a row lags behind the one above, 0: none */
    double reach; /* ours, r: columns of the row above beyond its own */
    double lead;  /* ours: columns that a block stays behind in it, 0: none */
    bool stream;  /* ours: chunks stream as in DMPS */

    /* Ours, of whole h in [1, U_s]; NULL: factor 1 and nothing more. */
    struct interval_width (*width)(const void *widths, int64_t h);
    const void *widths;
    bool ends;       /* ours: b_d and b_c are known */
    double b_d, b_c; /* s and s per element, 0 or more */
    int flight;      /* m; 0: any number */

    /* Ours, with stream: the chunks of a time step; NULL: k equal ones for each
     * worker. */
    const struct interval_piece *piece;
    int64_t pieces, steps;
    double *free_s; /* room for a number of each of these workers */
};

/* The work assignment time T_wa, which the paper has in two ways. */
enum interval_reading {
    /* T_wa = 2 (c_d + h c_c) + c_sch, as the text defines it. */
    INTERVAL_TWA_TEXT,
    /* T_wa = NP t_(m-s): not in the text, but it gives the T that the paper
     * prints, with t_(m-s) in milliseconds (table 1 says microseconds). */
    INTERVAL_TWA_PRINTED,
};

/* Refuses values that are out of the ranges above or not finite, or chunks of
 * less than one iteration.  All other functions expect a model that passed, and
 * an h in [1, U_s].  Returns 0 or -EINVAL with a text. */
int interval_check(const struct interval_model *model, struct error *err);

/* NP, the number of all workers. */
int64_t interval_workers(const struct interval_model *model);

/* xi, the group that gets its chunks last: the one of the smallest power, of
 * several the one of the largest c_p. */
int interval_slowest(const struct interval_model *model);

/* V_j of a group. */
double interval_chunk(const struct interval_model *model, int group);

/* T_wa at this h. */
double interval_assignment(const struct interval_model *model, double h,
                           enum interval_reading reading);

/* T at this h: the exact form with all of ours, or as printed (3), (5) for one
 * group, (8), (10) for more.  One worker alone exchanges no messages (the
 * formulas expect two or more): U_s U_c (c_p + c_b / h) + T_wa. */
double interval_time(const struct interval_model *model, double h,
                     enum interval_reading reading);

/* The least ratio of computation to communication over the chunks, h V c_p /
 * (t_r + t_s): "at all times" at least 1 in Ciorba et al., section 4.4. */
double interval_ratio(const struct interval_model *model, double h);

/* The model's values for blocks of h columns, rounded. */
struct interval_width interval_width(const struct interval_model *model,
                                     double h);

/* The unrounded h of (4), (7), (9) or (12), of any size; infinite where nothing
 * limits it (one worker). */
double interval_formula(const struct interval_model *model);

/* The best h above the lead in [1, U_s], not rounded (T is convex in h); as
 * printed, interval_formula limited to that range.  If the model knows widths,
 * the best whole h.  T_wa counts as constant, as in (6) and (11).  As the text
 * defines it, it grows with h and moves the minimum down by the fraction c_c /
 * (k D), 0.015 % in the paper's experiment 1. */
double interval_optimum(const struct interval_model *model);

/* The h of a run: h rounded up or down to a whole number in [1, U_s], where T
 * is smaller (T_wa is constant).  With skew the best whole number from h / 2 to
 * 2 h for a protocol that passes whole blocks: it may be far from the smooth
 * optimum, because blocks that just cover the lag W are better. */
int64_t interval_whole(const struct interval_model *model, double h);

/* Chen and Xue's horizontal tile size as printed, brought into [1, U_s], for
 * k = 1, no skew, no stream and at least two workers; the vertical one is
 * interval_chunk:
 *     h = sqrt(NP (c_d + c_d) U_s / ((NP - 1) (U_c c_p + 2 c_c)))
 * with the mean of c_p over all workers where they differ (the paper writes a
 * bar and does not define it).  Their T is not printed; the paper puts their
 * h into (3) and (8), and so may callers. */
double interval_chen_xue(const struct interval_model *model);

#endif
