"""Reads result directories: the only module that knows results/README.md.

`load(path)` gives a Results: frames of the lines that count, and `notes`, one
line each on omitted or suspicious data.  Columns of later versions are kept
unchanged; missing columns are missing in the frames as well.
"""
import csv
import glob
import json
import os
import sys

import numpy as np
import pandas as pd

from . import columns, jsonl, labels, speedup_limits, states

SCHEMAS = {1}
# Columns of a cell_done line that say how the cell ended, not what it is.
ENDED = {"schema", "type", "launch", "status", "repetitions", "reason", "cell",
         "chosen_scheme", "chosen_hierarchy", "chosen_interval", "round"}
# Columns of workers and chunks that nothing here reads.
UNUSED = ["type", "schema", "core", "bound", "power", "overhead_s"]
NEEDED = ["launch", "cell", "kernel", "scheme", "time_s"]
# Values that a manifest can only hold as objects.
OBJECTS = ["machine", "policy", "counters"]
# Columns that every line of these has, from 0 on.
LINES = {"workers": ["repetition", "worker", "iterations", "finish_s"],
         "chunks": ["repetition", "worker", "step", "start", "size"]}
MOST = 1 << 53
WHOLE = "whole program "    # of dlsbench omp: the kernel of its whole run
# Columns of sync-model.csv besides the cell.
MODEL = ["k", "skew", "columns", "model_s", "no_skew_s", "h_auto", "auto_s",
         "h_andronikos", "h_chen_xue", "h_no_skew"]
USUAL = ["hierarchy", "transport", "ranks", "threads", "workers", "serial_s",
         "bound_s", "compute_mean_s", "overhead_mean_s", "imbalance",
         "chunks", "verified"]


class LoadError(Exception):
    """Nothing can be shown; the text says why, in one line."""


