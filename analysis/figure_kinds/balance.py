"""How each worker spent its time, for each scheme."""
import numpy as np

from .. import cells, labels, records
from . import style
from .gantt import stack
from .rows import Rows

MOST_PANELS, MOST_SCHEMES, MOST_BARS = 9, 20, 96
TIMES = ["compute_s", "sync_s", "serve_s", "wait_s", "finish_s"]


def draw(results, frame):
    workers = results.workers
    if workers.empty or "compute_s" not in workers:
        return
    # Cells simulated with more than 1,024 workers have none.
    frame = frame[frame["cell"].isin(set(workers["cell"]))]
    for (kernel, simulated), part in frame.groupby(["kernel", "simulated"],
                                                   sort=False):
        part = part[part["workers"] == part["workers"].max()]
        part = cells.fastest(part, ["setup", "scheme"])
        part = part[part["workers"] > 1]
        if part.empty:
            continue
        short = part["loop"].iloc[0]
        count = labels.count(int(part["workers"].iloc[0]), "worker")
        medians = per_worker(workers, part)
        few = part["workers"].max() * part["scheme"].nunique() <= MOST_BARS
        yield style.Drawing(
            style.file_name("balance", short, simulated and "simulated"),
            "Load balance", f"Load balance: {short}, {count}"
            + labels.unreal(part),
            ("One bar for each worker, medians over the repetitions, as "
             "shares of the loop's time."
             if few else "Computing time of the workers in ascending order, "
             "as shares of the loop's time: a flat line is a balanced load.")
            + style.cut_words(part["setup"].nunique(), MOST_PANELS, "setups")
            + style.cut_words(part["scheme"].nunique(), MOST_SCHEMES,
                              "schemes"),
            (bars if few else profiles)(part, medians))


def per_worker(workers, part):
    """(cell, worker) -> medians of the times."""
    own = workers[workers["cell"].isin(part["cell"])]
    names = [n for n in TIMES if n in own]
    return own.groupby(["cell", "worker"], observed=True)[names].median()


def bars(part, medians):
    rows = Rows(part, "setup", MOST_PANELS, MOST_SCHEMES)
    count = int(part["workers"].max())
    pitch = 0.16 * max(count, 2) * (0.75 if count > 4 else 1)
    most = max(map(len, rows.of.values()))
    figure, axes = rows.grid(min(pitch, 11 / most), 0.9)
    for ax, setup in zip(axes, rows.setups):
        style.activities(ax, quads(part[part["setup"] == setup], medians,
                                   rows.of[setup]))
        ax.set_xlim(0, 100)
        ax.set_xlabel("share of the loop's time, %")
        ax.grid(False, axis="y")
    style.legend(figure, axes)
    return figure


def quads(part, medians, schemes):
    """activity -> rectangles: a bar for each worker of each scheme."""
    found = {}
    for cell in records.of(part):
        if cell["scheme"] not in schemes or cell["cell"] not in medians.index:
            continue
        at = schemes.index(cell["scheme"]) - 0.42
        rows = medians.loc[cell["cell"]].to_dict("records")
        height = 0.84 / len(rows)
        for i, row in enumerate(rows):
            top = at + (i + 0.07) * height
            stack(found, row, cell["time_s"], 100 / cell["time_s"], top,
                  top + 0.86 * height)
    return found


def profiles(part, medians):
    setups = list(part["setup"].unique())[:MOST_PANELS]
    schemes = sorted(part["scheme"].unique(), key=lambda s: labels.position(
        s, labels.SCHEMES))[:MOST_SCHEMES]
    lines = style.Lines(schemes)
    figure, axes = style.grid(setups, sharex=True, sharey=True)
    for ax, setup in zip(axes, setups):
        for cell in records.of(part[part["setup"] == setup]):
            if cell["scheme"] not in lines.at or \
                    cell["cell"] not in medians.index:
                continue
            share = np.sort(medians.loc[cell["cell"]]["compute_s"]
                            / cell["time_s"] * 100)
            ax.plot(np.linspace(0, 100, len(share)), share, markersize=4,
                    linewidth=1.2, markevery=max(1, len(share) // 8),
                    label=cell["scheme"], **lines.of(cell["scheme"]))
        ax.set_ylim(0, 102)
        ax.set_xlabel("workers in ascending order, %")
        ax.set_ylabel("computing, % of the time")
    style.legend(figure, axes)
    return figure
