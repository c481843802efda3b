/* Messages in simulation: what is waited for takes exactly the time of its way,
 * and what is sent may change at once. */
#include "harness/engine/sim/world_testing.h"

#include "harness/messages/comm.h"

enum { TAG = 5, MANY = 80, SHORT_LIST = 63, LONG = 1 << 17 };

struct seen {
    struct engine_event event;
    double at[PLACES];
    int which[PLACES];
    int64_t got[2];
    int left;
};

static struct comm open_comm(void)
{
    struct comm comm;
    struct error err;
    assert_int_equal(comm_open(&comm, &err), 0);
    return comm;
}

static const char nothing[LONG];

static void send(const struct comm *comm, int to, int bytes)
{
    MPI_Send(nothing, bytes, MPI_BYTE, to, TAG, comm->all);
}

/* ---- waiting ---- */

/* Rank 2 sends after 1 ms, rank 3 after half of it; rank 0 waits for both. */
static void pause_for_two(int place, void *arg)
{
    struct seen *seen = arg;
    struct comm comm = open_comm();
    struct engine_idle idle = {0};
    double start = engine_now();
    if (place == 2 || place == 3) {
        engine_sleep(place == 2 ? 1e-3 : 0.5e-3);
        send(&comm, 0, 1000);
    }
    if (place != 0)
        return;
    char room[2][1000];
    MPI_Request request[2];
    for (int i = 0; i < 2; i++)
        MPI_Irecv(room[i], 1000, MPI_BYTE, 2 + i, TAG, comm.all, &request[i]);
    for (int i = 0; i < 2; i++) {
        MPI_Status status;
        int bytes;
        seen->which[i] =
            comm_pause(&comm, &idle, NULL, NULL, request, 2 - i, &status);
        MPI_Get_count(&status, MPI_BYTE, &bytes);
        seen->got[i] = bytes + status.MPI_SOURCE;
        seen->at[i] = engine_now() - start;
    }
}

static void a_pause_ends_with_the_first_message(void **unused)
{
    struct seen seen = {0};
    testing_together(pause_for_two, &seen);
    assert_int_equal(seen.which[0], 1);
    assert_int_equal(seen.got[0], 1003);
    assert_seconds(seen.at[0], 0.5e-3 + testing_message_s(1000));
    assert_int_equal(seen.which[1], 0);
    assert_int_equal(seen.got[1], 1002);
    assert_seconds(seen.at[1], 1e-3 + testing_message_s(1000));
}

static void pause_for_event(int place, void *arg)
{
    struct seen *seen = arg;
    struct comm comm = open_comm();
    double start = engine_now();
    if (place == 0) {
        engine_sleep(1e-3);
        engine_wake(&seen->event);
    }
    if (place == 1) {
        struct engine_idle idle = {0};
        seen->which[1] =
            comm_pause(&comm, &idle, NULL, &seen->event, NULL, 0, NULL);
        seen->at[1] = engine_now() - start;
    }
}

static void without_requests_it_ends_with_the_event(void **unused)
{
    struct seen seen = {0};
    testing_together(pause_for_event, &seen);
    assert_int_equal(seen.which[1], -1);
    assert_seconds(seen.at[1], 1e-3);
}

/* ---- lists of requests ---- */

static void reap_lists(int place, void *arg)
{
    struct seen *seen = arg;
    struct comm comm = open_comm();
    MPI_Request list[MANY];
    double start = engine_now();
    for (int i = 0; place == 0 && i < MANY; i++)
        MPI_Isend(nothing, LONG, MPI_BYTE, 2, TAG, comm.all, &list[i]);
    if (place == 0) {
        seen->left = SHORT_LIST;
        comm_reap(&comm, list, &seen->left);
        seen->at[0] = engine_now() - start;
        seen->which[0] = MANY;
        comm_reap(&comm, list, &seen->which[0]);
        seen->at[1] = engine_now() - start;
        MPI_Waitall(seen->which[0], list, MPI_STATUSES_IGNORE);
    }
    static char room[LONG];
    for (int i = 0; place == 2 && i < MANY; i++) {
        MPI_Recv(room, sizeof(room), MPI_BYTE, 0, TAG, comm.all,
                 MPI_STATUS_IGNORE);
        if (i == MANY - 33)
            seen->at[2] = engine_now() - start;
    }
}

/* A short list is left as it is; of a long one only the newest 32 stay. */
static void a_long_list_waits_for_its_oldest(void **unused)
{
    struct seen *seen = calloc(1, sizeof(*seen));
    testing_together(reap_lists, seen);
    assert_int_equal(seen->left, SHORT_LIST);
    assert_seconds(seen->at[0], 0);
    assert_int_equal(seen->which[0], 32);
    assert_seconds(seen->at[1], seen->at[2]);
    free(seen);
}

static int run_all(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pause_ends_with_the_first_message),
        cmocka_unit_test(without_requests_it_ends_with_the_event),
        cmocka_unit_test(a_long_list_waits_for_its_oldest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(int argc, char **argv)
{
    return testing_simulate(argc, argv, run_all);
}
