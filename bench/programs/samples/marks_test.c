#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "bench/programs/samples/marks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define RUN(tried, cell, scheme, clause)                                       \
    "{\"type\":\"run\",\"tried\":\"" tried "\",\"cell\":\"" cell               \
    "\",\"scheme\":\"" scheme "\",\"clause\":" clause ",\"time_s\":0.125}\n"
#define END(cell, status, reason)                                              \
    "{\"type\":\"cell_done\",\"cell\":\"" cell "\",\"status\":\"" status       \
    "\",\"reason\":" reason "}\n"
#define RUNS                                                                   \
    RUN("fss", "1", "fss", "\"runtime\"")                                      \
    RUN("fss", "2", "dynamic,4", "\"dynamic,4\"")                              \
    RUN("fss", "3", "fss", "null")

static void write_runs(const char *folder, const char *launch, const char *text)
{
    char path[128];
    snprintf(path, sizeof(path), "%s/runs-%s.jsonl", folder, launch);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void check_runs(const char *folder, const char *launch, const char *text)
{
    char path[128], found[2048];
    snprintf(path, sizeof(path), "%s/runs-%s.jsonl", folder, launch);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    found[fread(found, 1, sizeof(found) - 1, file)] = '\0';
    fclose(file);
    assert_string_equal(found, text);
    unlink(path);
}

/* A torn line stays as it is. */
static void the_cells_that_a_choice_took_are_marked(void **state)
{
    static const char other[] =
        RUN("gss", "1", "gss", "\"runtime\"") END("1", "ok", "null");
    char folder[] = "/tmp/marks_test-XXXXXX";
    struct error err;
    (void)state;
    assert_non_null(mkdtemp(folder));
    write_runs(folder, "a",
               RUNS END("1", "ok", "null") END("2", "ok", "null")
                   END("3", "ok", "null") "{\"type\":");
    write_runs(folder, "b", other);
    assert_int_equal(
        marks_fail(folder, "fss", "failed", "round 2: exit\ncode 1", &err), 0);
    check_runs(folder, "a",
               RUNS END("1", "failed", "\"round 2: exit\\\\ncode 1\"")
                   END("2", "ok", "null")
                       END("3", "failed",
                           "\"round 2: exit\\\\ncode 1\"") "{\"type\":");
    check_runs(folder, "b", other);
    assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_cells_that_a_choice_took_are_marked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
