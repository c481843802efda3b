#!/usr/bin/python3
"""Pins what a change inside must not change: `make pin`.

    tests/pin.py record DIR    writes what is so now: DIR/cells.txt and others
    tests/pin.py compare DIR   makes it again; exit code 1 if a line differs

The recorded state is in tests/pinned/.  A commit that changes a line there
says why.  Everything goes through the command line:

cells.txt      every cell of every campaign: hash, layout, estimate, scheme
simulated.txt  the digits of simulations, with the campaigns reduced (REDUCED)
columns.txt    the columns of native runs
output.txt     what list, chunks, predict, plan and topo print

The state depends neither on the machine nor on where a file lies in the tree:
a campaign is found by the name inside it, a platform or a list of times by the
name of its file.  `cores` is 4, and the costs of this machine are those of
tests/pinned/calibration.json.  `list events` is left out: it asks the machine.
What is pinned is listed in tests/pin_table.py.

BUILD=folder is where the programs are (build).  SIM=0 leaves simulations out.
SLICE=... (`make test`) compares EVERY and a quarter of the other simulations,
others with each commit (tests/integration/slices.py).
"""
import concurrent.futures
import csv
import difflib
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from pin_table import (CALIBRATION, CAMPAIGNS, CHANGING, CHUNKS, COMMANDS,
                       DIAZ, DIGITS, EVERY, MEASURED, NATIVE, REDUCED, SMALLER)

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(1, str(ROOT / "tests/integration"))
import slices  # noqa: E402

NOT_SOURCES = {".git", "build", "results", "tests"}
SHOWN = 60    # printed lines of a difference
# The file that a campaign names, in whatever folder.
NAMED = r"[\w./-]*/([\w-]+\.(?:xml|txt))"


# ---- programs and files ----

