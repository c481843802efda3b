/* Plans: what the driver writes, the launch reads; damaged ones are refused
 * with a text and without a crash. */
#include "harness/testing.h"

#include "harness/check/worklist.h"
#include "harness/process/need.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

static void make_cell(struct cell *cell, const char *kernel, int64_t min_chunk)
{
    struct error err = {""};
    cell_defaults(cell, testing_texts());
    cell->kernel = kernel;
    cell->scheme = "gss";
    cell->ranks = 2;
    cell->threads = 3;
    cell->min_chunk = min_chunk;
    if (cell_check(cell, &err) != 0)
        fail_msg("%s", err.text);
}

static struct worklist make_plan(struct cell *cells)
{
    struct worklist work = {.out = "/some/where/with \"quotes\" and \\",
                            .launch = "2026-11-21T010203Z-host-77-0of1",
                            .campaign = "workstation",
                            .shard = "0/1",
                            .command = "dlsbench run '\t' \n caf\xc3\xa9",
                            .seed = 0xfedcba9876543210u,
                            .ranks = 2,
                            .threads = 3,
                            .simulation = {.platform = "a.xml",
                                           .operation_s = 1e-9,
                                           .request_s = 2e-7},
                            .policy = {.repetitions = 7,
                                       .repetitions_max = 9,
                                       .ci = 1.0 / 3,
                                       .cell_seconds = 60,
                                       .verify_limit = 0.1,
                                       .cell_timeout = 1e9,
                                       .trace = true,
                                       .save = true},
                            .count = 2,
                            .cells = cells};
    make_cell(&cells[0], "null", 1);
    make_cell(&cells[1], "mandelbrot:size=64", 5);
    return work;
}

/* A saved worklist as text. */
static char *saved(const struct worklist *work)
{
    char folder[256], path[300];
    struct error err = {""};
    testing_folder(folder, sizeof(folder));
    snprintf(path, sizeof(path), "%s/worklist.json", folder);
    if (worklist_save(work, path, &err) != 0)
        fail_msg("%s", err.text);
    char *text = worklist_read(path, &err);
    testing_folder_remove(folder);
    assert_non_null(text);
    return text;
}

static void plans_come_back(void **unused)
{
    struct cell cells[2];
    struct worklist work = make_plan(cells), read;
    struct error err = {""};
    char *text = saved(&work);
    if (worklist_parse(text, &read, &err) != 0)
        fail_msg("%s", err.text);
    assert_string_equal(read.out, work.out);
    assert_string_equal(read.launch, work.launch);
    assert_string_equal(read.campaign, work.campaign);
    assert_string_equal(read.shard, work.shard);
    assert_string_equal(read.command, work.command);
    assert_true(read.seed == work.seed);
    assert_int_equal(read.ranks, 2);
    assert_int_equal(read.threads, 3);
    assert_int_equal(read.policy.repetitions, 7);
    assert_int_equal(read.policy.repetitions_max, 9);
    assert_true(read.policy.ci == work.policy.ci);
    assert_true(read.policy.cell_seconds == 60);
    assert_true(read.policy.verify_limit == 0.1);
    assert_true(read.policy.cell_timeout == 1e9);
    assert_true(read.policy.trace && read.policy.save &&
                !read.policy.oversubscribe);
    assert_string_equal(read.simulation.platform, "a.xml");
    assert_true(read.simulation.operation_s == 1e-9);
    assert_true(read.simulation.request_s == 2e-7);
    assert_int_equal(read.count, 2);
    for (int i = 0; i < 2; i++) {
        assert_string_equal(read.cells[i].hash, cells[i].hash);
        assert_string_equal(read.cells[i].kernel, cells[i].kernel);
        assert_int_equal(read.cells[i].min_chunk, cells[i].min_chunk);
    }
    worklist_free(&read);
    assert_null(read.cells);
    free(text);
}

/* The parser must refuse it; says: part of the text, or NULL. */
static void refused(const char *text, const char *says)
{
    struct worklist read;
    struct error err = {""};
    int code = worklist_parse(text, &read, &err);
    if (code == 0 || err.text[0] == '\0')
        fail_msg("a damaged worklist is taken: %.200s", text);
    if (says != NULL && strstr(err.text, says) == NULL)
        fail_msg("'%s' should say '%s'", err.text, says);
    assert_null(read.cells);
}

static void cut_plans_are_refused(void **unused)
{
    struct cell cells[2];
    struct worklist work = make_plan(cells);
    char *text = saved(&work);
    size_t length = strlen(text);
    while (text[length - 1] == '\n')
        length--;
    for (size_t cut = 0; cut < length; cut += cut < 40 ? 1 : 37) {
        char *part = strndup(text, cut);
        refused(part, "this is no worklist");
        free(part);
    }
    free(text);
}

/* Random single bytes: refused or taken, but never a crash or a worklist that
 * does not hold together. */
static void spoilt_bytes_do_no_harm(void **unused)
{
    uint64_t seed = testing_say_seed(__func__);
    struct cell cells[2];
    struct worklist work = make_plan(cells), read;
    char *text = saved(&work);
    int64_t length = (int64_t)strlen(text);
    for (int round = 0; round < 2000; round++) {
        int64_t at = testing_between(&seed, 0, length - 1);
        char before = text[at];
        text[at] = (char)testing_between(&seed, 1, 127);
        struct error err = {""};
        if (worklist_parse(text, &read, &err) == 0) {
            assert_int_equal(read.count, 2);
            for (int i = 0; i < read.count; i++) {
                assert_int_equal(read.cells[i].ranks, read.ranks);
                assert_int_equal(read.cells[i].threads, read.threads);
                assert_true(cell_workers(&read.cells[i]) > 0);
            }
            worklist_free(&read);
        } else {
            assert_true(err.text[0] != '\0');
        }
        text[at] = before;
    }
    free(text);
}

