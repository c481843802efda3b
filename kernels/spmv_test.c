#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "kernels/check.h"
#include "kernels/check_files.h"
#include "kernels/check_steps.h"
#include "kernels/support/sparse.h"

static void run_has_the_bits_of_the_reference(void **unused)
{
    (void)unused;
    uint64_t seed = check_seed();
    for (int scale = 1; scale <= 9; scale++) {
        char text[64];
        snprintf(text, sizeof(text), "spmv:rmat=%d,degree=%d,seed=%d,steps=1",
                 scale, 1 << scale % 5, scale);
        check_bits(text, seed + (uint64_t)scale);
    }
    check_bits("spmv:rmat=3,degree=20000,steps=1", seed);
}

static void steps_have_the_bits_of_the_reference(void **unused)
{
    (void)unused;
    uint64_t seed = check_seed();
    check_steps("spmv:rmat=6,steps=2", seed);
    check_steps("spmv:rmat=9,degree=5,steps=7", seed);
}

/* Entries that fall on one place are added, so that there are fewer than
 * degree * 2^scale; the upper left half of the rows has 76 % of them. */
static void a_random_matrix_is_skewed(void **unused)
{
    (void)unused;
    struct sparse m;
    double upper = 0, all = 0;
    assert_int_equal(sparse_rmat("kernel spmv", 12, 16, 1, &m, NULL), 0);
    assert_int_equal(m.rows, 4096);
    for (int64_t r = 0; r < m.rows; r++)
        for (int64_t k = m.start[r]; k < m.start[r + 1]; k++) {
            assert_in_range(m.column[k], 0, m.rows - 1);
            assert_true(k == m.start[r] || m.column[k] > m.column[k - 1]);
            all++;
            upper += r < m.rows / 2;
        }
    assert_int_equal(all, m.start[m.rows]);
    assert_true(all > 0.7 * 16 * 4096 && all <= 16 * 4096);
    assert_true(upper / all > 0.66 && upper / all < 0.80);
    sparse_free(&m);
}

/* The matrix that a file has, as rows of all columns. */
static void dense(const char *folder, const char *text, double *out,
                  int64_t rows)
{
    struct error err = {""};
    struct sparse m;
    char path[PATH_ROOM];
    check_path(path, folder, "m.mtx");
    check_write_file(path, text, strlen(text));
    if (sparse_read("kernel spmv", path, &m, &err) != 0)
        fail_msg("%s", err.text);
    assert_int_equal(m.rows, rows);
    memset(out, 0, (size_t)(rows * rows) * sizeof(*out));
    for (int64_t r = 0; r < rows; r++)
        for (int64_t k = m.start[r]; k < m.start[r + 1]; k++)
            out[r * rows + m.column[k]] = m.value[k];
    sparse_free(&m);
}

#define FIRST "%%MatrixMarket matrix coordinate "

/* A row of 100,000 entries polls on its way. */
static void a_long_row_polls(void **folder)
{
    enum { ENTRIES = 100000, LINE = 16 };
    char path[PATH_ROOM], spec[PATH_ROOM + 32];
    char *text = malloc((ENTRIES + 8) * LINE);
    assert_non_null(text);
    size_t n = (size_t)sprintf(text, "%spattern general\n%d %d %d\n", FIRST,
                               ENTRIES, ENTRIES, ENTRIES);
    for (int i = 1; i <= ENTRIES; i++)
        n += (size_t)sprintf(text + n, "3 %d\n", i);
    check_path(path, *folder, "long.mtx");
    check_write_file(path, text, n);
    free(text);
    snprintf(spec, sizeof(spec), "spmv:file=%s,steps=1", path);
    struct check_kernel k = check_make(spec);
    int64_t polls = 0;
    const struct kernel_poll poll = {check_count_poll, &polls};
    double out[64];
    assert_true(k.ops->cost->operations(k.instance, 2) > ENTRIES - 1);
    k.ops->run(k.instance, NULL, 2, 1, out, &poll);
    assert_in_range(polls, ENTRIES / 16384, 1 + ENTRIES / 8192);
    check_free(&k);
}

static void files_are_read(void **folder)
{
    double a[9];
    const double general[] = {0, 2.5, 0, -1, 0, 0, 0, 0, 7};
    dense(*folder,
          FIRST "real general\n% a comment\n\n3 3 4\n3 3 4\n2 1 -1\n"
                "  1 2 2.5e0 \n% another\n3 3 3\n",
          a, 3);
    assert_memory_equal(a, general, sizeof(a));
    const double symmetric[] = {1, 4, 0, 4, 0, 5, 0, 5, 0};
    dense(*folder, FIRST "integer symmetric\n3 3 3\n1 1 1\n2 1 4\n3 2 5\n", a,
          3);
    assert_memory_equal(a, symmetric, sizeof(a));
    const double skew[] = {0, -4, 4, 0};
    dense(*folder, FIRST "Real Skew-Symmetric\r\n2 2 1\r\n2 1 4\r\n", a, 2);
    assert_memory_equal(a, skew, sizeof(skew));
    const double pattern[] = {0, 1, 1, 0};
    dense(*folder, FIRST "pattern general\n2 2 2\n1 2\n2 1", a, 2);
    assert_memory_equal(a, pattern, sizeof(pattern));
    const double none[] = {0};
    dense(*folder, FIRST "real general\n1 1 0\n", a, 1);
    assert_memory_equal(a, none, sizeof(none));
}

