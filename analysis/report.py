#!/usr/bin/env python3
"""Makes one page of a result directory: DIR/report.html, complete in itself.

    dlsbench report DIR
    dlsbench report NATIVE SIMULATED         both in one page, side by side
    dlsbench report DIR --out page.html --no-files

Of a paper (make papers) it also shows the claims and the printed values.
Beside the page, in report-files/: every figure as PDF and SVG, every number as
cells.csv, and each traced run as Chrome/Perfetto trace events.
Exit codes: 0, or 2 when there is nothing to show.
"""
import os
import re
import shlex
import sys
from itertools import islice

if not __package__:
    import need    # a script: makes the folder its package
    __package__ = need.PACKAGE

from . import (cells, cluster, counters, environment, files, foretold, labels,
               loader, page, parallel, perfetto, program, ranking,
               speedup_limits, stored_paper, svg, tables, traces)
from .figure_kinds import extremes, kinds, tried

MOST_ROWS = 500         # of a table on the page; all are in cells.csv
MOST_ANSWERS = 12
MOST_LAYOUTS = 3        # that are explained
MOST_LOOPS = 12         # with figures of their own
FEW_ROWS = 100          # of printed tables that are read before all else
BUSY_LEAST = 0.05       # share of others from which the page begins with it
# Which dlsbench omp refuses: it does not know the run queues.
NOT_OMP = "dtss-acp"
DOCTOR = "dlsbench doctor", "what disturbs this machine"
PAPER = "The paper"
TABLE_TITLES = {"time": "Time", "speedup": "Speedup", "overhead": "Overhead",
                "sync-interval": "Sync interval",
                "sync-tables": "Speedup against power",
                "sweep": "Best sync interval", "chunks": "Chunks",
                "imbalance": "Imbalance", "counters": "Counters",
                "flexibility": "Flexibility",
                "efficiency": "Efficiency",
                "regret": "Regret of automatic selection",
                "unequal": "Unequal workers",
                "classes": "Classes of loops"}


class Rendered:
    """A finished figure, in a form that can leave its process."""

    def __init__(self, drawing, with_pdf):
        self.name, self.section = drawing.name, drawing.section
        self.title, self.caption = drawing.title, drawing.caption
        self.detail = drawing.detail
        self.svg = svg.text_of(drawing.figure)
        self.pdf = svg.pdf_of(drawing.figure) if with_pdf else b""


def drawn_and_tabled(results, frame, traced, with_files):
    """(every figure for which there are data, the tables' section, cells.csv),
    made on all cores."""
    assert results.workers is not None  # read before the processes part
    plain, section, *groups = parallel.map_forked(lambda task: task(), [
        lambda: tables.plain(results, frame, list(tables.TABLES))
        if with_files else "",
        lambda: table_section(results, frame),
        *(lambda task=task: [Rendered(drawing, with_files)
                             for drawing in task()]
          for task in kinds.tasks(results, frame, traced, MOST_LOOPS))])
    return [drawn for group in groups for drawn in group], section, plain


def what(results, frame, path):
    """The measurements in numbers, when and where they were made."""
    when = sorted({str(m.get("started")) for m in results.manifests
                   if m.get("started")})
    span = " to ".join(dict.fromkeys([*when[:1], *when[-1:]]))
    return {
        "size": tried.size_words(results) if results.tried
        else size_words(results, frame),
        "where": " on ".join(filter(
            None, [span, environment.where(results.manifests)])),
        "path": ": ".join(filter(None, [path, loader.as_one(results)]))}


def size_words(results, frame):
    kinds = " and ".join(sorted(
        labels.unreal(part).strip(" ()") or "native"
        for _, part in frame.groupby("simulated")))
    count = labels.count
    return ", ".join([
        count(len(frame), "cell"),
        f"{count(len(results.runs), 'repetition')} ({kinds})",
        count(frame["kernel"].nunique(), "loop"),
        count(frame["scheme"].nunique(), "scheme"),
        f"up to {count(int(frame['workers'].max()), 'worker')}"])


