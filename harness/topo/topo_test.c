/* The places of workers: on described machines, and observed on this one. */
#include "harness/testing.h"

#include "harness/topo/topo_internal.h"

#include <errno.h>
#include <sys/mman.h>

/* Two sockets with two NUMA domains each; 128 cores, 256 hardware threads,
 * core c has processors 2c and 2c + 1. */
#define BIG "pack:2 numa:2 core:32 pu:2"

enum { CORES = 128, MOST = 300 };

static struct topo *other(const char *machine, const char *cpuset)
{
    struct error err = {""};
    struct topo *topo;
    if (topo_open_other(&topo, machine, cpuset, &err) != 0)
        fail_msg("%s", err.text);
    return topo;
}

static void assign(const struct topo *topo, enum topo_bind bind, bool smt,
                   int workers, int extra, int *processor)
{
    const struct topo_binding binding = {.bind = bind, .smt = smt};
    struct error err = {""};
    if (topo_assign(topo, &binding, 0, workers, extra, processor, &err) != 0)
        fail_msg("%s", err.text);
}

static void all_differ(const struct topo *topo, const int *processor, int count,
                       bool by_core)
{
    for (int i = 0; i < count; i++)
        for (int j = 0; j < i; j++) {
            struct topo_position a = topo_position(topo, processor[i]);
            struct topo_position b = topo_position(topo, processor[j]);
            if (by_core ? a.core == b.core : a.processor == b.processor)
                fail_msg("workers %d and %d of %d share %d", j, i, count,
                         a.processor);
        }
}

/* ---- machines ---- */

static void rooms_are_counted(void **unused)
{
    struct topo *topo = other(BIG, NULL);
    struct topo_room room;
    topo_room(topo, &room);
    static const int domains[] = {1, 2, 4}, cores[] = {128, 64, 32};
    for (int i = 0; i < TOPO_DOMAINS; i++) {
        assert_int_equal(room.domains[i], domains[i]);
        assert_int_equal(room.cores[i], cores[i]);
        assert_int_equal(room.processors[i], 2 * cores[i]);
    }
    assert_int_equal(topo_cores(topo), CORES);
    topo_close(topo);
}

/* As Slurm gives: part of a socket, and single hardware threads. */
static void a_cpuset_is_all_there_is(void **unused)
{
    struct topo *topo = other(BIG, "3,16-23,200-207");
    struct topo_room room;
    int processor[12];
    topo_room(topo, &room);
    assert_int_equal(topo_cores(topo), 9);
    assert_int_equal(room.domains[TOPO_NUMA], 2);
    assert_int_equal(room.cores[TOPO_NUMA], 4); /* 5 in the other */
    assign(topo, TOPO_SCATTER, false, 9, 0, processor);
    all_differ(topo, processor, 9, true);
    assign(topo, TOPO_COMPACT, false, 12, 0, processor);
    for (int i = 0; i < 12; i++)
        assert_true(processor[i] == 3 ||
                    (processor[i] >= 16 && processor[i] < 24) ||
                    (processor[i] >= 200 && processor[i] < 208));
    assert_int_equal(processor[9], 3); /* around */
    topo_close(topo);
}

static void wrong_machines_are_refused(void **unused)
{
    struct error err = {""};
    struct topo *topo;
    assert_int_equal(topo_open_other(&topo, "pac:2", NULL, &err), -EINVAL);
    assert_non_null(strstr(err.text, "'pac:2' is neither a file"));
    assert_int_equal(topo_open_other(&topo, "/etc/passwd", NULL, &err),
                     -EINVAL);
    assert_non_null(strstr(err.text, "/etc/passwd is no XML file"));
    static const char *const wrong[] = {"", "256", "0-300", "x", "3-"};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        if (topo_open_other(&topo, BIG, wrong[i], &err) == 0)
            fail_msg("cpuset '%s' was taken", wrong[i]);
        assert_non_null(strstr(err.text, "must be processors of 0-255"));
    }
}

/* Second memories, memory without cores and of a whole machine are no domains
 * of workers. */
