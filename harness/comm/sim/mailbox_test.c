/* Short messages in simulation: they may change at once, and their sender waits
 * for the oldest only when it keeps too many. */
#include "harness/engine/sim/world_testing.h"

#include "harness/comm/mailbox.h"

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

/* The sender writes over what it has sent, and goes on at once until more than
 * ROOM are under way; the receiver takes them a millisecond after each other.
 */
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
    (void)unused;
    struct seen seen = open_comm(1);
    testing_together(send_short, &seen);
    check_numbers(&seen);
    double each_s = 1e-3 + testing_message_s(8);
    assert_seconds(seen.at[0], 0);
    assert_seconds(seen.at[1], each_s);
    assert_seconds(seen.at[2], 2 * ROOM * each_s);
}

/* Where receivers are kept busy, a sender must not wait for them. */
static void charged_receivers_get_them_unkept(void **unused)
{
    (void)unused;
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
    (void)unused;
    struct seen seen = open_comm(2);
    testing_together(send_short, &seen);
    check_numbers(&seen);
    assert_seconds(seen.at[2], 0);
}

static int run_all(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(short_messages_are_kept_and_waited_for),
        cmocka_unit_test(charged_receivers_get_them_unkept),
        cmocka_unit_test(threads_keep_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(int argc, char **argv)
{
    return testing_simulate(argc, argv, run_all);
}
