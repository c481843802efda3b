"""The flexibility of schemes: the time of each perturbed cell over that of the
same cell without perturbations."""
import numpy as np

from . import cells, grid, labels, stats

NONE = "none"
UNKNOWN = (np.nan,) * 3
COLUMNS = ["without_s", "flexibility", "flexibility_low", "flexibility_high"]


def is_perturbed(frame):
    """Which lines say so; one without the field says nothing."""
    return frame["perturb"].notna() & (frame["perturb"] != NONE)


def pairs(results, frame):
    """Rows of the perturbed cells (frame of cells.summarize), with three
    columns more.  without_s is the time of the same cell without perturbation.
    flexibility has its 95 % confidence interval in flexibility_low and _high.
    They are NaN below six repetitions, or without such a cell."""
    if "perturb" not in frame or (frame["perturb"] == NONE).all():
        return frame.iloc[:0]
    same = ["simulated", *(n for n in results.cells
                           if n in frame and n not in ("perturb", "cell"))]
    key = cells.same_in(frame, same)
    usual = frame["perturb"] == NONE
    held = is_perturbed(frame)
    without = dict(zip(key[usual], medians(frame[usual])))
    found = frame[held].copy()
    pairs_of = [(without.get(k, UNKNOWN), with_) for k, with_ in zip(
        key[held], medians(found))]
    ratios = np.array([stats.ratio_of(*pair) for pair in pairs_of])
    found["without_s"] = [usual[0] for usual, _ in pairs_of]
    for i, name in enumerate(COLUMNS[1:]):
        found[name] = ratios.reshape(-1, 3)[:, i]
    return found


def medians(frame):
    """(median, low, high) of each cell's time; too few values give no
    interval."""
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
    return str(row["setup"]).replace(f", perturb {row['perturb']}", "")


def failed(results, frame):
    """Rows of the perturbed cells that ended nowhere well, with what there is
    of the cell without the perturbation."""
    ended = results.ended
    if "perturb" not in ended or frame.empty:
        return []
    ok = set(ended["cell"][ended["status"] == "ok"])
    bad = ended[(ended["status"] == "failed") & is_perturbed(ended)
                & ~ended["cell"].isin(ok)].drop_duplicates("cell")
    same = [n for n in results.cells
            if n in frame and n not in ("perturb", "cell")]
    usual = frame[frame["perturb"].isin([NONE])]
    specs, rows = list(frame["kernel"].unique()), []
    for row in bad.astype(object).to_dict("records"):
        alike = usual[(usual[same].astype(str) == type(frame)(
            [row])[same].astype(str).iloc[0]).all(axis=1)]
        found = {"setup": labels.setup(row), "without_s": np.nan,
                 "loop": labels.short(row["kernel"], specs),
                 "workers": row["ranks"] * row["threads"],
                 "simulated": labels.known(row.get("platform")),
                 "platform": row.get("platform", "")} \
            if alike.empty else {
            **alike.iloc[0].to_dict(), "without_s": alike["time_s"].iloc[0]}
        rows.append({**found, "scheme": row["scheme"],
                     "perturb": row["perturb"]})
    return rows


def tables(results, frame, time_words):
    """A grid for each loop; time_words(row) says a time with its interval."""
    if "perturb" not in frame:
        return
    lines = [(r, time_words(r), words(r))
             for r in pairs(results, frame).to_dict("records")]
    lines += [(r, "FAILED", "-") for r in failed(results, frame)]
    lines.sort(key=lambda line: (setup(line[0]), line[0]["perturb"]))
    blocks = {}
    for row, time, ratio in lines:
        blocks.setdefault(row["loop"] + labels.unreal(row), []).append(
            [setup(row), row["perturb"], row["scheme"],
             f"{row['workers']:g}", labels.seconds(row["without_s"]), time,
             ratio])
    for loop, rows in blocks.items():
        if all(x[-2] != "FAILED" and x[-1] == "-" for x in rows):
            continue    # nothing ran without its perturbation
        yield grid.Grid(f"Flexibility: {loop}", [
            "setup", "perturbation", "scheme", "workers", "without", "with",
            "flexibility"], rows, "time under perturbation over time "
            "without; brackets hold its 95 % confidence interval", left=3)
