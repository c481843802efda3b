/* What is available, from files as the kernel writes them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A folder in place of the root of the file system. */
struct root {
    char path[64];
};

static void make(struct root *root)
{
    strcpy(root->path, "/tmp/dlsbench-memory-XXXXXX");
    assert_non_null(mkdtemp(root->path));
}

static void write_file(const struct root *root, const char *name,
                       const char *text)
{
    char command[512], path[256];
    snprintf(path, sizeof(path), "%s%s", root->path, name);
    snprintf(command, sizeof(command), "mkdir -p \"$(dirname '%s')\"", path);
    assert_int_equal(system(command), 0);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static double available(struct root *root)
{
    char command[128];
    double bytes = memory_available_below(root->path);
    snprintf(command, sizeof(command), "rm -r '%s'", root->path);
    assert_int_equal(system(command), 0);
    return bytes;
}

#define MEMINFO "MemTotal:  100 kB\nMemFree: 1 kB\nMemAvailable:   50 kB\n"

static void the_system_alone(void **unused)
{
    (void)unused;
    struct root root;
    make(&root);
    write_file(&root, "/proc/meminfo", MEMINFO);
    assert_true(available(&root) == 50 * 1024);
}

static void groups_of_version_2(void **unused)
{
    (void)unused;
    struct root root;
    make(&root);
    write_file(&root, "/proc/meminfo", MEMINFO);
    write_file(&root, "/proc/self/cgroup", "0::/job/step\n");
    write_file(&root, "/sys/fs/cgroup/job/memory.max", "40000\n");
    write_file(&root, "/sys/fs/cgroup/job/memory.current", "15000\n");
    write_file(&root, "/sys/fs/cgroup/job/memory.stat",
               "anon 9000\nfile 6000\ninactive_file 2000\nactive_file 500\n");
    write_file(&root, "/sys/fs/cgroup/job/step/memory.max", "max\n");
    write_file(&root, "/sys/fs/cgroup/job/step/memory.current", "14000\n");
    assert_true(available(&root) == 40000 - 15000 + 2500);
}

static void groups_of_version_1(void **unused)
{
    (void)unused;
    struct root root;
    make(&root);
    write_file(&root, "/proc/meminfo", MEMINFO);
    write_file(&root, "/proc/self/cgroup",
               "9:name=systemd:/\n5:cpu,memory:/here\n0::/\n");
    write_file(&root, "/sys/fs/cgroup/memory/memory.limit_in_bytes",
               "9223372036854771712\n");
    write_file(&root, "/sys/fs/cgroup/memory/memory.usage_in_bytes", "70000\n");
    write_file(&root, "/sys/fs/cgroup/memory/here/memory.limit_in_bytes",
               "30000\n");
    write_file(&root, "/sys/fs/cgroup/memory/here/memory.usage_in_bytes",
               "29000\n");
    assert_true(available(&root) == 1000);
}

/* A container sees the host's path, and its own group at the top. */
static void a_path_that_is_not_there(void **unused)
{
    (void)unused;
    struct root root;
    make(&root);
    write_file(&root, "/proc/meminfo", MEMINFO);
    write_file(&root, "/proc/self/cgroup", "0::/host/only\n");
    write_file(&root, "/sys/fs/cgroup/memory.max", "7000\n");
    write_file(&root, "/sys/fs/cgroup/memory.current", "8000\n");
    assert_true(available(&root) == 0);
}

static void this_machine(void **unused)
{
    (void)unused;
    assert_true(memory_available() > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_system_alone),
        cmocka_unit_test(groups_of_version_2),
        cmocka_unit_test(groups_of_version_1),
        cmocka_unit_test(a_path_that_is_not_there),
        cmocka_unit_test(this_machine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
