#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "kernels/check.h"
#include "kernels/check_files.h"
#include "kernels/support/image.h"
#include "kernels/support/pgm.h"

#include <fcntl.h>
#include <sys/stat.h>

struct sample {
    unsigned value[4 * 5];
};

static void give_row(const void *arg, int64_t row, unsigned *gray)
{
    const struct sample *s = arg;
    memcpy(gray, s->value + row * 5, 5 * sizeof(*gray));
}

static void what_was_written_is_read(void **state)
{
    static const unsigned most[] = {1, 255, 256, 65535};
    for (int m = 0; m < 4; m++) {
        char path[PATH_ROOM];
        struct error err = {""};
        struct sample s;
        for (unsigned i = 0; i < 20; i++)
            s.value[i] = i * 40503 % (most[m] + 1);
        struct image image = {4, 5, most[m]}, got;
        struct image_reader *reader;
        check_path(path, *state, "sample.pgm");
        assert_int_equal(image_write("test", path, &image, give_row, &s, &err),
                         0);
        assert_int_equal(image_open(&reader, "test", path, &got, &err), 0);
        assert_int_equal(got.rows, 4);
        assert_int_equal(got.cols, 5);
        assert_int_equal(got.most, most[m]);
        for (int row = 0; row < 4; row++) {
            unsigned gray[5];
            assert_int_equal(image_read_row(reader, gray, &err), 0);
            assert_memory_equal(gray, s.value + row * 5, sizeof(gray));
        }
        image_close(reader);
    }
}

/* Reads all that there is; the text of the first error, or "". */
static void read_all(const char *path, int *code, struct error *err)
{
    struct image image;
    struct image_reader *reader;
    *code = image_open(&reader, "test", path, &image, err);
    if (*code != 0)
        return;
    unsigned *gray = calloc((size_t)image.cols, sizeof(*gray));
    assert_non_null(gray);
    for (int64_t row = 0; *code == 0 && row < image.rows; row++)
        *code = image_read_row(reader, gray, err);
    free(gray);
    image_close(reader);
}

struct damaged {
    const char *content;
    size_t bytes;
    const char *words;
};

#define TEXT(content) content, sizeof(content) - 1

static const struct damaged damaged[] = {
    {TEXT(""), "is not a PGM file"},
    {TEXT("P"), "is not a PGM file"},
    {TEXT("hello, world\n"), "is not a PGM file"},
    {TEXT("P6\n1 1\n255\nabc"), "is not a PGM file"},
    {TEXT("P1\n1 1\n1\n"), "is not a PGM file"},
    {TEXT("\211PNG\r\n\032\n"), "is not a PGM file"},
    {TEXT("P5"), "its head"},
    {TEXT("P5\n"), "its head"},
    {TEXT("P5\n3 2\n"), "its head"},
    {TEXT("P5\nx 2\n255\nabcdef"), "its head"},
    {TEXT("P5\n-3 2\n255\nabcdef"), "its head"},
    {TEXT("P5\n0 2\n255\nabcdef"), "its head"},
    {TEXT("P5\n3 0\n255\nabcdef"), "its head"},
    {TEXT("P5\n3 2\n0\nabcdef"), "its head"},
    {TEXT("P5\n3 2\n70000\nabcdefabcdef"), "its head"},
    {TEXT("P5\n99999999999999999999 2\n255\nabc"), "its head"},
    {TEXT("P5\n2000000000 2000000000\n255\nabc"), ""},
    {TEXT("P5\n500000000 2\n255\nabc"), "cut short"},
    {TEXT("P5\n2000000000 2\n255\nabc"), ""},
    {TEXT("P2\n300000000 4\n255\n1 2 3\n"), "cut short"},
    {TEXT("P5\n3 2\n255\nabcde"), "cut short"},
    {TEXT("P5\n3 2\n65535\nabcdefabcde"), "cut short"},
    {TEXT("P5\n3 2\n100\nabcdef"), ""}, /* 'e' is 101 */
    {TEXT("P2\n3 2\n255\n1 2 3 4 5"), "cut short"},
    {TEXT("P2\n3 2\n255\n10 20 30 40 50"), "row 2 of 2"},
    {TEXT("P2\n3 2\n255\n1 2 3 4 5555"), "row 2 of 2"},
    {TEXT("P2\n3 2\n255\n1 2 3 4 5 x\n"), "row 2 of 2"},
    {TEXT("P2\n3 2\n255\n1 2 3 4 256 6\n"), "row 2"},
    {TEXT("P2\n3 2\n255\n1 -2 3 4 25 6\n"), "row 1"},
};

static void damaged_files_are_refused(void **state)
{
    char path[PATH_ROOM];
    check_path(path, *state, "damaged.pgm");
    for (size_t i = 0; i < sizeof(damaged) / sizeof(damaged[0]); i++) {
        const struct damaged *d = &damaged[i];
        struct error err = {""};
        int code;
        check_write_file(path, d->content, d->bytes);
        read_all(path, &code, &err);
        bool plain = !pgm_reads_plain && strncmp(d->content, "P2", 2) == 0;
        if (code != -EINVAL || strstr(err.text, "image '") == NULL ||
            strstr(err.text, plain ? "netpbm" : d->words) == NULL ||
            strchr(err.text, '\n'))
            fail_msg("'%s': code %d, text '%s'", d->content, code, err.text);
    }
}

static void what_is_no_file_is_refused(void **state)
{
    struct error err = {""};
    int code;
    char path[PATH_ROOM];
    read_all(*state, &code, &err);
    assert_int_equal(code, -EINVAL);
    assert_non_null(strstr(err.text, "not a regular file"));
    read_all("/dev/zero", &code, &err);
    assert_int_equal(code, -EINVAL);
    check_path(path, *state, "missing.pgm");
    read_all(path, &code, &err);
    assert_int_equal(code, -ENOENT);
}

/* The library prints its own messages if it is let. */
static void nothing_is_printed(void **state)
{
    char path[PATH_ROOM];
    struct stat status;
    check_path(path, *state, "stderr");
    int saved = dup(2), file = open(path, O_CREAT | O_RDWR, 0600);
    assert_true(saved >= 0 && file >= 0);
    dup2(file, 2);
    damaged_files_are_refused(state);
    dup2(saved, 2);
    assert_int_equal(fstat(file, &status), 0);
    assert_int_equal(status.st_size, 0);
    close(file);
    close(saved);
}

static void what_cannot_be_written_is_an_error(void **state)
{
    char path[PATH_ROOM];
    struct error err = {""};
    const struct sample s = {{0}};
    const struct image image = {4, 5, 255};
    check_path(path, *state, "picture.png");
    assert_int_equal(image_write("test", path, &image, give_row, &s, &err),
                     -EINVAL);
    assert_non_null(strstr(err.text, "must end in .pgm"));
    check_path(path, *state, "no/picture.pgm");
    assert_int_equal(image_write("test", path, &image, give_row, &s, &err),
                     -EIO);
    assert_non_null(strstr(err.text, "cannot be written"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_written_is_read),
        cmocka_unit_test(damaged_files_are_refused),
        cmocka_unit_test(what_is_no_file_is_refused),
        cmocka_unit_test(nothing_is_printed),
        cmocka_unit_test(what_cannot_be_written_is_an_error),
    };
    return cmocka_run_group_tests(tests, check_make_folder, check_free_folder);
}
