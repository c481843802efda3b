/* The busy time of a message's ends, and chunks one by one. */
#include "sched/interval/interval_testing.h"

enum { WORKERS = 4, PIECES_MAX = 64 };

struct listed {
    struct interval_model model;
    struct interval_group group;
    struct interval_piece piece[PIECES_MAX];
    double free_s[WORKERS];
};

/* 2000 rows in k chunks for each of four workers. */
static void open_listed(struct listed *l, int64_t k, double skew)
{
    l->group = (struct interval_group){
        .workers = WORKERS, .power = 1, .c_p = 1e-9, .c_b = 5e-9};
    l->model = (struct interval_model){.chunk_dim = 2000,
                                       .sync_dim = 3000,
                                       .groups = 1,
                                       .group = &l->group,
                                       .c_d = 1e-6,
                                       .c_c = 2e-9,
                                       .k = k,
                                       .skew = skew,
                                       .stream = true};
}

static void add_pieces(struct listed *l, double rows, int count)
{
    for (int i = 0; i < count; i++) {
        int64_t c = l->model.pieces++;
        assert_true(c < PIECES_MAX);
        l->piece[c] =
            (struct interval_piece){rows, 1e-9, 5e-9, (int)(c % WORKERS)};
    }
    l->model.piece = l->piece;
    l->model.free_s = l->free_s;
    l->model.steps = 1;
}

static double time_at(const struct listed *l, double h)
{
    return interval_time(&l->model, h, INTERVAL_TWA_PRINTED);
}

/* If each end is busy for all of a message's way, the result is the paper's. */
static void busy_ends_are_the_papers(void **unused)
{
    static const double h[] = {1, 7, 100, 1500};
    for (size_t i = 0; i < COUNT(h); i++) {
        struct listed paper, known;
        open_listed(&paper, 5, 1);
        known = paper;
        known.model.group = &known.group;
        known.model.ends = true;
        known.model.b_d = 2e-6, known.model.b_c = 4e-9;
        assert_near("T", time_at(&known, h[i]), time_at(&paper, h[i]), 1e-12);
    }
}

/* The rest of the way is waited for once from each chunk to the next, however
 * many blocks there are. */
static void the_rest_of_the_way_delays_once(void **unused)
{
    static const double h[] = {1, 7, 100, 1500};
    for (size_t i = 0; i < COUNT(h); i++) {
        struct listed short_way, way;
        open_listed(&short_way, 1, 0);
        short_way.model.ends = true;
        short_way.model.b_d = 3e-7, short_way.model.b_c = 2e-9;
        way = short_way;
        way.model.group = &way.group;
        short_way.model.c_d = 3e-7;
        assert_near("T", time_at(&way, h[i]),
                    time_at(&short_way, h[i]) + (WORKERS - 1) * 7e-7, 1e-12);
    }
}

/* Blocks computed faster than messages arrive take as long as the messages. */
static void few_messages_on_their_way_limit_short_blocks(void **unused)
{
    struct listed l;
    open_listed(&l, 1, 0);
    l.model.ends = true;
    l.model.c_d = 1e-4, l.model.c_c = 0;
    l.model.flight = 4;
    /* a block of one column is 0.5 + 2.5 us of work */
    assert_near("T", time_at(&l, 1), 3000 * 25e-6 + 3 * (25e-6 + 1e-4), 1e-12);
    l.model.flight = 0;
    assert_near("T", time_at(&l, 1), 3000 * 3e-6 + 3 * (3e-6 + 1e-4), 1e-12);
}

/* Equal chunks, one by one, are k for each worker. */
static void equal_pieces_are_a_stream(void **unused)
{
    static const int64_t k[] = {1, 2, 5, 10};
    static const double h[] = {1, 30, 400, 3000};
    for (size_t i = 0; i < COUNT(k); i++)
        for (size_t j = 0; j < COUNT(h); j++)
            for (int skew = 0; skew < 2; skew++) {
                struct listed equal, listed;
                open_listed(&equal, k[i], skew);
                open_listed(&listed, k[i], skew);
                add_pieces(&listed, 2000 / (4.0 * (double)k[i]),
                           (int)(4 * k[i]));
                assert_near("T", time_at(&listed, h[j]), time_at(&equal, h[j]),
                            1e-12);
                assert_near("h", interval_optimum(&listed.model),
                            interval_optimum(&equal.model), 1e-3);
            }
}

