/* Common parts of this folder's tests. */
#ifndef HARNESS_COUNTERS_COUNTERS_TESTING_H
#define HARNESS_COUNTERS_COUNTERS_TESTING_H

#include "harness/testing.h"

#include "harness/counters/counters.h"

#include <errno.h>
#include <string.h>

/* The list is wrong, and its error says this. */
static inline void testing_refuses(const char *text, const char *part)
{
    struct counters_list list;
    struct error err = {""};
    assert_int_equal(counters_parse(text, &list, &err), -EINVAL);
    if (strstr(err.text, part) == NULL)
        fail_msg("'%s' does not say '%s'", err.text, part);
}

#endif
