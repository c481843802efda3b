"""A simulation beside what was measured: how far off it was, in one number for
each block of cells, and by cause.

A block is a loop in one way of sharing it out.  Causes are the parts of the
workers' time (losses.py): simulated less measured, in percent of the measured
time; they add up to the error.
"""
from . import bothways, grid, labels, losses

CAUSES = ["compute", *losses.PARTS[2:]]


def with_seconds(results, frame):
    """The parts in seconds; useful and computing are combined, because a
    simulation has a different serial time.  Empty if no worker has a line."""
    found = losses.of_cells(results, frame)
    if losses.column(losses.PARTS[0]) not in found:
        return found.iloc[:0]
    for name in losses.PARTS:
        found["s_" + name] = found[losses.column(name)] * found["time_s"]
    if len(found):
        found["s_compute"] = found["s_useful"] + found["s_computing"]
    return found


def matched(results, frame):
    found = with_seconds(results, frame)
    if found.empty or found["simulated"].nunique() < 2:
        return found.iloc[:0]
    names = ["s_" + name for name in CAUSES]
    both = bothways.matched(results, found, names)
    for name in names:
        both["off_" + name] = (both[name + "_simulated"] - both[name]) \
            / both["time_s"]
    return both


def signed(value):
    return f"{100 * value:+.1f} %"


def line(words, part):
    size = part["error"].abs()
    return [*words, len(part), labels.percent(size.median()),
            signed(part["error"].median()), labels.percent(size.max()),
            *(signed(part["off_s_" + name].mean()) for name in CAUSES)]


def tables(results, frame):
    both = matched(results, frame)
    if both.empty:
        return
    way = [labels.setup(row) for row in both.to_dict("records")]
    blocks = both.groupby([both["loop"], way], sort=False)
    rows = [line(words, part) for words, part in blocks]
    rows.append(line(["all", ""], both))
    yield grid.Grid(
        "Foretold and measured", ["loop", "way", "cells", "median size",
                                  "median", "largest", *CAUSES], rows,
        "error of the simulated time, over the measured one; then what is "
        "simulated too long (+) or too short (-), in percent of the measured "
        "time, mean over the cells", left=2)
