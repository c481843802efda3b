"""Writes small result directories for the tests of analysis/, with the lines
of results/README.md, and runs the programs of analysis/ on them."""
import gc
import importlib
import json
import os
import runpy
import signal
import sys
import tempfile
import traceback

from conftest import ROOT

sys.path[:0] = [str(ROOT), str(ROOT / "analysis")]

CELL = {"kernel": "adjoint:size=100,seed=1", "scheme": "gss:min=1",
        "hierarchy": "flat", "transport": "shared", "master": "computing",
        "window": "auto", "collect": "local", "bind": "compact",
        "timing": "worker", "protocol": "parallel", "power": "", "load": "",
        "prefetch": False, "ranks": 1, "threads": 2, "min_chunk": 1,
        "sync_interval": None}


class Directory:
    """A result directory in the making."""

    def __init__(self, path, schema=1):
        self.path, self.schema = path, schema
        path.mkdir(parents=True, exist_ok=True)
        self.cells = {}

    def write(self, kind, launch, row):
        with open(self.path / f"{kind}-{launch}.jsonl", "a") as file:
            file.write(json.dumps({"schema": self.schema, "launch": launch,
                                   **row}) + "\n")

    def manifest(self, launch="l1", **more):
        data = {"schema": self.schema, "launch": launch, "campaign": "test",
                "started": "2026-01-01T00:00:00Z", "compiler": "gcc 12",
                "machine": {"governor": None, "topology": "2 cores",
                            "counters": "none: no PMU"},
                "places": [{"host": "here"}], **more}
        (self.path / f"manifest-{launch}.json").write_text(json.dumps(data))

    def name(self, cell):
        key = json.dumps({**CELL, **cell}, sort_keys=True)
        return self.cells.setdefault(key, f"{len(self.cells):016x}")

    def cell(self, times, launch="l1", status="ok", done=True, run=None,
             workers=None, reason=None, **cell):
        """Repetitions with these times, and the line that ends the cell.
        `workers`: function of (repetition, worker) to a worker's columns."""
        row = {**CELL, **cell, "cell": self.name(cell)}
        count = int(row["ranks"] * row["threads"])
        for number, time_s in enumerate(times, 1):
            self.write("runs", launch, {
                **row, "type": "run", "repetition": number,
                "simulated": False, "workers": count, "status": status,
                "iterations": 1000, "chunks": 12, "time_s": time_s,
                "bound_s": time_s * 0.9, "serial_s": 1.0,
                "compute_mean_s": time_s * 0.9, "skew_s": 0.0,
                "overhead_mean_s": time_s * 0.1, "messages": 0,
                "overhead_max_s": time_s * 0.1, "imbalance": 0.1, "cv": 0.1,
                "bytes": 0, "verified": status == "ok",
                "oversubscribed": False, **(run or {})})
            for worker in range(count):
                self.write("workers", launch, {
                    "type": "worker", "cell": row["cell"],
                    "repetition": number, "worker": worker, "rank": worker,
                    "iterations": 500, "compute_s": time_s * 0.9,
                    "wait_s": 0.0, "serve_s": 0.0, "sync_s": 0.0,
                    "finish_s": time_s, "overhead_s": time_s * 0.1,
                    **(workers(number, worker) if workers else {})})
        if done:
            self.write("runs", launch, {
                **row, "type": "cell_done", "status": status,
                "repetitions": len(times), "reason": reason})
        return row["cell"]


def become(program, args, files, limit):
    """A fork of this process becomes the program: it has pandas already."""
    signal.alarm(limit)
    for number, file in enumerate(files, 1):
        os.dup2(file.fileno(), number)
    sys.stdout, sys.stderr = (os.fdopen(n, "w") for n in (1, 2))
    sys.argv = [str(program), *map(str, args)]
    try:
        runpy.run_path(sys.argv[0], run_name="__main__")
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else end.code is not None
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
    except BaseException:
        traceback.print_exc()
        code = 1
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def analysis(program, *args, limit=120):
    """(exit code, stdout, stderr) of a program of analysis/.  An interpreter
    of its own would import pandas each time: it is started only where that is
    what is tested."""
    # For all forks to come, with what analysis/ imports when it needs it.
    for name in f"analysis.{program}", "scipy.stats":
        importlib.import_module(name)
    gc.freeze()     # a fork copies no page to look for garbage
    path = ROOT / "analysis" / f"{program}.py"
    with tempfile.TemporaryFile("w+") as out, \
            tempfile.TemporaryFile("w+") as err:
        process = os.fork()
        if process == 0:
            become(path, args, (out, err), limit)
        status = os.waitpid(process, 0)[1]
        out.seek(0)
        err.seek(0)
        return os.waitstatus_to_exitcode(status), out.read(), err.read()
