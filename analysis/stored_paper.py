"""The files of the report on a paper (bench/papers/report_paper.py) next to
the results: what the paper leaves open, its claims, printed values beside
ours."""
import csv
import glob
import json
import os
import statistics

from . import grid, labels, paper_report

PRINTED, OURS, FITTED = "printed", "ours", "fitted"
VERDICTS = {"1": True, "0": False}
NO_PAPER = {"title": "", "authors": "", "opens": [], "tables": []}


def exist(directory):
    return bool(rows(os.path.join(directory, "claims.csv")))


def about(directory):
    """paper.json: title, authors, what the page opens with, the tables with
    printed values."""
    try:
        with open(os.path.join(directory, "paper.json"),
                  encoding="utf-8") as file:
            return {**NO_PAPER, **json.load(file)}
    except (OSError, ValueError, TypeError):
        return dict(NO_PAPER)


def rows(path):
    try:
        with open(path, encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))
    except (OSError, csv.Error, UnicodeDecodeError):
        return []


def claims(directory):
    """[(title, claims)]: the paper's, and those in further readings if there
    are some.  A claim is a line of claims.csv with its number and `holds` as
    True, False or None."""
    found = [{**r, "holds": VERDICTS.get(r.get("holds")),
              "fitted": r.get(FITTED) == "1"}
             for r in rows(os.path.join(directory, "claims.csv"))]
    for title, further in (("The paper's claims", False),
                           ("The same claims in further readings", True)):
        part = [{**r, "number": number} for number, r in enumerate(
            (r for r in found if (r.get("further") == "1") == further), 1)]
        if part:
            yield title, part


def claims_grid(title, found):
    lines = [[c["number"], f"{c.get('claim')} ({c.get('where')})"
              + paper_report.FITTED * c["fitted"],
              paper_report.WORDS[c["holds"]],
              ". ".join(filter(None, [c.get("why"), c.get("excludes") and
                                      f"Excludes: {c['excludes']}"]))]
             for c in found]
    return grid.Grid(title, ["", "claim", "", "because"], lines,
                     paper_report.count_words(found) + "." + (
                         f" {paper_report.FITTED} rests on fitted numbers."
                         if any(c["fitted"] for c in found) else ""), left=4,
                     wraps=True)


def numbers_grid(found):
    return grid.Grid("", ["", "found", "read as"],
                     [[c["number"], c.get("found"), c.get("read_as")]
                      for c in found], "By the claims' numbers.", left=3,
                     wraps=True)


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


def whole(directory):
    """Grids of tables in the paper's own columns."""
    for said in about(directory)["tables"]:
        lines = rows(os.path.join(directory, f"{said['name']}.csv")) \
            if said.get("values") == paper_report.WHOLE else []
        if lines:
            yield grid.Grid(said["title"], list(lines[0]), [
                list(map(words, line.values())) for line in lines],
                said.get("caption", ""), left=2)


class Table:
    """Printed values beside ours: `rows` of a file.  `own`: in the paper's own
    reading; False: repeated for another reading."""

    def __init__(self, name, rows, title, own, caption=""):
        self.name, self.rows, self.title, self.own = name, rows, title, own
        self.caption = caption


def beside(directory):
    """The tables with printed values next to ours."""
    known = {t.get("name"): t for t in about(directory)["tables"]
             if isinstance(t, dict)}
    found = []
    for path in glob.glob(os.path.join(glob.escape(directory), "*.csv")):
        name = os.path.basename(path).removesuffix(".csv")
        lines, said = rows(path), known.get(name, {})
        if lines and {PRINTED, OURS} <= set(lines[0]) and (
                said or not known):
            found.append(Table(name, lines, said.get("title") or title(name),
                               said.get("values") != paper_report.AGAIN,
                               said.get("caption", "")))
    order = list(known)
    return sorted(found, key=lambda t: (
        order.index(t.name) if t.name in known else 0, t.name))


def is_fitted(row):
    return row.get(FITTED) == "1"


def counted(tables):
    """(printed values, those with ours beside them, those of them to which
    ours was fitted): each value once, in the paper's own reading."""
    lines = [r for t in tables if t.own for r in t.rows
             if number(r[PRINTED]) is not None]
    here = [r for r in lines if number(r[OURS]) is not None]
    return len(lines), len(here), sum(map(is_fitted, here))


