#include "base/unit_testing.h"

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

/* A text, its lines joined by '|' (at last, why it ends). */
static const struct {
    const char *text;
    size_t length;
    const char *lines;
} texts[] = {
    {"", 0, ""},
    {"a", 1, "a|"},
    {"a\nb\n", 4, "a|b|"},
    {"a\r\nb\r\n\r\nc", 9, "a|b||c|"},
    {"a\rb", 3, "a|b|"},
    {"a\r", 2, "a|"},
    {"\xEF\xBB\xBF"
     "a\n\xEF\xBB\xBF",
     8, "a|\xEF\xBB\xBF|"},
    {"\xEF\xBB\xBF", 3, "|"},
    {"a\nb\0c\n", 6, "a|2: a zero byte, this is not a text file"},
    {"\xFF\xFE"
     "a\0",
     4, "1: this is UTF-16 text: save it as UTF-8"},
    {"\x1F\x8B\x08", 3, "1: this is compressed by gzip: unpack it first"},
};

static void append_lines(char *all, size_t size, FILE *file)
{
    struct file_lines lines = {.file = file};
    struct error err = {""};
    int code;
    all[0] = '\0';
    while ((code = file_next_line(&lines, &err)) > 0) {
        size_t used = strlen(all);
        snprintf(all + used, size - used, "%s|", lines.text);
    }
    size_t used = strlen(all);
    if (code < 0)
        snprintf(all + used, size - used, "%ld: %s", lines.number, err.text);
    file_free_lines(&lines);
}

static void lines_have_any_end(void **state)
{
    char all[200];
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        FILE *file = tmpfile();
        assert_non_null(file);
        fwrite(texts[i].text, 1, texts[i].length, file);
        rewind(file);
        append_lines(all, sizeof(all), file);
        assert_string_equal(all, texts[i].lines);
        fclose(file);
    }
}

/* The end of a line is not looked for in all of a device or a disk. */
static void lines_end_at_a_length(void **state)
{
    struct error err = {""};
    struct file_lines lines = {.file = tmpfile()};
    assert_non_null(lines.file);
    for (int i = 0; i < FILE_LINE_MAX - 1; i++)
        putc('x', lines.file);
    fputs("\ny", lines.file);
    for (int i = 0; i < FILE_LINE_MAX; i++)
        putc('x', lines.file);
    rewind(lines.file);
    assert_int_equal(file_next_line(&lines, &err), 1);
    assert_int_equal(strlen(lines.text), FILE_LINE_MAX - 1);
    assert_int_equal(file_next_line(&lines, &err), -EINVAL);
    assert_non_null(strstr(err.text, "the line is longer than"));
    assert_int_equal(lines.number, 2);
    file_free_lines(&lines);
    fclose(lines.file);
}

TESTS(cmocka_unit_test(only_regular_files_are_opened),
      cmocka_unit_test(lines_have_any_end),
      cmocka_unit_test(lines_end_at_a_length))
