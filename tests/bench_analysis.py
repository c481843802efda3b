#!/usr/bin/python3
"""How long, and in how much memory, the report of a large directory is made.

    tests/bench_analysis.py                 100,000 runs, 1,000,000 workers
    tests/bench_analysis.py --runs 2000 --keep DIR

Writes a directory of invented times with the lines of results/README.md in
several launches, makes its report, and compares with the limits: 60 s and
2 GB on two cores at full size.  Exit code 1 if one of them is passed.
"""
import argparse
import itertools
import json
import os
import random
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LIMIT_S, LIMIT_GB = 60.0, 2.0
LOOPS = ["mandelbrot:size=2048,maxiter=1000", "adjoint:size=100",
         "adjoint:size=800", "matmul:tasks=500,min=10,max=100,seed=1",
         "matmul:tasks=5000,min=10,max=100,seed=1", "trace:file=a.txt",
         "trace:file=b.txt", "null:size=10000",
         "heat:rows=2000,cols=4000,steps=1",
         "floyd-steinberg:rows=2000,cols=4000"]
SCHEMES = {"static": 1.4, "ss": 1.1, "css:chunk=16": 1.02, "wcss:k=8": 1.03,
           "gss:min=1": 1.3, "fss:alpha=2": 1.15, "tss:last=1": 1.04,
           "tss-taylor": 1.03, "qss:delta=3": 1.05, "wf:alpha=2": 1.16,
           "dtss": 1.01, "dtss-acp": 1.0, "dfss:alpha=2": 1.14, "dgss": 1.32}
SETUPS = [("shared", "flat"), ("master", "flat"), ("master", "2"),
          ("master", "node"), ("window", "flat"), ("master", "2x2")]
WORKERS = [2, 4, 8, 10, 16, 20]     # 10 in the mean
REPETITIONS = 20
LAUNCHES = 4


def cells(count):
    """`count` different cells, spread over loops and schemes."""
    every = list(itertools.product(LOOPS, SETUPS, WORKERS, SCHEMES))
    random.Random(1).shuffle(every)
    for number, (kernel, (transport, hierarchy), workers, scheme) in \
            enumerate(every[:count]):
        yield {"cell": f"{number:016x}", "kernel": kernel, "scheme": scheme,
               "hierarchy": hierarchy, "transport": transport,
               "master": "computing", "window": "auto", "collect": "local",
               "bind": "compact", "timing": "worker", "protocol": "parallel",
               "placement": "sticky", "sync_choice": "given", "power": "",
               "load": "", "prefetch": False, "ranks": 1, "threads": workers,
               "min_chunk": 1, "predicted_s": None, "sync_interval": 100
               if kernel.startswith(("heat", "floyd")) else None}


def run_line(cell, launch, repetition, time_s):
    return {**cell, "schema": 1, "type": "run", "launch": launch,
            "repetition": repetition, "started": "2026-01-01T00:00:00Z",
            "simulated": False, "workers": cell["threads"], "seed": 12345,
            "status": "ok", "iterations": 10000, "chunks": 26,
            "time_s": time_s, "bound_s": 0.97 * time_s, "serial_s": 0.2,
            "compute_mean_s": 0.95 * time_s, "overhead_mean_s": 0.05 * time_s,
            "overhead_max_s": 0.07 * time_s, "imbalance": 0.01, "cv": 0.01,
            "skew_s": 0.0, "messages": 52, "bytes": 4160, "verified": True,
            "oversubscribed": False}


def worker_line(cell, launch, repetition, worker, time_s):
    return {"schema": 1, "type": "worker", "launch": launch,
            "cell": cell["cell"], "repetition": repetition, "worker": worker,
            "rank": 0, "core": worker, "bound": True, "power": 1.0,
            "queue": None, "available": None,
            "iterations": 10000 // cell["threads"], "chunks": 2,
            "compute_s": time_s * (0.93 + 0.02 * (worker % 3)),
            "wait_s": 0.01 * time_s, "serve_s": 0.0, "sync_s": 0.0,
            "finish_s": 0.99 * time_s, "overhead_s": 0.05 * time_s}


def generate(path, runs):
    """(run lines, worker lines) written to `path`."""
    rng = random.Random(2)
    names = [f"20260101T00000{i}Z-host-1-0of1" for i in range(LAUNCHES)]
    files = [[open(os.path.join(path, f"{kind}-{name}.jsonl"), "w",
                   encoding="utf-8") for kind in ("runs", "workers")]
             for name in names]
    written = [0, 0]
    for number, cell in enumerate(cells(-(-runs // REPETITIONS))):
        launch = names[number % LAUNCHES]
        to_runs, to_workers = files[number % LAUNCHES]
        base = SCHEMES[cell["scheme"]] * 0.2 / cell["threads"]
        for repetition in range(1, REPETITIONS + 1):
            time_s = base * rng.lognormvariate(0, 0.02)
            to_runs.write(json.dumps(run_line(cell, launch, repetition,
                                              time_s)) + "\n")
            for worker in range(cell["threads"]):
                to_workers.write(json.dumps(worker_line(
                    cell, launch, repetition, worker, time_s)) + "\n")
            written[0] += 1
            written[1] += cell["threads"]
        to_runs.write(json.dumps(
            {**cell, "schema": 1, "type": "cell_done", "launch": launch,
             "status": "ok", "repetitions": REPETITIONS, "reason": None})
            + "\n")
    for name, (to_runs, to_workers) in zip(names, files):
        to_runs.close()
        to_workers.close()
        with open(os.path.join(path, f"manifest-{name}.json"), "w",
                  encoding="utf-8") as file:
            json.dump({"schema": 1, "launch": name, "campaign": "large",
                       "started": "2026-01-01T00:00:00Z"}, file)
    return written


def family(pid):
    """A process and those it started."""
    yield pid
    try:
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as f:
            children = f.read().split()
    except OSError:
        children = []
    for child in children:
        yield from family(int(child))


def memory_kb(pid):
    """The memory of a process: its private pages, and its share of shared
    ones."""
    try:
        with open(f"/proc/{pid}/smaps_rollup", encoding="ascii") as file:
            return sum(int(line.split()[1]) for line in file
                       if line.startswith("Pss:"))
    except OSError:
        return 0


def measure(path):
    """(seconds, GB of all processes at once) of the report of `path`."""
    start = time.monotonic()
    process = subprocess.Popen(
        [sys.executable, os.path.join(ROOT, "analysis/report.py"), path])
    most = 0
    while process.poll() is None:
        most = max(most, sum(map(memory_kb, family(process.pid))))
        time.sleep(0.1)
    if process.returncode:
        sys.exit(f"report.py ended with {process.returncode}")
    return time.monotonic() - start, most * 1024 / 1e9


def main():
    parser = argparse.ArgumentParser(
        description=__doc__.split("\n\n")[0],
        epilog=__doc__.split("\n\n", 1)[1],
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=100000)
    parser.add_argument("--keep", metavar="DIR", help="leave the files here")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        path = args.keep or scratch
        os.makedirs(path, exist_ok=True)
        written = generate(path, args.runs)
        seconds, gigabytes = measure(path)
    print(f"{written[0]:,} runs, {written[1]:,} worker lines: "
          f"{seconds:.1f} s (limit {LIMIT_S:g}), "
          f"{gigabytes:.2f} GB (limit {LIMIT_GB:g})")
    return seconds > LIMIT_S or gigabytes > LIMIT_GB


if __name__ == "__main__":
    sys.exit(main())
