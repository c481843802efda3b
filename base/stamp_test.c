#include "base/unit_testing.h"

#include "base/stamp.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void times_are_utc(void **unused)
{
    char text[STAMP_TIME_SIZE];
    stamp_time(0, text);
    assert_string_equal(text, "1970-01-01T00:00:00Z");
    stamp_time(1795402129, text);
    assert_string_equal(text, "2026-11-23T02:48:49Z");
}

static void a_launch_has_time_host_and_process(void **unused)
{
    struct timespec when = {.tv_sec = 1795402129, .tv_nsec = 7999999};
    char name[STAMP_LAUNCH_SIZE], host[STAMP_HOST_SIZE], wanted[200];
    stamp_host(host);
    assert_true(host[0] != '\0' && strpbrk(host, "./ ") == NULL);
    stamp_launch(&when, name);
    snprintf(wanted, sizeof(wanted), "20261123T024849.007Z-%s-%d", host,
             (int)getpid());
    assert_string_equal(name, wanted);
}

TESTS(cmocka_unit_test(times_are_utc),
      cmocka_unit_test(a_launch_has_time_host_and_process))
