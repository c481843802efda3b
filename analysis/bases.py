"""The base of speedups (`--base`).

    single-master     the same scheme below one master, with the fewest workers
                      (Han and Chronopoulos, figures 7 and 8)
    css, scheme=SPEC  that scheme in cells that are equal but for it (Diaz et
                      al., figure 3)
    cell=HASH         one cell, for all of its loop (its first characters do)

A base is a cell of the same loop, measured or simulated on the same platform.
Without `--base` it is the serial loop (cells.py).  Cells without a base have
no speedup.  The interval of a speedup holds those of both medians.
"""
import numpy as np

from . import fold, labels, stats

SINGLE = "single-master"
# How a loop is spread over workers: this may differ from the base's.  Powers
# and loads are those of the base's machine with more workers (fold.py).
SPREAD = ["hierarchy", "ranks", "threads", "transport", "master", "window",
          "openmp", "victim", "collect", "answer", "rank_per", "smt", "bind",
          "memory", "prefetch", "min_chunk", "protocol", "placement",
          "timing"]
# The cell's hash and a column that follows from choices: neither is a choice.
NEVER = ["cell", "predicted_s"]


class BaseError(Exception):
    """No cell is this base; the text says why, in one line."""


def same_columns(results, frame, free):
    """The common columns of a cell and its base."""
    columns = [n for n in results.cells if n in frame
               and n not in free and n not in NEVER]
    return ["simulated", *columns]


def keys(frame, columns):
    return list(frame[columns].astype(str).itertuples(index=False, name=None))


def fastest(frame, rows):
    """Of several: ranked ones first."""
    return min(rows, key=lambda i: (frame.at[i, "unranked"],
                                    frame.at[i, "time_s"]))


def grouped(names, rows):
    found = {}
    for name, row in zip(names, rows):
        found.setdefault(name, []).append(row)
    return found


def single_master(results, frame):
    """[row of the base, or None] of each row."""
    folded = frame.assign(**fold.setups(frame))
    names = keys(folded, same_columns(results, folded, SPREAD))
    one = frame["hierarchy"].eq("flat") & frame["transport"].eq("master")
    if not one.any():
        raise BaseError("no cell is below one master (transport master, "
                        "hierarchy flat)")
    found = {}
    for name, rows in grouped((names[i] for i in frame.index[one]),
                              frame.index[one]).items():
        least = min(frame.at[i, "workers"] for i in rows)
        found[name] = fastest(frame, [
            i for i in rows if frame.at[i, "workers"] == least])
    return [found.get(name) for name in names]


def of_scheme(results, frame, spec):
    """By its whole spec, else by its name."""
    schemes = frame["scheme"].astype(str)
    chosen = schemes == spec
    if not chosen.any():
        chosen = schemes.str.partition(":")[0] == spec
    if not chosen.any():
        raise BaseError(f"no cell has scheme {spec}, there are: "
                        + ", ".join(sorted(schemes.unique())))
    names = keys(frame, same_columns(results, frame, ["scheme"]))
    found = {name: fastest(frame, rows) for name, rows in grouped(
        (names[i] for i in frame.index[chosen]),
        frame.index[chosen]).items()}
    return [found.get(name) for name in names]


def of_cell(frame, text):
    rows = frame.index[frame["cell"].astype(str).str.startswith(text)]
    if len(rows) != 1 or not text:
        raise BaseError(
            f"cell={text}: " + (f"{len(rows)} cells begin so" if len(rows)
                                else "no cell begins so")
            + " (column cell of --format csv)")
    base = frame.loc[rows[0]]
    same = frame["kernel"].eq(base["kernel"]) & \
        frame["simulated"].eq(base["simulated"])
    return [rows[0] if s else None for s in same]


def find(results, frame, base):
    name, _, value = base.partition("=")
    if base == SINGLE:
        return single_master(results, frame)
    if base == "css" or name == "scheme" and value:
        return of_scheme(results, frame, value or base)
    if name == "cell":
        return of_cell(frame, value)
    raise BaseError(f"'{base}' is no base, allowed: {SINGLE}, css, "
                    "scheme=SPEC, cell=HASH")


def words(base, frame, rows):
    """The base of all speedups of a table."""
    used = sorted({r for r in rows if r is not None})
    if base == SINGLE:
        count = sorted({int(frame.at[r, "workers"]) for r in used})
        return "the same scheme below one master with " + labels.count(
            count[0], "worker") if len(count) == 1 else \
            "the same scheme below one master with the fewest workers (" \
            + ", ".join(map(str, count)) + ")"
    if base.startswith("cell="):
        row = frame.loc[used[0]]
        return f"{row['scheme']} over {row['label']}, " \
            + labels.seconds(row["time_s"])
    return "the same cell under " + ", ".join(
        dict.fromkeys(str(frame.at[r, "scheme"]) for r in used))


def apply(results, frame, base):
    """Sets speedup, speedup_low, speedup_high, base_s, base_workers and
    base."""
    rows = find(results, frame, base)
    medians = list(zip(*(frame[n].tolist() for n in (
        "time_s", "time_s_low", "time_s_high"))))
    found = np.full((len(frame), 4), np.nan)
    for i, row in enumerate(rows):
        if row is None:
            continue
        of = medians[row]
        found[i] = of[0], of[0] / medians[i][0], *(
            stats.ratio_of(medians[i], of)[1:] if row != i else (1, 1))
    for name, values in zip(("base_s", "speedup", "speedup_low",
                             "speedup_high"), found.T):
        frame[name] = values
    frame["refused"] = None  # applies only to the serial loop as base
    frame["base_workers"] = [np.nan if row is None else
                             frame.at[row, "workers"] for row in rows]
    for kernel in frame["kernel"].unique():
        here = [i for i in frame.index[frame["kernel"] == kernel]]
        if any(rows[i] is not None for i in here):
            frame.loc[here, "base"] = words(base, frame,
                                            [rows[i] for i in here])
        else:
            frame.loc[here, "base"] = "no cell of this loop"
