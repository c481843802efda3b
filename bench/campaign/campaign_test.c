#include "harness/testing.h"

#include "bench/campaign/campaign.h"

#include <stdio.h>
#include <string.h>

static const struct campaign_setup plain = {.cores = 4};

static int parse(const char *text, struct campaign *campaign, struct error *err)
{
    return campaign_parse("c.yaml", text, &plain, campaign, err);
}

static void assert_error(const char *text, const char *expected)
{
    struct campaign campaign;
    struct error err = {""};
    assert_int_not_equal(parse(text, &campaign, &err), 0);
    if (strstr(err.text, expected) == NULL)
        fail_msg("'%s' is not in '%s'", expected, err.text);
    assert_null(strchr(err.text, '\n'));
}

#define CELL "{kernel: null, scheme: ss}"

static const struct {
    const char *text, *expected;
} wrong_texts[] = {
    {"", "c.yaml:1:1: the file is empty"},
    {"- a\n", "c.yaml:1:1: a campaign is a map"},
    {"name: x\n", "c.yaml:1:1: cells is missing"},
    {"name: [\n", "c.yaml:2:1: not YAML"},
    {"name: x\n...\n---\na: b\n", "second document"},
    {"repititions: 5\ncells: [" CELL "]\n",
     "c.yaml:1:1: unknown key 'repititions'; did you mean 'repetitions'?"},
    {"repetitions: ten\ncells: [" CELL "]\n",
     "c.yaml:1:14: repetitions: 'ten' is not a whole number"},
    {"ci: 2\ncells: [" CELL "]\n", "c.yaml:1:5: ci: 2 is out of range"},
    {"ci: 0.1\nci: 0.2\ncells: [" CELL "]\n",
     "c.yaml:2:1: ci is given twice, first in line 1"},
    {"name: a/b\ncells: [" CELL "]\n", "c.yaml:1:7: name: 'a/b'"},
    {"depth: deep\ncells: [{kernel: null, scheme: ss, depth: [short, full]}]\n",
     "c.yaml: depth: no block has 'deep', allowed: short, full"},
    {"cells: [{kernel: 'heat:rows=strong', scheme: ss}]\n",
     "strong and weak need cell_time"},
    {"cell_time: 1\ncells: [{kernel: 'heat:rows=strong', scheme: ss}]\n",
     "speeds does not have it: run dlsbench calibrate"},
    {"cell_time: 1\nspeeds: heat=1e-9\n"
     "cells: [{kernel: 'heat:rows=strong,cols=weak', scheme: ss}]\n",
     "its sizes are strong or weak, not both"},
    {"speeds: heat\ncells: [" CELL "]\n", "c.yaml:1:9: speeds: 'heat' must be"},
    {"cell_time: 0\ncells: [" CELL "]\n", "cell_time: 0 is out of range"},
    {"cells: [{kernel: null, scheme: ss, cell_time: x}]\n", "cell_time: 'x'"},
    {"cells: [{kernel: null, scheme: ss, layout: nodesx}]\n", "layout"},
    {"cells: []\n", "c.yaml:1:8: cells: a list is needed"},
    {"cells:\n  - gss\n", "c.yaml:2:5: cells: each entry is a map"},
    {"cells:\n  - kernel: null\n    sceme: ss\n",
     "c.yaml:3:5: unknown key 'sceme'; did you mean 'scheme'?"},
    {"cells:\n  - kernel: null\n    repetitions: 3\n",
     "c.yaml:3:5: unknown key 'repetitions'"},
    {"cells:\n  - kernel: null\n", "c.yaml:2:5: scheme is missing"},
    {"cells:\n  - kernel: null\n    scheme:\n", "scheme: the value is missing"},
    {"cells:\n  - kernel: null\n    scheme: []\n",
     "c.yaml:3:13: scheme: the list is empty"},
    {"cells:\n  - kernel: null\n    scheme: [ss, [gss]]\n",
     "c.yaml:3:18: scheme: a single value is needed"},
    {"cells:\n  - kernel: null\n    scheme: [ss, gs]\n",
     "c.yaml:3:18: scheme: unknown name 'gs'"},
    {"cells:\n  - kernel: \"null:sise=3\"\n    scheme: ss\n",
     "c.yaml:2:13: kernel null: unknown key 'sise'"},
    {"cells:\n  - {<<: [ss], kernel: null}\n",
     "c.yaml:2:11: <<: a map or a list of maps is needed"},
    {"cells:\n  - {<<: ss, kernel: null}\n", "<<: a map or a list of maps"},
    {"cells:\n  - {\"<<\": {scheme: ss}}\n", "unknown key '<<'"},
    {"cells:\n  - kernel: \"trace:file=/none/such\"\n    scheme: ss\n",
     "c.yaml:2:13: kernel trace: cannot read /none/such"},
    {"cells:\n  - kernel: null\n    scheme: ss\n    layout: [1x1, 2]\n",
     "c.yaml:4:19: layout: '2' must be RANKSxTHREADS"},
    {"cells:\n  - kernel: null\n    scheme: ss\n    layout: 1x1\n"
     "    ranks: 2\n",
     "c.yaml:5:5: ranks: layout says ranks and threads"},
    {"cells:\n  - kernel: null\n    scheme: ss\n    bind: compacd\n",
     "c.yaml:4:11: bind: 'compacd' is unknown"},
    {"cells:\n  - kernel: null\n    scheme: ss\n    power: \"1,x\"\n",
     "c.yaml:4:12: power: 'x' must be a number"},
    {"cells:\n  - kernel: null\n    scheme: ss\n    ranks: 2\n"
     "    transport: shared\n",
     "c.yaml:2:5: no combination of this block is possible: layout 2x1: "
     "transport shared needs one rank; use transport master, window or "
     "steal"},
    {"repetitions: 9\nrepetitions_max: 5\ncells: [" CELL "]\n",
     "repetitions (9) are more than repetitions_max (5)"},
    {"overrides: 3\ncells: [" CELL "]\n", "c.yaml:1:12: overrides: a map"},
    {"cells: [" CELL "]\noverrides:\n  cells: 1\n",
     "c.yaml:3:3: cells is a part of a campaign file and cannot be set"},
    {"a: [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[",
     "c.yaml:1:35: lists and maps"},
};

