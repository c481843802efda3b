"""Time of every scheme, one panel for each transport and hierarchy."""
from .. import cells, labels, ranking, records, stats
from . import look, style
from .rows import Rows

MOST_PANELS, MOST_SCHEMES = 12, 40
HIGH_LEAST = 0.01   # of a bound, above a measured time


def draw(results, frame):
    samples = cells.by_cell(results.runs)
    # The choices of --try are compared by rounds, in panels of their own.
    frame = frame[~frame["kernel"].isin([t["name"] for t in results.tried])]
    for (kernel, simulated), part in frame.groupby(["kernel", "simulated"],
                                                   sort=False):
        part = part[part["workers"] == part["workers"].max()]
        part = cells.fastest(part, ["setup", "layout", "scheme"])
        if part["scheme"].nunique() < 2:
            continue
        short = part["loop"].iloc[0]
        workers = labels.count(int(part["workers"].iloc[0]), "worker")
        words = f"{short}, {workers}" + labels.unreal(part)
        figure, draws = panels(part, samples)
        yield style.Drawing(
            style.file_name("schemes", short, simulated and "simulated"),
            "Schemes", f"Time of each scheme: {words}",
            caption(part, draws), figure)


def caption(part, draws):
    words = interval_words(part["n"]) + "; the axis does not begin at 0" * (
        not look.CURRENT.get().begins)
    if part["bound_s"].notna().any():
        words += "; the bar | is the bound: " + bound_words(part)
        high = (part["bound_s"] / part["time_s"]).max() - 1
        if high >= HIGH_LEAST:
            words += ("; a time below its bound says that the machine was "
                      "slower when that cost was measured: bounds are up to "
                      f"{labels.percent(high, 0)} too high")
    if (part["time_s_high"] > axis_ends(part)[1]).any():
        words += "; an interval with an arrowhead goes on beyond the axis"
    if part["interval"].notna().any():
        words += "; each scheme at its best sync interval"
    if draws:
        words += "; a panel without a ring has several that cannot be told " \
            "from its fastest"
    return words + "." + style.cut_words(
        part["label"].nunique(), MOST_PANELS, "setups") + style.cut_words(
        part["scheme"].nunique(), MOST_SCHEMES, "schemes")


def interval_words(counts):
    """What is drawn: of few runs the line is their range."""
    few = counts < stats.CI_LEAST
    if not few.any():
        return "Median and its 95 % confidence interval"
    if (counts == 1).all():
        return "One run each, so there is no confidence interval"
    return "Median and the range of the runs, too few for a confidence " \
        "interval" if few.all() else "Median and its 95 % confidence " \
        f"interval, or the range of fewer than {stats.CI_LEAST} runs"


def bound_words(part):
    """What bound_s is for these cells (results/README.md)."""
    steals = part["transport"] == "steal"
    cost = "simulated" if part["simulated"].all() else "measured"
    listed = (f"the least time that these chunks allow, by the {cost} cost of "
              "each iteration")
    shared = (f"an equal part of the loop's {cost} cost, or the largest "
              "chunk where that is more")
    if steals.all():
        return shared
    if not steals.any():
        return listed
    return f"{listed}; under steal, where chunks have no order, {shared}"


def panels(part, samples):
    rows = Rows(part, "label", MOST_PANELS, MOST_SCHEMES)
    part = part[[s in rows.of.get(label, ())
                 for s, label in zip(part["scheme"], part["label"])]]
    factor, unit = style.time_factor(part["time_s"])
    figure, axes = rows.grid(0.19)
    begin, end = (x * factor for x in axis_ends(part))
    draws = 0
    for ax, setup in zip(axes, rows.setups):
        y = {scheme: i for i, scheme in enumerate(rows.of[setup])}
        here = part[part["label"] == setup]
        panel(ax, here, y, factor, end)
        best = ranking.winner(records.of(here), samples)
        draws += best is None
        if best is not None and len(here) > 1:
            ring(ax, best, y, factor)
        ax.set_xlabel(f"time, {unit}")
        ax.set_xlim(begin, end)
    style.legend(figure, axes)
    return figure, draws


def axis_ends(part):
    """From the least bound or time on, so that differences are seen.
    Intervals far longer than all times do not squeeze the others: they leave
    the axis, with a mark."""
    times = part[["time_s", "bound_s"]]
    least, most = times.min().min(), times.max().max()
    end = max(min(part["time_s_high"].max(), 1.6 * most), most)
    room = 0.04 * max(end - least, 0.1 * end)
    return max(least - room, 0), end + room


def panel(ax, here, y, factor, end):
    at = [y[s] for s in here["scheme"]]
    bars = [(here["time_s"] - here["time_s_low"]) * factor,
            (here["time_s_high"] - here["time_s"]) * factor]
    ax.errorbar(here["time_s"] * factor, at, xerr=bars, fmt="o", capsize=2,
                markersize=4.5, color=style.COLOURS[0], elinewidth=1,
                label="simulated" if here["simulated"].all() else "measured")
    outside = [y[r["scheme"]] for r in records.of(here)
               if r["time_s_high"] * factor > end]
    if outside:
        ax.plot([end] * len(outside), outside, ">", markersize=5,
                color=style.COLOURS[0], clip_on=False)[0].set_in_layout(False)
    if here["bound_s"].notna().any():
        ax.plot(here["bound_s"] * factor, at, "|", markersize=9,
                markeredgewidth=1.6, color=style.COLOURS[1], label="bound")


def ring(ax, best, y, factor):
    ax.plot([best["time_s"] * factor], [y[best["scheme"]]], "o",
            markersize=9, fillstyle="none", color=style.INK,
            label="fastest of its panel")
