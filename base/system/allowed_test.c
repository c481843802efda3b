/* The limits of a process, from files in the kernel's format. */
#include "base/unit_testing.h"

#include "base/system/allowed.h"
#include "base/system/root_testing.h"

#include <math.h>
#include <unistd.h>

#define TOP "/sys/fs/cgroup"
#define V1(top)                                                                \
    "30 22 0:27 / " TOP " rw,relatime - tmpfs tmpfs rw,mode=755\n"             \
    "31 30 0:28 " top " " TOP "/cpu,cpuacct rw shared:9 - cgroup cgroup "      \
    "rw,cpu,cpuacct\n"                                                         \
    "32 30 0:29 / " TOP "/cpuset rw - cgroup cgroup rw,cpuset\n"
#define V2(top)                                                                \
    "40 30 0:37 " top " " TOP " rw - cgroup2 cgroup2 rw,nsdelegate\n"

static void begin(struct tree *tree, const char *mounts, const char *groups)
{
    tree_make(tree);
    tree_write(tree, "/sys/devices/system/cpu/online", "0-7\n");
    tree_write(tree, "/proc/self/status",
               "Name:\tx\nCpus_allowed:\tff\nCpus_allowed_list:\t0-3,6\n");
    tree_write(tree, "/proc/self/mountinfo", mounts);
    if (groups != NULL)
        tree_write(tree, "/proc/self/cgroup", groups);
}

static struct allowed end(const struct tree *tree)
{
    struct allowed allowed;
    allowed_read(tree->path, &allowed);
    tree_remove(tree);
    return allowed;
}

static void the_mask(void **unused)
{
    char text[32], few[4];
    struct tree tree;
    begin(&tree, V2("/"), "0::/\n");
    struct allowed allowed = end(&tree);
    assert_int_equal(allowed_count(&allowed.mask), 5);
    allowed_text(&allowed.mask, text, sizeof(text));
    assert_string_equal(text, "0-3,6");
    allowed_text(&allowed.mask, few, sizeof(few));
    assert_string_equal(few, "0-3");
    assert_int_equal(allowed.machine, 8);
    assert_int_equal(allowed.cpuset, 0);
    assert_true(isinf(allowed.quota));
    assert_string_equal(allowed.unknown, "");
    assert_int_equal(allowed_by(&allowed, 5), ALLOWED_MASK);
    assert_int_equal(allowed_by(&allowed, 8), ALLOWED_MACHINE);
}

static void processors_that_are_not_there(void **unused)
{
    struct tree tree;
    begin(&tree, V2("/"), "0::/\n");
    tree_write(&tree, "/proc/self/status", "Cpus_allowed_list:\t0-239\n");
    struct allowed allowed = end(&tree);
    assert_int_equal(allowed_count(&allowed.mask), 8);
    assert_int_equal(allowed_by(&allowed, 8), ALLOWED_MACHINE);
}

static void version_1(void **unused)
{
    struct tree tree;
    begin(&tree, V1("/"),
          "9:name=systemd:/\n4:cpu,cpuacct:/a/b\n3:cpuset:/c\n0::/\n");
    tree_write(&tree, TOP "/cpu,cpuacct/a/b/cpu.cfs_quota_us", "-1\n");
    tree_write(&tree, TOP "/cpu,cpuacct/a/b/cpu.cfs_period_us", "100000\n");
    tree_write(&tree, TOP "/cpu,cpuacct/a/cpu.cfs_quota_us", "75000\n");
    tree_write(&tree, TOP "/cpu,cpuacct/a/cpu.cfs_period_us", "50000\n");
    tree_write(&tree, TOP "/cpuset/c/cpuset.cpus", "0-3,6\n");
    struct allowed allowed = end(&tree);
    assert_true(allowed.quota == 1.5);
    assert_string_equal(allowed.quota_file,
                        TOP "/cpu,cpuacct/a/cpu.cfs_quota_us");
    assert_string_equal(allowed.unknown, "");
    assert_int_equal(allowed.cpuset, 5);
    assert_int_equal(allowed_by(&allowed, 5), ALLOWED_QUOTA);
    assert_int_equal(allowed_by(&allowed, 1), ALLOWED_MASK);
}

