/* trace: a loop given by the costs of its iterations, the user's own loop.
 *
 *   FOR i = 0 TO I - 1:  work for cost[i] seconds
 *
 * The file has one number per line, or n:number for n equal iterations; `#`
 * begins a comment, blank lines are skipped.  Its numbers are seconds, or as
 * `unit` says: of floating-point operations each takes cp seconds.  Costs are
 * worked off, not waited for: round(cost * steps) steps of a chain of dependent
 * multiplications, so that an iteration takes longer on a slower or shared
 * core, like real work.  `steps` is the number of steps per second.  By default
 * every rank measures its rate when the instance is made.
 *
 * Speed: one multiplication and one addition of 64 bits per step, 4 cycles of
 * pure latency; independent of caches, memory and instruction set.
 *
 * `input` gives each iteration data: random words, read once at about a
 * nanosecond each.  A master sends them with chunks (data: sent), or the worker
 * makes them word by word.  `output` makes its results longer.
 *
 * With wait=on a worker sleeps instead of working, and checks for messages
 * every 50 us.  So effects of a network can be measured with more ranks than
 * cores.  Nothing is computed, and the kernel's name always says so.
 *
 * Bits: the output of an iteration is its number, a hash of its cost and of its
 * input, and words that follow from the hash.  The result of the chain depends
 * on the rate and is not part of the output.  It is added to the worker's
 * scratch memory, so that the compiler keeps the work. */
#include "kernels/kernel.h"

#include "base/random.h"
#include "kernels/support/cost_file.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    PIECE = 16384, /* steps between two polls, about 20 us */
    CALIBRATION_STEPS = 1 << 19,
    CALIBRATION_RUNS = 7,
};

/* With wait=on: a sleep between two polls. */
#define NAP_S 50e-6

enum { TRACE_FILE, STEPS, INPUT, OUTPUT, WAIT, UNIT, CP };

static const struct spec_param trace_params[] = {
    [TRACE_FILE] =
        PARAM_TEXT("file", NULL, "costs of the iterations, one per line",
                   .required = true),
    [STEPS] = PARAM_REAL("steps", NULL, 1, 1e12,
                         "steps of work per second; default: measured"),
    [INPUT] =
        PARAM_WHOLE("input", NULL, 0, 0x1p32,
                    "bytes of input data of an iteration, rounded up to 8; "
                    "default: none"),
    [OUTPUT] = PARAM_WHOLE("output", NULL, 16, 0x1p32,
                           "bytes of results of an iteration, rounded up to 8; "
                           "default: 16"),
    [WAIT] = PARAM_WORD("wait", NULL, "off|on",
                        "on: workers wait instead of computing; default: off"),
    [UNIT] =
        PARAM_WORD("unit", "s", "s|ms|us|ns|flop",
                   "of the costs; flop: floating-point operations, with cp",
                   .quiet = true),
    [CP] = PARAM_REAL("cp", NULL, 1e-18, 1,
                      "with unit=flop: seconds of an operation"),
    {0},
};

struct trace {
    double *cost; /* seconds */
    int64_t iterations;
    double rate;  /* steps per second */
    size_t words; /* words of input, 8 bytes each */
    size_t more;  /* words of output besides struct trace_output */
    bool wait;
};

struct trace_output {
    uint64_t iteration;
    uint64_t hash;
};

/* The constants make a full-period generator, so that no state is a fixed
 * point; the barrier keeps a compiler from composing several steps. */
static uint64_t burn_steps(uint64_t x, int64_t steps)
{
    for (int64_t i = 0; i < steps; i++) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        __asm__ volatile("" : "+r"(x));
    }
    return x;
}

static double cpu_seconds(void)
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
        double start = cpu_seconds();
        burn_steps((uint64_t)i, CALIBRATION_STEPS);
        best = fmin(best, cpu_seconds() - start);
    }
    return CALIBRATION_STEPS / fmax(best, 1e-9);
}

static void trace_destroy(void *instance)
{
    struct trace *t = instance;
    free(t->cost);
    free(t);
}

static int read_costs(const struct spec *spec, double **cost, int64_t *count,
                      struct error *err)
{
    const struct spec_value *unit = &spec->value[UNIT], *cp = &spec->value[CP];
    double unit_s = costs_unit(unit->text);
    if (isnan(unit_s) != cp->given)
        return error_set(err, EINVAL,
                         "kernel trace: unit=flop and cp, the seconds of an "
                         "operation, go together");
    return costs_read("kernel trace", spec->value[TRACE_FILE].text,
                      cp->given ? cp->real : unit_s, cost, count, err);
}

static int trace_create(const struct spec *spec, void **instance,
                        struct error *err)
{
    struct trace *t = calloc(1, sizeof(*t));
    if (t == NULL)
        return error_set(err, ENOMEM, "kernel trace: out of memory");
    int code = read_costs(spec, &t->cost, &t->iterations, err);
    if (code != 0) {
        trace_destroy(t);
        return code;
    }
    if (spec->value[INPUT].given)
        t->words = ((size_t)spec->value[INPUT].integer + 7) / 8;
    if (spec->value[OUTPUT].given)
        t->more = ((size_t)spec->value[OUTPUT].integer + 7) / 8 - 2;
    t->wait =
        spec->value[WAIT].given && strcmp(spec->value[WAIT].text, "on") == 0;
    t->rate =
        spec->value[STEPS].given ? spec->value[STEPS].real : measure_rate();
    *instance = t;
    return 0;
}

static int trace_examine(const struct spec *spec, struct error *err)
{
    double *cost;
    int64_t count;
    int code = read_costs(spec, &cost, &count, err);
    if (code == 0)
        free(cost);
    return code;
}

