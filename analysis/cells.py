"""One row per cell: its choices, and medians with intervals of its
measurements.  Tables, figures, comparison and advice all start from here."""
import numpy as np
import pandas as pd

from . import fold, labels, machine, predicted, records, speedup_limits, stats

MEASURES = ["time_s", "bound_s", "serial_s", "compute_mean_s",
            "overhead_mean_s", "overhead_max_s", "alone_s", "imbalance", "cv",
            "iterations", "chunks", "messages", "bytes", "skew_s", "workers"]
# Part of a problem, and of no choice: never part of a cell's label.
GIVEN = ["kernel", "scheme", "ranks", "threads", "sync_interval",
         "sync_choice", "transport", "master", "hierarchy", "window",
         "openmp"]
# Columns about the machine, not about the way to run.
MACHINE = ["power", "load", "perturb"]
# Columns of a run line that neither belong to the cell nor hold a measurement.
ABOUT_RUN = {"launch", "cell", "type", "schema", "started", "repetition",
             "repetitions", "reason", "seed", "status", "verified",
             "simulated", "oversubscribed", "shared_masters",
             "chosen_interval", "serial_pass"}


def measured(runs, cell_columns):
    """Numeric columns of repetitions, also those of later versions."""
    return [name for name in runs.columns
            if name not in ABOUT_RUN and name not in cell_columns
            and pd.api.types.is_float_dtype(runs[name])
            and runs[name].notna().any()]


def summarize(results):
    """A frame with a row per (cell, simulated).  It has the cell's columns,
    `n`, `launches`, `oversubscribed`, `unranked`, `sampled`, `label`, `setup`,
    `interval` and its words.  `loop` is the shortest clear name of the kernel.
    Every measure m has the columns m, m_low, m_high."""
    runs = results.runs
    if runs.empty:
        return pd.DataFrame()
    keys = runs.groupby(["cell", "simulated"], observed=True, sort=False)
    group = keys.ngroup().to_numpy()
    first = np.unique(group, return_index=True)[1]
    names = [n for n in results.cells if n in runs.columns]
    frame = runs.iloc[first][["cell", "simulated", *names]]
    frame = frame.reset_index(drop=True)
    for name in frame.columns:
        if isinstance(frame[name].dtype, pd.CategoricalDtype):
            frame[name] = frame[name].astype(object).where(
                frame[name].notna(), None)
    count = len(frame)
    medians = {}
    for name in measured(runs, results.cells):
        medians[name], medians[name + "_low"], medians[name + "_high"], _ = \
            stats.grouped_median_ci(
                group, runs[name].to_numpy(dtype=float), count)
    # One by one, a hundred columns are slow, and pandas says so.
    frame = pd.concat([frame, pd.DataFrame(medians, index=frame.index)],
                      axis=1)
    frame["n"] = np.bincount(group, minlength=count)
    frame["launches"] = keys["launch"].nunique().to_numpy()
    frame["oversubscribed"] = any_of(runs, "oversubscribed", True, group)
    # A core that a waiting master shares with a worker is oversubscribed as
    # well.
    frame["unranked"] = frame["oversubscribed"] | shared_masters(runs, group)
    frame["sampled"] = any_of(runs, "verified", "sample", group)
    frame["unchecked"] = any_of(runs, "verified", "not compared", group)
    return finish(frame, results)


def shared_masters(runs, group):
    if "shared_masters" not in runs:
        return False
    return np.bincount(group, weights=runs["shared_masters"] > 0).astype(bool)


def any_of(runs, name, value, group):
    if name not in runs:
        return False
    return np.bincount(group, weights=runs[name].eq(value)).astype(bool)


def finish(frame, results):
    """Adds workers, labels and speedups, and sorts."""
    for name in [*GIVEN, *MEASURES]:
        if name not in frame:
            frame[name] = None if name in GIVEN[:2] else np.nan
    for name in ("transport", "master", "hierarchy", "window", "openmp"):
        frame[name] = frame[name].astype(object).where(frame[name].notna(),
                                                       None)
    frame["workers"] = frame["workers"].fillna(frame["ranks"]
                                               * frame["threads"])
    frame["interval"] = frame["sync_interval"]
    frame["interval_words"] = [predicted.words(*pair) for pair in zip(
        frame["interval"], frame["sync_choice"])]
    name_loops(frame)
    add_labels(frame)
    frame = sort(frame)
    add_speedups(frame, results)
    return frame


def name_loops(*frames):
    """The column `loop`: the kernel with what tells it from the others of all
    these frames."""
    specs = list(dict.fromkeys(
        spec for frame in frames for spec in frame["kernel"].unique()))
    short = {spec: labels.short(spec, specs) for spec in specs}
    for frame in frames:
        frame["loop"] = frame["kernel"].map(short)


def sort(frame):
    def mapped(name, function):
        known = {x: function(x) for x in frame[name].unique()}
        return [known[x] for x in frame[name]]
    keys = list(zip(
        mapped("kernel", lambda x: labels.position(x, labels.KERNELS)),
        frame["simulated"].astype(bool).tolist(), frame["workers"].tolist(),
        mapped("transport", lambda x: labels.position(x, labels.TRANSPORTS)),
        (frame["hierarchy"] != "flat").tolist(),
        mapped("setup", labels.natural),
        mapped("scheme", lambda x: labels.position(x, labels.SCHEMES)),
        np.nan_to_num(frame["interval"].to_numpy(dtype=float)).tolist()))
    order = sorted(range(len(frame)), key=keys.__getitem__)
    return frame.iloc[order].reset_index(drop=True)


def same_in(frame, names):
    """A text for each row, the same where these columns are."""
    return frame[names].astype(str).agg("|".join, axis=1)


