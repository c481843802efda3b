#!/usr/bin/env python3
"""Simulation against reality: the same cells measured and simulated.

    analysis/validate.py DIR        (make validate)

DIR holds one result directory of each kind, or several.  Prints the error of
the simulation for each cell, its median for each kind of loop and way to run
it, and over all; says what it would cost to choose the scheme by simulation.
Stores the same in DIR/validate.txt and, a line for each cell,
DIR/validate.csv.
"""
import os
import sys

import need  # noqa: F401  (first: may start another Python)
import pandas as pd

import bothways
import cells
import grid
import labels
import loader
import paper

# The most that the median over all cells is to be off.
AIM = 0.10
COLUMNS = ["kernel", "layout", "setup", "load", "sync_interval", "scheme",
           "chunks", "chunks_simulated", "time_s", "time_s_low",
           "time_s_high", "bound_s", "time_s_simulated", "error"]


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
               labels.percent(lost_by_choice(part))]


def report(both):
    parts = []
    for (_, layout, setup, words), part in groups(both):
        where = f"{layout}, {setup}" + (f", h {words}" if words else "")
        parts.append(grid.text(grid.Grid(
            f"{part['loop'].iloc[0]}, {where}",
            ["scheme", "chunks", "simulated", "measured", "+/-", "simulated",
             "error"], cell_rows(part))))
    parts.append(grid.text(grid.Grid(
        "The simulation's error", ["loop", "layout", "way", "cells",
                                   "median size", "median", "largest",
                                   "lost by choice"],
        summary_rows(both), "simulated over measured time less 1; lost by "
        "choice: measured, the scheme that is fastest in simulation over the "
        "fastest", left=3)))
    size = both["error"].abs()
    median = size.median()
    parts.append(
        f"{labels.count(len(both), 'cell')}: the simulated time is off by "
        f"{labels.percent(median)} in the median, {labels.percent(size.max())}"
        f" at most (aim: a median of at most {labels.percent(AIM, 0)}: "
        f"{'met' if median <= AIM else 'MISSED'})\n")
    return "\n".join(parts)


def main():
    if len(sys.argv) != 2:
        sys.exit(f"usage: {sys.argv[0]} DIR")
    directory = sys.argv[1]
    try:
        results = loader.load(directory)
        frame = cells.summarize(results)
        both = (bothways.matched(results, frame) if len(frame)
                else pd.DataFrame())
        if both.empty:
            raise loader.LoadError(f"{directory}: no cell is there both "
                                   "measured and simulated")
    except loader.LoadError as error:
        print(f"validate.py: {error}", file=sys.stderr)
        sys.exit(2)
    text = report(both)
    for note in results.notes:
        if "result directories" not in note:
            text += f"note: {note}\n"
    paper.write(os.path.join(directory, "validate.txt"), text)
    names = [name for name in COLUMNS if name in both]
    paper.write_csv(os.path.join(directory, "validate.csv"), names,
                    both[names].astype(object).where(
                        both[names].notna(), None).to_numpy().tolist())
    sys.stdout.write(text)


if __name__ == "__main__":
    main()
