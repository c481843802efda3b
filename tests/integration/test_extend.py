"""One file and one line: a scheme or a kernel added to a copy of the sources
is built, listed and run, and a kernel that is wrong is found out.  One line
makes a field of cells."""
import os
import re
import subprocess

import pytest

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


@pytest.fixture(scope="module")
def extended(tmp_path_factory):
    """The sources with the README's scheme, a wrong kernel and one field
    more."""
    tree = copy_tree(tmp_path_factory.mktemp("tree"))
    readme = (ROOT / "README.md").read_text()
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


def test_the_scheme_of_the_readme_runs(extended, tmp_path):
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
    said = subprocess.run([program, "run", "--help"], text=True, check=True,
                          stdout=subprocess.PIPE).stdout
    assert re.search(r"--colour=C +gray \(default\), red or blue", said)
    words = ["run", "--kernel", "null:size=9", "--scheme", "ss", "--threads",
             1, "--repetitions", 2, "--repetitions-max", 2]
    wrong = run(extended, tmp_path, *words, "--colour", "rde")
    assert wrong.code == 2 and "colour: 'rde' is unknown, allowed: gray, " \
        "red, blue; did you mean 'red'?" in wrong.err
    result = run(extended, tmp_path, *words, "--colour", "red")
    assert result.code == 0, result.err
    assert {x["colour"] for x in result.runs()} == {"red"}
    assert "1 rank x 1 thread, shared, flat, colour red" in result.out
    path = campaign("kernel: null:size=9\nscheme: ss\nthreads: 1\n"
                    "cells:\n  - colour: [gray, red]\n")
    crossed = run(extended, tmp_path, "run", path, "--dry-run")
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
