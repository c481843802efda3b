/* Tests of kernels with dependences (include after cmocka.h): chunks of random
 * sizes on a few ranks with separate memories.  Blocks have random widths and
 * run in any order that the contract allows.  Only the promised data are copied
 * between ranks. */
#ifndef KERNELS_CHECK_BLOCKS_H
#define KERNELS_CHECK_BLOCKS_H

#include "kernels/check.h"

enum { CHECK_RANKS = 3, CHECK_POISON = 0xa5 };

struct check_rank {
    char *output, *state;
};

struct check_chunk {
    int64_t start, size;
    struct check_rank *rank;
    int step;
    int64_t done;         /* columns of the first row, and the lag */
    int64_t above, below; /* columns of boundary and halo that were copied */
};

struct check_blocks {
    struct check_kernel k;
    const struct kernel_dependence *d;
    struct kernel_grid grid;
    struct check_rank rank[CHECK_RANKS];
    char *apart[2]; /* boundary and halo, in separate memory */
    struct check_chunk *chunk;
    int64_t chunks, width;
    uint64_t seed;
    const struct kernel_poll *poll;
};

static inline int64_t check_below(uint64_t *seed, int64_t limit)
{
    return (int64_t)(random_next(seed) % (uint64_t)limit);
}

static inline int64_t check_least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* ---- memories ---- */

static inline void check_make_ranks(struct check_blocks *b)
{
    size_t output = (size_t)b->k.iterations * b->k.bytes;
    for (int i = 0; i < CHECK_RANKS; i++) {
        b->rank[i].output = check_memory(output);
        b->rank[i].state = check_memory(b->grid.state_bytes);
        memset(b->rank[i].state, 0, b->grid.state_bytes);
    }
    for (int i = 0; i < 2; i++)
        b->apart[i] = check_memory((size_t)(b->grid.columns + 2) *
                                   b->grid.boundary_bytes);
}

/* Reading data that was not copied to a rank becomes visible. */
static inline void check_poison(struct check_blocks *b)
{
    size_t row = (size_t)b->grid.columns * b->grid.boundary_bytes;
    for (int i = 0; i < CHECK_RANKS; i++) {
        struct check_rank *r = &b->rank[i];
        memset(r->output, CHECK_POISON, (size_t)b->k.iterations * b->k.bytes);
        for (int64_t n = 0; n < b->k.iterations; n++)
            memset(b->d->boundary(b->k.instance, r->state, r->output, 0, n),
                   CHECK_POISON, row);
        b->d->begin(b->k.instance, r->state, r->output);
    }
}

static inline void check_make_chunks(struct check_blocks *b, int64_t most,
                                     int ranks)
{
    b->chunk = calloc((size_t)b->k.iterations, sizeof(*b->chunk));
    assert_non_null(b->chunk);
    b->chunks = 0;
    for (int64_t row = 0; row < b->k.iterations;) {
        int64_t size = 1 + check_below(&b->seed, most);
        size = check_least(size, b->k.iterations - row);
        b->chunk[b->chunks++] = (struct check_chunk){
            .start = row,
            .size = size,
            .rank = &b->rank[check_below(&b->seed, ranks)]};
        row += size;
    }
}

/* ---- the rules ---- */

static inline int64_t check_lag(const struct check_blocks *b,
                                const struct check_chunk *c)
{
    return (c->size - 1) * b->grid.skew;
}

/* Columns that row `row` (the first or the last one) has done in a step. */
static inline int64_t check_columns(const struct check_blocks *b,
                                    const struct check_chunk *c, int step,
                                    bool last)
{
    int64_t most = last ? kernel_boundary_columns(&b->grid) : b->grid.columns;
    if (c->step != step)
        return c->step > step ? most : 0;
    return last ? kernel_columns_given(&b->grid, c->size, c->done)
                : kernel_clamp(c->done, most);
}

static inline int64_t check_block_end(const struct check_blocks *b,
                                      const struct check_chunk *c)
{
    return check_least(c->done + b->width, b->grid.columns + check_lag(b, c));
}

