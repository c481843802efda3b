#!/usr/bin/env python3
"""Replays beside SimGrid, on the same costs.

    bench/overhead/sim/replay.py BUILD [WORKERS [CHUNKS [SCHEME,...|all
                                        [SHAPE]]]]          (make sim-replay)

For each shape (one process, flat below a master, masters, node pools), or
this, all schemes, or these, on WORKERS workers (64) with CHUNKS iterations for
each (300) of 25 to 75 us (COST in the environment: the mean, in s): the
replay's error, where sizes do not depend on times and where they do, what both
took, how many of the schemes made the same chunks, and how many also gave each
to the same worker; below that each scheme whose error is above 0.1 %, and each
whose chunks differ.  Results stay at the workers.  SimGrid counts exactly here
(EXACT); with USUAL=1 in the environment it does not, as in dlsbench sim.
Above 64 workers there are no shapes of one process and, because SimGrid takes
too long for them, no computing masters; above 20,000 ranks several share a
host and its link.  Exit code 1: a run failed.
"""
import csv
import io
import json
import os
import pathlib
import random
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

LATENCY, NEAR, BYTE = 2e-6, 0.5e-6, 1e-9
# SimGrid ends together what is less than 1 ns apart, and counts only the links
# anew that it thinks have changed: where messages of several masters begin at
# the same moment it overlooks some.
EXACT = ["--cfg=surf/precision:1e-12", "--cfg=network/optim:Full"]
THREADS = 8                    # of a node with a pool
MANY = 32768                   # workers of a master that start further apart
# (name, threads, transport, hierarchy, master, prefetch)
SMALL = [("threads", 64, "shared", "flat", None, None),
         ("threads, 4 pools", 64, "shared", "4", None, None)]
SHAPES = [("flat", 1, "master", "flat", "dedicated", "off"),
          ("flat, prefetch", 1, "master", "flat", "dedicated", "on"),
          ("flat, computing", 1, "master", "flat", "computing", "on"),
          ("4 masters", 1, "master", "4", "dedicated", "off"),
          ("4 masters, computing", 1, "master", "4", "computing", "on"),
          ("node pools", THREADS, "master", "node", "dedicated", "off"),
          ("2 masters, node pools", THREADS, "master", "2xnode", "dedicated",
           "off")]
LEARNING = {"bold", "awf", "awf-b", "awf-c", "awf-d", "awf-e", "af",
            "fgdls", "aid-static", "aid-hybrid", "timed"}


def platform_text(ranks, threads):
    # A rank has its own host, and its link, as far as SimGrid can.
    cores = threads * -(-ranks // 20000)
    hosts = -(-ranks * threads // cores) + 1
    return cores // threads, "\n".join([
        "<?xml version='1.0'?>",
        '<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">',
        '<platform version="4.1"><cluster id="c" prefix="n-" suffix=""',
        f'radical="0-{hosts - 1}" speed="1Gf" core="{cores}" bw="1GBps"',
        f'lat="{LATENCY / 2}s" sharing_policy="SPLITDUPLEX"',
        f'loopback_bw="1GBps" loopback_lat="{NEAR}s"/></platform>'])


def run(command):
    done = subprocess.run([str(x) for x in command], text=True,
                          capture_output=True)
    if done.returncode != 0:
        sys.exit(f"failed: {' '.join(map(str, command))}\n{done.stderr}")
    return done.stdout


def exact_smpirun(folder):
    """A folder whose smpirun has these flags, for the PATH."""
    (folder / "bin").mkdir()
    file = folder / "bin" / "smpirun"
    words = [shutil.which("smpirun"), *EXACT]
    file.write_text(f'#!/bin/sh\nexec {shlex.join(words)} "$@"\n')
    file.chmod(0o755)
    return f"{folder}/bin"


def simulate(program, folder, workers, shape, schemes):
    """scheme -> seconds, scheme -> chunks, and how long that took."""
    _, threads, transport, hierarchy, master, prefetch = shape
    fields = {"kernel": f"trace:file={folder}/costs.txt", "scheme": schemes,
              "platform": f"{folder}/p.xml", "workers": workers,
              "threads": threads, "transport": transport,
              "hierarchy": hierarchy}
    if master:
        fields.update(master=master, collect="local", prefetch=prefetch)
    path = folder / "c.yaml"
    path.write_text(json.dumps({"name": "c", "cell_timeout": 3600,
                                "cells": [fields]}))
    out, begin = folder / f"out-{time.monotonic()}", time.monotonic()
    run([program, "sim", path, "--out", f"{out}/", "--repetitions", 1,
         "--trace"])
    took = time.monotonic() - begin
    cells, seconds = {}, {}
    for row in lines(out, "runs"):
        if row["type"] == "run":
            cells[row["cell"]] = row["scheme"].partition(":")[0]
            seconds[cells[row["cell"]]] = row["time_s"]
    chunks = {x: [] for x in seconds}
    for row in lines(out, "chunks"):
        chunks[cells[row["cell"]]].append(
            (row["start"], row["size"], row["worker"]))
    shutil.rmtree(out)
    return seconds, {x: sorted(y) for x, y in chunks.items()}, took


