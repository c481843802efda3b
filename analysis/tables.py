#!/usr/bin/env python3
"""Prints the tables of a result directory.

    dlsbench tables DIR                          every table that has data
    dlsbench tables DIR --table speedup          one of them
    dlsbench tables DIR --format csv             every number, a line a cell
    dlsbench tables DIR --table time --format latex
    dlsbench tables DIR --table speedup --base single-master
    dlsbench tables DIR --ending --store         what dlsbench run ends with

DIR is a result directory, or a folder of several (shards, campaigns of a
paper), read as one; several DIRs are read as one, too.  Every value is a
median; the brackets hold the 95 % confidence interval of the median.
Exit codes: 0, or 2 when there is nothing to print.
"""
import argparse
import difflib
import os
import re
import sys

if not __package__:
    import need    # a script: makes the folder its package
    __package__ = need.PACKAGE

import numpy as np

from . import (bases, cells, classes, counters, ending, flexibility, foretold,
               grid, labels, loader, losses, paper_values, predicted, program,
               ranking, records, regret, speedup_limits, stats, sweep, sync,
               unequal)


def bracketed(row, name, form):
    """Median and interval of one measure of one cell."""
    value = row[name]
    words = form(value)
    if row["n"] < stats.CI_LEAST or not np.isfinite(row[name + "_low"]):
        return words
    low, high = form(row[name + "_low"]), form(row[name + "_high"])
    return f"{words} [{low}, {high}]"


def time_words(row, name="time_s"):
    value = row[name]
    if not np.isfinite(value):
        return "-"
    if row["n"] < stats.CI_LEAST or not np.isfinite(row[name + "_low"]):
        return labels.seconds(value)
    low, high = (labels.seconds(row[name + end], value).split()[0]
                 for end in ("_low", "_high"))
    return f"{labels.seconds(value)} [{low}, {high}]"


def ratio_words(row, name):
    return bracketed(row, name, lambda v: labels.number(float(v), 3)
                     if np.isfinite(v) else "-")


def share_words(row, name):
    return bracketed(row, name, labels.percent)


def kernels(frame):
    """(title, cells) of each kernel, natively and simulated apart."""
    for _, part in frame.groupby(["kernel", "simulated"], sort=False):
        yield part["loop"].iloc[0] + labels.unreal(part), part


def by_workers(frame, title, words, caption=None, more=()):
    """A grid per kernel: setups and schemes down, workers across.  With one
    number of workers `more` columns follow: (header, function of a row)."""
    for kernel, part in kernels(frame):
        counts = sorted(part["workers"].dropna().unique())
        has_interval = bool(part["interval"].notna().any())
        keys = ["setup", "scheme"] + ["interval_words"] * has_interval
        extra = more if len(counts) == 1 else ()
        groups = {}
        for row in records.of(part):
            key = tuple(row[k] for k in keys)
            groups.setdefault(key, {})[row["workers"]] = row
        rows = [[*key, *(words(at[p]) if p in at else "" for p in counts),
                 *(f(next(iter(at.values()))) for _, f in extra)]
                for key, at in groups.items()]
        header = ["setup", "scheme"] + (["interval"] if has_interval else [])
        header += [labels.count(int(p), "worker") for p in counts]
        header += [name for name, _ in extra]
        yield grid.Grid(f"{title}: {kernel}", header, rows,
                        caption(part) if caption else "", left=2)


def has(frame, name):
    return name in frame and frame[name].notna().any()


def over_bound(row):
    return labels.number(float(row["time_s"] / row["bound_s"]), 3)


def verified(row):
    if row["simulated"]:
        return "handed out"
    if row["unchecked"]:
        return "-"
    return "sample" if row["sampled"] else "yes"


def time_table(results, frame):
    printed = paper_values.Printed(results.name)

    def words(row):
        text, theirs = time_words(row), printed.time_s(row)
        if theirs is not None:
            text += f" (printed {labels.seconds(theirs)})"
        if row.get("protocol") == "push" and np.isfinite(
                row["predicted_s"]):
            planned = labels.seconds(row["predicted_s"])
            text += f" (planned {planned})"
        return text
    return by_workers(frame, "Time", words, more=[
        ("time/bound", over_bound), ("runs", lambda r: str(r["n"])),
        ("verified", verified)])


