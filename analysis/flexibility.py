"""What schemes stand: the time of each perturbed cell over that of the cell
which differs from it only in that nothing goes wrong."""
import grid
import labels

NONE = "none"


def pairs(results, frame):
    """Rows of the perturbed cells (frame of cells.summarize) that have such a
    cell, with without_s, its time, and flexibility."""
    if "perturb" not in frame or (frame["perturb"] == NONE).all():
        return frame.iloc[:0]
    same = ["simulated", *(n for n in results.cells
                           if n in frame and n not in ("perturb", "cell"))]
    key = frame[same].astype(str).agg("|".join, axis=1)
    usual = frame["perturb"] == NONE
    without = dict(zip(key[usual], frame.loc[usual, "time_s"]))
    known = ~usual & key.isin(without)
    found = frame[known].copy()
    found["without_s"] = key[known].map(without)
    found["flexibility"] = found["time_s"] / found["without_s"]
    return found


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
                 labels.number(float(r["flexibility"]), 3)]
                for r in part.sort_values(["setup", "perturb"],
                                          kind="stable").to_dict("records")]
        yield grid.Grid(
            f"Flexibility: {loop}" + " (simulated)" * bool(simulated),
            ["setup", "perturbation", "scheme", "workers", "without", "with",
             "flexibility"], rows,
            "time under perturbation over time without", left=3)
