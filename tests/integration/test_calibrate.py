"""Calibration: measured, written whole, and read by those who need it."""
import json
import os
import pathlib
import pty
import re
import shutil
import socket
import subprocess

import pytest

from conftest import ROOT, earlier_in_cache, eventually


def test_what_a_calibration_holds(measured):
    path, out = measured
    data = json.loads(path.read_text())
    assert data["schema"] == 3
    assert data["host"] == socket.gethostname()
    assert set(data["kinds"]) == {"threads", "ranks"}
    assert data["processor"] in out and str(path) in out
    for name, kind in data["kinds"].items():
        assert [w["worker"] for w in kind["workers"]] == [0, 1]
        assert min(w["power"] for w in kind["workers"]) == 1
        (pair,) = kind["boundaries"]
        assert pair["workers"] == [0, 1]
        assert 0 <= pair["c_d_s"] < 1e-2 and pair["c_c_s_per_byte"] >= 0
        assert pair["r2"] <= 1
        transfers = [(x["worker"], x["G_s_per_byte"] > 0)
                     for x in kind["transfers"]]
        assert transfers == ([(1, True)] if name == "ranks" else [])
        times = [x["one_way_s"] for x in pair["sizes"]]
        assert all(x > 0 for x in times)
        assert {x["transport"] for x in kind["dispatch"]} == (
            {"shared", "steal"} if name == "threads"
            else {"master", "window", "steal"})
        kernels = [x["kernel"].split(":")[0] for x in kind["kernels"]]
        assert kernels == ["mandelbrot", "adjoint", "matmul", "heat", "heat",
                           "floyd-steinberg", "floyd-steinberg", "triad",
                           "spmv", "triangles", "sph", "heat"]
        for kernel in kind["kernels"]:
            assert len(kernel["workers"]) == 2
            assert all(0 < x["c_p_s"] < 10 for x in kernel["workers"])
            grid = kernel["unit"] == "grid point"
            assert grid == kernel["kernel"].startswith(("heat", "floyd"))
        for kernel in kind["kernels"]:
            for cost in kernel["workers"]:
                assert cost["operation_s"] > 0 and cost["start_s"] >= 0
            grid = kernel["unit"] == "grid point"
            assert bool(kernel.get("blocks")) == grid
            for block in kernel.get("blocks", []):
                assert block["row_s"] > 0 and block["h"] <= kernel["columns"]
                assert block["wait_s"] is None or block["wait_s"] > 0
        own = kind["kernels"][-1]
        assert own["chunk"] == 7
        assert [x["h"] for x in own["blocks"]] == [96]
        assert (own["rows"], own["columns"]) == (64, 96)


def test_operations_and_starts_are_what_iterations_cost(
        measured, dlsbench, campaign, tmp_path):
    """c_p of a whole loop, from its parts: adjoint counts size^2 - i products
    in iteration i.  What others disturbed is measured again alone, without
    the other kernels."""
    again = campaign("{name: one, layout: 1x2, scheme: ss, cells: [{kernel: "
                     "'adjoint:size=100'}]}")
    paths = [measured[0]]

    def attempt():
        path = paths.pop() if paths else tmp_path / "c.json"
        if path != measured[0]:
            done = dlsbench("calibrate", "--for", again, "--workers", 2,
                            "--oversubscribe", "--out", path)
            assert done.code == 0, done.err
        data = json.loads(path.read_text())["kinds"]["threads"]
        (adjoint,) = [x for x in data["kernels"] if "adjoint" in x["kernel"]]
        size = int(re.search(r"size=(\d+)", adjoint["kernel"]).group(1))
        products = (size * size + 1) / 2
        return all(cost["start_s"] + cost["operation_s"] * products
                   == pytest.approx(cost["c_p_s"], rel=0.45)
                   for cost in adjoint["workers"])
    eventually(attempt)


def test_what_simulations_charge(measured):
    kinds = json.loads(measured[0].read_text())["kinds"]
    ours, theirs = (kinds[x]["charges"] for x in ("threads", "ranks"))
    assert 0 < ours["state_s"] < 1e-2
    assert ours["send_s"] is None and ours["round_s"] is None
    assert all(0 < theirs[x] < 1 for x in (
        "state_s", "send_s", "receive_s", "one_way_s", "round_s", "steal_s"))
    assert theirs["round_s"] > theirs["one_way_s"]
    assert 0 < ours["steal_s"] < 1e-2
    for kind in kinds.values():
        assert "steal" in {x["transport"] for x in kind["dispatch"]}


