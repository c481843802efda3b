/* The frame of a file of unit tests. */
#ifndef BASE_UNIT_TESTING_H
#define BASE_UNIT_TESTING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Tests without shared state ignore cmocka's argument. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

/* main, with the tests of the file: cmocka_unit_test(name), ... */
#define TESTS(...)                                                             \
    int main(void)                                                             \
    {                                                                          \
        const struct CMUnitTest tests[] = {__VA_ARGS__};                       \
        return cmocka_run_group_tests(tests, NULL, NULL);                      \
    }

#endif
