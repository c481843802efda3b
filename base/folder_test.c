#include "base/unit_testing.h"

#include "base/folder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const names[] = {"a-1.json", "a-2.json", "a-10.json",
                                    "a-1.csv",  "b-1.json", ".a-1.json",
                                    "a-.json",  "a.json"};
enum { NAMES = sizeof(names) / sizeof(names[0]) };

/* A folder whose name a pattern would take for something else. */
static void make(char *top, char *dir)
{
    char path[160];
    snprintf(top, 64, "/tmp/dlsbench-folder-XXXXXX");
    assert_non_null(mkdtemp(top));
    snprintf(dir, 96, "%s/[a]*?\\{b,c}~", top);
    assert_int_equal(mkdir(dir, 0777), 0);
    for (int i = 0; i < NAMES; i++) {
        snprintf(path, sizeof(path), "%s/%s", dir, names[i]);
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        fclose(file);
    }
}

static void clear(const char *top, const char *dir)
{
    char path[160];
    for (int i = 0; i < NAMES; i++) {
        snprintf(path, sizeof(path), "%s/%s", dir, names[i]);
        assert_int_equal(unlink(path), 0);
    }
    assert_int_equal(rmdir(dir), 0);
    assert_int_equal(rmdir(top), 0);
}

static void expect(const char *dir, const char *begin, const char *end,
                   const char *all)
{
    struct folder found;
    struct error err;
    char text[256] = "";
    assert_int_equal(folder_find(dir, begin, end, &found, &err), 0);
    for (int i = 0; i < found.count; i++) {
        size_t used = strlen(text);
        assert_int_equal(strncmp(found.path[i], dir, strlen(dir)), 0);
        snprintf(text + used, sizeof(text) - used, "%s ",
                 found.path[i] + strlen(dir) + 1);
    }
    assert_string_equal(text, all);
    folder_free(&found);
}

static void names_are_found_by_begin_and_end_in_any_folder(void **state)
{
    char top[64], dir[96];
    make(top, dir);
    expect(dir, "a-", ".json", "a-.json a-1.json a-10.json a-2.json ");
    expect(dir, "", ".csv", "a-1.csv ");
    expect(dir, ".a", "", ".a-1.json ");
    expect(dir, "*", "", "");
    expect(dir, "a-1.json", "json", "");
    expect(dir, "b", "", "b-1.json ");
    clear(top, dir);
}

static void a_folder_that_is_not_there_is_an_error(void **state)
{
    struct folder found;
    struct error err;
    assert_int_equal(folder_find("/no such [folder]", "", "", &found, &err),
                     -ENOENT);
    assert_non_null(strstr(err.text, "/no such [folder]: "));
}

TESTS(cmocka_unit_test(names_are_found_by_begin_and_end_in_any_folder),
      cmocka_unit_test(a_folder_that_is_not_there_is_an_error))
