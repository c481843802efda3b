/* trace: a loop given by the costs of its iterations, the user's own loop.
 *
 *   FOR i = 0 TO I - 1:  work for cost[i] seconds
 *
 * The file has one number of seconds per line; `#` begins a comment, blank
 * lines are skipped.  Costs are worked off, not waited for: round(cost *
 * steps) steps of a chain of dependent multiplications, so that an iteration
 * takes longer on a slower or shared core, like real work.  `steps` is the
 * number of steps per second; when it is not given, this machine's rate is
 * measured when the instance is made, and every rank has its own.
 *
 * Speed: one multiplication and one addition of 64 bits per step, 4 cycles of
 * pure latency; independent of caches, memory and instruction set.
 *
 * Bits: the output of an iteration is its number and a hash of its cost; the
 * result of the chain, whose length depends on the rate, is kept out of it
 * (it is added to the worker's scratch memory, so that the work is not
 * optimised away). */
#include "kernels/kernel.h"

#include "kernels/support/memory.h"
#include "kernels/support/random.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

enum {
    PIECE = 16384, /* steps between two polls, about 20 us */
    CALIBRATION_STEPS = 1 << 19,
    CALIBRATION_RUNS = 7,
};

static const double COST_MAX = 1e6; /* seconds, 11 days */

enum { TRACE_FILE, STEPS };

static const struct spec_param trace_params[] = {
    [TRACE_FILE] = {.key = "file",
                    .type = SPEC_TEXT,
                    .required = true,
                    .help = "costs of the iterations in seconds, one per line"},
    [STEPS] = {.key = "steps",
               .type = SPEC_REAL,
               .min = 1,
               .max = 1e12,
               .help = "steps of work per second; default: measured"},
    {0},
};

struct trace {
    double *cost; /* seconds */
    int64_t iterations;
    double rate; /* steps per second */
};

struct trace_output {
    uint64_t iteration;
    uint64_t hash;
};

/* The constants make a full-period generator, so that no state is a fixed
 * point; the barrier keeps a compiler from composing several steps. */
static uint64_t work(uint64_t x, int64_t steps)
{
    for (int64_t i = 0; i < steps; i++) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        __asm__ volatile("" : "+r"(x));
    }
    return x;
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The fastest of some runs: the rate of a core that is not shared. */
static double measure_rate(void)
{
    double best = INFINITY;
    for (int i = 0; i < CALIBRATION_RUNS; i++) {
        double start = seconds();
        work((uint64_t)i, CALIBRATION_STEPS);
        best = fmin(best, seconds() - start);
    }
    return CALIBRATION_STEPS / fmax(best, 1e-9);
}

static void trace_destroy(void *instance)
{
    struct trace *t = instance;
    free(t->cost);
    free(t);
}

/* Cuts comment and surrounding blanks; returns the rest. */
static char *trim(char *line)
{
    line[strcspn(line, "#")] = '\0';
    char *text = line + strspn(line, " \t\r\n");
    size_t length = strlen(text);
    while (length > 0 && strchr(" \t\r\n", text[length - 1]) != NULL)
        text[--length] = '\0';
    return text;
}

static int parse_cost(const char *text, double *cost, struct error *err)
{
    char *end;
    double value = strtod(text, &end);
    if (end == text || *end != '\0' || isnan(value))
        return error_set(err, EINVAL, "'%.60s' is not a number", text);
    if (value < 0)
        return error_set(err, EINVAL, "the cost %.60s is negative", text);
    if (value > COST_MAX)
        return error_set(err, EINVAL, "the cost %.60s is above %g seconds",
                         text, COST_MAX);
    *cost = value + 0.0; /* -0 is 0 */
    return 0;
}

static int append(struct trace *t, size_t *room, double cost, struct error *err)
{
    if ((size_t)t->iterations == *room) {
        size_t more = *room == 0 ? 1024 : 2 * *room;
        double *cost_array = realloc(t->cost, more * sizeof(*cost_array));
        if (cost_array == NULL)
            return error_set(err, ENOMEM, "out of memory");
        t->cost = cost_array;
        *room = more;
    }
    t->cost[t->iterations++] = cost;
    return 0;
}

static int read_line(struct trace *t, char *line, size_t length, size_t *room,
                     struct error *err)
{
    if (strlen(line) != length)
        return error_set(err, EINVAL, "a zero byte, this is not a text file");
    const char *text = trim(line);
    double cost = 0;
    if (*text == '\0')
        return 0;
    int code = parse_cost(text, &cost, err);
    return code != 0 ? code : append(t, room, cost, err);
}

