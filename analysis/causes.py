"""Where the error of a simulation comes from, and what it had to foretell."""
import json
import os
import re

import numpy as np

# A worker's activities, by the columns of its lines; the rest is waiting for
# the last worker.
PARTS = {"kernel": ["compute_s"], "boundary": ["sync_s"],
         "request": ["wait_s", "serve_s"]}
# A chunk is the calibrated one when its rows are within this of it.
NEAR = 0.05
CALIBRATED = "calibrated"


def add_parts(results, frame):
    """Columns part_NAME of a frame of cells.summarize: seconds of the mean
    worker, medians over the repetitions."""
    for name in PARTS:
        frame[f"part_{name}"] = np.nan
    lines, keys = results.workers, ["launch", "cell", "repetition"]
    there = [x for part in PARTS.values() for x in part if x in lines]
    if not len(lines) or not there:
        return frame
    means = lines.groupby(keys, observed=True)[there].mean().reset_index()
    means = means.astype({"launch": str, "cell": str})
    runs = results.runs[[*keys, "simulated"]].astype(
        {"launch": str, "cell": str})
    both = runs.merge(means, on=keys)
    for name, columns in PARTS.items():
        both[name] = both[[x for x in columns if x in both]].sum(axis=1)
    middle = both.groupby(["cell", "simulated"])[list(PARTS)].median()
    where = list(zip(frame["cell"].astype(str), frame["simulated"]))
    for name in PARTS:
        found = middle[name].to_dict()
        frame[f"part_{name}"] = [found.get(x, np.nan) for x in where]
    return frame


def add_causes(both):
    """Columns cause_NAME: the part of the error (of the measured time) that
    the simulation has by computing, boundaries, requests and the end; of cells
    with load, by the load: beyond the error of the same cell without."""
    rest = both["error"].copy()
    for name in PARTS:
        cause = (both[f"part_{name}_simulated"]
                 - both[f"part_{name}"]) / both["time_s"]
        both[f"cause_{name}"] = cause
        rest = rest - cause
    both["cause_end"] = rest
    both["cause_load"] = np.nan
    if "load" not in both:
        return both
    keys = ["kernel", "layout", "transport", "hierarchy", "master",
            "sync_interval", "scheme"]
    keys = both[[x for x in keys if x in both]].astype(str).agg("|".join,
                                                                axis=1)
    loaded = is_loaded(both)
    alone = dict(zip(keys[~loaded], both["error"][~loaded]))
    both.loc[loaded, "cause_load"] = [
        error - alone.get(key, np.nan)
        for key, error in zip(keys[loaded], both["error"][loaded])]
    return both


def is_loaded(both):
    if "load" not in both:
        return np.zeros(len(both), dtype=bool)
    return both["load"].fillna("").astype(str).ne("").to_numpy()


def calibrated(directories):
    """{kernel: (rows of a chunk, widths of its blocks)} of the calibrations
    that lie in result directories."""
    found = {}
    for directory in directories:
        try:
            with open(os.path.join(directory, "calibration.json"),
                      encoding="utf-8") as file:
                kinds = json.load(file)["kinds"].values()
            for kernel in (x for kind in kinds for x in kind["kernels"]):
                widths = {x["h"] for x in kernel.get("blocks") or []}
                found[kernel["kernel"]] = (kernel.get("chunk"), widths)
        except (OSError, ValueError, TypeError, KeyError, AttributeError):
            continue
    return found


def held_out(row, known):
    """The part of this cell that the calibration did not measure, in a
    word."""
    kernel = known.get(row["kernel"])
    if kernel is None:
        return "grid"
    chunk, widths = kernel
    interval = row.get("sync_interval")
    if interval is None or interval != interval:
        return CALIBRATED
    if int(interval) not in widths:
        return "width"
    size = re.fullmatch(r"css:chunk=(\d+)", str(row["scheme"]))
    if size is None:
        return "scheme"
    if not chunk or abs(int(size.group(1)) / chunk - 1) > NEAR:
        return "chunk"
    return CALIBRATED