def counted_words(tables):
    printed, here, fitted = counted(tables)
    words = (f"The paper prints {labels.count(printed, 'value')}. We compare "
             + ("all" if here == printed else str(here)))
    if fitted:
        words += (f"; {fitted} of these prove nothing, because the model was "
                  "fitted to them")
    more = printed - here
    lacking = {t.title.partition(":")[0] for t in tables if t.own
               and any(number(r[PRINTED]) is not None
                       and number(r[OURS]) is None for r in t.rows)}
    return words + "." + (
        f" We have no value for the other {more if more > 1 else 'one'} "
        f"({', '.join(sorted(lacking))})." if lacking else "")


def confirmed_words(directory):
    """How many of the paper's claims hold, in sentences."""
    own = [c for _, found in list(claims(directory))[:1] for c in found]
    holding = [c for c in own if c["holds"]]
    failing = [c for c in own if c["holds"] is False]
    words = f"Our simulation confirms {len(holding)} of the paper's " \
        + labels.count(len(own), "claim")
    if failing and all(c.get("why") or c.get("excludes") for c in failing):
        words += f"; each of the {len(failing)} that do not hold has its " \
            "reason below" if len(failing) > 1 else \
            "; the one that does not hold has its reason below"
    left = len(own) - len(holding) - len(failing)
    fitted = sum(c["fitted"] for c in holding)
    return (words + "." + f" {left} cannot be told." * bool(left)
            + f" {fitted} of the {len(holding)} that it confirms "
            f"rest{'s' * (fitted == 1)} on numbers that were fitted to the "
            "paper's, which proves less." * bool(fitted))


def number(text):
    try:
        return float(text)
    except (TypeError, ValueError):
        return None


def words(text):
    value = number(text)
    return text if value is None else paper_report.number(value)


MOST_ACROSS = 12     # values of the last key with a column each
OFF = "difference_percent", "difference"


def table(found):
    """A Grid of a Table.  One with several keys has the paper's form: printed
    values above ours, the last key across, or in one cell where it has many
    values."""
    header = list(found.rows[0])
    keys = header[:header.index(PRINTED)]
    if len(keys) < 2:
        return as_stored(found, header)
    *down, across = keys
    columns = list(dict.fromkeys(row[across] for row in found.rows))
    groups = {}
    for row in found.rows:
        groups.setdefault(tuple(row[k] or "-" for k in down),
                          {})[row[across]] = row
    together = len(columns) > MOST_ACROSS
    lines = []
    for key, cells in groups.items():
        for name in (PRINTED, OURS):
            values = [cell(cells.get(c), name) for c in columns]
            lines.append([*(key if name == PRINTED else [""] * len(key)), name,
                          *([" ".join(v for v in values if v != "-")]
                            if together else values)])
    return grid.Grid(
        found.title, [*down, "", *([f"by {across}"] if together else columns)],
        lines, ".  ".join(filter(None, [
            f"Across: {across}", off_words(found.rows), found.caption])),
        left=len(lines[0]) if together else len(keys))


def as_stored(found, header):
    left = header.index(PRINTED)
    lines = [[line[h] or "-" if i < left else
              ("fitted" if is_fitted(line) else "") if h == FITTED else
              words(line[h] or "-") for i, h in enumerate(header)]
             for line in found.rows]
    return grid.Grid(found.title, [h.replace("_", " ") for h in header],
                     lines, found.caption, left=left)


def cell(row, name):
    """A value; ours with its interval and a mark where it was fitted."""
    if row is None or not row[name]:
        return "-"
    ends = [row.get(end) for end in ("low", "high")]
    if name == PRINTED or not all(ends):
        return words(row[name]) + paper_report.FITTED * (
            name == OURS and is_fitted(row))
    return f"{words(row[name])} ({' to '.join(map(words, ends))})" \
        + paper_report.FITTED * is_fitted(row)


def off_words(rows):
    """How far ours are from the printed values that were not fitted."""
    name = next((n for n in OFF if n in rows[0]), None)
    off = [abs(number(row[name])) for row in rows if name and row[name]
           and not is_fitted(row)]
    unit = " %" * (name == OFF[0])
    return paper_report.fitted_words(map(is_fitted, rows)) if not off else (
        f"Ours differ by {statistics.median(off):.3g}{unit} in the median, by "
        f"{max(off):.3g}{unit} at most"
        + paper_report.fitted_words(map(is_fitted, rows)))


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
