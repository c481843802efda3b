#include "harness/testing.h"

#include "harness/record/record.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int requests_left;

static void *limited(size_t size)
{
    if (requests_left-- > 0)
        return malloc(size);
    errno = ENOMEM;
    return NULL;
}

/* Reads all lines with so many requests for memory; returns how it ended. */
static int read_all(const char *path, int requests, int *objects, int *torn)
{
    struct rows rows;
    struct error err;
    json_t *row;
    int code;
    *objects = *torn = 0;
    assert_int_equal(rows_open(&rows, path, &err), 0);
    requests_left = requests;
    json_set_alloc_funcs(limited, free);
    while ((code = rows_next(&rows, &row, &err)) > 0) {
        *objects += row != NULL;
        *torn += row == NULL;
        json_decref(row);
    }
    json_set_alloc_funcs(malloc, free);
    rows_close(&rows);
    if (code != 0)
        assert_non_null(strstr(err.text, "out of memory"));
    return code;
}

/* Whatever request is refused, no line counts as torn that is not. */
static void lines_without_memory_are_not_torn(void **state)
{
    char path[] = "/tmp/dlsbench-rows-XXXXXX";
    int objects, torn, code = -ENOMEM, requests = 0;
    FILE *file = fdopen(mkstemp(path), "w");
    fputs("{\"type\": \"run\", \"cell\": \"12ab\", \"list\": [1, 2.5]}\n"
          "[1, 2]\n{\"type\": \"cell_do\n{\"a\": true}",
          file);
    fclose(file);
    for (; code != 0 && requests < 1000; requests++) {
        code = read_all(path, requests, &objects, &torn);
        assert_true(code == 0 || code == -ENOMEM);
        assert_true(objects <= 2 && torn <= 2);
    }
    assert_true(code == 0 && requests > 10);
    assert_int_equal(objects, 2);
    assert_int_equal(torn, 2);
    unlink(path);
}

TESTS(cmocka_unit_test(lines_without_memory_are_not_torn))
