/* dlsbench chunks: the sequence of a scheme, without running anything. */
#include "bench/cli/command.h"
#include "bench/cli/numbers.h"

#include "sched/sched.h"
#include "sched/schemes/registry.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORKERS_MAX = 1 << 20 };

/* Above all characters: options have long names only. */
enum {
    OPT_SCHEME = 256,
    OPT_ITERATIONS,
    OPT_WORKERS,
    OPT_POWER,
    OPT_ORDER,
    OPT_MIN_CHUNK,
    OPT_FORMAT,
};

struct input {
    const char *scheme, *iterations, *workers, *power, *order, *min_chunk;
    const char *format;
    struct error *err;
};

struct sequence {
    const struct sched_ops *ops;
    struct spec spec;
    struct sched_loop loop;
    double *power;
    int64_t min_chunk;
    int *order; /* who asks, cyclically; the first round may be another */
    int *first;
    int order_count;
    bool csv;
};

static const char doc[] =
    "Prints the chunk sequence of a scheme."
    "\v"
    "Workers ask in turn unless --order says who does.  Powers are a list "
    "with one entry for each worker, n:v stands for n times v.\n"
    "\n"
    "Examples:\n"
    "  dlsbench chunks --scheme gss --iterations 1000 --workers 4\n"
    "  dlsbench chunks --scheme css:chunk=64 --iterations 1000 --workers 4 "
    "--format csv\n"
    "  dlsbench chunks --scheme wf --iterations 1000 --workers 4 --power "
    "2:1,2:3\n"
    "  dlsbench chunks --scheme dtss --iterations 1000 --workers 3 --power "
    "1,2,4 --order 2,1,2,0\n";