def efficiency(row):
    """Speedup per worker; none against a base of several workers, which
    already has losses."""
    return "-" if row["base_workers"] != 1 else labels.number(
        float(row["speedup"] / row["workers"]), 3)


def speedup_words(row):
    return "refused" if row["refused"] else ratio_words(row, "speedup")


def speedup_caption(part):
    return "; ".join(filter(None, [
        "over " + str(part["base"].iloc[0]),
        speedup_limits.refused_words(records.of(part))]))


def speedup_table(results, frame):
    return by_workers(frame, "Speedup", speedup_words, speedup_caption,
                      more=[("efficiency", efficiency)])


def overhead_table(results, frame):
    if not has(frame, "overhead_mean_s"):
        return ()
    return by_workers(
        frame, "Overhead", lambda r: time_words(r, "overhead_mean_s"),
        lambda part: "T_total - T_computation, mean over the workers",
        more=[("of the time", lambda r: labels.percent(
            r["overhead_mean_s"] / r["time_s"]))])


def imbalance_table(results, frame):
    if not has(frame, "imbalance"):
        return ()
    return by_workers(
        frame, "Imbalance", lambda r: share_words(r, "imbalance"),
        lambda part: "of the finishing times: largest / mean - 1",
        more=[("cv", lambda r: labels.percent(r["cv"]))])


def chunks_table(results, frame):
    if not has(frame, "chunks"):
        return ()
    printed = paper_values.Printed(results.name)

    def words(row):
        theirs = printed.chunks(row)
        text = labels.number(float(row["chunks"]), 1)
        return text if theirs is None else f"{text} (printed {theirs:g})"
    return by_workers(frame, "Chunks", words, more=[
        ("messages", lambda r: labels.number(float(r["messages"]), 1)),
        ("bytes", lambda r: labels.number(float(r["bytes"]), 1))])


def interval_table(results, frame):
    """Intervals down, schemes across; the fastest of a column has a star, if
    it is one."""
    frame = frame[frame["interval"].notna()]
    samples = cells.by_cell(results.runs)
    printed = paper_values.Printed(results.name)
    for kernel, part in kernels(frame):
        for (setup, p), group in part.groupby(["setup", "workers"],
                                              sort=False):
            if group["interval"].nunique() < 2:
                continue
            schemes = list(group["scheme"].unique())
            best = {s: ranking.winner(records.of(of), samples)
                    for s, of in group.groupby("scheme")}
            rows = []
            for (_, h), line in group.groupby(["interval", "interval_words"]):
                at = {r["scheme"]: r for r in records.of(line)}
                rows.append([h] + [
                    "" if s not in at else time_words(at[s])
                    + (" *" if best[s] and best[s]["cell"] == at[s]["cell"]
                       else "  ")
                    for s in schemes])
            yield grid.Grid(
                f"Time by sync interval: {kernel}, {setup}, "
                f"{labels.count(int(p), 'worker')}",
                ["interval", *schemes], rows,
                "* fastest of its column; without a star, several cannot be "
                "told apart"
                + "".join(f"; {text}" for text in (
                    *lost(group), *printed_optima(group, printed))))


def lost(group):
    """The cost of the model's interval, for each scheme."""
    for ours, best in predicted.optima(group):
        yield (f"{ours['scheme']}: predicted {ours['interval']:g}, fastest "
               f"{best['interval']:g}, lost "
               + labels.percent(ours["time_s"] / best["time_s"] - 1))


def printed_optima(group, printed):
    """The optimum that the paper prints for each scheme's problem."""
    for row in records.of(group.drop_duplicates("scheme")):
        theirs = printed.optimum(row)
        if theirs is not None:
            yield (f"{row['scheme']}: printed predicted {theirs[0]:g}, "
                   f"fastest {theirs[1]:g}, {labels.seconds(theirs[2])}")


