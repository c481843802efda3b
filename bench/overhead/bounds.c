#include "bench/overhead/overhead.h"

#include "sched/sched.h"

#include <string.h>

#define KERNEL "mandelbrot:size=2048,maxiter=1000"

/* Every scheme over one loop, in one shape. */
struct contest {
    struct cell cell;
    struct run *run;
    double time[OVERHEAD_ROUNDS], share[OVERHEAD_ROUNDS];
};

enum { SCHEMES_MAX = 64 };

static int open_contest(struct contest *c, const char *scheme,
                        struct loop *loop, struct launch_context *context,
                        struct error *err)
{
    cell_defaults(&c->cell);
    c->cell.ranks = context->comm.ranks;
    snprintf(c->cell.kernel, sizeof(c->cell.kernel), "%s", KERNEL);
    snprintf(c->cell.scheme, sizeof(c->cell.scheme), "%s", scheme);
    int code = cell_check(&c->cell, err);
    if (code == 0)
        code = run_open(&c->run, &c->cell, loop, context, false, err);
    return code;
}

void overhead_bounds(FILE *out, struct launch_context *context)
{
    struct contest c[SCHEMES_MAX] = {{.run = NULL}};
    struct loop loop;
    struct error err;
    struct run_result result;
    int count = 0;
    bool root = context->comm.rank == 0;
    if (loop_open(&loop, KERNEL, &context->comm, 60, 1, &err) != 0)
        return;
    for (int i = 0; sched_schemes[i] != NULL && count < SCHEMES_MAX; i++)
        if (open_contest(&c[count], sched_schemes[i]->name, &loop, context,
                         &err) == 0)
            count++;
    for (int r = 0; r < OVERHEAD_ROUNDS; r++) {
        for (int i = 0; i < count; i++) {
            run_repeat(c[i].run, &result, &err);
            c[i].time[r] = result.time_s;
            c[i].share[r] = result.time_s / result.bound_s;
        }
    }
    if (root)
        fprintf(out,
                "\n%s, 2 ranks with a master that also computes; serial "
                "%.1f ms\n  %-22s %8s %10s %10s\n",
                KERNEL, 1e3 * loop.serial_s, "scheme", "ms", "efficiency",
                "x bound");
    for (int i = 0; i < count && root; i++) {
        double time = overhead_median(c[i].time, OVERHEAD_ROUNDS);
        fprintf(out, "  %-22s %8.2f %10.3f %10.3f\n", c[i].cell.scheme,
                1e3 * time, loop.serial_s / time / 2,
                overhead_median(c[i].share, OVERHEAD_ROUNDS));
    }
    for (int i = 0; i < count; i++)
        run_close(c[i].run);
    loop_close(&loop);
}
