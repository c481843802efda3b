#!/usr/bin/env python3
"""Compares two result directories cell by cell: is B slower than A?

    analysis/compare.py before/ after/
    analysis/compare.py A B --threshold 10 --format markdown
    analysis/compare.py A1 A2 --against B1 B2     several directories a side
    analysis/compare.py A B --across scheme       one scheme in A, another in B
    analysis/compare.py A B --across collect      results by message, in place

Cells are matched by what they ran, with --across by all but that. For each:
the ratio of the medians B/A with a 95 % interval, and a Mann-Whitney test,
whose p values are corrected by Holm's method for the number of cells, so that
two sets of measurements from one machine give a false alarm anywhere with at
most 5 %. Where a cell has several launches on a side, the medians of launches
are compared: repetitions of one launch share its luck. With one launch a side,
what differs between launches (a machine that drifts) counts as a difference of
the sides.

What that can see, found by resampling real times of 10 cells on a shared
virtual machine whose launches differ by 8 to 23 %: of slowdowns of 8 %, 10
repetitions a side of one launch see 92 %; 10 launches a side see 92 % of 15 %,
all of 20 %, and half of 8 %.  False alarms come in 1 to 5 % of comparisons.

On some machines the hand-over between two cores has two states, and all times
move with it. Where both sides have repetitions of the same state, those are
compared; where they have not, the verdict is that the machine was in another.

Verdicts: faster, slower, no difference seen, too few samples to say, another
state of the machine.
Exit codes: 0 no significant slowdown beyond the threshold; 1 at least one;
2 nothing could be compared, or a cell of both is unverified, failed or had
other iterations in one.
"""
import argparse
import itertools
import math
import os
import sys

import need  # noqa: F401  (first: may start another Python)
import numpy as np
import pandas as pd

import cells
import environment
import grid
import labels
import loader
import predicted
import states
import stats

FASTER, SLOWER = "faster", "slower"
SAME, FEW = "no difference seen", "too few samples to say"
MOVED = "another state of the machine"


class Refusal(Exception):
    """The two cannot be compared; the text says why."""


class Comparison:
    """pairs    list of dictionaries, one per matched cell, with verdicts
    only     ([labels only in A], [labels only in B])
    refused  [(label, reason)]: of both, but not to be used
    others   cells of one side are in the other with another scheme
    """

    def __init__(self, pairs, only, refused, others=False):
        self.pairs, self.only, self.refused = pairs, only, refused
        self.others = others

    def slowdowns(self, threshold):
        return [p for p in self.pairs if p["verdict"] == SLOWER
                and p["ratio"] > 1 + threshold]


def key_columns(a, b, across):
    """The results of both sides for a cell.  A column of a later version that
    only one side has cannot tell cells apart."""
    names = [n for n in a.cells if n in b.cells]
    # How it was really done (shared or rma) is a result of `auto`.
    return sorted(set(names) - {"window", across})


def key_words(row, names):
    """The same text for 2 and 2.0, null and missing.  An interval that a
    model chose may differ between the sides."""
    row = dict(row)
    if labels.known(row.get("sync_choice")) \
            and row["sync_choice"] != predicted.GIVEN:
        row["sync_interval"] = None
    return tuple("" if pd.isna(row[n]) else f"{row[n]:g}"
                 if isinstance(row[n], float) else str(row[n]) for n in names)


def keyed(frame, names, apart, across):
    """key -> row, for every row of a frame of cells."""
    found = {}
    for row in frame.to_dict("records"):
        extra = (bool(row.get("simulated")),) if apart else ()
        key = key_words(row, names) + extra
        if across and key in found:
            raise Refusal(
                f"--across {across}: {row['kernel']} has two on one side, "
                f"{found[key][across]} and {row[across]}: one is allowed")
        found[key] = row
    return found


def is_mixed(results):
    return results.runs["simulated"].nunique() > 1


