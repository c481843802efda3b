"""analysis/regret.py: of constructed results the right repetitions, value and
interval, as bench/tables/regret_test.c has them, in tables and on the page."""
import csv
import io
import math
import re

import pytest

from result_files import CELL, Directory, analysis

import cells  # noqa: E402  (result_files set the path)
import loader
import regret

SIMULATED = "auto:by=simulation,schemes=all,hierarchies=all,intervals=given"
TRIED = "auto:by=trial,schemes=ss+tss,hierarchies=given,intervals=given"


def chosen(scheme):
    return {"chosen_scheme": scheme, "chosen_hierarchy": "flat",
            "chosen_interval": 0}


def add_auto(directory, scheme, repetitions, end, **cell):
    """Repetitions as (time, scheme that ran, whether it was a trial)."""
    row = {**CELL, "scheme": scheme, **cell}
    row["cell"] = directory.name({"scheme": scheme, **cell})
    for number, (time_s, ran, trial) in enumerate(repetitions, 1):
        directory.write("runs", "l1", {
            **row, **chosen(ran), "trial": trial, "type": "run",
            "status": "ok",
            "repetition": number, "simulated": False, "workers": 2,
            "time_s": time_s, "verified": True, "oversubscribed": False})
    directory.write("runs", "l1", {
        **row, **chosen(end), "type": "cell_done", "status": "ok",
        "repetitions": len(repetitions), "reason": None})


@pytest.fixture
def directory(tmp_path):
    made = Directory(tmp_path / "d")
    made.manifest()
    made.cell([2.0 * i for i in range(1, 11)], scheme="gss:min=1")
    made.cell([1.0 * i for i in range(1, 11)], scheme="ss")
    made.cell([0.1] * 10, scheme="static", load="w1:1")  # another problem
    add_auto(made, SIMULATED,
             [(2.2 * i, "gss:min=1", False) for i in range(1, 11)],
             "gss:min=1")
    # The last choice counts, since trials began last.
    add_auto(made, TRIED,
             [(50, "ss", True), (60, "tss", True), (70, "ss", False),
              (80, "tss", True), *[(7, "ss", True)] * 3,
              (90, "tss", False), *[(7, "ss", False)] * 4], "ss")
    return made.path


def found(path):
    results = loader.load(str(path))
    return regret.pairs(results, cells.summarize(results)).to_dict("records")


def test_value_and_interval_are_those_of_the_repetitions(directory):
    rows = {row["scheme"]: row for row in found(directory)}
    assert len(rows) == 2
    row = rows[SIMULATED]
    assert row["best"] == "ss" and row["best_s"] == 5.5
    assert row["regret"] == pytest.approx(1.2)
    # Of 10 values the 2nd and the 9th bound the median.
    far = math.hypot(math.log(5.5 / 2), math.log(9 / 5.5))
    assert row["regret_low"] == pytest.approx(2.2 * math.exp(-far) - 1)
    assert row["regret_high"] == pytest.approx(2.2 * math.exp(far) - 1)
    assert math.isnan(row["regret_with_trials"])
    row = rows[TRIED]
    assert row["auto_s"] == 7 and row["chosen_scheme"] == "ss"
    assert row["regret"] == pytest.approx(7 / 5.5 - 1)
    assert row["regret_low"] == pytest.approx(7 / 9 - 1)
    assert row["regret_high"] == pytest.approx(7 / 2 - 1)
    mean = (50 + 60 + 70 + 80 + 90 + 7 * 7) / 12
    assert row["regret_with_trials"] == pytest.approx(mean / 5.5 - 1)


def test_few_repetitions_have_no_interval(tmp_path):
    made = Directory(tmp_path / "d")
    made.cell([1.0, 2.0, 3.0, 4.0, 5.0], scheme="ss")
    add_auto(made, SIMULATED, [(i, "ss", False) for i in range(1, 11)], "ss")
    (row,) = found(made.path)
    assert row["regret"] == pytest.approx(5.5 / 3 - 1)
    assert math.isnan(row["regret_low"]) and math.isnan(row["regret_high"])


def test_the_table_and_the_page_have_it(directory):
    code, out, err = analysis("tables", directory, "--table", "regret")
    assert code == 0, err
    assert "Regret of automatic selection: adjoint" in out
    assert "+120.0 %  -28.6 to +577.7" in out
    code, out, err = analysis("tables", directory, "--table", "regret",
                              "--format", "csv")
    rows = [r for r in csv.DictReader(io.StringIO(out)) if r["regret"]]
    assert code == 0 and len(rows) == 2
    assert float(rows[0]["regret"]) == pytest.approx(1.2)
    code, _, err = analysis("report", directory, "--no-files")
    page = (directory / "report.html").read_text()
    assert code == 0, err
    assert "Regret of automatic selection" in page and "+120.0 %" in page


def test_without_fixed_cells_there_is_no_table(tmp_path):
    made = Directory(tmp_path / "d")
    add_auto(made, SIMULATED, [(1.0, "ss", False)] * 6, "ss")
    code, _, err = analysis("tables", made.path, "--table", "regret")
    assert code == 2 and "beside fixed choices" in err


# What makes another problem, and the value that a decoy has of it.
OTHER = {"kernel": "adjoint:size=101,seed=1", "transport": "shared",
         "master": "dedicated", "window": "rma", "openmp": "libgomp",
         "victim": "near", "collect": "master", "bind": "scatter",
         "rank_per": "numa", "memory": "bind", "timing": "chunk",
         "protocol": "dmps", "data": "sent", "placement": "replan",
         "power": "1,2", "load": "w1:1", "prefetch": True, "smt": True,
         "threads": 3, "min_chunk": 2, "reissue": 3.0,
         "perturb": "delay:worker=1,workers=1,factor=2,period=0.01,seed=1"}
STEALING = {"transport": "steal", "openmp": "auto", "victim": "random",
            "rank_per": "", "memory": "touch", "data": "none",
            "placement": "sticky", "reissue": None, "perturb": "none"}


def test_both_readers_find_the_same_fixed_cell(tmp_path, dlsbench):
    """A cell of another problem is faster, whatever differs."""
    made = Directory(tmp_path / "d")
    made.manifest()
    made.cell([2.0 * i for i in range(1, 11)], scheme="ss", **STEALING)
    for name, value in OTHER.items():
        made.cell([0.01] * 10, scheme="ss", **{**STEALING, name: value})
    add_auto(made, SIMULATED, [(3.0 * i, "ss", False) for i in range(1, 11)],
             "ss", **STEALING)
    auto = made.name({"scheme": SIMULATED, **STEALING})
    made.write("choices", "l1", {
        "type": "candidate", "cell": auto, "by": "simulation",
        "candidate": "x", "scheme": "ss", "hierarchy": "flat",
        "sync_interval": None, "predicted_s": 1.0, "chosen": True})
    (row,) = found(made.path)
    assert row["regret"] == pytest.approx(0.5)
    summary = dlsbench("summary", made.path)
    assert summary.code == 0, summary.err
    (line,) = re.findall("^.*1x2 steal .*simulation.*$", summary.out, re.M)
    assert "+50.0 %" in line
