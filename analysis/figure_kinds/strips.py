"""Each thread as a bar over time, under the best and the worst choice of
dlsbench omp --try: computing, waiting in parallel regions, outside of them."""
import numpy as np

from .. import labels
from . import style

SECTION = "Your loops"
MOST_THREADS = 32
ROW = 0.3       # inches for a thread
HALF = 0.42     # of a bar, of its row
OUTSIDE = "#dddddd"
KINDS = ["computing", "waiting", "outside loops"]


def draw(strips):
    if not strips:
        return
    names = [f"{s['choice']} ({labels.seconds(s['time_s'])})" for s in strips]
    yield style.Drawing(
        "strips", SECTION, "What each thread does over time: "
        + ", and ".join(names), caption(strips), panel(strips, names))


def caption(strips):
    most = max(len(s["threads"]) for s in strips)
    which = ("above what to use, below what takes longest"
             if len(strips) > 1 else "no choice is slower or faster than this")
    return (f"In one run, the first that counted; {which}. The height shows "
            "which part of each moment the thread computed (blue) or waited "
            "at the end of loops and regions (orange). Grey is outside of "
            "them: serial for thread 0, no work for others."
            + (f" The first {MOST_THREADS} of {most} threads."
               if most > MOST_THREADS else ""))


def bars(ax, y, ends, edges, colour, name):
    low, high = (y + HALF - 2 * HALF * end for end in ends)
    ax.stairs(high, edges, baseline=low, fill=True, color=colour,
              label=None if y else name)


def panel(strips, names):
    rows = [min(len(s["threads"]), MOST_THREADS) for s in strips]
    factor, unit = style.time_factor([max(s["time_s"] for s in strips)])
    figure, ax = style.single(1.1 + sum(ROW * r + 0.4 for r in rows))
    ax.remove()
    axes = figure.subplots(len(strips), 1, sharex=True, squeeze=False,
                           height_ratios=rows)
    for ax, strip, name, count in zip(axes[:, 0], strips, names, rows):
        for y, thread in enumerate(strip["threads"][:count]):
            edges = (strip["began_s"] + strip["bin_s"] * np.arange(
                len(thread["inside"]) + 1)) * factor
            inside = np.clip(thread["inside"], 0, 1)
            computed = np.minimum(np.clip(thread["computed"], 0, 1), inside)
            bars(ax, y, [0 * inside[:1], 0 * inside[:1] + 1],
                 [0, strip["time_s"] * factor], OUTSIDE, KINDS[2])
            bars(ax, y, [0 * inside, computed], edges, style.COLOURS[0],
                 KINDS[0])
            bars(ax, y, [computed, inside], edges, style.COLOURS[1], KINDS[1])
        ax.set_yticks(range(count), [f"thread {y}" for y in range(count)])
        ax.set_ylim(count - 0.4, -0.6)
        ax.set_title(name, loc="left")
        ax.grid(False)
    axes[-1, 0].set_xlim(0, max(s["time_s"] for s in strips) * factor * 1.01)
    axes[-1, 0].set_xlabel(f"time since the program's start, {unit}")
    style.legend(figure, [axes[0, 0]])
    return figure