static void only_nearest_memories_are_domains(void **unused)
{
    struct topo *topo = other("[numa] pack:2 [numa] [numa] core:4 pu:1", NULL);
    struct topo_room room;
    topo_room(topo, &room);
    assert_int_equal(room.domains[TOPO_NUMA], 2);
    assert_int_equal(room.cores[TOPO_NUMA], 4);
    topo_close(topo);
    topo = other("core:4 pu:1", NULL); /* no package */
    topo_room(topo, &room);
    assert_int_equal(room.domains[TOPO_SOCKET], 1);
    assert_int_equal(topo_position(topo, 3).socket, -1);
    topo_close(topo);
}

/* ---- orders ---- */

static void compact_fills_neighbours(void **unused)
{
    struct topo *topo = other(BIG, NULL);
    int processor[MOST];
    assign(topo, TOPO_COMPACT, false, CORES, 0, processor);
    for (int i = 0; i < CORES; i++)
        assert_int_equal(processor[i], 2 * i);
    assign(topo, TOPO_COMPACT, true, 2 * CORES, 0, processor);
    for (int i = 0; i < 2 * CORES; i++)
        assert_int_equal(processor[i], i);
    topo_close(topo);
}

static void scatter_goes_far_apart(void **unused)
{
    struct topo *topo = other(BIG, NULL);
    int processor[MOST];
    assign(topo, TOPO_SCATTER, false, 2, 0, processor);
    assert_int_equal(topo_position(topo, processor[0]).socket, 0);
    assert_int_equal(topo_position(topo, processor[1]).socket, 1);
    assign(topo, TOPO_SCATTER, true, 4, 0, processor);
    for (int i = 0; i < 4; i++)
        assert_int_equal(topo_position(topo, processor[i]).numa, i);
    for (int workers = 1; workers <= CORES; workers += 7) {
        assign(topo, TOPO_SCATTER, true, workers, 0, processor);
        all_differ(topo, processor, workers, true);
    }
    for (int workers = CORES; workers <= 2 * CORES; workers += 32) {
        assign(topo, TOPO_SCATTER, true, workers, 0, processor);
        all_differ(topo, processor, workers, false);
    }
    topo_close(topo);
}

static void ranks_stay_in_their_domains(void **unused)
{
    struct topo *topo = other(BIG, NULL);
    int processor[MOST];
    for (int scatter = 0; scatter < 2; scatter++)
        for (int domain = 0; domain < 6; domain++) {
            const struct topo_binding binding = {.bind = scatter ? TOPO_SCATTER
                                                                 : TOPO_COMPACT,
                                                 .domain = TOPO_NUMA,
                                                 .smt = domain % 2};
            int workers = binding.smt ? 64 : 32;
            assert_int_equal(topo_assign(topo, &binding, domain, workers, 0,
                                         processor, NULL),
                             0);
            all_differ(topo, processor, workers, !binding.smt);
            for (int i = 0; i < workers; i++)
                assert_int_equal(topo_position(topo, processor[i]).numa,
                                 domain % 4);
        }
    topo_close(topo);
}

static void lists_are_taken_in_order(void **unused)
{
    struct topo *topo = other(BIG, "0-15");
    struct topo_binding binding = {
        .bind = TOPO_LIST, .count = 3, .list = {14, 1, 1}};
    struct error err = {""};
    int processor[4];
    assert_int_equal(topo_assign(topo, &binding, 0, 4, 0, processor, &err), 0);
    static const int wanted[] = {14, 1, 1, 14};
    assert_memory_equal(processor, wanted, sizeof(wanted));
    binding.list[1] = 16;
    assert_int_equal(topo_assign(topo, &binding, 0, 4, 0, processor, &err),
                     -EINVAL);
    assert_non_null(strstr(err.text, "processor 16 is not among those"));
    assert_non_null(strstr(err.text, "here: 0-15"));
    topo_close(topo);
}

