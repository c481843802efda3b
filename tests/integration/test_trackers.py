"""What programs that track times read of a result directory, with their own
readers where Debian has them."""
import importlib.util
import json
import pathlib
import re
import subprocess
import sys

import pytest

from conftest import ROOT
from result_files import Directory

COMPARE = "/usr/share/benchmark/compare.py"     # libbenchmark-tools
LOOP = "adjoint:size=100,seed=1"
SS, GSS = (f"{LOOP}/{scheme}/1 rank x 2 threads, shared, flat, no prefetch"
           for scheme in ("ss", "gss:min=1"))
NS = 1e9


def exported(dlsbench, form, directory="d", code=0, err=""):
    done = dlsbench("summary", directory, "--format", form)
    assert (done.code, done.err) == (code, err)
    return done.out


def two_good(path, factor=1.0):
    made = Directory(path)
    made.manifest()
    made.cell([factor * t / 100 for t in range(20, 30)], scheme="ss")
    made.cell([t / 100 for t in range(50, 60)], scheme="gss:min=1")
    return made


def test_compare_py_reads_google_benchmark(dlsbench, tmp_path):
    for name, factor in ("a", 1.0), ("b", 2.0):
        two_good(tmp_path / name, factor)
        (tmp_path / f"{name}.json").write_text(
            exported(dlsbench, "google-benchmark", name))
    done = subprocess.run(
        [sys.executable, COMPARE, "--no-color", "benchmarks", "a.json",
         "b.json"], cwd=tmp_path, text=True, capture_output=True, check=True)
    rows = [line for line in done.stdout.splitlines()
            if line.startswith(LOOP)]
    assert len([r for r in rows if r.startswith(SS + " ")
                and " +1.0000 " in r]) == 10, done.stdout
    assert len([r for r in rows if r.startswith(GSS + " ")
                and " +0.0000 " in r]) == 10
    p = {name: float(re.search(re.escape(name) + r"_pvalue +([\d.]+)",
                               done.stdout)[1]) for name in (SS, GSS)}
    assert p[SS] < 0.001 and p[GSS] == 1


def test_repetitions_are_those_of_the_directory(dlsbench, tmp_path):
    two_good(tmp_path / "d")
    found = json.loads(exported(dlsbench, "google-benchmark"))
    assert [(b["name"], b["repetition_index"], round(b["real_time"]),
             b["threads"], b["time_unit"], b["run_type"])
            for b in found["benchmarks"]] == [
        (name, i, (first + i) * 10000, 2, "us", "iteration")
        for name, first in ((SS, 20), (GSS, 50)) for i in range(10)]
    assert found["context"]["left_out"] == []


def test_bencher_has_medians_with_intervals(dlsbench, tmp_path):
    two_good(tmp_path / "d")
    found = json.loads(exported(dlsbench, "bencher"))
    rows = json.loads(dlsbench("summary", "d", "--format", "json").out)["rows"]
    assert list(found) == [SS, GSS]
    for cell, row in zip(found.values(), rows):
        assert list(cell) == ["latency"]
        assert cell["latency"] == pytest.approx({
            "value": row["time_s"] * NS, "lower_value": row["time_low_s"] * NS,
            "upper_value": row["time_high_s"] * NS})


def points(text):
    """{(name, scheme): (value, reason)}, by Prometheus' own reader."""
    from prometheus_client.openmetrics import parser
    return {(sample.name, sample.labels["scheme"]):
            (sample.value, sample.labels.get("reason"))
            for family in parser.text_string_to_metric_families(text)
            for sample in family.samples}


def test_openmetrics_is_read_by_its_parser(dlsbench, tmp_path):
    made = two_good(tmp_path / "d")
    made.cell([0.5], scheme='a"b\\c')
    text = exported(dlsbench, "openmetrics")
    assert text.endswith("\n# EOF\n")
    found = points(text)
    assert found["dlsbench_time_seconds", "ss"] == (
        pytest.approx(0.245), None)
    assert found["dlsbench_time_low_seconds", "ss"][0] < 0.245 < found[
        "dlsbench_time_high_seconds", "ss"][0]
    assert found["dlsbench_time_seconds", 'a"b\\c'][0] == 0.5
    assert {found[key] for key in found if key[0] == "dlsbench_ranked"} == {
        (1, None)}


