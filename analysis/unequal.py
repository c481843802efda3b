"""Workers of unequal speed: the time of every scheme by the powers that it was
given: none, measured, or wrong ones.

Measured powers count as true.  The error of a list of powers is its largest
wrong ratio: with 2.5 : 1 measured, equal powers are off by 2.5, and 1 : 2.5 is
off by 6.25."""
import numpy as np

from . import cells, grid, labels, machine, records, stats

LEARN = {"bold", "awf", "awf-b", "awf-c", "awf-d", "awf-e", "af", "fgdls",
         "aid-static", "aid-hybrid", "timed"}
MEASURED = "measured"
# Columns of a cell that differ between the choices of one problem.
FREE = {"cell", "scheme", "power", "costs", "placement"}


def told_by(power, workers):
    """The powers of a cell's text, one for each worker; None: not given."""
    try:
        return machine.given(power, workers)
    except ValueError:
        return None


def problems(results, frame):
    """The cells of each problem that ran with several powers."""
    if "power" not in frame:
        return
    usable = frame[~frame["unranked"].astype(bool)]
    if usable["power"].nunique() < 2:
        return
    same = ["simulated", *(n for n in results.cells
                           if n in usable and n not in FREE)]
    keys = cells.same_in(usable, same)
    for _, part in usable.groupby(keys, sort=False):
        if part["power"].nunique() > 1:
            yield part


def truth(results, part):
    """The measured powers, one for each worker; None: they were not."""
    known = results.powers
    for cell in part["cell"][part["power"] == MEASURED]:
        if cell in known:
            return [known[cell][w] for w in sorted(known[cell])]
    return None


def off_by(powers, true):
    """The largest ratio of two powers over their true ratio."""
    ratio = np.asarray(powers, dtype=float) / np.asarray(true, dtype=float)
    return ratio.max() / ratio.min()


def ways(results, part):
    """[(power, words, off by)], the true one first."""
    true, found = truth(results, part), []
    for power in dict.fromkeys(part["power"]):
        told = told_by(power, len(true or []))
        off = 1.0 if power == MEASURED else np.nan
        if true is not None and told is not None and len(told) == len(true):
            off = off_by(told, true)
        words = power if power == MEASURED else "unknown" if power == "" \
            else "wrong" if np.isfinite(off) else f"given {power}"
        if power != MEASURED and np.isfinite(off):
            words += f", off by {off:.3g}"
        found.append((power, words, off))
    return sorted(found, key=lambda way: np.nan_to_num(way[2], nan=np.inf))


def interval(row):
    if row["n"] < stats.CI_LEAST:
        return row["time_s"], np.nan, np.nan
    return row["time_s"], row["time_s_low"], row["time_s_high"]


def change(row, to):
    """Time of `to` over that of `row`, less 1, with its interval."""
    ratio = stats.ratio_of(interval(row), interval(to))
    return tuple(value - 1 for value in ratio)


def signed(value):
    return f"{100 * value:+.1f} %" if np.isfinite(value) else "-"


def change_words(change_of):
    middle, low, high = change_of
    if not np.isfinite(low) or low == high:
        return signed(middle)
    return f"{signed(middle)} [{100 * low:+.1f}, {100 * high:+.1f}]"


def pays_after(row, measured):
    """Loops after which measuring has gained what it took; NaN: never, or it
    took nothing."""
    gained = row["time_s"] - measured["time_s"]
    took = measured.get("power_s", np.nan)
    return took / gained if np.isfinite(took) and gained > 0 else np.nan


def pays_words(row, measured):
    if not np.isfinite(measured.get("power_s", np.nan)):
        return "-"
    loops = pays_after(row, measured)
    return labels.count(int(np.ceil(loops)), "loop") \
        if np.isfinite(loops) else "never"


def by_scheme(part):
    """scheme -> {power: row}; the fastest where costs or placement differ."""
    found = {}
    for row in records.of(part.sort_values("time_s")):
        found.setdefault(row["scheme"], {}).setdefault(row["power"], row)
    return found


def fastest(part, words, chosen):
    part = part[chosen]
    if part.empty:
        return []
    row = part.loc[part["time_s"].idxmin()]
    return [f"{words} {row['scheme']}, {labels.seconds(row['time_s'])}"]


def caption(part, true):
    learns = part["scheme"].map(labels.name_of).isin(LEARN)
    words = fastest(part, "fastest without powers", (part["power"] == "")
                    & ~learns)
    words += fastest(part, "of those learning", (part["power"] == "") & learns)
    words += fastest(part, "with measured powers", part["power"] == MEASURED)
    if true is not None:
        words.append("measured powers " + powers_words(true))
    if "power_s" in part and part["power_s"].notna().any():
        words.append("measuring took "
                     + labels.seconds(part["power_s"].median())
                     + " before the first loop")
    return "; ".join(words)


