/* The chunks that a scheme makes of a loop. */
#include "bench/foretell/sync_interval/forecast.h"

#include "harness/process/need.h"
#include "sched/sched.h"
#include "sched/schemes/scheme_registry.h"

#include <math.h>
#include <stdlib.h>

static void add_chunk(struct forecast_chunks *chunks, int64_t rows, int worker)
{
    if (chunks->count++ >= FORECAST_LISTED)
        return;
    need_room(&chunks->list, &chunks->room, chunks->count,
              sizeof(*chunks->list));
    chunks->list[chunks->count - 1] =
        (struct interval_piece){.rows = (double)rows, .worker = worker};
}

/* As many for each worker, whose lengths differ by at most a row. */
static bool are_equal(const struct forecast_chunks *chunks, int workers)
{
    double least = INFINITY, most = 0;
    for (int64_t c = 0; c < chunks->count; c++) {
        least = fmin(least, chunks->list[c].rows);
        most = fmax(most, chunks->list[c].rows);
    }
    return most - least <= 1 && chunks->count % workers == 0;
}

static void list_chunks(struct sched *sched, int workers,
                        struct forecast_chunks *chunks)
{
    struct chunk chunk;
    for (int w = 0, idle = 0; idle < workers; w = (w + 1) % workers) {
        if (sched_next(sched, w, &chunk)) {
            add_chunk(chunks, chunk.size, w);
            idle = 0;
        } else {
            idle++;
        }
    }
    double each = (double)chunks->count / workers;
    chunks->k = (int64_t)fmax(round(each), 1);
    if (chunks->count > FORECAST_LISTED || are_equal(chunks, workers))
        forecast_forget(chunks);
}

void forecast_forget(struct forecast_chunks *chunks)
{
    free(chunks->list);
    chunks->list = NULL;
    chunks->count = chunks->room = 0;
}

int forecast_chunks(const char *scheme, int64_t rows, int workers,
                    const double *power, int64_t min_chunk,
                    struct forecast_chunks *chunks, struct error *err)
{
    const struct sched_loop loop = {
        .iterations = rows, .workers = workers, .power = power};
    const struct sched_ops *ops;
    struct sched sched;
    struct spec spec;
    *chunks = (struct forecast_chunks){.k = 1};
    int code = sched_parse(scheme, &ops, &spec, err);
    if (code != 0)
        return code;
    void *memory = need_zeroed(1, (sched_bytes(ops, &loop) + 7) / 8 * 8);
    code = sched_init(&sched, memory, ops, &spec, &loop, min_chunk, err);
    if (code == 0)
        list_chunks(&sched, workers, chunks);
    free(memory);
    return code;
}

bool forecast_by_power(const char *scheme)
{
    const struct sched_ops *ops;
    struct spec spec;
    return sched_parse(scheme, &ops, &spec, NULL) == 0 &&
           (ops->flags & SCHED_BY_POWER) != 0;
}
