"""The cost of scheme auto: the time of each cell that chooses over that of the
fastest fixed cell which differs from it only in what is chosen."""
import numpy as np

from . import grid, labels, records, stats

CHOICES = ["scheme", "hierarchy", "sync_interval"]
CHOSEN = ["chosen_scheme", "chosen_hierarchy", "chosen_interval"]
# Columns of pairs() that need a fixed cell.
COMPARED = ["best_s", "regret", "regret_low", "regret_high",
            "regret_with_trials"]
# The aims for regret.
AIMS = {"simulation": 0.05, "trial": 0.03}
# Columns of auto.csv.
COLUMNS = ["cell", "kernel", "transport", "master", "load", "by", "candidate",
           "scheme", "hierarchy", "ranks", "threads", "sync_interval",
           "predicted_s", "tried", "tried_median_s", "chosen", "measured_s",
           "auto_s", "best_s", "regret", "regret_low", "regret_high",
           "regret_with_trials"]
# Columns that also follow from a choice, or list the candidates.
ALSO = {"cell", "sync_choice"}


def by_trial(scheme):
    return ":by=trial" in str(scheme)


def is_auto(frame):
    return frame["scheme"].map(is_auto_name).astype(bool)


def is_auto_name(scheme):
    return str(scheme).split(":")[0] == "auto"


def times(runs, end, trial):
    """A cell's repetitions with the scheme that it finally chose (a line of
    results.ended).  `trial`: only from the last begin of trials on."""
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
    """Rows of the cells of scheme auto (frame of cells.summarize) with the
    columns of CHOSEN, auto_s, best (words; None: no fixed cell of their
    problem), best_s, regret, regret_low, regret_high (NaN where one of both
    has fewer than 6 repetitions) and, by trial, regret_with_trials."""
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
        trial = by_trial(row["scheme"])
        own, end = runs[row["cell"], row["simulated"]], ends.loc[row["cell"]]
        took = times(own, end, trial)
        if len(took) == 0:
            continue
        row = row.copy()
        for name in CHOSEN:
            row[name] = end[name]
        row["auto_s"] = np.median(took)
        best = best_of(frame[~auto], same, row)
        compare(row, best, took, own, None if best is None else
                runs[best["cell"], best["simulated"]]["time_s"], trial)
        found.append(row)
    return frame.iloc[:0] if not found else type(frame)(found)


def compare(row, best, took, own, theirs, trial):
    """Sets what a row has of the best fixed cell."""
    for name in COMPARED:
        row[name] = np.nan
    row["best"] = None
    if best is None:
        return
    row["best"] = choice_words(*best[CHOICES])
    row["best_s"] = best["time_s"]
    row["regret"] = row["auto_s"] / row["best_s"] - 1
    row["regret_low"], row["regret_high"] = interval(took, theirs)
    if trial:
        row["regret_with_trials"] = own["time_s"].mean() / theirs.mean() - 1


def candidates(results):
    """cell -> lines of what it chose from, of the last launch that chose:
    launches are named by their time."""
    found = {}
    for line in results.candidates:
        found.setdefault(line.get("cell"), {}).setdefault(
            str(line.get("launch")), []).append(line)
    return {cell: by[max(by)] for cell, by in found.items()}


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


def way(row):
    return "trial" if by_trial(row["scheme"]) else "simulation"


def whole(found):
    """One line for each way to choose, over all its cells."""
    for by, aim in AIMS.items():
        part = found[[way(r) == by for r in records.of(found)]]
        part = part[np.isfinite(part["regret"].astype(float))]
        if part.empty:
            continue
        all_of = part["regret"].astype(float)
        yield (f"by {by}: {signed(all_of.median())} in the median and "
               f"{signed(all_of.mean())} in the mean of {len(part)} cells, "
               f"{signed(all_of.max())} at most; {(all_of <= aim).sum()} are "
               f"within the {100 * aim:.0f} % aimed at, "
               f"{(part['regret_low'].astype(float) > aim).sum()} above it "
               "with all of their interval")


def tables(results, frame):
    """A grid for each loop; the last has what holds over all of them."""
    found = pairs(results, frame)
    if found.empty:
        return
    lines = candidates(results)
    grids = [of_loop(loop, part, lines)
             for loop, part in found.groupby("loop", sort=False)]
    grids[-1].caption = "; ".join([grids[-1].caption, *whole(found)])
    yield from grids


def predicted_s(line):
    value = line.get("predicted_s")
    return np.nan if value is None else value


def of_loop(loop, part, lines):
    rows = []
    for r in records.of(part):
        choices = lines.get(r["cell"], [])
        chosen = next((c for c in choices if c.get("chosen")), {})
        rows.append([
            r["label"], way(r), choice_words(*(r[n] for n in CHOSEN)),
            r["best"] or "-", str(len(choices) or "-"),
            labels.seconds(predicted_s(chosen)), labels.seconds(r["auto_s"]),
            labels.seconds(r["best_s"], r["auto_s"]), signed(r["regret"]),
            range_words(r), signed(r["regret_with_trials"])])
    return grid.Grid(
        f"Regret of automatic selection: {loop}",
        ["setup", "by", "chosen", "best fixed", "candidates", "predicted",
         "time", "best", "regret", "95 %", "with trials"], rows,
        "its time over that of the fastest fixed choice, less 1", left=4)


def lines(results, frame):
    """Rows of auto.csv: the candidates of all cells of scheme auto."""
    of, measured = candidates(results), dict(zip(frame["cell"],
                                                 frame["time_s"]))
    rows = []
    for row in pairs(results, frame).to_dict("records"):
        for line in of.get(row["cell"], []):
            chosen = bool(line.get("chosen"))
            found = {**row, **{n: line.get(n) for n in (
                "by", "candidate", *CHOICES)}}
            found.update(
                predicted_s=predicted_s(line), tried=line.get("repetitions"),
                tried_median_s=line.get("median_s"), chosen=chosen,
                measured_s=measured.get(line.get("candidate")))
            if not chosen:
                found.update({n: None for n in ("auto_s", *COMPARED[1:])})
            rows.append([found[name] for name in COLUMNS])
    return rows
