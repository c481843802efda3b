/* Reports on simulated machines: good, bad, and unreadable ones. */
#include "base/unit_testing.h"

#include "base/system/root_testing.h"
#include "bench/doctor/doctor.h"

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

/* One check of a machine, which is removed afterwards. */
static struct finding check(struct tree *tree, void (*of)(struct doctor *))
{
    static const struct finding none = {HEALTH_FINE, "", ""};
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
    struct tree tree;
    begin(&tree, "0-7");
    tree_write(&tree, TOP "/job/cpu.max", "max 100000\n");
    expect(check(&tree, doctor_quota), HEALTH_FINE, "no CPU quota");
    begin(&tree, "0-7");
    tree_write(&tree, TOP "/job/cpu.max", "250000 100000\n");
    expect(check(&tree, doctor_quota), HEALTH_BAD, "2.5 of 8 processors'");
    begin(&tree, "0-7");
    tree_write(&tree, TOP "/job/cpu.max", "900000 100000\n");
    tree_write(&tree, TOP "/job/cpu.stat",
               "usage_usec 5\nnr_periods 9\nnr_throttled 7\n");
    expect(check(&tree, doctor_quota), HEALTH_WARNING, "stopped 7 times");
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
    doctor_others(&doctor, &before, &after, 1);
    assert_int_equal(doctor.count, 2);
    expect(doctor.list[0], HEALTH_BAD, "had 25.0 % of the cores");
    expect(doctor.list[1], HEALTH_BAD, "took 10.0 % of the cores");
    doctor.count = 0;
    doctor_others(&doctor, &before, &before, 1);
    expect(doctor.list[0], HEALTH_FINE, "had 0.0 % of the cores");
    expect(doctor.list[1], HEALTH_FINE, "took 0.0 % of the cores");
    doctor.count = 0;
    before.processors = 0;
    doctor_others(&doctor, &before, &after, 1);
    expect(doctor.list[0], HEALTH_WARNING, "cannot be read");
    tree_remove(&tree);
}

static void pressure_clock_and_governor(void **unused)
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
    tree_write(&tree,
               "/sys/devices/system/clocksource/clocksource0/"
               "current_clocksource",
               "hpet\n");
    expect(check(&tree, doctor_clock_source), HEALTH_WARNING, "'hpet', which");
    begin(&tree, "0-7");
    tree_write(&tree, "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor",
               "powersave\n");
    expect(check(&tree, doctor_governor), HEALTH_FINE, "by 'powersave'");
}

static void shared_memory_that_is_not_there(void **unused)
{
    struct tree tree;
    struct doctor doctor;
    begin(&tree, "0-7");
    doctor_open(&doctor, tree.path);
    doctor_limits(&doctor);
    expect(doctor.list[0], HEALTH_BAD, "/dev/shm cannot be used");
    tree_remove(&tree);
}

TESTS(cmocka_unit_test(cores), cmocka_unit_test(quotas),
      cmocka_unit_test(others_and_the_hypervisor),
      cmocka_unit_test(pressure_clock_and_governor),
      cmocka_unit_test(shared_memory_that_is_not_there))
