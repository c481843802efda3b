"""Where a cell's time goes: parts of its workers' time, which add up to it.

    useful      what one worker alone takes, shared out: serial_s / p
    computing   longer than that: memory is shared, or a core is slow
    sequence    waiting at the end that the chunk sequence itself sets, with no
                overhead at all: bound_s - serial_s / p
    steps       between time steps of independent iterations: results are
                exchanged and the next step's data made (between_s); the
                making is then in neither serial_s nor bound_s above
    imbalance   the rest of waiting at the end, for the last worker
    overhead    between chunks: requests, messages, waiting for a boundary
    collection  after the last worker: until all results are in place

Parts are means over the workers, as shares of the time; one that is negative
(computing, where a loop is faster in parts) is shown as it is.
"""
import numpy as np
import pandas as pd

from . import grid, labels, records

PARTS = ["useful", "computing", "sequence", "imbalance", "steps", "overhead",
         "collection"]
BETWEEN = ["between_s", "advance_s"]
SHARED = " *"


def finishes(results):
    """(cell, launch, repetition) -> mean and last finishing time."""
    workers = results.workers
    if workers.empty or "finish_s" not in workers:
        return None
    by = workers.groupby(["cell", "launch", "repetition"], observed=True)
    found = by["finish_s"].agg(["mean", "max"]).reset_index()
    for name in ("cell", "launch"):
        found[name] = found[name].astype(object)
    return found


def of_runs(results):
    """A row for each repetition: cell, simulated and the PARTS."""
    ends, runs = finishes(results), results.runs
    needed = ["serial_s", "compute_mean_s", "time_s"]
    if ends is None or runs.empty or any(n not in runs for n in needed):
        return pd.DataFrame()
    names = ["cell", "launch", "repetition", "simulated", "workers", *needed]
    runs = runs.reindex(columns=runs.columns.union(BETWEEN, sort=False))
    names += [n for n in ("bound_s",) if n in runs] + BETWEEN
    runs = runs[names].copy()
    runs[BETWEEN] = runs[BETWEEN].astype(float).fillna(0)
    for name in ("cell", "launch"):
        runs[name] = runs[name].astype(object)
    runs = runs.merge(ends, on=["cell", "launch", "repetition"])
    share = (runs["serial_s"] - runs["advance_s"]) / runs["workers"]
    waited = (runs["max"] - runs["mean"]).clip(lower=0)
    bound = runs["bound_s"] - runs["advance_s"] if "bound_s" in runs \
        else np.nan
    # A loop with dependences lacks a bound: a pipeline fills and drains.
    sequence = np.minimum((bound - share).clip(lower=0), waited).fillna(0) \
        if "bound_s" in runs else 0 * share
    parts = {"useful": share, "computing": runs["compute_mean_s"] - share,
             "sequence": sequence, "imbalance": waited - sequence,
             "steps": runs["between_s"],
             "overhead": runs["mean"] - runs["compute_mean_s"]
             - runs["between_s"],
             "collection": runs["time_s"] - runs["max"]}
    found = runs[["cell", "simulated"]].copy()
    for name, values in parts.items():
        found[name] = values / runs["time_s"]
    return found


def column(part):
    return "part_" + part


def of_cells(results, frame):
    """The frame with columns for the PARTS: of each cell the mean over
    repetitions, so that they add up; cells without are left out."""
    found = of_runs(results)
    if found.empty:
        return frame.iloc[:0]
    means = found.groupby(["cell", "simulated"], observed=True)[PARTS].mean()
    means = means.rename(columns=column)
    # Where the serial loop met another machine, no part can be told.
    frame = frame[frame["refused"].isna()]
    return frame.merge(means.reset_index(), on=["cell", "simulated"]).dropna(
        subset=[column("useful")])


def kinds(frame):
    """[(words, cells)]: what was measured, and each simulated platform with
    its numbers."""
    words = [labels.simulation(row) if row["simulated"] else ""
             for row in records.of(frame)]
    for kind in dict.fromkeys(words):
        here = frame[[w == kind for w in words]]
        yield f" ({labels.simulated_on(kind)})" if kind else \
            " (simulated)" if here["simulated"].any() else "", here


def scaling(frame):
    """[(title, cells)]: strong scaling of each loop; weak scaling where sizes
    grow with the workers."""
    for kind, here in kinds(frame):
        names = here["kernel"].map(lambda spec: labels.parts(spec)[0])
        for name in names.unique():
            part = here[names == name]
            counts = part.groupby("kernel")["workers"].nunique()
            strong = set(counts.index[counts > 1])
            for spec in counts.index:
                if spec in strong or len(counts) == 1:
                    own = part[part["kernel"] == spec]
                    yield f"{own['loop'].iloc[0]}{kind}", own
            grown = part[~part["kernel"].isin(strong)]
            if len(strong) == 1 and len(grown):
                # On the fewest workers the strong and the weak size are one.
                base = part[part["kernel"].isin(strong)
                            & (part["workers"] < grown["workers"].min())]
                grown = pd.concat([base[base["workers"]
                                        == base["workers"].min()], grown])
            if grown["kernel"].nunique() > 1 and \
                    grown["workers"].nunique() > 1:
                yield f"{name}, size by the workers{kind}", grown


def fastest(part):
    """The cell that is best for each number of workers and way to share the
    loop out, whatever the scheme; ranked ones go first."""
    keys = ["workers", "transport", "hierarchy"]
    return part.sort_values(["unranked", "time_s"]).groupby(
        keys, dropna=False, sort=True).head(1).sort_values(keys)


def tables(results, frame):
    """The fastest scheme of each way, by workers."""
    found = of_cells(results, frame)
    for title, part in scaling(found):
        if part["workers"].nunique() < 2:
            continue
        rows = [[labels.setup(row) + SHARED * row["unranked"],
                 f"{row['workers']:g}", row["scheme"],
                 labels.seconds(row["time_s"]),
                 *(labels.percent(row[column(name)]) for name in PARTS)]
                for row in records.of(fastest(part))]
        order = {row[0]: i for i, row in reversed(list(enumerate(rows)))}
        rows.sort(key=lambda row: (order[row[0]], float(row[1])))
        yield grid.Grid(
            f"Efficiency, and what is lost to what: {title}",
            ["way", "workers", "fastest", "time", "efficiency", *PARTS[1:]],
            rows, "fastest by the median; shares of the time, mean over the "
            "workers; efficiency is serial time / (workers x time); sequence "
            "is what the chunks themselves leave idle at the end"
            + "; *: workers shared cores" * bool(part["unranked"].any()),
            left=1)