static void errors_name_file_line_and_column(void **state)
{
    for (size_t i = 0; i < sizeof(wrong_texts) / sizeof(wrong_texts[0]); i++)
        assert_error(wrong_texts[i].text, wrong_texts[i].expected);
}

static void lists_cross_and_equal_cells_are_one(void **state)
{
    struct campaign c;
    struct error err;
    assert_int_equal(parse("repetitions: 60\n"
                           "cells:\n"
                           "  - kernel: null\n"
                           "    scheme: [ss, fss, fac2, \"fss:alpha=2\"]\n"
                           "    layout: [1x2, 2x1]\n"
                           "    transport: [shared, master, window]\n"
                           "  - {kernel: null, scheme: ss, layout: 1x2}\n",
                           &c, &err),
                     0);
    /* 1x2 shared, window; 2x1 master, window; each with ss and fss */
    assert_int_equal(c.all.count, 8);
    assert_int_equal(c.all.equal, 9);
    assert_int_equal(c.all.skipped, 8);
    assert_int_equal(c.all.reasons, 2);
    assert_int_equal(c.policy.repetitions_max, 60);
    assert_string_equal(c.name, "c");
    campaign_free(&c);
}

static void cores_stand_for_this_machine(void **state)
{
    struct campaign c;
    struct error err;
    assert_int_equal(parse("cells:\n"
                           "  - kernel: null\n"
                           "    scheme: ss\n"
                           "    layout: [1xcores, coresx1]\n"
                           "  - {kernel: null, scheme: ss, threads: cores}\n",
                           &c, &err),
                     0);
    assert_int_equal(c.all.count, 2);
    assert_int_equal(c.all.cells[0].threads, 4);
    assert_int_equal(c.all.cells[1].ranks, 4);
    campaign_free(&c);
}

static void defaults_blocks_and_overrides_outdo_each_other(void **state)
{
    static const struct campaign_setup setup = {
        .cores = 4, .sets = 2, .set = {"scheme=[gss, tss]", "repetitions=7"}};
    const char *text = "threads: 2\nscheme: static\n"
                       "cells:\n"
                       "  - {kernel: null, scheme: ss}\n"
                       "  - {kernel: null, threads: 3}\n";
    struct campaign c, again;
    struct error err;
    assert_int_equal(parse(text, &c, &err), 0);
    assert_int_equal(c.all.count, 2);
    assert_string_equal(c.all.cells[0].scheme, "ss");
    assert_int_equal(c.all.cells[0].threads, 2);
    assert_string_equal(c.all.cells[1].scheme, "static");
    assert_int_equal(c.all.cells[1].threads, 3);
    campaign_free(&c);
    assert_int_equal(campaign_parse("c.yaml", text, &setup, &c, &err), 0);
    assert_int_equal(c.all.count, 4);
    assert_int_equal(c.policy.repetitions, 7);
    /* The text as run is a campaign that runs the same. */
    assert_int_equal(parse(c.text, &again, &err), 0);
    assert_true(again.seed == c.seed);
    assert_int_equal(again.policy.repetitions, 7);
    campaign_free(&again);
    campaign_free(&c);
}

