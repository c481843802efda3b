/* Joules of packages, from files as the kernel writes them. */
#include "base/unit_testing.h"

#include "base/system/energy.h"

#include "base/system/root_testing.h"

#define ZONE "/sys/class/powercap/intel-rapl:"

static void write_package(const struct tree *root, const char *zone,
                          const char *name, const char *energy)
{
    char path[128];
    snprintf(path, sizeof(path), ZONE "%s/name", zone);
    tree_write(root, path, name);
    snprintf(path, sizeof(path), ZONE "%s/max_energy_range_uj", zone);
    tree_write(root, path, "262143328850\n");
    snprintf(path, sizeof(path), ZONE "%s/energy_uj", zone);
    if (energy != NULL)
        tree_write(root, path, energy);
}

static void packages_add_up_and_come_round(void **unused)
{
    struct energy energy;
    struct tree root;
    tree_make(&root);
    write_package(&root, "0", "package-0\n", "1000000\n");
    write_package(&root, "0:0", "core\n", "5\n");
    write_package(&root, "1", "package-1\n", "262143328000\n");
    write_package(&root, "2", "psys\n", "7\n");
    energy_open(&energy, root.path);
    assert_int_equal(energy.packages, 2);
    tree_write(&root, ZONE "0/energy_uj", "3500000\n");
    tree_write(&root, ZONE "1/energy_uj", "999150\n");
    energy_read(&energy);
    assert_float_equal(energy.joules, 2.5 + 1, 1e-9);
    energy_read(&energy);
    assert_float_equal(energy.joules, 2.5 + 1, 1e-9);
    tree_write(&root, ZONE "0/energy_uj", "4000000\n");
    energy_read(&energy);
    assert_float_equal(energy.joules, 4, 1e-9);
    tree_remove(&root);
}

static void what_cannot_be_read_is_no_package(void **unused)
{
    struct energy energy;
    struct tree root;
    tree_make(&root);
    energy_open(&energy, root.path);
    assert_int_equal(energy.packages, 0);
    write_package(&root, "0", "package-0\n", NULL);
    write_package(&root, "1", "package-1\n", "words\n");
    energy_open(&energy, root.path);
    assert_int_equal(energy.packages, 0);
    tree_remove(&root);
}

TESTS(cmocka_unit_test(packages_add_up_and_come_round),
      cmocka_unit_test(what_cannot_be_read_is_no_package))