def test_a_rank_takes_in_messages_of_every_size(measured):
    """More bytes a second, and no more messages, the longer they are: between
    the ends of the list, as others may take the cores away in between."""
    path, out = measured
    kinds = json.loads(path.read_text())["kinds"]
    assert {x["messages_per_s"] for x in kinds["threads"]["rates"]} == {None}
    rates = kinds["ranks"]["rates"]
    first, last = rates[0], rates[-1]
    assert [x["bytes"] for x in rates] == sorted(x["bytes"] for x in rates)
    assert first["messages_per_s"] > last["messages_per_s"] > 0
    assert (first["messages_per_s"] * first["bytes"]
            < last["messages_per_s"] * last["bytes"])
    assert "Messages that one rank takes in when all others send" in out


def test_a_campaign_says_what_is_measured(dlsbench, measured, campaign,
                                          tmp_path):
    """Its kernels, each grid at its own sync intervals, smallest first."""
    text = campaign("""
name: two
layout: 1x2
oversubscribe: on
cells:
  - {kernel: "heat:rows=40,cols=300", sync_interval: [70, 9], scheme: static}
  - {kernel: "floyd-steinberg:rows=24,cols=64", sync_interval: 16, scheme: ss}
  - {kernel: "heat:rows=40,cols=300", sync_interval: [9, 33], scheme: gss}
  - {kernel: "adjoint:size=20", scheme: gss}
""")
    shutil.copy(measured[0], tmp_path / "c.json")
    result = dlsbench("calibrate", "--for", text, "--oversubscribe", "--out",
                      tmp_path / "c.json", limit=300)
    assert result.code == 0, result.err
    assert "and are gone: 12, the first mandelbrot:size=2048" in result.err
    kernels = json.loads((tmp_path / "c.json").read_text())[
        "kinds"]["ranks"]["kernels"]
    found = {x["kernel"]: [y["h"] for y in x.get("blocks", [])]
             for x in kernels}
    assert found == {
        "heat:rows=40,cols=300,steps=1,seed=1": [9, 33, 70],
        "floyd-steinberg:rows=24,cols=64,shape=exact,seed=1": [16],
        "adjoint:size=20,seed=1": []}
    wrong = dlsbench("calibrate", "--for", "no-such-campaign")
    assert wrong.code == 2 and "no-such-campaign" in wrong.error_lines()[0]


def test_a_terminal_shows_what_is_measured(campaign, tmp_path):
    """So do lines twice a minute, where there is none."""
    small = campaign("{name: one, layout: 1x2, scheme: ss, oversubscribe: on, "
                     "cells: [{kernel: 'adjoint:size=100'}]}")
    here, there = pty.openpty()
    with subprocess.Popen(
            [ROOT / "build/dlsbench", "calibrate", "--for", small,
             "--workers", "2", "--oversubscribe", "--out",
             tmp_path / "c.json"], stdout=subprocess.DEVNULL,
            stderr=there) as running:
        os.close(there)
        shown = ""
        try:
            while data := os.read(here, 4096):
                shown += data.decode()
        except OSError:  # it has ended
            pass
        os.close(here)
    assert running.returncode == 0, shown
    for kind in "threads", "ranks":
        assert f"calibrate: 2 {kind}, " in shown
    assert re.search(r"round [123] of 3 of the kernels, adjoint:size=100",
                     shown)
    assert "@" not in shown


def test_a_launch_that_has_written_may_hang(dlsbench, measured, tmp_path):
    """In MPI_Finalize, say: it gets five seconds, and what it wrote counts."""
    script = tmp_path / "hangs"
    script.write_text(f"""#!/usr/bin/python3
import json, os, sys, time
at = sys.argv.index("calibrate-launch")
part, ranks = sys.argv[at + 1], int(sys.argv[at + 2])
kinds = json.load(open({str(measured[0])!r}))["kinds"]
with open(part + ".new", "w") as file:
    json.dump({{"mpi": "none", "kind": kinds["ranks" if ranks > 1 else
                                             "threads"]}}, file)
os.rename(part + ".new", part)
time.sleep(300)
""")
    script.chmod(0o755)
    result = dlsbench("calibrate", "--launcher", f"{script} --n={{ranks}}",
                      "--workers", 2, "--out", tmp_path / "c.json", limit=60)
    assert result.code == 0, result.err
    data = json.loads((tmp_path / "c.json").read_text())
    assert data["mpi"] == "none"
    assert data["kinds"] == json.loads(measured[0].read_text())["kinds"]


def test_nothing_but_the_file_is_left(measured):
    path, _ = measured
    left = {x.name for x in path.parent.iterdir()} - {"cache"}
    assert left == {path.name}


