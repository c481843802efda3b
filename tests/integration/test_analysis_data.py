"""analysis/: reading result directories, good and bad, and statistics."""
import math
import shutil
import subprocess
import sys

import numpy as np
import pytest

from conftest import ROOT, make
from result_files import Directory, analysis

from analysis import cells, jsonl, loader, stats

TEN = [1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7, 1.8, 1.9]
# As in base/stats_test.c: order statistics of the sign test.
INTERVALS = {1: (1, 1), 5: (1, 5), 6: (1, 6), 8: (1, 8), 9: (2, 8),
             10: (2, 9), 12: (3, 10), 15: (4, 12), 20: (6, 15), 25: (8, 18),
             30: (10, 21), 40: (14, 27), 50: (18, 33), 100: (40, 61)}


@pytest.mark.parametrize("n", INTERVALS)
def test_intervals_of_medians_are_those_of_the_program(n):
    values = np.random.default_rng(n).permutation(np.arange(1.0, n + 1))
    median, low, high = stats.median_ci(values)
    assert (median, (low, high)) == ((n + 1) / 2, INTERVALS[n])


def test_grouped_intervals_are_those_of_single_groups():
    rng = np.random.default_rng(3)
    groups = rng.integers(0, 30, 700)
    values = np.where(rng.random(700) < 0.1, np.nan, rng.random(700))
    found = stats.grouped_median_ci(groups, values, 31)
    for g in range(31):
        expected = stats.median_ci(values[groups == g])
        assert np.allclose([f[g] for f in found[:3]], expected,
                           equal_nan=True)


def test_holm_is_that_of_its_definition():
    assert np.allclose(stats.holm([0.01, 0.04, 0.03, 0.005]),
                       [0.03, 0.06, 0.06, 0.02])
    assert stats.least_p(3, 3) == pytest.approx(0.1)
    assert stats.mann_whitney(np.arange(3.), np.arange(3.) + 9) == \
        pytest.approx(0.1)


def test_medians_are_those_of_dlsbench_summary(dlsbench, campaign):
    path = campaign("name: small\nkernel: \"adjoint:size=20\"\n"
                    "repetitions: 7\nrepetitions_max: 7\nlayout: 1x2\n"
                    "cells:\n  - scheme: [static, gss, fss]\n")
    ran = dlsbench("run", path, "--oversubscribe")
    results = loader.load(str(ran.directory))
    frame = cells.summarize(results)
    assert len(frame) == 3 and (frame["n"] == 7).all()
    for row in frame.to_dict("records"):
        times = sorted(r["time_s"] for r in ran.runs()
                       if r["cell"] == row["cell"])
        assert (row["time_s_low"], row["time_s"], row["time_s_high"]) == \
            (times[0], times[3], times[6])
    assert len(results.workers) == len(ran.lines("workers")) == 3 * 7 * 2
    summary = dlsbench("summary", ran.directory).out
    base = frame["base"].iloc[0].split(", ")[1]
    assert f"serial loop of this program, one core: {base}" in summary


def test_blocks_of_any_size_give_the_same(tmp_path, monkeypatch):
    there = Directory(tmp_path / "d")
    for scheme in ("gss", "fss", "tss"):
        there.cell(TEN, scheme=scheme)
    there.manifest()
    whole = loader.load(str(there.path))
    monkeypatch.setattr(jsonl, "BLOCK", 37)
    parts = loader.load(str(there.path))
    assert parts.notes == whole.notes == []
    assert cells.summarize(parts).equals(cells.summarize(whole))
    assert len(parts.workers) == 60


@pytest.mark.parametrize("block", [1, 24, 1 << 23])
def test_files_that_differ_in_columns_and_types_become_one_table(
        tmp_path, monkeypatch, block):
    monkeypatch.setattr(jsonl, "BLOCK", block)
    lines = ['{"a":1,"b":2.5,"c":null}\n{"a":2,"b":"x","d":{"e":7}}\n',
             '{"a":"one","b":2.5,"c":true}\n', '{"a":3,"f":[1,{"g":2}]}\n{']
    paths = []
    for number, text in enumerate(lines):
        paths.append(str(tmp_path / f"{number}.jsonl"))
        (tmp_path / f"{number}.jsonl").write_text(text)
    table = jsonl.read(paths)
    assert {path: list(n) for path, n in table.bad.items()} == {
        paths[2]: [1, 0]}
    found = table.frame().astype(object)
    found = found.where(found.notna(), None)
    assert found.to_dict("list") == {
        "a": [1, 2, "one", 3], "b": [2.5, "x", 2.5, None],
        "c": [None, None, True, None], "d.e": [None, 7, None, None],
        "f": [None, None, None, '[1, {"g": 2}]']}


def test_the_benchmark_of_large_directories_runs(tmp_path):
    program = ROOT / "tests" / "bench_analysis.py"
    done = subprocess.run([sys.executable, program, "--runs", "60"],
                          capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1].startswith("60 runs, ")


