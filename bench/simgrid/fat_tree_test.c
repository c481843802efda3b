#include "base/unit_testing.h"

#include "bench/simgrid/fat_tree.h"
#include "harness/process/need.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HEAD                                                                   \
    "<?xml version='1.0'?>\n"                                                  \
    "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
#define RADICAL "0-9,20-29,40,42-44"
#define TREE                                                                   \
    "<cluster id=\"c\" prefix=\"n-\" radical=\"" RADICAL "\" suffix=\".x\" "   \
    "speed=\"1Gf\" topology=\"FAT_TREE\" topo_parameters=\"2;4,6;1,4;1,2\"/>"
#define WHOLE HEAD "<platform version=\"4.1\">" TREE "</platform>"

static bool read_text(struct fat_tree *tree, const char *text)
{
    char path[] = "/tmp/fat-tree-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, text, strlen(text)), strlen(text));
    close(file);
    bool read = fat_tree_read(tree, path);
    unlink(path);
    return read;
}

/* The text with another word in one place. */
static char *with(const char *text, const char *from, const char *to)
{
    const char *found = strstr(text, from);
    assert_non_null(found);
    return need_text("%.*s%s%s", (int)(found - text), text, to,
                     found + strlen(from));
}

static void its_hosts_have_the_names_of_simgrid(void **state)
{
    static const struct {
        int host;
        const char *name;
    } rows[] = {{0, "n-0.x"}, {9, "n-9.x"}, {10, "n-20.x"}, {23, "n-44.x"}};
    struct fat_tree tree;
    char name[16], last[16] = "";
    assert_true(read_text(&tree, WHOLE));
    assert_int_equal(tree.hosts, 24);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        assert_true(fat_tree_name(&tree, rows[i].host, name, sizeof(name)));
        assert_string_equal(name, rows[i].name);
    }
    assert_false(fat_tree_name(&tree, 23, name, strlen("n-44.x")));
    for (int i = 0; i < tree.hosts; i++) {
        assert_true(fat_tree_name(&tree, i, name, sizeof(name)));
        assert_true(strverscmp(last, name) < 0);
        strcpy(last, name);
    }
    fat_tree_free(&tree);
}

static void it_is_cut_between_subtrees_of_the_last_level(void **state)
{
    static const struct {
        int needed, hosts;
        const char *radical, *topology;
    } rows[] = {
        {1, 4, "0-3", "2;4,1;1,4;1,2"},
        {4, 4, "0-3", "2;4,1;1,4;1,2"},
        {5, 8, "0-7", "2;4,2;1,4;1,2"},
        {11, 12, "0-9,20-21", "2;4,3;1,4;1,2"},
        {21, 24, RADICAL, "2;4,6;1,4;1,2"},
        {100, 24, RADICAL, "2;4,6;1,4;1,2"},
    };
    struct fat_tree tree;
    assert_true(read_text(&tree, WHOLE));
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        assert_int_equal(fat_tree_fit(&tree, rows[i].needed), rows[i].hosts);
        char *cut = fat_tree_cut(&tree, rows[i].hosts);
        char *numbers = with(WHOLE, RADICAL, rows[i].radical);
        char *expected = with(numbers, "2;4,6;1,4;1,2", rows[i].topology);
        assert_string_equal(cut, expected);
        free(cut);
        free(numbers);
        free(expected);
    }
    fat_tree_free(&tree);
}

/* The attributes in any order, on one level, and with everything that is
 * allowed around a cluster. */