/* Dedicated masters wait: a free core where there is one, else a worker's. */
static void masters_take_what_is_left(void **unused)
{
    struct topo *topo = other("pack:2 core:4 pu:2", NULL);
    int processor[10];
    assign(topo, TOPO_SCATTER, false, 2, 1, processor);
    all_differ(topo, processor, 3, true);
    assign(topo, TOPO_SCATTER, false, 8, 2, processor);
    all_differ(topo, processor, 8, true);
    assert_int_equal(processor[8], processor[0]);
    assert_int_equal(processor[9], processor[1]);
    assign(topo, TOPO_NONE, false, 2, 1, processor);
    for (int i = 0; i < 3; i++)
        assert_int_equal(processor[i], -1);
    topo_close(topo);
}

/* ---- cores of two kinds ---- */

/* Eight performance cores of two hardware threads each, 0 to 15, and eight
 * efficiency cores of one, 16, 18, ... 30, as lstopo would save them. */
static void write_hybrid(const char *path)
{
    hwloc_topology_t topology;
    hwloc_bitmap_t fast = hwloc_bitmap_alloc(), slow = hwloc_bitmap_alloc();
    hwloc_bitmap_t all = hwloc_bitmap_alloc();
    hwloc_bitmap_set_range(fast, 0, 15);
    for (unsigned i = 16; i < 32; i += 2)
        hwloc_bitmap_set(slow, i);
    hwloc_bitmap_or(all, fast, slow);
    assert_int_equal(hwloc_topology_init(&topology), 0);
    assert_int_equal(
        hwloc_topology_set_synthetic(topology, "pack:1 core:16 pu:2"), 0);
    assert_int_equal(hwloc_topology_load(topology), 0);
    assert_int_equal(hwloc_topology_restrict(topology, all, 0), 0);
    assert_int_equal(hwloc_cpukinds_register(topology, fast, 1, 0, NULL, 0), 0);
    assert_int_equal(hwloc_cpukinds_register(topology, slow, 0, 0, NULL, 0), 0);
    assert_int_equal(hwloc_topology_export_xml(topology, path, 0), 0);
    hwloc_topology_destroy(topology);
    hwloc_bitmap_free(fast);
    hwloc_bitmap_free(slow);
    hwloc_bitmap_free(all);
}

static void hybrid_cores_are_cores(void **unused)
{
    char folder[4096], path[4200];
    int processor[32];
    testing_folder(folder, sizeof(folder));
    snprintf(path, sizeof(path), "%s/hybrid.xml", folder);
    write_hybrid(path);
    struct topo *topo = other(path, NULL);
    assert_int_equal(topo_cores(topo), 16);
    assert_int_equal(topo_processors(topo), 24);
    /* Shared out by hardware threads, fast cores would get two workers. */
    for (int workers = 1; workers <= 16; workers++)
        for (int smt = 0; smt < 2; smt++) {
            assign(topo, TOPO_SCATTER, smt, workers, 0, processor);
            all_differ(topo, processor, workers, true);
        }
    for (int workers = 17; workers <= 24; workers++) {
        assign(topo, TOPO_SCATTER, true, workers, 0, processor);
        all_differ(topo, processor, workers, false);
    }
    assign(topo, TOPO_COMPACT, false, 16, 0, processor);
    for (int i = 0; i < 16; i++)
        assert_int_equal(topo_position(topo, processor[i]).kind, i < 8);
    topo_close(topo);
    testing_folder_remove(folder);
}

/* ---- the table ---- */

static char *printed(const char *machine, const struct topo_binding *binding,
                     int ranks, int threads, int *shared)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    struct topo *topo = other(machine, NULL);
    *shared = topo_print(out, topo, binding, ranks, threads, NULL);
    topo_close(topo);
    fclose(out);
    return text;
}

static void the_table_says_where_and_who_shares(void **unused)
{
    struct topo_binding binding = {.domain = TOPO_SOCKET};
    int shared;
    char *text = printed("pack:2 core:2 pu:2", &binding, 2, 2, &shared);
    assert_int_equal(shared, 0);
    assert_non_null(strstr(
        text, "\n     2       1       0          4       4       1       0"));
    assert_null(strstr(text, "shares"));
    free(text);
    text = printed("pack:2 core:2 pu:2", &binding, 3, 2, &shared);
    assert_int_equal(shared, 2); /* the third rank is in socket 0 too */
    assert_non_null(strstr(text, "shares its core with worker 1"));
    free(text);
    binding.smt = true;
    text = printed("pack:2 core:2 pu:2", &binding, 3, 2, &shared);
    assert_int_equal(shared, 0);
    free(text);
    binding.bind = TOPO_NONE;
    text = printed("pack:2 core:2 pu:2", &binding, 3, 3, &shared);
    assert_int_equal(shared, 1);
    assert_non_null(strstr(text, "9 workers, room for 8"));
    free(text);
}

