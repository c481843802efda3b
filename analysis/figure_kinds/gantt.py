"""A Gantt chart per traced run: above, each worker's chunks; below them, a
thinner bar of what its whole time went into."""
import numpy as np
from matplotlib.collections import PolyCollection

from .. import labels
from . import style

MOST_CHARTS, MOST_WORKERS, MOST_BLOCKS = 40, 64, 3000
SHOWN = 3       # of each kernel; the others on demand
ROW = 0.42      # inches for a worker


def draw(traces):
    stamped = sorted((t for t in traces if t.stamped),
                     key=lambda t: -t.cell["workers"])
    seen = {}
    for trace in stamped[:MOST_CHARTS]:
        cell = trace.cell
        number = seen[cell["kernel"]] = seen.get(cell["kernel"], 0) + 1
        short = cell["loop"]
        name = f"{short}, {cell['scheme']} over {cell['label']}"
        if cell["interval_words"]:
            name += f", interval {cell['interval_words']}"
        yield style.Drawing(
            style.file_name("gantt", short, cell["scheme"], cell["setup"],
                            cell["cell"][:6]), "Traced runs",
            f"Who did what: {name}", caption(trace), chart(trace),
            detail=number > SHOWN)


def caption(trace):
    words = (f"Repetition {trace.repetition}, "
             f"{labels.seconds(trace.time_s)}. The upper bar of a worker "
             "shows its chunks as they ran (light and dark in turn), gaps are "
             "scheduling and waiting. The lower bar holds the sums over the "
             "whole run, not when they were")
    if "sync_s" in trace.workers and (trace.workers["sync_s"] > 0).any():
        words += "; waiting for boundaries lies inside the chunks"
    count = trace.chunks["worker"].nunique()
    if count > MOST_WORKERS:
        words += f"; {MOST_WORKERS} of {count} workers"
    return words + "."


def chart(trace):
    workers = sorted(set(trace.chunks["worker"]) | set(
        trace.workers.get("worker", [])))[:MOST_WORKERS]
    figure, ax = style.single(1.3 + ROW * len(workers))
    factor, unit = labels.unit_of(trace.time_s)
    for row, worker in enumerate(workers):
        blocks(ax, trace, worker, row, factor)
    activity_bars(ax, trace, workers, factor)
    ax.set_yticks(range(len(workers)), [f"worker {w:.0f}" for w in workers])
    ax.set_ylim(len(workers) - 0.4, -0.6)
    ax.set_xlim(0, trace.time_s * factor * 1.001)
    ax.set_xlabel(f"time since the worker's rank started, {unit}")
    ax.grid(False, axis="y")
    style.legend(figure, [ax])
    return figure


def merged(begin, end, least):
    """Chunks closer than `least` as one block: a thousand chunks need no
    thousand rectangles."""
    if len(begin) <= MOST_BLOCKS // 10:
        return begin, end
    start = np.concatenate([[True], begin[1:] - end[:-1] > least])
    last = np.concatenate([start[1:], [True]])
    return begin[start], end[last]


def blocks(ax, trace, worker, row, factor):
    own = trace.chunks[trace.chunks["worker"] == worker]
    begin = own["begin_s"].to_numpy()
    order = np.argsort(begin)
    begin, end = merged(begin[order], own["end_s"].to_numpy()[order],
                        trace.time_s / 1000)
    for turn, alpha in ((0, 0.95), (1, 0.6)):
        quads = [style.rectangle(b, e, row - 0.38, row + 0.05)
                 for b, e in zip(begin[turn::2] * factor,
                                 end[turn::2] * factor)]
        ax.add_collection(PolyCollection(
            quads, facecolors=style.COLOURS[0], alpha=alpha, linewidths=0.4,
            edgecolors=style.PAPER))


def shares(row, time_s):
    """Seconds of each activity; the rest is scheduling and the end."""
    parts = {name: max(float(row.get(name + "_s") or 0), 0.0)
             for name in ("compute", "sync", "serve", "wait")}
    parts["rest"] = max(time_s - sum(parts.values()), 0.0)
    return parts


def stack(boxes, row, time_s, factor, top, bottom):
    """Adds to the rectangles of each activity those of a worker's bar;
    `factor` for a second."""
    left = 0.0
    for name, value in shares(row, time_s).items():
        right = left + value * factor
        if right > left:
            boxes.setdefault(name, []).append(style.rectangle(
                left, right, top, bottom))
        left = right


def activity_bars(ax, trace, workers, factor):
    rows = {r["worker"]: r for r in trace.workers.to_dict("records")}
    boxes = {}
    for at, worker in enumerate(workers):
        if worker in rows:
            stack(boxes, rows[worker], trace.time_s, factor, at + 0.11,
                  at + 0.29)
    style.activities(ax, boxes)
