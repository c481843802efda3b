"""Calibration: measured, written whole, and read by those who need it."""
import json
import socket

import pytest


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    """One calibration for all tests of this module."""
    from conftest import ROOT, start
    folder = tmp_path_factory.mktemp("calibration")
    path = folder / "c.json"
    process = start(ROOT / "build/dlsbench",
                    ("calibrate", "--workers", 2, "--oversubscribe", "--out",
                     path, "--kernel", "heat:rows=64,cols=96"), folder)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    return path, out


def test_what_a_calibration_holds(measured):
    path, out = measured
    data = json.loads(path.read_text())
    assert data["schema"] == 1
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
        times = [x["one_way_s"] for x in pair["sizes"]]
        assert all(x > 0 for x in times)
        assert {x["transport"] for x in kind["dispatch"]} == (
            {"shared"} if name == "threads" else {"master", "window"})
        kernels = [x["kernel"].split(":")[0] for x in kind["kernels"]]
        assert kernels == ["mandelbrot", "adjoint", "matmul", "heat", "heat",
                           "floyd-steinberg", "floyd-steinberg", "heat"]
        for kernel in kind["kernels"]:
            assert len(kernel["workers"]) == 2
            assert all(0 < x["c_p_s"] < 10 for x in kernel["workers"])
            grid = kernel["unit"] == "grid point"
            assert grid == kernel["kernel"].startswith(("heat", "floyd"))
        own = kind["kernels"][-1]
        assert (own["rows"], own["columns"]) == (64, 96)


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
    assert result.code == 1
    (line,) = result.error_lines()
    assert "cannot write" in line


def test_workers_that_share_cores_are_refused(dlsbench, tmp_path):
    result = dlsbench("calibrate", "--workers", 64, "--out",
                      tmp_path / "c.json", limit=60)
    if result.code == 0:
        pytest.skip("64 cores are here")
    (line,) = result.error_lines()
    assert "share core" in line and "--oversubscribe" in line
    assert not (tmp_path / "c.json").exists()