class Results:
    """One result directory, or several below one folder.

    runs      counted repetitions: of cells that the same launch ended as ok
    ended     cell_done lines: how each cell ended, in which launch
    cells     names of the columns that make up a cell
    workers   worker lines of the counted repetitions (empty until asked for)
    chunks    chunk lines of the counted repetitions (empty until asked for)
    gone      launches that were left out on purpose
    open      {(launch, cell)} that began and have no line that ends them
    empty     folders below the path without results
    models    cell -> what a model says of it (sync-model.csv), as numbers
    candidates lines of what scheme auto chose from, as dictionaries
    manifests list of dictionaries, by start
    notes     one line each
    """

    def __init__(self, path):
        self.path = path
        self.notes = []
        self.directories, self.empty = [], []
        self.runs = self.ended = None
        self.open, self.gone = set(), set()
        self.cells = []
        self.manifests = []
        self._lazy = {}
        self._said = 0

    def files(self, kind, ending="jsonl"):
        return sorted(name for directory in self.directories for name in
                      glob.glob(os.path.join(glob.escape(directory),
                                             f"{kind}-*.{ending}")))

    @property
    def places(self):
        """launch -> its directory, also of launches that wrote no results."""
        found = {}
        for kind, ending in (("manifest", "json"), ("runs", "jsonl")):
            for path in self.files(kind, ending):
                name = os.path.basename(path)[len(kind) + 1:-len(ending) - 1]
                found[columns.printable(name)] = os.path.dirname(path)
        return found

    def say(self, who):
        """Prints the notes that were not printed yet; files that are read late
        may add some."""
        for note in self.notes[self._said:]:
            print(f"{who}: {note}", file=sys.stderr)
        self._said = len(self.notes)

    @property
    def name(self):
        names = {str(m["campaign"]) for m in self.manifests
                 if m.get("campaign")}
        if names == {"omp"}:  # programs of others
            names = {name[len(WHOLE):] for name in self.runs["kernel"].unique()
                     if name.startswith(WHOLE)}
        if names:
            return ", ".join(sorted(names))
        return os.path.basename(os.path.abspath(self.path))

    @property
    def workers(self):
        return self._read_lazy("workers")

    @property
    def chunks(self):
        return self._read_lazy("chunks")

    @property
    def models(self):
        found = {}
        for directory in self.directories:
            for row in csv_rows(os.path.join(directory, "sync-model.csv")):
                numbers = {n: columns.finite(row.get(n)) for n in MODEL}
                if "cell" in row and np.isfinite([*numbers.values()]).all():
                    numbers["ratio"] = columns.finite(row.get("ratio"))
                    found[row["cell"]] = numbers
        return found

    @property
    def candidates(self):
        return [sound_line(row) for path in self.files("choices")
                for row in objects(path) if row.get("type") == "candidate"]

    @property
    def tried(self):
        """What dlsbench omp --try says of each loop (answers.json), as
        dictionaries whose numbers are numbers or None."""
        found = []
        for directory in self.directories:
            for loop in listed(whole_object(
                    os.path.join(directory, "answers.json")), "loops"):
                found.append({
                    **{n: str(loop.get(n, "")) for n in ("name", "verdict")},
                    "best": loop.get("best"),
                    "share": known(loop.get("share")),
                    "choices": [{
                        **{n: str(of.get(n, "")) for n in ("scheme", "state")},
                        **{n: known(of.get(n))
                           for n in ("time_s", "gain", "low", "high")}}
                        for of in listed(loop, "choices")]})
        return found

    @property
    def commands(self):
        """[(what to type next, why)], as dlsbench omp --try said it."""
        return [(str(of.get("command", "")), str(of.get("why", "")))
                for folder in self.directories for of in listed(whole_object(
                    os.path.join(folder, "answers.json")), "commands")]

    @property
    def reported(self):
        """The report of the last run of dlsbench omp --out: its answer, the
        command below it (empty: none) and the sentences; None: there is
        none, or --try has compared."""
        found = [m for m in self.manifests
                 if isinstance(m.get("answer"), str)]
        if not found or self.tried:
            return None
        last = max(found, key=lambda m: str(m.get("launch")))
        verdicts = last.get("verdicts")
        return {"answer": last["answer"], "runs": len(found),
                "command": str(last.get("next", "")),
                "verdicts": list(map(str, verdicts))
                if isinstance(verdicts, list) else []}

    @property
    def strips(self):
        """The activity of the threads over time under the best and the worst
        choice (strips.json), without damaged ones."""
        found = []
        for directory in self.directories:
            for strip in listed(whole_object(
                    os.path.join(directory, "strips.json")), "strips"):
                times = {n: known(strip.get(n))
                         for n in ("time_s", "began_s", "bin_s")}
                threads = [{n: [known(x) or 0 for x in thread.get(n)]
                            for n in ("inside", "computed")}
                           for thread in listed(strip, "threads")
                           if all(isinstance(thread.get(n), list)
                                  for n in ("inside", "computed"))]
                whole = threads and times["time_s"] and times["bin_s"] and all(
                    0 < len(t["inside"]) == len(t["computed"])
                    for t in threads)
                if whole:
                    found.append({"choice": str(strip.get("choice", "")),
                                  **times, "threads": threads,
                                  "began_s": times["began_s"] or 0})
        return found

    @property
    def outlook(self):
        """What dlsbench omp --on says of each loop (outlook.json): times is
        {scheme: seconds or None for each number of workers}, best the fastest
        scheme of each number, empty where one has none."""
        found = []
        for directory in self.directories:
            whole = whole_object(os.path.join(directory, "outlook.json"))
            workers = whole.get("workers")
            if not (isinstance(workers, list) and workers and all(
                    type(w) is int and w > 0 for w in workers)):
                continue
            found += [outlook_loop(loop, workers)
                      for loop in listed(whole, "loops")]
        return [loop for loop in found if loop["serial_s"]]

    @property
    def powers(self):
        """cell -> {worker: power}, the mean over what launches recorded."""
        found = {}
        for path in self.files("workers"):
            for row in objects(path):
                at, power = columns.finite(row.get("worker")), \
                    columns.finite(row.get("power"))
                if at == at and power == power:
                    found.setdefault(str(row.get("cell")), {}).setdefault(
                        int(at), []).append(power)
        return {cell: {worker: float(np.mean(values))
                       for worker, values in of.items()}
                for cell, of in found.items()}

    def _read_lazy(self, kind):
        if kind not in self._lazy:
            self._lazy[kind] = counted_only(
                self, kind, read_table(self, kind, UNUSED))
        return self._lazy[kind]


def ends(ended):
    """(cells that ended well, cells that did not)"""
    if ended.empty:
        return 0, 0
    status = ended.groupby("cell", observed=True)["status"].agg(list)
    good = sum("ok" in found for found in status)
    return good, len(status) - good


def csv_rows(path):
    """The lines of a CSV file as dictionaries; none without the file."""
    try:
        with open(path, encoding="utf-8", errors="replace",
                  newline="") as file:
            return list(csv.DictReader(file))
    except (OSError, csv.Error):
        return []