def names(directory, name):
    """Title and authors of the paper that was repeated here, or of a page."""
    about = stored_paper.about(directory)
    return (about["title"], about["authors"]) if about["title"] else \
        (f"DLSBench: {name}", "")


def first_screen(results, frame, cores):
    """The start of a page without a paper; `cores`: the figures of the
    cores."""
    if results.tried:
        return {"answers": others_box(results, False)
                + [[labels.tried_words(loop)]
                   for loop in results.tried[:MOST_ANSWERS]],
                "more": 0, "meanings": "", "cores": cores,
                "commands": results.commands}
    samples = cells.by_cell(results.runs)
    found = ranking.largest(ranking.problems(frame))
    said = results.reported
    if said and all(len(rows) == 1 for rows in found):
        return {"answers": others_box(results, False)
                + [labels.reported_words(said)],
                "more": 0, "meanings": "", "cores": cores,
                "commands": [(said["command"], "the next step of the answer")]
                if said["command"] else []}
    ranked = [ranking.rank(rows, samples) for rows in found[:MOST_ANSWERS]]
    busy = too_busy(results, ranked)
    return {"answers": others_box(results, busy)
            + [answer_lines(results, r) for r in ranked],
            "more": len(found) - len(ranked), "meanings": meanings(frame),
            "cores": cores,
            "commands": commands(results, frame, [] if busy else ranked)}


def is_busy(results):
    """Whether other processes had a part of the cores that the page begins
    with."""
    return speedup_limits.others(results.runs) >= BUSY_LEAST


def too_busy(results, ranked):
    """Whether nothing could be told although some runs were enough."""
    return is_busy(results) and bool(ranked) and all(
        r.refused() or r.is_undecided for r in ranked) and any(
            r.refused() or r.enough(i) for r in ranked
            for i in range(1, len(r.rows)))


def others_box(results, busy):
    if not is_busy(results):
        return []
    words = speedup_limits.others_words(results.runs)
    return [["This machine was too busy to compare schedules: "
             f"{words}." if busy else f"{words.capitalize()} while this ran."]]


def answer_lines(results, ranked):
    """The answer, with what other processes had of these cells' cores."""
    of = {row["cell"] for row in ranked.rows}
    words = speedup_limits.others_words(
        results.runs[results.runs["cell"].isin(of)])
    return [*ranking.answer(ranked.rows[0], ranked),
            *([f"{words.capitalize()}."] if words else [])]


def meanings(frame):
    """The words of the answers, where they are first read."""
    layouts = frame[["layout", "ranks", "threads"]].drop_duplicates()
    return labels.meanings(
        list(frame["setup"].unique()),
        [(row["layout"], int(row["ranks"]), int(row["threads"]))
         for row in layouts.to_dict("records")[:MOST_LAYOUTS]])


def commands(results, frame, ranked):
    """[(what to type next, why)], where kernels were measured; without
    answers first what disturbs."""
    if frame["unchecked"].any():
        return []
    path = shlex.quote(results.path)
    schemes = list(dict.fromkeys(
        s for s in map(ranking.recommended, ranked)
        if s and labels.name_of(s) in labels.SCHEMES
        and labels.name_of(s) != NOT_OMP
        and re.fullmatch(r"[\w:=.-]+", s)))[:3]
    return [*([] if ranked else [DOCTOR]),
            *([(f"dlsbench omp --try {','.join(schemes)} -- ./your-program",
                "the same on a program of yours")] if schemes else []),
            (f"dlsbench advise {path}", "what to use, and how sure"),
            (f"dlsbench compare {path} OTHER",
             "with another build or machine")]