/* A worklist with one key of its head, or of its last cell, taken out or
 * replaced (value NULL: taken out). */
static void without(const char *where, const char *key, json_t *value,
                    const char *says)
{
    struct cell cells[2];
    struct worklist work = make_plan(cells);
    char *text = saved(&work), *line = text, *damaged;
    size_t size;
    text[strlen(text) - 1] = '\0';
    if (strcmp(where, "cell") == 0)
        line = strrchr(text, '\n') + 1;
    json_t *root = json_loads(line, JSON_DISABLE_EOF_CHECK, NULL);
    json_t *object = root;
    if (strcmp(where, "policy") == 0 || strcmp(where, "simulation") == 0)
        object = json_object_get(root, where);
    if (value == NULL)
        json_object_del(object, key);
    else
        json_object_set_new(object, key, value);
    FILE *out = need_stream(&damaged, &size);
    fwrite(text, 1, (size_t)(line - text), out);
    json_dumpf(root, out, 0);
    fputs(line == text ? strchr(text, '\n') : "", out);
    fclose(out);
    refused(damaged, says);
    free(damaged);
    json_decref(root);
    free(text);
}

static void missing_and_wrong_keys_are_refused(void **unused)
{
    static const char *const top[] = {
        "out",   "launch",  "campaign", "shard",      "command", "seed",
        "ranks", "threads", "policy",   "simulation", "cells"};
    static const char *const policy[] = {
        "repetitions",  "repetitions_max", "ci",    "cell_seconds",
        "verify_limit", "cell_timeout",    "trace", "save",
        "oversubscribe"};
    for (size_t i = 0; i < sizeof(top) / sizeof(top[0]); i++) {
        without("", top[i], NULL, "this is no worklist");
        without("", top[i], json_null(), NULL);
    }
    for (size_t i = 0; i < sizeof(policy) / sizeof(policy[0]); i++) {
        without("policy", policy[i], NULL, "policy is incomplete");
        without("policy", policy[i], json_string("x"), "policy is incomplete");
    }
    without("simulation", "platform", NULL, "simulation is incomplete");
    without("simulation", "request_s", json_string("x"), "simulation is");
    without("", "cells", json_object(), "cells");
    without("", "cells", json_integer(3), "this is no worklist");
    without("cell", "kernel", NULL, "'kernel' is missing");
    without("cell", "kernel", json_string("mandelbrod"), "mandelbrot");
    without("cell", "ranks", json_integer(3), "shape");
    without("cell", "threads", json_integer(1), "shape");
    without("cell", "threads", NULL, "'threads'");
    refused("", "this is no worklist");
    refused("null", "this is no worklist");
    refused("[]", "this is no worklist");
    refused("{}", "this is no worklist");
}

static void long_names_do_not_overrun(void **unused)
{
    struct cell cells[2];
    struct worklist work = make_plan(cells), read;
    char *text = saved(&work);
    json_t *root = json_loads(text, JSON_DISABLE_EOF_CHECK, NULL);
    char *longer = calloc(1, 10000);
    memset(longer, 'x', 9999);
    const char *const keys[] = {"launch", "campaign", "shard", "command"};
    for (int i = 0; i < 4; i++)
        json_object_set_new(root, keys[i], json_string(longer));
    char *big = json_dumps(root, 0);
    struct error err = {""};
    if (worklist_parse(big, &read, &err) == 0) {
        assert_int_equal(strlen(read.campaign), sizeof(read.campaign) - 1);
        assert_int_equal(strlen(read.command), sizeof(read.command) - 1);
        worklist_free(&read);
    }
    free(longer);
    free(big);
    json_decref(root);
    free(text);
}

static void files_that_fail_say_so(void **unused)
{
    struct cell cells[2];
    struct worklist work = make_plan(cells);
    struct error err = {""};
    assert_int_equal(worklist_save(&work, "/nowhere/worklist.json", &err),
                     -ENOENT);
    assert_non_null(strstr(err.text, "/nowhere/worklist.json"));
    assert_null(worklist_read("/nowhere/worklist.json", &err));
    assert_non_null(strstr(err.text, "/nowhere/worklist.json: cannot read"));
    assert_null(worklist_read("/dev/null", &err));
    assert_non_null(strstr(err.text, "not a regular file"));
    char path[] = "/tmp/dlsbench-worklist-XXXXXX";
    assert_int_equal(close(mkstemp(path)), 0);
    assert_null(worklist_read(path, &err));
    assert_non_null(strstr(err.text, "empty"));
    unlink(path);
    int code = worklist_save(&work, "/dev/full", &err);
    assert_int_equal(code, -ENOSPC);
    assert_non_null(strstr(err.text, "No space left"));
    strcpy(work.out, "/tmp/r\xe9sultats");
    assert_int_equal(worklist_save(&work, "/dev/null", &err), -EINVAL);
    assert_non_null(strstr(err.text, "/tmp/r\\xe9sultats: the path must be"));
}

TESTS(cmocka_unit_test(plans_come_back),
      cmocka_unit_test(cut_plans_are_refused),
      cmocka_unit_test(spoilt_bytes_do_no_harm),
      cmocka_unit_test(missing_and_wrong_keys_are_refused),
      cmocka_unit_test(long_names_do_not_overrun),
      cmocka_unit_test(files_that_fail_say_so))
