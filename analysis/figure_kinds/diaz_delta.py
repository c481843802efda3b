"""Quadratic self-scheduling and its parameter: Diaz et al., figures 1 to 3,
from what the report on them stored."""
import os

from .. import stored_paper
from . import style

TASKS, PROCESSORS = 2000, 20
SCHEMES = ["css", "gss", "tss", "fss", "qss"]
BORDER = 2      # between cases a and b; there QSS is TSS


def draw(directory):
    rows = stored_paper.rows(os.path.join(directory, "tables_1_2.csv"))
    if rows and {"delta", "printed", "ours"} <= set(rows[0]):
        yield sizes()
        yield times(rows)
    rows = stored_paper.rows(os.path.join(directory, "figure_3.csv"))
    if rows and "from_table_4" in rows[0]:
        yield speedups(rows)


def curve(delta):
    """[(t, C(t))] by formulas (5) to (9): from I/2P to 1 by way of their sum
    over delta."""
    first = TASKS / (2 * PROCESSORS)
    middle = (first + 1) / delta
    steps = 6 * TASKS / (4 * middle + 1 + first)
    b = (4 * middle - 1 - 3 * first) / steps
    c = (2 * first + 2 - 4 * middle) / steps ** 2
    return [(t, first + b * t + c * t * t)
            for t in (steps * i / 60 for i in range(61))]


def sizes():
    figure, ax = style.single(3.2, 5.2)
    for i, (delta, name) in enumerate((
            (BORDER, "TSS"), (1.5, "QSS, case a (delta 1.5)"),
            (3, "QSS, case b (delta 3)"))):
        points = curve(delta)
        colour = style.COLOURS[i]
        ax.plot(*zip(*points), color=colour, label=name,
                linestyle="--" if delta > BORDER else "-")
        ax.plot(*points[-1], "o", color=colour)
        ax.annotate(["N_l", "N_q", "N'_q"][i], points[-1], (0, 6),
                    textcoords="offset points", ha="center")
    ax.set_xlabel("t, number of the chore")
    ax.set_ylabel("C(t), tasks in a chore")
    ax.set_ylim(bottom=0)
    style.legend(figure, [ax])
    return style.Drawing(
        "diaz-1", "The paper", "Figure 1: the size of a chore over its number",
        f"By the paper's formulas, for {TASKS} tasks and {PROCESSORS} "
        "processors. Below delta = 2 chores stay large for longer, above it "
        "they shrink sooner and there are more of them.", figure)


def times(rows):
    figure, ax = style.single(3.2, 5.2)
    at = list(range(len(rows)))
    values = [[stored_paper.number(r[n]) for r in rows]
              for n in ("ours", "low", "high", "printed")]
    known = [i for i in at if values[0][i] is not None]
    ax.vlines(known, [values[1][i] or values[0][i] for i in known],
              [values[2][i] or values[0][i] for i in known],
              color=style.COLOURS[0], linewidth=0.8)
    ax.plot(known, [values[0][i] for i in known], "o-", markersize=5,
            color=style.COLOURS[0], label="ours, median over the seeds")
    ax.plot(at, values[3], "s", fillstyle="none", color=style.COLOURS[1],
            label="printed")
    ax.axvline([r["delta"] for r in rows].index(str(BORDER)),
               linestyle=":", color=style.INK, label="border of cases a and b")
    ax.set_xticks(at, [r["delta"] for r in rows])
    ax.set_xlabel("delta")
    ax.set_ylabel("total time")
    ax.set_ylim(bottom=0)
    ax.yaxis.set_major_locator(style.MultipleLocator(1800))
    ax.yaxis.set_major_formatter(lambda s, _: f"{s // 3600:.0f}:"
                                 f"{s % 3600 // 60:02.0f}:00")
    style.legend(figure, [ax])
    return style.Drawing(
        "diaz-2", "The paper", "Figure 2: total time of QSS over delta",
        f"{TASKS} tasks on {PROCESSORS} processors, in hours. Ours is the "
        "median over many sets of tasks with its 95 % interval; the paper has "
        "one run of each.", figure)


def speedups(rows):
    tests = list(dict.fromkeys(r["test"] for r in rows))
    lines = style.Lines(SCHEMES)
    figure, ax = style.single(3.2, 5.2)
    ax.axhline(1, color=style.FAINT, linewidth=3, zorder=1, label="CSS")
    for i, scheme in enumerate(SCHEMES[1:]):
        line = {**lines.of(scheme), "linestyle": ""}
        for row in (r for r in rows if r["scheme"] == scheme):
            x = tests.index(row["test"]) + (i - 1.5) * 0.18
            ours, low, high, printed = (stored_paper.number(row[n]) for n in (
                "ours", "low", "high", "from_table_4"))
            ax.vlines(x, low or ours, high or ours, color=line["color"],
                      linewidth=0.8)
            ax.plot(x, ours, label=scheme.upper(), **line)
            ax.plot(x + 0.07, printed, fillstyle="none",
                    label=f"{scheme.upper()}, printed", **line)
    ax.set_xticks(range(len(tests)), tests)
    ax.set_xlabel("test: tasks/processors")
    ax.set_ylabel("speedup over CSS")
    style.legend(figure, [ax])
    return style.Drawing(
        "diaz-3", "The paper", "Figure 3: speedup over CSS by test",
        "Time of CSS over that of the scheme in the same test, the median "
        "over many sets of tasks with its 95 % interval. Hollow marks follow "
        "from the paper's table 4, which has one run of each.", figure)