/* The least of all parents counts. */
static void version_2(void **unused)
{
    struct tree tree;
    begin(&tree, V2("/"), "0::/user.slice/job\n");
    tree_write(&tree, TOP "/user.slice/cpu.max", "250000\n");
    tree_write(&tree, TOP "/user.slice/job/cpu.max", "max 100000\n");
    tree_write(&tree, TOP "/user.slice/cpuset.cpus.effective", "0-3\n");
    struct allowed allowed = end(&tree);
    assert_true(allowed.quota == 2.5);
    assert_int_equal(allowed.cpuset, 4);
    assert_int_equal(allowed_by(&allowed, 2), ALLOWED_MASK);
    allowed.quota = INFINITY;
    assert_int_equal(allowed_by(&allowed, 4), ALLOWED_CPUSET);
}

/* A container whose mount begins at its own group, on a path with a blank. */
static void a_container(void **unused)
{
    struct tree tree;
    begin(&tree,
          "40 30 0:37 /docker/abc /my\\040groups rw - cgroup2 cgroup2 rw\n",
          "0::/docker/abc/in\n");
    tree_write(&tree, "/my groups/cpu.max", "50000 100000\n");
    tree_write(&tree, "/my groups/in/cpu.max", "90000 100000\n");
    struct allowed allowed = end(&tree);
    assert_true(allowed.quota == 0.5);
    assert_string_equal(allowed.unknown, "");
}

/* A container's name space hides the host's path. */
static void a_path_that_is_not_there(void **unused)
{
    struct tree tree;
    begin(&tree, V2("/"), "0::/host/only\n");
    tree_write(&tree, TOP "/cpu.max", "20000 100000\n");
    struct allowed allowed = end(&tree);
    assert_true(allowed.quota == 0.2);
}

static void what_is_not_known(void **unused)
{
    struct tree tree;
    struct allowed allowed;
    /* No mount shows the group. */
    begin(&tree, V2("/other"), "0::/job\n");
    assert_non_null(strstr(end(&tree).unknown, "/job"));
    begin(&tree, "1 2 0:1 / / rw - ext4 disk rw\n", "4:cpu:/job\n");
    assert_non_null(strstr(end(&tree).unknown, "/job"));
    /* A folder in the place of the file cannot be read, not even by root. */
    begin(&tree, V2("/"), "0::/job\n");
    tree_write(&tree, TOP "/job/cpu.max/x", "");
    tree_write(&tree, TOP "/cpu.max", "300000 100000\n");
    allowed = end(&tree);
    assert_true(allowed.quota == 3);
    assert_non_null(strstr(allowed.unknown, TOP "/job/cpu.max: "));
    begin(&tree, V2("/"), "0::/job\n");
    tree_write(&tree, TOP "/job/cpu.max", "many\n");
    assert_non_null(strstr(end(&tree).unknown, "not a quota"));
}

static void systems_without(void **unused)
{
    struct tree tree;
    struct allowed allowed;
    begin(&tree, V2("/"), NULL);
    assert_string_equal(end(&tree).unknown, "");
    tree_make(&tree);
    allowed = end(&tree);
    assert_non_null(strstr(allowed.unknown, "/proc/self/cgroup: "));
    assert_int_equal(allowed_count(&allowed.mask), 0);
}

static void this_machine(void **unused)
{
    struct allowed allowed;
    allowed_read("", &allowed);
    assert_int_equal(allowed.machine, (int)sysconf(_SC_NPROCESSORS_ONLN));
    assert_true(allowed_count(&allowed.mask) > 0);
    assert_true(allowed.quota > 0);
}

TESTS(cmocka_unit_test(the_mask),
      cmocka_unit_test(processors_that_are_not_there),
      cmocka_unit_test(version_1), cmocka_unit_test(version_2),
      cmocka_unit_test(a_container), cmocka_unit_test(a_path_that_is_not_there),
      cmocka_unit_test(what_is_not_known), cmocka_unit_test(systems_without),
      cmocka_unit_test(this_machine))
