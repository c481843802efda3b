/* Tables: alignment, numbers, CSV. */
#include "base/unit_testing.h"

#include "bench/options/table.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static void fill(struct table *table)
{
    table_open(table, 3, 1);
    table_add(table, "scheme");
    table_add(table, "%d", 2);
    table_add(table, "of \"%s\", all", "this");
    table_add(table, "css:chunk=16");
    table_number(table, 2.3456, 3);
    table_number(table, NAN, 3);
    table_add(table, "x");
    table_number(table, 1234.5, 3);
    table_add(table, "%s", "");
}

static char *printed(const struct table *table, bool csv)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (csv)
        table_write(table, TABLE_CSV, out);
    else
        table_print(table, out, 2);
    fclose(out);
    return text;
}

static void columns_are_aligned(void **unused)
{
    struct table table;
    fill(&table);
    char *text = printed(&table, false);
    assert_string_equal(text, "  scheme           2  of \"this\", all\n"
                              "  css:chunk=16  2.35               -\n"
                              "  x             1234\n");
    free(text);
    table_free(&table);
}

static void columns_are_named_by_the_first_row(void **unused)
{
    static const double seconds[] = {1.5, NAN, 0.1};
    struct table table;
    table_open(&table, 0, 1);
    for (int i = 0; i < 3; i++) {
        table_add(table_under(&table, "scheme"), "s%d", i);
        table_value(&table, "time_s", seconds[i], 17);
        table_number(table_under(&table, "gain"), i, 1);
    }
    char *text = printed(&table, true);
    assert_int_equal(table.columns, 3);
    assert_string_equal(text, "scheme,time_s,gain\n"
                              "s0,1.5,0\n"
                              "s1,,1\n"
                              "s2,0.10000000000000001,2\n");
    free(text);
    table_free(&table);
    table_open(&table, 0, 1);
    text = printed(&table, true);
    assert_string_equal(text, "");
    free(text);
}

static void csv_is_quoted_where_it_must(void **unused)
{
    struct table table;
    fill(&table);
    char *text = printed(&table, true);
    assert_string_equal(text, "scheme,2,\"of \"\"this\"\", all\"\n"
                              "css:chunk=16,2.35,\n"
                              "x,1234,\n");
    free(text);
    table_free(&table);
}

static void numbers_have_significant_digits(void **unused)
{
    static const struct {
        double value;
        int digits;
        const char *text;
    } row[] = {{0, 3, "0.00"},         {0.012345, 3, "0.0123"},
               {9.87654, 3, "9.88"},   {123456, 3, "123456"},
               {-0.5, 2, "-0.50"},     {INFINITY, 3, "-"},
               {1e-7, 2, "0.00000010"}};
    struct table table;
    table_open(&table, 1, 0);
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        table_number(&table, row[i].value, row[i].digits);
        assert_string_equal(table.cell[i], row[i].text);
    }
    table_free(&table);
}

static void times_share_a_unit(void **unused)
{
    char text[32];
    table_seconds(0.1265, 0.1265, text, sizeof(text));
    assert_string_equal(text, "126.5 ms");
    table_seconds(0.0063, 0.1265, text, sizeof(text));
    assert_string_equal(text, "6.3 ms");
    assert_string_equal(table_said_seconds(8.3e-11, 8.3e-11, text, 32),
                        "83.00 ps");
    assert_string_equal(table_said_seconds(0, 0, text, 32), "0.000 ns");
    table_seconds(NAN, 1, text, sizeof(text));
    assert_string_equal(text, "-");
}

static void a_heading_is_wrapped_and_never_cut(void **state)
{
    static const char *const part = "load w0,w1,w2:3 beside it, ";
    char *text = NULL, all[27 * 8 + 40] = "";
    size_t size;
    for (int i = 0; i < 8; i++)
        strcat(all, part);
    strcat(all, "2 ranks; oversubscribed, not ranked");
    FILE *out = open_memstream(&text, &size);
    table_heading(out, 2, all);
    table_heading(out, 0, "short, and nothing else");
    table_heading(out, 0, "");
    fclose(out);
    assert_non_null(strstr(text, "\n    beside it, load w0,w1,w2:3 "));
    assert_non_null(strstr(text, " oversubscribed, not ranked\n"));
    assert_non_null(strstr(text, "\nshort, and nothing else\n\n"));
    int lines = 0;
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        assert_true(strlen(line) <= 80);
        assert_true(line[strlen(line) - 1] != ' ');
        lines++;
    }
    assert_int_equal(lines, 5);
    free(text);
}

TESTS(cmocka_unit_test(columns_are_aligned),
      cmocka_unit_test(columns_are_named_by_the_first_row),
      cmocka_unit_test(csv_is_quoted_where_it_must),
      cmocka_unit_test(numbers_have_significant_digits),
      cmocka_unit_test(times_share_a_unit),
      cmocka_unit_test(a_heading_is_wrapped_and_never_cut))
