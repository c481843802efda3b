"""Simulation against reality, for cells that ran both ways."""
import labels
from figures import style

SAME = ["kernel", "scheme", "hierarchy", "transport", "master", "collect",
        "prefetch", "workers", "sync_interval", "min_chunk"]


def matched(frame):
    """Cells that exist natively and simulated, with both times; a simulated
    worker is a rank, so that ranks and threads need not be the same."""
    keys = [n for n in SAME if n in frame]
    text = frame[keys].astype(str).agg("|".join, axis=1)
    best = frame.assign(key=text).sort_values("time_s")
    sides = [best[best["simulated"] == s].drop_duplicates("key")
             for s in (False, True)]
    return sides[0].merge(sides[1][["key", "time_s"]], on="key",
                          suffixes=("", "_simulated"))


def draw(results, frame):
    both = matched(frame)
    if both.empty:
        return
    error = (both["time_s_simulated"] / both["time_s"] - 1).abs()
    figure, ax = style.single(3.8, 5.2)
    factor, unit = style.time_factor(both["time_s"])
    style.parity(ax, [(part["loop"].iloc[0], part["time_s"] * factor,
                       part["time_s_simulated"] * factor)
                      for _, part in both.groupby("kernel", sort=False)],
                 f"measured, {unit}", f"simulated, {unit}")
    style.legend(figure, [ax])
    yield style.Drawing(
        "simulation-and-reality", "Simulation against reality",
        "Simulation against reality",
        f"{labels.count(len(both), 'cell')} ran both ways; the simulated time "
        f"is off by {labels.percent(error.median())} in the median, "
        f"{labels.percent(error.max())} at most.", figure)