def lines(out, kind):
    for file in out.glob(f"{kind}-*.jsonl"):
        with open(file, encoding="utf-8") as read:
            yield from map(json.loads, read)


def replay(program, folder, workers, node_ranks, shape, schemes):
    """As simulate."""
    _, threads, transport, hierarchy, master, prefetch = shape
    # Workers start as far apart as in the simulation (harness/repetition/sim).
    below = {"flat": workers, "4": workers // 4}.get(hierarchy, threads)
    apart = 0.2e-6 * (1.25 if below < MANY else 5)
    words = [program, "replay", "--trace", folder / "costs.txt", "--workers",
             workers, "--threads", threads, "--transport", transport,
             "--hierarchy", hierarchy, "--scheme", ",".join(schemes),
             "--latency", LATENCY, "--near", NEAR, "--byte-cost", BYTE,
             "--node-ranks", node_ranks, "--apart", apart, "--count-cost",
             10e-9, "--counter-cost", 0, "--state-cost", 25e-9,
             "--request-cost", 0.2e-6]
    if master:
        words += ["--master", master, "--prefetch", prefetch]
    begin = time.monotonic()
    rows = list(csv.DictReader(io.StringIO(run([*words, "--format", "csv"]))))
    took = time.monotonic() - begin
    # Once more, so that printing each chunk is not timed.
    chunks = {x["scheme"]: [] for x in rows}
    for x in csv.DictReader(io.StringIO(run([*words, "--format", "chunks"]))):
        chunks[x["scheme"]].append(
            (int(x["start"]), int(x["size"]), int(x["worker"])))
    return {x["scheme"]: float(x["time_s"]) for x in rows}, \
        {x: sorted(y) for x, y in chunks.items()}, took


def said(errors):
    if not errors:
        return f"{'-':>8} {'-':>8} {'':12}"
    ordered = sorted(errors.items(), key=lambda x: abs(x[1]))
    name, most = ordered[-1]
    return (f"{100 * abs(ordered[len(ordered) // 2][1]):6.2f} % "
            f"{100 * most:+6.2f} % {name:12}")


def print_names(words):
    for i in range(0, len(words), 8):
        print("      " + ", ".join(words[i:i + 8]))


def compare(program, folder, workers, shape, schemes):
    threads = shape[1]
    node_ranks, text = platform_text(workers // threads + 16, threads)
    (folder / "p.xml").write_text(text)
    there, made, slow_s = simulate(program, folder, workers, shape, schemes)
    here, handed, fast_s = replay(program, folder, workers, node_ranks, shape,
                                  schemes)
    same = [x for x in schemes
            if [y[:2] for y in handed[x]] == [y[:2] for y in made[x]]]
    by_the_same = sum(handed[x] == made[x] for x in schemes)
    errors = {x: here[x] / there[x] - 1 for x in schemes}
    by_time = {x: e for x, e in errors.items() if x in LEARNING}
    fixed = {x: e for x, e in errors.items() if x not in LEARNING}
    print(f"  {shape[0]:22} {said(fixed)} {said(by_time)} {slow_s:8.2f} s "
          f"{fast_s:8.3f} s {len(same):5} {by_the_same:5}", flush=True)
    large = sorted((-abs(e), x) for x, e in errors.items() if abs(e) > 1e-3)
    words = [f"{x} {100 * errors[x]:+.2f}" for _, x in large]
    print_names(words)
    other = [x for x in schemes if x not in same]
    if other:
        print_names([f"other chunks: {other[0]}", *other[1:]])


def main():
    program = os.path.join(sys.argv[1], "dlsbench")
    workers, each = (list(map(int, sys.argv[2:4])) + [64, 300][
        len(sys.argv[2:4]):])
    choose = random.Random(22)
    cost = float(os.environ.get("COST") or 50e-6)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        if not os.environ.get("USUAL"):
            os.environ["PATH"] = (f"{exact_smpirun(folder)}:"
                                  f"{os.environ['PATH']}")
        with open(folder / "costs.txt", "w", encoding="utf-8") as out:
            for _ in range(workers * each):
                out.write(f"{choose.uniform(cost / 2, 3 * cost / 2):.9g}\n")
        schemes = sys.argv[4].split(",") if sys.argv[4:5] not in (
            [], ["all"]) else [
            x.split(",")[0] for x in run(
                [program, "replay", "--trace", folder / "costs.txt",
                 "--workers", 2, "--scheme", "all", "--format",
                 "csv"]).splitlines()[1:]]
        print(f"{workers:,} workers, {workers * each:,} iterations, "
              f"{len(schemes)} schemes: errors of the replay, median and "
              "largest")
        print(f"  {'':22} {'sizes known before':30} "
              f"{'sizes by times':30} {'SimGrid':>10} {'replay':>10} "
              "same chunks, workers")
        for shape in SMALL + SHAPES:
            if shape[0] == sys.argv[5] if len(sys.argv) > 5 else (
                    workers == 64 or shape[4] == "dedicated"):
                compare(program, folder, workers, shape, schemes)


if __name__ == "__main__":
    main()
