"""One file and one line: a scheme, a kernel or a transport added to a copy of
the sources is built, listed and run; a kernel that is wrong is found out.  One
line makes a field of cells."""
import os
import re
import subprocess

import pytest

from analysis.columns import converter
from conftest import ROOT, Result, copy_tree, start

# Says i squared, but `run` errs in one iteration.
WRONG = """
#include "kernels/kernel.h"

static int wrong_create(const struct spec *spec, void **out,
                        struct error *err)
{
    (void)spec, (void)err;
    *out = NULL;
    return 0;
}

static void wrong_destroy(void *instance)
{
    (void)instance;
}

static int64_t wrong_iterations(const void *instance)
{
    (void)instance;
    return 40;
}

static size_t wrong_output_bytes(const void *instance)
{
    (void)instance;
    return sizeof(int64_t);
}

static void wrong_run(const void *instance, void *scratch, int64_t start,
                      int64_t size, void *output,
                      const struct kernel_poll *poll)
{
    (void)instance, (void)scratch, (void)poll;
    for (int64_t i = start; i < start + size; i++)
        ((int64_t *)output)[i - start] = i == 17 ? -1 : i * i;
}

static void wrong_reference(const void *instance, int64_t start, int64_t size,
                            void *output)
{
    (void)instance;
    for (int64_t i = start; i < start + size; i++)
        ((int64_t *)output)[i - start] = i * i;
}

static const struct spec_param wrong_params[] = {{0}};

const struct kernel_ops kernel_wrong_ops = {
    .name = "wrong",
    .summary = "wrong in iteration 17",
    .citation = "none",
    .params = wrong_params,
    .create = wrong_create,
    .destroy = wrong_destroy,
    .iterations = wrong_iterations,
    .output_bytes = wrong_output_bytes,
    .run = wrong_run,
    .reference = wrong_reference,
};
"""

# A field that changes nothing: it is set, crossed, hashed, recorded and said.
FIELD = """
FIELD(colour, char[16], .fallback = "gray", .choices = {"gray", "red", "blue"},
      .hash = UNUSUAL(30), .words = ", colour %s",
      .arg = "C", .help = "gray (default), red or blue")
"""


BLOCKS = """
/* Transport blocks: each worker has one block of the loop. */
#include "harness/transport/transport.h"

#include <errno.h>
#include <stdlib.h>

struct blocks_source {
    struct source base;
    struct chunk block;
    int64_t taken;
};

struct blocks {
    const struct transport_setup *setup;
    int first, count; /* workers of this rank */
    struct blocks_source source[];
};

static bool blocks_next(struct source *base, struct chunk *chunk)
{
    struct blocks_source *source = (struct blocks_source *)base;
    if (source->taken > 0 || source->block.size == 0)
        return false;
    source->taken = 1;
    *chunk = source->block;
    return true;
}

static int blocks_open(const struct transport *transport,
                       const struct comm *comm, void **out, struct error *err)
{
    const int *first = &transport->setup.tree->rank_worker[comm->rank];
    int count = first[1] - first[0];
    struct blocks *blocks =
        calloc(1, sizeof(*blocks) + (size_t)count * sizeof(*blocks->source));
    if (blocks == NULL)
        return error_set(err, ENOMEM, "out of memory");
    blocks->setup = &transport->setup;
    blocks->first = first[0];
    blocks->count = count;
    *out = blocks;
    return 0;
}

static void blocks_close(void *end)
{
    free(end);
}

static void blocks_reset(void *end, bool further_step)
{
    struct blocks *blocks = end;
    int64_t n = blocks->setup->iterations;
    int64_t p = blocks->setup->tree->workers;
    (void)further_step;
    for (int i = 0; i < blocks->count; i++) {
        int w = blocks->first + i;
        int64_t from = n * w / p, to = n * (w + 1) / p;
        blocks->source[i] = (struct blocks_source){
            .base = {.next = blocks_next, .worker = w},
            .block = {.start = from, .size = to - from, .step = w}};
    }
}

static struct source *blocks_source(void *end, int i)
{
    return &((struct blocks *)end)->source[i].base;
}

static void blocks_facts(const void *end, int i,
                         int64_t value[TRANSPORT_FACTS])
{
    value[0] = ((const struct blocks *)end)->source[i].taken;
}

static const struct transport_rules blocks_rules = {
    .name = "blocks",
    .summary = "each worker has one block",
    .refuses = {TRANSPORT_NO_SCHEDULES,
                TRANSPORT_SENDS_NOTHING,
                [TRANSPORT_DEPENDENT] = "would let the second worker wait for "
                                        "all of the first's block",
                [TRANSPORT_NODE] = "has no masters",
                [TRANSPORT_MASTERS] = "has no masters",
                [TRANSPORT_TWO] = "has one block for each worker",
                [TRANSPORT_RESERVING] = "has one block for each worker",
                [TRANSPORT_LEARNING] = "has one block for each worker",
                [TRANSPORT_REISSUE] = "hands nothing out again"},
    .fact = {{"blocks", "count"}},
    .tree = TRANSPORT_NO_MASTER,
};

const struct transport_ops transport_blocks_ops = {
    .rules = &blocks_rules,
    .open = blocks_open,
    .close = blocks_close,
    .reset = blocks_reset,
    .source = blocks_source,
    .facts = blocks_facts,
};
"""