/* ---- this machine ---- */

static void what_is_bound_is_observed(void **unused)
{
    const struct topo_binding compact = {.bind = TOPO_COMPACT};
    const struct topo_binding none = {.bind = TOPO_NONE};
    struct error err = {""};
    struct topo *topo;
    assert_int_equal(topo_open(&topo, &err), 0);
    for (int w = 0; w < topo_cores(topo); w++) {
        int all[MOST];
        assign(topo, TOPO_COMPACT, false, topo_cores(topo), 0, all);
        assert_int_equal(topo_bind_self(topo, &compact, 0, all[w], &err), 0);
        struct topo_seen seen = topo_observe_self(topo);
        assert_true(seen.on_core && seen.on_processor);
        assert_int_equal(seen.position.processor, all[w]);
        assert_int_equal(seen.position.core, topo_position(topo, all[w]).core);
    }
    assert_int_equal(topo_bind_self(topo, &none, 0, -1, &err), 0);
    assert_int_equal(topo_observe_self(topo).on_core, topo_cores(topo) == 1);
    topo_close(topo);
}

static void memory_goes_where_it_is_bound(void **unused)
{
    enum { BYTES = 1 << 16 };
    struct error err = {""};
    struct topo *topo;
    assert_int_equal(topo_open(&topo, &err), 0);
    if (!hwloc_topology_get_support(topo->handle)->membind->set_area_membind) {
        topo_close(topo);
        skip();
    }
    int processor[1];
    assign(topo, TOPO_COMPACT, false, 1, 0, processor);
    uint64_t node = (uint64_t)1 << topo_position(topo, processor[0]).numa;
    char *memory = mmap(NULL, BYTES, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(memory != MAP_FAILED);
    memset(memory, 1, BYTES);
    if (topo_place_memory(topo, memory + 1, BYTES - 1, true, processor[0],
                          &err) != 0)
        fail_msg("%s", err.text);
    assert_int_equal(memory[0], 1); /* its page is not whole */
    assert_int_equal(memory[BYTES - 1], 0);
    assert_int_equal(topo_memory_nodes(topo, memory + BYTES / 2, 4096), 0);
    memset(memory, 1, BYTES);
    assert_int_equal(topo_memory_nodes(topo, memory, BYTES), node);
    hwloc_bitmap_t set = hwloc_bitmap_alloc();
    hwloc_membind_policy_t policy;
    assert_int_equal(hwloc_get_area_membind(topo->handle, memory + BYTES / 2,
                                            4096, set, &policy,
                                            HWLOC_MEMBIND_BYNODESET),
                     0);
    assert_int_equal(policy, HWLOC_MEMBIND_BIND);
    hwloc_bitmap_free(set);
    munmap(memory, BYTES);
    topo_close(topo);
}

TESTS(cmocka_unit_test(rooms_are_counted),
      cmocka_unit_test(a_cpuset_is_all_there_is),
      cmocka_unit_test(wrong_machines_are_refused),
      cmocka_unit_test(only_nearest_memories_are_domains),
      cmocka_unit_test(compact_fills_neighbours),
      cmocka_unit_test(scatter_goes_far_apart),
      cmocka_unit_test(ranks_stay_in_their_domains),
      cmocka_unit_test(lists_are_taken_in_order),
      cmocka_unit_test(masters_take_what_is_left),
      cmocka_unit_test(hybrid_cores_are_cores),
      cmocka_unit_test(the_table_says_where_and_who_shares),
      cmocka_unit_test(what_is_bound_is_observed),
      cmocka_unit_test(memory_goes_where_it_is_bound))
