"""The activity of the cores under the fastest and the slowest choice of a
loop: a bar for each worker over the loop's time."""
from .. import labels, ranking
from . import style
from .balance import per_worker
from .gantt import stack

SECTION = "Fastest and slowest"
MOST_WORKERS = 16
ROW = 0.22      # inches for a worker


def draw(results, frame):
    workers = results.workers
    if workers.empty or "compute_s" not in workers:
        return
    for rows in ranking.largest(ranking.problems(frame)):
        pair = ends(rows, set(workers["cell"]))
        if pair:
            name = rows[0]["loop"] + ranking.condition_words(rows[0])
            yield style.Drawing(
                style.file_name("extremes", name,
                                rows[0]["simulated"] and "simulated"),
                SECTION, "What each core did: " + name, caption(pair),
                panels(pair, per_worker(workers, frame[frame["cell"].isin(
                    [row["cell"] for row in pair])])))


def ends(rows, known):
    """The rows of the least and the longest time; none where they do not
    differ or nobody knows what their workers did."""
    rows = sorted((r for r in rows if r["cell"] in known and not r["refused"]),
                  key=lambda r: r["time_s"])
    if len(rows) < 2 or rows[0]["workers"] < 2 or rows[-1]["time_s"] < \
            (1 + ranking.SLOWER_LEAST) * rows[0]["time_s"]:
        return None
    return rows[0], rows[-1]


def caption(pair):
    count = int(pair[0]["workers"])
    return ("Above the choice with the least time, below the one with the "
            "longest. Each bar is a worker. It sums the medians of its "
            "parts, so it can end later than the median time."
            + style.cut_words(count, MOST_WORKERS, "workers"))


def panels(pair, medians):
    most = min(int(pair[0]["workers"]), MOST_WORKERS)
    factor, unit = style.time_factor([pair[1]["time_s"]])
    figure, axes = style.grid(
        [f"{ranking.choice(row)}: {labels.seconds(row['time_s'])}"
         for row in pair], 0.5 + ROW * most, 1, sharex=True)
    for ax, row in zip(axes, pair):
        boxes, every = {}, medians.loc[row["cell"]].to_dict("index")
        own = sorted(every)[:most]
        for at, worker in enumerate(own):
            stack(boxes, every[worker], row["time_s"], factor, at - 0.4,
                  at + 0.4)
        style.activities(ax, boxes)
        ax.set_yticks(range(len(own)), [f"worker {w:.0f}" for w in own])
        ax.set_ylim(most - 0.4, -0.6)
        ax.grid(False)
    axes[0].set_xlim(0, pair[1]["time_s"] * factor * 1.01)
    axes[1].set_xlabel(f"time, {unit}")
    style.legend(figure, axes)
    return figure
