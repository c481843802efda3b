"""Simulation against reality: make validate, and what it says of cells."""
import csv
import json
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
    assert out.splitlines()[0] == (
        "Answer: half of the simulated times are within 10.0 % of the "
        "measured ones, the worst is 20.0 % off.  The scheme that is fastest "
        "in simulation costs at most 0.0 % more than the fastest.")
    for words in (r"ss +12 +13 +1\.000 s .* 0\.900 s +-10\.0 %",
                  r"gss:min=1 +12 +13 .* \+20\.0 %", r"tss .* \+0\.0 %"):
        assert re.search(words, out), (words, out)
    assert ("3 cells: the simulated time is off by 10.0 % in the median, "
            "20.0 % at most") in out and "MISSED" not in out
    assert (both / "validate.txt").read_text() == out
    with open(both / "validate.csv", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [float(r["error"]) for r in rows] == pytest.approx([-0.1, 0.2, 0])


def test_simulations_under_several_calibrations_are_a_range(both):
    again = Directory(both / "simulated-2")
    for scheme, time in ("ss", 1.1), ("gss:min=1", 2.1), ("tss", 2.9):
        again.cell([time], scheme=scheme, launch="l2",
                   run={"simulated": True}, platform="this-machine")
    again.manifest("l2")
    code, out, err = analysis("validate", both)
    assert (code, err) == (0, "")
    assert re.search(r"ss .* 0\.900 s to 1\.100 s +\+0\.0 %", out), out
    # Two other cells do not say how far off simulations are.
    assert ("2 of 3 measured medians are inside the printed range (aim: 90 %: "
            "MISSED)") in out and "2 calibrations alone hold 2;" in out


def test_other_cells_say_how_wide_the_range_is(tmp_path):
    """41 loops take 1 s; simulated 0 to 40 % less, and the last a half."""
    native, there, again = (Directory(tmp_path / "v" / name)
                            for name in ("native", "one", "two"))
    shorter = [0.01 * i for i in range(41)] + [0.5]
    for i, share in enumerate(shorter):
        loop = {"kernel": f"adjoint:size={10 + i}"}
        native.cell([1.0], **loop)
        for end, launch, more in (there, "l2", 1), (again, "l3", 0.99):
            end.cell([more * (1 - share)], run={"simulated": True},
                     launch=launch, platform="this-machine", **loop)
    for directory, launch in (native, "l1"), (there, "l2"), (again, "l3"):
        directory.manifest(launch)
    code, out, err = analysis("validate", tmp_path / "v")
    assert (code, err) == (0, "")
    with open(tmp_path / "v" / "validate.csv", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    # The farthest of 41 others, never the cell itself.
    for row, share in zip(rows, shorter):
        assert float(row["range_high_s"]) == pytest.approx(
            (1 - share) / (1 - max(x for x in shorter if x != share)))
        assert float(row["range_low_s"]) == pytest.approx(
            0.99 * (1 - share), rel=1e-6)
    assert "41 of 42 measured medians are inside" in out


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


def test_the_error_by_cause_and_by_what_was_calibrated(tmp_path):
    """Of a second: the kernel 0.1 less, boundaries 0.2 more, requests 0.05
    more; and the load 0.3 less than without."""
    native, there = (Directory(tmp_path / "v" / name)
                     for name in ("native-1", "simulated-1"))

    def parts(compute, sync, wait):
        return lambda *_: {"compute_s": compute, "sync_s": sync,
                           "wait_s": wait}
    heat = {"kernel": "heat:rows=1000,cols=2000", "sync_interval": 100}
    for cell, held in (({}, "calibrated"), ({"sync_interval": 90}, "width"),
                       ({"scheme": "tss"}, "scheme"),
                       ({"scheme": "css:chunk=50"}, "chunk"),
                       ({"kernel": "heat:rows=10,cols=20"}, "grid"),
                       ({"load": "w1"}, "calibrated")):
        cell = {**heat, "scheme": "css:chunk=125", **cell}
        less = 0.3 if cell.get("load") else 0
        native.cell([1.0], workers=parts(0.7, 0.1, 0.2), **cell)
        there.cell([1.25 - less], workers=parts(0.6, 0.3, 0.25),
                   run={"simulated": True}, platform="this-machine",
                   launch="l2", **cell)
    native.manifest()
    there.manifest("l2")
    kernel = {"kernel": heat["kernel"], "chunk": 124, "blocks": [{"h": 100}]}
    (there.path / "calibration.json").write_text(json.dumps(
        {"kinds": {"threads": {"kernels": [kernel]}}}))
    code, out, err = analysis("validate", tmp_path / "v")
    assert (code, err) == (0, "")
    with open(tmp_path / "v" / "validate.csv", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert sorted(row["held_out"] for row in rows) == [
        "calibrated", "calibrated", "chunk", "grid", "scheme", "width"]
    for row in rows:
        assert float(row["cause_kernel"]) == pytest.approx(-0.1)
        assert float(row["cause_boundary"]) == pytest.approx(0.2)
        assert float(row["cause_request"]) == pytest.approx(0.05)
        if row["load"]:
            assert float(row["cause_load"]) == pytest.approx(-0.3)
        else:
            assert float(row["cause_end"]) == pytest.approx(0.1)
    for words in (r"rows=1000,cols=2000 +5 +-10\.0 % +\+20\.0 % +\+5\.0 %"
                  r" +\+10\.0 % +-30\.0 %", r"calibrated +yes +1 ",
                  r"width held out +no +1 +25\.0 %",
                  r"5 cells without load: .* 25\.0 % in the median.*MISSED",
                  r"1 cell with load: .* 5\.0 % in the median.*met"):
        assert re.search(words, out), (words, out)


def test_the_same_choices_are_counted(tmp_path):
    native, there = (Directory(tmp_path / "v" / name)
                     for name in ("native-1", "simulated-1"))
    times = {("ss", 10): (1, 1), ("ss", 20): (2, 3), ("tss", 10): (3, 0.5),
             ("tss", 20): (4, 4)}
    for (scheme, h), (seen, told) in times.items():
        cell = {"kernel": "heat", "scheme": scheme, "sync_interval": h}
        native.cell([seen], **cell)
        there.cell([told], run={"simulated": True}, launch="l2", **cell)
    # Measured, both are the same but for their spread.
    for h, first, told in ((10, 1.0, 2), (20, 1.01, 1)):
        cell = {"kernel": "adjoint", "scheme": "ss", "sync_interval": h}
        native.cell([first + 0.01 * i for i in range(9)], **cell)
        there.cell([told], run={"simulated": True}, launch="l2", **cell)
    native.manifest()
    there.manifest("l2")
    code, out, err = analysis("validate", tmp_path / "v")
    assert (code, err) == (0, "")
    assert ("the same best scheme in 1 of 2, the same sync interval in 2 of 3"
            " groups") in out
    assert ("not surely slower than the best in 1 of 2 (scheme) and 3 of 3 "
            "(sync interval).") in out


def test_what_ran_in_one_way_only_is_no_comparison(tmp_path):
    there = Directory(tmp_path / "d")
    there.cell([1.0])
    there.manifest()
    code, _, err = analysis("validate", there.path)
    assert code == 2 and "no cell is there both" in err


@pytest.mark.cross(group="calibrations")
def test_make_validate(tmp_path):
    (tmp_path / "tiny.yaml").write_text(TINY)
    (tmp_path / "held.yaml").write_text(
        TINY.replace("tiny", "held").replace("size=60", "size=50"))
    process = subprocess.run(
        ["sh", ROOT / "bench/validate.sh", ROOT / "build/dlsbench",
         tmp_path / "tiny.yaml", tmp_path / "v"], capture_output=True,
        text=True, timeout=300, cwd=ROOT, check=False,
        env={**environment(tmp_path), "PYTHON": os.sys.executable,
             "ROUNDS": "1", "HELD": str(tmp_path / "held.yaml")})
    assert process.returncode == 0, process.stderr
    assert "8 cells: the simulated time is off by" in process.stdout
    for words in (r"calibrated +no +4 ", r"grid held out +no +4 "):
        assert re.search(words, process.stdout), process.stdout
    text = (tmp_path / "v/calibration-1.json").read_text()
    assert "adjoint:size=60" in text