static int64_t trace_iterations(const void *instance)
{
    const struct trace *t = instance;
    return t->iterations;
}

static size_t trace_output_bytes(const void *instance)
{
    const struct trace *t = instance;
    return sizeof(struct trace_output) + t->more * sizeof(uint64_t);
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
        x = burn_steps(x, piece);
        steps -= piece;
        *due -= piece;
        if (*due == 0) {
            kernel_poll(poll);
            *due = PIECE;
        }
    }
    return x;
}

/* Sleeps are a little too long: the time of day counts, not their sum. */
static void wait_polled(double seconds, const struct kernel_poll *poll)
{
    double end = cpu_seconds() + seconds, rest;
    while ((rest = end - cpu_seconds()) > 0) {
        struct timespec nap = {.tv_nsec = (long)(1e9 * fmin(rest, NAP_S))};
        nanosleep(&nap, NULL);
        kernel_poll(poll);
    }
}

/* ---- input data ---- */

/* Every bit of a word changes the sum. */
static uint64_t add_word(uint64_t sum, uint64_t word)
{
    return (sum ^ word) * 0x9e3779b97f4a7c15u + 1;
}

static uint64_t input_seed(int64_t iteration)
{
    return random_stream(0x696e707574u, (uint64_t)iteration);
}

/* The sum of an iteration's words, made here. */
static uint64_t sum_made(const struct trace *t, int64_t iteration)
{
    uint64_t state = input_seed(iteration), sum = 0;
    for (size_t k = 0; k < t->words; k++)
        sum = add_word(sum, random_next(&state));
    return sum;
}

/* The sum of received words. */
static uint64_t sum_sent(const struct trace *t, const uint64_t *words)
{
    uint64_t sum = 0;
    for (size_t k = 0; k < t->words; k++)
        sum = add_word(sum, words[k]);
    return sum;
}

static size_t trace_input_bytes(const void *instance, int64_t iteration)
{
    const struct trace *t = instance;
    (void)iteration;
    return t->words * sizeof(uint64_t);
}

static void trace_input_make(const void *instance, int64_t iteration, void *to)
{
    const struct trace *t = instance;
    uint64_t *words = to, state = input_seed(iteration);
    for (size_t k = 0; k < t->words; k++)
        words[k] = random_next(&state);
}

/* ---- running ---- */

static uint64_t hash_of(const struct trace *t, int64_t iteration, uint64_t sum)
{
    uint64_t bits;
    memcpy(&bits, &t->cost[iteration], sizeof(bits));
    return random_stream(bits, (uint64_t)iteration) ^ sum;
}

/* Returns where the next iteration's results are. */
static char *write_output(const struct trace *t, int64_t iteration,
                          uint64_t hash, char *to)
{
    const struct trace_output head = {(uint64_t)iteration, hash};
    memcpy(to, &head, sizeof(head));
    to += sizeof(head);
    for (size_t k = 0; k < t->more; k++, to += sizeof(uint64_t)) {
        uint64_t word = random_next(&hash);
        memcpy(to, &word, sizeof(word));
    }
    return to;
}

/* `sent`: input that came with the chunk; NULL: none came, it is made here. */
static void run_both(const struct trace *t, uint64_t *chain, int64_t start,
                     int64_t size, const uint64_t *sent, char *result,
                     const struct kernel_poll *poll)
{
    int64_t due = PIECE;
    for (int64_t i = start; i < start + size; i++) {
        uint64_t sum = sent != NULL ? sum_sent(t, sent) : sum_made(t, i);
        if (t->wait)
            wait_polled(t->cost[i], poll);
        else
            *chain =
                work_polled(*chain, llround(t->cost[i] * t->rate), poll, &due);
        result = write_output(t, i, hash_of(t, i, sum), result);
        sent = sent != NULL ? sent + t->words : NULL;
    }
}

static void trace_run(const void *instance, void *scratch, int64_t start,
                      int64_t size, void *output,
                      const struct kernel_poll *poll)
{
    run_both(instance, scratch, start, size, NULL, output, poll);
}

static void trace_input_run(const void *instance, void *scratch, int64_t start,
                            int64_t size, const void *input, void *output,
                            const struct kernel_poll *poll)
{
    run_both(instance, scratch, start, size, input, output, poll);
}

static const struct kernel_input trace_input = {
    .bytes = trace_input_bytes,
    .make = trace_input_make,
    .run = trace_input_run,
};

/* Does no work, and reads the words from memory. */
static void trace_reference(const void *instance, int64_t start, int64_t size,
                            void *output)
{
    const struct trace *t = instance;
    char *result = output;
    uint64_t *words = malloc(t->words * sizeof(*words) + 8);
    for (int64_t i = start; i < start + size; i++) {
        union {
            double real;
            uint64_t bits;
        } cost = {.real = t->cost[i]};
        uint64_t sum = 0;
        if (words != NULL)
            trace_input_make(t, i, words);
        for (size_t k = 0; words != NULL && k < t->words; k++)
            sum = add_word(sum, words[k]);
        /* Out of memory: a number that no run has. */
        result =
            write_output(t, words != NULL ? i : -1,
                         random_stream(cost.bits, (uint64_t)i) ^ sum, result);
    }
    free(words);
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
    .examine = trace_examine,
    .create = trace_create,
    .destroy = trace_destroy,
    .iterations = trace_iterations,
    .output_bytes = trace_output_bytes,
    .scratch_bytes = trace_scratch_bytes,
    .run = trace_run,
    .reference = trace_reference,
    .cost = &trace_cost,
    .input = &trace_input,
};