class Pins:
    """The programs and a folder to run them in."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.program = ROOT / os.environ.get("BUILD", "build") / "dlsbench"
        self.simulates = os.environ.get("SIM") != "0"
        needed = ["dlsbench"] + ["dlsbench-sim"] * self.simulates
        for name in needed:
            if not self.program.with_name(name).exists():
                sys.exit(f"pin.py: {self.program.with_name(name)} is not "
                         "there: make all sim")
        self.env = {name: value for name, value in os.environ.items()
                    if not name.startswith("SLURM_")}
        self.env["XDG_CACHE_HOME"] = str(self.folder / "cache")
        self.env["LC_ALL"] = "C"
        (self.folder / "files").mkdir()
        self.campaigns = {}
        self.find_campaigns()

    def find_campaigns(self):
        for path in sources("*.yaml"):
            text = path.read_text(encoding="utf-8")
            found = re.search(r"^name: *(\S+)", text, re.M)
            if found and re.search("^cells:", text, re.M):
                self.add(found[1], text, ROOT)
        if set(self.campaigns) != set(CAMPAIGNS):
            differing = sorted(set(self.campaigns) ^ set(CAMPAIGNS))
            sys.exit("pin.py: CAMPAIGNS and the tree differ in "
                     + ", ".join(differing))

    def add(self, name, text, root):
        """A campaign; the files that it names are copied from below root, and
        it names the copies."""
        if name in self.campaigns:
            sys.exit(f"pin.py: two campaigns are called {name}")
        self.campaigns[name] = f"{name}.yaml"
        for file in sorted(set(re.findall(NAMED, text))):
            self.copy(file, root)
        (self.folder / f"{name}.yaml").write_text(
            re.sub(NAMED, r"files/\1", text), encoding="utf-8")

    def copy(self, name, root):
        found = list(sources(name, root))
        if len(found) != 1:
            sys.exit(f"pin.py: one file called {name} is needed, there are "
                     f"{len(found)}: {' '.join(map(str, found))}")
        text = found[0].read_text(encoding="utf-8")
        for whole, part in SMALLER.get(name, ()):
            if whole not in text:
                sys.exit(f"pin.py: {found[0]} no longer has {whole}")
            text = text.replace(whole, part)
        (self.folder / "files" / name).write_text(text, encoding="utf-8")

    def call(self, *words, codes=(0,)):
        """What `dlsbench WORDS` prints."""
        done = subprocess.run(
            [str(self.program), *map(str, words)], cwd=self.folder,
            env=self.env, capture_output=True, text=True, check=False,
            stdin=subprocess.DEVNULL)
        if done.returncode not in codes:
            said = "\n".join(done.stderr.splitlines()[-SHOWN:])
            sys.exit(f"pin.py: exit code {done.returncode} of dlsbench "
                     f"{' '.join(map(str, words))}:\n{said}")
        return done.stdout


def sources(pattern, root=ROOT):
    """Files of the tree, but no results and no parts of tests."""
    for path in sorted(root.iterdir()):
        if path.is_dir() and path.name not in NOT_SOURCES:
            yield from sorted(path.rglob(pattern))


def records(folder, kind):
    for path in sorted(folder.glob(kind + "-*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            yield json.loads(line)


def checksum(value):
    text = json.dumps(value, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:10]


def values(words):
    return [word for value in words for word in ("--set", value)]


# ---- cells.txt ----

def cells(pins, name):
    """Its cells in order of their hashes, and what it leaves out and why."""
    words = [CAMPAIGNS[name], pins.campaigns[name], "--dry-run", "--cores", 4,
             *MEASURED]
    yield f"== {name}"
    table = pins.call(*words).splitlines()
    for row in csv.DictReader(pins.call(*words, "--format=csv").splitlines()):
        yield " ".join([row["cell"], row["layout"], row["seconds"],
                        row["estimate"], row["kernel"].split(":")[0],
                        row["scheme"]])
    for line in table:
        if not re.match("[0-9a-f]{16} |launcher:", line):
            yield line


# ---- simulated.txt ----

def simulated(pins, name, campaign, options, reduced):
    folder = pins.folder / f"out-{name}"
    pins.call("sim", campaign, "--cores", 4, *options, "--trace",
              *values(reduced), "--out", f"{folder}/")
    parts = {}
    for kind in "workers", "chunks":
        for record in records(folder, kind):
            parts.setdefault(record["cell"], []).append(
                {k: v for k, v in record.items() if k not in CHANGING})
    lines = []
    for run in records(folder, "runs"):
        if run["type"] != "run":
            continue
        kept = {k: v for k, v in run.items() if k not in CHANGING}
        lines.append(" ".join(
            [run["cell"], f"#{run['repetition']}",
             *(f"{digit}={run[digit]}" for digit in DIGITS),
             f"run={checksum(kept)}",
             f"workers+chunks={checksum(parts.get(run['cell']))}",
             f"{run['ranks']}x{run['threads']}", run["transport"],
             run["hierarchy"], run["kernel"].split(":")[0], run["scheme"]]))
    manifest = next(folder.glob("manifest-*.json")).read_text(encoding="utf-8")
    version = json.loads(manifest)["mpi"].split(". ")[0]
    return [f"== {name} {' '.join(reduced)} ({version})", *sorted(lines)]


def paper_program(pins, name, *words):
    """A Python program of bench/papers."""
    done = subprocess.run(
        ["/usr/bin/python3", ROOT / "bench/papers" / name, *words],
        env=pins.env, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"pin.py: {name}: {done.stderr}")


def diaz(pins):
    """Its program writes campaign and grids: they move into the folder."""
    out = pins.folder / "diaz"
    out.mkdir()
    (out / "fit.json").write_text(json.dumps(DIAZ), encoding="utf-8")
    paper_program(pins, "diaz/campaigns.py", out)
    (path,) = (out / "campaigns").iterdir()
    pins.add("diaz", path.read_text(encoding="utf-8"), out)
    yield from simulated(pins, "diaz", pins.campaigns["diaz"], [], [])


def beaumont(pins):
    """One platform for each figure: a line for each curve, and the claims."""
    out = pins.folder / "beaumont"
    paper_program(pins, "beaumont/plans.py", pins.program, out, "--platforms",
                  "1")
    paper_program(pins, "report_paper.py", "beaumont", out)
    curves = {}
    with open(out / "figures.csv", newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            key = f"figure {row['figure']} {row['heuristic']}"
            curves.setdefault(key, []).append({
                name: f"{float(value):.9g}" if "." in value else value
                for name, value in row.items()})
    yield "== beaumont"
    for key, rows in curves.items():
        yield f"{key}: load={rows[-1]['load']} time_s={rows[-1]['time_s']} " \
              f"all={checksum(rows)}"
    with open(out / "readings.csv", newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            yield " ".join(row.values())


# ---- columns.txt ----

def flat(value, name):
    """The names in a record, inner ones as name.name or name[].name, without
    names that depend on the machine."""
    if name in ("counters.missing", "openmp", "slurm"):
        return [name]
    if isinstance(value, dict) and value:
        dot = name + "." if name else ""
        return [x for k, v in value.items() for x in flat(v, dot + k)]
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return [x for x in flat(value[0], name + "[]")]
    return [name]


def columns(pins):
    (pins.folder / "pinned.yaml").write_text(NATIVE, encoding="utf-8")
    folder = pins.folder / "native"
    pins.call("run", "pinned.yaml", *MEASURED, "--out", f"{folder}/")
    named = {}
    labels = {}
    for kind in "runs", "workers", "chunks":
        for record in records(folder, kind):
            if kind == "runs":
                labels[record["cell"]] = " ".join(
                    record[name].split(":")[0] for name in
                    ("transport", "hierarchy", "kernel", "scheme", "protocol",
                     "data", "perturb"))
            named.setdefault(f"{kind} {record['type']}", {}).setdefault(
                tuple(flat(record, "")), set()).add(labels[record["cell"]])
    for path in folder.glob("manifest-*.json"):
        named.setdefault("manifest", {}).setdefault(
            tuple(flat(json.loads(path.read_text(encoding="utf-8")), "")),
            set()).add("")
    for kind, found in named.items():
        (first, where), *more = sorted(found.items(),
                                       key=lambda x: sorted(x[1]))
        yield f"== {kind}"
        yield from sorted(f"in {label}" for label in where if label)
        yield from first
        for names, where in more:
            yield f"== {kind}, what differs"
            yield from sorted(f"in {label}" for label in where)
            yield from (x for x in difflib.ndiff(first, names) if x[0] in "+-")


# ---- output.txt ----

def printed(pins, words):
    shown = " ".join(str(word) for word in words if word != CALIBRATION)
    text = pins.call(*words, codes=(0, 1)).replace(str(CALIBRATION), "FILE")
    return ["== dlsbench " + shown, *text.splitlines()]


def chunks(pins):
    """Worker:size of every scheme that is listed and has them in advance."""
    listed = pins.call("list", "schemes").split("plans of divisible")[0]
    for scheme in re.findall(r"^([\w-]+)[^:\n]*: ", listed, re.M):
        for words in CHUNKS:
            text = pins.call("chunks", "--scheme", scheme, *words, "--format",
                             "csv", codes=(0, 2))
            shown = " ".join(map(str, words))
            yield f"== dlsbench chunks --scheme {scheme} {shown}"
            yield " ".join(f"{row['worker']}:{row['size']}" for row in
                           csv.DictReader(text.splitlines())) or "refused"


# ---- record and compare ----

def chosen():
    """The simulations of this slice, by name; without SLICE all of them."""
    names = [name for name, *_ in REDUCED] + ["diaz", "beaumont"]
    if not os.environ.get("SLICE"):
        return set(names)
    return {EVERY, *slices.part_of("pin", [x for x in names if x != EVERY])}


def state(pins, names):
    """File name -> lines; of the simulations those with these names."""
    parts = [("cells.txt", cells, name) for name in CAMPAIGNS]
    parts += [("columns.txt", columns)]
    parts += [("output.txt", printed, words) for words in COMMANDS]
    parts += [("output.txt", chunks)]
    if pins.simulates:
        parts += [("simulated.txt", simulated, name, pins.campaigns[campaign],
                   options, reduced)
                  for name, campaign, options, reduced in REDUCED
                  if name in names]
        parts += [("simulated.txt", work) for work in (diaz, beaumont)
                  if work.__name__ in names]
    found = {}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        made = [(part[0], pool.submit(
            lambda work, *more: list(work(pins, *more)), *part[1:]))
            for part in parts]
        for name, lines in made:
            found.setdefault(name, []).extend(lines.result())
    return found


def recorded(path, names):
    """Lines of a file; of simulations only below `== name` of these."""
    kept, inside = [], True
    for line in path.read_text(encoding="utf-8").splitlines():
        if path.name == "simulated.txt" and line.startswith("== "):
            inside = line.split()[1] in names
        kept += [line] * inside
    return kept


def compare(found, folder, names):
    """The number of lines that differ; shows the first of them."""
    differing = 0
    for name, lines in found.items():
        path = folder / name
        before = recorded(path, names)
        shown = list(difflib.unified_diff(before, lines, str(path), "now", n=0,
                                          lineterm=""))
        changed = sum(x[0] in "+-" for x in shown[2:])
        for line in shown[:SHOWN] + ["..."] * (len(shown) > SHOWN):
            print(line)
        print(f"{name}: {len(lines)} lines, {changed} differ")
        differing += changed
    return differing


def main():
    if len(sys.argv) != 3 or sys.argv[1] not in ("record", "compare"):
        sys.exit("usage: tests/pin.py record|compare DIR")
    folder = pathlib.Path(sys.argv[2])
    if sys.argv[1] == "record":
        os.environ.pop("SLICE", None)
    names = chosen()
    with tempfile.TemporaryDirectory() as scratch:
        found = state(Pins(scratch), names)
    if sys.argv[1] == "compare":
        return 1 if compare(found, folder, names) else 0
    folder.mkdir(parents=True, exist_ok=True)
    for name, lines in found.items():
        (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