def figure_sections(drawn):
    """[(section, html)], in the order of the first figure of each; a paper's
    by their numbers, and those of other readings of it in one fold."""
    parts, aside = {}, []
    for i, drawing in enumerate(sorted(drawn, key=number_in_paper)):
        text = page.figure(drawing.title, drawing.caption, svg.inline(
            drawing.svg, f"f{i}", drawing.title))
        if drawing.detail and drawing.section == PAPER:
            aside.append(text)
            continue
        if drawing.detail or (drawing.section == extremes.SECTION
                              and drawing.section in parts):
            text = page.details(drawing.title, text)
        parts.setdefault(drawing.section, []).append(text)
    if aside:
        parts.setdefault(PAPER, []).append(page.details(
            "The figures in other readings", page.join(aside)))
    return [(name, page.join(texts)) for name, texts in parts.items()]


def number_in_paper(drawing):
    found = drawing.section == PAPER and re.search(r"\d+", drawing.title)
    return int(found[0]) if found else 0


def shortened(table):
    if len(table.rows) > MOST_ROWS:
        table.caption += " " + page.WORDS.many_rows(len(table.rows), MOST_ROWS)
        table.rows = table.rows[:MOST_ROWS]
    return table


def table_section(results, frame):
    parts = []
    for name, title in TABLE_TITLES.items():
        grids = list(islice(tables.TABLES[name](results, frame), MOST_LOOPS))
        if grids:
            body = page.join(page.table(shortened(g)) for g in grids)
            parts.append(page.details(title, body, name == "time"))
    return page.join([*parts, page.paragraph(page.WORDS.medians(), "small")])


def cluster_section(results, frame):
    """What comes first of a cluster's runs; empty of others."""
    return page.join(page.details(title, page.join(
        page.table(shortened(g)) for g in grids), i < 2)
        for i, (title, grids) in enumerate(cluster.parts(results, frame)))


def foretold_section(results, frame):
    return page.join(map(page.table, foretold.tables(results, frame)))


def with_paper(sections, directory):
    """The results of make papers first: what the figures show, tables of
    printed values if they are few, figures, claims, what the paper leaves
    open.  Folded: the numbers behind the claims, and what is not the paper's
    own reading."""
    parts = dict(sections)
    beside = stored_paper.beside(directory)
    whole = list(map(page.table, stored_paper.whole(directory)))
    own, again = ([shortened(stored_paper.table(t)) for t in beside
                   if t.own == is_own] for is_own in (True, False))
    few = not whole and sum(len(grid.rows) for grid in own) <= FEW_ROWS
    own, again = ([page.details(grid.title, page.table(grid), is_open)
                   for grid in grids]
                  for grids, is_open in ((own, few), (again, False)))
    found = [*map(page.paragraph, stored_paper.about(directory)["opens"])]
    found += [page.paragraph(stored_paper.counted_words(beside))] \
        if beside else []
    found += [parts.pop(PAPER, ""), *whole, *(own if few else [])]
    found += claims_parts(directory)
    left_open = stored_paper.assumptions(directory)
    found += [page.table(left_open)] if left_open else []
    found += [] if few else own
    found += [page.details("Other readings of printed values",
                           page.join(again))] if again else []
    words = stored_paper.text(directory)
    if stored_paper.exist(directory) and words:
        found.append(page.details("The whole report", page.verbatim(words)))
    body = page.join(found)
    return [(PAPER, body)] * bool(body) + list(parts.items())


def claims_parts(directory):
    """The paper's claims, and folded their numbers and further readings."""
    for i, (title, found) in enumerate(stored_paper.claims(directory)):
        claims = page.table(stored_paper.claims_grid(title, found))
        numbers = page.table(stored_paper.numbers_grid(found))
        if i == 0:
            yield claims + page.details("The claims' numbers", numbers)
        else:
            yield page.details("Further readings", claims + numbers)


def counters_line(results, frame):
    known = counters.facts(results, frame) is not None
    return page.paragraph(page.WORDS.no_counters(
        counters.reason(results), known))