static void wrong_settings_are_errors(void **state)
{
    static const struct {
        const char *set, *expected;
    } rows[] = {
        {"nonsense", "--set: 'nonsense' must be key=value"},
        {"schema=ss", "--set: unknown key 'schema'; did you mean 'scheme'?"},
        {"scheme=[ss, gs]", "--set scheme: scheme: unknown name 'gs'"},
        {"repetitions=x", "--set: repetitions: 'x' is not a whole number"},
        {"cells=x", "--set: cells is a part of a campaign file and cannot"},
        {"overrides=[a]", "--set: overrides is a part of a campaign file"},
        {"cels=x", "--set: unknown key 'cels'; 'dlsbench list keys' lists"},
        {"scheme=[[ss]]", "--set scheme:1:2: scheme: a single value is needed"},
        {"kernel=trace:file=a\xe9", "--set: kernel trace: cannot read a\\xe9"},
        {"platform=a\xe9", "--set: platform: 'a\\xe9': byte 2 is a control"},
        {"bind=a\nb", "--set: bind: 'a\\nb'"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const struct campaign_setup setup = {
            .cores = 4, .sets = 1, .set = {rows[i].set}};
        struct campaign c;
        struct error err = {""};
        assert_int_not_equal(
            campaign_parse("c.yaml", "cells: [" CELL "]\n", &setup, &c, &err),
            0);
        if (strncmp(err.text, rows[i].expected, strlen(rows[i].expected)) != 0)
            fail_msg("'%s' does not begin with '%s'", err.text,
                     rows[i].expected);
    }
}

/* Whatever the style of the file, the stored text is a campaign that runs the
 * same cells and accepts further settings. */
static void what_is_stored_runs_the_same(void **state)
{
    static const struct campaign_setup setup = {
        .cores = 4,
        .sets = 4,
        .set = {"scheme=[gss, tss]", "repetitions=7", "threads=3",
                "power=1,2,3"}};
    static const struct campaign_setup more = {
        .cores = 4, .sets = 1, .set = {"threads=[1, 2]"}};
    static const char *const rows[] = {
        "cells:\n  - {kernel: null, scheme: ss}\n",
        "cells:\n  - {kernel: null, scheme: ss}\n...\n",
        "cells:\n  - {kernel: null, scheme: ss}\n... # end",
        "{cells: [{kernel: null, scheme: ss}]}",
        "{cells: [{kernel: null, scheme: ss}],\n overrides: {ci: 0.01}}\n",
        "  cells:\n  - {kernel: null, scheme: ss}\n",
        "overrides: {ci: 0.01}\ncells:\n- kernel: null\n  scheme: ss\n",
        "overrides:\n  ci: 0.01\ncells:\n- kernel: null\n  scheme: ss\n",
        "cells:\n- {kernel: null, scheme: ss}\noverrides:\n    ci: 0.01\n",
        "cells:\n- {kernel: null, scheme: ss}\noverrides:\n  ci: 0.01\n",
        "cells:\n- {kernel: null, scheme: ss}\noverrides: {}\n",
        "%YAML 1.1\n---\n{\"cells\": [{\"kernel\": null, scheme: ss}]}\n",
        "cells:\n- &a {kernel: null, scheme: ss}\n- *a",
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct campaign c, again, third;
        struct error err = {""};
        if (campaign_parse("c.yaml", rows[i], &setup, &c, &err) != 0)
            fail_msg("row %zu: %s", i, err.text);
        assert_int_equal(c.all.count, 2);
        assert_string_equal(c.all.cells[0].power, "1,2,3");
        if (parse(c.text, &again, &err) != 0 || again.seed != c.seed ||
            again.policy.repetitions != 7)
            fail_msg("row %zu: %s: %s", i, err.text, c.text);
        if (campaign_parse("c.yaml", c.text, &more, &third, &err) == 0)
            fail_msg("row %zu: 3 powers for 2 threads", i);
        campaign_free(&again);
        campaign_free(&c);
    }
}

static void a_single_cell_has_an_equivalent_file(void **state)
{
    struct campaign c, again;
    struct error err;
    struct cell cell;
    struct policy policy;
    cell_defaults(&cell, testing_texts());
    policy_defaults(&policy);
    cell.kernel = "null:size=77";
    cell.scheme = "wf";
    cell.power = "1,2";
    cell.threads = 2;
    assert_int_equal(campaign_single(&cell, &policy, &c, &err), 0);
    assert_string_equal(c.name, "null-wf");
    assert_int_equal(parse(c.text, &again, &err), 0);
    assert_int_equal(again.all.count, 1);
    assert_string_equal(again.all.cells[0].hash, c.all.cells[0].hash);
    campaign_free(&c);
    campaign_free(&again);
}

static void shards_are_a_partition(void **state)
{
    const char *text = "cells:\n"
                       "  - kernel: [null, \"null:size=5\", \"null:size=6\"]\n"
                       "    scheme: [static, ss, gss, fss, tss]\n"
                       "    threads: [1, 2, 3]\n";
    enum { SHARDS = 4, CELLS = 45 };
    struct campaign whole, part;
    struct error err;
    int seen[CELLS] = {0};
    assert_int_equal(parse(text, &whole, &err), 0);
    assert_int_equal(whole.all.count, CELLS);
    for (int s = 0; s < SHARDS; s++) {
        assert_int_equal(parse(text, &part, &err), 0);
        campaign_shard(&part, s, SHARDS);
        assert_true(part.seed == whole.seed);
        assert_in_range(part.all.count, CELLS / SHARDS, CELLS / SHARDS + 1);
        for (int i = 0; i < part.all.count; i++)
            for (int j = 0; j < CELLS; j++)
                seen[j] += strcmp(part.all.cells[i].hash,
                                  whole.all.cells[j].hash) == 0;
        campaign_free(&part);
    }
    for (int j = 0; j < CELLS; j++)
        assert_int_equal(seen[j], 1);
    campaign_free(&whole);
}

static void the_seed_is_that_of_the_cells(void **state)
{
    struct campaign a, b, c;
    struct error err;
    assert_int_equal(
        parse("cells: [{kernel: null, scheme: [ss, gss]}]\n", &a, &err), 0);
    assert_int_equal(parse("name: other\n"
                           "cells: [{scheme: gss, kernel: null}, " CELL "]\n",
                           &b, &err),
                     0);
    assert_int_equal(parse("seed: 12\ncells: [" CELL "]\n", &c, &err), 0);
    assert_true(a.seed == b.seed);
    assert_true(c.seed == 12);
    campaign_free(&a);
    campaign_free(&b);
    campaign_free(&c);
}

/* Merge keys beside what they mean. */
static const struct {
    const char *merged, *plain;
} merges[] = {
    {"cells:\n  - &c {kernel: null, scheme: [ss, gss], threads: 2}\n"
     "  - {<<: *c, kernel: \"null:size=7\"}\n",
     "cells:\n  - {kernel: [null, \"null:size=7\"], scheme: [ss, gss], "
     "threads: 2}\n"},
    /* The first map of a list counts, and the map's own key before it. */
    {"cells:\n  - &a {kernel: null, scheme: ss}\n"
     "  - &b {kernel: \"null:size=5\", scheme: gss, threads: 2}\n"
     "  - {scheme: fss, <<: [*a, *b]}\n",
     "cells:\n  - {kernel: null, scheme: ss}\n"
     "  - {kernel: \"null:size=5\", scheme: gss, threads: 2}\n"
     "  - {kernel: null, scheme: fss, threads: 2}\n"},
    /* Through another map, of a map that is written there, at the top. */
    {"overrides: &o {scheme: [ss, tss]}\n<<: {kernel: null, <<: *o}\n"
     "cells:\n  - {scheme: gss, <<: *o}\n",
     "cells:\n  - {kernel: null, scheme: [ss, tss]}\n"},
    {"cells:\n  - &c {kernel: null, scheme: ss, <<: *c}\n",
     "cells:\n  - {kernel: null, scheme: ss}\n"},
    {"\xEF\xBB\xBF"
     "cells:\r\n  - {kernel: null, scheme: ss}\r\n",
     "cells:\n  - {kernel: null, scheme: ss}\n"},
};

static void merge_keys_are_merged(void **state)
{
    struct campaign a, b;
    struct error err = {""};
    for (size_t i = 0; i < sizeof(merges) / sizeof(merges[0]); i++) {
        if (parse(merges[i].merged, &a, &err) != 0)
            fail_msg("%zu: %s", i, err.text);
        assert_int_equal(parse(merges[i].plain, &b, &err), 0);
        assert_int_equal(a.all.count, b.all.count);
        assert_true(a.seed == b.seed);
        campaign_free(&b);
        /* The stored text gives the same campaign. */
        assert_int_equal(parse(a.text, &b, &err), 0);
        assert_true(a.seed == b.seed);
        campaign_free(&a);
        campaign_free(&b);
    }
}

TESTS(cmocka_unit_test(errors_name_file_line_and_column),
      cmocka_unit_test(lists_cross_and_equal_cells_are_one),
      cmocka_unit_test(cores_stand_for_this_machine),
      cmocka_unit_test(defaults_blocks_and_overrides_outdo_each_other),
      cmocka_unit_test(wrong_settings_are_errors),
      cmocka_unit_test(what_is_stored_runs_the_same),
      cmocka_unit_test(a_single_cell_has_an_equivalent_file),
      cmocka_unit_test(shards_are_a_partition),
      cmocka_unit_test(the_seed_is_that_of_the_cells),
      cmocka_unit_test(merge_keys_are_merged))