def notes_of(path):
    """What report and tables say about a directory; both must survive it."""
    code, out, err = analysis("tables", path)
    shown, _, said = analysis("report", path, "--out", path / "page.html",
                              "--no-files")
    assert shown == code
    assert "Traceback" not in err + said
    assert said.replace("report: ", "") == err.replace("tables: ", "")
    if code == 0:
        assert out and (path / "page.html").stat().st_size > 10000
    return code, [line.partition(": ")[2] for line in err.splitlines()]


@pytest.fixture
def good(tmp_path):
    there = Directory(tmp_path / "d")
    there.cell(TEN)
    there.cell([2 * t for t in TEN], scheme="fss:alpha=2")
    there.manifest()
    return there


def test_a_good_directory_needs_no_words(good):
    assert notes_of(good.path) == (0, [])


def test_an_empty_directory(tmp_path):
    empty = tmp_path / "empty"
    empty.mkdir()
    assert notes_of(empty) == (
        2, [f"{empty}: no results are here (no runs-*.jsonl)"])
    (empty / "runs-l1.jsonl").write_text("")
    assert notes_of(empty) == (
        2, [f"{empty}: the files hold no results yet"])
    assert notes_of(tmp_path / "no")[1] == [f"{tmp_path}/no: no such "
                                            "directory"]


def test_a_torn_line(good):
    with open(good.path / "runs-l1.jsonl", "a") as file:
        file.write('{"schema":1,"type":"run","launch":"l1","ce')
    assert notes_of(good.path) == (
        0, ["runs-l1.jsonl: the last line is torn, left out"])


def test_damage_in_the_middle(good):
    path = good.path / "runs-l1.jsonl"
    lines = path.read_text().splitlines()
    lines[3] = lines[3][:50]
    path.write_text("\n".join(lines) + "\n")
    assert notes_of(good.path) == (
        0, ["runs-l1.jsonl: 1 damaged line, left out"])


def test_a_mixture_of_schema_versions(good):
    newer = Directory(good.path, schema=2)
    newer.cells = dict(good.cells)
    newer.cell(TEN, launch="l2", scheme="tss:last=1", run={"wind_m": 3.5})
    code, notes = notes_of(good.path)
    assert code == 0 and len(notes) == 2
    assert notes[0].startswith("a mixture of schema versions (1, 2)")
    assert notes[1].startswith("schema 2 is newer than this analysis")


def test_unverified_and_failed_cells_are_not_used(good):
    good.cell([0.1] * 10, scheme="static", status="unverified")
    good.cell([], scheme="ss", status="failed")
    code, notes = notes_of(good.path)
    assert (code, notes) == (0, [
        "1 cell differs from the serial reference: not used",
        "1 cell failed: not used"])
    assert "static" not in analysis("tables", good.path)[1]


def test_a_check_that_failed_is_no_reference(good):
    """Of programs of others nobody has a serial reference."""
    for scheme in "static", "ss":
        good.cell([0.1] * 10, scheme=scheme, status="unverified",
                  reason="the check: exit code 1")
    assert notes_of(good.path) == (0, [
        "2 cells whose check failed: not used"])


def test_a_wrong_repetition_of_a_good_cell_is_left_out(good):
    good.cell([0.01], run={"verified": False}, scheme="static")
    code, notes = notes_of(good.path)
    assert code == 0 and "1 repetitions did not verify" in notes[0]
    assert "static" not in analysis("tables", good.path)[1]


def test_only_unverified_cells(tmp_path):
    there = Directory(tmp_path / "d")
    there.cell(TEN, status="unverified")
    there.manifest()
    assert notes_of(there.path) == (2, [
        "1 cell differs from the serial reference: not used",
        "no cell is complete and verified: nothing to show"])


def test_one_repetition_only(tmp_path):
    there = Directory(tmp_path / "d")
    there.cell([1.0])
    there.manifest()
    assert notes_of(there.path) == (
        0, ["one repetition only: no confidence intervals"])
    table = analysis("tables", there.path, "--table", "time")[1]
    assert "1.000 s" in table and "[" not in table


def test_a_missing_column(good):
    for path in good.path.glob("runs-*.jsonl"):
        text = path.read_text().replace('"overhead_mean_s"', '"other"')
        path.write_text(text)
    assert notes_of(good.path) == (0, [
        "column overhead_mean_s is missing: what needs it is not shown"])
    text = (good.path / "runs-l1.jsonl").read_text()
    (good.path / "runs-l1.jsonl").write_text(text.replace('"time_s"', '"t"'))
    code, notes = notes_of(good.path)
    assert code == 2 and "no repetition is recorded yet" in notes[0]


def test_a_directory_that_is_still_being_written(good):
    good.cell(TEN, scheme="tss:last=1", done=False)
    assert notes_of(good.path) == (0, [
        "1 cell not complete (still being written, or interrupted): "
        "left out"])
    good.cell(TEN, scheme="tss:last=1", launch="l2")
    assert notes_of(good.path) == (0, [])


def test_a_directory_whose_first_cell_is_being_written(tmp_path):
    there = Directory(tmp_path / "d")
    there.cell(TEN, done=False)
    there.manifest()
    assert notes_of(there.path) == (2, [
        "1 cell not complete (still being written, or interrupted): left out",
        "no cell is complete and verified: nothing to show"])


