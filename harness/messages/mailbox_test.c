/* Mailboxes of several ranks against an MPI whose messages come in random
 * order: every message comes once, whole, those of a sender in their order, and
 * the counts are what was sent. */
#include "harness/testing.h"

#include "harness/messages/mailbox.h"
#include "harness/messages/mpi_testing.h"

enum { WORLDS = 100, RANKS = 6, SENT = 60, LONG = 40 };
enum { TAG_NOTE = 1, TAG_LONG = 2 };

/* A short message; behind it, for size > 0, as many numbers by themselves. */
struct note {
    int32_t from, number;
    int64_t size;
};

struct world {
    int ranks;
    int to[RANKS][SENT]; /* of each sender's notes */
    int64_t size[RANKS][SENT];
};

struct rank {
    const struct world *world;
    struct comm comm;
    struct mailbox box;
    uint64_t seed;
    uint64_t out[SENT][LONG];
    uint64_t in[RANKS][SENT][LONG];
    int last[RANKS]; /* number of a sender's note that came last */
    int sent, came, awaited;
    int64_t bytes;
    int wrong; /* threads cannot fail a test by themselves */
};

static uint64_t number_of(int from, int number, int64_t at)
{
    return (uint64_t)((from * SENT + number) * LONG + at + 1) *
           0x9e3779b97f4a7c15u;
}

static void send_one(struct rank *rank)
{
    int me = rank->comm.rank, number = rank->sent++;
    int to = rank->world->to[me][number];
    struct note note = {me, number, rank->world->size[me][number]};
    mailbox_send_short(&rank->box, &note, sizeof(note), to, TAG_NOTE);
    rank->bytes += (int64_t)sizeof(note);
    note = (struct note){-1, -1, -1}; /* may change by now */
    uint64_t *out = rank->out[number];
    int64_t size = rank->world->size[me][number];
    if (size == 0)
        return;
    for (int64_t i = 0; i < size; i++)
        out[i] = number_of(me, number, i);
    mailbox_reap_old(&rank->box);
    mailbox_send_long(&rank->box, out, (int)size, MPI_UINT64_T, size * 8, to,
                      TAG_LONG);
    rank->bytes += size * 8;
}

static void take_one(struct rank *rank, const struct note *note)
{
    bool known = note->from >= 0 && note->from < rank->world->ranks &&
                 note->number >= 0 && note->number < SENT;
    rank->came++;
    if (!known || note->number <= rank->last[note->from]) {
        rank->wrong++;
        return;
    }
    rank->last[note->from] = note->number;
    if (note->size > 0)
        MPI_Irecv(rank->in[note->from][note->number], (int)note->size,
                  MPI_UINT64_T, note->from, TAG_LONG, rank->comm.all,
                  mailbox_add(&rank->box));
}

/* Sends and takes by chance, until all has come; as many receives are posted
 * as chance wants, but one at least. */
static void *run_rank(void *arg)
{
    struct rank *rank = arg;
    mailbox_post(&rank->box, 1);
    while (rank->sent < SENT || rank->came < rank->awaited) {
        const struct note *note = NULL;
        if (rank->sent < SENT && testing_random(&rank->seed) % 2)
            send_one(rank);
        if (mailbox_oldest(&rank->box) != NULL)
            note = mailbox_take(&rank->box);
        if (note != NULL)
            take_one(rank, note);
        mailbox_post(&rank->box, (int)testing_between(&rank->seed, 1, 8));
    }
    mailbox_drain(&rank->box);
    mailbox_await(&rank->box, &rank->comm.patience);
    mailbox_withdraw(&rank->box);
    return NULL;
}

static void plan(struct world *w, uint64_t *seed)
{
    *w = (struct world){.ranks = (int)testing_between(seed, 2, RANKS)};
    for (int r = 0; r < w->ranks; r++) {
        for (int i = 0; i < SENT; i++) {
            w->to[r][i] = (int)testing_between(seed, 0, w->ranks - 1);
            w->size[r][i] =
                testing_random(seed) % 2 ? testing_between(seed, 1, LONG) : 0;
        }
    }
}

static void open_rank(struct rank *rank, const struct world *w, int r,
                      uint64_t *seed)
{
    memset(rank, 0, sizeof(*rank));
    rank->world = w;
    rank->seed = testing_random(seed);
    rank->comm = mpi_testing_rank(r, w->ranks, NULL);
    const struct mailbox_setup setup = {
        .comm = &rank->comm,
        .from = MPI_ANY_SOURCE,
        .tag = TAG_NOTE,
        .posted = (int)testing_between(seed, 1, 5),
        .count = sizeof(struct note),
        .requests = (int)testing_between(seed, 0, 8)};
    assert_int_equal(mailbox_open(&rank->box, &setup), 0);
    mailbox_reset(&rank->box);
    for (int from = 0; from < w->ranks; from++) {
        rank->last[from] = -1;
        for (int i = 0; i < SENT; i++)
            rank->awaited += w->to[from][i] == r;
    }
}

static void check_rank(struct rank *rank)
{
    const struct world *w = rank->world;
    int64_t messages = 0;
    assert_int_equal(rank->wrong, 0);
    assert_int_equal(rank->came, rank->awaited);
    for (int from = 0; from < w->ranks; from++)
        for (int i = 0; i < SENT; i++)
            for (int64_t k = 0;
                 w->to[from][i] == rank->comm.rank && k < w->size[from][i]; k++)
                assert_true(rank->in[from][i][k] == number_of(from, i, k));
    for (int i = 0; i < SENT; i++)
        messages += 1 + (w->size[rank->comm.rank][i] > 0);
    assert_int_equal(rank->box.messages, messages);
    assert_int_equal(rank->box.bytes, rank->bytes);
}