BAD = {"failed": ({"status": "failed"}, {"reason": 'ended by "signal" 9 \xe9'},
                  'FAILED: ended by "signal" 9 \xe9', 1),
       "unverified": ({"status": "unverified"}, {},
                      "UNVERIFIED: differs from the serial reference", 1),
       "not complete": ({"done": False}, {}, "not complete", 0),
       "oversubscribed": ({"run": {"oversubscribed": True}}, {},
                          "oversubscribed, not ranked", 0),
       "shared": ({"run": {"shared_masters": 1}}, {},
                  "a master on a worker's core, not ranked", 0)}


@pytest.mark.parametrize("kind", BAD)
@pytest.mark.parametrize("alone", [False, True])
def test_what_is_not_good_is_left_out_and_said(dlsbench, tmp_path, kind,
                                               alone):
    made = Directory(tmp_path / "d") if alone else two_good(tmp_path / "d")
    made.manifest()
    how, more, reason, code = BAD[kind]
    made.cell([1e-9] * 9, scheme="tss", **how, **more)
    name = SS.replace("/ss/", "/tss/")
    err = f"dlsbench: 1 of {1 if alone else 3} cells left out: {name}: " \
        f"{reason}\n"
    args = {"code": 1 if alone else code, "err": err}
    found = json.loads(exported(dlsbench, "google-benchmark", **args))
    assert found["context"]["left_out"] == [{"name": name, "reason": reason}]
    assert {b["name"] for b in found["benchmarks"]} == (
        set() if alone else {SS, GSS})
    found = json.loads(exported(dlsbench, "bencher", **args))
    assert set(found) == (set() if alone else {SS, GSS})
    found = points(exported(dlsbench, "openmetrics", **args))
    assert [key[0] for key in found if key[1] == "tss"] == ["dlsbench_ranked"]
    assert found["dlsbench_ranked", "tss"] == (0, reason)


def test_cells_of_one_name_have_their_hashes(dlsbench, tmp_path):
    made = Directory(tmp_path / "d")
    made.manifest()
    cells = [made.cell([0.5] * 6, scheme="ss", own=own) for own in "xy"]
    assert list(json.loads(exported(dlsbench, "bencher"))) == [
        f"{SS}/{cell}" for cell in cells]


@pytest.fixture
def reframe_test():
    """Without ReFrame: its file is plain Python."""
    path = pathlib.Path(ROOT) / "packaging/reframe_dlsbench.py"
    spec = importlib.util.spec_from_file_location("reframe_dlsbench", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_reframe_class_reads_our_times(reframe_test, dlsbench, tmp_path):
    two_good(tmp_path / "d")
    found = reframe_test.times_of(exported(dlsbench, "bencher"))
    assert found == pytest.approx({SS: 0.245, GSS: 0.545})


@pytest.mark.parametrize("transports,end", [
    ("shared", ""), ("shared,steal", ", 1 impossible combination skipped")])
def test_the_reframe_class_knows_a_right_run(reframe_test, dlsbench,
                                             transports, end):
    done = dlsbench("run", "--kernel", "mandelbrot:size=64,maxiter=9",
                    "--scheme", "ss,awf-b", "--transport", transports,
                    "--repetitions", "1")
    (line,) = [x for x in done.out.splitlines() if "cells ok, 0 failed" in x]
    assert line.endswith(" failed" + end)
    assert re.search(reframe_test.ALL_RIGHT, done.out, re.M)
    for bad in ", 1 unverified", ", 1 begun but not complete":
        assert not re.search(reframe_test.ALL_RIGHT, line + bad)
