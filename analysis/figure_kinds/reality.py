"""Simulation against reality, for cells that ran both ways."""
from .. import bothways, labels
from . import style


def draw(results, frame):
    both = bothways.matched(results, frame) \
        if frame["simulated"].nunique() > 1 else frame[:0]
    if both.empty:
        return
    error = both["error"].abs()
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
