"""Simulation against reality: make validate, and what it says of cells."""
import csv
import os
import re
import subprocess

import pytest

from conftest import ROOT, environment
from result_files import Directory, analysis

TINY = """
name: tiny
repetitions: 3
repetitions_max: 3
bind: none
oversubscribe: on
kernel: "adjoint:size=60"
cells:
  - {layout: 1x2, scheme: [ss, tss]}
  - {layout: 2x1, scheme: [ss, tss]}
"""


@pytest.fixture
def both(tmp_path):
    """Four cells natively, three of them simulated: 10 % too fast, 20 % too
    slow, exact."""
    native, there = (Directory(tmp_path / "v" / name)
                     for name in ("native", "simulated"))
    for scheme, time, factor in (("ss", 1.0, 0.9), ("gss:min=1", 2.0, 1.2),
                                 ("tss", 3.0, 1.0), ("static", 4.0, None)):
        native.cell([time, time, 9 * time], scheme=scheme)
        if factor:
            there.cell([time * factor], scheme=scheme,
                       run={"simulated": True, "chunks": 13},
                       platform="this-machine")
    native.manifest()
    there.manifest()
    return tmp_path / "v"


def test_the_error_of_each_cell_and_its_median(both):
    code, out, err = analysis("validate", both)
    assert (code, err) == (0, "")
    for words in (r"ss +12 +13 +1\.000 s .* 0\.900 s +-10\.0 %",
                  r"gss:min=1 +12 +13 .* \+20\.0 %", r"tss .* \+0\.0 %"):
        assert re.search(words, out), (words, out)
    assert ("3 cells: the simulated time is off by 10.0 % in the median, "
            "20.0 % at most") in out and "MISSED" not in out
    assert (both / "validate.txt").read_text() == out
    with open(both / "validate.csv", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [float(r["error"]) for r in rows] == pytest.approx([-0.1, 0.2, 0])


def test_each_field_of_a_cell_but_how_it_was_measured_sets_it_apart(tmp_path):
    native, there = (Directory(tmp_path / "v" / name)
                     for name in ("native", "simulated"))
    for costs, time in (None, 1.0), ("measured", 2.0):
        cell = {"costs": costs} if costs else {}
        native.cell([time], window="shared", **cell)
        there.cell([time * 1.1], run={"simulated": True}, window="auto",
                   platform="this-machine", **cell)
    native.manifest()
    there.manifest()
    code, out, err = analysis("validate", tmp_path / "v")
    assert (code, err) == (0, "")
    with open(tmp_path / "v" / "validate.csv", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [float(r["error"]) for r in rows] == pytest.approx([0.1, 0.1])


def test_what_ran_in_one_way_only_is_no_comparison(tmp_path):
    there = Directory(tmp_path / "d")
    there.cell([1.0])
    there.manifest()
    code, _, err = analysis("validate", there.path)
    assert code == 2 and "no cell is there both" in err


@pytest.mark.cross(group="calibrations")
def test_make_validate(tmp_path):
    (tmp_path / "tiny.yaml").write_text(TINY)
    process = subprocess.run(
        ["sh", ROOT / "bench/validate.sh", ROOT / "build/dlsbench",
         tmp_path / "tiny.yaml", tmp_path / "v"], capture_output=True,
        text=True, timeout=200, cwd=ROOT, check=False,
        env={**environment(tmp_path), "PYTHON": os.sys.executable})
    assert process.returncode == 0, process.stderr
    assert "4 cells: the simulated time is off by" in process.stdout
    text = (tmp_path / "v/calibration.json").read_text()
    assert "adjoint:size=60" in text
