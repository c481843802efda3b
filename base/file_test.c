#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void refused(const char *path, int code, const char *says)
{
    const char *why = NULL;
    errno = 0;
    assert_null(file_open(path, &why));
    assert_int_equal(errno, code);
    assert_string_equal(why, says);
    assert_false(file_is_readable(path, &why));
}

static void only_regular_files_are_opened(void **state)
{
    char folder[] = "/tmp/dlsbench-file-XXXXXX", path[64], text[8] = "";
    const char *why = NULL;
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/file", folder);
    refused(path, ENOENT, "No such file or directory");
    FILE *file = fopen(path, "w");
    assert_true(file != NULL && fputs("text", file) >= 0 && fclose(file) == 0);
    file = file_open(path, &why);
    assert_non_null(file);
    assert_non_null(fgets(text, sizeof(text), file));
    assert_string_equal(text, "text");
    fclose(file);
    assert_true(file_is_readable(path, &why));
    refused(folder, EINVAL, "not a regular file");
    refused("/dev/null", EINVAL, "not a regular file");
    unlink(path);
    /* Nobody writes into it: to wait would be for ever. */
    assert_int_equal(mkfifo(path, 0600), 0);
    alarm(20);
    refused(path, EINVAL, "not a regular file");
    alarm(0);
    unlink(path);
    rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_regular_files_are_opened),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
