"""What schemes stand: the time of each perturbed cell over that of the cell
which differs from it only in that nothing goes wrong."""
import numpy as np

import grid
import labels
import stats

NONE = "none"
COLUMNS = ["without_s", "flexibility", "flexibility_low", "flexibility_high"]


def pairs(results, frame):
    """Rows of the perturbed cells (frame of cells.summarize) that have such a
    cell, with without_s, its time, and flexibility with flexibility_low and
    _high, its 95 % confidence interval (NaN below six repetitions)."""
    if "perturb" not in frame or (frame["perturb"] == NONE).all():
        return frame.iloc[:0]
    same = ["simulated", *(n for n in results.cells
                           if n in frame and n not in ("perturb", "cell"))]
    key = frame[same].astype(str).agg("|".join, axis=1)
    usual = frame["perturb"] == NONE
    without = dict(zip(key[usual], medians(frame[usual])))
    known = ~usual & key.isin(without)
    found = frame[known].copy()
    pairs_of = [(without[k], with_) for k, with_ in zip(key[known],
                                                        medians(found))]
    ratios = np.array([stats.ratio_of(*pair) for pair in pairs_of])
    found["without_s"] = [usual[0] for usual, _ in pairs_of]
    for i, name in enumerate(COLUMNS[1:]):
        found[name] = ratios.reshape(-1, 3)[:, i]
    return found


def medians(frame):
    """(median, low, high) of each cell's time; few have no interval."""
    few = frame["n"] < stats.CI_LEAST
    ends = [frame["time_s" + end].mask(few) for end in ("_low", "_high")]
    return list(zip(frame["time_s"], *ends))


def words(row):
    """The ratio with its interval."""
    text = labels.number(float(row["flexibility"]), 3)
    if not np.isfinite(row["flexibility_low"]):
        return text
    low, high = (labels.number(float(row["flexibility" + end]), 3)
                 for end in ("_low", "_high"))
    return f"{text} [{low}, {high}]"


def setup(row):
    """The way to run without the perturbation, which has its own column."""
    return row["setup"].replace(f", perturb {row['perturb']}", "")


def tables(results, frame, time_words):
    """A grid for each loop; time_words(row) says a time with its interval."""
    found = pairs(results, frame)
    for (loop, simulated), part in found.groupby(["loop", "simulated"],
                                                 sort=False):
        rows = [[setup(r), r["perturb"], r["scheme"], f"{r['workers']:g}",
                 labels.seconds(r["without_s"]), time_words(r),
                 words(r)]
                for r in part.sort_values(["setup", "perturb"],
                                          kind="stable").to_dict("records")]
        yield grid.Grid(
            f"Flexibility: {loop}" + " (simulated)" * bool(simulated),
            ["setup", "perturbation", "scheme", "workers", "without", "with",
             "flexibility"], rows,
            "time under perturbation over time without; brackets hold its "
            "95 % confidence interval", left=3)
