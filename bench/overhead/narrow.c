/* Floyd-Steinberg in narrow blocks, as the sync interval requires: on one core
 * compared with whole rows, and on two threads with one. */
#include "bench/overhead/bench_cell.h"
#include "bench/overhead/overhead.h"
#include "bench/overhead/rounds/states.h"

#include "harness/engine/engine.h"
#include "harness/process/need.h"

#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 7, WIDTHS = 6, CHUNK = 125 };

static const int64_t width_of[WIDTHS] = {50, 100, 200, 400, 800, 2000};

/* Ratios to whole rows, by round. */
struct narrow {
    struct loop loop;
    struct bench_cell cell[WIDTHS];
    char *scratch, *state;
    double whole_s[ROUNDS], blocks[WIDTHS][ROUNDS], threads[WIDTHS][ROUNDS];
    double handover_ns[ROUNDS];
};

static int open_narrow(struct narrow *n, struct launch_context *context,
                       struct error *err)
{
    int code = bench_loop_open(&n->loop, "floyd-steinberg:rows=3000,cols=8000",
                               &context->comm, err);
    for (int i = 0; i < WIDTHS && code == 0; i++) {
        char scheme[32], interval[32];
        const struct bench_field fields[] = {
            {"scheme", scheme}, {"sync_interval", interval}, {NULL, NULL}};
        snprintf(scheme, sizeof(scheme), "css:chunk=%d", CHUNK);
        snprintf(interval, sizeof(interval), "%lld", (long long)width_of[i]);
        code = bench_cell_open(&n->cell[i], context, &n->loop, fields, err);
    }
    if (code != 0)
        return code;
    n->state = need_zeroed(1, n->loop.grid.state_bytes);
    n->scratch =
        need_zeroed(1, n->loop.kernel->scratch_bytes(n->loop.instance));
    return 0;
}

static double time_whole(const struct narrow *n)
{
    const struct loop *loop = &n->loop;
    double begin_s = engine_now();
    loop->kernel->run(loop->instance, n->scratch, 0, loop->iterations,
                      loop->output, NULL);
    return engine_now() - begin_s;
}

/* As one worker runs it: chunk after chunk, block after block. */
static double time_blocks(const struct narrow *n, int64_t width)
{
    const struct loop *loop = &n->loop;
    double begin_s = engine_now();
    for (int64_t row = 0; row < loop->iterations; row += CHUNK) {
        int64_t size = loop->iterations - row;
        size = size < CHUNK ? size : CHUNK;
        int64_t end = loop->grid.columns + (size - 1) * loop->grid.skew;
        for (int64_t from = 0; from < end; from += width) {
            const struct kernel_block block = {
                .start = row,
                .size = size,
                .from = from,
                .to = from + width < end ? from + width : end};
            loop->kernel->dependence->run_block(loop->instance, n->state,
                                                &block, loop->output, NULL);
        }
    }
    return engine_now() - begin_s;
}

static void measure_round(void *arg, int r)
{
    struct narrow *n = arg;
    for (int i = 0; i < WIDTHS; i++) {
        double whole_s = n->whole_s[r] = time_whole(n);
        n->blocks[i][r] = time_blocks(n, width_of[i]) / whole_s;
        double threads_s = bench_cell_time(&n->cell[i], NULL);
        n->threads[i][r] = threads_s > 0 ? whole_s / threads_s : 0;
    }
}

static void print_state(FILE *out, const struct narrow *n,
                        const struct state *state)
{
    double best = 0;
    fprintf(out, "  whole rows on one core %.2f ms",
            1e3 * state_middle(state, n->whole_s));
    state_print(out, state);
    fprintf(out, "\n  %6s  %-26s  %s\n", "h", "one core, of whole rows",
            "2 threads, times one");
    for (int i = 0; i < WIDTHS; i++) {
        double blocks = state_middle(state, n->blocks[i]);
        double threads = state_middle(state, n->threads[i]);
        best = threads > best ? threads : best;
        fprintf(out, "  %6lld  %5.2f %-20s  %5.2f\n", (long long)width_of[i],
                blocks,
                width_of[i] == 100 ? state_judge(state, blocks <= 1.25) : "",
                threads);
    }
    fprintf(out,
            "  aims: at most 1.25 at h = 100; 2 threads at their best h at "
            "least 1.60: %.2f %s\n",
            best, state_judge(state, best >= 1.6));
}

void overhead_narrow(FILE *out, struct launch_context *context)
{
    struct narrow *n = need_zeroed(1, sizeof(*n));
    struct error err;
    if (open_narrow(n, context, &err) != 0) {
        fprintf(out, "floyd-steinberg: %s\n", err.text);
    } else {
        measure_round(n, 0); /* warms up */
        for (int r = 0; r < ROUNDS; r++)
            n->handover_ns[r] = state_time_round(context, measure_round, n, r);
        struct state state[STATES_MAX];
        int states = state_split(n->handover_ns, ROUNDS, state);
        fprintf(
            out,
            "\nFloyd-Steinberg, 3000 x 8000, chunks of %d rows, blocks of h "
            "columns\n",
            CHUNK);
        for (int s = 0; s < states; s++)
            print_state(out, n, &state[s]);
    }
    for (int i = 0; i < WIDTHS; i++)
        bench_cell_close(&n->cell[i]);
    if (n->loop.kernel != NULL)
        loop_close(&n->loop);
    free(n->state);
    free(n->scratch);
    free(n);
}