@pytest.mark.parametrize("args,words", [
    (("--kernel", "haet"), ["haet", "did you mean 'heat'"]),
    (("--workers", 0), ["--workers", "0"]),
    (("--launcher", "no-such-program -n {ranks}"), ["no-such-program"]),
    (("more",), ["'more' is not an option"]),
])
def test_wrong_use_is_one_line(dlsbench, args, words):
    result = dlsbench("calibrate", *args)
    assert result.code == 2
    (line,) = result.error_lines()
    for word in words:
        assert word in line, line


def test_no_place_is_said_before_measuring(dlsbench, tmp_path):
    result = dlsbench("calibrate", "--out", tmp_path / "no" / "c.json",
                      limit=5)
    assert result.code == 2
    (line,) = result.error_lines()
    assert "cannot write" in line


def test_a_file_that_is_no_calibration_stays(dlsbench, tmp_path):
    notes = tmp_path / "notes.txt"
    notes.write_text("mine\n")
    for path in notes, "/dev/null":
        result = dlsbench("calibrate", "--out", path, limit=5)
        assert result.code == 2
        (line,) = result.error_lines()
        assert "no calibration" in line and "another --out" in line
    assert notes.read_text() == "mine\n"


@pytest.mark.cross(group="calibrations")
def test_a_grid_too_small_to_share_is_refused(dlsbench, tmp_path):
    result = dlsbench("calibrate", "--workers", 2, "--oversubscribe", "--out",
                      tmp_path / "c.json", "--kernel", "heat:rows=3,cols=9")
    assert result.code == 1
    # Open MPI now and then has a word of its own.
    (line,) = [x for x in result.error_lines() if x.startswith("dlsbench: ")]
    assert "heat" in line and "3 rows are too few" in line
    assert not (tmp_path / "c.json").exists()


def test_workers_that_share_cores_are_refused(dlsbench, tmp_path):
    result = dlsbench("calibrate", "--workers", 64, "--out",
                      tmp_path / "c.json", limit=60)
    if result.code == 0:
        pytest.skip("64 cores are here")
    (line,) = result.error_lines()
    assert "share core" in line and "--oversubscribe" in line
    assert not (tmp_path / "c.json").exists()


def changed(measured, tmp_path, **changes):
    """A copy of the calibration with other values in its head."""
    data = json.loads(measured[0].read_text())
    data.update(changes)
    path = tmp_path / "changed.json"
    path.write_text(json.dumps(data))
    return path, data


def predict(dlsbench, path, *args):
    return dlsbench("predict", "--calibration", path, *args)


def test_predict_uses_what_was_measured(dlsbench, measured, tmp_path):
    """By the line over h, where no block of a single width was measured."""
    path, whole = changed(measured, tmp_path)
    data = whole["kinds"]
    for kind in data.values():
        for kernel in kind["kernels"]:
            kernel.pop("blocks", None)
    path.write_text(json.dumps(whole))
    for layout, kind in (("1x2", "threads"), ("2x1", "ranks")):
        result = predict(dlsbench, path, "--kernel", "heat:rows=64,cols=96",
                         "--layout", layout, "--power", "1,1", "--format",
                         "csv", "--h", "10", "--csched", 0, "--tms", 0)
        assert result.code == 0, result.err
        assert "warning" not in result.err
        row = [x for x in result.out.splitlines() if x.startswith("10,")]
        pair = data[kind]["boundaries"][0]
        own = data[kind]["kernels"][-1]["workers"]
        c = pair["c_d_s"] + 10 * 8 * pair["c_c_s_per_byte"]
        c_p = [x["c_p_s"] + x["c_b_s_per_row"] / 10 for x in own]
        low, high = min(c_p), max(c_p)
        # The exact form of two workers: one sends, the other receives.
        times = [(96 / 10 + 1) * (32 * 10 * x + c) for x in (low, high)]
        value = float(row[0].split(",")[1])
        assert 0.999 * times[0] <= value <= 1.001 * times[1]


def test_a_loop_of_20_steps_takes_20_times_as_long(dlsbench, measured):
    def serial_s(steps):
        done = dlsbench("run", "--kernel", f"sph:size=16,steps={steps}",
                        "--scheme", "static", "--threads", 1, "--dry-run",
                        "--repetitions", 1, "--repetitions-max", 1,
                        "--calibration", measured[0], "--format", "csv")
        head, row = done.out.splitlines()
        assert row.split(",")[5] == "model"
        return float(row.split(",")[head.split(",").index("seconds")])
    assert serial_s(20) == pytest.approx(20 * serial_s(1), rel=1e-3)


def test_predict_takes_k_from_the_scheme(dlsbench, measured):
    result = predict(dlsbench, measured[0], "--kernel",
                     "floyd-steinberg:rows=64,cols=96", "--scheme",
                     "css:chunk=8", "--power", "1,1")
    assert result.code == 0, result.err
    assert "with 4 chunks of 8 each" in result.out
    assert "every row lags 1 column" in result.out
    assert "skew stream" in result.out
    assert "floyd-steinberg:rows=512,cols=1024" in result.out


