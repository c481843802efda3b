#include "sched/sched.h"

#include "sched/arith.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The first chunk of one worker, until it is taken (size 0). */
struct sched_primed {
    int64_t start;
    int64_t size;
    int64_t step;
};

static size_t primed_bytes(const struct sched_ops *ops, int workers)
{
    if ((ops->flags & SCHED_PRIMED) == 0)
        return 0;
    return (size_t)workers * sizeof(struct sched_primed);
}

static struct sched_primed *primed_of(const struct sched_head *head)
{
    return (struct sched_primed *)(head + 1);
}

static void *state_of(const struct sched_head *head)
{
    return (char *)head + head->state_offset;
}

size_t sched_bytes(const struct sched_ops *ops, const struct sched_loop *loop)
{
    /* sched_init refuses such a loop before it looks at the state. */
    if (loop->workers < 1)
        return sizeof(struct sched_head);
    size_t state = ops->state_size + (size_t)loop->workers * ops->worker_size;
    return sizeof(struct sched_head) + primed_bytes(ops, loop->workers) + state;
}

static int check_powers(const struct sched_loop *loop, struct error *err)
{
    if (loop->power == NULL)
        return 0;
    double smallest = INFINITY, largest = 0;
    for (int j = 0; j < loop->workers; j++) {
        double power = loop->power[j];
        if (!isfinite(power) || power <= 0)
            return error_set(err, EINVAL,
                             "the power of worker %d is %g, allowed is any "
                             "number above 0",
                             j, power);
        smallest = fmin(smallest, power);
        largest = fmax(largest, power);
    }
    if (largest / smallest > SCHED_POWER_RATIO_MAX)
        return error_set(err, EINVAL,
                         "the powers range from %g to %g, the largest may be "
                         "at most %g times the smallest",
                         smallest, largest, SCHED_POWER_RATIO_MAX);
    return 0;
}

unsigned sched_flags(const struct sched_ops *ops, const struct spec *spec)
{
    return ops->flags | (ops->more_flags != NULL ? ops->more_flags(spec) : 0);
}

static int check_loop(const struct sched_loop *loop, int64_t min_chunk,
                      struct error *err)
{
    if (loop->iterations < 1)
        return error_set(err, EINVAL,
                         "a loop of %" PRId64 " iterations, it needs at "
                         "least 1",
                         loop->iterations);
    if (loop->workers < 1)
        return error_set(err, EINVAL, "%d workers, there must be at least 1",
                         loop->workers);
    if (min_chunk < 1)
        return error_set(err, EINVAL,
                         "a minimum chunk of %" PRId64 ", it must be at "
                         "least 1",
                         min_chunk);
    return check_powers(loop, err);
}

int sched_check(const struct sched_ops *ops, const struct spec *spec,
                const struct sched_loop *loop, int64_t min_chunk,
                struct error *err)
{
    bool needs = (sched_flags(ops, spec) & SCHED_NEEDS_COST) != 0;
    int code = check_loop(loop, min_chunk, err);
    if (code == 0 && needs && loop->cost == NULL)
        code = error_set(err, EINVAL,
                         "scheme %s counts with the costs of the iterations, "
                         "which nobody knows here",
                         spec->canonical);
    return code;
}

static int64_t ask_scheme(const struct sched *sched, int worker,
                          int64_t remaining)
{
    const struct sched_head *head = sched->head;
    const struct sched_ops *ops = sched->ops;
    if (ops->made != NULL)
        return ops->made->next(ops, state_of(head), worker, remaining);
    if (sched->cost == NULL)
        return ops->next(state_of(head), worker, remaining);
    const double *cost = sched->cost + (head->iterations - remaining);
    return ops->next_by_cost(state_of(head), worker, remaining, cost);
}

