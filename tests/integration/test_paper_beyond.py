"""The report past Han and Chronopoulos: the convolution, smaller, below
masters on one level and on two."""

import os
import re
import subprocess

import pytest

from conftest import racks
from paper_files import rows, run, written

SMALLER = """
name: beyond
platform: {platform}
master: dedicated
scheme: dfss
min_chunk: 5
workers: [128, 256]
hierarchy: ["16", "4x4"]
cells:
  - kernel: "adjoint:size=60"
"""


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    out = tmp_path_factory.mktemp("beyond")
    (out / "smaller.yaml").write_text(SMALLER.format(
        platform=racks(out)))
    run("build/dlsbench", "sim", out / "smaller.yaml", "--out",
        out / "beyond")
    subprocess.run(["sh", "bench/papers/beyond/also.sh", "build/dlsbench",
                    out], check=True, capture_output=True, env={
                       **os.environ, "REPLAYS": "adjoint:size=60 128 16 4x4\n"
                       "adjoint:size=90 512 16x16"})
    return out, written("beyond", out)


def test_the_campaign_goes_to_65536_workers_and_three_levels():
    told = run("build/dlsbench", "sim", "bench/papers/beyond/beyond.yaml",
               "--dry-run")
    assert "65809x1 master 16x16" in told and "4x16" in told


def test_every_hierarchy_stands_beside_its_bound(report):
    found = [r for r in rows(report[0] / "runs.csv")
             if r["workers"] == "256"]
    assert sorted({r["hierarchy"] for r in found}) == ["16", "4x4"]
    for r in found:
        assert float(r["time_s"]) > 0.999 * float(r["bound_s"])
        assert 0 < float(r["efficiency"]) <= 1.001


def test_the_fastest_is_named_for_each_number_of_workers(report):
    runs = rows(report[0] / "runs.csv")
    for workers in ("128", "256"):
        best = min((r for r in runs if r["workers"] == workers),
                   key=lambda r: float(r["time_s"]))
        assert f"  {workers}: {best['hierarchy']}" in report[1]


def test_replays_stand_beside_simulations_and_go_on(report):
    """The machine of the test is another one than the replays' (Ranger), so
    that only the order of magnitude is the same."""
    told = report[1]
    assert "adjoint:size=60,seed=1: replays beside SimGrid" in told
    error = re.search(r"largest error of 2 replays is ([+-][\d.]+) %", told)
    assert error and abs(float(error[1])) < 100
    assert "adjoint:size=90,seed=1, replayed: time" in told
    assert "512: 16x16" in told and "What a replay leaves out" in told
    assert all(float(r["time_s"]) > 0 for r in rows(
        report[0] / "replayed_adjoint_time.csv") if "time_s" in r)
    assert "512" not in {r["workers"] for r in rows(report[0] / "runs.csv")}
