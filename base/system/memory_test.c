/* Available memory, from files in the kernel's format. */
#include "base/unit_testing.h"

#include "base/system/memory.h"

#include "base/system/root_testing.h"

static double available(const struct tree *root)
{
    double bytes = memory_available_below(root->path);
    tree_remove(root);
    return bytes;
}

#define MOUNTS                                                                 \
    "30 22 0:27 / /sys/fs/cgroup rw - tmpfs tmpfs rw\n"                        \
    "31 30 0:28 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,cpu,memory\n"    \
    "40 30 0:37 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"
#define MEMINFO "MemTotal:  100 kB\nMemFree: 1 kB\nMemAvailable:   50 kB\n"

static void the_system_alone(void **unused)
{
    struct tree root;
    tree_make(&root);
    tree_write(&root, "/proc/meminfo", MEMINFO);
    assert_true(available(&root) == 50 * 1024);
}

static void groups_of_version_2(void **unused)
{
    struct tree root;
    tree_make(&root);
    tree_write(&root, "/proc/meminfo", MEMINFO);
    tree_write(&root, "/proc/self/mountinfo", MOUNTS);
    tree_write(&root, "/proc/self/cgroup", "0::/job/step\n");
    tree_write(&root, "/sys/fs/cgroup/job/memory.max", "40000\n");
    tree_write(&root, "/sys/fs/cgroup/job/memory.current", "15000\n");
    tree_write(&root, "/sys/fs/cgroup/job/memory.stat",
               "anon 9000\nfile 6000\ninactive_file 2000\nactive_file 500\n");
    tree_write(&root, "/sys/fs/cgroup/job/step/memory.max", "max\n");
    tree_write(&root, "/sys/fs/cgroup/job/step/memory.current", "14000\n");
    assert_true(available(&root) == 40000 - 15000 + 2500);
}

static void groups_of_version_1(void **unused)
{
    struct tree root;
    tree_make(&root);
    tree_write(&root, "/proc/meminfo", MEMINFO);
    tree_write(&root, "/proc/self/mountinfo", MOUNTS);
    tree_write(&root, "/proc/self/cgroup",
               "9:name=systemd:/\n5:cpu,memory:/here\n0::/\n");
    tree_write(&root, "/sys/fs/cgroup/memory/memory.limit_in_bytes",
               "9223372036854771712\n");
    tree_write(&root, "/sys/fs/cgroup/memory/memory.usage_in_bytes", "70000\n");
    tree_write(&root, "/sys/fs/cgroup/memory/here/memory.limit_in_bytes",
               "30000\n");
    tree_write(&root, "/sys/fs/cgroup/memory/here/memory.usage_in_bytes",
               "29000\n");
    assert_true(available(&root) == 1000);
}

/* A container sees the host's path, and its own group at the top. */
static void a_path_that_is_not_there(void **unused)
{
    struct tree root;
    tree_make(&root);
    tree_write(&root, "/proc/meminfo", MEMINFO);
    tree_write(&root, "/proc/self/mountinfo", MOUNTS);
    tree_write(&root, "/proc/self/cgroup", "0::/host/only\n");
    tree_write(&root, "/sys/fs/cgroup/memory.max", "7000\n");
    tree_write(&root, "/sys/fs/cgroup/memory.current", "8000\n");
    assert_true(available(&root) == 0);
}

static void this_machine(void **unused)
{
    assert_true(memory_available() > 0);
}

TESTS(cmocka_unit_test(the_system_alone), cmocka_unit_test(groups_of_version_2),
      cmocka_unit_test(groups_of_version_1),
      cmocka_unit_test(a_path_that_is_not_there),
      cmocka_unit_test(this_machine))
