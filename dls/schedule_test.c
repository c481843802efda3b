/* DLS_SCHEDULE: another scheme without recompiling. */
#include "base/unit_testing.h"

#include "dls/dls.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void is_refused(const char *why)
{
    dls_loop *loop;
    assert_int_equal(dls_open(&loop, "gss", 1, 1, NULL), -EINVAL);
    if (strstr(dls_error(loop), why) == NULL)
        fail_msg("'%s' does not say '%s'", dls_error(loop), why);
    assert_null(strchr(dls_error(loop), '\n'));
    assert_int_equal(dls_close(loop, NULL), 0);
}

static void scheme_is(const char *name, const char *expected)
{
    dls_loop *loop;
    const dls_options options = {.size = sizeof(options), .name = name};
    assert_int_equal(dls_open(&loop, "gss", 0, 2, &options), 0);
    assert_string_equal(dls_scheme_of(loop), expected);
    dls_close(loop, NULL);
}

static void rules_are_refused(const char *path, const char *text,
                              const char *why)
{
    FILE *rules = fopen(path, "w");
    fputs(text, rules);
    fclose(rules);
    is_refused(why);
}

static void the_environment_changes_the_scheme(void **state)
{
    char path[] = "/tmp/dls_test.XXXXXX", asked[64];
    setenv("DLS_SCHEDULE", "tss:last=2", 1);
    scheme_is("rays", "tss:last=2");
    scheme_is(NULL, "tss:last=2");
    int file = mkstemp(path);
    assert_true(file >= 0);
    dprintf(file, "\xEF\xBB\xBF* = fss:alpha=3\r\n# mine\n\n"
                  "rays = css:chunk=4  # fast\nlast = ss");
    close(file);
    snprintf(asked, sizeof(asked), "@%s", path);
    setenv("DLS_SCHEDULE", asked, 1);
    scheme_is("rays", "css:chunk=4");
    scheme_is("others", "fss:alpha=3");
    scheme_is("last", "ss");
    truncate(path, 0);
    scheme_is("rays", "gss:min=1");
    rules_are_refused(path, "rays = ss\nrays fss\n", ":2: there is no '='");
    rules_are_refused(path, "* = ss\n\n* = fss\n",
                      ":3: this name has a line already");
    rules_are_refused(path, "# none\n* = gsss\n",
                      ":2: scheme: unknown name 'gsss'");
    unlink(path);
    assert_int_equal(mkfifo(path, 0600), 0);
    is_refused("not a regular file");
    unlink(path);
    dls_loop *loop;
    assert_int_equal(dls_open(&loop, "gss", 0, 2, NULL), -ENOENT);
    dls_close(loop, NULL);
    setenv("DLS_SCHEDULE", "gsss", 1);
    is_refused("DLS_SCHEDULE: scheme: unknown name 'gsss'");
    setenv("DLS_SCHEDULE", " fss ", 1);
    scheme_is("rays", "fss:alpha=2");
    unsetenv("DLS_SCHEDULE");
}

TESTS(cmocka_unit_test(the_environment_changes_the_scheme))