def compare(a, b, across=None):
    """Results a and b as a Comparison; Refusal when nothing matches.  Cells
    may differ in the field `across`."""
    for side in (a, b):
        if side.runs.empty:
            raise Refusal(f"{side.path}: no verified cell is complete")
    names = key_columns(a, b, across)
    apart = is_mixed(a) or is_mixed(b)
    rows = [keyed(cells.summarize(side), names, apart, across)
            for side in (a, b)]
    bad = [bad_cells(side, names) for side in (a, b)]
    refused = refuse_unsound(rows, bad)
    refuse_other_loops(rows, refused)
    check_same_problems(rows, refused)
    samples = [cells.by_cell(side.runs) for side in (a, b)]
    border = states.split(np.concatenate(
        [states.handovers(side.runs).ravel() for side in (a, b)]))
    pairs = [pair(rows[0][k], rows[1][k], samples, border)
             for k in rows[0] if k in rows[1]]
    judge(pairs)
    alone = [[r for k, r in rows[i].items()
              if k not in rows[1 - i] and k not in bad[1 - i]]
             for i in (0, 1)]
    only = [[name_of(r) for r in side] for side in alone]
    return Comparison(pairs, only, refused, one_scheme_each(alone))


def one_scheme_each(alone):
    """Whether the loops that one side alone has are the other's, too, and have
    one scheme on either: then they can be compared across it."""
    kernels = [[r["kernel"] for r in side] for side in alone]
    return bool(set(kernels[0]) & set(kernels[1])) and all(
        len(side) == len(set(side)) for side in kernels)


def bad_cells(side, names):
    """key -> 'unverified' or 'failed: reason', of cells without a good run."""
    good = set(side.runs["cell"].astype(object))
    found = {}
    for row in side.ended.to_dict("records"):
        if row["status"] != "ok" and row["cell"] not in good:
            reason = row.get("reason")
            found[key_words({n: row.get(n) for n in names}, names)] = \
                str(row["status"]) + (f": {reason}" if isinstance(reason, str)
                                      else "")
    return found


def refuse_unsound(rows, bad):
    """Cells that are good on one side only because they did not verify, or
    failed, on the other."""
    refused = []
    for side, other, name in ((0, 1, "B"), (1, 0, "A")):
        for key, row in rows[side].items():
            if key not in rows[other] and key in bad[other]:
                refused.append((name_of(row), f"{bad[other][key]} in {name}"))
    return refused


def refuse_other_loops(rows, refused):
    """Loops of somebody else's program may have other iterations in each run:
    those whose work differs, and no others, are left out."""
    for key in [k for k in rows[0] if k in rows[1]]:
        here, there = rows[0][key], rows[1][key]
        if here["unchecked"] and differ(here["iterations"],
                                        there["iterations"]):
            refused.append((name_of(here), f"{here['iterations']:,.0f} "
                            f"iterations in A, {there['iterations']:,.0f} "
                            "in B"))
            del rows[0][key], rows[1][key]


def differ(here, there):
    return here != there and not math.isnan(here)


def check_same_problems(rows, refused):
    both = [k for k in rows[0] if k in rows[1]]
    for key in both:
        here, there = rows[0][key], rows[1][key]
        if differ(here["iterations"], there["iterations"]):
            raise Refusal(
                f"different problems: {here['kernel']} has "
                f"{here['iterations']:,.0f} iterations in A and "
                f"{there['iterations']:,.0f} in B")
    if both or refused:
        return
    kernels = [sorted({r["kernel"] for r in side.values()}) for side in rows]
    if not set(kernels[0]) & set(kernels[1]):
        raise Refusal("different problems: A ran " + "; ".join(kernels[0])
                      + " and B ran " + "; ".join(kernels[1]))
    raise Refusal("no cell is in both: same loops, but other schemes "
                  "(--across scheme), layouts or options")


def name_of(row):
    text = f"{row['loop']} {row['scheme']} over {row['label']}"
    if row["interval_words"]:
        text += f", interval {row['interval_words']}"
    return text


def units(runs, several):
    """The samples: medians of launches, or single repetitions."""
    if not several:
        return runs["time_s"].to_numpy()
    return runs.groupby("launch", observed=True)["time_s"].median().to_numpy()


def same_state(runs, border):
    """Of the runs of both sides those in one state, the one that more have on
    the side with fewer; None: they have none in common."""
    if border is None:
        return runs
    found = [states.of_runs(side, border) for side in runs]
    if any(np.isnan(side).all() for side in found):
        return runs
    common = [min(int((side == s).sum()) for side in found) for s in (0, 1)]
    if max(common) == 0:
        return None
    state = common.index(max(common))
    return [side[at == state] for side, at in zip(runs, found)]


