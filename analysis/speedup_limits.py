"""The conclusions that the numbers allow, and their limits: the serial loop of
a kernel over all its passes, impossible speedups, and the share of other
processes on the cores.  bench/results/speedup_limits.c has the same rules."""
import math

import numpy as np

from . import labels, machine, stats

OTHERS_LEAST = 0.01  # others are named from this share of the cores on
POSSIBLE = 0.9       # a speedup or time further beyond what can be is none
SAME = ["kernel", "simulated", "platform", "cp"]


class Serial:
    """The passes of a kernel's serial loop: `time` its median with both ends,
    `count` of them, `others` the share of the core that other processes had
    (NaN: not known), `in_turns` with the cells."""

    def __init__(self, passes):
        self.time = stats.median_ci(passes["serial_s"])
        self.count = len(passes)
        numbers = passes.get("serial_pass")
        self.in_turns = numbers is not None and bool(numbers.notna().any())
        shares = passes["serial_others"].dropna() \
            if "serial_others" in passes else ()
        self.others = float(np.mean(shares)) if len(shares) else math.nan

    def cause(self):
        """Why a speedup over it cannot be."""
        if self.others >= OTHERS_LEAST:
            return ("other processes had "
                    f"{labels.percent(self.others, 0)} of the core of the "
                    "serial loop")
        if not self.in_turns:
            return ("the serial loop was timed before the cells, when the "
                    "machine was slower")
        return ("no other process ran: one core alone has less cache or a "
                "slower clock, or the machine changed")


def same_loop(frame):
    """The columns that cells with one serial loop have in common; runs have
    some that no cell has a value of."""
    return [n for n in SAME if n in frame and frame[n].notna().any()]


def serial_loops(runs):
    """{values of same_loop as words: Serial}.  Files from before passes had
    numbers have one for each launch."""
    names = same_loop(runs)
    if "serial_s" not in runs:
        return {}
    pass_of = [n for n in ("serial_pass", "serial_s") if n in runs]
    more = [n for n in ("serial_others",) if n in runs]
    passes = runs.loc[runs["serial_s"].notna(), [*names, *pass_of, *more]]
    passes = passes.drop_duplicates([*names, *pass_of])
    # A group of words may not be missing.
    keys = [words(key) for key in passes[names].astype(object).itertuples(
        index=False)]
    found = {}
    for at, key in enumerate(keys):
        found.setdefault(key, []).append(at)
    return {key: Serial(passes.iloc[rows]) for key, rows in found.items()}


def words(key):
    return tuple("" if v is None or v != v else str(v) for v in key)


def sum_of_powers(row, known):
    """The slowest worker is 1."""
    try:
        power = [known[row["cell"]][w] for w in range(int(row["workers"]))] \
            if row.get("power") == machine.MEASURED \
            else machine.given(row.get("power") or "", int(row["workers"]))
        return max(sum(power) / min(power), row["workers"])
    except (ArithmeticError, LookupError, ValueError, TypeError):
        return row["workers"]


def refuse(row, serial, speedup, known):
    """Why this speedup (median, low, high) is none; None: it is one."""
    if row["simulated"]:
        return None
    powers = sum_of_powers(row, known)
    if max(speedup[1], POSSIBLE * speedup[0]) > powers:
        return (f"seems {speedup[0]:.2f} times as fast, where its workers "
                f"allow {powers:.4g} at most; {serial.cause()}")
    if row["time_s"] < POSSIBLE * row["bound_s"]:
        return (f"takes {row['time_s'] / row['bound_s']:.2f} of the least "
                f"time that its chunks can take; {serial.cause()}")
    return None


def refused_words(rows):
    """One line on the refused speedups of some cells; empty: none."""
    rows = [r for r in rows if r["refused"]]
    if not rows:
        return ""
    worst = max(rows, key=lambda r: (r["base_s"] or 0) / r["time_s"])
    count = labels.count(len(rows), "speedup")
    return (f"{count} {'is' if len(rows) == 1 else 'are'} refused: "
            f"{worst['scheme']} {worst['refused']}")


def others(runs):
    """The mean share of the cores that other processes had; NaN: not known.
    A load that was asked for is no surprise."""
    if "others" not in runs:
        return math.nan
    known = runs[runs["others"].notna()]
    if "load" in known:
        known = known[known["load"].astype(object).fillna("").eq("")]
    if not len(known):
        return math.nan
    return float(known.groupby("cell", observed=True)["others"].median()
                 .mean())


def others_words(runs):
    share = others(runs)
    return f"other processes had {labels.percent(share, 0)} of the cores" \
        if share >= OTHERS_LEAST else ""
