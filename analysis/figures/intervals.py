"""Time against the sync interval, with the predicted and the fastest interval
(Andronikos et al., figures 6 to 8)."""
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
             "shortest median of each scheme, which need not be told from its "
             "neighbours")
    found = [(key, pair) for key, g in groups for pair in predicted.optima(g)]
    if found:
        words += (", a broken line the optimum that the model predicts, a "
                  "diamond on it the time it predicts there")
    return words + "." + "".join(loss(*key, *pair) for key, pair in found)


def loss(setup, workers, ours, best):
    """How far the predicted interval is from the fastest one."""
    return (f" {ours['scheme']} over {setup}, "
            f"{labels.count(int(workers), 'worker')}: predicted "
            f"{ours['interval']:g}, fastest {best['interval']:g}, "
            f"{labels.percent(ours['time_s'] / best['time_s'] - 1)} lost.")


def panels(groups):
    schemes = sorted({s for _, g in groups for s in g["scheme"]},
                     key=lambda s: labels.position(s, labels.SCHEMES))
    lines = style.Lines(schemes)
    figure, axes = style.grid(
        [f"{setup}, {labels.count(int(workers), 'worker')}"
         for (setup, workers), _ in groups])
    for ax, (_, group) in zip(axes, groups):
        factor, unit = style.time_factor(group["time_s"])
        for scheme in schemes:
            points = group[group["scheme"] == scheme].sort_values("interval")
            if len(points):
                curve(ax, points, factor, lines.of(scheme), scheme)
        ax.set_xscale("log")
        ax.set_yscale("log")
        style.limit(ax, group, "time_s", factor)
        mark_predicted(ax, group, factor, lines)
        style.plain_log(ax.xaxis)
        style.plain_log(ax.yaxis)
        ax.set_xlabel("sync interval")
        ax.set_ylabel(f"time, {unit}")
    style.legend(figure, axes)
    return figure


def curve(ax, points, factor, line, name):
    style.with_interval(ax, points, "interval", "time_s", factor, label=name,
                        **line)
    best = points[points["time_s"] == points["time_s"].min()]
    if len(best) > 1:
        return
    best = best.iloc[0]
    ax.plot([best["interval"]], [best["time_s"] * factor], "o", markersize=10,
            fillstyle="none", color=style.INK, linestyle="",
            label="shortest median, simulated" if points["simulated"].all()
            else "shortest median, measured")


def mark_predicted(ax, group, factor, lines):
    for ours, _ in predicted.optima(group):
        colour = lines.of(ours["scheme"])["color"]
        ax.axvline(ours["interval"], color=colour, linestyle=(0, (4, 2)),
                   linewidth=1.2, label="predicted optimum")
        if labels.known(ours.get("predicted_s")):
            low, high = ax.get_ylim()
            at = ours["predicted_s"] * factor
            ax.set_ylim(min(low, at / 1.2), max(high, at * 1.2))
            ax.plot([ours["interval"]], [at], "D",
                    markersize=6, fillstyle="none", color=colour,
                    linestyle="", label="predicted time")
