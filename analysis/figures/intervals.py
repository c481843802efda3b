"""Time against the sync interval, with the predicted and the actual optimum
(Andronikos et al., figures 6 to 8)."""
import numpy as np

import labels
import predicted
from figures import style

MOST_PANELS = 12


def draw(results, frame):
    frame = frame[frame["interval"].notna()]
    for (kernel, simulated), part in frame.groupby(["kernel", "simulated"],
                                                   sort=False):
        groups = [(key, g) for key, g in part.groupby(
            ["setup", "workers"], sort=False) if g["interval"].nunique() > 2]
        if not groups:
            continue
        short = part["loop"].iloc[0]
        yield style.Drawing(
            style.file_name("intervals", short, simulated and "simulated"),
            "Sync interval", f"Time against the sync interval: {short}"
            + (" (simulated)" if simulated else ""),
            caption(groups), panels(groups[:MOST_PANELS]))


def caption(groups):
    words = ("Median time with its 95 % confidence interval; a ring marks the "
             "actual optimum of each scheme")
    if any(predicted.interval(g) for _, g in groups):
        words += ", the broken line the optimum that the model predicts"
    if any(predicted.times(g) is not None for _, g in groups):
        words += ", the grey curve its predicted time"
    lost = [text for key, g in groups for text in losses(key, g)]
    return words + "." + (" " + " ".join(lost) if lost else "")


def losses(key, group):
    """How far the predicted optimum is from the actual one."""
    h = predicted.interval(group)
    if h is None:
        return
    best = group.loc[group["time_s"].idxmin()]
    same = group[group["scheme"] == best["scheme"]]
    near = same.loc[(np.log(same["interval"]) - np.log(h)).abs().idxmin()]
    yield (f"{key[0]}, {labels.count(int(key[1]), 'worker')}: predicted "
           f"{h:g}, best measured {best['interval']:g}; at the measured "
           f"interval nearest to the prediction ({near['interval']:g}) "
           f"{labels.percent(near['time_s'] / best['time_s'] - 1)} are lost.")


def panels(groups):
    schemes = sorted({s for _, g in groups for s in g["scheme"]},
                     key=lambda s: labels.position(s, labels.SCHEMES))
    lines = style.Lines(schemes)
    figure, axes = style.grid(len(groups), 2.6)
    for ax, ((setup, workers), group) in zip(axes, groups):
        factor, unit = style.time_factor(group["time_s"])
        for scheme in schemes:
            points = group[group["scheme"] == scheme].sort_values("interval")
            if len(points):
                curve(ax, points, factor, lines.of(scheme), scheme)
        mark_predicted(ax, group, factor)
        ax.set_title(f"{setup}, {labels.count(int(workers), 'worker')}")
        ax.set_xscale("log")
        ax.set_yscale("log")
        style.limit(ax, group, "time_s", factor)
        style.plain_log(ax.xaxis)
        style.plain_log(ax.yaxis)
        ax.set_xlabel("sync interval")
        ax.set_ylabel(f"time, {unit}")
    style.legend(figure, axes)
    return figure


def curve(ax, points, factor, line, name):
    style.with_interval(ax, points, "interval", "time_s", factor, label=name,
                        **line)
    best = points.loc[points["time_s"].idxmin()]
    ax.plot([best["interval"]], [best["time_s"] * factor], "o", markersize=10,
            fillstyle="none", color=style.INK, linestyle="",
            label="actual optimum")


def mark_predicted(ax, group, factor):
    h = predicted.interval(group)
    if h is not None:
        ax.axvline(h, color=style.INK, linestyle=(0, (4, 2)), linewidth=1.2,
                   label="predicted optimum")
    curve_of = predicted.times(group)
    if curve_of is not None:
        ax.plot(curve_of["interval"], curve_of["time_s"] * factor,
                color=style.INK, linewidth=0.8, alpha=0.6,
                label="predicted time")