/* A second time step goes through the same rows again. */
static void steps_repeat_the_pieces(void **unused)
{
    struct listed equal, listed;
    open_listed(&equal, 10, 0);
    open_listed(&listed, 10, 0);
    add_pieces(&listed, 50, 40);
    equal.model.k *= 2;
    equal.model.chunk_dim *= 2;
    listed.model.steps = 2;
    assert_near("T", time_at(&listed, 30), time_at(&equal, 30), 1e-12);
}

/* A chunk of cheap rows right below expensive ones is as slow as these; one
 * that begins later is not. */
static void a_slow_chunk_holds_up_the_next(void **unused)
{
    struct listed l;
    open_listed(&l, 1, 0);
    l.model.c_d = l.model.c_c = 0;
    l.model.reach = 100;
    add_pieces(&l, 500, 3);
    l.piece[0].c_b = l.piece[1].c_b = l.piece[2].c_b = 0;
    l.piece[0].c_p = l.piece[2].c_p = 4e-9;
    /* 200 columns of the first; 100 of the second, and 100 more at the pace of
     * the first; all of the last */
    double slow = 500 * 4e-9, fast = 500 * 1e-9;
    assert_near("T", time_at(&l, 100),
                200 * slow + 100 * fast + 100 * slow + 3000 * slow, 1e-12);
    /* with the first one's worker the last begins when all columns are
     * complete */
    l.piece[2].worker = 0;
    assert_near("T", time_at(&l, 100), 2 * 3000 * slow, 1e-12);
}

/* Half of the rows at first: the pipeline fills with long chunks, and the best
 * interval is shorter than that of equal ones. */
static void long_chunks_come_first(void **unused)
{
    struct listed equal, falling;
    open_listed(&equal, 4, 0);
    open_listed(&falling, 4, 0);
    for (int rows = 250, left = 2000; left > 0; rows /= 2) {
        rows = rows < 32 ? left / WORKERS : rows;
        add_pieces(&falling, rows, WORKERS);
        left -= WORKERS * rows;
    }
    assert_true(interval_optimum(&falling.model) <
                0.8 * interval_optimum(&equal.model));
    assert_minimum(&falling.model);
}

/* A request that is longer under way than the last block takes is waited for.
 */
static void a_chunk_is_asked_for_a_block_earlier(void **unused)
{
    struct listed l;
    open_listed(&l, 2, 0);
    l.model.c_d = l.model.c_c = 0;
    l.model.ends = true;
    add_pieces(&l, 250, 2 * WORKERS);
    double h = 1000, block = h * 250 * 1e-9 + 250 * 5e-9;
    double before = time_at(&l, h);
    l.model.c_sch = block;
    assert_near("T", time_at(&l, h), before, 1e-12);
    l.model.c_sch = 10 * block;
    /* 3 blocks of the first chunk, 9 waited for, and 3 passes of one block */
    assert_near("T", time_at(&l, h), (3 + 9 + 3 + 3) * block, 1e-12);
}

TESTS(cmocka_unit_test(busy_ends_are_the_papers),
      cmocka_unit_test(the_rest_of_the_way_delays_once),
      cmocka_unit_test(few_messages_on_their_way_limit_short_blocks),
      cmocka_unit_test(equal_pieces_are_a_stream),
      cmocka_unit_test(steps_repeat_the_pieces),
      cmocka_unit_test(a_slow_chunk_holds_up_the_next),
      cmocka_unit_test(long_chunks_come_first),
      cmocka_unit_test(a_chunk_is_asked_for_a_block_earlier))