/* The one place where sizes are raised and clamped. */
int64_t sched_next_size(const struct sched *sched, int worker,
                        int64_t remaining)
{
    const struct sched_head *head = sched->head;
    int64_t size = ask_scheme(sched, worker, remaining);
    if (size == SCHED_NO_CHUNK)
        return 0;
    if (size < head->min_chunk)
        size = head->min_chunk;
    return size < remaining ? size : remaining;
}

/* The next chunk of a scheme with an order; next_start counts the iterations
 * handed out. */
static bool take_ordered(const struct sched *sched, struct chunk *chunk)
{
    struct sched_head *head = sched->head;
    if (head->next_step >= sched->order->steps)
        return false;
    *chunk = sched_table_chunk(sched->order, head->next_step++);
    head->next_start += chunk->size;
    return true;
}

/* The next chunk by the scheme's formula: the one place where chunks are
 * counted. */
static bool take_chunk(const struct sched *sched, int worker,
                       struct chunk *chunk)
{
    struct sched_head *head = sched->head;
    if (sched->order != NULL)
        return take_ordered(sched, chunk);
    int64_t remaining = head->iterations - head->next_start;
    int64_t size =
        remaining > 0 ? sched_next_size(sched, worker, remaining) : 0;
    if (size == 0)
        return false;
    *chunk = (struct chunk){
        .start = head->next_start, .size = size, .step = head->next_step};
    head->next_start += size;
    head->next_step++;
    return true;
}

/* While first chunks are given out, `step` holds the worker. */
static int by_falling_power(const void *a, const void *b, void *loop)
{
    int64_t j = ((const struct sched_primed *)a)->step;
    int64_t k = ((const struct sched_primed *)b)->step;
    double power_j = sched_power(loop, (int)j);
    double power_k = sched_power(loop, (int)k);
    if (power_j != power_k)
        return power_j > power_k ? -1 : 1;
    return j < k ? -1 : j > k;
}

static int by_step(const void *a, const void *b)
{
    int64_t j = ((const struct sched_primed *)a)->step;
    int64_t k = ((const struct sched_primed *)b)->step;
    return j < k ? -1 : j > k;
}

/* Gives every worker its first chunk, the fast ones first or by number.
 * Entries are sorted in place, by power and back by worker, because no other
 * memory may be available.  In between, `step` is worker 2^32 + step. */
static void prime_workers(const struct sched *sched, const struct spec *spec,
                          const struct sched_loop *loop)
{
    struct sched_primed *primed = primed_of(sched->head);
    struct sched_loop copy = *loop;
    size_t workers = (size_t)loop->workers;
    for (size_t i = 0; i < workers; i++)
        primed[i] = (struct sched_primed){.step = (int64_t)i};
    if ((sched_flags(sched->ops, spec) & SCHED_BY_NUMBER) == 0)
        qsort_r(primed, workers, sizeof(*primed), by_falling_power, &copy);
    for (size_t i = 0; i < workers; i++) {
        struct chunk chunk = {.start = 0};
        int64_t worker = primed[i].step;
        take_chunk(sched, (int)worker, &chunk);
        primed[i] = (struct sched_primed){.start = chunk.start,
                                          .size = chunk.size,
                                          .step = worker << 32 | chunk.step};
    }
    sched->head->kept = (int32_t)sched->head->next_step;
    qsort(primed, workers, sizeof(*primed), by_step);
    for (size_t i = 0; i < workers; i++)
        primed[i].step &= UINT32_MAX;
}

static struct sched view_of(void *memory, const struct sched_ops *ops,
                            const struct spec *spec,
                            const struct sched_loop *loop)
{
    bool needs = (sched_flags(ops, spec) & SCHED_NEEDS_COST) != 0;
    return (struct sched){.ops = ops,
                          .head = memory,
                          .cost = needs ? loop->cost : NULL,
                          .order = ops->order != NULL ? loop->order : NULL};
}

