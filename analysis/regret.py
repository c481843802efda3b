"""What scheme auto costs: the time of each cell that chooses over that of the
fastest fixed cell which differs from it only in what is chosen."""
import numpy as np

import grid
import labels
import stats

CHOICES = ["scheme", "hierarchy", "sync_interval"]
CHOSEN = ["chosen_scheme", "chosen_hierarchy", "chosen_interval"]
# What also follows from a choice, or says what there is to choose from.
ALSO = {"cell", "sync_choice"}


def by_trial(scheme):
    return ":by=trial" in str(scheme)


def is_auto(frame):
    return frame["scheme"].astype(str).str.split(":").str[0] == "auto"


def times(runs, end, trial):
    """Of a cell's repetitions those that ran what it ended with (a line of
    results.ended); by trial, since trials began last."""
    if trial and "trial" in runs:
        tries = runs["trial"].eq(True).to_numpy()
        begins = np.flatnonzero(tries & ~np.concatenate([[False], tries[:-1]]))
        runs = runs.iloc[begins[-1] if len(begins) else 0:]
    same = np.ones(len(runs), dtype=bool)
    for name in CHOSEN:
        if name in runs and name in end:
            same &= (runs[name].astype(object) == end[name]).to_numpy()
    return runs["time_s"].to_numpy(dtype=float)[same]


def interval(own, best):
    if min(len(own), len(best)) < stats.CI_LEAST:
        return np.nan, np.nan
    _, low, high = stats.ratio_ci(best, own)
    return low - 1, high - 1


def best_of(fixed, same, row):
    """The fastest fixed cell of the row's problem, or None."""
    alike = fixed[(fixed[same].astype(str)
                   == row[same].astype(str)).all(axis=1)]
    return None if alike.empty else alike.loc[alike["time_s"].idxmin()]


def pairs(results, frame):
    """Rows of the cells of scheme auto (frame of cells.summarize) that have a
    fixed cell of their problem: with the columns of CHOSEN, auto_s, best
    (words), best_s, regret, regret_low, regret_high (NaN where one of both has
    fewer than 6 repetitions) and, by trial, regret_with_trials."""
    auto = is_auto(frame)
    if CHOSEN[0] not in results.runs or not auto.any():
        return frame.iloc[:0]
    same = ["simulated", "unranked", *(
        n for n in results.cells
        if n in frame and n not in CHOICES and n not in ALSO)]
    ends = results.ended[results.ended["status"] == "ok"] \
        .drop_duplicates("cell", keep="last").set_index("cell")
    runs = dict(list(results.runs.groupby(["cell", "simulated"],
                                          observed=True, sort=False)))
    found = []
    for _, row in frame[auto].iterrows():
        best = best_of(frame[~auto], same, row)
        if best is None:
            continue
        trial = by_trial(row["scheme"])
        own, end = runs[row["cell"], row["simulated"]], ends.loc[row["cell"]]
        took = times(own, end, trial)
        theirs = runs[best["cell"], best["simulated"]]["time_s"]
        if len(took) == 0:
            continue
        row = row.copy()
        for name in CHOSEN:
            row[name] = end[name]
        row["auto_s"] = np.median(took)
        row["best"] = choice_words(*best[CHOICES])
        row["best_s"] = best["time_s"]
        row["regret"] = row["auto_s"] / row["best_s"] - 1
        row["regret_low"], row["regret_high"] = interval(took, theirs)
        row["regret_with_trials"] = own["time_s"].mean() / theirs.mean() - 1 \
            if trial else np.nan
        found.append(row)
    return frame.iloc[:0] if not found else type(frame)(found)


def choice_words(scheme, hierarchy, h):
    words = str(scheme)
    if hierarchy is not None and str(hierarchy) != "flat":
        words += ", " + labels.hierarchy_words(hierarchy)
    return words + (f", h {float(h):g}" if h == h and h else "")


def signed(value):
    return f"{100 * value:+.1f} %" if np.isfinite(value) else "-"


def range_words(row):
    low, high = row["regret_low"], row["regret_high"]
    return f"{100 * low:+.1f} to {100 * high:+.1f}" \
        if np.isfinite(low) and np.isfinite(high) else "-"


def tables(results, frame):
    """A grid for each loop."""
    found = pairs(results, frame)
    if found.empty:
        return
    for loop, part in found.groupby("loop", sort=False):
        rows = [[r["label"], "trial" if by_trial(r["scheme"])
                 else "simulation", choice_words(*(r[n] for n in CHOSEN)),
                 r["best"], labels.seconds(r["auto_s"]),
                 labels.seconds(r["best_s"], r["auto_s"]),
                 signed(r["regret"]), range_words(r),
                 signed(r["regret_with_trials"])]
                for r in part.to_dict("records")]
        yield grid.Grid(
            f"Regret of automatic selection: {loop}",
            ["setup", "by", "chosen", "best fixed", "time", "best", "regret",
             "95 %", "with trials"], rows,
            "its time over that of the fastest fixed choice, less 1", left=4)