def counts_grids(found, title, caption):
    for kernel, part in kernels(found.frame):
        timed = ["interval_words"] * bool(part["interval"].notna().any())
        rows = [[r["setup"], r["scheme"], *(r[n] for n in timed),
                 f"{r['workers']:g}",
                 *(counters.words(r[n]) for n in found.names)]
                for r in records.of(part)]
        yield grid.Grid(f"{title}: {kernel}",
                        ["setup", "scheme", *(["interval"] * len(timed)),
                         "workers",
                         *(counters.short(n) for n in found.names)], rows,
                        caption, left=2)


def counters_table(results, frame):
    """Events, and the facts available on every machine."""
    notes = [f"not counted: {line}" for line in counters.missing(results)]
    how = "mean over repetitions, summed over workers"
    found = counters.per_iteration(results, frame)
    cost = counters.cost(results)
    if cost is not None:
        notes.insert(0, f"reading them took {labels.percent(cost)} of the "
                     f"workers' time; {counters.reading(results)}")
    if found is not None:
        yield from counts_grids(found, "Counters per iteration",
                                "; ".join([how, *notes]))
        notes = []
    found = counters.facts(results, frame)
    if found is not None:
        yield from counts_grids(
            found, "Workers in one repetition, as the system saw them",
            "; ".join([how, *notes]))


def flexibility_table(results, frame):
    return flexibility.tables(results, frame, time_words)


def regret_table(results, frame):
    return regret.tables(results, frame)


TABLES = {"speedup": speedup_table, "time": time_table,
          "overhead": overhead_table, "sync-interval": interval_table,
          "chunks": chunks_table, "counters": counters_table,
          "imbalance": imbalance_table, "flexibility": flexibility_table,
          "regret": regret_table, "sync-tables": sync.tables,
          "sweep": sweep.tables, "efficiency": losses.tables,
          "foretold": foretold.tables, "unequal": unequal.tables,
          "classes": classes.tables}


def why_empty(name, results):
    """One line on why a requested table is empty."""
    if name == "counters":
        return "no counters: " + counters.reason(results)
    if name == "flexibility":
        return "no cell ran with and without a perturbation"
    if name == "regret":
        return "no cell of scheme auto"
    if name == "sync-tables":
        return "no loop with dependences"
    if name == "sweep":
        return "no loop ran with three given sync intervals"
    if name == "sync-interval":
        return "no loop with dependences ran with several sync intervals"
    if name == "efficiency":
        return "no loop ran with several numbers of workers"
    if name == "foretold":
        return "no cell ran both measured and simulated"
    if name == "unequal":
        return "no loop ran with several lists of powers"
    if name == "classes":
        return f"fewer than {classes.LEAST} classes of loops ran in one setup"
    return "the columns it needs are missing"


def add_significance(frame):
    """Whether the interval of a ratio says that it is not 1."""
    for name in ("speedup", "flexibility"):
        if name + "_low" in frame:
            low, high = frame[name + "_low"], frame[name + "_high"]
            said = ((low > 1) | (high < 1)).astype(object)
            frame.insert(frame.columns.get_loc(name + "_high") + 1,
                         name + "_is_significant",
                         said.where(frame[name].notna()))
    return frame


def plain(results, frame, tables):
    """CSV: a line per cell, numbers in full."""
    return wide(results, frame, tables).to_csv(index=False)


