"""dlsbench replay CAMPAIGN: its cells are those of dlsbench sim, and so are
their times."""
import json
import re
import signal
import statistics
import subprocess
import time

import pytest

from conftest import ROOT, needs_simgrid
from result_files import analysis
from test_replay import PLATFORM, trace

# What makes a cell, but for where it ran.
NAMES = ("kernel", "scheme", "ranks", "threads", "transport", "window",
         "master", "hierarchy", "collect", "prefetch", "min_chunk")
SCHEMES = ["static", "ss", "css:chunk=16", "gss", "fss", "tss", "dtss", "dfss",
           "dgss", "wf", "awf-b"]
KERNELS = ["adjoint:size=80", "matmul:tasks=3000,min=10,max=60",
           "mandelbrot:size=800,maxiter=500"]
CAMPAIGN = {"name": "small", "cells": [
    {"kernel": KERNELS, "layout": "64x1", "transport": "master",
     "master": ["computing", "dedicated"], "hierarchy": ["flat", 4],
     "scheme": SCHEMES},
    {"kernel": KERNELS, "layout": "16x4", "hierarchy": ["node", "2xnode"],
     "scheme": ["gss", "tss", "gss/ss"]},
    {"kernel": KERNELS, "layout": ["64x1", "4x1"], "transport": "window",
     "scheme": ["css:chunk=16", "fss"]},
    {"kernel": KERNELS[:1], "layout": "64x1", "transport": "steal",
     "scheme": "ss"},
    {"kernel": "heat:rows=50,cols=50,steps=2", "layout": "4x1",
     "transport": "master", "scheme": "ss"}]}


@pytest.fixture
def replay(dlsbench, tmp_path):
    """Of a campaign, into a directory."""
    needs_simgrid()
    (tmp_path / "p.xml").write_text(PLATFORM.format(4))

    def call(path, *args, out="replayed", platform="p.xml"):
        on = ("--platform", platform) if platform else ()
        return dlsbench("replay", path, *on, "--out", f"{tmp_path / out}/",
                        *args, out=out)
    return call


def cells(runs):
    return {tuple(x[name] for name in NAMES): x for x in runs}


@pytest.mark.cross
@pytest.mark.parametrize("block", [0, 1, 2])
def test_times_are_simgrids(replay, dlsbench, campaign, block):
    path = campaign(json.dumps({**CAMPAIGN, "cells": [
        CAMPAIGN["cells"][block]]}))
    done = replay(path)
    assert done.code == 0, done.err
    simulated = dlsbench("sim", path, "--platform", "p.xml", "--set",
                         "collect=local", out="simulated")
    assert simulated.code == 0, simulated.err
    own, others = cells(done.runs()), cells(simulated.runs())
    assert own.keys() == others.keys() and len(own) >= 6
    errors = {key: abs(own[key]["time_s"] / others[key]["time_s"] - 1)
              for key in own}
    assert statistics.median(errors.values()) < 1e-3
    # Chunks one by one decide ties in other ways, below masters.
    most = {"master": 0.1, "window": 1e-3}
    assert all(error < most[dict(zip(NAMES, key))["transport"]]
               for key, error in errors.items()), errors
    assert all(own[key]["chunks"] == others[key]["chunks"] for key in own
               if key[1] not in ("static", "awf-b"))


def test_what_is_left_out_is_said(replay, campaign):
    done = replay(campaign(json.dumps(CAMPAIGN)))
    assert done.code == 0, done.err
    left = [x for x in done.err.splitlines() if "left out: " in x]
    assert len(left) == 2
    assert "1 combination, a replay knows transports shared, master" in left[0]
    assert "1 combination, a replay knows independent iter" in left[1]
    assert "heat:" in left[1] and "results stay where" in done.err
    runs = done.runs()
    assert {x["transport"] for x in runs} == {"master", "window"}
    assert all(x["platform"] == "replayed, p.xml" and x["replayed"]
               and x["simulated"] and x["collect"] == "local" for x in runs)


def test_a_part_is_continued(replay, dlsbench, campaign, tmp_path):
    path = campaign(json.dumps(CAMPAIGN))
    whole = cells(replay(path).runs())
    part = replay(path, "--shard", "0/3", out="part")
    held = len(part.runs())
    assert 0 < held < len(whole)
    again = replay(path, out="part")
    assert again.code == 2 and "--resume" in again.err
    rest = replay(path, "--resume", out="part")
    assert rest.code == 0, rest.err
    assert f"{held} of {len(whole)} cells are complete" in rest.err
    runs = rest.runs()
    assert len(runs) == len(whole)
    assert {k: x["time_s"] for k, x in cells(runs).items()} == \
        {k: x["time_s"] for k, x in whole.items()}
    told = dlsbench("summary", "part").out
    title = re.search(r"^(\S+) on replayed, p$", told, re.M)
    assert title and title[1].startswith("adjoint")
    assert "threads, " in told and " on p" not in told.replace(title[0], "")
    for reader in "tables", "report":
        code, told, err = analysis(reader, tmp_path / "part")
        assert code == 0, err
        assert "(replayed)" in told or reader == "report"
    page = (tmp_path / "part/report.html").read_text()
    assert "repetitions (replayed), " in page and "(simulated)" not in page
    assert ", platform replayed, p" in page and "p.xml" not in \
        page.split("<nav")[0]


