#!/usr/bin/env python3
"""Compares two sets of launches cell by cell: is B slower than A?

    dlsbench compare before/ after/            folders of launches
    dlsbench compare A B --threshold 10 --format markdown
    dlsbench compare A1 A2 --against B1 B2     several directories a side
    dlsbench compare A B --across scheme       one scheme in A, another in B
    dlsbench compare A B --across collect      results by message, in place
    dlsbench compare DIR --base fss            is a scheme better than fss?

A side is a result directory or a folder with one for each launch (run --out
before/1, before/2, ...).  Cells are matched by what they ran, with --across by
all but that.  The answer comes first, then its reasons, then the numbers.

With --base there is one side: A is the base, B each other scheme in the same
cell.  Six launches with both are the least; of one launch the samples are its
repetitions.  Code 1: a scheme is slower than the base; 0: none is; 3: cannot
tell of all.

Samples are launches, because the repetitions of one launch share its luck.
Four launches a side are the least, six are better.  One launch a side cannot
tell the machine from luck, and is never a verdict.  Simulations have no luck.
All answers of one comparison hold together with 95 %.

On some machines the hand-over between two cores has two states, and all times
move with it.  No launch is left out for its state: the sides are compared
over the states and within each, and it is said when their shares differ.

Verdicts on a cell: faster, slower, perhaps slower, no difference seen, too few
samples to say; of one launch a side slower, or luck.
Exit codes: 0 B is not slower; 1 B is slower, by more than the threshold; 2
the command is wrong, or the sides have no problem in common; 3 cannot tell:
too few launches, perhaps slower, another state of the machine, or what failed.
"""
import argparse
import json
import math
import sys

if not __package__:
    import need    # a script: makes the folder its package
    __package__ = need.PACKAGE

import numpy as np
import pandas as pd

from . import (cells, compare_answer as answer, compare_verdicts as verdicts,
               grid, labels, launches, loader, paired, program, speedup_limits,
               states)
from .columns import printable
from .matching import (Refusal, differ, is_mixed, key_columns, key_words,
                       keyed, name_of, pair, runs_of)


class Comparison:
    """pairs    list of dictionaries, one per matched cell, with verdicts
    only     ([labels only in A], [labels only in B])
    refused  [(label, reason)]: of both, but not to be used
    others   cells of one side are in the other with another scheme
    family   the verdicts on cells of several launches; None: there are none
    border   between two states of the machine; None: it was in one
    lines    what became of launches, in words
    failing  cells that failed more often in B
    dead     launches of each side that have nothing to compare
    """

    def __init__(self, pairs, only, refused, others=False, border=None,
                 threshold=0.05):
        self.pairs, self.only, self.refused = pairs, only, refused
        self.others, self.border, self.threshold = others, border, threshold
        self.lines, self.failing, self.dead = [], [], [0, 0]
        self.family = judge(pairs, border, threshold)

    def slowdowns(self):
        """Cells slower by more than the threshold."""
        return [p for p in self.pairs if p["slowdown"] is not None]

    @property
    def single(self):
        """One launch a side of everything that was measured."""
        return any(not p["simulated"] for p in self.pairs) \
            and self.family is None


def compare(a, b, across=None, threshold=0.05):
    """Results a and b as a Comparison; Refusal when nothing matches.  Cells
    may differ in the field `across`."""
    names = key_columns(a, b, across)
    apart = is_mixed(a) or is_mixed(b)
    frames = [cells.summarize(side) for side in (a, b)]
    cells.name_loops(*frames)
    rows = [keyed(frame, names, apart, across) for frame in frames]
    bad = [bad_cells(side, names) for side in (a, b)]
    refused = refuse_unsound(rows, bad)
    refuse_other_loops(rows, refused)
    check_same_problems(rows, refused)
    samples = [runs_of(side.runs) for side in (a, b)]
    border = states.split(np.concatenate(
        [states.handovers(side.runs).ravel() for side in (a, b)]))
    pairs = [pair(rows[0][k], rows[1][k], samples)
             for k in rows[0] if k in rows[1]]
    alone = [[r for k, r in rows[i].items()
              if k not in rows[1 - i] and k not in bad[1 - i]]
             for i in (0, 1)]
    only = [[name_of(r) for r in side] for side in alone]
    found = Comparison(pairs, only, refused, one_scheme_each(alone), border,
                       threshold)
    account(found, a, b)
    return found


def account(comparison, a, b):
    """What became of every launch, and which cells fail more often in B."""
    for letter, side in zip("AB", (a, b)):
        comparison.lines += launches.missing_lines(letter, side)
    if comparison.family is not None:
        comparison.lines += launches.odd_lines(comparison.family, (a, b))
    comparison.dead = [launches.dead(side) for side in (a, b)]
    comparison.failing = [
        p for p in comparison.pairs if launches.failures(b, {p["cells"][1]})
        > launches.failures(a, {p["cells"][0]})]


def one_scheme_each(alone):
    """Whether cells of only one side share loops with those of only the other,
    each loop with one scheme: then they can be compared across the scheme."""
    kernels = [[r["kernel"] for r in side] for side in alone]
    return bool(set(kernels[0]) & set(kernels[1])) and all(
        len(side) == len(set(side)) for side in kernels)


def bad_cells(side, names):
    """key -> 'unverified' or 'failed: reason', of cells without a good run."""
    return {key_words({n: row.get(n) for n in names}, names): why
            for row, why in launches.unsound(side)}


def refuse_unsound(rows, bad):
    """Cells that are good on one side, but unverified or failed on the
    other."""
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
                  "(--across scheme), layouts, platforms or options")


