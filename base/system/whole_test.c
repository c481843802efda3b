#include "base/unit_testing.h"

#include "base/system/whole.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64];

static char *path_of(const char *name)
{
    static char path[4][128];
    static int next;
    next = (next + 1) % 4;
    snprintf(path[next], sizeof(path[0]), "%s/%s", folder, name);
    return path[next];
}

static void assert_holds(const char *name, const char *text)
{
    char got[64] = "";
    FILE *file = fopen(path_of(name), "r");
    assert_non_null(file);
    size_t size = fread(got, 1, sizeof(got) - 1, file);
    fclose(file);
    assert_int_equal(size, strlen(text));
    assert_string_equal(got, text);
}

static void test_new_and_again(void **state)
{
    struct error err;
    struct stat status;
    mode_t before = umask(027);
    assert_int_equal(file_whole(path_of("a"), "one", 3, &err), 0);
    umask(before);
    assert_holds("a", "one");
    assert_int_equal(stat(path_of("a"), &status), 0);
    assert_int_equal(status.st_mode & 0777, 0640);
    assert_int_equal(file_whole(path_of("a"), "second", 6, &err), 0);
    assert_holds("a", "second");
}

static void test_links_are_replaced(void **state)
{
    struct error err;
    char part[160];
    assert_int_equal(file_whole(path_of("theirs"), "keep", 4, &err), 0);
    assert_int_equal(symlink(path_of("theirs"), path_of("link")), 0);
    /* Somebody has also put a link at the path of the part. */
    snprintf(part, sizeof(part), "%s.%d.part", path_of("link"), (int)getpid());
    assert_int_equal(symlink(path_of("theirs"), part), 0);
    assert_int_equal(file_whole(path_of("link"), "mine", 4, &err), 0);
    assert_holds("theirs", "keep");
    assert_holds("link", "mine");
    assert_int_not_equal(access(part, F_OK), 0);
    assert_int_equal(symlink(path_of("theirs"), path_of("other")), 0);
    assert_int_equal(file_new(path_of("other")), -EEXIST);
}

static void test_nothing_is_left(void **state)
{
    struct error err;
    char part[160];
    assert_int_equal(mkdir(path_of("full"), 0777), 0);
    assert_int_equal(mkdir(path_of("full/inside"), 0777), 0);
    int code = file_whole(path_of("full"), "x", 1, &err);
    assert_true(code < 0);
    assert_non_null(strstr(err.text, "full: cannot write"));
    snprintf(part, sizeof(part), "%s.%d.part", path_of("full"), (int)getpid());
    assert_int_not_equal(access(part, F_OK), 0);
    assert_int_equal(file_whole(path_of("none/x"), "x", 1, &err), -ENOENT);
}

static int make_folder(void **state)
{
    strcpy(folder, "/tmp/dlsbench-whole-XXXXXX");
    return mkdtemp(folder) == NULL;
}

static int remove_folder(void **state)
{
    char command[96];
    snprintf(command, sizeof(command), "rm -r %s", folder);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_new_and_again),
        cmocka_unit_test(test_links_are_replaced),
        cmocka_unit_test(test_nothing_is_left),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
