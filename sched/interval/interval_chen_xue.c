/* Chen and Xue, Partitioning and scheduling loops on NOWs (1999), their tile
 * sizes as printed in Andronikos et al., sec. 5.3.  In their own symbols
 *
 *     n_2 = sqrt(P (alpha_s + alpha_r + gamma (P - 1)) N_2
 *                / ((P - 1) (N_1 t_c + beta_s + beta_r)))
 *
 * where the paper leaves gamma (P - 1) out and puts c_d, c_c for alpha, beta.
 * For the paper's experiment 3 this is 32.3, not the printed 162. */
#include "sched/interval/interval.h"

#include <math.h>

double interval_chen_xue(const struct interval_model *model)
{
    double workers = (double)interval_workers(model);
    double c_p = 0;
    for (int j = 0; j < model->groups; j++)
        c_p += (double)model->group[j].workers * model->group[j].c_p;
    c_p /= workers;
    double above = workers * (model->c_d + model->c_d) * model->sync_dim;
    double below = (workers - 1) * (model->chunk_dim * c_p + 2 * model->c_c);
    double h = below > 0 ? sqrt(above / below) : INFINITY;
    return fmin(fmax(h, 1), model->sync_dim);
}
