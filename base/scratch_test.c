#include "base/unit_testing.h"

#include "base/folder.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* All folders are made below one of the test's own. */
static int set_base(void **state)
{
    char *base = strdup("/tmp/scratch_test-XXXXXX");
    *state = base;
    assert_non_null(mkdtemp(base));
    return setenv("TMPDIR", base, 1);
}

static int remove_base(void **state)
{
    folder_remove(*state);
    free(*state);
    return 0;
}

static int count_folders(const char *base)
{
    struct folder found;
    assert_int_equal(folder_find(base, "dlsbench-run-", "", &found, NULL), 0);
    int count = found.count;
    folder_free(&found);
    return count;
}

static void write_file(const char *folder, const char *name)
{
    char path[2 * PATH_MAX];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fclose(file);
}

/* A process that is killed leaves a folder with files, folders and a link to
 * what is not ours. */
static void leave_behind(const char *base)
{
    int ready[2];
    char byte;
    assert_int_equal(pipe(ready), 0);
    pid_t child = fork();
    if (child == 0) {
        struct scratch scratch;
        char path[PATH_MAX + 32];
        if (scratch_open(&scratch, 100, NULL) != 0)
            _exit(1);
        write_file(scratch.path, ".hidden");
        snprintf(path, sizeof(path), "%s/inside", scratch.path);
        mkdir(path, 0700);
        write_file(path, "file");
        snprintf(path, sizeof(path), "%s/link", scratch.path);
        if (symlink(base, path) != 0 || write(ready[1], "x", 1) != 1)
            _exit(1);
        pause();
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, NULL, 0), child);
    close(ready[0]);
    close(ready[1]);
}

static void folders_of_the_dead_are_removed(void **state)
{
    const char *base = *state;
    struct scratch mine, other;
    write_file(base, "kept");
    leave_behind(base);
    assert_int_equal(count_folders(base), 1);
    assert_int_equal(scratch_open(&mine, 0, NULL), 0);
    assert_int_equal(count_folders(base), 1);
    assert_int_equal(access(mine.path, W_OK), 0);
    /* The folder of a living process stays. */
    assert_int_equal(scratch_open(&other, 0, NULL), 0);
    assert_int_equal(count_folders(base), 2);
    scratch_close(&other);
    scratch_close(&mine);
    assert_int_equal(count_folders(base), 0);
    char path[PATH_MAX];
    snprintf(path, sizeof(path), "%s/kept", base);
    assert_int_equal(access(path, F_OK), 0);
}

/* A link by such a name is no folder of ours, nor is a file. */
static void links_and_files_stay(void **state)
{
    const char *base = *state;
    struct scratch scratch;
    char there[PATH_MAX], link[PATH_MAX];
    snprintf(there, sizeof(there), "%s/there", base);
    snprintf(link, sizeof(link), "%s/dlsbench-run-link00", base);
    assert_int_equal(mkdir(there, 0700), 0);
    write_file(there, "file");
    assert_int_equal(symlink(there, link), 0);
    write_file(base, "dlsbench-run-file00");
    assert_int_equal(scratch_open(&scratch, 0, NULL), 0);
    scratch_close(&scratch);
    assert_int_equal(access(link, F_OK), 0);
    snprintf(there, sizeof(there), "%s/there/file", base);
    assert_int_equal(access(there, F_OK), 0);
    assert_int_equal(count_folders(base), 2);
}

static void a_place_that_cannot_be_used_is_named(void **state)
{
    struct scratch scratch;
    struct error err;
    setenv("TMPDIR", "/nowhere/at/all", 1);
    assert_true(scratch_open(&scratch, 0, &err) < 0);
    assert_non_null(strstr(err.text, "/nowhere/at/all: "));
    assert_non_null(strstr(err.text, "No such file"));
    setenv("TMPDIR", *state, 1);
    assert_true(scratch_open(&scratch, (size_t)1 << 60, &err) < 0);
    assert_int_equal(count_folders(*state), 0);
    unsetenv("TMPDIR");
    assert_string_equal(scratch_base(), "/tmp");
}

TESTS(cmocka_unit_test_setup_teardown(folders_of_the_dead_are_removed, set_base,
                                      remove_base),
      cmocka_unit_test_setup_teardown(links_and_files_stay, set_base,
                                      remove_base),
      cmocka_unit_test_setup_teardown(a_place_that_cannot_be_used_is_named,
                                      set_base, remove_base))