def objects(path):
    """The objects of a file of JSON lines, as they are."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            lines = file.readlines()
    except OSError:
        return
    yield from jsonl.objects(lines)


def whole_object(path):
    """The object of a JSON file; an empty one where there is none."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            found = json.load(file)
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def listed(row, name):
    """The objects of a list in an object."""
    rows = row.get(name)
    return [x for x in rows if isinstance(x, dict)] \
        if isinstance(rows, list) else []


def seconds(values, count):
    """`count` times above 0, each None where it is not one."""
    values = values if isinstance(values, list) else []
    found = [known(v) for v in values] + [None] * count
    return [v if v and v > 0 else None for v in found[:count]]


def outlook_loop(loop, workers):
    times = {str(of.get("scheme", "")): seconds(of.get("time_s"), len(workers))
             for of in listed(loop, "schemes")}
    best = [min((name for name in times if times[name][i]),
                key=lambda name, i=i: times[name][i])
            for i in range(len(workers))
            if any(t[i] for t in times.values())]
    threads = known(loop.get("threads"))
    own = loop["own"] if isinstance(loop.get("own"), dict) else {}
    own = {f"as it is ({own.get('schedule')})":
           seconds(own.get("time_s"), len(workers))} if own else {}
    return {"name": str(loop.get("name", "")), "workers": workers, "own": own,
            "threads": int(threads) if threads else None,
            "serial_s": seconds([loop.get("serial_s")], 1)[0],
            "bound_s": seconds(loop.get("bound_s"), len(workers)),
            "times": times,
            "best": best if len(best) == len(workers) else []}


def known(value):
    """A number; None where it is not one."""
    value = columns.finite(value)
    return value if value == value else None


def sound_line(row):
    """Each column as it should be."""
    return {n: None if v is None else (columns.converter(n) or clean)(v)
            for n, v in row.items()}


def load(path, *more):
    """Reads a result directory, or all that lie directly below a folder; of
    several paths all together."""
    results = Results(path)
    for name in (path, *more):
        found, empty = find_directories(name)
        results.directories += [d for d in found
                                if d not in results.directories]
        results.empty += [d for d in empty if d not in results.empty]
    results.notes += [f"{d}: no results are here, left out"
                      for d in results.empty]
    if as_one(results):
        results.notes.append(as_one(results))
    frame = read_table(results, "runs", ["seed"])
    check_columns(results, frame)
    note_schemas(results, frame)
    if "type" not in frame:
        frame["type"] = "run"
    results.ended = first_ends(frame[frame["type"] == "cell_done"])
    read_manifests(results)
    results.cells = cell_columns(results.ended)
    results.runs = counted_runs(
        results, frame[frame["type"] == "run"].copy())
    if "simulated" in results.runs:
        results.runs["simulated"] = results.runs["simulated"].eq(True)
    else:
        results.runs["simulated"] = False
    note_odd(results)
    results.notes += filter(None, [states.note(results.runs),
                                   states.speed_note(results.runs)])
    return results


def as_one(results):
    """A note where several directories are read as one."""
    count = len(results.directories)
    return f"{count} result directories read as one" if count > 1 else ""


def read_table(results, kind, leave_out):
    """The lines of all files of a kind as a frame, with what is damaged
    noted."""
    table = jsonl.read(results.files(kind), leave_out)
    frame = table.frame()
    for path, why in table.unread.items():
        results.notes.append(f"{os.path.basename(path)}: {why}, left out")
    note_bad_lines(results, table)
    for name, lost in sorted(table.lost.items()):
        what = "a flag" if name in columns.FLAGS else "a number"
        results.notes.append(f"column {name}: {lost} line{'s'[:lost != 1]} "
                             f"without {what}, left out")
    return frame


def find_directories(path):
    """The result directories at a path, and the folders below it that were
    to become some."""
    if not os.path.isdir(path):
        raise LoadError(f"{path or 'an empty name'}: no such directory")
    if has_runs(path):
        return [path], []
    below = sorted(d for d in glob.glob(os.path.join(glob.escape(path), "*"))
                   if os.path.isdir(d))
    found = [d for d in below if has_runs(d)]
    if not found:
        raise LoadError(f"{path}: no results are here (no runs-*.jsonl)")
    return found, [d for d in below if d not in found and was_begun(d)]


def has_runs(path):
    return bool(glob.glob(os.path.join(glob.escape(path), "runs-*.jsonl")))


