"""Loops with dependence vectors (`deps`): real and simulated, against the
serial loop; the bytes that cross an edge, and the model with its depth."""
import csv
import io

import pytest

from slices import part_of
from test_matrix import SINGLE, check, listed

SETS = {"2:2+3:1": 44, "1:0+0:1+1:1": 24, "1:0+0:3+5:1": 72, "1:0+5:2": 38,
        "2:2+1:3": 69}
FIVE = """
name: five
repetitions: 1
repetitions_max: 1
layout: {layout}
kernel: [{kernels}]
scheme: ["css:chunk=1", "css:chunk=3", "css:chunk=4", gss, tss]
sync_interval: [1, 4, 5, 24]
protocol: {protocols}
cells:
  - {{}}
"""
SCHEMES = """
name: schemes
repetitions: 1
repetitions_max: 1
layout: {layout}
kernel: ["deps:rows=41,cols=61,vectors=1:0+0:3+5:1",
         "deps:rows=41,cols=61,vectors=2:2+9:30,work=3"]
scheme: {schemes}
sync_interval: 7
cells:
  - {{}}
"""
LEARN_COSTS = ("hss", "binlpt", "static:by=cost")


def five(layout, protocols="[dmps, subproblem]"):
    kernels = ", ".join(f'"deps:rows=13,cols=24,vectors={v}"' for v in SETS)
    return FIVE.format(layout=layout, kernels=kernels, protocols=protocols)


def schemes(key):
    names = [s for s in SINGLE + ["ss"] if s not in LEARN_COSTS]
    return listed(part_of(key, names, 3))


@pytest.mark.cross
@pytest.mark.parametrize("layout", ["1x1", "1x2", "1x3", "1x4", "2x1", "3x1",
                                    "4x1", "2x2"])
def test_five_sets_of_vectors(dlsbench, campaign, layout):
    result = dlsbench("run", campaign(five(layout)), "--oversubscribe",
                      "--cell-timeout", 60)
    assert result.code == 0, result.err[-2000:]
    assert len(check(result, 13)) == 200


@pytest.mark.cross
@pytest.mark.parametrize("layout", ["1x4", "2x1", "4x1", "2x2"])
def test_five_sets_simulated(sim, campaign, layout):
    result = sim(campaign(five(layout)))
    assert result.code == 0, result.err[-2000:]
    rows = result.runs()
    assert len(rows) == 200
    assert all(row["status"] == "ok" and row["iterations"] == 13
               for row in rows)


@pytest.mark.cross(part=3)
@pytest.mark.parametrize("layout", ["1x3", "3x1", "2x2"])
def test_every_scheme(dlsbench, sim, campaign, layout):
    path = campaign(SCHEMES.format(layout=layout, schemes=schemes(layout)))
    result = dlsbench("run", path, "--oversubscribe", "--cell-timeout", 60)
    assert result.code == 0, result.err[-2000:]
    check(result, 41)
    result = sim(path, out="simulated")
    assert result.code == 0, result.err[-2000:]


@pytest.mark.parametrize("vectors", SETS)
def test_only_what_is_needed_crosses_an_edge(sim, campaign, vectors):
    """Two chunks of 4 rows, 24 columns, one boundary between them."""
    sums = {}
    for v in ("1:0+0:1+1:1", vectors):
        result = sim("--kernel", f"deps:rows=8,cols=24,vectors={v}",
                     "--scheme", "static", "--ranks", 2, "--sync-interval", 4,
                     "--collect", "local", out=v.replace(":", "."))
        (row,) = result.runs()
        sums[v] = row["bytes"]
    assert sums[vectors] - sums["1:0+0:1+1:1"] == 4 * (SETS[vectors] - 24)


def test_independent_rows_send_nothing(dlsbench, sim):
    for call in (dlsbench, sim):
        more = ("run", ) if call is dlsbench else ()
        result = call(*more, "--kernel", "deps:rows=30,cols=40,vectors=3:0",
                      "--scheme", "ss", "--ranks", 2, "--sync-interval", 7,
                      "--oversubscribe", out=f"{len(more)}")
        assert result.code == 0, result.err
        assert all(row["sync_s"] in (0, None)
                   for row in result.lines("workers"))
    result = dlsbench("predict", "--kernel",
                      "deps:rows=30,cols=40,vectors=3:0")
    assert result.code == 2


def test_negative_components_are_refused(dlsbench):
    result = dlsbench("run", "--kernel", "deps:vectors=1:1+1:-1", "--scheme",
                      "ss", "--sync-interval", 5)
    (line,) = result.error_lines()
    assert result.code == 2 and "component is negative" in line


@pytest.mark.parametrize("workers,depth,times", [
    (3, 2, [408, 380, 364, 368, 396]), (4, 3, [512, 496, 504, 532, 608]),
    (2, 2, [252, 238, 230, 232, 246])])
def test_the_model_takes_the_depth(dlsbench, workers, depth, times):
    """The times of a pipeline that was run event by event."""
    result = dlsbench("predict", "--chunk-dim", 4 * workers, "--sync-dim", 24,
                      "--workers", workers, "--cp", 1, "--cd", 10, "--cc", 1,
                      "--depth", depth, "--tms", 0, "--h", "3,4,6,8,12",
                      "--format", "csv")
    rows = csv.DictReader(io.StringIO(result.out))
    found = {float(row["h"]): float(row["time_s"]) for row in rows}
    assert [found[h] for h in (3, 4, 6, 8, 12)] == pytest.approx(times)


def test_the_best_interval_is_above_the_lead(dlsbench):
    best = {}
    for lead in (0, 12):
        result = dlsbench("predict", "--chunk-dim", 12, "--sync-dim", 24,
                          "--workers", 3, "--cp", 1, "--cd", 10, "--cc", 1,
                          "--lead", lead, "--format", "csv")
        rows = csv.DictReader(io.StringIO(result.out))
        (best[lead],) = [float(x["h"]) for x in rows if x["optimal"] == "1"]
    assert best[0] < 12 and best[12] == 13


def test_another_work_is_another_cost(dlsbench, measured):
    result = dlsbench("predict", "--calibration", measured[0], "--kernel",
                      "deps:vectors=1:1,work=7")
    assert result.code == 2
    assert "dlsbench calibrate --kernel 'deps:" in result.err
