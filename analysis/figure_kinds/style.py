"""How figures look: colours that colour-blind people can tell apart (Okabe
and Ito), and for black and white a marker, a dash or a hatch as well."""
import math

import matplotlib
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import PolyCollection
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, MultipleLocator  # noqa: F401

from .. import labels
from . import look

matplotlib.rcParams.update({
    "svg.fonttype": "none", "svg.hashsalt": "dlsbench", "pdf.fonttype": 42,
    "font.size": 9, "font.family": "DejaVu Sans", "axes.spines.top": False,
    "axes.spines.right": False, "axes.titlesize": "medium",
    "axes.titlelocation": "left", "legend.frameon": False,
    "hatch.linewidth": 0.6, "path.simplify": True,
    "figure.facecolor": "none", "axes.facecolor": "none"})

# In a page each of these becomes a CSS variable (svg.py), so that the page's
# light and dark colours hold inside the figures too.
INK, FAINT, PAPER = "#1a1a1a", "#d5d5d5", "#fefefe"
GREY = "#8c8c8c"    # words that are left out, and can still be read
COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9",
           "#7f5539"]
for part in ("text.color", "axes.edgecolor", "axes.labelcolor",
             "xtick.color", "ytick.color", "axes.titlecolor",
             "hatch.color"):
    matplotlib.rcParams[part] = INK

MARKERS = ["o", "s", "^", "D", "v", "P", "X", "<", ">", "*", "p", "h", "d",
           "8"]
DASHES = ["-", (0, (5, 2)), (0, (1, 1.5)), (0, (5, 1.5, 1, 1.5))]
# Activities of a worker: colour and hatch.
ACTIVITIES = {"compute": ("#0072b2", ""), "sync": ("#d55e00", "////"),
              "serve": ("#cc79a7", "xxxx"), "wait": ("#e69f00", "...."),
              "rest": ("#d5d5d5", "")}
ACTIVITY_WORDS = {"compute": "computing", "sync": "waiting for a boundary",
                  "serve": "serving others", "wait": "waiting for a message",
                  "rest": "scheduling, and waiting at the end"}
WIDTH = 10.0    # inches, that of the page
PANEL = 2.8         # inches that each of several in a row needs
CHARACTERS = 28     # of a title's line over one of three panels in a row
LINE = 0.15         # inches, of a title
MOST_PANELS = 9     # of one figure of panels()


class Drawing:
    """A finished figure: `name` is its file's, `caption` its text.  `detail`
    is True for what a page shows only on demand."""

    def __init__(self, name, section, title, caption, figure, detail=False):
        self.name, self.section, self.title = name, section, title
        self.caption, self.figure, self.detail = caption, figure, detail


