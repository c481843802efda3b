#!/usr/bin/env python3
"""Says what to use: from the results of a directory, for each loop and number
of workers, the scheme, transport, hierarchy and sync interval.

    dlsbench advise DIR
    dlsbench advise DIR --kernel heat --workers 2

`cannot be told apart`: by a Mann-Whitney test at 5 %, corrected for the number
of choices; the truly fastest choice is among these with 95 %.  `stays first`:
the share of 1000 bootstrap rounds in which the best median stays the best.
Both speak of this machine as it was while it measured.  Of what dlsbench omp
--try ran, its own verdicts are printed: they compare runs of the same round.
Exit codes: 0, or 2 when there is nothing to advise on.
"""
import sys

if not __package__:
    import need    # a script: makes the folder its package
    __package__ = need.PACKAGE

from . import cells, labels, loader, program, ranking, stats

LISTED = 4   # choices named that cannot be told from the best


def lines(problem, ranked):
    best = ranked.best
    yield ranking.problem_words(problem)
    if ranked.refused():
        yield "  no advice     " + ranked.refused()
        return
    if ranked.is_undecided:
        yield "  no advice     " + ranking.draw_words(ranked)
        return
    if ranked.is_draw:
        yield "  use           " + ranking.draw_words(ranked)
    else:
        yield f"  use           {ranking.choice(best)}: {time_of(best)}" + (
            f", speedup {best['speedup']:.2f}"
            if best["base_workers"] == 1 and best["speedup"] == best["speedup"]
            else "")
    i = ranked.runner_up()
    if i is None:
        yield "  runner-up     none: only this choice was measured"
        return
    if not ranked.is_draw:
        yield "  runner-up     " + runner_up(ranked, i)
    yield "  wrong choice  " + "; ".join(costs(ranked))
    yield "  how sure      " + sureness(ranked)


def runner_up(ranked, i):
    share = labels.percent(ranked.behind(i))
    how = "as fast" if ranked.behind(i) < ranking.NOTHING else \
        f"{share} slower"
    return (f"{ranking.choice(ranked.rows[i])}: {how} "
            f"({ranking.certainty(ranked, i)})")


def time_of(row):
    words = labels.seconds(row["time_s"])
    if row["n"] < stats.CI_LEAST:
        return words + f" ({labels.count(int(row['n']), 'run')}, no interval)"
    return words + " [" + labels.interval(
        row["time_s_low"], row["time_s_high"], row["time_s"]) + "]"


def costs(ranked):
    """The cost of wrong choices: all together, then one choice alone."""
    last = len(ranked.rows) - 1
    middle = (last + 1) // 2
    yield (f"up to {lost(ranked, last)} "
           f"({ranking.choice(ranked.rows[last])}), the middle choice "
           f"{lost(ranked, middle)}")
    for words, columns in [("the scheme", ["scheme"]),
                           ("transport and hierarchy", ["setup", "layout"]),
                           ("the interval", ["interval"])]:
        worst = ranked.worst_of(*columns)
        if worst:
            what = worst[1][columns[0]]
            what = f"{what:g}" if isinstance(what, float) else what
            yield f"{words} alone up to {lost(ranked, worst[2])} ({what})"


def lost(ranked, i):
    """The loss by choice i, and whether it is significant."""
    words = labels.percent(ranked.behind(i))
    return words if ranked.slower(i) \
        else words + ", not significant"


def sureness(ranked):
    if ranked.single:
        return "one run each: no test" + (
            "; a simulation is as sure as its model"
            if ranked.best["simulated"] else "")
    ties = ranked.contenders[1:]
    first = "" if not ties else \
        f"{ranking.choice(ranked.best)} has the shortest time, and "
    text = (f"{first}stays first in {labels.percent(ranked.chance, 0)} of "
            "bootstrap rounds; ")
    if not ties:
        return text + "all other choices are significantly slower"
    named = ", ".join(ranking.choice(r) for r in ties[:LISTED])
    more = len(ties) - LISTED
    text += (f"{labels.count(len(ties), 'choice')} of {len(ranked.rows) - 1} "
             f"cannot be told apart from it: {named}")
    spared = sum(p < stats.ALPHA and excused for p, excused in
                 zip(ranked.p, ranked.excused))
    return text + (f" and {more} more" if more > 0 else "") + (
        f"; {spared} by no more than other processes took" if spared else "")


def arguments():
    parser = program.arguments(__doc__)
    parser.add_argument("directory", metavar="DIR")
    parser.add_argument("--kernel", help="only loops whose spec begins so")
    parser.add_argument("--workers", type=int, help="only this number")
    return parser.parse_args()


def main():
    args = arguments()
    try:
        results = loader.load(args.directory)
    except loader.LoadError as error:
        print(f"advise: {error}", file=sys.stderr)
        return 2
    results.say("advise")
    frame = cells.summarize(results)
    if args.kernel and len(frame):
        frame = frame[frame["kernel"].str.startswith(args.kernel)]
    if args.workers and len(frame):
        frame = frame[frame["workers"] == args.workers]
    # --try compares by rounds, also where threads shared cores as it is.
    said = {loop["name"]: loop for loop in results.tried
            if len(frame) and loop["name"] in set(frame["kernel"])}
    if not said and (frame.empty or frame["unranked"].all()):
        print("advise: no ranked cell fits", file=sys.stderr)
        return 2
    samples = cells.by_cell(results.runs)
    for loop in said.values():
        print(labels.tried_words(loop), end="\n\n")
    found = ranking.problems(frame[~frame["kernel"].isin(said)])
    if results.reported and all(len(rows) == 1 for rows in found):
        print("\n".join([*labels.reported_words(results.reported),
                         "  " + results.reported["command"]]).rstrip())
        return 0
    for rows in found:
        ranked = ranking.rank(rows, samples)
        print("\n".join(lines(rows[0], ranked)), end="\n\n")
    return 0


if __name__ == "__main__":
    program.run("advise", main)
