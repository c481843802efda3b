/* Random self-scheduling: sizes drawn evenly from a range.
 *
 *     C_i in [min, max],   min = floor(I / 100 p),   max = floor(I / 2 p)
 *
 * Ciorba, Iwainsky and Buder 2018, whose range this is, each end at least 1.
 * If the bounds cross, the default one moves to the given one.
 *
 * Implementations differ: LB4OMP draws from 1 to the chunk of the OpenMP
 * schedule, or to I - 1 without one.  Its seed is the time of day and the
 * thread's number, so that every run differs.
 *
 * Size i is a function of seed and i alone (the splitmix64 generator of
 * Steele, Lea and Flood 2014): the same in every run, on every machine and
 * under every transport.  All repetitions of a cell thus have one sequence;
 * lists of seeds give others.  A draw of 64 bits is scaled to the range, which
 * favours no size by more than 2^-11 of its chance.
 *
 * order=any hands the same chunks out in an order also drawn from the seed,
 * each order equally likely: it finds programs that rely on ascending
 * chunks. */
#include "base/random.h"
#include "sched/arith.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

enum { RND_MIN, RND_MAX, RND_SEED, RND_ORDER };

struct rnd_state {
    int64_t min;
    int64_t max;
    uint64_t seed; /* of the next draw */
};

static int rnd_check(const struct spec *spec, struct error *err)
{
    const struct spec_value *min = &spec->value[RND_MIN];
    const struct spec_value *max = &spec->value[RND_MAX];
    if (min->given && max->given && min->integer > max->integer)
        return error_set(err, EINVAL,
                         "scheme rnd: min=%" PRId64 " is more than max=%" PRId64
                         ", the smallest size comes first",
                         min->integer, max->integer);
    return 0;
}

static int64_t equal_share(const struct sched_loop *loop, int64_t parts)
{
    int64_t size = loop->iterations / parts / loop->workers;
    return size > 1 ? size : 1;
}

static int rnd_init(void *state, const struct sched_loop *loop,
                    const struct spec *spec, struct error *err)
{
    struct rnd_state *s = state;
    const struct spec_value *min = &spec->value[RND_MIN];
    const struct spec_value *max = &spec->value[RND_MAX];
    (void)err;
    s->min = min->given ? min->integer : equal_share(loop, 100);
    s->max = max->given ? max->integer : equal_share(loop, 2);
    if (s->min > s->max && min->given)
        s->max = s->min;
    else if (s->min > s->max)
        s->min = s->max;
    s->seed = (uint64_t)spec->value[RND_SEED].integer;
    return 0;
}

static int64_t rnd_next(void *state, int worker, int64_t remaining)
{
    struct rnd_state *s = state;
    (void)worker;
    (void)remaining;
    unsigned __int128 sizes = (unsigned __int128)(s->max - s->min) + 1;
    return s->min + (int64_t)(random_next(&s->seed) * sizes >> 64);
}

/* ---- in any order ---- */

/* Counts chunks up to one more than a table may have: refused. */
static int64_t rnd_room(const struct sched_loop *loop, const struct spec *spec)
{
    struct rnd_state state;
    int64_t count = 0, left = loop->iterations;
    rnd_init(&state, loop, spec, NULL);
    for (; left > 0 && count <= SCHED_TABLE_STEPS_MAX; count++)
        left -= rnd_next(&state, 0, left);
    return count;
}

static int rnd_order(const struct sched_loop *loop, const struct spec *spec,
                     int64_t min_chunk, struct chunk *chunk, int64_t *count)
{
    struct rnd_state state;
    int64_t n = 0, left = loop->iterations;
    rnd_init(&state, loop, spec, NULL);
    for (; left > 0; n++) {
        int64_t size = rnd_next(&state, 0, left);
        size = size > min_chunk ? size : min_chunk;
        size = size < left ? size : left;
        chunk[n] =
            (struct chunk){.start = loop->iterations - left, .size = size};
        left -= size;
    }
    for (int64_t i = n - 1; i > 0; i--) {
        struct chunk swapped = chunk[i];
        unsigned __int128 places = (unsigned __int128)i + 1;
        int64_t with = (int64_t)(random_next(&state.seed) * places >> 64);
        chunk[i] = chunk[with];
        chunk[with] = swapped;
    }
    *count = n;
    return 0;
}

extern const struct sched_ops sched_rnd_ops;
static const struct sched_ops rnd_any_ops;

static const struct sched_ops *rnd_variant(const struct spec *spec)
{
    bool any = strcmp(spec->value[RND_ORDER].text, "any") == 0;
    return any ? &rnd_any_ops : &sched_rnd_ops;
}

static const struct spec_param rnd_params[] = {
    [RND_MIN] =
        PARAM_WHOLE("min", NULL, 1, 0x1p53,
                    "smallest chunk, iterations, default floor(I/100p)"),
    [RND_MAX] = PARAM_WHOLE("max", NULL, 1, 0x1p53,
                            "largest chunk, iterations, default floor(I/2p)"),
    [RND_SEED] = PARAM_WHOLE("seed", "1", 0, 0x1p53,
                             "of the sequence, any whole number"),
    [RND_ORDER] = PARAM_WORD("order", "rising", "rising|any",
                             "in which chunks are handed out", .quiet = true),
    {0},
};

#define RND_COMMON                                                             \
    .name = "rnd", .citation = "Ciorba, Iwainsky and Buder 2018",              \
    .summary = "sizes drawn evenly from a range, by a seed",                   \
    .params = rnd_params, .check = rnd_check, .variant = rnd_variant,          \
    .state_size = sizeof(struct rnd_state), .init = rnd_init

const struct sched_ops sched_rnd_ops = {RND_COMMON, .next = rnd_next};

static const struct sched_ops rnd_any_ops = {RND_COMMON, .order = rnd_order,
                                             .order_room = rnd_room};