static void what_stands_around_it_stays(void **state)
{
    static const char text[] =
        HEAD "<!-- <cluster topology=\"FLAT\"/> -->\n"
             "<platform version='4.1'>\n <config><!-- > --><prop id=\"a\" "
             "value=\"/>\"/></config>\n"
             "<zone id=\"z\" routing=\"Full\">\n"
             "<cluster topo_parameters = '1;3;1;1' topology='FAT_TREE'\n"
             "  suffix='' prefix=\"\" radical='7,9,11'><prop id=\"b\" "
             "value=\"0\"/></cluster ></zone></platform>\n<!-- end -->\n";
    struct fat_tree tree;
    assert_true(read_text(&tree, text));
    assert_int_equal(fat_tree_fit(&tree, 2), 2);
    const char *from = strstr(text, "topo_parameters"), *to = strstr(from, ">");
    char *cut = fat_tree_cut(&tree, 2);
    char *expected = need_text(
        "%.*stopo_parameters=\"1;2;1;1\" topology=\"FAT_TREE\" suffix=\"\" "
        "prefix=\"\" radical=\"7,9\"%s",
        (int)(from - text), text, to);
    assert_string_equal(cut, expected);
    free(cut);
    free(expected);
    fat_tree_free(&tree);
}

static void others_are_left_to_simgrid(void **state)
{
    static const struct {
        const char *from, *to;
    } rows[] = {
        {"FAT_TREE", "FLAT"},
        {"FAT_TREE", "TORUS"},
        {"topology=\"FAT_TREE\" ", ""},
        {TREE, ""},
        {TREE, TREE TREE},
        {TREE, TREE "<host id=\"h\" speed=\"1Gf\"/>"},
        {TREE, TREE "<zone id=\"z\"><router id=\"r\"/></zone>"},
        {TREE, "<trace id=\"t\" file=\"t.txt\"/>" TREE},
        {TREE, "text" TREE},
        {TREE, "<![CDATA[]]>" TREE},
        {"simgrid.dtd\">", "simgrid.dtd\" [<!ENTITY a \"b\">]>"},
        {RADICAL, "0-9,20-29,40,42-45"},
        {RADICAL, "0-9,20-29,42-44,40"},
        {RADICAL, "0-9,20-29,40,40,43-44"},
        {RADICAL, "0-9,20-29,42-44,x"},
        {RADICAL, "0-9,20-29,40,42-44,"},
        {RADICAL, "00-9,20-29,40,42-44"},
        {RADICAL, "0-9,20-29,40, 42-44"},
        {RADICAL, "&#48;-9,20-29,40,42-44"},
        {RADICAL, "0-99999999999"},
        {RADICAL, "9-0,23"},
        {RADICAL, ""},
        {"2;4,6;", "2;4;"},
        {"2;4,6;", "1;4,6;"},
        {"2;4,6;", "2;4,0;"},
        {"2;4,6;", "2;4, 6;"},
        {"2;4,6;", "0;"},
        {"2;4,6;1,4;1,2", "2;4,6"},
        {"n-", "n1"},
        {".x", "1x"},
        {"n-", "n&amp;"},
        {"prefix=\"n-\"", "prefix=\"n-\" prefix=\"m-\""},
        {"\"1Gf\"", "'1Gf"},
        {"-->", "--"},
    };
    static const char text[] = WHOLE "<!-- -->";
    struct fat_tree tree;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char *other = with(text, rows[i].from, rows[i].to);
        if (read_text(&tree, other))
            fail_msg("'%s' for '%s' is cut", rows[i].to, rows[i].from);
        assert_null(tree.text);
        free(other);
    }
    assert_true(read_text(&tree, text));
    fat_tree_free(&tree);
    assert_false(fat_tree_read(&tree, "/"));
    assert_false(fat_tree_read(&tree, "/no such file"));
}

/* A truncated file is never read as a tree. */
static void pieces_of_it_are_left_to_simgrid(void **state)
{
    struct fat_tree tree;
    size_t end = strlen(WHOLE) - strlen("</platform>");
    for (size_t length = 0; length < end; length++) {
        char *piece = strndup(WHOLE, length);
        assert_non_null(piece);
        assert_false(read_text(&tree, piece));
        free(piece);
    }
}

TESTS(cmocka_unit_test(its_hosts_have_the_names_of_simgrid),
      cmocka_unit_test(it_is_cut_between_subtrees_of_the_last_level),
      cmocka_unit_test(what_stands_around_it_stays),
      cmocka_unit_test(others_are_left_to_simgrid),
      cmocka_unit_test(pieces_of_it_are_left_to_simgrid))