@pytest.fixture(scope="module")
def extended(tmp_path_factory):
    """The sources with the scheme of docs/researcher.md, a wrong kernel, a
    transport and one field more."""
    tree = copy_tree(tmp_path_factory.mktemp("tree"))
    readme = (ROOT / "docs/researcher.md").read_text()
    code = re.search(r"```c\n(.*?)```", readme, re.DOTALL).group(1)
    (tree / "sched/schemes/half.c").write_text(code)
    (tree / "kernels/wrong.c").write_text(WRONG)
    with open(tree / "sched/schemes/schemes.def", "a",
              encoding="utf-8") as file:
        file.write("SCHEME(half)\n")
    with open(tree / "kernels/kernels.def", "a", encoding="utf-8") as file:
        file.write("KERNEL(wrong)\n")
    with open(tree / "harness/cell/cell_fields.def", "a",
              encoding="utf-8") as file:
        file.write(FIELD)
    folder = tree / "harness/transport/blocks"
    folder.mkdir()
    (folder / "blocks_transport.c").write_text(BLOCKS)
    with open(tree / "harness/transport/transports.def", "a",
              encoding="utf-8") as file:
        file.write("TRANSPORT(blocks)\n")
    made = subprocess.run(["make", "-C", str(tree), f"-j{os.cpu_count()}",
                           "WERROR=", "build/dlsbench", "check-registry",
                           "build/sched/schemes/invariants_test"],
                          text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    assert made.returncode == 0, made.stdout[-3000:]
    assert "warning" not in made.stdout
    return tree


def run(tree, tmp_path, *args):
    process = start(tree / "build/dlsbench",
                    [*args, "--out", f"{tmp_path}/out/"], tmp_path)
    out, err = process.communicate(timeout=120)
    return Result(process.returncode, out, err, tmp_path / "out")


def test_the_scheme_of_the_manual_runs(extended, tmp_path):
    result = run(extended, tmp_path, "run", "--kernel", "adjoint:size=6",
                 "--scheme", "half", "--ranks", 2, "--oversubscribe",
                 "--hierarchy", 2, "--repetitions", 2,
                 "--repetitions-max", 2)
    assert result.code == 0, result.err
    assert [x["scheme"] for x in result.runs()] == ["half", "half"]
    listed = subprocess.run([extended / "build/dlsbench", "list", "schemes"],
                            text=True, stdout=subprocess.PIPE, check=True)
    assert "half of 1/p of what is left" in listed.stdout
    subprocess.run([extended / "build/sched/schemes/invariants_test"],
                   check=True, stdout=subprocess.PIPE,
                   stderr=subprocess.STDOUT)


@pytest.mark.parametrize("layout", [
    ["--threads", 2], ["--ranks", 3],
    ["--ranks", 3, "--collect", "local"],
    ["--ranks", 2, "--transport", "window"],
    ["--ranks", 2, "--transport", "window", "--window", "rma"]])
def test_a_wrong_kernel_is_found_wherever_it_runs(extended, tmp_path, layout):
    result = run(extended, tmp_path, "run", "--kernel", "wrong", "--scheme",
                 "gss", *layout, "--oversubscribe", "--repetitions", 2,
                 "--repetitions-max", 2)
    assert result.code == 1
    assert "iteration 17" in result.err and len(result.error_lines()) == 1
    assert [x["status"] for x in result.done()] == ["unverified"]
    assert {x["verified"] for x in result.runs()} == {False}
    assert "UNVERIFIED" in result.out and " ms " not in result.out


def cells(text):
    """Hashes and what else a dry run says, without the summary below."""
    return [line.split(" ", 1) for line in text.splitlines()
            if re.match("[0-9a-f]{16} ", line)]


def test_a_line_makes_a_field(extended, tmp_path, campaign):
    program = extended / "build/dlsbench"
    said = subprocess.run([program, "run", "--help=all"], text=True,
                          check=True, stdout=subprocess.PIPE).stdout
    assert re.search(r"--colour=C +gray \(default\), red or blue", said)
    words = ["run", "--kernel", "null:size=9", "--scheme", "ss", "--threads",
             1, "--repetitions", 2, "--repetitions-max", 2]
    wrong = run(extended, tmp_path, *words, "--colour", "rde")
    assert wrong.code == 2 and "colour: 'rde' is unknown; did you mean " \
        "'red'? allowed: gray, red, blue" in wrong.err
    result = run(extended, tmp_path, *words, "--colour", "red")
    assert result.code == 0, result.err
    assert {x["colour"] for x in result.runs()} == {"red"}
    assert "1 rank x 1 thread, shared, flat, colour red" in result.out
    path = campaign("kernel: null:size=9\nscheme: ss\nthreads: 1\n"
                    "cells:\n  - colour: [gray, red]\n")
    other = tmp_path / "other"
    other.mkdir()
    crossed = run(extended, other, "run", path, "--dry-run")
    (gray, plain), (red, coloured) = cells(crossed.out)
    assert "colour" not in plain and coloured.endswith(" colour=red")
    assert red == result.runs()[0]["cell"] != gray


def test_a_new_field_changes_no_hash(extended, dlsbench):
    """Of cells that say nothing of it."""
    ours = dlsbench("run", "smoke", "--dry-run")
    theirs = subprocess.run([extended / "build/dlsbench", "run",
                             ROOT / "bench/campaigns/smoke.yaml", "--dry-run"],
                            text=True, check=True, stdout=subprocess.PIPE)
    assert len(cells(ours.out)) > 20
    assert cells(ours.out) == cells(theirs.stdout)


def test_the_columns_of_cells_are_explained():
    lines = (ROOT / "harness/cell/cell_fields.def").read_text()
    manual = (ROOT / "results/README.md").read_text()
    fields = re.findall(r"^FIELD\((\w+),(.*(?:\n +.*)*)", lines, re.MULTILINE)
    assert len(fields) > 30
    for name, line in fields:
        if ".asks" not in line:
            found = re.search(rf"^\|[^|]*\b{name}\b", manual, re.MULTILINE)
            assert found, name


def test_the_manual_has_the_columns_and_sentences_of_list(dlsbench):
    """Word for word: results/README.md goes on where there is more to say."""
    listed = re.sub(r"\n {10,}", " ", dlsbench("list", "columns").out)
    found = re.findall(r"^  (\w+) +(\S.*)", listed, re.M)
    listed = {name: sentence.strip() for name, sentence in found}
    assert len(listed) == len(found)
    manual = (ROOT / "results/README.md").read_text()
    table = manual.partition("`type: run` is")[2].partition("`type: cell")[0]
    rows = re.findall(r"^\| (\w+) \| (.*) \|$", table, re.M)[1:]
    assert len(rows) > 90
    assert [name for name, _ in rows] == list(listed)
    for name, text in rows:
        sentence, said = listed[name], text.replace("`", "")
        assert said == sentence or said.startswith(f"{sentence}. "), name


def test_readers_know_the_type_of_every_column(dlsbench):
    """But of those whose values are of several types."""
    lines = (ROOT / "harness/record/line/run_columns.def").read_text()
    several = re.findall(r"^COLUMN\(.*, (\w+), line_value,", lines, re.M)
    names = re.findall(r"^  (\w+)(?: {2}|$)", dlsbench("list", "columns").out,
                       re.M)
    assert len(names) > 90 and set(several) < set(names)
    assert not [name for name in names
                if converter(name) is None and name not in several]


def test_a_transport_runs_in_campaigns_and_is_recorded(extended, tmp_path):
    campaign = tmp_path / "campaign.yaml"
    campaign.write_text("""
name: blocks
repetitions: 2
repetitions_max: 2
oversubscribe: on
kernel: ["adjoint:size=6", "heat:rows=9,cols=9"]
scheme: [gss, static]
layout: ["1x3", "2x2"]
cells:
  - transport: [blocks, steal]
""")
    result = run(extended, tmp_path, "run", str(campaign))
    assert result.code == 0, result.err
    assert "4 cells (12 impossible" in result.err
    runs = [x for x in result.runs() if x["transport"] == "blocks"]
    assert len(runs) == 4 and {x["scheme"] for x in runs} == {"gss:min=1"}
    for row in runs:
        assert row["verified"] is True and row["iterations"] == 36
        assert row["chunks"] == row["blocks"] == row["workers"]
        assert "steals" not in row
    cells = {x["cell"] for x in runs}
    workers = [x for x in result.lines("workers") if x["cell"] in cells]
    assert workers and {x["blocks"] for x in workers} == {1}
    assert "blocks" in result.out


def test_a_transport_is_in_the_table_of_what_goes_with_what(extended):
    listed = subprocess.run([extended / "build/dlsbench", "list",
                             "transports"], text=True, check=True,
                            stdout=subprocess.PIPE).stdout
    table = [x.rsplit(None) for x in listed.split("\n\n")[1].split("\n")]
    assert table[0][-1] == "blocks"
    column = {" ".join(x[:2]): x[-1] for x in table[1:]}
    assert column["protocol parallel"] == "yes"
    assert column["protocols dmps,"] == "-"
    assert "records: blocks (count)" in listed


@pytest.mark.parametrize("options,says", [
    (["--transport", "block"], "did you mean 'blocks'?"),
    (["--transport", "blocks", "--kernel", "heat"],
     "would let the second worker wait for all of the first's block; use "
     "transport shared"),
    (["--transport", "shared", "--ranks", "2"], "window, steal or blocks")])
def test_messages_know_an_added_transport(extended, tmp_path, options, says):
    result = run(extended, tmp_path, "run", "--scheme", "ss", "--kernel",
                 "adjoint:size=6", *options)
    assert result.code == 2
    assert says in result.err, result.err
