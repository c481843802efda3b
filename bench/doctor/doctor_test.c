/* Reports on simulated machines: good, bad, and unreadable ones. */
#include "base/unit_testing.h"

#include "base/system/root_testing.h"
#include "bench/doctor/doctor.h"
#include "harness/engine/engine.h"

#include <math.h>
#include <sys/resource.h>

#define TOP "/sys/fs/cgroup"

static void begin(struct tree *tree, const char *mask)
{
    char text[64];
    tree_make(tree);
    snprintf(text, sizeof(text), "Cpus_allowed_list:\t%s\n", mask);
    tree_write(tree, "/sys/devices/system/cpu/online", "0-7\n");
    tree_write(tree, "/proc/self/status", text);
    tree_write(tree, "/proc/self/mountinfo",
               "40 30 0:37 / " TOP " rw - cgroup2 cgroup2 rw\n");
    tree_write(tree, "/proc/self/cgroup", "0::/job\n");
}

static const struct finding none = {HEALTH_FINE, "", ""};

/* One check of a machine, which is removed afterwards. */
static struct finding check(struct tree *tree, void (*of)(struct doctor *))
{
    struct doctor doctor;
    doctor_open(&doctor, tree->path);
    of(&doctor);
    tree_remove(tree);
    assert_true(doctor.count <= 1);
    return doctor.count == 1 ? doctor.list[0] : none;
}

static void expect(struct finding found, enum health health, const char *words)
{
    assert_int_equal(found.health, health);
    if (strstr(found.text, words) == NULL)
        fail_msg("'%s' is not in '%s'", words, found.text);
}

static void cores(void **unused)
{
    struct tree tree;
    begin(&tree, "0-7");
    expect(check(&tree, doctor_cores), HEALTH_FINE, "all 8 processors");
    begin(&tree, "2,3");
    expect(check(&tree, doctor_cores), HEALTH_WARNING, "2 of 8 processors");
    begin(&tree, "5");
    expect(check(&tree, doctor_cores), HEALTH_BAD, "processor 5 alone, of 8");
    tree_make(&tree);
    expect(check(&tree, doctor_cores), HEALTH_WARNING, "cannot be read");
}