def build(results, frame, sections, numbers, path):
    for title, text in (("This cluster", cluster_section(results, frame)),
                        ("Foretold", foretold_section(results, frame))):
        if text:
            sections.insert(0, (title, text))
    sections = with_paper(sections, results.path)
    if "Counters" not in dict(sections):
        sections.append(("Counters", counters_line(results, frame)))
    sections.append(("Numbers", numbers))
    sections.append(("Environment",
                     page.facts(environment.facts(results))))
    of_paper = stored_paper.exist(results.path)
    notes = [n for n in results.notes if n != loader.as_one(results) and (
        of_paper or not is_busy(results)
        or n != speedup_limits.others_words(results.runs))]
    loops = frame["kernel"].nunique()
    if loops > MOST_LOOPS:
        notes.append(page.WORDS.many_loops(loops, MOST_LOOPS))
    cores = dict(sections).get(extremes.SECTION, "")
    sections = [s for s in sections if s[0] != extremes.SECTION]
    title, authors = names(results.path, results.name)
    return page.document(
        title, [page.section(name, body, of_paper or i == 0)
                for i, (name, body) in enumerate(sections)],
        authors=authors, what=what(results, frame, path), notes=notes,
        first=paper_screen(results.path) if of_paper
        else first_screen(results, frame, cores))


def paper_screen(directory):
    """The start of a page of a paper."""
    return {"answers": [[stored_paper.confirmed_words(directory)]], "more": 0,
            "meanings": "", "cores": "", "commands": []}


def write_files(folder, plain, drawn, traced):
    files.folder(folder)
    for drawing in drawn:
        path = os.path.join(folder, drawing.name)
        files.write(path + ".svg", drawing.svg)
        with files.new(path + ".pdf", "wb") as file:
            file.write(drawing.pdf)
    files.write(os.path.join(folder, "cells.csv"), plain)
    for trace in traced:
        if trace.stamped:
            cell = trace.cell
            name = labels.short(cell["kernel"]) + "-" + cell["cell"]
            perfetto.write(trace, os.path.join(folder,
                                               f"trace-{name}.json"))


def arguments():
    parser = program.arguments(__doc__)
    parser.add_argument("directory", metavar="DIR", nargs="+")
    parser.add_argument("--out", metavar="FILE",
                        help="the page (default: report.html in the first "
                        "DIR)")
    parser.add_argument("--no-files", action="store_true",
                        help="only the page, no report-files/")
    return parser.parse_args()


def write_paper(directory, out):
    """The page of a paper without runs (make paper-beaumont)."""
    drawn = [Rendered(d, False) for task in kinds.of_papers(directory)
             for d in task()]
    title, authors = names(directory, os.path.basename(os.path.abspath(
        directory)))
    files.write(out, page.document(
        title, [page.section(*s) for s in
                with_paper(figure_sections(drawn), directory)],
        authors=authors, first=paper_screen(directory)))
    print(f"report: {out}")
    return 0


def say_directories(results):
    """A line for each, where several are read as one."""
    if len(results.directories) < 2:
        return
    places = results.ended["launch"].map(results.places)
    for directory in results.directories:
        good, bad = loader.ends(results.ended[places == directory])
        print(f"{good:5} ok {bad:3} not  {directory}")


def make(args):
    first = args.directory[0]
    out = args.out or os.path.join(first, "report.html")
    try:
        results = loader.load(*args.directory)
    except loader.LoadError:
        if not stored_paper.exist(first):
            raise
        return write_paper(first, out)
    frame = cells.summarize(results)
    results.say("report")
    say_directories(results)
    if frame.empty:
        return 2
    traced = traces.traces(results, frame)
    drawn, numbers, plain = drawn_and_tabled(results, frame, traced,
                                             not args.no_files)
    results.say("report")
    files.write(out, build(results, frame, figure_sections(drawn), numbers,
                           ", ".join(args.directory)))
    if not args.no_files:
        folder = os.path.join(os.path.dirname(os.path.abspath(out)),
                              "report-files")
        write_files(folder, plain, drawn, traced)
    print(f"report: {out}")
    return 0


def main():
    try:
        return make(arguments())
    except loader.LoadError as error:
        print(f"report: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    program.run("report", main)