static inline bool check_ready(const struct check_blocks *b, int64_t i)
{
    const struct check_chunk *c = &b->chunk[i];
    int64_t to = check_block_end(b, c), columns = b->grid.columns;
    if (c->step == b->grid.steps)
        return false;
    if (i > 0 && check_columns(b, c - 1, c->step, true) <
                     kernel_columns_needed(&b->grid, to))
        return false;
    return c->step == 0 || i + 1 == b->chunks ||
           check_columns(b, c + 1, c->step - 1, false) >=
               check_least(columns, to);
}

/* ---- copies ---- */

typedef void *check_row_fn(const void *instance, void *state, void *output,
                           int step, int64_t row);

static inline void check_copy(struct check_blocks *b, check_row_fn *place,
                              int step, int64_t row,
                              const struct check_rank *from,
                              const struct check_rank *to, int64_t first,
                              int64_t end)
{
    if (from == to || first >= end)
        return;
    size_t bytes = b->grid.boundary_bytes;
    char *source = place(b->k.instance, from->state, from->output, step, row);
    char *target = place(b->k.instance, to->state, to->output, step, row);
    memcpy(target + (size_t)first * bytes, source + (size_t)first * bytes,
           (size_t)(end - first) * bytes);
}

/* The boundary above chunk i in its step, up to column `end`. */
static inline void check_take_above(struct check_blocks *b, int64_t i,
                                    int64_t end)
{
    struct check_chunk *c = &b->chunk[i];
    if (i == 0 || end <= c->above)
        return;
    check_copy(b, b->d->boundary, c->step, c->start - 1, c[-1].rank, c->rank,
               c->above, end);
    c->above = end;
}

static inline void check_take_below(struct check_blocks *b, int64_t i,
                                    int64_t end)
{
    struct check_chunk *c = &b->chunk[i];
    if (c->step == 0 || i + 1 == b->chunks || end <= c->below)
        return;
    check_copy(b, b->d->halo, c->step, c->start + c->size, c[1].rank, c->rank,
               c->below, end);
    c->below = end;
}

/* Sometimes a neighbour gets all data as soon as they exist, otherwise only the
 * needed part when it needs it. */
static inline void check_give(struct check_blocks *b, int64_t i)
{
    struct check_chunk *c = &b->chunk[i];
    if (i + 1 < b->chunks && c[1].step <= c->step)
        check_take_above(b, i + 1, check_columns(b, c, c[1].step, true));
    if (i > 0 && c[-1].step <= b->grid.steps - 1)
        check_take_below(b, i - 1, check_columns(b, c, c[-1].step - 1, false));
}

/* The first `columns` of a row, between zeroes and before poison. */
static inline const void *check_apart(const struct check_blocks *b, char *apart,
                                      const void *row, int64_t columns)
{
    size_t bytes = b->grid.boundary_bytes;
    memset(apart, 0, (size_t)(b->grid.columns + 2) * bytes);
    memset(apart + bytes, CHECK_POISON, (size_t)b->grid.columns * bytes);
    memcpy(apart + bytes, row, (size_t)columns * bytes);
    return apart + bytes;
}

/* From time to time the rows of the neighbours are in other memory. */
static inline void check_set_apart(struct check_blocks *b, int64_t i,
                                   struct kernel_block *block)
{
    const struct check_chunk *c = &b->chunk[i];
    struct check_rank *r = c->rank;
    int64_t columns = b->grid.columns;
    if (i > 0 && random_next(&b->seed) % 2 == 0)
        block->above =
            check_apart(b, b->apart[0],
                        b->d->boundary(b->k.instance, r->state, r->output,
                                       c->step, c->start - 1),
                        kernel_columns_needed(&b->grid, block->to));
    if (i + 1 < b->chunks && c->step > 0 && random_next(&b->seed) % 2 == 0)
        block->below =
            check_apart(b, b->apart[1],
                        b->d->halo(b->k.instance, r->state, r->output, c->step,
                                   c->start + c->size),
                        check_least(columns, block->to));
}

