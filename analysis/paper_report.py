"""Common parts of all reports on papers (bench/papers/NAME/claims.py).

A report is told in order what is to be seen: text, tables, tables with the
printed value beside ours, what the paper leaves open, and its claims with what
was found.  It is printed and stored beside the results it is about:
report.txt, paper.json (title, authors, what the page opens with, the tables),
assumptions.csv, claims.csv and NAME.csv for each table.
"""
import csv
import json
import math
import os
import sys
from collections import namedtuple

import numpy as np

from . import files, grid, labels, loader


# As the paper names itself and them.
Paper = namedtuple("Paper", "title authors")
# A table's printed values: the paper's, beside ours in its own reading; or
# again, beside ours in another reading.  WHOLE: a table as printed.
OWN, AGAIN, WHOLE = "own", "again", "whole"


class Report:
    """The report on a result directory, or on the several below one folder."""

    def __init__(self, directory, paper):
        self.directory, self.paper = directory, paper
        self.results = loader.load(directory)
        self.runs = self.results.runs
        self.parts = []        # texts, in order
        self.files = {}        # name -> (header, rows)
        self.assumptions = []
        self.claims = []
        self.opening, self.tables = [], []      # of paper.json
        versions = sorted({str(m.get("version"))
                           for m in self.results.manifests})
        title = "\n".join(filter(None, paper))
        self.say(f"{title}\ndlsbench {', '.join(versions)}, "
                 f"{len(self.runs)} simulated runs that took "
                 f"{labels.seconds(float(self.runs['wall_s'].sum()))}"
                 if "wall_s" in self.runs else title)
        for note in self.results.notes:
            if "no confidence intervals" not in note:
                self.say(f"note: {note}")

    def say(self, text):
        self.parts.append(text.rstrip("\n") + "\n")

    def open_with(self, sentence):
        """The page begins with these."""
        self.opening.append(sentence)
        self.say(sentence)

    def table(self, name, title, header, rows, caption="", left=1):
        """A table of words and numbers; numbers are stored as they are."""
        self.store(name, header, rows)
        words = [[number(value) for value in row] for row in rows]
        self.parts.append(grid.text(grid.Grid(title, header, words, caption,
                                              left)))

    def whole(self, name, title, header, rows, caption=""):
        """A table in the paper's columns, which the page shows as it is."""
        self.table(name, title, header, rows, caption, left=2)
        self.tables.append({"name": name, "title": title, "values": WHOLE,
                            "caption": caption})

    def store(self, name, header, rows):
        """NAME.csv only."""
        self.files[name] = (header, rows)

    def beside(self, name, title, keys, cells, caption="", absolute=False,
               across=None, fitted=None, values=OWN):
        """Printed values and ours: `cells` maps a tuple, one value for each of
        `keys`, to (printed, ours), either None where there is none.  Each
        cell shows printed, ours and the difference, in percent of the
        printed value (`absolute`: ours less printed).  `across`: the key
        whose values make the columns (default: the last).  `fitted` says of
        such a tuple whether ours was fitted to the printed value, which then
        shows nothing.  `values`: OWN or AGAIN."""
        across = keys.index(across or keys[-1])
        marks = {key: bool(fitted and fitted(key)) for key in cells}
        self.printed(name, title, [*keys, "printed", "ours",
                                   difference_name(absolute)],
                     [[*key, *pair, difference(pair, absolute)]
                      for key, pair in cells.items()],
                     list(marks.values()), values)
        columns = list(dict.fromkeys(key[across] for key in cells))
        down = {}
        for key, pair in cells.items():
            rest = key[:across] + key[across + 1:]
            down.setdefault(rest, {})[key[across]] = pair_words(
                pair, absolute) + FITTED * marks[key]
        header = [k for i, k in enumerate(keys) if i != across]
        header += [f"{keys[across]} {number(c)}" for c in columns]
        rows = [[*map(number, rest), *(line.get(c, "") for c in columns)]
                for rest, line in down.items()]
        caption = caption or "printed, ours, difference"
        self.parts.append(grid.text(grid.Grid(
            title, header, rows, caption + fitted_words(marks.values()),
            left=len(keys) - 1)))
        self.summarize([difference(pair, absolute) for key, pair in
                        cells.items() if not marks[key]], absolute)

    def printed(self, name, title, header, rows, fitted, values=OWN,
                caption=""):
        """Stores printed values beside ours, with a column for what was
        fitted, which is left out where nothing was."""
        if any(fitted):
            header = [*header, "fitted"]
            rows = [[*row, int(mark)] for row, mark in zip(rows, fitted)]
        self.store(name, header, rows)
        self.tables.append({"name": name, "title": title, "values": values,
                            "caption": caption})

    def summarize(self, differences, absolute):
        found = np.array([abs(d) for d in differences if d is not None])
        if not len(found):
            return
        unit = "" if absolute else " %"
        self.say(f"  {labels.count(len(found), 'cell')} with a printed value "
                 "that was not fitted: "
                 f"median absolute difference {np.median(found):.3g}{unit}, "
                 f"largest {found.max():.3g}{unit}")

    def assume(self, assumption, value, why, others=()):
        """A choice that the paper leaves open: our value, why (the text or
        physics, settled before claims are counted), and [(another value, what
        it does)] if that was tried."""
        self.assumptions += assumed(assumption, value, why, others)

    def claim(self, claim, where, read_as, holds, found, why="", excludes="",
              further=False, fitted=False):
        """A claim of the paper's text about `where` (figure 3, section VI):
        what we take it to mean as a number, whether that holds (None: our
        numbers cannot tell), these numbers, and the reason where it does not.
        `excludes`: another claim that cannot hold with it, and why.
        `further`: the claim in a reading that is not the paper's own, which
        is counted apart.  `fitted`: it rests on numbers that were fitted to
        what the paper prints, which shows less."""
        self.claims.append({"claim": claim, "where": where,
                            "read_as": read_as, "holds": holds,
                            "found": found, "why": why, "excludes": excludes,
                            "further": further, "fitted": fitted})

    def text(self):
        parts = [assumptions_text(self.assumptions)] * bool(self.assumptions)
        parts += [claims_text(self.claims)] * bool(self.claims)
        return "\n".join([*self.parts, *parts])

    def write(self):
        text = self.text()
        files.write(os.path.join(self.directory, "report.txt"), text)
        for name, (header, rows) in self.files.items():
            write_csv(os.path.join(self.directory, name + ".csv"), header,
                      rows)
        write_assumptions(self.directory, self.assumptions)
        write_claims(self.directory, self.claims)
        write_paper(self.directory, self.paper, self.opening, self.tables)
        sys.stdout.write(text)


