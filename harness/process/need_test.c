#include "base/unit_testing.h"

#include "harness/process/need.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void memory_that_comes_is_zeroed(void **state)
{
    char *none = need_zeroed(0, 8), *some = need_zeroed(3, 1);
    assert_non_null(none);
    assert_memory_equal(some, "\0\0\0", 3);
    free(none);
    free(some);
}

static void texts_are_copies(void **state)
{
    const char *given = "gss";
    char *copy = need_copy(given), *made = need_text("%s:%d", given, 4);
    assert_ptr_not_equal(copy, given);
    assert_string_equal(copy, "gss");
    assert_string_equal(made, "gss:4");
    free(copy);
    free(made);
}

/* The exit code, and the stderr text, of a process that asks for this much. */
static int ask_for(int64_t count, char *said, size_t size)
{
    int ends[2], status;
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        int *list = NULL;
        int64_t room = 0;
        dup2(ends[1], STDERR_FILENO);
        need_room(&list, &room, count, sizeof(*list));
        _exit(0);
    }
    close(ends[1]);
    ssize_t length = read(ends[0], said, size - 1);
    said[length > 0 ? length : 0] = '\0';
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void a_program_without_memory_ends_with_one_line(void **state)
{
    char said[200];
    assert_int_equal(ask_for(4, said, sizeof(said)), 0);
    assert_string_equal(said, "");
    assert_int_equal(ask_for(INT64_MAX, said, sizeof(said)), 1);
    assert_string_equal(said, "dlsbench: out of memory\n");
}

TESTS(cmocka_unit_test(memory_that_comes_is_zeroed),
      cmocka_unit_test(texts_are_copies),
      cmocka_unit_test(a_program_without_memory_ends_with_one_line))