static inline void check_run_one(struct check_blocks *b, int64_t i)
{
    struct check_chunk *c = &b->chunk[i];
    int64_t to = check_block_end(b, c), columns = b->grid.columns;
    check_take_above(b, i, kernel_columns_needed(&b->grid, to));
    check_take_below(b, i, check_least(columns, to));
    struct kernel_block block = {.step = c->step,
                                 .start = c->start,
                                 .size = c->size,
                                 .from = c->done,
                                 .to = to,
                                 .shared = random_next(&b->seed) % 2 == 0};
    check_set_apart(b, i, &block);
    b->d->run_block(b->k.instance, c->rank->state, &block, c->rank->output,
                    b->poll);
    c->done = to;
    if (random_next(&b->seed) % 2 == 0)
        check_give(b, i);
    if (to == columns + check_lag(b, c)) {
        c->step++;
        c->done = c->above = c->below = 0;
    }
}

static inline bool check_run_any(struct check_blocks *b)
{
    int64_t first = check_below(&b->seed, b->chunks);
    for (int64_t n = 0; n < b->chunks; n++) {
        int64_t i = (first + n) % b->chunks;
        if (check_ready(b, i)) {
            check_run_one(b, i);
            return true;
        }
    }
    return false;
}

/* ---- a whole test ---- */

static inline void check_compare(const struct check_blocks *b, const char *text,
                                 const char *want)
{
    for (int64_t i = 0; i < b->chunks; i++) {
        const struct check_chunk *c = &b->chunk[i];
        size_t at = (size_t)c->start * b->k.bytes;
        assert_int_equal(c->step, b->grid.steps);
        if (memcmp(c->rank->output + at, want + at,
                   (size_t)c->size * b->k.bytes) != 0)
            fail_msg("%s: chunk [%lld, %lld) in blocks of %lld differs", text,
                     (long long)c->start, (long long)(c->start + c->size),
                     (long long)b->width);
    }
}

static inline void check_rounds(struct check_blocks *b, const char *text,
                                const char *want, int rounds)
{
    const int64_t rows = b->k.iterations, columns = b->grid.columns;
    for (int round = 0; round < rounds; round++) {
        const int64_t width[] = {1, 2, 3, 7, columns, columns + 5};
        int64_t pick = check_below(&b->seed, 10);
        b->width = pick < 6 ? width[pick] : 1 + check_below(&b->seed, columns);
        check_make_chunks(b, 1 + check_below(&b->seed, rows),
                          1 + (int)check_below(&b->seed, CHECK_RANKS));
        check_poison(b);
        while (check_run_any(b))
            ;
        check_compare(b, text, want);
        free(b->chunk);
    }
}

/* Random chunks, ranks, blocks and orders give the reference's bits. */
static inline void check_blocks(const char *text, uint64_t seed, int rounds)
{
    int64_t polls = 0;
    const struct kernel_poll poll = {check_count_poll, &polls};
    struct check_blocks b = {
        .k = check_make(text), .seed = seed, .poll = &poll};
    size_t total = (size_t)b.k.iterations * b.k.bytes;
    char *want = check_memory(total);
    b.d = b.k.ops->dependence;
    b.d->grid(b.k.instance, &b.grid);
    b.k.ops->reference(b.k.instance, 0, b.k.iterations, want);
    check_make_ranks(&b);
    check_rounds(&b, text, want, rounds);
    for (int i = 0; i < CHECK_RANKS; i++) {
        free(b.rank[i].output);
        free(b.rank[i].state);
    }
    for (int i = 0; i < 2; i++)
        free(b.apart[i]);
    free(want);
    check_free(&b.k);
}

/* Two passes of run in random pieces, in ascending order. */
static inline void check_passes(const char *text, uint64_t seed)
{
    struct check_kernel k = check_make(text);
    size_t total = (size_t)k.iterations * k.bytes;
    char *want = check_memory(total), *got = check_memory(total);
    k.ops->reference(k.instance, 0, k.iterations, want);
    for (int pass = 0; pass < 4; pass++) {
        memset(got, CHECK_POISON, total);
        for (int64_t row = 0, size; row < k.iterations; row += size) {
            size = pass == 0   ? k.iterations
                   : pass == 1 ? 1
                               : 1 + check_below(&seed, k.iterations);
            size = check_least(size, k.iterations - row);
            k.ops->run(k.instance, k.scratch, row, size,
                       got + (size_t)row * k.bytes, NULL);
        }
        if (memcmp(got, want, total) != 0)
            fail_msg("%s: pass %d differs", text, pass);
    }
    free(want);
    free(got);
    check_free(&k);
}

#endif
