#!/usr/bin/env python3
"""Simulation against reality: the same cells measured and simulated.

    analysis/validate.py DIR [AIM]    (make validate, make real-cluster)

DIR holds one result directory of each kind, or several.  Prints the error of
the simulation for each cell, its median for each kind of loop and way to run
it, by cause, apart for what the calibration measured and what it did not, and
over all; says what it would cost to choose the scheme by simulation.
AIM, in percent, is the most that the median over all cells without a load is
to be off (10).  Stores the same in DIR/validate.txt and, a line for each cell,
DIR/validate.csv.
"""
import os
import sys

if not __package__:
    import need    # a script: makes the folder its package
    __package__ = need.PACKAGE
import numpy as np
import pandas as pd

from . import (bothways, causes, cells, files, grid, labels, loader,
               paper_report, stats)

# The most that the median over all cells is to be off, and over those with a
# load.
AIM, AIM_LOADED = 0.10, 0.15
# The least share of measured medians inside their cells' ranges.  These are
# made for a little more, since the share differs from run to run.  So many
# other cells say how wide they are: one of them may miss each end then.
AIM_INSIDE, MADE_INSIDE = 0.90, 0.95
OTHERS = 39
CAUSES = ["kernel", "boundary", "request", "end", "load"]
COLUMNS = ["kernel", "layout", "setup", "load", "sync_interval", "scheme",
           "chunks", "chunks_simulated", "time_s", "time_s_low",
           "time_s_high", "bound_s", "time_s_simulated", "least_s_simulated",
           "most_s_simulated", "range_low_s", "range_high_s", "error",
           "held_out",
           *(f"cause_{name}" for name in CAUSES)]


def signed(error):
    return f"{100 * error:+.1f} %"


def groups(both):
    """[(loop, layout, setup, interval), the rows] in the order of the
    summary."""
    keys = ["kernel", "layout", "setup", "interval_words"]
    return list(both.groupby(keys, sort=False, dropna=False))


def cell_rows(part):
    for row in part.to_dict("records"):
        half = (row["time_s_high"] - row["time_s_low"]) / 2
        yield [row["scheme"], labels.number(row["chunks"]),
               labels.number(row["chunks_simulated"]),
               labels.seconds(row["time_s"]),
               labels.seconds(half, row["time_s"]),
               labels.seconds(row["time_s_simulated"], row["time_s"]),
               " to ".join(labels.seconds(row[f"range_{end}_s"],
                                          row["time_s"])
                           for end in ("low", "high")),
               signed(row["error"])]


def lost_by_choice(part):
    """How much slower than the fastest scheme the one is, measured, that the
    simulation calls the fastest."""
    chosen = part.loc[part["time_s_simulated"].idxmin(), "time_s"]
    return chosen / part["time_s"].min() - 1


def summary_rows(both):
    for (_, layout, setup, words), part in groups(both):
        size = part["error"].abs()
        yield [part["loop"].iloc[0], layout,
               setup + (f", h {words}" if words else ""), len(part),
               labels.percent(size.median()), signed(part["error"].median()),
               labels.percent(size.max()),
               labels.percent(lost_by_choice(part)) if len(part) > 1 else "-"]


def answer(both):
    size = both["error"].abs()
    half, most = labels.percent(size.median()), labels.percent(size.max())
    side = ", mostly too short" if (both["error"] < 0).mean() >= 0.8 else ""
    lost = [lost_by_choice(part) for _, part in groups(both) if len(part) > 1]
    cost = "  The scheme that is fastest in simulation costs at most " \
        f"{labels.percent(max(lost))} more than the fastest." if lost else ""
    return (f"Answer: half of the simulated times are within {half} of the "
            f"measured ones{side}, the worst is {most} off.{cost}\n")


def cause_rows(both):
    """The load's part is of cells with load, all others' of those without."""
    loaded = causes.is_loaded(both)
    for loop, part in both.groupby("loop", sort=False):
        mine = loaded[part.index]
        row = [loop, len(part)]
        for name in CAUSES:
            of = part[mine if name == "load" else ~mine]
            of = of[f"cause_{name}"].dropna()
            row.append(signed(of.median()) if len(of) else "-")
        yield row