static void quotas(void **unused)
{
    static const struct {
        const char *quota, *stopped; /* NULL: no such file */
        enum health health;
        const char *words;
    } cases[] = {
        {"max 100000\n", NULL, HEALTH_FINE, "no CPU quota"},
        {"250000 100000\n", NULL, HEALTH_BAD, "2.5 of 8 processors'"},
        {"250000 100000\n", NULL, HEALTH_BAD, "use at most 2, or raise"},
        {"50000 100000\n", NULL, HEALTH_BAD, "filled up; raise it"},
        {"900000 100000\n", "usage_usec 5\nnr_periods 9\nnr_throttled 7\n",
         HEALTH_WARNING, "stopped 7 times"},
        {"half\n", NULL, HEALTH_WARNING,
         "not known: " TOP "/job/cpu.max: not a quota"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct tree tree;
        begin(&tree, "0-7");
        tree_write(&tree, TOP "/job/cpu.max", cases[i].quota);
        if (cases[i].stopped != NULL)
            tree_write(&tree, TOP "/job/cpu.stat", cases[i].stopped);
        expect(check(&tree, doctor_quota), cases[i].health, cases[i].words);
    }
}

static void others_and_the_hypervisor(void **unused)
{
    struct tree tree;
    struct doctor doctor;
    struct busy before, after;
    begin(&tree, "0,1");
    tree_write(&tree, "/proc/stat",
               "cpu 0 0 0 0\ncpu0 100 0 0 900 0 0 0 0\n"
               "cpu1 0 0 0 1000 0 0 0 0\ncpu2 0 0 0 0 0 0 0 0\n");
    doctor_open(&doctor, tree.path);
    busy_read(tree.path, &doctor.allowed.mask, &before);
    /* Of 2 processors in a second of 100 ticks: 50 of others, 20 stolen. */
    tree_write(&tree, "/proc/stat",
               "cpu 0 0 0 0\ncpu0 150 0 0 930 0 0 0 20\n"
               "cpu1 0 0 0 1100 0 0 0 0\ncpu2 100 0 0 0 0 0 0 0\n");
    busy_read(tree.path, &doctor.allowed.mask, &after);
    assert_false(doctor_others(&doctor, &before, &after, 1));
    assert_int_equal(doctor.count, 2);
    expect(doctor.list[0], HEALTH_BAD, "had 25.0 % of the cores");
    expect(doctor.list[1], HEALTH_BAD, "took 10.0 % of the cores");
    doctor.count = 0;
    assert_true(doctor_others(&doctor, &before, &before, 1));
    expect(doctor.list[0], HEALTH_FINE, "had 0.0 % of the cores");
    expect(doctor.list[1], HEALTH_FINE, "took 0.0 % of the cores");
    doctor.count = 0;
    after = before;
    after.seconds += 0.1; /* of 2 s; the hypervisor had 0.02 of it */
    after.stolen_s += 0.02;
    doctor_others(&doctor, &before, &after, 1);
    expect(doctor.list[0], HEALTH_WARNING, "had 4.0 % of the cores");
    expect(doctor.list[1], HEALTH_WARNING, "took 1.0 % of the cores");
    doctor.count = 0;
    before.processors = 0;
    doctor_others(&doctor, &before, &after, 1);
    expect(doctor.list[0], HEALTH_WARNING, "cannot be read");
    tree_remove(&tree);
}

static void hand_over(void **unused)
{
    struct doctor doctor = {.count = 0};
    double seconds[20];
    for (int i = 0; i < 20; i++)
        seconds[i] = (50 + i) * 1e-9;
    seconds[3] = seconds[7] = 1e-3; /* interrupted */
    doctor_handover(&doctor, seconds, 20);
    expect(doctor.list[0], HEALTH_FINE, "after 61 ns");
    for (int i = 12; i < 20; i++)
        seconds[i] += 200e-9;
    doctor_handover(&doctor, seconds, 20);
    expect(doctor.list[1], HEALTH_WARNING,
           "after 56 ns at times and after 266 ns at others");
}

static void pressure_and_governor(void **unused)
{
    struct tree tree;
    begin(&tree, "0-7");
    tree_write(&tree, "/proc/pressure/cpu",
               "some avg10=0.12 avg60=9 avg300=9 total=1\n");
    expect(check(&tree, doctor_pressure), HEALTH_FINE, "0 % of the last");
    begin(&tree, "0-7");
    tree_write(&tree, "/proc/pressure/cpu",
               "some avg10=35.00 avg60=9 avg300=9 total=1\n");
    expect(check(&tree, doctor_pressure), HEALTH_WARNING, "35 % of the last");
    begin(&tree, "0-7");
    assert_string_equal(check(&tree, doctor_pressure).text, "");
    begin(&tree, "0-7");
    tree_write(&tree, "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor",
               "powersave\n");
    expect(check(&tree, doctor_governor), HEALTH_FINE, "by 'powersave'");
}

static void reading_the_clock(void **unused)
{
    struct tree tree;
    struct doctor doctor;
    begin(&tree, "0-7");
    doctor_open(&doctor, tree.path);
    doctor_clock_source(&doctor, 20);
    tree_write(&tree,
               "/sys/devices/system/clocksource/clocksource0/"
               "current_clocksource",
               "hpet\n");
    doctor_clock_source(&doctor, 900);
    expect(doctor.list[0], HEALTH_FINE, "takes 20 ns (an unknown source)");
    expect(doctor.list[1], HEALTH_WARNING, "takes 900 ns (hpet): --timing");
    assert_true(engine_measure_clock() > 0);
    tree_remove(&tree);
}

static void speed(void **unused)
{
    static const struct {
        double share, ratio;
        enum health core, frequency;
        const char *words;
    } cases[] = {
        {1, 1, HEALTH_FINE, HEALTH_FINE, "1.00 times as fast"},
        {0.98, 0.9, HEALTH_FINE, HEALTH_WARNING, "rises, or others slowed it"},
        {0.98, 1.1, HEALTH_FINE, HEALTH_WARNING,
         "the clock falls, or others slow"},
        {0.9, 0.5, HEALTH_WARNING, HEALTH_FINE, ""},
        {0.5, 1, HEALTH_BAD, HEALTH_FINE, ""},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct doctor doctor = {.root = ""};
        doctor_speed(&doctor, cases[i].share, cases[i].ratio, "taken");
        if (cases[i].share < 0.97)
            expect(doctor.list[0], cases[i].core, "of a core: taken");
        assert_int_equal(doctor.list[0].health, cases[i].core);
        assert_int_equal(doctor.count, cases[i].share < 0.97 ? 1 : 2);
        if (doctor.count == 2)
            expect(doctor.list[1], cases[i].frequency, cases[i].words);
    }
}

/* 0.4 s of a core were lost. */
static void who_has_the_rest_of_a_core(void **unused)
{
    static const struct {
        double throttled_s, others_s, stolen_s;
        int processors;
        const char *words;
    } cases[] = {
        {0.4, 0.4, 0, 1, "a CPU quota takes"},
        {0.1, 0.4, 0, 1, "other processes have"},
        {0, 0.4, 0.3, 1, "the hypervisor takes"},
        {0, 0.1, 0, 1, "no process here has"},
        {0, 0, 0, 0, "nobody knows"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct busy before = {5, 1, cases[i].processors};
        const struct busy after = {5 + cases[i].others_s + cases[i].stolen_s,
                                   1 + cases[i].stolen_s, cases[i].processors};
        const char *found =
            doctor_taker(&before, &after, cases[i].throttled_s, 0.4);
        if (strstr(found, cases[i].words) == NULL)
            fail_msg("'%s' is not in '%s'", cases[i].words, found);
    }
}

/* By the names that both versions of control groups give it. */
static void what_quotas_took(void **unused)
{
    struct tree tree;
    tree_make(&tree);
    tree_write(&tree, "/proc/self/cgroup", "1:cpu:/job\n0::/job\n");
    tree_write(&tree, "/proc/self/mountinfo",
               "1 1 0:1 / " TOP "/cpu rw - cgroup cgroup rw,cpu\n"
               "2 1 0:2 / " TOP "/unified rw - cgroup2 cgroup2 rw\n");
    tree_write(&tree, TOP "/cpu/job/cpu.stat", "throttled_time 2000000000\n");
    tree_write(&tree, TOP "/unified/job/cpu.stat", "throttled_usec 500000\n");
    struct doctor doctor = {.root = tree.path};
    assert_true(fabs(doctor_throttled(&doctor) - 2.5) < 1e-9);
    tree_remove(&tree);
}

/* What the limits of a machine with this file add to the list. */
static struct finding limit(const char *file, const char *text,
                            const char *name)
{
    struct tree tree;
    struct doctor doctor;
    struct finding found = none;
    begin(&tree, "0-7");
    tree_write(&tree, TOP "/job/pids.current", "100\n");
    tree_write(&tree, file, text);
    doctor_open(&doctor, tree.path);
    doctor_limits(&doctor);
    for (int i = 0; i < doctor.count; i++)
        if (strcmp(doctor.list[i].name, name) == 0)
            found = doctor.list[i];
    tree_remove(&tree);
    return found;
}

static void room_and_tasks(void **unused)
{
    expect(limit("/other", "", "shared memory"), HEALTH_BAD,
           "/dev/shm cannot be used");
    expect(limit("/dev/shm/file", "", "shared memory"), HEALTH_FINE, "free");
    expect(limit(TOP "/job/pids.max", "max\n", "tasks"), HEALTH_FINE, "");
    expect(limit(TOP "/job/pids.max", "9999\n", "tasks"), HEALTH_FINE, "");
    expect(limit(TOP "/job/pids.max", "120\n", "tasks"), HEALTH_WARNING,
           "allows 20 more");
}

/* Each with a limit of this process that is lower for a moment. */
static void limits_of_a_process(void **unused)
{
    static const struct {
        int resource;
        const char *file, *name;
        enum health health;
    } cases[] = {
        {RLIMIT_NOFILE, "/other", "open files", HEALTH_WARNING},
        {RLIMIT_NPROC, "/other", "processes", HEALTH_WARNING},
        {RLIMIT_MEMLOCK, "/other", "locked memory", HEALTH_FINE},
        {RLIMIT_MEMLOCK, "/sys/class/infiniband/mlx5_0", "locked memory",
         HEALTH_WARNING},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct rlimit before, low;
        __rlimit_resource_t resource = (__rlimit_resource_t)cases[i].resource;
        assert_int_equal(getrlimit(resource, &before), 0);
        low = before;
        low.rlim_cur = 511;
        assert_int_equal(setrlimit(resource, &low), 0);
        struct finding found = limit(cases[i].file, "", cases[i].name);
        assert_int_equal(setrlimit(resource, &before), 0);
        expect(found, cases[i].health,
               cases[i].health == HEALTH_FINE ? "" : "511 are allowed");
    }
}

TESTS(cmocka_unit_test(cores), cmocka_unit_test(quotas),
      cmocka_unit_test(others_and_the_hypervisor), cmocka_unit_test(hand_over),
      cmocka_unit_test(pressure_and_governor),
      cmocka_unit_test(reading_the_clock), cmocka_unit_test(speed),
      cmocka_unit_test(who_has_the_rest_of_a_core),
      cmocka_unit_test(what_quotas_took), cmocka_unit_test(room_and_tasks),
      cmocka_unit_test(limits_of_a_process))
