"""The files of the report on a paper (bench/papers/report.py) next to the
results: its claims, and printed values with ours."""
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
    """A Grid of the claims, where there are some."""
    found = rows(os.path.join(directory, "claims.csv"))
    where = "where" if "where" in found[0] else "figure"
    holding = sum(r.get("holds") == "1" for r in found)
    lines = [[VERDICTS.get(r.get("holds"), "cannot be said"), r.get("claim"),
              r.get(where), reading(r)] for r in found]
    return grid.Grid("The paper's claims", ["", "claim", where, "found"],
                     lines, f"{holding} of {len(found)} hold", left=4)


def reading(row):
    """The finding, and our reading of the claim."""
    return ". ".join(filter(None, [
        row.get("found"), f"Read as: {row.get('read_as')}",
        row.get("why") and f"Because: {row.get('why')}"]))


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
