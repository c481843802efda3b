/* Links between ranks, with an MPI whose messages come in random order: random
 * ends of edges, pieces, time steps.  Every available column of every stream
 * has its producer's value. */
#include "harness/testing.h"

#include "harness/messages/mpi_testing_collectives.h"
#include "harness/protocol/pipeline/links.h"

enum { WORLDS = 200, RANKS = 6, EDGES = 24, COLUMNS = 40, PASSES = 2 };

struct world {
    int ranks;
    int64_t edges, columns, steps;
    int at[EDGES][2]; /* where the ends of an edge are */
    uint64_t seed;
    _Atomic int wrong; /* columns; threads cannot fail a test by themselves */
};

/* The links of a rank, and a row of each stream of each edge. */
struct rank {
    struct world *world;
    struct comm comm;
    struct engine_lock lock;
    struct links links;
    int64_t messages, bytes;
    uint64_t row[EDGES][2][COLUMNS];
    uint64_t seed;
};

static uint64_t column_of(int64_t edge, enum link_flow flow, int64_t column)
{
    return (uint64_t)((edge * 2 + (int64_t)flow) * 1000003 + column) *
           0x9e3779b97f4a7c15u;
}

static enum link_end producer_of(enum link_flow flow)
{
    return flow == LINK_DOWN ? LINK_PREDECESSOR : LINK_SUCCESSOR;
}

static bool has_end(const struct rank *rank, int64_t edge, enum link_end end)
{
    return rank->world->at[edge][end] == rank->comm.rank;
}

/* Writes a step's row in pieces of random length. */
static void produce(struct rank *rank, int64_t edge, enum link_flow flow,
                    int64_t step)
{
    int64_t columns = rank->world->columns;
    uint64_t *row = rank->row[edge][flow];
    for (int64_t done = 0; done < columns;) {
        int64_t to = done + testing_between(&rank->seed, 1, columns - done);
        for (; done < to; done++)
            row[done] = column_of(edge, flow, step * columns + done);
        links_advance(&rank->links, edge, flow, step * columns + done, row);
        if (testing_random(&rank->seed) % 2)
            links_progress(&rank->links);
    }
}

static void consume(struct rank *rank, int64_t edge, enum link_flow flow,
                    int64_t step)
{
    int64_t columns = rank->world->columns;
    uint64_t *row = rank->row[edge][flow];
    for (int64_t here = 0; here < columns;) {
        int64_t to = here + testing_between(&rank->seed, 1, columns - here);
        int64_t need = step * columns + to;
        if (links_complete(&rank->links, edge, flow) < need)
            links_wait(&rank->links, edge, flow, need, row);
        for (; here < to; here++)
            if (row[here] != column_of(edge, flow, step * columns + here))
                rank->world->wrong++;
    }
}

static void register_ends(struct rank *rank)
{
    int64_t order[EDGES];
    for (int64_t e = 0; e < rank->world->edges; e++) {
        int64_t at = testing_between(&rank->seed, 0, e);
        order[e] = order[at];
        order[at] = e;
    }
    for (int64_t i = 0; i < rank->world->edges; i++)
        for (int end = 0; end < 2; end++)
            if (has_end(rank, order[i], end))
                links_register(&rank->links, order[i], end);
}

/* All that this rank makes of a step goes out before it waits for others'. */
static void run_flow(struct rank *rank, enum link_flow flow, int64_t step)
{
    for (int64_t e = 0; e < rank->world->edges; e++)
        if (has_end(rank, e, producer_of(flow)))
            produce(rank, e, flow, step);
    for (int64_t e = 0; e < rank->world->edges; e++)
        if (has_end(rank, e, 1 - producer_of(flow)))
            consume(rank, e, flow, step);
}

static void *run_rank(void *arg)
{
    struct rank *rank = arg;
    const struct world *w = rank->world;
    struct error err = {""};
    if (links_open(&rank->links, &rank->comm, w->edges, w->columns,
                   sizeof(uint64_t), w->steps, &err) != 0)
        abort();
    rank->links.patience = rank->comm.patience;
    for (int pass = 0; pass < PASSES; pass++) {
        links_reset(&rank->links);
        comm_quiet_barrier(&rank->comm);
        register_ends(rank);
        for (int64_t step = 0; step < w->steps; step++) {
            run_flow(rank, LINK_DOWN, step);
            if (step + 1 < w->steps)
                run_flow(rank, LINK_UP, step);
        }
        links_finish(&rank->links, NULL);
        comm_quiet_barrier(&rank->comm);
    }
    rank->messages = rank->links.messages;
    rank->bytes = rank->links.bytes;
    links_close(&rank->links);
    return NULL;
}

/* For an edge in a pass: a note from each end not at home, and the answers;
 * every column between two ranks. */
static void expect_traffic(const struct world *w, int64_t edge, int home,
                           int64_t *notes, int64_t *columns)
{
    const int *at = w->at[edge];
    for (int end = 0; end < 2; end++)
        *notes += at[end] != home;
    *notes += at[0] != home;
    *notes += at[1] != home && at[1] != at[0];
    if (at[0] != at[1])
        *columns += (2 * w->steps - 1) * w->columns;
}

static void check_traffic(const struct world *w, const struct rank *rank)
{
    int64_t notes = 0, columns = 0, bytes = 0, messages = 0;
    const struct links links = {.comm = &rank->comm};
    for (int64_t e = 0; e < w->edges; e++)
        expect_traffic(w, e, links_home(&links, e), &notes, &columns);
    for (int r = 0; r < w->ranks; r++) {
        bytes += rank[r].bytes;
        messages += rank[r].messages;
    }
    assert_int_equal(bytes,
                     PASSES * (notes * (int64_t)sizeof(struct link_note) +
                               columns * (int64_t)sizeof(uint64_t)));
    assert_true(messages >= PASSES * notes);
}

static void run_world(uint64_t seed)
{
    static struct rank rank[RANKS];
    struct world w = {.ranks = (int)testing_between(&seed, 2, RANKS),
                      .edges = testing_between(&seed, 1, EDGES),
                      .columns = testing_between(&seed, 1, COLUMNS),
                      .steps = testing_between(&seed, 1, 4)};
    for (int64_t e = 0; e < w.edges; e++)
        for (int end = 0; end < 2; end++)
            w.at[e][end] = (int)testing_between(&seed, 0, w.ranks - 1);
    mpi_testing_start(seed);
    mpi_testing_collectives(w.ranks);
    for (int r = 0; r < w.ranks; r++) {
        memset(&rank[r], 0, sizeof(rank[r]));
        rank[r].world = &w;
        rank[r].seed = testing_random(&seed);
        rank[r].comm = mpi_testing_rank(r, w.ranks, &rank[r].lock);
    }
    mpi_testing_run(run_rank, rank, w.ranks, sizeof(*rank));
    assert_int_equal(w.wrong, 0);
    check_traffic(&w, rank);
    assert_int_equal(mpi_testing_left(), 0);
    mpi_testing_end();
}

static void every_column_is_its_producers(void **unused)
{
    (void)unused;
    mpi_testing_worlds(__func__, WORLDS, run_world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_column_is_its_producers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
