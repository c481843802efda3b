/* Rows that move with their chunks, with an MPI that promises little: random
 * ranks, chunks, owners and places of rows.  A chunk finds its rows of the
 * previous step when it runs, and no other rows move. */
#include "harness/testing.h"

#include "harness/messages/mpi_testing_windows.h"
#include "harness/protocol/pipeline/migrate.h"

#include <errno.h>

enum { WORLDS = 200, RANKS = 6, ROWS = 40, COLUMNS = 12, STEPS = 4 };

/* Where a row lies. */
enum layout { IN_PLACE, BY_TURNS, APART, BACKWARDS, LAYOUTS };

struct world {
    int ranks, steps;
    int64_t rows, columns;
    enum layout layout;
    int owner[STEPS][ROWS];  /* of each row in each step */
    bool first[STEPS][ROWS]; /* a chunk begins with this row */
    _Atomic int wrong;       /* threads cannot fail a test by themselves */
};

struct rank {
    struct world *world;
    struct comm comm;
    struct engine_lock lock;
    struct migrate migrate;
    struct error err;
    uint64_t output[2 * ROWS * COLUMNS], state[ROWS * COLUMNS];
    uint64_t seed;
    int64_t moved_rows, messages; /* as they must be */
    int code;
};

static uint64_t value_of(int step, int64_t row, int64_t column)
{
    return (uint64_t)((step * ROWS + row) * COLUMNS + column + 1) *
           0x9e3779b97f4a7c15u;
}

/* Row `row` of the step before `step`. */
static void *place_of(const void *instance, void *state, void *output, int step,
                      int64_t row)
{
    const struct world *w = instance;
    uint64_t *first = w->layout == BY_TURNS && step % 2 == 1 ? state : output;
    int64_t at = w->layout == APART       ? 2 * row
                 : w->layout == BACKWARDS ? w->rows - 1 - row
                                          : row;
    return first + at * w->columns;
}

static const struct kernel_dependence kernel = {.halo = place_of};

static uint64_t *row_of(struct rank *rank, int step, int64_t row)
{
    return place_of(rank->world, rank->state, rank->output, step, row);
}

static void check_row(struct rank *rank, int step, int64_t row)
{
    const uint64_t *at = row_of(rank, step, row);
    for (int64_t j = 0; j < rank->world->columns; j++)
        rank->world->wrong += at[j] != value_of(step - 1, row, j);
}

/* Rows of one owner that lie behind each other are one message. */
static void expect(struct rank *rank, int step, int64_t start, int64_t end)
{
    const struct world *w = rank->world;
    bool behind = w->layout == IN_PLACE || w->layout == BY_TURNS;
    for (int64_t row = start; row < end; row++) {
        if (w->owner[step - 1][row] == rank->comm.rank)
            continue;
        rank->moved_rows++;
        rank->messages += !behind || row == start || w->first[step - 1][row];
    }
}

static void run_chunk(struct rank *rank, int step, int64_t start, int64_t size)
{
    const struct world *w = rank->world;
    int64_t end = start + size < w->rows ? start + size + 1 : w->rows;
    if (step > 0) {
        migrate_bring(&rank->migrate, &kernel, rank->state, step, start, size);
        expect(rank, step, start, end);
    }
    for (int64_t row = start; step > 0 && row < end; row++)
        check_row(rank, step, row);
    for (int64_t row = start; row < start + size; row++)
        for (int64_t j = 0; j < w->columns; j++)
            row_of(rank, step + 1, row)[j] = value_of(step, row, j);
}

/* A rank's chunks of a step in ascending order; what it had, in any. */
static void run_step(struct rank *rank, int step)
{
    const struct world *w = rank->world;
    struct migrate_rows own[ROWS];
    int64_t count = 0;
    for (int64_t row = 0, size; row < w->rows; row += size) {
        for (size = 1; row + size < w->rows && !w->first[step][row + size];)
            size++;
        if (w->owner[step][row] != rank->comm.rank)
            continue;
        run_chunk(rank, step, row, size);
        int64_t at = testing_between(&rank->seed, 0, count);
        own[count++] = own[at];
        own[at] = (struct migrate_rows){row, size, rank->comm.rank};
    }
    migrate_announce(&rank->migrate, own, count);
    comm_quiet_barrier(&rank->comm);
}

