#include "base/unit_testing.h"

#include "bench/calibrate/nodes.h"

#include <errno.h>

static void launchers_are_told_of_the_nodes(void **state)
{
    static const struct {
        const char *launcher, *together, *apart;
    } rows[] = {
        {"srun --mpi=pmi2 -n {ranks}", "srun -N 1 --mpi=pmi2 -n {ranks}",
         "srun -N 2 --ntasks-per-node=1 --mpi=pmi2 -n {ranks}"},
        {"/opt/m/mpiexec -n {ranks}", "/opt/m/mpiexec  -n {ranks}",
         "/opt/m/mpiexec -ppn 1 -n {ranks}"},
        {"mpiexec.openmpi -n {ranks}", "mpiexec.openmpi  -n {ranks}",
         "mpiexec.openmpi --map-by ppr:1:node -n {ranks}"},
    };
    struct error err;
    char text[200];
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        assert_int_equal(
            nodes_template(rows[i].launcher, false, text, sizeof(text), &err),
            0);
        assert_string_equal(text, rows[i].together);
        assert_int_equal(
            nodes_template(rows[i].launcher, true, text, sizeof(text), &err),
            0);
        assert_string_equal(text, rows[i].apart);
    }
    assert_int_equal(
        nodes_template("aprun -n {ranks}", true, text, sizeof(text), &err),
        -EINVAL);
    assert_int_equal(nodes_template("srun -n {ranks}", true, text, 10, &err),
                     -ENAMETOOLONG);
}

static void the_second_file_is_beside_the_first(void **state)
{
    struct error err;
    char path[32];
    assert_int_equal(nodes_between_path("a/b.json", path, sizeof(path), &err),
                     0);
    assert_string_equal(path, "a/b-between.json");
    assert_int_equal(nodes_between_path("b", path, sizeof(path), &err), 0);
    assert_string_equal(path, "b-between.json");
    assert_int_equal(nodes_between_path("b", path, 8, &err), -ENAMETOOLONG);
}

TESTS(cmocka_unit_test(launchers_are_told_of_the_nodes),
      cmocka_unit_test(the_second_file_is_beside_the_first))