static int read_lines(struct trace *t, FILE *file, const char *path,
                      struct error *err)
{
    char *line = NULL;
    size_t size = 0, room = 0;
    ssize_t length;
    int code = 0;
    for (int64_t number = 1; code == 0; number++) {
        length = getline(&line, &size, file);
        if (length < 0)
            break;
        code = read_line(t, line, (size_t)length, &room, err);
        if (code != 0)
            error_prefix(err, code, "kernel trace: %s:%lld", path,
                         (long long)number);
    }
    free(line);
    if (code == 0 && ferror(file))
        code = error_set(err, EIO, "kernel trace: %s cannot be read", path);
    if (code == 0 && t->iterations == 0)
        code = error_set(err, EINVAL, "kernel trace: %s has no costs", path);
    return code;
}

/* Devices and pipes are refused: every rank reads the file for itself. */
static int check_file(FILE *file, const char *path, struct error *err)
{
    struct stat status;
    if (fstat(fileno(file), &status) != 0 || !S_ISREG(status.st_mode))
        return error_set(err, EINVAL, "kernel trace: %s is not a regular file",
                         path);
    /* At most a number in 2 bytes of text, in an array that doubles. */
    return kernel_memory_check("trace", path, 8.0 * (double)status.st_size,
                               err);
}

static int read_file(struct trace *t, const char *path, struct error *err)
{
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        int code = errno == ENOENT || errno == ENOTDIR ? ENOENT : EINVAL;
        return error_set(err, code, "kernel trace: %s: %s", path,
                         strerror(errno));
    }
    int code = check_file(file, path, err);
    if (code == 0)
        code = read_lines(t, file, path, err);
    fclose(file);
    return code;
}

static int trace_create(const struct spec *spec, void **instance,
                        struct error *err)
{
    struct trace *t = calloc(1, sizeof(*t));
    if (t == NULL)
        return error_set(err, ENOMEM, "kernel trace: out of memory");
    int code = read_file(t, spec->value[TRACE_FILE].text, err);
    if (code != 0) {
        trace_destroy(t);
        return code;
    }
    t->rate =
        spec->value[STEPS].given ? spec->value[STEPS].real : measure_rate();
    *instance = t;
    return 0;
}

static int64_t trace_iterations(const void *instance)
{
    const struct trace *t = instance;
    return t->iterations;
}

static size_t trace_output_bytes(const void *instance)
{
    (void)instance;
    return sizeof(struct trace_output);
}

static size_t trace_scratch_bytes(const void *instance)
{
    (void)instance;
    return 64;
}

/* *due counts steps down to the next poll, also across iterations. */
static uint64_t work_polled(uint64_t x, int64_t steps,
                            const struct kernel_poll *poll, int64_t *due)
{
    while (steps > 0) {
        int64_t piece = steps < *due ? steps : *due;
        x = work(x, piece);
        steps -= piece;
        *due -= piece;
        if (*due == 0) {
            kernel_poll(poll);
            *due = PIECE;
        }
    }
    return x;
}

static void trace_run(const void *instance, void *scratch, int64_t start,
                      int64_t size, void *output,
                      const struct kernel_poll *poll)
{
    const struct trace *t = instance;
    struct trace_output *result = output;
    uint64_t *chain = scratch;
    int64_t due = PIECE;
    for (int64_t i = 0; i < size; i++) {
        double cost = t->cost[start + i];
        *chain = work_polled(*chain, llround(cost * t->rate), poll, &due);
        uint64_t bits;
        memcpy(&bits, &cost, sizeof(bits));
        uint64_t number = (uint64_t)(start + i);
        result[i] = (struct trace_output){number, random_stream(bits, number)};
    }
}

/* Without the work. */
static void trace_reference(const void *instance, int64_t start, int64_t size,
                            void *output)
{
    const struct trace *t = instance;
    struct trace_output *result = output;
    for (int64_t i = start; i < start + size; i++) {
        union {
            double real;
            uint64_t bits;
        } cost = {.real = t->cost[i]};
        result->iteration = (uint64_t)i;
        result->hash = random_stream(cost.bits, (uint64_t)i);
        result++;
    }
}

/* The file's seconds are those of a worker of power 1. */
static double trace_operations(const void *instance, int64_t iteration)
{
    const struct trace *t = instance;
    return t->cost[iteration];
}

static const struct kernel_cost trace_cost = {
    .operation = "second",
    .operations = trace_operations,
};

const struct kernel_ops kernel_trace_ops = {
    .name = "trace",
    .summary = "iteration costs read from a file: the user's own loop",
    .citation = "none: costs measured by the user",
    .params = trace_params,
    .create = trace_create,
    .destroy = trace_destroy,
    .iterations = trace_iterations,
    .output_bytes = trace_output_bytes,
    .scratch_bytes = trace_scratch_bytes,
    .run = trace_run,
    .reference = trace_reference,
    .cost = &trace_cost,
};
