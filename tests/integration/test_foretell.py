"""What is said of cells before they run: their time, loops that are too short
or too long, and the unit of costs."""
import re

import pytest

from conftest import ROOT

CALIBRATION = ["--calibration", ROOT / "tests/pinned/calibration.json"]
RUN = ["run", "--scheme", "gss", "--threads", 2, "--dry-run"]


@pytest.fixture
def costs(tmp_path):
    path = tmp_path / "costs.txt"
    path.write_text("".join(f"{1000 * i}\n" for i in range(1, 51)))
    return path


def test_short_loops_are_named_with_a_size(dlsbench):
    result = dlsbench(*RUN, "--kernel", "mandelbrot:size=64", *CALIBRATION)
    assert result.code == 0
    said = re.search(r"1 cell is too short .* mandelbrot:size=64,.* on 2 "
                     r"workers takes about [\d.]+ us; from about mandelbrot:"
                     r"size=(\d+),", result.err)
    assert said, result.err
    long = dlsbench(*RUN, "--kernel", f"mandelbrot:size={said[1]}",
                    *CALIBRATION)
    assert "too short" not in long.err
    half = dlsbench(*RUN, "--kernel", f"mandelbrot:size={int(said[1]) // 2}",
                    *CALIBRATION)
    assert "too short" in half.err


def test_nothing_is_said_where_nothing_is_known(dlsbench):
    result = dlsbench(*RUN, "--kernel", "mandelbrot:size=64")
    assert "too short" not in result.err
    assert result.out.splitlines()[-1].startswith(
        "1 cell, at most 60 s by cell_seconds, if 3 repetitions fit into it (")


def test_a_plan_ends_with_cells_and_time(dlsbench):
    result = dlsbench("run", "--kernel", "mandelbrot,adjoint:size=100",
                      "--scheme", "gss,ss,static", "--threads", 2,
                      "--dry-run", *CALIBRATION)
    assert re.fullmatch(r"6 cells, about [\d.]+ (s|min)",
                        result.out.splitlines()[-1])


def test_what_is_complete_takes_no_time(dlsbench, costs):
    words = ["run", "--kernel", f"trace:file={costs},unit=ns", "--scheme",
             "gss,ss", "--threads", 2, "--repetitions", 1,
             "--repetitions-max", 1, "--out", "here/"]
    first = dlsbench(*words)
    assert first.code == 0, first.err
    assert "2 cells are too short to mean anything" in first.err
    again = dlsbench(*words, "--resume", "--dry-run")
    assert "2 of 2 cells are complete already; left: 0 cells" in again.out


def test_hours_are_said_before_they_begin(dlsbench, costs):
    result = dlsbench("run", "--kernel", f"trace:file={costs}", "--scheme",
                      "gss", "--threads", 2, "--cell-timeout", 2)
    assert result.code == 1
    first = result.err.index("about 354 hours on one worker and about 177 "
                             "hours on 2; its costs count as seconds, say "
                             "unit=ms, us or ns if they are not")
    assert first < result.err.index("1/1 cell", first)


@pytest.mark.parametrize("unit,unit_s", [
    ("unit=s", 1), ("unit=ms", 1e-3), ("unit=us", 1e-6), ("unit=ns", 1e-9),
    ("unit=flop,cp=2e-9", 2e-9)])
def test_units(dlsbench, costs, unit, unit_s):
    result = dlsbench("replay", "--kernel", f"trace:file={costs},{unit}",
                      "--workers", 1, "--scheme", "static", "--format", "csv")
    assert result.code == 0, result.err
    header, row = (line.split(",") for line in result.out.splitlines()[:2])
    found = dict(zip(header, row[-len(header):]))
    time_s = next(v for k, v in found.items() if k.startswith("time"))
    assert float(time_s) == pytest.approx(1275000 * unit_s, rel=1e-4)


def test_a_replay_names_its_unit(dlsbench, costs):
    words = ["replay", "--trace", costs, "--workers", 4, "--scheme", "gss"]
    assert "354 hours on one worker, as seconds; --unit" in \
        dlsbench(*words).err
    assert "hours" not in dlsbench(*words, "--unit", "us").err
    assert dlsbench(*words, "--unit", "h").code == 2


@pytest.mark.parametrize("unit", ["unit=flop", "cp=1e-9", "unit=h"])
def test_units_that_are_none(dlsbench, costs, unit):
    result = dlsbench(*RUN, "--kernel", f"trace:file={costs},{unit}")
    assert result.code == 2 and ("go together" in result.err
                                 or "s|ms|us|ns|flop" in result.err)


def test_seconds_are_the_same_cell(dlsbench, costs):
    hashes = {dlsbench(*RUN, "--kernel", f"trace:file={costs}{unit}"
                       ).out.split()[0] for unit in ("", ",unit=s")}
    assert len(hashes) == 1