static void run_world(uint64_t seed)
{
    static struct rank rank[RANKS];
    struct world w;
    plan(&w, &seed);
    mpi_testing_start(seed);
    for (int r = 0; r < w.ranks; r++)
        open_rank(&rank[r], &w, r, &seed);
    mpi_testing_run(run_rank, rank, w.ranks, sizeof(*rank));
    for (int r = 0; r < w.ranks; r++) {
        check_rank(&rank[r]);
        mailbox_close(&rank[r].box);
    }
    assert_int_equal(mpi_testing_left(), 0);
    mpi_testing_end();
}

static void every_message_comes_once(void **unused)
{
    mpi_testing_worlds(__func__, WORLDS, run_world);
}

/* ---- one rank that sends to itself ---- */

static void open_alone(struct comm *comm, struct mailbox *box,
                       struct mailbox_setup setup)
{
    mpi_testing_start(1);
    *comm = mpi_testing_rank(0, 1, NULL);
    setup.comm = comm;
    assert_int_equal(mailbox_open(box, &setup), 0);
    mailbox_reset(box);
}

static void close_alone(struct mailbox *box)
{
    mailbox_withdraw(box);
    mailbox_close(box);
    assert_int_equal(mpi_testing_left(), 0);
    mpi_testing_end();
}

static const int *take_next(struct mailbox *box)
{
    const int *message;
    while ((message = mailbox_take(box)) == NULL)
        ;
    return message;
}

/* Three places: the fourth message lies where the first was, which stays until
 * a receive is posted there. */
static void what_was_taken_stays(void **unused)
{
    struct comm comm;
    struct mailbox box;
    const int *got[4];
    open_alone(&comm, &box,
               (struct mailbox_setup){.from = MPI_ANY_SOURCE,
                                      .tag = TAG_NOTE,
                                      .posted = 3,
                                      .count = sizeof(int)});
    assert_null(mailbox_oldest(&box));
    assert_null(mailbox_take(&box));
    mailbox_post(&box, 3);
    assert_int_equal(box.posted, 3);
    for (int i = 0; i < 4; i++)
        mailbox_send_short(&box, &i, sizeof(i), 0, TAG_NOTE);
    for (int i = 0; i < 3; i++)
        got[i] = take_next(&box);
    assert_null(mailbox_take(&box));
    for (int i = 0; i < 3; i++)
        assert_int_equal(*got[i], i);
    mailbox_post(&box, 1);
    got[3] = take_next(&box);
    assert_ptr_equal(got[3], got[0]);
    assert_int_equal(*got[3], 3);
    assert_int_equal(*got[1], 1);
    close_alone(&box);
}

/* Somebody else's wait has completed the oldest receive. */
static void a_receive_that_was_waited_for_is_taken(void **unused)
{
    struct comm comm;
    struct mailbox box;
    int place[2] = {0}, one = 1;
    open_alone(&comm, &box,
               (struct mailbox_setup){.from = 0,
                                      .tag = TAG_NOTE,
                                      .posted = 2,
                                      .count = 1,
                                      .type = MPI_INT,
                                      .given = true,
                                      .memory = place,
                                      .stride = sizeof(int)});
    mailbox_post(&box, 2);
    mailbox_send_short(&box, &one, sizeof(one), 0, TAG_NOTE);
    MPI_Wait(mailbox_oldest(&box), MPI_STATUS_IGNORE);
    assert_ptr_equal(mailbox_take(&box), &place[0]);
    assert_int_equal(place[0], 1);
    assert_int_equal(box.posted, 1);
    close_alone(&box);
}

/* Each is received before the next is sent, and is known to have left only when
 * it is looked at. */
static void a_long_list_is_reaped(void **unused)
{
    struct comm comm;
    struct mailbox box;
    int from = 7, to = 0;
    open_alone(&comm, &box, (struct mailbox_setup){.posted = 0});
    for (int i = 0; i < 200; i++) {
        MPI_Request receive;
        MPI_Irecv(&to, 1, MPI_INT, 0, TAG_LONG, comm.all, &receive);
        mailbox_reap_old(&box);
        mailbox_send_long(&box, &from, 1, MPI_INT, 4, 0, TAG_LONG);
        assert_true(box.requests <= 64);
        MPI_Wait(&receive, MPI_STATUS_IGNORE);
        assert_int_equal(to, 7);
    }
    mailbox_reap(&box);
    assert_int_equal(box.requests, 0);
    assert_int_equal(box.messages, 200);
    assert_int_equal(box.bytes, 800);
    close_alone(&box);
}

/* Receives that nothing comes for yet: the list grows and keeps all of them. */
static void a_list_grows_with_what_is_on_its_way(void **unused)
{
    enum { MANY = 300 };
    struct comm comm;
    struct mailbox box;
    int to[MANY] = {0};
    open_alone(&comm, &box, (struct mailbox_setup){.posted = 0});
    for (int i = 0; i < MANY; i++)
        MPI_Irecv(&to[i], 1, MPI_INT, 0, TAG_LONG, comm.all, mailbox_add(&box));
    mailbox_reap(&box);
    assert_int_equal(box.requests, MANY);
    for (int i = 0; i < MANY; i++)
        mailbox_send_short(&box, &i, sizeof(i), 0, TAG_LONG);
    mailbox_await(&box, &comm.patience);
    for (int i = 0; i < MANY; i++)
        assert_int_equal(to[i], i);
    assert_int_equal(box.requests, 0);
    close_alone(&box);
}

TESTS(cmocka_unit_test(every_message_comes_once),
      cmocka_unit_test(what_was_taken_stays),
      cmocka_unit_test(a_receive_that_was_waited_for_is_taken),
      cmocka_unit_test(a_long_list_is_reaped),
      cmocka_unit_test(a_list_grows_with_what_is_on_its_way))