def write_paper(directory, paper, opening, tables=()):
    files.write(os.path.join(directory, "paper.json"), json.dumps(
        {**paper._asdict(), "opens": opening, "tables": list(tables)},
        indent=1) + "\n")


# ---- what a paper leaves open ----

def assumed(assumption, value, why, others=()):
    """The rows of assumptions.csv: one for each other value, or one."""
    return [{"assumption": assumption, "value": value, "why": why,
             "other": other, "effect": effect}
            for other, effect in others or [("", "")]]


def assumptions_text(rows):
    lines, before = ["What the paper leaves open"], None
    for row in rows:
        if row["assumption"] != before:
            before = row["assumption"]
            lines += [f"  {before}: {row['value']}",
                      f"{'':6}because: {row['why']}"]
        if row["other"]:
            lines.append(f"{'':6}{row['other']}: {row['effect']}")
    return "\n".join(lines) + "\n"


def write_assumptions(directory, rows):
    if rows:
        write_csv(os.path.join(directory, "assumptions.csv"), list(rows[0]),
                  [list(row.values()) for row in rows])


# ---- claims ----

HOLDS, FAILS, OPEN = True, False, None
WORDS = {HOLDS: "holds", FAILS: "does not hold", OPEN: "cannot be told"}
FITTED = "*"