def apart_rows(both):
    loaded = causes.is_loaded(both)
    for held in [causes.CALIBRATED, "width", "chunk", "scheme", "grid"]:
        for busy in (False, True):
            part = both[(both["held_out"] == held) & (loaded == busy)]
            size = part["error"].abs()
            if len(part):
                yield [held if held == causes.CALIBRATED else
                       f"{held} held out", "yes" if busy else "no", len(part),
                       labels.percent(size.median()),
                       signed(part["error"].median()),
                       labels.percent(size.max())]


def is_as_good(part, chosen, best):
    """Whether the cell is not slower than the best one for sure, measured."""
    medians = [tuple(part.loc[at, ["time_s", "time_s_low", "time_s_high"]])
               for at in (best, chosen)]
    return chosen == best or stats.ratio_of(*medians)[1] <= 1


def same_choices(both, of):
    """(groups, same, good) over groups of cells that differ only in `of`.
    same: the same value is fastest measured and simulated.  good: the value
    that is fastest simulated is as good as any measured."""
    keys = [x for x in ("kernel", "layout", "setup", "load", "scheme",
                        "interval_words") if x in both and x != of]
    groups = same = good = 0
    for _, part in both.groupby(keys, sort=False, dropna=False):
        if part[of].nunique() < 2:
            continue
        best, chosen = part["time_s"].idxmin(), part[
            "time_s_simulated"].idxmin()
        groups += 1
        same += part.loc[best, of] == part.loc[chosen, of]
        good += bool(is_as_good(part, chosen, best))
    return groups, same, good


def choices(both):
    found = [(by, *same_choices(both, of)) for by, of in
             (("scheme", "scheme"), ("sync interval", "interval_words"))]
    found = [x for x in found if x[1]]
    if not found:
        return ""
    same = ", the same ".join(f"{by} in {same} of {groups}"
                              for by, groups, same, _ in found)
    good = " and ".join(f"{good} of {groups} ({by})"
                        for by, groups, _, good in found)
    return (f"The simulation has the same best {same} groups of cells that "
            "differ in nothing else.\nBy the confidence intervals its choice "
            f"is not surely slower than the best in {good}.\n")


def verdict(part, aim, words):
    size = part["error"].abs()
    if not len(part):
        return ""
    return (f"{labels.count(len(part), 'cell')}{words}: the simulated time is "
            f"off by {labels.percent(size.median())} in the median, "
            f"{labels.percent(size.max())} at most (aim: a median of at most "
            f"{labels.percent(aim, 0)}: "
            f"{'met' if size.median() <= aim else 'MISSED'})\n")


def add_ranges(both):
    """Where a cell's measured median is to be, from its simulations and from
    how far those of other cells are off.

    The simulations under several calibrations have a least and a most time.
    Other cells are those of other loops, layouts and sync intervals that have
    a load as well, or none as well; all, where these are too few.  The range
    goes from the least to the most, and so far beyond as to leave out at most
    one in forty of the others' medians at each end (split conformal
    prediction, Vovk et al. 2005).  With fewer than OTHERS other cells it ends
    at the least and the most."""
    keys = ["kernel", "layout", "setup", "interval_words"]
    group = both.groupby(keys, sort=False, dropna=False).ngroup().to_numpy()
    loaded = causes.is_loaded(both)
    for end, simulated, sign in (("low", "least", -1), ("high", "most", 1)):
        time = both[f"{simulated}_s_simulated"].to_numpy()
        beyond = sign * np.log(both["time_s"].to_numpy() / time)
        more = np.zeros(len(both))
        for i in range(len(both)):
            other = group != group[i]
            alike = other & (loaded == loaded[i])
            others = np.sort(beyond[alike if alike.sum() >= OTHERS else other])
            out = int((1 - MADE_INSIDE) / 2 * (len(others) + 1) + 1e-9)
            if out > 0:
                more[i] = max(others[-out], 0)
        both[f"range_{end}_s"] = time * np.exp(sign * more)


def inside(both):
    """Nothing is said of one calibration: that the machine changes is not in
    the range then, only how far other cells are off."""
    of = int(both["simulations"].max())
    if of < 2:
        return ""
    alone = both["time_s"].between(both["least_s_simulated"],
                                   both["most_s_simulated"])
    held = both["time_s"].between(both["range_low_s"], both["range_high_s"])
    low, high = (both[f"range_{end}_s"] / both["time_s_simulated"] - 1
                 for end in ("low", "high"))
    return (f"{held.sum()} of {labels.count(len(both), 'measured median')} "
            f"{'is' if held.sum() == 1 else 'are'} inside the printed range "
            f"(aim: {labels.percent(AIM_INSIDE, 0)}: "
            f"{'met' if held.mean() >= AIM_INSIDE else 'MISSED'}), which goes "
            f"from {signed(low.median())} to {signed(high.median())} of the "
            f"simulated time in the median.\nThe simulations under {of} "
            f"calibrations alone hold {alone.sum()}; the rest is how far "
            "other cells were off.\n")


