/* A process as its records name it. */
#include "base/unit_testing.h"

#include "dls/this_process.h"

#include <string.h>

static void a_process_keeps_its_name(void **unused)
{
    char first[PROCESS_NAME_MAX], again[PROCESS_NAME_MAX], command[256];
    process_name(first);
    process_name(again);
    assert_string_equal(first, again);
    assert_non_null(strstr(first, "Z-"));
    assert_int_equal(strncmp(first, "19", 2) == 0, 0); /* it has a start */
    process_command(command, sizeof(command));
    assert_non_null(strstr(command, "process_test"));
}

TESTS(cmocka_unit_test(a_process_keeps_its_name))