@pytest.mark.parametrize("change,words", [
    ({"host": "elsewhere"}, ["another machine", "elsewhere"]),
    ({"processor": "Abacus 1"}, ["another machine", "Abacus 1"]),
    ({"version": "v0"}, ["another version", "v0", "dlsbench calibrate"]),
])
def test_another_machine_or_version_is_a_warning(dlsbench, measured, tmp_path,
                                                 change, words):
    path, _ = changed(measured, tmp_path, **change)
    result = predict(dlsbench, path, "--kernel", "heat:rows=64,cols=96")
    assert result.code == 0
    (line,) = result.error_lines()
    assert "warning" in line
    for word in words:
        assert word in line, line


@pytest.mark.parametrize("text,words", [
    ('{"schema": 1', ["broken", "dlsbench calibrate"]),
    ("", ["broken"]),
    ('{"schema": 1}', ["not a calibration"]),
    ("[]", ["not a calibration"]),
    (None, ["cannot read the calibration"]),
])
def test_broken_and_missing_files_are_errors(dlsbench, tmp_path, text, words):
    path = tmp_path / "bad.json"
    if text is not None:
        path.write_text(text)
    result = predict(dlsbench, path, "--kernel", "heat:rows=64,cols=96")
    assert result.code == 2 and result.out == ""
    (line,) = result.error_lines()
    for word in [*words, str(path)]:
        assert word in line, line


@pytest.mark.parametrize("schema", [1, 2])
def test_a_calibration_of_an_earlier_version_is_refused(dlsbench, schema):
    """As these versions wrote them."""
    stored = pathlib.Path(__file__).parent / "stored_calibrations"
    result = dlsbench("predict", "--kernel", "heat:rows=100,cols=100",
                      "--calibration", stored / f"schema-{schema}.json",
                      out=None)
    assert result.code == 2 and result.err.count("\n") == 1
    assert (f"schema {schema}, this program reads 3: measure again with "
            "dlsbench calibrate") in result.err


def test_who_needs_no_calibration_warns_of_an_earlier_one(dlsbench, tmp_path):
    path = earlier_in_cache(tmp_path)
    result = dlsbench("replay", "--kernel", "adjoint:size=30", "--cp", "1e-9",
                      "--workers", 4, "--scheme", "fss", out=None)
    assert result.code == 0, result.err
    assert f"warning: {path}: a calibration of schema 2" in result.err
    given = dlsbench("replay", "--kernel", "adjoint:size=30", "--cp", "1e-9",
                     "--workers", 4, "--scheme", "fss", "--count-cost", "1e-8",
                     "--counter-cost", "0", "--state-cost", "2e-8", out=None)
    assert given.code == 0 and given.err == ""
    assert "those not given" in result.out
    assert "those not given" not in given.out
    assert "count 10.00 ns, counter 0, state 20.00 ns" in given.out
    predicted = dlsbench("predict", "--kernel", "heat:rows=100,cols=100",
                         out=None)
    assert predicted.code == 2 and "measure again" in predicted.err


def test_another_schema_is_an_error(dlsbench, measured, tmp_path):
    path, _ = changed(measured, tmp_path, schema=99)
    result = predict(dlsbench, path, "--kernel", "heat:rows=64,cols=96")
    assert result.code == 2
    (line,) = result.error_lines()
    assert "schema 99" in line and "measure again" in line


@pytest.mark.parametrize("args,words", [
    (("--kernel", "heat"), ["not calibrated", "dlsbench calibrate"]),
    (("--kernel", "heat", "--cp", 1), ["--cp", "--kernel"]),
    (("--layout", "1x2"), ["--layout", "--kernel"]),
    (("--kernel", "heat", "--protocol", "dpms"), ["did you mean 'dmps'"]),
])
def test_wrong_predictions_are_one_line(dlsbench, args, words):
    result = dlsbench("predict", *args)
    assert result.code == 2
    (line,) = result.error_lines()
    for word in words:
        assert word in line, line


def test_kernels_that_cannot_be_predicted(dlsbench, measured, tmp_path):
    result = predict(dlsbench, measured[0], "--kernel", "mandelbrot")
    assert result.code == 2 and "independent" in result.err
    _, data = changed(measured, tmp_path)
    for kind in data["kinds"].values():
        kind["kernels"] = kind["kernels"][:3]
    path = tmp_path / "few.json"
    path.write_text(json.dumps(data))
    result = predict(dlsbench, path, "--kernel", "heat:rows=9,cols=9")
    assert result.code == 2
    assert "does not know kernel heat" in result.err