def judge(pairs, border, threshold):
    """Sets p, verdict and slowdown of every pair; the Family of those with
    several launches."""
    alone = [p for p in pairs if not p["several"]]
    verdicts.judge_repetitions(alone)
    for p in alone:
        p["within"] = None
        p["slowdown"] = p["ratio"] if p["verdict"] == verdicts.SLOWER \
            and p["ratio"] > 1 + threshold else None
    together = [p for p in pairs if p["several"]]
    if not together:
        return None
    family = verdicts.Family([p["runs"] for p in together], border)
    for p, found in zip(together, family.cells):
        over, within = found.over, found.within
        p.update(ratio=over.ratio, low=over.low, high=over.high,
                 p=over.p if over.can_tell else np.nan,
                 within=None if within is None else within.ratio,
                 verdict=found.word(threshold),
                 slowdown=found.slowdown(threshold))
    return family


def frame_of(comparison):
    names = ["kernel", "scheme", "label", "workers", "sync_interval",
             "simulated", "a_s", "b_s", "ratio", "low", "high", "p", "within",
             "unit", "na", "nb", "verdict"]
    return pd.DataFrame(comparison.pairs, columns=names)


def write_json(code, lines, rows="[]"):
    """The exit code in words, the answer's sentences, a row for each cell."""
    print(json.dumps({"schema": 1, "answer": answer.WORDS[code],
                      "exit_code": code, "lines": lines,
                      "rows": json.loads(rows)}, indent=1))


def arguments():
    parser = program.arguments(__doc__)
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
    parser.add_argument("--base", metavar="SCHEME", help="compare each other "
                        "scheme with this one, in the same cell and launch; "
                        "several DIR are read as one")
    parser.add_argument("--threshold", type=threshold, default=0.05,
                        metavar="PERCENT", help="a slowdown counts for the "
                        "exit code beyond this (default 5)")
    parser.add_argument("--format", choices=[*grid.FORMATS, "json"],
                        default="text")
    args = parser.parse_args()
    args.sides = [args.directory, args.against]
    if args.base is not None:
        if args.against or args.across:
            parser.error("--base compares within one side: leave out "
                         "--against and --across")
        args.sides = [args.directory]
    elif args.against is None:
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


def show(comparison, code, lines, ending, args):
    if args.format == "csv":
        sys.stdout.write(frame_of(comparison).to_csv(index=False))
        return
    if args.format == "json":
        write_json(code, lines,
                   frame_of(comparison).to_json(orient="records",
                                                double_precision=15))
        return
    print("\n".join(lines), end="\n\n")
    for table in answer.grids(comparison):
        print(grid.WRITERS[args.format](table))
    print("\n".join(ending))


def same_launches(a, b):
    """The message if both sides are the same launches; otherwise removes
    shared launches from the larger side."""
    shared = launches.same(a, b)
    of = [set(side.runs["launch"].astype(str)) for side in (a, b)]
    if shared and of[0] == of[1] == shared:
        return "the same launches"
    for letter, side, other, theirs in (("A", a, "B", of[1]),
                                        ("B", b, "A", of[0])):
        if shared and theirs == shared:
            side.notes.append(
                f"{labels.count(len(shared), 'launch', 'launches')} of "
                f"{other} {'is' if len(shared) == 1 else 'are'} in {letter}, "
                f"too: left out of {letter}")
            launches.without(side, shared)
            return None
    if shared:
        raise Refusal(f"launch {min(shared)} is on both sides: give each "
                      "launch to one side")
    return None


def nothing_good(sides):
    """A line for each side without one good cell."""
    found = []
    for letter, side in zip("AB", sides):
        if side.runs.empty:
            found.append(f"cannot tell: {letter} ({side.path}) has no "
                         "complete and verified cell")
            found += launches.missing_lines(letter, side)
    return found


def main():
    args = arguments()
    try:
        sides = [loader.load(*paths) for paths in args.sides]
        return answered(sides, args) if args.base is None \
            else of_base(*sides, args)
    except (loader.LoadError, Refusal) as error:
        print(f"compare: {error}", file=sys.stderr)
        return 2


def of_base(side, args):
    """The same of --base."""
    found = paired.Paired(side, args.base, args.threshold)
    show(found, found.code, found.lines, found.ending(), args)
    sys.stdout.flush()
    side.say("compare")
    return found.code


def answered(sides, args):
    """The exit code; the notes on the sides come after the answer."""
    busy = [speedup_limits.others_words(side.runs) for side in sides]
    bad, alike = nothing_good(sides), same_launches(*sides)
    if bad or (alike and not args.across):
        code = answer.CANNOT_TELL if bad else answer.NOT_SLOWER
        lines = bad or [f"The same: A and B are {alike}."]
        if args.format == "json":
            write_json(code, lines)
        elif bad:
            print(*(f"compare: {line}" for line in bad), sep="\n",
                  file=sys.stderr)
        else:
            print(*lines, sep="\n")
    else:
        comparison = compare(*sides, args.across, args.threshold)
        code = answer.exit_code(comparison)
        who = [" ".join(map(printable, paths)) for paths in args.sides]
        show(comparison, code, answer.lines(comparison, sides),
             [f"A is {who[0]}, B is {who[1]}."]
             + answer.ending(comparison, sides), args)
    sys.stdout.flush()
    for name, side, words in zip("AB", sides, busy):
        if not bad and not alike:  # the answer has it
            side.notes = [n for n in side.notes if n != words]
        side.say(f"compare: {name}")
    return code


if __name__ == "__main__":
    program.run("compare", main)