def fitted_words(marks):
    return f"; {FITTED} ours was fitted to the printed value" if any(marks) \
        else ""


def verdict(holds):
    return None if holds is None else bool(holds)


def all_of(verdicts):
    """That of a claim with several parts: it fails with one of them."""
    found = {verdict(v) for v in verdicts}
    return FAILS if FAILS in found else OPEN if OPEN in found else HOLDS


def count_words(claims):
    """`holds` and `excludes` of each claim.  Claims that exclude each other
    come in pairs, and at most one of a pair can hold."""
    found = [verdict(c["holds"]) for c in claims]
    words = f"{found.count(HOLDS)} of {len(found)} hold"
    if OPEN in found:
        words += f", of {found.count(OPEN)} it cannot be told"
    pairs = sum(bool(c.get("excludes")) for c in claims) // 2
    if pairs:
        words += (f"; at most {len(found) - pairs} can, as claims exclude "
                  "each other")
    fitted = sum(bool(c.get("fitted")) for c in claims)
    if fitted:
        own = sum(bool(c["holds"] and c.get("fitted")) for c in claims)
        words += (f"; {fitted} of them rest{'s' * (fitted == 1)} on numbers "
                  f"that were fitted to the paper's, of which {own} hold"
                  + "s" * (own == 1))
    return words


def claims_text(claims):
    own = [c for c in claims if not c.get("further")]
    further = [c for c in claims if c.get("further")]
    return claims_list("The paper's claims", own) + (
        "\n" + claims_list("The same claims in further readings", further)
        if further else "")


def claims_list(title, claims):
    lines = [title]
    for n, c in enumerate(claims, 1):
        lines.append(f"{n:3d} {WORDS[verdict(c['holds'])]:<15} {c['claim']} "
                     f"({c['where']})" + FITTED * bool(c.get("fitted")))
        lines.append(f"{'':20}{c['found']}")
        lines.append(f"{'':20}read as: {c['read_as']}")
        lines += [f"{'':20}{word}: {c[name]}" for word, name in (
            ("because", "why"), ("excludes", "excludes")) if c.get(name)]
    lines.append("  " + count_words(claims))
    return "\n".join(lines) + "\n"


def stored(value):
    """A truth as a number; None stays an empty cell."""
    return int(value) if isinstance(value, (bool, np.bool_)) else value


def write_claims(directory, claims):
    if claims:
        write_csv(os.path.join(directory, "claims.csv"), list(claims[0]),
                  [list(map(stored, c.values())) for c in claims])


def number(value):
    """As in a table: four digits, words as they are, nothing for None."""
    if value is None or isinstance(value, float) and math.isnan(value):
        return "-"
    if isinstance(value, (float, np.floating)):
        return f"{value:.0f}" if abs(value) >= 1000 else f"{value:.4g}"
    return str(value)


def difference(pair, absolute=False):
    printed, ours = pair
    if printed is None or ours is None:
        return None
    if absolute:
        return ours - printed
    return 100 * (ours / printed - 1) if printed else None


def difference_name(absolute):
    return "difference" if absolute else "difference_percent"


def pair_words(pair, absolute):
    if pair is None:
        return ""
    off = difference(pair, absolute)
    words = "-" if off is None else \
        f"{off:+.3g}" if absolute else f"{off:+.1f} %"
    return f"{number(pair[0])} {number(pair[1])} {words}"


def write_csv(path, header, rows):
    with files.new(path, encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows([["" if v is None else v for v in row]
                          for row in rows])


def main(paper, fill, directory):
    """Lets `fill` say everything to the report on a directory and writes it;
    ends with 2 when there is nothing to report on."""
    try:
        report = Report(directory, paper)
        if report.runs.empty:
            raise loader.LoadError(f"{directory}: no cell is complete")
        fill(report)
    except loader.LoadError as error:
        print(f"{os.path.basename(sys.argv[0])}: {error}", file=sys.stderr)
        sys.exit(2)
    report.write()
