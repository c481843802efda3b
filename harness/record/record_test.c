/* Records: lines stay whole whatever happens to the file before or beside. */
#include "harness/testing.h"

#include "harness/record/record.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

static json_t *line(int number)
{
    return json_pack("{s:i,s:f,s:s}", "number", number, "third", 1.0 / 3,
                     "text", "two\nlines");
}

static void open_file(struct record_file *file, const char *folder)
{
    struct error err = {""};
    if (record_open(file, folder, "runs", "l1", &err) != 0)
        fail_msg("%s", err.text);
}

static void add(struct record_file *file, int number)
{
    struct error err = {""};
    if (record_line(file, line(number), &err) != 0)
        fail_msg("%s", err.text);
}

/* How many lines of the file are whole; -1 when one in the middle is not.
 * seen[n] counts the lines that carry number n. */
static int whole_lines(const char *path, int *seen, int numbers, int *torn)
{
    size_t length;
    char *text = testing_read(path, &length);
    int whole = 0;
    *torn = 0;
    for (char *at = text; *at != '\0';) {
        char *end = strchr(at, '\n');
        if (end != NULL)
            *end = '\0';
        json_t *object = json_loads(at, 0, NULL);
        if (object == NULL) {
            ++*torn;
        } else {
            int n = (int)json_integer_value(json_object_get(object, "number"));
            assert_in_range(n, 0, numbers - 1);
            seen[n]++;
            whole++;
        }
        json_decref(object);
        at = end ? end + 1 : at + strlen(at);
    }
    free(text);
    return whole;
}

static void lines_are_whole_and_in_order(void **unused)
{
    char folder[256], expected[300];
    struct record_file file;
    struct error err = {""};
    int seen[20] = {0}, torn;
    testing_folder(folder, sizeof(folder));
    open_file(&file, folder);
    snprintf(expected, sizeof(expected), "%s/runs-l1.jsonl", folder);
    assert_string_equal(file.path, expected);
    for (int i = 0; i < 10; i++)
        add(&file, i);
    assert_int_equal(record_sync(&file, &err), 0);
    assert_int_equal(record_close(&file, &err), 0);
    assert_int_equal(file.descriptor, -1);
    assert_int_equal(record_close(&file, &err), 0);
    open_file(&file, folder); /* appends to the existing lines */
    for (int i = 10; i < 20; i++)
        add(&file, i);
    assert_int_equal(record_close(&file, &err), 0);
    assert_int_equal(whole_lines(expected, seen, 20, &torn), 20);
    assert_int_equal(torn, 0);
    for (int i = 0; i < 20; i++)
        assert_int_equal(seen[i], 1);
    testing_folder_remove(folder);
}

/* A launch that died in the middle of a line must not take the next line of
 * the file with it. */
static void a_torn_line_stays_alone(void **unused)
{
    char folder[256], path[300];
    testing_folder(folder, sizeof(folder));
    snprintf(path, sizeof(path), "%s/runs-l1.jsonl", folder);
    const char text[] = "{\"number\":0,\"third\":0.333,\"text\":\"x\"}\n"
                        "{\"number\":1,\"thi";
    for (size_t cut = 0; cut < sizeof(text); cut++) {
        struct record_file file;
        struct error err = {""};
        int seen[4] = {0}, torn;
        testing_write(path, text, cut);
        open_file(&file, folder);
        add(&file, 2);
        add(&file, 3);
        assert_int_equal(record_close(&file, &err), 0);
        whole_lines(path, seen, 4, &torn);
        assert_int_equal(seen[2], 1);
        assert_int_equal(seen[3], 1);
        assert_true(torn <= 1);
    }
    testing_folder_remove(folder);
}

/* Several processes append to one file: no line is mixed with another. */
static void writers_do_not_mix_lines(void **unused)
{
    enum { WRITERS = 3, LINES = 200 };
    char folder[256], path[300];
    int seen[WRITERS * LINES] = {0}, torn;
    testing_folder(folder, sizeof(folder));
    snprintf(path, sizeof(path), "%s/runs-l1.jsonl", folder);
    for (int w = 0; w < WRITERS; w++) {
        if (fork() != 0)
            continue;
        struct record_file file;
        struct error err;
        int code = record_open(&file, folder, "runs", "l1", &err);
        for (int i = 0; i < LINES && code == 0; i++)
            code = record_line(&file, line(w * LINES + i), &err);
        _exit(code != 0);
    }
    for (int w = 0; w < WRITERS; w++) {
        int status = -1;
        assert_true(wait(&status) > 0);
        assert_int_equal(status, 0);
    }
    assert_int_equal(whole_lines(path, seen, WRITERS * LINES, &torn),
                     WRITERS * LINES);
    assert_int_equal(torn, 0);
    testing_folder_remove(folder);
}