def pair(here, there, samples, border=None):
    runs = [side[(row["cell"], row["simulated"])]
            for side, row in zip(samples, (here, there))]
    alike = same_state(runs, border)
    runs = alike or runs
    several = max(here["launches"], there["launches"]) > 1
    a, b = (units(r, several) for r in runs)
    ratio, low, high = stats.ratio_ci(a, b)
    words = [row["scheme"] for row in (here, there)]
    if words[0] != words[1]:
        here = {**here, "scheme": " -> ".join(words)}
    return {**here, "a_s": stats.median_ci(a)[0], "b_s": stats.median_ci(b)[0],
            "ratio": ratio, "low": low, "high": high, "na": len(a),
            "nb": len(b), "unit": "launches" if several else "repetitions",
            "moved": alike is None,
            "p": stats.mann_whitney(a, b)}


def testable(pairs):
    """Tarone's choice: the cells whose sample sizes let them reach the level
    that the number of such cells asks for.  It looks at sizes only, never at
    times, so that Holm's correction over these cells keeps its 5 %."""
    least = [stats.least_p(p["na"], p["nb"]) for p in pairs]
    for k in range(1, len(pairs) + 1):
        chosen = [i for i, p in enumerate(least) if p <= stats.ALPHA / k]
        if len(chosen) <= k:
            return chosen
    return []


def enough_samples(count):
    """Samples a side with which each of `count` cells can be told apart."""
    return next(n for n in itertools.count(1)
                if stats.least_p(n, n) <= stats.ALPHA / count)


def judge(pairs):
    """Sets p_holm and verdict in every pair."""
    for p in pairs:
        p["p_holm"], p["verdict"] = math.nan, MOVED if p["moved"] else FEW
    pairs = [p for p in pairs if not p["moved"]]
    chosen = testable(pairs)
    adjusted = stats.holm([pairs[i]["p"] for i in chosen])
    for i, p in zip(chosen, adjusted):
        pairs[i]["p_holm"] = p
        pairs[i]["verdict"] = SAME if p >= stats.ALPHA or \
            pairs[i]["ratio"] == 1 else \
            SLOWER if pairs[i]["ratio"] > 1 else FASTER


# ---- words ----

def environment_lines(a, b):
    found = environment.differences(a, b)
    if not found:
        return ["environment: no difference in the manifests"]
    lines = ["environment: these differ"]
    for title, here, there in found:
        lines.append(f"  {title}: {'; '.join(here)}  ->  {'; '.join(there)}")
    return lines


def grids(comparison):
    """A table per kernel, ending in its geometric mean."""
    by_kernel = {}
    for p in comparison.pairs:
        by_kernel.setdefault(p["kernel"], []).append(p)
    for pairs in by_kernel.values():
        mean = stats.geometric_mean([p["ratio"] for p in pairs])
        yield grid.Grid(
            pairs[0]["loop"],
            ["setup", "scheme", "A", "B", "B/A", "95 % interval", "p (Holm)",
             "samples", "verdict"], [row(p) for p in pairs],
            f"geometric mean of B/A {mean:.3f} over "
            f"{labels.count(len(pairs), 'cell')}", left=2)


def row(p):
    scheme = p["scheme"] + (f" h={p['interval_words']}"
                            if p["interval_words"] else "")
    return [p["label"], scheme, labels.seconds(p["a_s"]),
            labels.seconds(p["b_s"], p["a_s"]), f"{p['ratio']:.3f}",
            f"{p['low']:.3f} to {p['high']:.3f}"
            if min(p["na"], p["nb"]) >= stats.CI_LEAST else "-",
            "-" if math.isnan(p["p_holm"]) else f"{p['p_holm']:.3g}",
            f"{p['na']}, {p['nb']}", p["verdict"]]


def more_launches(pairs):
    """How to get them.  Programs that run by themselves append theirs."""
    return " (each run with the same --out is one)" if all(
        p["unchecked"] for p in pairs) else " (--out A/1, A/2, ...)"


