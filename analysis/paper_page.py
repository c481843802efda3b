"""The files of the report on a paper (bench/papers/report.py) next to the
results: what the paper leaves open, its claims, printed values with ours."""
import csv
import glob
import os

import grid
import paper

PRINTED, OURS = "printed", "ours"
VERDICTS = {"1": "holds", "0": "does not hold", "": "cannot be said"}


def exist(directory):
    return bool(rows(os.path.join(directory, "claims.csv")))


def rows(path):
    try:
        with open(path, encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))
    except (OSError, csv.Error, UnicodeDecodeError):
        return []


def claims(directory):
    """A Grid of the claims, and one of those in further readings if there are
    some."""
    found = rows(os.path.join(directory, "claims.csv"))
    for name, further in (("The paper's claims", False),
                          ("The same claims in further readings", True)):
        part = [r for r in found if (r.get("further") == "1") == further]
        if part:
            yield claims_grid(name, part)


def claims_grid(title, found):
    where = "where" if "where" in found[0] else "figure"
    lines = [[number, VERDICTS.get(r.get("holds"), "cannot be said"),
              r.get("claim"), r.get(where), reading(r)]
             for number, r in enumerate(found, 1)]
    return grid.Grid(title, ["", "", "claim", where, "found"], lines,
                     paper.count_words(
                         sum(r.get("holds") == "1" for r in found),
                         len(found), sum(bool(r.get("excludes"))
                                         for r in found)), left=5)


def reading(row):
    """The finding, and our reading of the claim."""
    return ". ".join(filter(None, [
        row.get("found"), f"Read as: {row.get('read_as')}",
        row.get("why") and f"Because: {row.get('why')}",
        row.get("excludes") and f"Excludes: {row.get('excludes')}"]))


def assumptions(directory):
    """A Grid of what the paper leaves open, or None."""
    lines, before = [], None
    for row in rows(os.path.join(directory, "assumptions.csv")):
        same = row["assumption"] == before
        before = row["assumption"]
        lines.append([*([""] * 3 if same else
                        [before, row["value"], row["why"]]),
                      ": ".join(filter(None, [row["other"],
                                              row["effect"]]))])
    return grid.Grid(
        "What the paper leaves open",
        ["assumption", "value", "because", "another value, and what it does"],
        lines, "Settled by the text, by physics or by a fit to printed "
        "numbers, before claims are counted.", left=4, wraps=True) \
        if lines else None


def beside(directory):
    """name -> rows of each table with printed values next to ours."""
    found = {}
    for path in sorted(glob.glob(os.path.join(glob.escape(directory),
                                              "*.csv"))):
        table = rows(path)
        if table and {PRINTED, OURS} <= set(table[0]):
            found[os.path.basename(path).removesuffix(".csv")] = table
    return found


def number(text):
    try:
        return float(text)
    except (TypeError, ValueError):
        return None


def words(text):
    value = number(text)
    return text if value is None else paper.number(value)


def table(name, lines):
    """A Grid of printed values next to ours."""
    header = list(lines[0])
    left = header.index(PRINTED)
    return grid.Grid(title(name), [h.replace("_", " ") for h in header],
                     [[line[h] or "-" if i < left else words(line[h] or "-")
                       for i, h in enumerate(header)] for line in lines],
                     left=left)


def title(name):
    return name.replace("_", " ").capitalize()


def text(directory):
    """The report's text; empty without one."""
    try:
        with open(os.path.join(directory, "report.txt"),
                  encoding="utf-8") as file:
            return file.read()
    except (OSError, UnicodeDecodeError):
        return ""