static void refused(const char *folder, int line, const char *text,
                    const char *words)
{
    char path[PATH_ROOM], spec[PATH_ROOM + 32], want[PATH_ROOM + 128];
    check_path(path, folder, "bad.mtx");
    check_write_file(path, text, strlen(text));
    snprintf(spec, sizeof(spec), "spmv:file=%s,steps=1", path);
    snprintf(want, sizeof(want), "%s:%d: %s", path, line, words);
    check_refused(spec, EINVAL, want);
}

static void bad_files_are_refused_with_the_line(void **state)
{
    const char *f = *state;
    refused(f, 1, "", "the first line must be");
    refused(f, 1, "3 3 1\n1 1 1\n", "the first line must be");
    refused(f, 1, "%%MatrixMarket matrix array real general\n",
            "the format is 'array'");
    refused(f, 1, FIRST "complex general\n", "entries are 'complex'");
    refused(f, 1, FIRST "real hermitian\n", "the matrix is 'hermitian'");
    refused(f, 2, FIRST "real general\n% end\n", "the line of sizes");
    refused(f, 2, FIRST "real general\n3 3\n", "a line of sizes must be");
    refused(f, 2, FIRST "real general\n3 4 1\n1 1 1\n",
            "the matrix has 3 rows and 4 columns, it must be square");
    refused(f, 2, FIRST "real general\n0 0 0\n", "0 rows");
    refused(f, 2, FIRST "real general\n9999999999 9999999999 0\n",
            "9999999999 rows, allowed are 1 to");
    refused(f, 2, FIRST "real general\n3 3 1000000\n1 1 1\n",
            "1000000 entries are promised, more than a file of");
    refused(f, 4, FIRST "real general\n3 3 1\n1 1 1\n2 2 2\n",
            "more entries than the 1 promised");
    refused(f, 3, FIRST "real general\n3 3 2\n1 1 1\n",
            "the file ends after 1 of 2 entries");
    refused(f, 3, FIRST "real general\n3 3 1\n1 x 1\n", "'1 x 1' is not");
    refused(f, 3, FIRST "real general\n3 3 1\n1 1\n", "'1 1' is not");
    refused(f, 3, FIRST "pattern general\n3 3 1\n1 1 1\n", "'1 1 1' is not");
    refused(f, 3, FIRST "real general\n3 3 1\n0 1 1\n", "entry (0, 1) is out");
    refused(f, 4, FIRST "real general\n3 3 2\n1 1 1\n1 4 1\n",
            "entry (1, 4) is outside of 3 rows and columns");
    refused(f, 3, FIRST "real general\n3 3 1\n1 1 nan\n",
            "the value nan is not a");
    refused(f, 3, FIRST "real skew-symmetric\n3 3 1\n1 1 2\n",
            "a skew-symmetric matrix has no diagonal");
}

/* 2 x 3 entries, 12 bytes each, and 24 for each of 3 rows. */
static void work_is_counted(void **folder)
{
    static const char text[] =
        FIRST "real general\n3 3 3\n1 1 1\n1 3 1\n3 2 1\n";
    char path[PATH_ROOM], spec[PATH_ROOM + 32];
    double flops, bytes, y[3];
    check_path(path, *folder, "w.mtx");
    check_write_file(path, text, strlen(text));
    snprintf(spec, sizeof(spec), "spmv:file=%s,steps=1", path);
    struct check_kernel k = check_make(spec);
    k.ops->work(k.instance, &flops, &bytes);
    assert_int_equal(flops, 6);
    assert_int_equal(bytes, 36 + 72);
    assert_int_equal(k.ops->cost->operations(k.instance, 0), 2);
    assert_int_equal(k.ops->cost->operations(k.instance, 1), 0);
    k.ops->run(k.instance, NULL, 0, 3, y, NULL);
    assert_true(y[0] > 0 && y[1] == 0 && y[2] > 0 && y[2] < 1);
    check_free(&k);
}

static void bad_specs_are_refused(void **unused)
{
    (void)unused;
    check_refused("spmv:rmat=0", EINVAL, "out of range");
    check_refused("spmv:file=m.mtx,rmat=3", EINVAL, "give one of them");
    check_refused("spmv:file=/nowhere/m.mtx", ENOENT, "No such file");
    check_refused("spmv:rmat=30,degree=1000000", ENOMEM, "the matrix");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(run_has_the_bits_of_the_reference),
        cmocka_unit_test(steps_have_the_bits_of_the_reference),
        cmocka_unit_test_setup_teardown(a_long_row_polls, check_make_folder,
                                        check_free_folder),
        cmocka_unit_test(a_random_matrix_is_skewed),
        cmocka_unit_test_setup_teardown(files_are_read, check_make_folder,
                                        check_free_folder),
        cmocka_unit_test_setup_teardown(bad_files_are_refused_with_the_line,
                                        check_make_folder, check_free_folder),
        cmocka_unit_test_setup_teardown(work_is_counted, check_make_folder,
                                        check_free_folder),
        cmocka_unit_test(bad_specs_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
