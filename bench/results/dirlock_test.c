#include "base/unit_testing.h"

#include "bench/results/dirlock.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

static int make_directory(void **state)
{
    char *path = strdup("/tmp/dirlock_test-XXXXXX");
    *state = mkdtemp(path);
    return *state == NULL;
}

static int remove_directory(void **state)
{
    char file[64];
    snprintf(file, sizeof(file), "%s/.lock", (char *)*state);
    unlink(file);
    int code = rmdir(*state);
    free(*state);
    return code;
}

static int take(const char *path, int ranks, int index, int count,
                struct error *err)
{
    const struct shard shard = {
        .ranks = ranks, .threads = ranks > 0, .index = index, .count = count};
    return dirlock_take(path, &shard, err);
}

static void one_run_or_the_shards_of_one_number(void **state)
{
    static const struct {
        int ranks, shard, shards; /* while 1/3 and 2/3 of all are there */
        bool free;
    } rows[] = {{0, 0, 3, true},  {0, 1, 3, false}, {0, 2, 3, false},
                {0, 0, 1, false}, {0, 0, 4, false}, {0, 3, 4, false},
                {0, 0, 2, false}, {2, 0, 1, false}, {2, 0, 3, false}};
    struct error err;
    int first = take(*state, 0, 1, 3, &err);
    int second = take(*state, 0, 2, 3, &err);
    assert_true(first >= 0 && second >= 0);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        err.text[0] = '\0';
        int fd =
            take(*state, rows[i].ranks, rows[i].shard, rows[i].shards, &err);
        assert_int_equal(fd >= 0, rows[i].free);
        if (fd >= 0) {
            close(fd);
            continue;
        }
        assert_int_equal(fd, -EBUSY);
        assert_non_null(strstr(err.text, *state));
        assert_non_null(strstr(err.text, "(host "));
        char process[32];
        snprintf(process, sizeof(process), "process %ld,", (long)getpid());
        assert_non_null(strstr(err.text, process));
        assert_non_null(strstr(err.text, "of3)"));
    }
    close(first);
    close(second);
    int whole = take(*state, 0, 0, 1, &err);
    assert_true(whole >= 0);
    assert_true(take(*state, 0, 0, 1, &err) == -EBUSY);
    assert_true(take(*state, 0, 1, 2, &err) == -EBUSY);
    close(whole);
}

static void shapes_are_apart(void **state)
{
    struct error err;
    int some[] = {take(*state, 2, 0, 1, &err), take(*state, 4, 0, 2, &err),
                  take(*state, 4, 1, 2, &err), take(*state, 8, 0, 1, &err)};
    for (int i = 0; i < 4; i++)
        assert_true(some[i] >= 0);
    assert_int_equal(take(*state, 2, 0, 1, &err), -EBUSY);
    assert_int_equal(take(*state, 4, 0, 3, &err), -EBUSY);
    assert_int_equal(take(*state, 0, 0, 1, &err), -EBUSY);
    assert_non_null(strstr(err.text, "launches *-2x1-0of1)"));
    /* A line that is free is taken again, and one behind it still seen. */
    close(some[1]);
    some[1] = take(*state, 4, 0, 2, &err);
    assert_true(some[1] >= 0);
    assert_int_equal(take(*state, 8, 0, 1, &err), -EBUSY);
    for (int i = 0; i < 4; i++)
        close(some[i]);
}

static void it_ends_with_its_process_and_is_not_passed_on(void **state)
{
    struct error err;
    int ready[2];
    char byte;
    assert_int_equal(pipe(ready), 0);
    pid_t holder = fork();
    if (holder == 0) {
        if (take(*state, 0, 0, 1, &err) < 0)
            _exit(1);
        if (fork() == 0)
            execl("/bin/sh", "sh", "-c", "sleep 1", (char *)NULL);
        usleep(100000);
        if (write(ready[1], "x", 1) != 1)
            _exit(1);
        pause();
        _exit(0);
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    assert_int_equal(take(*state, 0, 0, 1, &err), -EBUSY);
    kill(holder, SIGKILL);
    waitpid(holder, NULL, 0);
    int fd = take(*state, 0, 0, 1, &err);
    assert_true(fd >= 0);
    close(fd);
    close(ready[0]);
    close(ready[1]);
}

static void locks_that_only_one_host_sees_are_known(void **state)
{
    static const struct {
        const char *line, *option;
    } rows[] = {
        {"36 35 0:31 / /h rw - nfs s:/h rw,vers=3,nolock,addr=1\n", "nolock"},
        {"36 35 0:31 / /h rw - nfs4 s:/h rw,local_lock=posix\n",
         "local_lock=posix"},
        {"36 35 0:31 / /h rw - nfs s:/h rw,local_lock=all,x\n",
         "local_lock=all"},
        {"36 35 0:31 / /h rw - lustre a@b:/c rw,localflock\n", "localflock"},
        {"36 35 0:31 / /h rw - nfs4 s:/h rw,local_lock=none\n", ""},
        {"36 35 0:31 / /h rw - nfs s:/h rw,local_lock=flock\n", ""},
        {"36 35 0:32 / /h rw - nfs s:/h rw,nolock\n", ""},
        {"36 35 0:31 / /nolock rw,x shared:1 - ext4 /dev/nolock rw\n", ""},
    };
    char option[32];
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        FILE *mounts =
            fmemopen((void *)rows[i].line, strlen(rows[i].line), "r");
        assert_non_null(mounts);
        dirlock_read_mounts(mounts, makedev(0, 31), option, sizeof(option));
        assert_string_equal(option, rows[i].option);
        fclose(mounts);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_run_or_the_shards_of_one_number),
        cmocka_unit_test(shapes_are_apart),
        cmocka_unit_test(it_ends_with_its_process_and_is_not_passed_on),
        cmocka_unit_test(locks_that_only_one_host_sees_are_known),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