def was_begun(path):
    try:
        names = os.listdir(path)
    except OSError:
        return True
    return not names or any(
        n == "campaign.yaml" or n.startswith("manifest-") for n in names)


def note_bad_lines(results, table):
    for path, (torn, bad) in table.bad.items():
        name = os.path.basename(path)
        if torn:
            results.notes.append(f"{name}: the last line is torn, left out")
        if bad:
            results.notes.append(f"{name}: {bad} damaged line"
                                 f"{'s'[:bad != 1]}, left out")


def check_columns(results, frame):
    if frame.empty:
        raise LoadError(f"{results.path}: the files hold no results yet"
                        + "".join(f"; {note}" for note in results.notes))
    lacking = [name for name in NEEDED if name not in frame]
    if lacking == ["time_s"] and only_ends(frame):
        frame["time_s"] = np.nan    # all cells failed at once
        lacking = []
    if lacking == ["time_s"]:
        raise LoadError(f"{results.path}: no repetition is recorded yet")
    if lacking:
        raise LoadError(f"{results.path}: column {', '.join(lacking)} "
                        "is missing: not result files of DLSBench?")
    absent = [name for name in USUAL if name not in frame]
    if absent:
        results.notes.append(f"column {', '.join(absent)} is missing: what "
                             "needs it is not shown")


def only_ends(frame):
    return "type" in frame and frame["type"].eq("cell_done").all()


def note_schemas(results, frame):
    if "schema" not in frame:
        results.notes.append("lines without a schema version")
        return
    found = sorted(set(frame["schema"].dropna()))
    unknown = [f"{v:g}" for v in found if v not in SCHEMAS]
    if len(found) > 1:
        results.notes.append(
            "a mixture of schema versions ("
            + ", ".join(f"{v:g}" for v in found) + "): columns that only some "
            "lines have are empty in the others")
    if unknown:
        results.notes.append(
            f"schema {', '.join(unknown)} is newer than this analysis "
            f"(it knows {max(SCHEMAS)}): read as far as it is understood")


def first_ends(done):
    """One line per launch and cell: the first one counts."""
    done = done.drop_duplicates(["launch", "cell"], keep="first")
    known = done.notna().any() | done.columns.isin(["launch", "cell"])
    done = done.loc[:, known].copy()
    for name in ("status", "reason"):
        if name not in done:
            done[name] = None
    return done


def cell_columns(ended):
    """The columns of a cell: all columns of a cell_done line but its end, and
    but seconds, which are predicted and not chosen."""
    return [name for name in ended.columns
            if name not in ENDED and not name.endswith("_s")]


def pairs(frame):
    """(launch, cell) of each row as one index."""
    return pd.MultiIndex.from_arrays([frame["launch"].astype(object),
                                      frame["cell"].astype(object)])


def counted_runs(results, runs):
    """Repetitions that verified, of cells that ended well in their launch."""
    ended, notes = results.ended, results.notes
    status = pd.Series(ended["status"].astype(object).to_numpy(),
                       index=pairs(ended))
    of_run = pairs(runs).map(status.to_dict())
    good = np.asarray(of_run == "ok")
    if "status" in runs:
        good &= (runs["status"] == "ok").to_numpy()
    if "verified" in runs:
        wrong = runs["verified"].eq(False).to_numpy()
        odd = int((good & wrong).sum())
        if odd:
            notes.append(f"{odd} repetitions did not verify although their "
                         "cell ended as ok: left out")
        good &= ~wrong
    good &= described(results, runs, good)
    open_pairs = set(pairs(runs)[np.asarray(of_run.isna())].unique())
    results.open = {(str(launch), str(cell)) for launch, cell in open_pairs}
    finished = {c for (_, c), s in status.items() if s == "ok"}
    left = {c for _, c in open_pairs} - finished
    if left:
        notes.append(f"{len(left)} cell{'s'[:len(left) != 1]} not complete "
                     "(still being written, or interrupted): left out")
    times = runs["time_s"].to_numpy()
    kept = runs[good & (times > 0) & np.isfinite(times)].copy()
    for name in kept.columns:
        if isinstance(kept[name].dtype, pd.CategoricalDtype):
            kept[name] = kept[name].cat.remove_unused_categories()
    return kept.reset_index(drop=True)