def powers_words(powers):
    """Equal neighbours together, and a pattern that repeats once."""
    words = [f"{p:.3g}" for p in powers]
    for length in range(1, len(words) + 1):
        times = len(words) // length
        if words == words[:length] * times:
            text = " : ".join(runs(words[:length]))
            return f"{times} times ({text})" if times > 1 else text
    return ""


def runs(words):
    out = []
    for word in words:
        if out and out[-1][0] == word:
            out[-1][1] += 1
        else:
            out.append([word, 1])
    return [word if n == 1 else f"{n} x {word}" for word, n in out]


def cell_words(row, best_s):
    return (f"{labels.seconds(row['time_s'])} "
            + signed(row["time_s"] / best_s - 1))


def table(results, part):
    columns = ways(results, part)
    best_s, rows = part["time_s"].min(), []
    wrong = [way for way in columns if way[0] not in ("", MEASURED)]
    timed = "power_s" in part and part["power_s"].notna().any()
    for scheme, at in by_scheme(part).items():
        unknown, measured = at.get(""), at.get(MEASURED)
        both = unknown is not None and measured is not None
        worst = max((at[p] for p, _, _ in wrong if p in at),
                    key=lambda r: r["time_s"], default=None)
        rows.append([
            scheme, "learns" if labels.name_of(scheme) in LEARN else "",
            *(cell_words(at[p], best_s) if p in at else ""
              for p, _, _ in columns),
            change_words(change(unknown, measured)) if both else "",
            *[pays_words(unknown, measured) if both else ""] * timed,
            change_words(change(measured, worst))
            if measured is not None and worst is not None else ""])
    first = part.iloc[0]
    title = f"Unequal workers: {first['loop']}, {setup_words(first)}"
    return grid.Grid(title, [
        "scheme", "", *(words for _, words, _ in columns),
        "measured over unknown", *["pays after"] * timed,
        "worst wrong over measured"],
        rows, caption(part, truth(results, part))
        + "; percentages: how far above the fastest of all", left=2)


# ---- a published claim ----

AID = {"aid-static", "aid-hybrid"}
PAPER = "Saez, Castro and Prieto-Matias 2020"
# Over what, and by how much at most on the paper's machines.
GAINS = {"static": 0.56, "dynamic": 0.168}
# Times closer than this are not told apart.
NEAR = 0.02


def gain_of(part, over):
    """How much faster the better of AID's schemes is than OpenMP's static, or
    dynamic with chunks of one, all without powers: time over AID's time, less
    1, with its interval; None: one of them did not run."""
    at = {scheme: row[""] for scheme, row in by_scheme(part).items()
          if "" in row}
    own = [row for scheme, row in at.items() if labels.name_of(scheme) in AID]
    base = at.get("static" if over == "static" else "ss")
    if not own or base is None:
        return None
    return change(min(own, key=lambda row: row["time_s"]), base)


def sign(gain, low, high):
    """1: a gain by NEAR or more, and with its whole interval; -1: a loss."""
    if gain >= NEAR and not low <= 0:
        return 1
    return -int((1 + gain) * (1 + NEAR) <= 1 and not high >= 0)


def gain_words(gains):
    """Of {loop: gain}."""
    if not gains:
        return "not comparable: no loop ran under both without powers"
    by = {which: {loop: gain[0] for loop, gain in gains.items()
                  if sign(*gain) == which} for which in (1, -1)}
    words = "confirmed" if by[1] else "contradicted" if by[-1] \
        else "not comparable: no differences"
    best = max(gains, key=lambda loop: gains[loop][0])
    words += f": up to {change_words(gains[best])} ({best})"
    words += f", faster in {len(by[1])} of {labels.count(len(gains), 'loop')}"
    if by[-1]:
        words += ", slower in " + ", ".join(
            f"{loop} {signed(value)}" for loop, value in by[-1].items())
    return words


def setup_words(first):
    return labels.count(int(first["workers"]), "worker") + (
        f", {labels.simulated_on(labels.simulation(first))}"
        if first["simulated"] else f", {first['perturb']}")


def claims(parts):
    places, rows = {}, []
    for part in parts:
        if part["scheme"].map(labels.name_of).isin(AID).any():
            places.setdefault(setup_words(part.iloc[0]), []).append(part)
    for over, most in GAINS.items():
        for words, here in places.items():
            gains = {part.iloc[0]["loop"]: gain_of(part, over)
                     for part in here}
            known = {k: v for k, v in gains.items() if v is not None}
            rows.append([f"AID is faster than {over} by up to "
                         f"{100 * most:g} %", PAPER, words, gain_words(known)])
    return grid.Grid("A published claim, by the unequal workers here",
                     ["claim", "paper", "where", "found"], rows,
                     "the better of aid-static and aid-hybrid, without "
                     "powers; dynamic: ss; by how much hangs on the cores, "
                     "which were others; times differ by 2 % or more, with "
                     "the whole 95 % interval of their ratio", left=4)


def tables(results, frame):
    parts = list(problems(results, frame))
    for part in parts:
        yield table(results, part)
    made = claims(parts)
    if made.rows:
        yield made