static void a_full_disk_is_said(void **unused)
{
    char folder[256], path[300];
    struct record_file file;
    struct error err = {""};
    testing_folder(folder, sizeof(folder));
    snprintf(path, sizeof(path), "%s/runs-l1.jsonl", folder);
    open_file(&file, folder);
    int full = open("/dev/full", O_WRONLY);
    assert_int_equal(dup2(full, file.descriptor), file.descriptor);
    close(full);
    assert_int_equal(record_line(&file, line(1), &err), -ENOSPC);
    assert_non_null(strstr(err.text, path));
    assert_non_null(strstr(err.text, "No space left"));
    assert_int_equal(record_sync(&file, &err), 0); /* cannot, need not */
    assert_int_equal(record_close(&file, &err), 0);
    testing_folder_remove(folder);
}

static void no_link_is_followed(void **unused)
{
    char folder[256], path[300], theirs[300];
    struct record_file file;
    struct error err = {""};
    testing_folder(folder, sizeof(folder));
    snprintf(path, sizeof(path), "%s/runs-l1.jsonl", folder);
    snprintf(theirs, sizeof(theirs), "%s/theirs", folder);
    assert_int_equal(symlink(theirs, path), 0);
    assert_int_equal(record_open(&file, folder, "runs", "l1", &err), -ELOOP);
    assert_non_null(strstr(err.text, "is a symbolic link; remove it"));
    assert_int_equal(access(theirs, F_OK), -1);
    testing_folder_remove(folder);
}

static void what_cannot_be_opened_is_said(void **unused)
{
    struct record_file file;
    struct error err = {""};
    assert_int_equal(record_open(&file, "/nowhere", "runs", "l1", &err),
                     -ENOENT);
    assert_int_equal(file.descriptor, -1);
    assert_non_null(strstr(err.text, "/nowhere/runs-l1.jsonl: cannot open"));
    assert_int_equal(record_close(&file, &err), 0);
}

/* ---- the manifest ---- */

static int files_in(const char *folder)
{
    char command[400];
    int count = -1;
    snprintf(command, sizeof(command), "ls -A '%s' | wc -l", folder);
    FILE *out = popen(command, "r");
    assert_int_equal(fscanf(out, "%d", &count), 1);
    pclose(out);
    return count;
}

static void manifests_are_whole(void **unused)
{
    char folder[256], path[300];
    struct error err = {""};
    testing_folder(folder, sizeof(folder));
    snprintf(path, sizeof(path), "%s/manifest-l1.json", folder);
    assert_int_equal(record_manifest(folder, "l1", line(5), &err), 0);
    json_t *read = json_load_file(path, 0, NULL);
    json_t *expected = line(5);
    assert_true(json_equal(read, expected));
    json_decref(read);
    json_decref(expected);
    assert_int_equal(files_in(folder), 1);
    testing_folder_remove(folder);
    assert_int_equal(record_manifest(folder, "l1", line(5), &err), -ENOENT);
    assert_non_null(strstr(err.text, path));
}

/* In a process that may write 100 bytes: no file is left, and a manifest that
 * was there stays as it was. */
static void half_a_manifest_is_none(void **unused)
{
    char folder[256], path[300];
    testing_folder(folder, sizeof(folder));
    snprintf(path, sizeof(path), "%s/manifest-l1.json", folder);
    fflush(stdout);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct rlimit limit = {100, 100};
        struct error err = {""};
        json_t *big = json_array();
        for (int i = 0; i < 1000; i++)
            json_array_append_new(big, line(i));
        signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &limit);
        int code = record_manifest(folder, "l1", big, &err);
        _exit(code < 0 && strstr(err.text, "cannot write") ? 0 : 1);
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(files_in(folder), 0);
    testing_folder_remove(folder);
}

/* ---- values ---- */

static void unknown_numbers_are_null(void **unused)
{
    const double unknown[] = {NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 3; i++) {
        json_t *value = record_real(unknown[i]);
        assert_true(json_is_null(value));
        json_decref(value);
    }
    json_t *value = record_real(0.25);
    assert_true(json_real_value(value) == 0.25);
    json_decref(value);
}

TESTS(cmocka_unit_test(lines_are_whole_and_in_order),
      cmocka_unit_test(a_torn_line_stays_alone),
      cmocka_unit_test(writers_do_not_mix_lines),
      cmocka_unit_test(a_full_disk_is_said),
      cmocka_unit_test(no_link_is_followed),
      cmocka_unit_test(what_cannot_be_opened_is_said),
      cmocka_unit_test(manifests_are_whole),
      cmocka_unit_test(half_a_manifest_is_none),
      cmocka_unit_test(unknown_numbers_are_null))
