/* Short messages in simulation: they may change at once, and their sender waits
 * for the oldest only when it keeps too many.  A receiver that polls finds them
 * in turn, and SMPI forgets them then. */
#include "harness/engine/sim/world_testing.h"

#include "harness/messages/mailbox.h"

#include <malloc.h>

enum { TAG = 5, ROOM = 4 };
static const int64_t FIRST = 0x1122334455667700;

struct seen {
    struct comm comm;
    double at[3];
    int64_t got[2 * ROOM];
    int64_t messages;
};

static void open_box(struct mailbox *box, struct comm *comm)
{
    struct mailbox_setup setup = {.comm = comm, .kept = ROOM};
    mailbox_open(box, &setup);
}

static struct seen open_comm(int lanes)
{
    return (struct seen){
        .comm = {.all = MPI_COMM_WORLD, .ranks = PLACES, .lanes = lanes}};
}

/* The sender overwrites what it sent, and continues at once until more than
 * ROOM are under way.  The receiver takes one each millisecond. */
static void send_short(int place, void *arg)
{
    struct seen *seen = arg;
    struct mailbox box;
    double start = engine_now();
    open_box(&box, &seen->comm);
    for (int64_t i = 0; place == 0 && i < 2 * ROOM; i++) {
        int64_t number = FIRST + i;
        mailbox_send_short(&box, &number, sizeof(number), 2, TAG);
        if (i == ROOM - 1)
            seen->at[0] = engine_now() - start;
        if (i == ROOM)
            seen->at[1] = engine_now() - start;
    }
    for (int i = 0; place == 2 && i < 2 * ROOM; i++) {
        engine_sleep(1e-3);
        MPI_Recv(&seen->got[i], 8, MPI_BYTE, 0, TAG, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    }
    mailbox_drain(&box);
    seen->messages += box.messages;
    mailbox_close(&box);
    if (place == 0)
        seen->at[2] = engine_now() - start;
}

static void check_numbers(const struct seen *seen)
{
    assert_int_equal(seen->messages, 2 * ROOM);
    for (int i = 0; i < 2 * ROOM; i++)
        assert_int_equal(seen->got[i], FIRST + i);
}

static void short_messages_are_kept_and_waited_for(void **unused)
{
    struct seen seen = open_comm(1);
    testing_together(send_short, &seen);
    check_numbers(&seen);
    double each_s = 1e-3 + testing_message_s(8);
    assert_seconds(seen.at[0], 0);
    assert_seconds(seen.at[1], each_s);
    assert_seconds(seen.at[2], 2 * ROOM * each_s);
}

enum { LONG_RUN = 500, FEW_LEFT = 32 };

/* One that has come is waited for although there is room for more. */
static void send_many(int place, void *arg)
{
    struct seen *seen = arg;
    const struct mailbox_setup setup = {.comm = &seen->comm, .kept = LONG_RUN};
    struct mailbox box;
    int64_t number = 0;
    double start = engine_now();
    mailbox_open(&box, &setup);
    for (int i = 0; place == 0 && i < LONG_RUN; i++) {
        mailbox_send_short(&box, &number, sizeof(number), 2, TAG);
        engine_sleep(1e-3);
        if (box.next - box.waited > seen->got[0])
            seen->got[0] = box.next - box.waited;
    }
    if (place == 0)
        seen->at[0] = engine_now() - start;
    for (int i = 0; place == 2 && i < LONG_RUN; i++)
        MPI_Recv(&number, 8, MPI_BYTE, 0, TAG, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    mailbox_drain(&box);
    mailbox_close(&box);
}

static void what_has_come_is_waited_for_early(void **unused)
{
    struct seen seen = open_comm(1);
    testing_together(send_many, &seen);
    assert_in_range(seen.got[0], 1, FEW_LEFT);
    assert_seconds(seen.at[0], LONG_RUN * 1e-3);
}

/* Where receivers are kept busy, a sender must not wait for them. */
static void charged_receivers_get_them_unkept(void **unused)
{
    struct world *world = world_here();
    struct seen seen = open_comm(1);
    world->place[0].receive_s[0] = 1e-6;
    testing_together(send_short, &seen);
    world->place[0].receive_s[0] = 0;
    check_numbers(&seen);
    assert_seconds(seen.at[2], 0);
}

/* Nor can a thread wait for what another has sent. */
static void threads_keep_none(void **unused)
{
    struct seen seen = open_comm(2);
    testing_together(send_short, &seen);
    check_numbers(&seen);
    assert_seconds(seen.at[2], 0);
}

/* ---- taking ---- */

enum { RING = 4, MANY = 2000 };
static const double POLL_S = 1e-6;

struct taken {
    struct comm comm;
    int64_t number; /* of messages, which count up from `first` */
    int64_t first, wrong;
    size_t before, after; /* bytes of memory in use */
};

static int64_t take_by_waiting(struct mailbox *box)
{
    MPI_Wait(mailbox_oldest(box), MPI_STATUS_IGNORE);
    return *(int64_t *)mailbox_take(box);
}

static int64_t take_by_polling(struct mailbox *box)
{
    const int64_t *message;
    while ((message = mailbox_take(box)) == NULL)
        engine_sleep(POLL_S);
    return *message;
}

static void receive_all(struct taken *taken, struct mailbox *box)
{
    for (int64_t i = 0; i < taken->number; i++) {
        mailbox_post(box, RING);
        int64_t wanted = taken->first + i;
        int64_t got =
            wanted == -1 ? take_by_waiting(box) : take_by_polling(box);
        taken->wrong += got != wanted;
        if (i == RING)
            taken->before = mallinfo2().uordblks;
    }
    taken->after = mallinfo2().uordblks;
    mailbox_withdraw(box);
}

static void send_and_take(int place, void *arg)
{
    struct taken *taken = arg;
    struct mailbox box;
    struct mailbox_setup setup = {.comm = &taken->comm,
                                  .from = 0,
                                  .tag = TAG,
                                  .posted = place == 2 ? RING : 0,
                                  .count = sizeof(int64_t),
                                  .kept = RING};
    mailbox_open(&box, &setup);
    for (int64_t i = 0; place == 0 && i < taken->number; i++) {
        int64_t message = taken->first + i;
        mailbox_send_short(&box, &message, sizeof(message), 2, TAG);
    }
    if (place == 2)
        receive_all(taken, &box);
    mailbox_drain(&box);
    mailbox_close(&box);
}

static struct taken take(int64_t first, int64_t number)
{
    struct taken taken = {
        .comm = open_comm(1).comm, .number = number, .first = first};
    testing_together(send_and_take, &taken);
    return taken;
}

/* With MPI_Test each message would take another 500 bytes or so. */
static void polls_find_messages_that_are_forgotten(void **unused)
{
    struct taken taken = take(1, MANY);
    assert_int_equal(taken.wrong, 0);
    assert_true(taken.after < taken.before + MANY * 50);
}

/* All bits of -1 are set: what a place holds before its message comes. */
static void a_wait_finds_what_looks_like_no_message(void **unused)
{
    assert_int_equal(take(-3, 6).wrong, 0);
}

static int run_all(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(short_messages_are_kept_and_waited_for),
        cmocka_unit_test(what_has_come_is_waited_for_early),
        cmocka_unit_test(charged_receivers_get_them_unkept),
        cmocka_unit_test(threads_keep_none),
        cmocka_unit_test(polls_find_messages_that_are_forgotten),
        cmocka_unit_test(a_wait_finds_what_looks_like_no_message),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(int argc, char **argv)
{
    return testing_simulate(argc, argv, run_all);
}
