"""One file and one line: a scheme or a kernel added to a copy of the sources
is built, listed and run, and a kernel that is wrong is found out."""
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


@pytest.fixture(scope="module")
def extended(tmp_path_factory):
    """The sources with the README's scheme and a wrong kernel."""
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