def extra_columns(frame, cell_columns=None):
    """Columns of the cell that differ between cells of one kernel, transport,
    master and hierarchy: what only follows from the transport says nothing."""
    measures = set(MEASURES) | {"cell", "simulated", "n", "launches",
                                "oversubscribed", "unranked", "sampled",
                                "unchecked",
                                "interval", "interval_words", "loop"}
    names = cell_columns or [
        n for n in frame.columns if n not in GIVEN and n not in measures
        and not n.endswith(("_low", "_high")) and n + "_low" not in frame]
    alike = same_in(frame, ["kernel", "simulated", "transport", "master",
                            "hierarchy"])
    return [n for n in names
            if (frame[n].astype(str).groupby(alike).nunique() > 1).any()]


def add_labels(frame):
    """`setup`: transport and hierarchy, then what else differs, with powers
    and loads by the longest that begins so; `way`: without what the machine
    is and does; `label`: with its own powers and load, and the layout."""
    rows = frame[["transport", "master", "hierarchy", "window", "openmp",
                  "ranks", "threads"]].to_dict("records")
    setups = [labels.setup(r) for r in rows]
    ways, own, folded = list(setups), list(setups), fold.setups(frame)
    if "platform" in frame:
        names = labels.platforms(frame["platform"])
        folded["platform"] = [names.get(x, x) for x in frame["platform"]]
    for name in extra_columns(frame):
        words = [extra_words(name, value) for value in (
            folded if name == "platform" else frame)[name]]
        own = [s + w for s, w in zip(own, words)]
        setups = [s + extra_words(name, value) for s, value in zip(
            setups, folded.get(name, frame[name]))]
        if name not in MACHINE:
            ways = [s + w for s, w in zip(ways, words)]
    frame["setup"], frame["way"] = setups, ways
    layouts = [labels.layout(r) for r in rows]
    frame["layout"] = layouts
    # Two layouts with as many workers in one setup are two setups.
    same = frame.groupby(["kernel", "simulated", "setup", "scheme", "workers"],
                         dropna=False, sort=False)["layout"].transform(
                             "nunique")
    if (same > 1).any():
        frame["setup"] = [f"{s}, {x}" for s, x in zip(setups, layouts)]
    frame["label"] = [f"{s}, {x}" if x else s for s, x in zip(own, layouts)]


def extra_words(name, value):
    if value is None or value == "" or value != value:
        return ""
    if (name, value) in (("perturb", "none"), ("costs", "model")):
        return ""
    if value is True or value is False:
        return f", {name}" if value else f", no {name}"
    if isinstance(value, float):
        value = f"{value:g}"
    return f", {name} {value}"


def add_speedups(frame, results):
    """Over one base per kernel: the serial loop where it was timed, else the
    fastest cell with the fewest workers.  `base` says which, `refused` why a
    speedup cannot be (None: it can)."""
    names = ("speedup", "speedup_low", "speedup_high", "base_s",
             "base_workers")
    numbers = np.full((len(frame), len(names)), np.nan)
    texts = np.full((len(frame), 2), None, dtype=object)
    loops = speedup_limits.serial_loops(results.runs)
    needs = "power" in frame and (frame["power"] == machine.MEASURED).any()
    known = results.powers if needs else {}
    for key, part in frame.groupby(speedup_limits.same_loop(frame), sort=False,
                                   dropna=False):
        serial = loops.get(speedup_limits.words(key))
        base, workers, text = serial_base(part, serial) if serial \
            else fastest_base(part)
        for i, row in zip(part.index, records.of(part)):
            if serial and row["simulated"]:
                base = [row["serial_s"]] * 3
            found = stats.ratio_of(
                [row["time_s" + end] for end in ("", "_low", "_high")], base)
            why = speedup_limits.refuse(row, serial, found, known) \
                if serial else None
            numbers[i, 3:] = base[0], workers
            texts[i] = text, why
            if why is None:
                numbers[i, :3] = found
    frame[list(names)] = numbers
    frame[["base", "refused"]] = texts


def serial_base(part, serial):
    """((seconds, low, high), workers, in words) for the cells of one kernel;
    that of dlsbench summary."""
    # Simulated, it is that of power 1, by the costs that the cell has: threads
    # and ranks are calibrated apart.
    unequal = (part["alone_s"] < part["serial_s"]).any()
    core = " on the slowest core" if unequal else ""
    ends = [serial.time[0]]
    if part["simulated"].all():
        ends = sorted({labels.seconds(s): s for s in
                       (part["serial_s"].min(), part["serial_s"].max())}
                      .values())
    return serial.time, 1, (f"the serial loop of this program{core}, "
                            + " to ".join(map(labels.seconds, ends)))


def fastest_base(part):
    flat = part[part["hierarchy"] == "flat"]
    few = flat if len(flat) else part
    few = few[few["workers"] == few["workers"].min()]
    best = few.loc[few["time_s"].idxmin()]
    return [best["time_s"]] * 3, best["workers"], (
        f"{best['scheme']} over {best['label']} with "
        f"{labels.count(int(best['workers']), 'worker')}, "
        f"{labels.seconds(best['time_s'])}")


def fastest(part, keys):
    """The row with the least time of each group, in the groups' order."""
    group = part.groupby(keys, sort=False).ngroup().to_numpy()
    order = np.lexsort((part["time_s"], group))
    order = order[group[order] >= 0]
    return part.iloc[order[np.unique(group[order], return_index=True)[1]]]


def by_cell(runs):
    """(cell, simulated) -> (launches as numbers, times) of its repetitions."""
    launch = pd.factorize(runs["launch"], sort=True)[0]
    times = runs["time_s"].to_numpy()
    return {key: (launch[at], times[at]) for key, at in runs.groupby(
        ["cell", "simulated"], observed=True, sort=False).indices.items()}