static const struct argp_option options[] = {
    {"scheme", OPT_SCHEME, "S", 0, "scheme, see dlsbench list schemes", 0},
    {"iterations", OPT_ITERATIONS, "I", 0, "iterations of the loop, 1 to 2^62",
     0},
    {"workers", OPT_WORKERS, "P", 0, "number of workers", 0},
    {"power", OPT_POWER, "V,...", 0, "power of each worker, n:v for n times v",
     0},
    {"order", OPT_ORDER, "W,...", 0, "who asks, repeated (default: in turn)",
     0},
    {"min-chunk", OPT_MIN_CHUNK, "N", 0, "smallest chunk (default 1)", 0},
    {"format", OPT_FORMAT, "table|csv", 0, "default table", 0},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct input *in = state->input;
    switch (key) {
    case OPT_SCHEME:
        in->scheme = arg;
        return 0;
    case OPT_ITERATIONS:
        in->iterations = arg;
        return 0;
    case OPT_WORKERS:
        in->workers = arg;
        return 0;
    case OPT_POWER:
        in->power = arg;
        return 0;
    case OPT_ORDER:
        in->order = arg;
        return 0;
    case OPT_MIN_CHUNK:
        in->min_chunk = arg;
        return 0;
    case OPT_FORMAT:
        in->format = arg;
        return 0;
    case ARGP_KEY_ARG:
        return -error_set(in->err, EINVAL, "chunks: '%s' is not an option",
                          arg);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static int check_required(const struct input *in, struct error *err)
{
    const char *missing = in->scheme == NULL       ? "--scheme"
                          : in->iterations == NULL ? "--iterations"
                          : in->workers == NULL    ? "--workers"
                                                   : NULL;
    if (missing != NULL)
        return error_set(err, EINVAL, "chunks: %s is missing", missing);
    if (strcmp(in->format, "table") != 0 && strcmp(in->format, "csv") != 0)
        return error_set(err, EINVAL,
                         "--format: '%s' is unknown, allowed: table, csv",
                         in->format);
    return 0;
}

static int read_loop(const struct input *in, struct sequence *seq,
                     struct error *err)
{
    int64_t workers;
    const int64_t huge = (int64_t)1 << 62;
    int code = number_integer("--iterations", in->iterations, 1, huge,
                              &seq->loop.iterations, err);
    if (code == 0)
        code = number_integer("--workers", in->workers, 1, WORKERS_MAX,
                              &workers, err);
    if (code == 0)
        code = number_integer("--min-chunk", in->min_chunk, 1, huge,
                              &seq->min_chunk, err);
    if (code != 0)
        return code;
    seq->loop.workers = (int)workers;
    if (in->power != NULL)
        code =
            number_powers("--power", in->power, (int)workers, &seq->power, err);
    seq->loop.power = seq->power;
    return code;
}

struct ranked {
    double power;
    int worker;
};

static int by_power(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (x->power != y->power)
        return x->power < y->power ? 1 : -1;
    return (x->worker > y->worker) - (x->worker < y->worker);
}

/* In turn; but where every worker's first chunk is set by decreasing power,
 * they ask in that order first, so that steps come out ascending. */
static int default_order(struct sequence *seq, struct error *err)
{
    int p = seq->loop.workers;
    struct ranked *ranked = calloc((size_t)p, sizeof(*ranked));
    seq->order = calloc((size_t)p, sizeof(*seq->order));
    seq->first = calloc((size_t)p, sizeof(*seq->first));
    if (ranked == NULL || seq->order == NULL || seq->first == NULL) {
        free(ranked);
        return error_set(err, ENOMEM, "out of memory");
    }
    bool primed = seq->ops->flags & SCHED_PRIMED;
    for (int w = 0; w < p; w++) {
        ranked[w].worker = seq->order[w] = w;
        ranked[w].power = primed && seq->power ? seq->power[w] : 1;
    }
    qsort(ranked, (size_t)p, sizeof(*ranked), by_power);
    for (int i = 0; i < p; i++)
        seq->first[i] = ranked[i].worker;
    seq->order_count = p;
    free(ranked);
    return 0;
}

static int sequence_read(const struct input *in, struct sequence *seq,
                         struct error *err)
{
    int code = check_required(in, err);
    if (code == 0)
        code = sched_parse(in->scheme, &seq->ops, &seq->spec, err);
    if (code == 0)
        code = read_loop(in, seq, err);
    if (code != 0)
        return code;
    seq->csv = strcmp(in->format, "csv") == 0;
    if (in->order == NULL)
        return default_order(seq, err);
    return number_order("--order", in->order, seq->loop.workers, &seq->order,
                        &seq->order_count, err);
}

static void sequence_free(struct sequence *seq)
{
    free(seq->power);
    free(seq->order);
    free(seq->first);
}

static void say_note(const struct sched *sched)
{
    char text[256];
    sched_note(sched, text, sizeof(text));
    if (text[0] != '\0')
        fprintf(stderr, "dlsbench: note: %s\n", text);
}

/* One line at a time: a sequence may have more steps than there is memory. */
static int64_t print_steps(const struct sequence *seq, struct sched *sched)
{
    const char *format = seq->csv ? "%" PRId64 ",%d,%" PRId64 ",%" PRId64 "\n"
                                  : "%10" PRId64 " %8d %20" PRId64 " %20" PRId64
                                    "\n";
    const int *order = seq->first ? seq->first : seq->order;
    int64_t covered = 0;
    for (int i = 0, idle = 0; idle < seq->order_count && !ferror(stdout);) {
        struct chunk chunk;
        if (sched_next(sched, order[i], &chunk)) {
            printf(format, chunk.step, order[i], chunk.start, chunk.size);
            covered += chunk.size;
            idle = 0;
        } else {
            idle++;
        }
        if (++i == seq->order_count) {
            i = 0;
            order = seq->order;
        }
    }
    return covered;
}

static int sequence_print(const struct sequence *seq, struct error *err)
{
    struct sched sched;
    size_t bytes = (sched_bytes(seq->ops, &seq->loop) + 7) / 8 * 8;
    void *memory = calloc(1, bytes);
    if (memory == NULL)
        return error_set(err, ENOMEM, "out of memory");
    int code = sched_init(&sched, memory, seq->ops, &seq->spec, &seq->loop,
                          seq->min_chunk, err);
    if (code == 0) {
        say_note(&sched);
        if (seq->csv)
            puts("step,worker,start,size");
        else
            printf("%10s %8s %20s %20s\n", "step", "worker", "start", "size");
        int64_t left = seq->loop.iterations - print_steps(seq, &sched);
        if (fflush(stdout) != 0 || ferror(stdout))
            code = error_set(err, EIO, "chunks: cannot write: %s",
                             strerror(errno));
        else if (left > 0)
            fprintf(stderr,
                    "dlsbench: note: %" PRId64 " iterations are kept for "
                    "workers that --order never names\n",
                    left);
    }
    free(memory);
    return code;
}

int chunks_command(int argc, char **argv)
{
    static const struct argp argp = {options, parse, NULL, doc,
                                     NULL,    NULL,  NULL};
    struct error err = {""};
    struct input in = {.min_chunk = "1", .format = "table", .err = &err};
    struct sequence seq = {.ops = NULL};
    int code = command_parse(&argp, argc, argv, &in, &err);
    if (code == 0)
        code = sequence_read(&in, &seq, &err);
    if (code == 0)
        code = sequence_print(&seq, &err);
    sequence_free(&seq);
    if (code == -EIO)
        return command_fail(COMMAND_FAILED, &err);
    return code == 0 ? COMMAND_OK : command_fail(COMMAND_USAGE, &err);
}