def report(both, aim):
    parts = [answer(both)]
    for (_, layout, setup, words), part in groups(both):
        where = f"{layout}, {setup}" + (f", h {words}" if words else "")
        parts.append(grid.text(grid.Grid(
            f"{part['loop'].iloc[0]}, {where}",
            ["scheme", "chunks", "simulated chunks", "measured", "+/-",
             "simulated", "range", "error"], cell_rows(part))))
    parts.append(grid.text(grid.Grid(
        "The simulation's error", ["loop", "layout", "way", "cells",
                                   "median size", "median", "largest",
                                   "lost by choice"],
        summary_rows(both), "simulated over measured time less 1; lost by "
        "choice: measured, the scheme that is fastest in simulation over the "
        "fastest", left=3)))
    parts.append(grid.text(grid.Grid(
        "The simulation's error by cause", ["loop", "cells", *CAUSES],
        cause_rows(both), "medians, of the measured time: computing, waiting "
        "for boundaries, for chunks, and for the last worker; load: beyond "
        "the error of the same cell without", left=1)))
    parts.append(grid.text(grid.Grid(
        "What the calibration measured, and what it did not",
        ["cells with", "load", "cells", "median size", "median", "largest"],
        apart_rows(both), "held out, the first that is: the grid, the width "
        "of blocks, the scheme, the chunk", left=2)))
    loaded = causes.is_loaded(both)
    lines = verdict(both[~loaded], aim,
                    " without load" if loaded.any() else "")
    lines += verdict(both[loaded], AIM_LOADED, " with load")
    lines += inside(both) + choices(both)
    return "\n".join([*parts, lines])


def add_range(results, frame):
    """The least and the most of the medians of simulations, and how many
    there are: a calibration each."""
    times = results.runs.groupby(["cell", "simulated", "launch"],
                                 observed=True)["time_s"].median()
    by_cell = times.groupby(["cell", "simulated"], observed=True)
    ends = by_cell.agg(["min", "max", "count"]).reindex(
        pd.MultiIndex.from_frame(frame[["cell", "simulated"]]))
    for name, end in ("least_s", "min"), ("most_s", "max"), (
            "launches", "count"):
        frame[name] = ends[end].to_numpy()


def matched(results, frame):
    if not len(frame):
        return pd.DataFrame()
    causes.add_parts(results, frame)
    add_range(results, frame)
    both = bothways.matched(results, frame, [
        "least_s", "most_s", "launches",
        *(f"part_{name}" for name in causes.PARTS)])
    both = both.rename(columns={"launches_simulated": "simulations"})
    known = causes.calibrated(results.directories)
    both["held_out"] = [causes.held_out(row, known)
                        for row in both.to_dict("records")]
    if not len(both):
        return both
    add_ranges(both)
    return causes.add_causes(both)


def main():
    words = sys.argv[1:]
    if len(words) not in (1, 2):
        sys.exit(f"usage: {sys.argv[0]} DIR [AIM]")
    directory, aim = words[0], AIM
    if len(words) == 2:
        if not words[1].isdigit():
            sys.exit(f"{sys.argv[0]}: AIM is {words[1]}; allowed: percent")
        aim = int(words[1]) / 100
    try:
        results = loader.load(directory)
        frame = cells.summarize(results)
        both = matched(results, frame)
        if both.empty:
            raise loader.LoadError(f"{directory}: no cell is there both "
                                   "measured and simulated")
    except loader.LoadError as error:
        print(f"validate.py: {error}", file=sys.stderr)
        sys.exit(2)
    text = report(both, aim)
    for note in results.notes:
        if "result directories" not in note:
            text += f"note: {note}\n"
    files.write(os.path.join(directory, "validate.txt"), text)
    names = [name for name in COLUMNS if name in both]
    paper_report.write_csv(os.path.join(directory, "validate.csv"), names,
                           both[names].astype(object).where(
                               both[names].notna(), None).to_numpy().tolist())
    sys.stdout.write(text)


if __name__ == "__main__":
    main()
