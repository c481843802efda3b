#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/file.h"
#include "kernels/support/unpack.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* tests/integration/test_input.py has the kinds of damage. */

/* Reads all; 0 or the errno of the stream. */
static int read_all(const char *path, double memory, long *bytes, double *most)
{
    FILE *file;
    int code = 0;
    assert_int_equal(
        unpack_open_within("test", path, memory, &file, most, NULL), 0);
    *bytes = 0;
    errno = 0;
    while (getc(file) != EOF)
        ++*bytes;
    if (ferror(file))
        code = errno;
    fclose(file);
    return code;
}

static void contents_are_bounded_by_memory(void **state)
{
    char path[] = "/tmp/dlsbench-unpack-XXXXXX", command[200];
    long bytes;
    double most;
    (void)state;
    close(mkstemp(path));
    snprintf(command, sizeof(command), "head -c 3000000 /dev/zero | gzip > %s",
             path);
    assert_int_equal(system(command), 0);
    assert_int_equal(read_all(path, -1, &bytes, &most), 0); /* not known */
    assert_int_equal(bytes, 3000000);
    assert_true(most >= 3000000);
    assert_int_equal(read_all(path, 3000000, &bytes, &most), 0);
    assert_int_equal(bytes, 3000000);
    assert_true(most == 3000000);
    assert_int_equal(read_all(path, 2999999, &bytes, &most), EFBIG);
    assert_true(bytes < 3000000);
    assert_non_null(strstr(file_why(EFBIG), "than the available memory"));
    unlink(path);
}

static void plain_files_are_not_bounded(void **state)
{
    char path[] = "/tmp/dlsbench-unpack-XXXXXX";
    long bytes;
    double most;
    (void)state;
    int descriptor = mkstemp(path);
    assert_int_equal(write(descriptor, "text", 4), 4);
    close(descriptor);
    assert_int_equal(read_all(path, 1, &bytes, &most), 0);
    assert_int_equal(bytes, 4);
    assert_true(most == 4);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contents_are_bounded_by_memory),
        cmocka_unit_test(plain_files_are_not_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