def wide(results, frame, tables):
    """A row per cell, with the columns that these tables need."""
    frame = frame.drop(columns=["interval", "interval_words"])
    counted = []
    for found in ((counters.per_iteration(results, frame),
                   counters.facts(results, frame))
                  if "counters" in tables else ()):
        if found is not None:
            extra = found.frame[["cell", "simulated", *found.names]]
            frame = frame.merge(extra, how="left", on=["cell", "simulated"])
            counted += found.names
    front = ["kernel", "scheme", "setup", "layout", "workers",
             "sync_interval", "simulated", "n", "launches"]
    if "flexibility" in tables:
        found = flexibility.pairs(results, frame)
        if len(found):
            frame = frame.join(found[flexibility.COLUMNS])
            counted += [*flexibility.COLUMNS, "flexibility_is_significant"]
    if "regret" in tables:
        found = regret.pairs(results, frame)
        if len(found):
            more = [*regret.CHOSEN, "auto_s", "best", "best_s", "regret",
                    "regret_low", "regret_high", "regret_with_trials"]
            more = [n for n in more if n not in frame]
            frame = frame.join(found[more])
            counted += more
    frame = add_significance(frame.copy())
    measures = [n for n in frame.columns
                if re.sub("_(low|high|is_significant)$", "", n)
                in (*cells.MEASURES, "speedup")]
    wanted = {"speedup": ["speedup", "base_s", "base"], "time":
              ["time_s", "bound_s", "serial_s"], "overhead": ["overhead"],
              "sync-interval": ["time_s"], "chunks":
              ["chunks", "messages", "bytes"], "imbalance":
              ["imbalance", "cv"], "counters": [], "flexibility":
              ["time_s"], "regret": ["time_s"], "sync-tables":
              ["time_s", "serial_s"], "sweep": ["time_s", "predicted_s"],
              "efficiency": ["time_s", "serial_s"],
              "foretold": ["time_s"], "unequal": ["time_s", "power_s"],
              "classes": ["time_s"]}
    if len(tables) < len(TABLES):
        starts = tuple(s for t in tables for s in wanted[t])
        chosen = [n for n in measures if starts and n.startswith(starts)]
        chosen += [n for n in ("base", "refused") if "speedup" in tables]
        chosen += counted
        frame = frame[[*front, *[n for n in chosen if n not in front]]]
    else:
        frame = frame[[*front, *[n for n in frame.columns
                                 if n not in front]]]
    return frame


def table_name(word):
    if word in TABLES:
        return word
    near = difflib.get_close_matches(word, TABLES, 1, 2 / 3)
    raise argparse.ArgumentTypeError(
        f"'{word}' is unknown; did you mean '{near[0]}'?" if near else
        f"'{word}' is unknown; {os.path.basename(sys.argv[0])} --help lists "
        "what there is")


def arguments():
    parser = program.arguments(__doc__)
    parser.add_argument("directory", metavar="DIR", nargs="+")
    parser.add_argument("--table", type=table_name, action="append",
                        metavar="TABLE",
                        help="which (may be given several times); else all: "
                        + ", ".join(TABLES))
    parser.add_argument("--format", choices=grid.FORMATS, default="text")
    parser.add_argument("--base", metavar="BASE", help="what speedups are "
                        "over: single-master (the same scheme below one "
                        "master with the fewest workers), css or "
                        "scheme=SPEC (the same cell under that scheme), "
                        "cell=HASH; else the serial loop")
    parser.add_argument("--ending", action="store_true",
                        help="what dlsbench run ends with below its "
                        "summary")
    parser.add_argument("--store", action="store_true",
                        help="also write " + ", ".join(ending.FILES)
                        + " into the first DIR, where they have lines")
    return parser.parse_args()


def main():
    args = arguments()
    tables = args.table or list(TABLES)
    first = args.directory[0]
    if args.store and not os.path.isdir(first):
        return fail(f"{first}: no such directory")
    try:
        results = loader.load(*args.directory)
        frame = cells.summarize(results)
        if args.base and not frame.empty:
            bases.apply(results, frame, args.base)
    except bases.BaseError as error:
        return fail(f"--base: {error}")
    except loader.LoadError as error:
        sys.exit(fail(str(error)))
    if args.ending:
        return end(args, results, frame)
    results.say("tables")
    if frame.empty:
        return 2
    if args.store:
        ending.store(first, results, frame)
    if args.format == "csv":
        sys.stdout.write(plain(results, frame, tables))
        results.say("tables")
        return 0
    printed = 0
    for name in tables:
        grids = list(TABLES[name](results, frame))
        if not grids and args.table:
            print(f"tables: {name}: {why_empty(name, results)}",
                  file=sys.stderr)
        for table in grids:
            print(grid.WRITERS[args.format](table))
        printed += len(grids)
    results.say("tables")
    return 0 if printed else 2


def end(args, results, frame):
    """The summary above has reported the errors of cells."""
    names = [] if frame.empty else ending.names(results)
    for name in names:
        for table in TABLES[name](results, frame):
            print("\n" + grid.WRITERS[args.format](table), end="")
    if names and args.store:
        ending.store(args.directory[0], results, frame)
    return 0


def fail(text):
    print(f"tables: {text}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    program.run("tables", main)
