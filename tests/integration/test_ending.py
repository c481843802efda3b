"""What dlsbench run ends with below its summary: tables that need Python, and
only where there is something for them to show."""
import os
import stat

import pytest

from conftest import ROOT

ONE = ("run", "--scheme", "gss", "--threads", 2, "--oversubscribe",
       "--repetitions", 1, "--repetitions-max", 1)
NULL = (*ONE, "--kernel", "null:size=100")


@pytest.fixture
def python(tmp_path, monkeypatch):
    """A python3 first on the path that leaves what it was asked for, and ends
    as it is told.  Returns the file with the words."""
    folder = tmp_path / "bin"
    folder.mkdir()
    asked = tmp_path / "asked"
    program = folder / "python3"
    program.write_text(f'#!/bin/sh\necho "$@" >> {asked}\n'
                       'exit ${ENDS_WITH:-0}\n')
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    return asked


def test_a_plain_cell_starts_no_python(dlsbench, python):
    result = dlsbench(*NULL)
    assert result.code == 0 and not python.exists()
    assert dlsbench("summary", result.directory).code == 0
    assert not python.exists()


@pytest.mark.parametrize("words", [
    ("--kernel", "heat:rows=20,cols=20", "--sync-interval", 5)])
def test_one_cell_with_an_interval_starts_none(dlsbench, python, words):
    assert dlsbench(*ONE, *words).code == 0 and not python.exists()


@pytest.mark.parametrize("words", [
    ("--kernel", "null:size=100", "--events", "page-faults:u"),
    ("--kernel", "null:size=100", "--perturb", "delay:worker=1,factor=2")])
def test_what_has_a_table_asks_for_it(dlsbench, python, words):
    result = dlsbench(*ONE, *words)
    assert result.code == 0, result.err
    tables = str(ROOT / "analysis/tables.py")
    (line,) = python.read_text().splitlines()
    path, *rest = line.split()
    assert os.path.realpath(path) == os.path.realpath(tables)
    assert rest[:2] == ["--ending", "--store"]
    assert os.path.samefile(rest[2], result.directory)
    dlsbench("summary", result.directory)
    assert "--store" not in python.read_text().splitlines()[1]


def test_without_python_a_line_says_how(dlsbench, python, monkeypatch):
    monkeypatch.setenv("ENDS_WITH", "127")
    result = dlsbench(*NULL, "--perturb", "delay:worker=1,factor=2")
    assert result.code == 0
    (line,) = result.error_lines()
    assert "need Python with pandas" in line
    assert "analysis/tables.py --ending --store" in line
    # The summary is there all the same.
    assert "perturbed by delay" in result.out and "1 cell ok" in result.out


def test_without_pandas_a_line_says_how(dlsbench, python, monkeypatch):
    """-S: a Python that has nothing of its own site."""
    (python.parent / "bin/python3").write_text(
        '#!/bin/sh\nexec /usr/bin/python3 -S "$@"\n')
    monkeypatch.setenv("DLSBENCH_PYTHON_TRIED", "1")
    result = dlsbench(*NULL, "--perturb", "delay:worker=1,factor=2")
    assert result.code == 0
    (line,) = result.error_lines()
    assert "Python lacks pandas" in line and "apt-get install" in line
    assert line.endswith(f"--ending --store {result.directory}")


def test_the_summary_names_the_fastest_of_a_shape(dlsbench, campaign, python):
    """Where it ran in several ways; in one way the star says it."""
    result = dlsbench("run", campaign("""
repetitions: 1
repetitions_max: 1
events: none
kernel: "null:size=100"
cells:
  - {layout: 1x2, scheme: [ss, gss], transport: [shared, window]}
  - {layout: 1x1, scheme: [ss, gss]}
"""))
    assert result.code == 0, result.err
    times = {(x["scheme"], x["transport"]): x["time_s"] for x in result.runs()
             if x["threads"] == 2}
    block = result.out.split("\n  fastest\n")[1].split("\n\n")[0]
    (line,) = block.replace("\n    ", " ").splitlines()  # wrapped
    scheme, transport = min(times, key=times.get)
    assert line.startswith("  1 rank x 2 threads: ")
    assert f" with {scheme}, {transport}" in line
