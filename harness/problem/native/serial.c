#include "harness/problem/serial.h"

#include "base/text.h"
#include "harness/engine/engine.h"
#include "harness/engine/share.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    COSTS_MAX = 1 << 20, /* most iterations measured one by one */
    COST_PASSES = 2,
};
/* A first pass that takes longer than this warms up enough. */
#define LONG_PASS_S 3.0

static void compute_chunk(struct loop *loop, void *scratch, int64_t start,
                          int64_t size)
{
    char *output = loop->output + (size_t)start * loop->output_bytes;
    if (loop_steps(loop) > 1)
        loop->kernel->steps->run(loop->instance, loop->state, start, size,
                                 output, NULL);
    else if (loop->fed)
        loop->kernel->input->run(loop->instance, scratch, start, size,
                                 loop->input.store + loop->input.before[start],
                                 output, NULL);
    else
        loop->kernel->run(loop->instance, scratch, start, size, output, NULL);
}

static struct loop_pass time_pass(struct loop *loop, void *scratch)
{
    const struct kernel_steps *steps = loop->kernel->steps;
    struct engine_share_mark begin, end;
    int count = loop_steps(loop);
    struct loop_pass pass = {0, 0, 0};
    if (count > 1)
        steps->begin(loop->instance, loop->state);
    engine_share_mark(&begin);
    double start = engine_now();
    for (int step = 0; step < count; step++) {
        compute_chunk(loop, scratch, 0, loop->iterations);
        if (step + 1 == count)
            break;
        double ended = engine_now();
        steps->advance(loop->instance, loop->state, loop->output);
        pass.between_s += engine_now() - ended;
    }
    pass.took_s = engine_now() - start;
    engine_share_mark(&end);
    struct engine_share share = engine_share_between(&begin, &end);
    pass.others = share.others_s / share.span_s;
    return pass;
}

static void take_pass(struct loop *loop, const struct loop_pass *pass)
{
    struct loop_serial *serial = &loop->serial;
    serial->last = *pass;
    serial->took_s[serial->passes++ % LOOP_PASSES] = pass->took_s;
}

/* The least of two passes keeps interruptions out. */
static double measure_step(struct loop *loop, void *scratch, double *cost)
{
    int64_t n = loop->iterations;
    int passes = loop->serial_s > LONG_PASS_S ? 1 : COST_PASSES;
    for (int p = 0; p < passes; p++) {
        double last = engine_now();
        for (int64_t i = 0; i < n; i++) {
            compute_chunk(loop, scratch, i, 1);
            double now = engine_now(), took = now - last;
            if (p == 0 || took < cost[i + 1])
                cost[i + 1] = took;
            last = now;
        }
    }
    for (int64_t i = 0; i < n; i++)
        cost[i + 1] += cost[i];
    return cost[n];
}

/* Scaled to the serial time of the iterations, so that calls one by one do not
 * count as work. */
static int measure_costs(struct loop *loop, void *scratch)
{
    const struct kernel_steps *steps = loop->kernel->steps;
    size_t n = (size_t)loop->iterations + 1;
    int all = loop_steps(loop), count = loop->drifts ? all : 1;
    double sum = 0, *cost = calloc(n * (size_t)count, sizeof(*cost));
    loop->cost_before = cost;
    if (cost == NULL)
        return -ENOMEM;
    if (all > 1)
        steps->begin(loop->instance, loop->state);
    for (int step = 0; step < count; step++) {
        sum += measure_step(loop, scratch, cost + n * (size_t)step);
        if (step + 1 < count)
            steps->advance(loop->instance, loop->state, loop->output);
    }
    double work = loop->serial_s - loop_advances_s(loop);
    double scale = sum > 0 ? work * count / (sum * all) : 1;
    for (size_t i = 0; i < n * (size_t)count; i++)
        cost[i] *= scale;
    return 0;
}