def test_words_where_numbers_should_be(good):
    good.cell([1.0], scheme="static", run={"time_s": "fast"})
    good.cell([float("inf"), float("nan")], scheme="ss")
    with open(good.path / "runs-l1.jsonl", "a") as file:
        file.write('{"schema":"one","type":"run","launch":7,"cell":null}\n')
    code, notes = notes_of(good.path)
    assert (code, notes) == (0, [
        "column schema: 1 line without a number, left out",
        "column time_s: 1 line without a number, left out",
        "1 cell not complete (still being written, or interrupted): left out"])
    out = analysis("tables", good.path, "--table", "time")[1]
    assert "static" not in out and "ss  " not in out.replace("fss", "")


def test_no_text_at_all(tmp_path):
    path = tmp_path / "d"
    path.mkdir()
    (path / "runs-l1.jsonl").write_bytes(bytes(range(256)) * 20)
    code, notes = notes_of(path)
    assert code == 2 and "the files hold no results yet; " in notes[0]
    assert "damaged line" in notes[0]
    (path / "runs-l1.jsonl").unlink()
    (path / "runs-l1.jsonl").symlink_to("/nowhere")
    assert notes_of(path) == (2, [
        f"{path}: the files hold no results yet; runs-l1.jsonl: No such file "
        "or directory, left out"])


def test_a_manifest_of_another_make(good):
    (good.path / "manifest-l2.json").write_text(
        '{"campaign": ["a"], "machine": 7, "places": "x", "policy": [], '
        '"started": 5, "counters": "none"}')
    assert notes_of(good.path) == (0, [])


def test_installed_programs_find_their_parts(good, tmp_path):
    make("install", f"DESTDIR={tmp_path}/root", "PREFIX=/usr")
    done = subprocess.run(
        [tmp_path / "root/usr/bin/dlsbench-tables", good.path], cwd=tmp_path,
        capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == analysis("tables", good.path)[1]
    assert (tmp_path / "root/usr/share/dlsbench/bench/papers/diaz"
            / "table_3.csv").exists()
    for name in ("report", "compare", "advise"):
        assert subprocess.run(
            [tmp_path / f"root/usr/bin/dlsbench-{name}", "--help"],
            capture_output=True).returncode == 0


def test_no_manifest(good):
    (good.path / "manifest-l1.json").unlink()
    assert notes_of(good.path) == (
        0, ["no manifest: the environment is not known"])
    (good.path / "manifest-l1.json").write_text("{")
    assert notes_of(good.path)[1][0] == \
        "manifest-l1.json: not readable as JSON, left out"


def test_unknown_columns_are_kept_and_tell_cells_apart(good):
    good.cell(TEN, flavour="sweet", run={"joules": 4.0})
    good.cell(TEN, flavour="sour", run={"joules": 5.0})
    frame = cells.summarize(loader.load(str(good.path)))
    assert "flavour" in frame and "joules" in frame
    assert frame["joules_low"].max() == 5
    assert {"shared, flat, flavour sweet", "shared, flat, flavour sour"} <= \
        set(frame["setup"])
    assert notes_of(good.path) == (0, [])


def test_several_directories_are_read_as_one(good, tmp_path):
    shutil.copytree(good.path, tmp_path / "both" / "a")
    shutil.copytree(good.path, tmp_path / "both" / "b")
    for path in (tmp_path / "both" / "b").glob("*-l1.*"):
        path.write_text(path.read_text().replace('"l1"', '"l2"'))
        path.rename(str(path).replace("-l1.", "-l2."))
    frame = cells.summarize(loader.load(str(tmp_path / "both")))
    assert list(frame["n"]) == [20, 20]
    assert list(frame["launches"]) == [2, 2]


def test_speedup_without_a_serial_time_names_its_base(tmp_path):
    there = Directory(tmp_path / "d")
    for ranks in (256, 512):
        there.cell([512 / ranks], ranks=ranks, threads=1,
                   run={"serial_s": None, "simulated": True})
    frame = cells.summarize(loader.load(str(there.path)))
    assert list(frame["speedup"]) == [1.0, 2.0]
    assert "256 workers, 2.000 s" in frame["base"].iloc[0]
    assert math.isnan(frame["serial_s"].iloc[0])


@pytest.mark.filterwarnings("error")
def test_many_measures_are_read_without_a_warning(tmp_path):
    made = Directory(tmp_path / "d")
    made.cell(TEN, run={f"later_{i}_s": 1.5 for i in range(60)})
    made.manifest()
    code, out, err = analysis("tables", made.path)
    assert (code, err) == (0, "") and out != ""
    frame = cells.summarize(loader.load(str(made.path)))
    assert frame["later_59_s_low"].tolist() == [1.5]


def test_a_misspelt_table_is_one_line(tmp_path):
    code, out, err = analysis("tables", tmp_path, "--table", "sppedup")
    assert code == 2 and out == ""
    assert err.splitlines()[-1].endswith(
        "'sppedup' is unknown; did you mean 'speedup'?")
    err = analysis("tables", tmp_path, "--table", "foo")[2]
    assert err.splitlines()[-1].endswith("--help lists what there is")
