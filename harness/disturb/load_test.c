/* Busy processes: where they are, when they run, and that none is left.  This
 * program is what they run, as dlsbench is elsewhere. */
#include "harness/testing.h"

#include "harness/disturb/load.h"
#include "harness/topo/queue.h"
#include "harness/topo/topo.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>

/* The state letter and the processor of a process; 0: it is gone. */
static char state_of(pid_t pid, int *processor)
{
    char path[64], line[1024] = "";
    bool running;
    snprintf(path, sizeof(path), "/proc/%ld/stat", (long)pid);
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return 0;
    bool known = fgets(line, sizeof(line), file) != NULL &&
                 queue_parse(line, &running, processor);
    fclose(file);
    return known ? strrchr(line, ')')[2] : 0;
}

static bool becomes(pid_t pid, char state)
{
    int processor;
    for (int i = 0; i < 1000; i++) {
        char now = state_of(pid, &processor);
        if (now == state || (state == 0 && now == 'Z'))
            return true;
        usleep(10000);
    }
    return false;
}

/* A team of two on the first cores, with three processes beside it. */
struct fixture {
    struct topo *topo;
    struct engine_team *team;
    struct load load;
    int processor[2];
};

static void bind_body(int thread, void *arg)
{
    struct fixture *f = arg;
    struct error err;
    if (topo_bind_compact(f->topo, thread, 2, &err) != 0)
        abort();
    f->processor[thread] = queue_processor();
}

static void open_fixture(struct fixture *f)
{
    static const int processes[] = {1, 2};
    struct error err = {""};
    assert_int_equal(topo_open(&f->topo, &err), 0);
    assert_int_equal(engine_team_start(&f->team, 2, &err), 0);
    engine_team_run(f->team, bind_body, f);
    if (load_open(&f->load, processes, 2, f->team, &err) != 0)
        fail_msg("%s", err.text);
    assert_int_equal(f->load.count, 3);
}

static void close_fixture(struct fixture *f)
{
    load_close(&f->load);
    engine_team_stop(f->team);
    topo_close(f->topo);
}

static void they_run_beside_their_workers(void **unused)
{
    static const int thread[] = {0, 1, 1};
    struct fixture f;
    pid_t pid[3];
    open_fixture(&f);
    memcpy(pid, f.load.pid, sizeof(pid));
    for (int i = 0; i < 3; i++)
        assert_true(becomes(pid[i], 'T'));
    load_resume(&f.load);
    for (int i = 0; i < 3; i++) {
        int processor;
        assert_true(becomes(pid[i], 'R'));
        state_of(pid[i], &processor);
        assert_int_equal(processor, f.processor[thread[i]]);
    }
    load_pause(&f.load);
    for (int i = 0; i < 3; i++)
        assert_true(becomes(pid[i], 'T'));
    close_fixture(&f);
    for (int i = 0; i < 3; i++)
        assert_int_equal(kill(pid[i], 0), -1);
}

static void no_load_is_nothing(void **unused)
{
    struct load load;
    struct error err;
    assert_int_equal(load_open(&load, NULL, 2, NULL, &err), 0);
    load_resume(&load);
    load_pause(&load);
    load_close(&load);
}

/* The owner is a separate process; it is killed, running or stopped. */
static void killed_owner(bool resumed)
{
    int pipes[2];
    pid_t pid[3];
    assert_int_equal(pipe(pipes), 0);
    pid_t owner = fork();
    if (owner == 0) {
        struct fixture f;
        open_fixture(&f);
        if (resumed)
            load_resume(&f.load);
        if (write(pipes[1], f.load.pid, sizeof(pid)) != sizeof(pid))
            _exit(1);
        pause();
        _exit(0);
    }
    assert_int_equal(read(pipes[0], pid, sizeof(pid)), sizeof(pid));
    for (int i = 0; i < 3; i++)
        assert_true(becomes(pid[i], resumed ? 'R' : 'T'));
    kill(owner, SIGKILL);
    waitpid(owner, NULL, 0);
    for (int i = 0; i < 3; i++)
        assert_true(becomes(pid[i], 0));
    close(pipes[0]);
    close(pipes[1]);
}

static void none_outlives_its_rank(void **unused)
{
    killed_owner(true);
    killed_owner(false);
}

static void a_stranger_is_refused(void **unused)
{
    assert_int_equal(load_busy("1"), 1);
}

/* ---- counting ---- */

#define FIELDS_4_TO_38                                                         \
    " 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29" \
    " 30 31 32 33 34 35 36 37 38"

static void lines_of_proc_are_read(void **unused)
{
    static const struct {
        const char *line;
        bool good, running;
        int processor;
    } row[] = {
        {"1 (a) R" FIELDS_4_TO_38 " 3 40 41\n", true, true, 3},
        {"1 (a) R" FIELDS_4_TO_38 " 7\n", true, true, 7},
        {"1 (x) R (y) S" FIELDS_4_TO_38 " 12 40\n", true, false, 12},
        {"1 (a) R" FIELDS_4_TO_38 "\n", false, true, 0},
        {"1 (a) R 0 1 1 0\n", false, true, 0},
        {"nothing", false, false, 0},
        {"(", false, false, 0},
        {"1 (a)", false, false, 0},
    };
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        bool running = false;
        int processor = -1;
        assert_int_equal(queue_parse(row[i].line, &running, &processor),
                         row[i].good);
        if (!row[i].good)
            continue;
        assert_int_equal(running, row[i].running);
        assert_int_equal(processor, row[i].processor);
    }
}

enum { MANY = 16 };

/* The processes on the first place now; all of `many` are counted or left
 * out. */
static int count_on(const int *where, const struct load *many, int left_out)
{
    struct error err = {""};
    int foreign[2] = {-1, -1};
    assert_int_equal(queue_count(where, 2, many->pid, left_out, foreign, &err),
                     0);
    assert_int_equal(foreign[1], 0);
    return foreign[0];
}

/* Other processes come and go between two counts: half of those of the test
 * are enough to see them, and it looks again where that is not seen. */
static void running_threads_are_counted(void **unused)
{
    static const int processes[] = {MANY};
    struct fixture f;
    struct load many;
    struct error err = {""};
    bool seen = false;
    open_fixture(&f);
    const int where[] = {f.processor[0], 99999};
    assert_int_equal(load_open(&many, processes, 1, f.team, &err), 0);
    int stopped = count_on(where, &many, 0);
    load_resume(&many);
    for (int tries = 0; !seen && tries < 100; tries++) {
        int running = count_on(where, &many, 0);
        seen = running >= MANY && running - stopped >= MANY / 2 &&
               running - count_on(where, &many, MANY) >= MANY / 2;
        stopped = count_on(where, &many, MANY);
    }
    assert_true(seen);
    load_close(&many);
    close_fixture(&f);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(they_run_beside_their_workers),
        cmocka_unit_test(no_load_is_nothing),
        cmocka_unit_test(none_outlives_its_rank),
        cmocka_unit_test(a_stranger_is_refused),
        cmocka_unit_test(lines_of_proc_are_read),
        cmocka_unit_test(running_threads_are_counted),
    };
    if (argc == 3 && strcmp(argv[1], "busy") == 0)
        return load_busy(argv[2]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