static void *open_scratch(const struct loop *loop, struct error *err)
{
    void *scratch = NULL;
    if (posix_memalign(&scratch, 64, loop->scratch_bytes + 64) != 0) {
        error_set(err, ENOMEM, "kernel %s: no memory for one worker",
                  loop->name);
        return NULL;
    }
    memset(scratch, 0, loop->scratch_bytes + 64);
    return scratch;
}

/* Right values must not remain for a run that forgets some iterations. */
static void wipe_output(struct loop *loop)
{
    memset(loop->output, LOOP_POISON,
           (size_t)loop->iterations * loop->output_bytes);
}

/* ---- threads of a library ---- */

static int count_threads(void)
{
    DIR *folder = opendir("/proc/self/task");
    int count = 0;
    while (folder != NULL && readdir(folder) != NULL)
        count++;
    if (folder != NULL)
        closedir(folder);
    return count;
}

enum { LIBRARIES_SIZE = 128 };

/* Lists the loaded libraries that may start threads by themselves. */
static void list_libraries(char text[LIBRARIES_SIZE])
{
    static const char *const parts[] = {"blis", "blas", "mkl", "omp", "tbb"};
    char line[512];
    FILE *file = fopen("/proc/self/maps", "r");
    text[0] = '\0';
    while (file != NULL && fgets(line, sizeof(line), file) != NULL) {
        const char *slash = strrchr(line, '/');
        const char *name = slash != NULL ? slash + 1 : "";
        size_t used = strlen(text);
        line[strcspn(line, "\n")] = '\0';
        for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
            if (strstr(name, parts[i]) != NULL && strstr(text, name) == NULL)
                snprintf(text + used, LIBRARIES_SIZE - used, "%s%s",
                         used > 0 ? ", " : "", name);
    }
    if (file != NULL)
        fclose(file);
}

/* A BLAS that starts threads would take the cores of other workers.  One
 * iteration shows it, before the loop is timed. */
static int refuse_threads(struct loop *loop, void *scratch, struct error *err)
{
    char libraries[LIBRARIES_SIZE];
    int before = count_threads();
    if (loop->iterations == 0)
        return 0;
    if (loop_steps(loop) > 1)
        loop->kernel->steps->begin(loop->instance, loop->state);
    compute_chunk(loop, scratch, 0, 1);
    int more = count_threads() - before;
    if (more <= 0)
        return 0;
    list_libraries(libraries);
    return error_set(err, EBUSY,
                     "kernel %s itself starts %d thread%s, which would take "
                     "the cores of other workers (loaded: %s): set "
                     "OMP_NUM_THREADS=1, or build with a serial BLAS",
                     loop->kernel->name, more, text_s(more), libraries);
}

int serial_open(struct loop *loop, struct error *err)
{
    void *scratch = open_scratch(loop, err);
    if (scratch == NULL)
        return -ENOMEM;
    int code = refuse_threads(loop, scratch, err), steps = loop_steps(loop);
    if (code != 0) {
        free(scratch);
        return code;
    }
    struct loop_pass pass = time_pass(loop, scratch);
    if (pass.took_s <= LONG_PASS_S)
        pass = time_pass(loop, scratch);
    take_pass(loop, &pass);
    loop->serial_s = pass.took_s;
    loop->extra.advance_s = steps > 1 ? pass.between_s / (steps - 1) : 0;
    /* A pipeline is not bound by its chunks alone. */
    if (loop->iterations <= COSTS_MAX && loop->kernel->dependence == NULL)
        code = measure_costs(loop, scratch);
    free(scratch);
    wipe_output(loop);
    if (code != 0)
        return error_set(err, ENOMEM, "kernel %s: no memory for its costs",
                         loop->name);
    return 0;
}

int serial_pass(struct loop *loop, struct error *err)
{
    double start = engine_now();
    void *scratch = open_scratch(loop, err);
    if (scratch == NULL)
        return -ENOMEM;
    struct loop_pass pass = time_pass(loop, scratch);
    take_pass(loop, &pass);
    free(scratch);
    wipe_output(loop);
    loop->serial.spent_s += engine_now() - start;
    return 0;
}
