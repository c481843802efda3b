"""The Python package: installed as a user would, outside of the checkout."""
import json
import os
import re
import subprocess
import sys
import zipfile

import pytest

from conftest import ROOT
from result_files import Directory

DLSBENCH = ROOT / "build/dlsbench"

SHOW = """
import dlsbench, json, pandas, sys
results = dlsbench.load(sys.argv[1])
table = dlsbench.columns(results.cells)
print(json.dumps({
    "file": dlsbench.__file__, "cells": json.loads(
        results.cells.to_json(orient="records")),
    "runs": len(results.runs), "workers": len(results.workers),
    "meanings": dict(zip(table["name"], table["meaning"])),
    "units": dict(zip(table["name"], table["unit"])),
    "others": [name for f in (results.runs, results.workers)
               for name, meaning in
               dlsbench.columns(f)[["name", "meaning"]].values if not meaning],
    "cpu_s": [dict(dlsbench.columns(pandas.DataFrame(columns=[
        name, "cpu_s"]))[["name", "meaning"]].values)["cpu_s"]
              for name in ("repetition", "worker")]}))
"""


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    """The environment of a program that has it."""
    place = tmp_path_factory.mktemp("package")
    wheel = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps",
             "--no-index", "--no-build-isolation", "--wheel-dir", place, ROOT]
    subprocess.run(wheel, check=True, timeout=120)
    found, = place.glob("dlsbench-*.whl")
    assert found.name.split("-")[1] == (ROOT / "VERSION").read_text().strip()
    zipfile.ZipFile(found).extractall(place / "site")
    return {**os.environ, "PYTHONPATH": str(place / "site"),
            "PATH": f"{DLSBENCH.parent}:{os.environ['PATH']}",
            "LD_LIBRARY_PATH": str(ROOT / "build/lib")}


def python(package, cwd, text, *args):
    """(exit code, stdout, stderr)"""
    done = subprocess.run([sys.executable, "-c", text, *map(str, args)],
                          cwd=cwd, env=package, text=True, timeout=120,
                          capture_output=True)
    return done.returncode, done.stdout, done.stderr


def made(path):
    """css is twice as fast on two workers; gss may be as fast as on one."""
    directory = Directory(path / "made")
    directory.manifest()
    steady = [1 + i / 100 for i in range(9)]
    directory.cell(steady, scheme="css:chunk=4", threads=1)
    directory.cell([t / 2 for t in steady], scheme="css:chunk=4", threads=2)
    directory.cell([0.6, 0.8, 0.9, 1, 1.1, 1.2, 1.3, 1.4, 1.5],
                   scheme="gss:min=1", threads=2)
    return directory.path


def test_results_are_frames_whose_columns_are_explained(package, tmp_path):
    code, out, err = python(package, tmp_path, SHOW, made(tmp_path))
    assert code == 0, err
    found = json.loads(out)
    assert not found["file"].startswith(str(ROOT))
    assert found["runs"] == 27 and found["workers"] == 9 + 18 + 18
    assert all(found["meanings"].values()), found["meanings"]
    assert found["others"] == []
    program, thread = found["cpu_s"]
    assert "program's processes" in program and "thread" in thread
    assert found["units"]["time_s_low"] == "s" and not found["units"]["cv"]
    by = {(c["scheme"], c["workers"]): c for c in found["cells"]}
    assert by["css:chunk=4", 2]["time_s"] == pytest.approx(0.52)
    assert by["css:chunk=4", 2]["speedup_is_significant"] is True
    assert by["gss:min=1", 2]["speedup_is_significant"] is False


def test_what_is_missing_is_one_sentence(package, tmp_path):
    code, _, err = python(package, tmp_path, """
import dlsbench
for wrong in (lambda: dlsbench.load("nowhere"),
              lambda: dlsbench.schemes("gssx", 10, 2),
              lambda: dlsbench.schemes("wf", 10, 2, power=[1]),
              lambda: dlsbench.Loop("gss", 10, 2).next(2),
              lambda: dlsbench.schemes("gss", 2**64 + 5, 2),
              lambda: dlsbench.schemes("gss", 10, 2**32 + 2),
              lambda: dlsbench.Loop("gss", 10, 2).next(2**32)):
    try:
        wrong()
    except (dlsbench.LoadError, ValueError) as error:
        print(error, file=__import__("sys").stderr)
loop = dlsbench.Loop("gss", 10, 2)
loop.close()
loop.next(0)
""")
    lines = err.splitlines()
    assert lines[0] == "nowhere: no such directory"
    assert "gssx" in lines[1] and "did you mean 'gss'" in lines[1]
    assert lines[2] == "power: 1 numbers, must be 2"
    assert "worker" in lines[3]
    assert lines[4:7] == [f"iterations: {2**64 + 5} is too large",
                          f"workers: {2**32 + 2} is too large",
                          f"worker: {2**32} is too large"]
    assert code == 1 and lines[-1] == "ValueError: this loop is closed"
    package = {**package, "LD_LIBRARY_PATH": ""}
    code, _, err = python(package, tmp_path,
                          "import dlsbench; dlsbench.schemes('gss', 10, 2)")
    assert code == 0 or "apt-get install libdls1" in err.splitlines()[-1]


@pytest.mark.parametrize("scheme", ["fss", "gss", "tss", "css:chunk=64"])
def test_chunks_are_those_of_the_command(package, tmp_path, scheme):
    code, out, err = python(package, tmp_path, f"""
import dlsbench
print(*dlsbench.schemes("{scheme}", 1000, 4)["size"])""")
    assert code == 0, err
    told = subprocess.run([DLSBENCH, "chunks", "--scheme", scheme,
                           "--iterations", "1000", "--workers", "4"],
                          check=True, text=True, capture_output=True).stdout
    sizes = list(map(int, out.split()))
    assert sum(sizes) == 1000
    assert sizes == [int(line.split()[3]) for line in told.splitlines()
                     if re.match(r" *\d", line)], told


def test_the_notebook_runs(package, tmp_path):
    nbclient = pytest.importorskip("nbclient")
    import nbformat
    notebook = nbformat.read(ROOT / "docs/notebook.ipynb", 4)
    assert len(notebook.cells) == 10
    nbclient.NotebookClient(
        notebook, timeout=120, kernel_name="python3",
        resources={"metadata": {"path": tmp_path}}).execute(env=package)
    shown = json.dumps([cell.get("outputs") for cell in notebook.cells])
    assert "speedup_is_significant" in shown and "image/png" in shown
    assert "fss" in shown and "error" not in [
        of.output_type for cell in notebook.cells
        for of in cell.get("outputs", [])]


def test_the_manual_runs_as_printed(package, tmp_path):
    """The loop of docs/python.md, with files and a conversion of ours."""
    text = (ROOT / "docs/python.md").read_text()
    loop, = re.findall(r"\n((?:    .*\n|\n)*    with dlsbench.Loop.*\n"
                       r"(?:    .*\n)*)", text)
    body = "\n".join(line[4:] for line in loop.splitlines())
    code, out, err = python(package, tmp_path, f"""
import concurrent.futures, dlsbench
done = []
files, convert = list(range(97)), done.append
{body}
print(sorted(done) == files)""")
    assert code == 0 and out == "True\n", err