static void *run_rank(void *arg)
{
    struct rank *rank = arg;
    const struct world *w = rank->world;
    size_t row_bytes = (size_t)w->columns * sizeof(uint64_t);
    bool has_state = w->layout == BY_TURNS;
    rank->code =
        migrate_open(&rank->migrate, &rank->comm, w, w->rows, row_bytes,
                     (char *)rank->output, sizeof(rank->output),
                     has_state ? (char *)rank->state : NULL,
                     has_state ? sizeof(rank->state) : 0, &rank->err);
    for (int step = 0; step < w->steps; step++)
        run_step(rank, step);
    migrate_close(&rank->migrate);
    return NULL;
}

static void choose_owners(struct world *w, uint64_t *seed)
{
    for (int step = 0; step < w->steps; step++)
        for (int64_t row = 0; row < w->rows; row++) {
            bool begins = row == 0 || testing_random(seed) % 3 == 0;
            w->first[step][row] = begins;
            w->owner[step][row] =
                begins ? (int)testing_between(seed, 0, w->ranks - 1)
                       : w->owner[step][row - 1];
        }
}

static void open_ranks(struct rank *rank, struct world *w, uint64_t seed)
{
    mpi_testing_windows(w->ranks, &seed);
    for (int r = 0; r < w->ranks; r++) {
        rank[r] = (struct rank){.world = w, .seed = testing_random(&seed)};
        rank[r].comm = mpi_testing_rank(r, w->ranks, &rank[r].lock);
    }
}

static void run_world(uint64_t seed)
{
    static struct rank rank[RANKS];
    struct world w = {.ranks = (int)testing_between(&seed, 2, RANKS),
                      .steps = (int)testing_between(&seed, 1, STEPS),
                      .rows = testing_between(&seed, 1, ROWS),
                      .columns = testing_between(&seed, 1, COLUMNS),
                      .layout = testing_random(&seed) % LAYOUTS};
    choose_owners(&w, &seed);
    open_ranks(rank, &w, seed);
    mpi_testing_run(run_rank, rank, w.ranks, sizeof(*rank));
    assert_int_equal(w.wrong, 0);
    for (int r = 0; r < w.ranks; r++) {
        const struct migrate *m = &rank[r].migrate;
        assert_int_equal(rank[r].code, 0);
        assert_int_equal(m->messages, rank[r].messages);
        assert_int_equal(m->moved_bytes,
                         rank[r].moved_rows * (int64_t)m->row_bytes);
    }
    assert_int_equal(mpi_testing_left() + mpi_testing_windows_left(), 0);
    mpi_testing_end();
}

static void every_row_is_there_when_its_chunk_runs(void **unused)
{
    (void)unused;
    mpi_testing_worlds(__func__, WORLDS, run_world);
}

/* ---- what is refused, and the list ---- */

static void *open_long(void *arg)
{
    struct rank *rank = arg;
    rank->code = migrate_open(&rank->migrate, &rank->comm, rank->world, 1,
                              rank->comm.rank == 1 ? (size_t)INT_MAX + 1 : 8,
                              (char *)rank->output, 8, NULL, 0, &rank->err);
    migrate_close(&rank->migrate);
    return NULL;
}

static void a_row_too_long_for_one_rank_is_so_for_all(void **unused)
{
    (void)unused;
    static struct rank rank[RANKS];
    struct world w = {.ranks = 3};
    open_ranks(rank, &w, 1);
    mpi_testing_run(open_long, rank, w.ranks, sizeof(*rank));
    for (int r = 0; r < w.ranks; r++) {
        assert_int_equal(rank[r].code, -ENOTSUP);
        assert_non_null(strstr(rank[r].err.text, "2147483648 bytes"));
    }
    assert_int_equal(mpi_testing_windows_left(), 0);
    mpi_testing_end();
}

static void the_owner_of_a_row_is_found(void **unused)
{
    (void)unused;
    struct migrate_rows owner[] = {{7, 1, 2}, {0, 3, 0}, {8, 5, 1}, {3, 4, 3}};
    static const int want[] = {0, 0, 0, 3, 3, 3, 3, 2, 1, 1, 1, 1, 1};
    struct migrate m = {.owner = owner, .owners = 4};
    migrate_sort(&m);
    for (int row = 0; row < 13; row++)
        assert_int_equal(migrate_owner(&m, row)->rank, want[row]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_is_there_when_its_chunk_runs),
        cmocka_unit_test(a_row_too_long_for_one_rank_is_so_for_all),
        cmocka_unit_test(the_owner_of_a_row_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