def test_equal_chunks_are_replayed_once_and_alone_alike(replay, campaign):
    """With more workers than iterations most schemes hand out single ones."""
    block = {"kernel": "matmul:tasks=40,min=10,max=60", "layout": "64x1",
             "transport": "master", "hierarchy": 4, "scheme": SCHEMES}
    together = replay(campaign(json.dumps({"name": "t", "cells": [block]})))
    assert together.code == 0, together.err
    for scheme in "gss", "dtss", "static", "css:chunk=16":
        alone = replay(campaign(json.dumps(
            {"name": "t", "cells": [{**block, "scheme": scheme}]})),
            out=f"alone-{scheme[:3]}")
        (run,) = alone.runs()
        (same,) = (x for x in together.runs() if x["scheme"] == run["scheme"])
        for name in "time_s", "chunks", "messages", "overhead_mean_s":
            assert run[name] == same[name]


def test_without_a_platform_costs_are_calibrated(replay, campaign, tmp_path,
                                                 measured):
    trace(tmp_path, 2000)
    path = campaign(json.dumps({"name": "c", "cells": [
        {"kernel": f"trace:file={tmp_path}/costs.txt", "layout": "256x1",
         "transport": "master", "scheme": ["gss", "ss"]}]}))
    done = replay(path, "--calibration", measured[0], platform=None)
    assert done.code == 0, done.err
    assert {x["platform"] for x in done.runs()} == {"replayed, this-machine"}
    assert (tmp_path / "replayed/calibration.json").exists()
    none = replay(path, platform=None, out="none")
    assert none.code == 2 and "dlsbench calibrate" in none.err


UNEQUAL = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><zone id="z" routing="Full">
<host id="a" speed="1Gf" core="64"/><host id="b" speed="2Gf" core="64"/>
<link id="l" bandwidth="1GBps" latency="1us"/>
<route src="a" dst="b"><link_ctn id="l"/></route>
</zone></platform>
"""


def test_what_cannot_be_replayed_is_one_line(replay, campaign, tmp_path):
    (tmp_path / "unequal.xml").write_text(UNEQUAL)
    path = campaign(json.dumps({"name": "c", "cells": [
        {"kernel": "adjoint:size=20", "layout": "64x1", "scheme": "gss"}]}))
    done = replay(path, platform="unequal.xml")
    assert done.code == 2 and "hosts that are alike, and a and b" in done.err
    heat = campaign(json.dumps({"name": "h", "cells": CAMPAIGN["cells"][4:]}))
    done = replay(heat)
    assert done.code == 2 and "no cell can be replayed: a replay knows" \
        in done.err and len(done.err.splitlines()) == 1
    large = campaign(json.dumps({"name": "l", "cells": [
        {"kernel": "adjoint:size=20", "layout": "1000x1", "scheme": "gss"}]}))
    done = replay(large, out="large")
    assert done.code == 1
    assert "FAILED: room for 320 ranks of 1 thread, 1000" in done.out


@pytest.mark.parametrize("how", ["SIGINT", "SIGTERM"])
def test_an_interrupted_replay_says_how_to_go_on(campaign, tmp_path, how):
    needs_simgrid()
    (tmp_path / "p.xml").write_text(PLATFORM.format(4))
    path = campaign(json.dumps({"name": "long", "cells": [
        {"kernel": [f"matmul:tasks=300000,min=10,max=60,seed={i}"
                    for i in range(1, 61)], "layout": "64x1",
         "transport": "master", "scheme": "ss"}]}))
    running = subprocess.Popen(
        [ROOT / "build/dlsbench", "replay", "--platform", "p.xml", "--out",
         f"{tmp_path}/long/", path], cwd=tmp_path, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    limit = time.monotonic() + 60
    while '"cell_done"' not in "".join(
            x.read_text() for x in tmp_path.glob("long/runs-*.jsonl")):
        assert time.monotonic() < limit and running.poll() is None
        time.sleep(0.02)
    running.send_signal(getattr(signal, how))
    out, err = running.communicate(timeout=60)
    assert (running.returncode, out) == (1, ""), err
    last = err.splitlines()[-1]
    assert last.startswith("dlsbench: interrupted: cells complete: "), err
    assert last.endswith(f"dlsbench replay --platform p.xml {path} --out "
                         f"{tmp_path}/long --resume"), err


def test_the_campaign_may_stand_anywhere(replay, dlsbench, campaign, tmp_path):
    path = campaign(json.dumps({"name": "small", "cells": [
        {"kernel": KERNELS[0], "layout": "4x1", "transport": "master",
         "scheme": "ss"}]}))
    assert replay(path, out="first").code == 0
    for words in (("--dry-run", path, "--platform", "p.xml"),
                  ("--platform", "p.xml", path, "--dry-run")):
        done = dlsbench("replay", *words)
        assert (done.code, "campaign small: 1 cell" in done.out) == (0, True)
        assert "launcher" not in done.out and "repetitions" not in done.out
    for words, why in (((), "a campaign, or --scheme with --trace"),
                       ((path, "--launcher", "x"), "goes with dlsbench run"),
                       (("--platform", "p.xml"), "a campaign, or --scheme"),
                       ((path, "--scheme", "ss"), "--set replaces its"),
                       ((path, "--save"), "unknown option --save")):
        done = dlsbench("replay", *words)
        assert done.code == 2 and why in done.err, done.err
