#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "kernels/check.h"
#include "kernels/check_files.h"

static void run_has_the_bits_of_the_reference(void **unused)
{
    (void)unused;
    uint64_t seed = check_seed();
    for (int scale = 1; scale <= 9; scale++) {
        char text[64];
        snprintf(text, sizeof(text), "triangles:rmat=%d,degree=%d,relabel=%s",
                 scale, 1 + scale % 5, scale % 2 ? "on" : "off");
        check_bits(text, seed + (uint64_t)scale);
    }
    check_bits("triangles:rmat=7,degree=50", seed);
}

static int64_t count_all(const char *text)
{
    struct check_kernel k = check_make(text);
    int64_t *count = check_memory((size_t)k.iterations * sizeof(*count));
    int64_t all = 0;
    k.ops->run(k.instance, NULL, 0, k.iterations, count, NULL);
    for (int64_t i = 0; i < k.iterations; i++)
        all += count[i];
    free(count);
    check_free(&k);
    return all;
}

/* However vertices are numbered, the graph has as many. */
static void numbers_do_not_matter(void **unused)
{
    (void)unused;
    int64_t all = count_all("triangles:rmat=8,degree=8");
    assert_true(all > 1000);
    assert_int_equal(all, count_all("triangles:rmat=8,degree=8,relabel=on"));
}

/* Loops, both directions and pairs given twice are one edge each: a complete
 * graph of four vertices has four triangles, a ring of four none. */
static void triangles_of_small_graphs(void **folder)
{
    static const char head[] = "%%MatrixMarket matrix coordinate pattern ";
    static const struct {
        const char *rest;
        int64_t count;
    } graph[] = {
        {"symmetric\n4 4 6\n2 1\n3 1\n4 1\n3 2\n4 2\n4 3\n", 4},
        {"general\n4 4 8\n1 2\n2 1\n1 3\n2 3\n3 3\n1 1\n4 3\n1 4\n", 2},
        {"symmetric\n4 4 4\n2 1\n3 2\n4 3\n4 1\n", 0},
        {"general\n3 3 0\n", 0},
    };
    for (size_t i = 0; i < sizeof(graph) / sizeof(graph[0]); i++) {
        char path[PATH_ROOM], spec[PATH_ROOM + 32], text[256];
        check_path(path, *folder, "g.mtx");
        snprintf(text, sizeof(text), "%s%s", head, graph[i].rest);
        check_write_file(path, text, strlen(text));
        snprintf(spec, sizeof(spec), "triangles:file=%s,relabel=%s", path,
                 i % 2 ? "on" : "off");
        assert_int_equal(count_all(spec), graph[i].count);
    }
}

/* A vertex of many neighbours polls on its way, and a few have most of the
 * work. */
static void a_large_vertex_polls(void **unused)
{
    (void)unused;
    struct check_kernel k = check_make("triangles:rmat=13,degree=32");
    double longest = 0, sum = 0;
    int64_t vertex = 0, polls = 0, count;
    const struct kernel_poll poll = {check_count_poll, &polls};
    for (int64_t i = 0; i < k.iterations; i++) {
        double cost = k.ops->cost->operations(k.instance, i);
        sum += cost;
        if (cost > longest) {
            longest = cost;
            vertex = i;
        }
    }
    assert_true(longest > 50 * sum / (double)k.iterations);
    k.ops->run(k.instance, NULL, vertex, 1, &count, &poll);
    assert_true(polls > 0);
    check_free(&k);
}

static void bad_specs_are_refused(void **unused)
{
    (void)unused;
    check_refused("triangles:rmat=0", EINVAL, "out of range");
    check_refused("triangles:relabel=maybe", EINVAL, "off|on");
    check_refused("triangles:file=m.mtx,rmat=3", EINVAL, "give one of them");
    check_refused("triangles:file=/nowhere/m.mtx", ENOENT, "No such file");
    check_refused("triangles:rmat=28,degree=1000000", ENOMEM, "the matrix");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(run_has_the_bits_of_the_reference),
        cmocka_unit_test(numbers_do_not_matter),
        cmocka_unit_test_setup_teardown(triangles_of_small_graphs,
                                        check_make_folder, check_free_folder),
        cmocka_unit_test(a_large_vertex_polls),
        cmocka_unit_test(bad_specs_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
