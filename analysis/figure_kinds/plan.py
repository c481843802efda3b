"""A Gantt chart of a plan (dlsbench plan --format csv): when each worker
receives a message, and computes it."""
import csv

from .. import labels, loader
from . import style

ROW = 0.3       # inches for a worker
BARS = [("receiving", "send", "wait"), ("computing", "compute", "compute")]


def read(path):
    try:
        with open(path, newline="", encoding="utf-8") as file:
            rows = [{name: float(value) for name, value in row.items()}
                    for row in csv.DictReader(file)]
        return rows, max(row["makespan_s"] for row in rows)
    except (KeyError, TypeError, ValueError):
        raise loader.LoadError(f"{path}: this is no plan of one algorithm; "
                               "--format csv prints one") from None
    except OSError as error:
        raise loader.LoadError(f"{path}: {error.strerror}") from None


def draw(path):
    rows, end_s = read(path)
    factor, unit = labels.unit_of(end_s)
    workers = sorted({row["worker"] for row in rows})
    figure, ax = style.single(1.3 + ROW * len(workers))
    for word, name, activity in BARS:
        colour, hatch = style.ACTIVITIES[activity]
        begins = [row[f"{name}_start_s"] * factor for row in rows]
        ends = [row[f"{name}_end_s"] * factor for row in rows]
        ax.barh([workers.index(row["worker"]) for row in rows],
                [b - a for a, b in zip(begins, ends)], 0.7, begins,
                color=colour, hatch=hatch, edgecolor=style.PAPER, label=word)
    ax.set_yticks(range(len(workers)), [f"worker {w:.0f}" for w in workers])
    ax.invert_yaxis()
    ax.grid(False, axis="y")
    ax.set_xlabel(f"time, {unit}")
    style.legend(figure, [ax])
    return style.Drawing("plan", "Plans", "Plan of a divisible load",
                         f"The last worker ends after {labels.seconds(end_s)}."
                         " A bar is a message, or what came with it.", figure)