class Lines:
    """Colour, marker and dash of each of several series, by their order."""

    def __init__(self, names):
        self.at = {name: i for i, name in enumerate(names)}

    def of(self, name):
        i = self.at[name]
        return {"color": COLOURS[i % len(COLOURS)],
                "marker": MARKERS[i % len(MARKERS)],
                "linestyle": DASHES[i // len(COLOURS) % len(DASHES)]}


def scale():
    """Letters over those of a page."""
    return matplotlib.rcParams["font.size"] / 9


def width_of(usual):
    return look.CURRENT.get().width or usual


def columns(count, most=3):
    """The number of columns for `count` panels."""
    most = max(1, min(most, int(width_of(WIDTH) / (PANEL * scale()))))
    return min(2 if count == 4 else count, most)


def grid(titles, height=2.6, most=3, **options):
    """A figure with a panel below each of these titles; the list of its axes.
    `height` is that of every row of panels, or a list with one for each.  Long
    titles are folded, and their row grows."""
    count, across = len(titles), columns(len(titles), most)
    rows = -(-count // across)
    heights = height if isinstance(height, list) else [height] * rows
    width = width_of(WIDTH)
    room = CHARACTERS * 3 / across * width / WIDTH / scale()
    titles = [look.wrapped(title, room) for title in titles]
    more = [title.count("\n") for title in titles]
    heights = [scale() * (high + LINE * max(more[i * across:][:across]))
               for i, high in enumerate(heights)]
    figure = Figure(figsize=(width, sum(heights)),
                    layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots(rows, across, squeeze=False, height_ratios=heights,
                           **options).ravel()
    for ax, title in zip(axes, titles):
        ax.grid(True, color=FAINT, linewidth=0.6)
        ax.set_axisbelow(True)
        ax.set_title(title)
    for ax in axes[count:]:
        ax.set_visible(False)
    for ax in axes[max(count - across, 0):count]:
        ax.xaxis.set_tick_params(labelbottom=True)
    return figure, list(axes[:count])


def single(height=3.2, width=WIDTH):
    figure = Figure(figsize=(width_of(width), height * scale()),
                    layout="constrained")
    FigureCanvasAgg(figure)
    ax = figure.subplots()
    ax.grid(True, color=FAINT, linewidth=0.6)
    ax.set_axisbelow(True)
    return figure, ax


def legend(figure, axes):
    """One legend below all panels; the figure grows by its height.  Then the
    layout is settled, so that every way of saving it need not do it again."""
    found = {}
    for ax in axes:
        for handle, name in zip(*ax.get_legend_handles_labels()):
            found.setdefault(name, handle)
    shown = [ax for ax in figure.axes if ax.get_visible()]
    own = look.CURRENT.get()
    try:
        found = dict(zip(look.relabel(shown, list(found)), found.values()))
        look.set_begins(shown)
        for ax in shown:
            for axis in ax.xaxis, ax.yaxis:
                if own.begins and axis.get_scale() == "log" and not (
                        axis is ax.xaxis and axis.get_transform().base == 2):
                    plain_log(axis)
    except look.LookError as error:
        own.problems[figure] = error
    if found:
        add_legend(figure, found)
    figure.get_layout_engine().execute(figure)
    if own.width or own.rc or own.labels:
        settle(figure, shown, own)
    figure.set_layout_engine("none")


def settle(figure, shown, own):
    look.fit(figure, shown)
    figure.get_layout_engine().execute(figure)
    try:
        look.check(figure, shown)
    except look.LookError as error:
        own.problems.setdefault(figure, error)


def add_legend(figure, found):
    width, height = figure.get_size_inches()
    most = int((width / scale() - 0.5) / 0.075)
    names = [look.wrapped(name, most) for name in found]
    entry = (0.5 + 0.075 * min(most, max(map(len, found)))) * scale()
    columns = max(1, min(len(found), int(width / entry)))
    lines = 1 + max(name.count("\n") for name in names)
    room = (0.12 + 0.17 * lines * -(-len(found) // columns)) * scale()
    figure.set_size_inches(width, height + room)
    share = room / (height + room)
    figure.get_layout_engine().set(rect=(0, share, 1, 1 - share))
    figure.legend(found.values(), names, ncols=columns, fontsize=8 * scale(),
                  loc="lower center", borderaxespad=0.1, columnspacing=1.5)


def with_interval(ax, part, x, y, factor=1.0, **line):
    """A line through medians with the intervals as bars."""
    low, high = part.get(y + "_low"), part.get(y + "_high")
    values = part[y] * factor
    if low is not None and (part["n"] > 1).any():
        ax.vlines(part[x], low * factor, high * factor, linewidth=0.8,
                  color=line["color"])
    ax.plot(part[x], values, markersize=4.5, linewidth=1.2, **line)


def limit(ax, part, column, factor=1.0):
    """The y axis holds all medians, and intervals up to twice as far: one
    disturbed cell does not squeeze all others."""
    low, high = part[column].min(), part[column].max()
    least = np.nanmin([part.get(column + "_low", part[column]).min(), low])
    most = np.nanmax([part.get(column + "_high", part[column]).max(), high])
    if ax.get_yscale() == "log":
        ax.set_ylim(max(least, low / 2) * factor / 1.08,
                    min(most, high * 2) * factor * 1.08)
    else:
        ax.set_ylim(0, max(min(most, high * 1.6), 1e-300) * factor * 1.08)


def parity(ax, series, across, up):
    """Points of two values that should be equal: `series` holds a name, the
    values across and those up; both positive."""
    lines = Lines([name for name, _, _ in series])
    for name, x, y in series:
        ax.plot(x, y, label=name, markersize=5,
                **{**lines.of(name), "linestyle": ""})
    every = np.concatenate([np.asarray(v, dtype=float)
                            for _, x, y in series for v in (x, y)])
    ends = [every.min() * 0.8, every.max() * 1.25]
    ax.plot(ends, ends, color=INK, linewidth=0.8, label="equal")
    for axis in ("x", "y"):
        ax.set(**{axis + "scale": "log", axis + "lim": ends})
    plain_log(ax.xaxis)
    plain_log(ax.yaxis)
    ax.set_xlabel(across)
    ax.set_ylabel(up)


def count_axis(ax, counts):
    """A doubling axis of workers, labelled with the measured counts."""
    ax.set_xscale("log", base=2)
    ax.set_xticks(counts, [f"{c:,.0f}" for c in counts])
    ax.set_xticks([], minor=True)
    if len(counts) > 5:
        ax.tick_params(axis="x", rotation=45)


def rectangle(left, right, top, bottom):
    return [(left, top), (left, bottom), (right, bottom), (right, top)]


def activities(ax, boxes):
    """The rectangles of each activity, as one artist."""
    for name, (colour, hatch) in ACTIVITIES.items():
        if name in boxes:
            ax.add_collection(PolyCollection(
                boxes[name], facecolors=colour, edgecolors=INK,
                linewidths=0.3, hatch=hatch or None,
                label=ACTIVITY_WORDS[name]))


def time_factor(values):
    """(factor, unit) for an axis with these seconds."""
    known = [v for v in values if v == v and v > 0]
    return labels.unit_of(max(known)) if known else (1.0, "s")


def plain_log(axis):
    """Decimal labels at 1, 2, 5 or at powers of ten, as many as fit.  If these
    are fewer than two, the labels have even steps.  There are no minor ticks:
    they cost more time than everything else in a figure."""
    low, high = axis.get_view_interval()
    near = high / max(low, 1e-300) < 200
    powers = range(math.floor(math.log10(max(low, 1e-300))),
                   math.ceil(math.log10(max(high, 1e-300))) + 1)
    every = 1 if len(powers) < 8 else 3
    ticks = [m * 10.0 ** p for p in powers
             for m in ((1, 2, 5) if near else (1,))
             if low <= m * 10.0 ** p <= high and p % every == 0]
    if len(ticks) < 2:
        ticks = [t for t in MaxNLocator(4).tick_values(low, high)
                 if low <= t <= high]
    axis.set_ticks(ticks, [f"{t:g}" for t in ticks])
    axis.set_ticks([], minor=True)


def panels(part, column, by, line, best):
    """A panel for each value of the column `by`, a line for each of `line`, in
    the order of the rows; `best` are ideal values by workers."""
    shown = list(part[by].unique())[:MOST_PANELS]
    part = part[part[by].isin(shown)]
    lines = Lines(list(part[line].unique()))
    figure, axes = grid(shown, 2.5, sharey=True)
    factor, unit = time_factor(part[column]) \
        if column.endswith("_s") else (1.0, "")
    for ax, name in zip(axes, shown):
        here = part[part[by] == name]
        for series in lines.at:
            points = here[here[line] == series].sort_values("workers")
            if len(points):
                with_interval(ax, points, "workers", column, factor,
                              label=series, **lines.of(series))
        finish(ax, column, unit, factor, part)
        if best:
            ideal(ax, best)
        count_axis(ax, sorted(here["workers"].unique()))
    legend(figure, axes)
    return figure


def finish(ax, column, unit, factor, part):
    ax.set_xlabel("workers")
    ax.set_ylabel({"time_s": f"time, {unit}", "overhead_mean_s":
                   f"overhead, {unit}"}.get(column, "speedup"))
    if column != "overhead_mean_s":
        ax.set_yscale("log", base=2)
    limit(ax, part, column, factor)
    if column != "overhead_mean_s":
        plain_log(ax.yaxis)


def ideal(ax, best):
    ax.plot(list(best), list(best.values()), color=FAINT, linewidth=3,
            zorder=1, label="ideal")
    ax.set_ylim(top=max(ax.get_ylim()[1], *best.values()))
    plain_log(ax.yaxis)


def cut_words(count, most, what):
    """A caption's note on series that are not drawn."""
    return f" Shown: {most} of {count} {what}." if count > most else ""


def file_name(*words):
    text = "-".join(str(w) for w in words if w)
    kept = "".join(c if c.isalnum() else "-" for c in text)
    while "--" in kept:
        kept = kept.replace("--", "-")
    return kept.strip("-").lower()[:80]