def ending_lines(comparison, threshold):
    lines = []
    for name, found in zip("AB", comparison.only):
        if found:
            lines.append(f"only in {name}: {labels.count(len(found), 'cell')}")
            lines += ["  " + text for text in found]
    if comparison.others:
        lines.append("--across scheme compares these loops, too")
    for text, reason in comparison.refused:
        lines.append(f"refused: {text}: {reason}")
    pairs = comparison.pairs
    if not pairs:
        return lines + ["no cell is left to compare"]
    mean = stats.geometric_mean([p["ratio"] for p in pairs])
    lines.append(f"geometric mean of B/A over all: {mean:.3f}")
    verdicts = [p["verdict"] for p in pairs]
    lines.append(", ".join(f"{verdicts.count(v)} {v}"
                           for v in (SLOWER, FASTER, SAME, FEW))
                 + (f", {verdicts.count(MOVED)} {MOVED}"
                    if MOVED in verdicts else ""))
    used = sorted({p["unit"] for p in pairs})
    if FEW in verdicts:
        lines.append(f"to tell {labels.count(len(pairs), 'cell')} apart takes "
                     f"{enough_samples(len(pairs))} {' or '.join(used)} a "
                     "side" + (more_launches(pairs) if used == ["launches"]
                               else ""))
    lines.append("samples are " + " or ".join(used) + (
        "; one launch a side: what differs between launches counts as a "
        "difference of the sides" if used == ["repetitions"] else ""))
    slow = comparison.slowdowns(threshold)
    if slow:
        worst = max(slow, key=lambda p: p["ratio"])
        lines.append(f"{labels.count(len(slow), 'slowdown')} beyond "
                     f"{100 * threshold:g} %; the worst: {name_of(worst)}, "
                     f"{worst['ratio']:.3f} times A")
    elif verdicts.count(FEW) == len(pairs):
        lines.append("too few samples to call any cell slower")
    else:
        lines.append(f"no significant slowdown beyond {100 * threshold:g} %")
    return lines


def to_csv(comparison):
    names = ["kernel", "scheme", "label", "workers", "sync_interval",
             "simulated", "a_s", "b_s", "ratio", "low", "high", "p", "p_holm",
             "unit", "na", "nb", "verdict"]
    return pd.DataFrame(comparison.pairs, columns=names).to_csv(index=False)


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__.split("\n\n")[0],
        epilog=__doc__.split("\n\n", 1)[1],
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", metavar="DIR", nargs="+",
                        help="A and B: result directories, before and after; "
                        "with --against all of them are A")
    parser.add_argument("--against", metavar="DIR", nargs="+",
                        help="B, where a side has several directories that "
                        "are read as one")
    parser.add_argument("--across", choices=["scheme", "collect", "prefetch"],
                        help="match cells that differ in it: A ran under one, "
                        "B under another (collect, prefetch: results of "
                        "before it was shared, or on, by default)")
    parser.add_argument("--threshold", type=threshold, default=0.05,
                        metavar="PERCENT", help="a slowdown counts for the "
                        "exit code beyond this (default 5)")
    parser.add_argument("--format", choices=grid.FORMATS, default="text")
    args = parser.parse_args()
    args.sides = [args.directory, args.against]
    if args.against is None:
        if len(args.directory) != 2:
            parser.error("A and B are needed, or --against where a side has "
                         "several directories")
        args.sides = [[name] for name in args.directory]
    return args


def threshold(text):
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 <= value < math.inf:
        raise argparse.ArgumentTypeError(f"'{text}' is not a percentage of "
                                         "0 or more")
    return value / 100


def show(a, b, comparison, args):
    if args.format == "csv":
        sys.stdout.write(to_csv(comparison))
        return
    print("\n".join(environment_lines(a, b)), end="\n\n")
    for table in grids(comparison):
        print(grid.WRITERS[args.format](table))
    print("\n".join(ending_lines(comparison, args.threshold)))


def main():
    args = arguments()
    try:
        sides = [loader.load(*paths) for paths in args.sides]
        for name, side in zip("AB", sides):
            side.say(f"compare: {name}")
        comparison = compare(*sides, args.across)
    except (loader.LoadError, Refusal) as error:
        print(f"compare: {error}", file=sys.stderr)
        return 2
    show(*sides, comparison, args)
    if comparison.slowdowns(args.threshold):
        return 1
    return 2 if comparison.refused or not comparison.pairs else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