int sched_init(struct sched *sched, void *memory, const struct sched_ops *ops,
               const struct spec *spec, const struct sched_loop *loop,
               int64_t min_chunk, struct error *err)
{
    int code = sched_check(ops, spec, loop, min_chunk, err);
    if (code == 0 && ops->order != NULL && loop->order == NULL)
        code = error_set(err, EINVAL,
                         "scheme %s hands out its chunks in an order of its "
                         "own and needs a table of them",
                         spec->canonical);
    if (code != 0)
        return code;
    struct sched view = view_of(memory, ops, spec, loop);
    bool primes = (ops->flags & SCHED_PRIMED) != 0;
    memset(memory, 0, sched_bytes(ops, loop));
    *view.head = (struct sched_head){
        .iterations = loop->iterations,
        .min_chunk = min_chunk,
        .workers = loop->workers,
        .primed = primes ? loop->workers : 0,
        .state_offset = (int64_t)(sizeof(struct sched_head) +
                                  primed_bytes(ops, loop->workers)),
    };
    void *state = state_of(view.head);
    if (ops->made != NULL)
        code = ops->made->init(ops, state, loop, spec, err);
    else if (ops->init != NULL)
        code = ops->init(state, loop, spec, err);
    if (code == 0 && primes)
        prime_workers(&view, spec, loop);
    if (code == 0)
        *sched = view;
    return code;
}

int sched_again(struct sched *sched, const struct spec *spec,
                const struct sched_loop *loop)
{
    struct sched_head *head = sched->head;
    if (sched->ops->again == NULL)
        return sched_init(sched, head, sched->ops, spec, loop, head->min_chunk,
                          NULL);
    *sched = view_of(head, sched->ops, spec, loop);
    head->iterations = loop->iterations;
    head->next_start = head->next_step = 0;
    if (sched->ops->made != NULL)
        sched->ops->made->again(sched->ops, state_of(head), loop);
    else
        sched->ops->again(state_of(head), loop);
    if (head->primed > 0)
        prime_workers(sched, spec, loop);
    return 0;
}

void sched_attach(struct sched *sched, void *memory,
                  const struct sched_ops *ops, const struct spec *spec,
                  const struct sched_loop *loop)
{
    *sched = view_of(memory, ops, spec, loop);
}

bool sched_take_primed(struct sched *sched, int worker, struct chunk *chunk)
{
    struct sched_primed *own = &primed_of(sched->head)[worker];
    if (sched->head->primed == 0 || own->size == 0)
        return false;
    *chunk = (struct chunk){
        .start = own->start, .size = own->size, .step = own->step};
    own->size = 0;
    return true;
}

bool sched_next(struct sched *sched, int worker, struct chunk *chunk)
{
    if (sched->head->primed > 0 && sched_take_primed(sched, worker, chunk))
        return true;
    return take_chunk(sched, worker, chunk);
}

void sched_feedback(const struct sched *sched, int worker, int64_t size,
                    double time)
{
    const struct sched_ops *ops = sched->ops;
    void *state = state_of(sched->head);
    if (ops->made != NULL)
        ops->made->feedback(ops, state, worker, size, time);
    else
        ops->feedback(state, worker, size, time);
}

bool sched_has_sequence(const struct sched_ops *ops, const struct spec *spec,
                        const struct sched_loop *loop)
{
    if (ops->feedback != NULL || ops->made != NULL)
        return false;
    bool by_power = (sched_flags(ops, spec) & SCHED_BY_POWER) != 0;
    for (int j = 1; by_power && j < loop->workers; j++)
        if (sched_power(loop, j) != sched_power(loop, 0))
            return false;
    return true;
}

void sched_note(const struct sched *sched, char *text, size_t size)
{
    if (size == 0)
        return;
    text[0] = '\0';
    if (sched->ops->note != NULL)
        sched->ops->note(state_of(sched->head), text, size);
}

int64_t sched_fixed_size(const struct sched *sched)
{
    if (sched->ops->fixed_size == NULL)
        return 0;
    int64_t size = sched->ops->fixed_size(state_of(sched->head));
    return size < sched->head->min_chunk ? sched->head->min_chunk : size;
}
