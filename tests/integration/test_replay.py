"""dlsbench replay beside SimGrid on the same costs, and what it refuses."""
import csv
import io
import json
import os
import random
import shutil
import types

import pytest

from result_files import analysis

from analysis import cells, loader, ranking

# Hosts with a core each, 2 us apart, and 0.5 us from itself.
PLATFORM = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="c" prefix="n-" suffix="" radical="0-79" speed="1Gf" core="{}"
           bw="1GBps" lat="1us" sharing_policy="SPLITDUPLEX"
           loopback_bw="1GBps" loopback_lat="0.5us"/>
</platform>
"""
MESSAGES = ("--latency", "2e-6", "--near", "0.5e-6", "--byte-cost", "1e-9",
            "--apart", "0.25e-6")
# Their sizes do not depend on times.
FIXED = ["static", "ss", "css:chunk=3", "gss", "fss", "tss", "qss", "wf",
         "dtss", "tfss", "fac", "binlpt"]
# Of these, where the order of requests is the simulation's.
LEARNING = ["awf-b", "awf-c", "af", "bold"]
# (workers of a rank, transport, hierarchy, master)
SHAPES = {
    "shared": (64, "shared", "flat", None),
    "pools-of-threads": (64, "shared", "4", None),
    "dedicated": (1, "master", "flat", "dedicated"),
    "computing": (1, "master", "flat", "computing"),
    "masters": (1, "master", "4", "dedicated"),
    "levels": (1, "master", "2x4", "computing"),
    "nodes": (8, "master", "node", "dedicated"),
    "computing-nodes": (8, "master", "2xnode", "computing"),
    "window": (1, "window", "flat", None),
}
SAME_ORDER = {"shared", "dedicated", "computing"}


def trace(tmp_path, iterations=12000):
    """Costs of 25 to 75 us."""
    choose = random.Random(22)
    path = tmp_path / "costs.txt"
    path.write_text("".join(f"{choose.uniform(25e-6, 75e-6):.9g}\n"
                            for _ in range(iterations)))
    return path


def replayed(dlsbench, *args):
    done = dlsbench("replay", *args, "--format", "csv")
    assert done.code == 0, done.err
    return {x["scheme"]: x for x in csv.DictReader(io.StringIO(done.out))}


def chunks_of(dlsbench, *args):
    done = dlsbench("replay", *args, "--format", "chunks")
    assert done.code == 0, done.err
    found = {}
    for x in csv.DictReader(io.StringIO(done.out)):
        found.setdefault(x["scheme"], []).append(
            (int(x["start"]), int(x["size"]), int(x["worker"])))
    return {name: sorted(chunks) for name, chunks in found.items()}


def simulated(dlsbench, campaign, tmp_path, shape, schemes, workers=64):
    """The run and the chunks of each scheme, under the name given here."""
    threads, transport, hierarchy, master = shape
    (tmp_path / "p.xml").write_text(PLATFORM.format(threads))
    fields = {"kernel": f"trace:file={tmp_path}/costs.txt", "scheme": schemes,
              "platform": f"{tmp_path}/p.xml", "workers": workers,
              "threads": threads, "transport": transport,
              "hierarchy": hierarchy}
    if master:
        fields.update(master=master, collect="local", prefetch=False)
    if transport == "window":
        fields.update(window="rma")
    path = campaign(json.dumps({"name": "c", "cells": [fields]}))
    done = dlsbench("sim", path, "--trace")
    assert done.code == 0, done.err
    names = {x.partition(":")[0]: x for x in schemes}
    runs = {names[x["scheme"].partition(":")[0]]: x for x in done.runs()}
    cells = {x["cell"]: name for name, x in runs.items()}
    chunks = {}
    for x in done.lines("chunks"):
        chunks.setdefault(cells[x["cell"]], []).append(
            (x["start"], x["size"], x["worker"]))
    return runs, {name: sorted(x) for name, x in chunks.items()}


@pytest.mark.cross
@pytest.mark.parametrize("name", SHAPES)
def test_a_replay_is_near_simgrid(dlsbench, campaign, tmp_path, name):
    trace(tmp_path)
    threads, transport, hierarchy, master = SHAPES[name]
    learn = name in SAME_ORDER
    schemes = FIXED + (LEARNING if learn else [])
    runs, chunks = simulated(dlsbench, campaign, tmp_path, SHAPES[name],
                             schemes)
    args = ["--trace", tmp_path / "costs.txt", "--workers", 64, "--threads",
            threads, "--transport", transport, "--hierarchy", hierarchy,
            "--scheme", ",".join(schemes), *MESSAGES]
    if master:
        args += ["--master", master, "--prefetch", "off"]
    rows, handed = replayed(dlsbench, *args), chunks_of(dlsbench, *args)
    for scheme in schemes:
        assert float(rows[scheme]["time_s"]) == pytest.approx(
            runs[scheme]["time_s"], rel=0.01), scheme
        assert int(rows[scheme]["chunks"]) == pytest.approx(
            runs[scheme]["chunks"], rel=0.02), scheme
        if scheme in FIXED:
            assert [x[:2] for x in handed[scheme]] == [
                x[:2] for x in chunks[scheme]], scheme
    # SimGrid ends together what is less than a nanosecond apart: from then on
    # two workers may have changed places.
    for scheme in ("static", "gss", "tss", "fac") if learn else ():
        same = sum(a == b for a, b in zip(handed[scheme], chunks[scheme]))
        assert same > 0.8 * len(handed[scheme]), scheme


def test_refills_share_links_with_requests(dlsbench, campaign, tmp_path):
    """A refill passes the links of both masters: what comes to the lower one
    meanwhile delays it, and schemes that learn make other chunks then."""
    trace(tmp_path, 3200)
    schemes = ["timed", "af", "aid-static", "aid-hybrid", "bold"]
    runs, chunks = simulated(dlsbench, campaign, tmp_path,
                             (8, "master", "2xnode", "dedicated"), schemes)
    args = ["--trace", tmp_path / "costs.txt", "--workers", 64, "--threads",
            8, "--transport", "master", "--hierarchy", "2xnode", "--master",
            "dedicated", "--prefetch", "off", "--scheme", ",".join(schemes),
            *MESSAGES, "--node-ranks", 1]
    rows, handed = replayed(dlsbench, *args), chunks_of(dlsbench, *args)
    for scheme in schemes:
        assert float(rows[scheme]["time_s"]) == pytest.approx(
            runs[scheme]["time_s"], rel=1e-4), scheme
        assert [x[:2] for x in handed[scheme]] == [
            x[:2] for x in chunks[scheme]], scheme


@pytest.mark.parametrize("hierarchy", ["node", "2xnode", "4xnode"])
def test_nothing_differs_from_an_exact_simgrid(dlsbench, campaign, tmp_path,
                                               monkeypatch, hierarchy):
    """SimGrid without its shortcuts (bench/overhead/sim/replay.py, EXACT):
    masters ask together, and requests with reports are overtaken by others on
    their way, but not served after them."""
    (tmp_path / "bin").mkdir()
    smpirun = tmp_path / "bin" / "smpirun"
    smpirun.write_text(f"#!/bin/sh\nexec {shutil.which('smpirun')} "
                       "--cfg=surf/precision:1e-12 "
                       '--cfg=network/optim:Full "$@"\n')
    smpirun.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:{os.environ['PATH']}")
    trace(tmp_path, 6400)
    schemes = ["hybrid", "af", "aid-static", "aid-hybrid", "timed"]
    shape = (8, "master", hierarchy, "dedicated")
    runs, chunks = simulated(dlsbench, campaign, tmp_path, shape, schemes,
                             workers=256)
    args = ["--trace", tmp_path / "costs.txt", "--workers", 256, "--threads",
            8, "--transport", "master", "--hierarchy", hierarchy, "--master",
            "dedicated", "--prefetch", "off", "--scheme", ",".join(schemes),
            *MESSAGES, "--node-ranks", 1]
    rows, handed = replayed(dlsbench, *args), chunks_of(dlsbench, *args)
    for scheme in schemes:
        assert float(rows[scheme]["time_s"]) == pytest.approx(
            runs[scheme]["time_s"], rel=1e-6), scheme
        assert handed[scheme] == chunks[scheme], scheme


def test_answers_to_a_refill_share_the_masters_link(dlsbench, campaign,
                                                    tmp_path):
    """128 workers below one master on a slow network: all that wait are
    answered together, and nobody's answer waits for another's coming."""
    trace(tmp_path, 2560)
    (tmp_path / "p.xml").write_text(PLATFORM.format(1).replace(
        "0-79", "0-139").replace('"1GBps"', '"100MBps"'))
    path = campaign(json.dumps({"name": "c", "cells": [
        {"kernel": f"trace:file={tmp_path}/costs.txt", "scheme": "ss",
         "platform": f"{tmp_path}/p.xml", "workers": 128,
         "transport": "master", "hierarchy": "1", "master": "dedicated",
         "collect": "local", "prefetch": False}]}))
    done = dlsbench("sim", path)
    assert done.code == 0, done.err
    row = replayed(dlsbench, "--trace", tmp_path / "costs.txt", "--workers",
                   128, "--transport", "master", "--hierarchy", 1, "--master",
                   "dedicated", "--prefetch", "off", "--scheme", "ss",
                   *MESSAGES, "--byte-cost", "1e-8")["ss"]
    assert float(row["time_s"]) == pytest.approx(
        done.runs()[0]["time_s"], rel=0.02)


def test_all_schemes_are_replayed(dlsbench, tmp_path):
    costs = trace(tmp_path, 2000)
    done = dlsbench("replay", "--trace", costs, "--workers", 64, "--scheme",
                    "all")
    assert done.code == 0 and "replayed, not run" in done.out
    listed = dlsbench("list", "schemes").out.split("\n")
    names = {x.split()[0].rstrip(":") for x in listed if x.strip()}
    table = done.out.split("\n\n")[1]
    shown = {x.split()[0] for x in table.replace("*", " ").split("\n")}
    assert len(shown) > 30 and shown - {"scheme"} <= names


def test_schemes_whose_times_need_a_word_have_one(dlsbench, tmp_path):
    path = trace(tmp_path, 300)
    done = dlsbench("replay", "--trace", path, "--workers", 8, "--scheme",
                    "all")
    notes = done.out[done.out.index("\n\n  awf, "):].split("\n")[2:]
    assert notes[:4] == [
        "  awf, fgdls:", "    learn from one execution of the loop to the "
        "next; this is the first", "",
        "  af, aid-static, aid-hybrid, timed:"]
    assert "one possible outcome" in notes[4]
    done = dlsbench("replay", "--trace", path, "--workers", 8, "--scheme",
                    "ss,awf-b")
    assert "execution" not in done.out and "outcome" not in done.out


def test_powers_and_kernels(dlsbench, tmp_path):
    costs = tmp_path / "costs.txt"
    costs.write_text("1200:1e-3\n")
    row = replayed(dlsbench, "--trace", costs, "--workers", 4, "--power",
                   "2:1,2:2", "--scheme", "ss")["ss"]
    assert float(row["time_s"]) == pytest.approx(0.2, rel=1e-3)
    row = replayed(dlsbench, "--kernel", "matmul:tasks=100,min=8,max=8",
                   "--cp", "1e-6", "--workers", 10, "--scheme", "static")
    assert float(row["static"]["time_s"]) == pytest.approx(10 * 512e-6,
                                                           rel=1e-3)


def test_replays_are_results_that_all_readers_take_apart(dlsbench, tmp_path):
    """Beside each other in a directory, replays with other costs are other
    cells, and every line says that it was replayed."""
    costs, out = trace(tmp_path, 2000), tmp_path / "out"
    for latency in ("2e-6", "4.0005e-6"):
        done = dlsbench("replay", "--trace", costs, "--workers", 16,
                        "--transport", "master", "--latency", latency,
                        "--scheme", "ss,gss,af", "--format", "csv", "--out",
                        f"{out}/")
        assert done.code == 0, done.err
    rows = [json.loads(x) for path in out.glob("runs-*.jsonl")
            for x in path.read_text().splitlines()]
    runs = [x for x in rows if x["type"] == "run"]
    assert len({x["cell"] for x in runs}) == len(runs) == 6
    assert all(x["simulated"] and x["replayed"] and x["iterations"] == 2000
               and x["platform"].startswith("replayed, latency ")
               for x in runs)
    last = {x["scheme"]: x for x in csv.DictReader(io.StringIO(done.out))}
    times = {x["scheme"].partition(":")[0]: x["time_s"] for x in runs
             if "latency 4000.5 ns, " in x["platform"]}
    assert {k: float(v["time_s"]) for k, v in last.items()} == pytest.approx(
        times, rel=1e-9)
    told = " ".join(dlsbench("summary", out).out.split())
    assert "on replayed, latency 2000 ns" in told and "6 cells ok" in told
    # Costs are no file's name, which ends at a dot.
    assert "on replayed, latency 4000.5 ns, near 4000.5 ns, " in told
    assert "latency 4000.5 ns, " in analysis("tables", out)[1]
    for reader, words in (("tables", "(replayed)"),
                          ("compare", "The same"),
                          ("report", "report.html")):
        code, told, err = analysis(reader, out,
                                   *[out] * (reader == "compare"))
        assert code == 0 and words in told + err, reader


def test_a_campaigns_directory_is_not_written_to(dlsbench, tmp_path):
    (tmp_path / "campaign.yaml").write_text("name: c\n")
    done = dlsbench("replay", "--trace", trace(tmp_path, 100), "--workers", 4,
                    "--scheme", "ss", "--out", f"{tmp_path}/")
    assert done.code == 2 and not list(tmp_path.glob("runs-*"))
    assert len(done.err.splitlines()) == 1 and "holds a campaign" in done.err


@pytest.mark.parametrize("text, words, args", [
    ("", "has no costs", ()),
    ("1e-3\n-2\n", "costs.txt:2: the cost -2 is negative", ()),
    ("10:1e-3\n", "unknown name 'gsss'", ("--scheme", "gsss")),
    ("10:1e-3\n", "did you mean 'gss'", ("--scheme", "ss,gsss")),
    ("10:1e-3\n", "empty name", ("--scheme", "ss,,gss")),
    ("10:1e-3\n", "'all,ss': give all alone", ("--scheme", "all,ss")),
    ("10:1e-3\n", "'ss,all': give all alone", ("--scheme", "ss,all")),
    ("10:1e-3\n", "--workers: 0 is out of range", ("--workers", 0)),
    ("10:1e-3\n", "no whole ranks", ("--threads", 3)),
    ("10:1e-3\n", "rma window", ("--scheme", "af", "--transport", "window")),
    ("10:1e-3\n", "a replay knows", ("--transport", "steal")),
    ("10:1e-3\n", "one of --trace and --kernel", ("--kernel", "null")),
])
def test_wrong_input_is_one_line(dlsbench, tmp_path, text, words, args):
    costs = tmp_path / "costs.txt"
    costs.write_text(text)
    usual = {"--scheme": "ss", "--workers": 4}
    usual.update(zip(args[::2], args[1::2]))
    done = dlsbench("replay", "--trace", costs,
                    *(x for pair in usual.items() for x in pair))
    assert done.code == 2 and not done.out
    assert len(done.err.splitlines()) == 1 and words in done.err


def test_more_workers_than_iterations_is_said(dlsbench, tmp_path):
    costs = tmp_path / "costs.txt"
    costs.write_text("10:1e-3\n")
    done = dlsbench("replay", "--trace", costs, "--workers", 64, "--scheme",
                    "ss")
    assert done.code == 0
    assert "iterations: 10, workers: 64, so at least 54 of them get none" in \
        done.err


def test_waiting_at_the_end_is_not_the_cost_of_chunks(dlsbench, tmp_path):
    """Handing out takes no time here: the last chunk holds too much."""
    (tmp_path / "costs").write_text("4000:1e-5\n16:1e-2\n")
    done = dlsbench("replay", "--trace", "costs", "--unit", "s", "--workers",
                    4, "--scheme", "css:chunk=16,static:by=cost",
                    "--count-cost", 0, "--counter-cost", 0, "--out",
                    f"{tmp_path}/r/")
    assert done.code == 0, done.err
    said = "css: 240 % slower; some chunks hold too much of the work"
    out = dlsbench("summary", tmp_path / "r").out
    assert f"Avoid {said}" in out
    frame = cells.summarize(loader.load(str(tmp_path / "r")))
    worst, best = (frame[frame["scheme"] == name].iloc[0]
                   for name in ("css:chunk=16", "static:by=cost"))
    assert ranking.cause(types.SimpleNamespace(best=best), worst) == 0
    assert "trace: static:by=cost is the fastest of 2 choices" in out


def test_what_takes_the_time_is_handing_out(dlsbench, tmp_path):
    (tmp_path / "costs").write_text("4000:1e-5\n")
    done = dlsbench("replay", "--trace", "costs", "--unit", "s", "--workers",
                    4, "--scheme", "ss,fss", "--count-cost", "2e-5",
                    "--counter-cost", 0, "--out", f"{tmp_path}/r/")
    assert done.code == 0, done.err
    out = dlsbench("summary", tmp_path / "r").out
    assert "% slower; handing out so many chunks takes the time" in out


def test_nearly_nothing_has_no_exponent(dlsbench, tmp_path):
    (tmp_path / "costs").write_text("4000:1e-3\n")
    done = dlsbench("replay", "--trace", "costs", "--unit", "s", "--workers",
                    4, "--scheme", "css:chunk=10,css:chunk=20", "--count-cost",
                    "1e-8", "--counter-cost", 0, "--out", f"{tmp_path}/r/")
    assert done.code == 0, done.err
    out = dlsbench("summary", tmp_path / "r").out
    assert "the next is css:chunk=10, less than 0.01 % slower" in " ".join(
        out.split())
    assert ": as fast (one run each: no test)" in analysis(
        "advise", tmp_path / "r")[1]
    analysis("report", tmp_path / "r")
    page = (tmp_path / "r/report.html").read_text()
    assert "takes as long." in page and "0.0 % longer" not in page
