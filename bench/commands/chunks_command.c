/* dlsbench chunks: the sequence of a scheme, without running anything. */
#include "bench/options/command.h"
#include "bench/options/numbers.h"
#include "bench/options/options.h"

#include "harness/process/need.h"
#include "kernels/support/cost_file.h"
#include "sched/sched.h"
#include "sched/schemes/scheme_registry.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORKERS_MAX = 1 << 20 };

struct input {
    const char *scheme, *power, *order, *costs; /* NULL: not given */
    int64_t iterations, workers, min_chunk;
    int csv;
};

struct sequence {
    const struct sched_ops *ops;
    struct spec spec;
    struct sched_loop loop;
    struct sched_table table; /* if the scheme has an order */
    double *power, *cost;
    int64_t min_chunk;
    int *order; /* the asking workers, cyclically; the first round may differ */
    int *first;
    int order_count;
    bool csv;
};

#define OPTIONS_OF struct input

static const char *const formats[] = {"table", "csv", NULL};

static const struct options_entry entries[] = {
    OPTION_TEXT("scheme", "S", scheme, "scheme, see dlsbench list schemes",
                .required = true),
    OPTION_WHOLE("iterations", "I", iterations, 1, 0x1p62,
                 "iterations of the loop, 1 to 2^62", .required = true),
    OPTION_WHOLE("workers", "P", workers, 1, WORKERS_MAX, "number of workers",
                 .required = true),
    OPTION_TEXT("power", "V,...", power,
                "power of each worker, n:v for n times v"),
    OPTION_TEXT("order", "W,...", order,
                "who asks, repeated (default: in turn)"),
    OPTION_TEXT("costs", "FILE", costs,
                "costs of the iterations, one per line, or n:cost for n equal "
                "ones"),
    OPTION_WHOLE("min-chunk", "N", min_chunk, 1, 0x1p62,
                 "smallest chunk (default 1)"),
    OPTION_WORD("format", "table|csv", csv, formats, "default table"),
    {.name = NULL},
};

static const struct options_page page = {
    .name = "chunks",
    .summary = "Prints the chunk sequence of a scheme.",
    .details = "Workers ask in turn unless --order says who does.  Powers are "
               "a list with one entry for each worker, n:v is n times v.",
    .examples =
        "dlsbench chunks --scheme gss --iterations 1000 --workers 4\n"
        "dlsbench chunks --scheme css:chunk=64 --iterations 1000 --workers 4 "
        "--format csv\n"
        "dlsbench chunks --scheme wf --iterations 1000 --workers 4 --power "
        "2:1,2:3\n"
        "dlsbench chunks --scheme dtss --iterations 1000 --workers 3 --power "
        "1,2,4 --order 2,1,2,0",
    .tables = (const struct options_entry *const[]){entries, NULL}};

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

/* Workers ask in turn; but if first chunks are set by decreasing power, they
 * first ask in that order, so that steps ascend. */
static void default_order(struct sequence *seq)
{
    int p = seq->loop.workers;
    struct ranked *ranked = need_zeroed((size_t)p, sizeof(*ranked));
    seq->order = need_zeroed((size_t)p, sizeof(*seq->order));
    seq->first = need_zeroed((size_t)p, sizeof(*seq->first));
    unsigned flags = sched_flags(seq->ops, &seq->spec);
    bool primed = flags & SCHED_PRIMED, by_number = flags & SCHED_BY_NUMBER;
    for (int w = 0; w < p; w++) {
        ranked[w].worker = seq->order[w] = w;
        ranked[w].power =
            primed && !by_number && seq->power ? seq->power[w] : 1;
    }
    qsort(ranked, (size_t)p, sizeof(*ranked), by_power);
    for (int i = 0; i < p; i++)
        seq->first[i] = ranked[i].worker;
    seq->order_count = p;
    free(ranked);
}

/* As prefix sums. */
static int read_costs(const struct input *in, struct sequence *seq,
                      struct error *err)
{
    double *cost;
    int64_t count;
    int code = costs_read("--costs", in->costs, 1, &cost, &count, err);
    if (code != 0)
        return code;
    if (count == in->iterations) {
        seq->cost = need_zeroed((size_t)count + 1, sizeof(*seq->cost));
        for (int64_t i = 0; i < count; i++)
            seq->cost[i + 1] = seq->cost[i] + cost[i];
        seq->loop.cost = seq->cost;
    } else {
        code = error_set(err, EINVAL,
                         "--costs: %s has %" PRId64 " costs for %" PRId64
                         " iterations",
                         in->costs, count, in->iterations);
    }
    free(cost);
    return code;
}

static int sequence_read(const struct input *in, struct sequence *seq,
                         struct error *err)
{
    int workers = (int)in->workers;
    int code = sched_parse(in->scheme, &seq->ops, &seq->spec, err);
    if (code == 0 && in->power != NULL)
        code = number_powers("--power", in->power, workers, &seq->power, err);
    if (code != 0)
        return code;
    seq->loop = (struct sched_loop){.iterations = in->iterations,
                                    .workers = workers,
                                    .power = seq->power,
                                    .order = &seq->table};
    if (in->costs == NULL &&
        (sched_flags(seq->ops, &seq->spec) & SCHED_NEEDS_COST) != 0)
        return error_set(err, EINVAL,
                         "scheme %s counts with the costs of the iterations: "
                         "give them by --costs FILE",
                         seq->spec.canonical);
    seq->min_chunk = in->min_chunk;
    seq->csv = in->csv;
    code = in->costs != NULL ? read_costs(in, seq, err) : 0;
    if (code == 0 && seq->ops->order != NULL)
        code = sched_table_build(&seq->table, seq->ops, &seq->spec, &seq->loop,
                                 seq->min_chunk, err);
    if (code != 0)
        return code;
    if (in->order == NULL) {
        default_order(seq);
        return 0;
    }
    return number_order("--order", in->order, workers, &seq->order,
                        &seq->order_count, err);
}

/* One line at a time: a sequence may have more steps than there is memory.
 * Stops after a whole round of requests without a chunk.  Returns the
 * iterations of all chunks. */
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
    void *memory = need_zeroed(1, bytes);
    int code = sched_init(&sched, memory, seq->ops, &seq->spec, &seq->loop,
                          seq->min_chunk, err);
    if (code == 0) {
        char text[256];
        sched_note(&sched, text, sizeof(text));
        if (text[0] != '\0')
            fprintf(stderr, "dlsbench: note: %s\n", text);
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
    struct error err = {""};
    struct input in = {.min_chunk = 1};
    struct sequence seq = {.ops = NULL};
    int code = options_read(&page, argc, argv, &in, &err);
    if (code == 0)
        code = sequence_read(&in, &seq, &err);
    if (code == 0)
        code = sequence_print(&seq, &err);
    sched_table_free(&seq.table);
    free(seq.power);
    free(seq.cost);
    free(seq.order);
    free(seq.first);
    if (code == -EIO)
        return command_fail(COMMAND_FAILED, &err);
    return code == 0 ? COMMAND_OK : command_fail(COMMAND_USAGE, &err);
}
