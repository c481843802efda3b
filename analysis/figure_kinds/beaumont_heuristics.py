"""The curves of a paper on divisible loads (figures.csv of make
paper-beaumont)."""
import os

from .. import stored_paper
from . import style

COLUMNS = {"figure", "workers", "platform", "latency", "unit_mflop", "load",
           "heuristic", "time_s", "ratio"}
# Of two figures of one platform the second is a closer look, in which the text
# has M.I.2 to 5; one that has its platform to itself lacks what is several
# times as long as all others.
BAD = {"lp-fixed"}
CLOSE = BAD | {"mi-1", "mi-6", "mi-7", "mi-8"}
WORDS = {"ratio": "time over that of\nL.P. adaptive",
         "time_s": "simulation time, s"}
KINDS = {"ratio": "comparison with the adaptive period",
         "time_s": "simulation time"}
CAPTIONS = {"ratio": "Time of each heuristic over that of L.P. with adaptive "
            "period on the same platform, mean over the platforms; below 1 is "
            "faster.",
            "time_s": "Time to distribute and compute the load, mean over the "
            "platforms."}
LEGEND = {"lp-fixed": "L.P. with fixed period",
          "lp-sqrt": "L.P. with fixed square-root period",
          "lp-adaptive": "L.P. with adaptive period"}


def draw(directory):
    rows = stored_paper.rows(os.path.join(directory, "figures.csv"))
    if not rows or not COLUMNS <= set(rows[0]):
        return
    groups = {}
    for row in rows:
        groups.setdefault(row["figure"], []).append(row)
    shown = [panel for name, group in groups.items()
             for panel in panels(name, group)]
    lines = style.Lines(list(dict.fromkeys(r["heuristic"] for r in rows)))
    for number, value, leave_out, group in shown:
        figure, ax = style.single(3.2, 7.6)
        plot(ax, lines, value, leave_out, group)
        style.legend(figure, [ax])
        yield style.Drawing(
            f"beaumont-{number}", "The paper",
            f"Figure {number}: {KINDS[value]}, {title(group[0])}"
            + ", a closer look" * (leave_out == CLOSE),
            CAPTIONS[value] + left_out(leave_out), figure)


def panels(name, rows):
    """(figure's number, value, heuristics left out, rows): "5, 6" is one
    platform in two figures, all heuristics and a closer look."""
    first, *second = name.split(", ")
    value = "ratio" if any(r["platform"] != "homogeneous" for r in rows) \
        or not second else "time_s"
    yield first, value, set() if second else BAD, rows
    for number in second:
        yield number, "ratio", CLOSE, rows


def plot(ax, lines, value, leave_out, rows):
    points = {}
    for row in rows:
        if row["heuristic"] not in leave_out:
            points.setdefault(row["heuristic"], []).append(
                (float(row["load"]), float(row[value])))
    for name, found in points.items():
        ax.plot(*zip(*found), label=legend(name), linewidth=1, markersize=2.5,
                **lines.of(name))
    ax.set_xlabel("number of work units")
    ax.set_ylabel(WORDS[value])


def legend(name):
    """In the paper's words."""
    return LEGEND.get(name, name.replace("mi-", "M.I."))


def title(row):
    kind = {"homogeneous": "equal"}.get(row["platform"], row["platform"])
    latency = ", with latencies" * (row["latency"] == "1")
    return (f"{row['workers']} {kind} machines{latency}, work units of "
            f"{row['unit_mflop']} Mflop")


def left_out(heuristics):
    """The caption's last sentence."""
    return f" Not shown: {', '.join(map(legend, sorted(heuristics)))}." \
        if heuristics else ""
