/* Kinds of cores, and files of machines of several versions. */
#include "harness/testing.h"

#include "harness/topo/topo_internal.h"

#include <errno.h>

#define FILE_NAME "/tmp/dlsbench-topo-kinds-test.xml"

/* Four cores of two hardware threads; the first two are slow. */
static struct topo *make(bool ranked)
{
    hwloc_topology_t made;
    struct topo *topo;
    struct error err = {""};
    hwloc_bitmap_t set = hwloc_bitmap_alloc();
    hwloc_topology_init(&made);
    hwloc_topology_set_synthetic(made, "core:4 pu:2");
    assert_int_equal(hwloc_topology_load(made), 0);
    for (int i = 0; i < 2; i++) {
        hwloc_bitmap_zero(set);
        hwloc_bitmap_set_range(set, 4u * (unsigned)i, 4 * i + 3);
        assert_int_equal(
            hwloc_cpukinds_register(made, set, ranked ? i : -1, 0, NULL, 0), 0);
    }
    hwloc_bitmap_free(set);
    assert_int_equal(hwloc_topology_export_xml(made, FILE_NAME, 0), 0);
    hwloc_topology_destroy(made);
    if (topo_open_other(&topo, FILE_NAME, NULL, &err) != 0)
        fail_msg("%s", err.text);
    return topo;
}

/* The result of topo_assign must begin with these. */
static void gets(const struct topo *topo, struct topo_binding binding,
                 int workers, int extra, const int *wanted)
{
    struct error err = {""};
    int processor[16];
    if (topo_assign(topo, &binding, 0, workers, extra, processor, &err) != 0)
        fail_msg("%s", err.text);
    for (int i = 0; i < workers + extra; i++)
        assert_int_equal(processor[i], wanted[i]);
}

#define GETS(how, workers, extra, ...)                                         \
    gets(topo, (struct topo_binding){.bind = (how)}, workers, extra,           \
         (const int[]){__VA_ARGS__})

static void the_fastest_come_first(void **unused)
{
    struct topo *topo = make(true);
    char text[100];
    assert_int_equal(topo_kinds(topo), 2);
    topo_kind_text(topo, 1, text, sizeof(text));
    assert_string_equal(text, "kind 1: processors 4-7, the most powerful");
    GETS(TOPO_COMPACT, 3, 1, 4, 6, 0, 2);
    GETS(TOPO_ALL, 3, 1, 0, 2, 4, 6);
    gets(topo, (struct topo_binding){.bind = TOPO_COMPACT, .smt = true}, 5, 0,
         (const int[]){4, 5, 6, 7, 0});
    topo_close(topo);
}

/* Workers get its cores alone; masters also get others. */
static void one_kind(void **unused)
{
    struct topo *topo = make(true);
    struct error err = {""};
    int processor[4];
    struct topo_binding binding = {.bind = TOPO_KIND, .kind = 1};
    gets(topo, binding, 2, 1, (const int[]){4, 6, 0});
    gets(topo, binding, 3, 0, (const int[]){4, 6, 4});
    binding.kind = 0;
    gets(topo, binding, 2, 0, (const int[]){0, 2});
    binding.kind = 2;
    assert_int_equal(topo_assign(topo, &binding, 0, 1, 0, processor, &err),
                     -EINVAL);
    assert_non_null(strstr(err.text, "no core here is of kind 2"));
    topo_close(topo);
}

static void slower_ones_are_counted(void **unused)
{
    struct topo *topo = make(true);
    assert_int_equal(topo_slower(topo, (const int[]){0, 2}, 2), 2);
    assert_int_equal(topo_slower(topo, (const int[]){0, 4}, 2), 1);
    assert_int_equal(topo_slower(topo, (const int[]){0, 4, 6}, 3), 0);
    assert_int_equal(topo_slower(topo, (const int[]){-1, -1}, 2), 0);
    topo_close(topo);
}

/* The faster kind is unknown, or all kinds are equal: nothing changes. */
static void kinds_without_a_rank(void **unused)
{
    struct error err = {""};
    struct topo *topo = make(false);
    GETS(TOPO_COMPACT, 3, 0, 0, 2, 4);
    assert_int_equal(topo_slower(topo, (const int[]){0, 2}, 2), 0);
    topo_close(topo);
    assert_int_equal(topo_open_other(&topo, "core:4 pu:2", NULL, &err), 0);
    assert_int_equal(topo_kinds(topo), 1);
    GETS(TOPO_COMPACT, 3, 0, 0, 2, 4);
    gets(topo, (struct topo_binding){.bind = TOPO_KIND, .kind = 0}, 2, 0,
         (const int[]){0, 2});
    topo_close(topo);
}

/* A file with this beginning is refused with these words. */
static void refuses(const char *begin, const char *words)
{
    struct error err = {""};
    struct topo *topo;
    FILE *file = fopen(FILE_NAME, "w");
    fprintf(file, "%s", begin);
    fclose(file);
    assert_int_equal(topo_open_other(&topo, FILE_NAME, NULL, &err), -EINVAL);
    if (strstr(err.text, words) == NULL)
        fail_msg("'%s' is not in '%s'", words, err.text);
}

#define XML "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"

static void files_of_other_versions_are_called_so(void **unused)
{
    refuses(XML "<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n"
                "<topology version=\"3.0\"></topology>",
            "is of a newer hwloc, version 3.0; here is 2");
    refuses(XML "<topology id='1' version=\"12.7\">", "version 12.7");
    refuses(XML "<topology version=\"2.0\"><object", "hwloc 2.0, but damaged");
    refuses(XML "<topology><object", "hwloc 1.0, but damaged");
    refuses(XML "<platform version=\"4.1\"/>", "is no XML file of lstopo");
    refuses("", "is no XML file of lstopo");
    remove(FILE_NAME);
}

TESTS(cmocka_unit_test(the_fastest_come_first), cmocka_unit_test(one_kind),
      cmocka_unit_test(slower_ones_are_counted),
      cmocka_unit_test(kinds_without_a_rank),
      cmocka_unit_test(files_of_other_versions_are_called_so))
