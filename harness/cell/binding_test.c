/* Bindings from text, and shapes that follow from rank_per. */
#include "harness/testing.h"

#include "harness/cell/binding.h"
#include "harness/check/setup.h"

#include <errno.h>

static void lists_have_one_form(void **unused)
{
    static const char *const forms[][2] = {
        {"3", "3"},         {"0,2,4", "0,2,4"},   {"0,1", "0,1"},
        {"0,1,2", "0-2"},   {"0-6:2", "0,2,4,6"}, {"7-9,0", "7-9,0"},
        {"5,4,3", "5,4,3"}, {"1,1", "1,1"},       {"0-2,3-4", "0-4"},
        {"65535", "65535"}, {"0-5:3", "0,3"},     {"00,1-1", "0,1"},
    };
    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
        struct topo_binding binding;
        struct error err = {""};
        char text[64];
        if (binding_bind_parse(&binding, forms[i][0], &err) != 0)
            fail_msg("%s", err.text);
        assert_int_equal(binding.bind, TOPO_LIST);
        assert_true(binding_format(&binding, text, sizeof(text)));
        assert_string_equal(text, forms[i][1]);
    }
    struct topo_binding binding;
    char text[6];
    assert_int_equal(binding_bind_parse(&binding, "0,2,4,6", NULL), 0);
    assert_false(binding_format(&binding, text, sizeof(text)));
}

static void wrong_lists_are_refused(void **unused)
{
    static const char *const wrong[] = {
        "0,",    "0,,1", "3-1", "0-",      "0-x",    "0:2",
        "0-4:0", "0-4:", "0x1", "0-65536", "0-1024", "0 1"};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        struct topo_binding binding;
        struct error err = {""};
        if (binding_bind_parse(&binding, wrong[i], &err) != -EINVAL)
            fail_msg("'%s' was taken", wrong[i]);
        assert_ptr_equal(strstr(err.text, "bind: "), err.text);
    }
}

static const struct topo_room room = {
    .domains = {1, 2, 4}, .cores = {128, 64, 32}, .processors = {256, 128, 64}};

static struct cell filled(const char *rank_per, bool smt, int nodes,
                          bool ranks_given, bool threads_given)
{
    struct cell cell;
    struct error err = {""};
    cell_defaults(&cell, testing_texts());
    cell.kernel = "null";
    cell.scheme = "ss";
    cell.rank_per = rank_per;
    cell.smt = smt;
    cell.nodes = nodes;
    if (threads_given)
        cell.threads = 3;
    if (ranks_given)
        cell.ranks = 5;
    if (binding_fill_shape(&cell, &room, ranks_given, threads_given, &err) ||
        cell_check(&cell, &err) != 0)
        fail_msg("%s", err.text);
    return cell;
}

static void rank_per_makes_the_shape(void **unused)
{
    static const struct {
        const char *rank_per;
        bool smt;
        int nodes;
        bool ranks_given, threads_given;
        int ranks, threads;
    } rows[] = {
        {"node", false, 0, false, false, 1, 128},
        {"node", true, 3, false, false, 3, 256},
        {"socket", false, 1, false, false, 2, 64},
        {"numa", true, 2, false, false, 8, 64},
        {"numa", false, 2, false, true, 8, 3},
        {"numa", false, 2, true, false, 5, 32},
        {"socket", false, 2, true, true, 5, 3},
        {"", false, 0, true, true, 5, 3},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct cell cell = filled(rows[i].rank_per, rows[i].smt, rows[i].nodes,
                                  rows[i].ranks_given, rows[i].threads_given);
        assert_int_equal(cell.ranks, rows[i].ranks);
        assert_int_equal(cell.threads, rows[i].threads);
    }
}

/* A node is what a rank keeps to anyway. */
static void a_rank_per_node_is_as_usual(void **unused)
{
    struct cell usual, node = filled("node", false, 0, true, true);
    assert_string_equal(node.rank_per, "");
    usual = filled("", false, 0, true, true);
    assert_string_equal(node.hash, usual.hash);
    struct cell socket = filled("socket", false, 0, true, true);
    assert_string_not_equal(socket.hash, usual.hash);
}

static void dedicated_masters_come_on_top(void **unused)
{
    struct cell cell;
    struct error err = {""};
    cell_defaults(&cell, testing_texts());
    cell.kernel = "null";
    cell.scheme = "ss";
    cell.rank_per = "socket";
    cell.master = "dedicated";
    cell.transport = "master";
    assert_int_equal(binding_fill_shape(&cell, &room, false, false, &err), 0);
    assert_int_equal(cell_check(&cell, &err), 0);
    assert_int_equal(cell.ranks, 3);
    assert_int_equal(cell_workers(&cell), 128);
}

/* The login node of a cluster says nothing of its other nodes. */
static void unknown_machines_have_no_sockets(void **unused)
{
    const struct topo_room cores_only = {.domains = {1}, .cores = {8}};
    struct error err = {""};
    struct cell cell;
    cell_defaults(&cell, testing_texts());
    cell.rank_per = "socket";
    assert_int_equal(binding_fill_shape(&cell, &cores_only, false, false, &err),
                     -ENOTSUP);
    assert_non_null(strstr(err.text, "give --topology"));
    assert_int_equal(binding_fill_shape(&cell, NULL, false, false, &err),
                     -ENOTSUP);
    cell.rank_per = "node";
    cell.smt = true;
    assert_int_equal(binding_fill_shape(&cell, &cores_only, false, false, &err),
                     -ENOTSUP);
    cell.smt = false;
    assert_int_equal(binding_fill_shape(&cell, &cores_only, false, false, &err),
                     0);
    assert_int_equal(cell.threads, 8);
}

TESTS(cmocka_unit_test(lists_have_one_form),
      cmocka_unit_test(wrong_lists_are_refused),
      cmocka_unit_test(rank_per_makes_the_shape),
      cmocka_unit_test(a_rank_per_node_is_as_usual),
      cmocka_unit_test(dedicated_masters_come_on_top),
      cmocka_unit_test(unknown_machines_have_no_sockets))