def described(results, runs, good):
    """Repetitions that say what ran; sets their number of workers where only
    the layout is there."""
    if "workers" not in runs:
        runs["workers"] = np.nan
    if "ranks" in runs and "threads" in runs:
        runs["workers"] = runs["workers"].fillna(
            runs["ranks"] * runs["threads"])
    known = (runs["kernel"].notna() & runs["scheme"].notna()
             & runs["workers"].between(1, MOST)).to_numpy()
    lost = int((good & ~known).sum())
    if lost:
        results.notes.append(f"{labels.count(lost, 'repetition')} without "
                             "kernel, scheme or workers: left out")
    return known


def counted_only(results, kind, frame):
    """Lines of launches and cells that ended as ok, and that say of which
    repetition and worker they are."""
    ended, keys = results.ended, ["launch", "cell", *LINES[kind]]
    lacking = [n for n in keys if n not in frame or frame[n].isna().all()]
    if frame.empty or lacking:
        if not frame.empty:
            results.notes.append(f"{kind}: column {', '.join(lacking)} is "
                                 "missing: they are left out")
        return pd.DataFrame()
    launches = frame["launch"].cat.categories
    cells = frame["cell"].cat.categories
    good = np.zeros((len(launches) + 1, len(cells) + 1), dtype=bool)
    for launch, cell, status in zip(ended["launch"], ended["cell"],
                                    ended["status"]):
        if status == "ok" and launch in launches and cell in cells:
            good[launches.get_loc(launch), cells.get_loc(cell)] = True
    keep = good[frame["launch"].cat.codes, frame["cell"].cat.codes]
    for name in LINES[kind]:
        keep &= frame[name].between(0, MOST).to_numpy()
    return frame if keep.all() else frame[keep].reset_index(drop=True)


def read_manifests(results):
    for path in results.files("manifest", "json"):
        try:
            with open(path, encoding="utf-8") as file:
                manifest = json.load(file)
        except (ValueError, OSError, RecursionError):
            results.notes.append(f"{os.path.basename(path)}: not readable as "
                                 "JSON, left out")
            continue
        if isinstance(manifest, dict):
            results.manifests.append(sound(manifest))
    if not results.manifests:
        results.notes.append("no manifest: the environment is not known")
    results.manifests.sort(key=lambda m: str(m.get("started")))


def sound(manifest):
    """Without what is not as it should be; words in one line."""
    found = {columns.printable(n): clean(v) for n, v in manifest.items()
             if n not in OBJECTS or isinstance(v, (dict, type(None)))}
    counters = found.get("counters") or {}
    if "missing" in counters and not isinstance(counters["missing"], dict):
        del counters["missing"]
    if not np.isfinite(columns.finite(counters.get("reading_s"))):
        counters.pop("reading_s", None)
    return found


def clean(value):
    if isinstance(value, str):
        return columns.printable(value)
    if isinstance(value, dict):
        return {columns.printable(n): clean(v) for n, v in value.items()}
    return [clean(v) for v in value] if isinstance(value, list) else value


def note_unused(results):
    """Notes on cells without a good run.  A reason means that a program's own
    check failed; without one, the suite itself found the wrong result."""
    ended = results.ended
    ok = set(ended["cell"][ended["status"] == "ok"])
    wrong = ended["status"] == "unverified"
    checked = ended["reason"].notna()
    for found, one, more in [
            (wrong & ~checked, "cell differs from the serial reference",
             "cells differ from the serial reference"),
            (wrong & checked, "cell whose check failed",
             "cells whose check failed"),
            (ended["status"] == "failed", "cell failed", "cells failed")]:
        count = len(set(ended["cell"][found]) - ok)
        if count > 0:
            results.notes.append(f"{count} {one if count == 1 else more}: "
                                 "not used")


def note_odd(results):
    runs, notes = results.runs, results.notes
    note_unused(results)
    if runs.empty:
        notes.append("no cell is complete and verified: nothing to show")
        return
    if runs.groupby("cell", observed=True).size().max() == 1:
        notes.append("one repetition only: no confidence intervals")
    shared = speedup_limits.others_words(runs)
    if shared:
        notes.append(shared)
    if "oversubscribed" in runs and runs["oversubscribed"].eq(True).any():
        notes.append("some choices have more threads than cores: they are "
                     "compared all the same" if results.tried else
                     "in some cells workers shared cores (--oversubscribe): "
                     "they are not ranked")
    if "shared_masters" in runs and (runs["shared_masters"] > 0).any():
        notes.append("in some cells a waiting master was on a worker's core: "
                     "they are not ranked")
