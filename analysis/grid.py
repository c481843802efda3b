"""A table as words, and its forms: text, CSV, LaTeX, Markdown."""
import csv
import io

FORMATS = ["text", "csv", "latex", "markdown"]
# Characters that LaTeX reads as something else.
LATEX = {"\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$",
         "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
         "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
         "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}"}
# Letters that LaTeX's first font has besides ASCII.
ACCENTED = set("".join(map(chr, range(0xc0, 0x100)))) - set("ÐðÞþ×÷")
LONG = 45       # rows of a LaTeX table that stay on one page
PAGE = 345      # points: the width of text of an article on A4 or letter
# Points that a character takes at most, but for words of m and w alone.
SIZES = [("footnotesize", 4.4), ("scriptsize", 4.1)]
BETWEEN = 6     # points between two columns


class Grid:
    """Title, caption, header and rows of strings; `left` columns, from the
    first, are words, the others numbers.  `wraps`: sentences in every column,
    which share the width of a page."""

    def __init__(self, title, header, rows, caption="", left=1, wraps=False):
        self.title, self.caption, self.left = title, caption, left
        self.wraps = wraps
        self.header = [str(h) for h in header]
        self.rows = [[str(value) for value in row] for row in rows]


def text(grid):
    rows = [grid.header, *grid.rows]
    width = [max(len(row[i]) for row in rows)
             for i in range(len(grid.header))]
    lines = [grid.title]
    if grid.caption:
        lines.append("  " + grid.caption)
    for row in rows:
        line = "  ".join(
            word.ljust(width[i]) if i < grid.left else word.rjust(width[i])
            for i, word in enumerate(row))
        lines.append("  " + line.rstrip())
    return "\n".join(lines) + "\n"


def markdown(grid):
    def row(words):
        return "| " + " | ".join(w.replace("|", r"\|") for w in words) + " |"
    rule = [":--" if i < grid.left else "--:"
            for i in range(len(grid.header))]
    lines = [f"**{grid.title}**", ""]
    if grid.caption:
        lines += [grid.caption, ""]
    lines += [row(grid.header), row(rule), *map(row, grid.rows)]
    return "\n".join(lines) + "\n"


def escape(words):
    return "".join(LATEX.get(c, c) if c.isascii() and c.isprintable()
                   else c if c in ACCENTED else "?" for c in words)


def latex(grid):
    """Tables that fit the page without any package: the next table continues
    one that is too wide or too long.  If the first two columns are words, the
    first becomes a heading above its rows."""
    above = grid.left > 1
    left = grid.left - above
    header = grid.header[above:]
    rows = [(row[0] if above else None, row[above:]) for row in grid.rows]
    size, parts = columns_that_fit(
        [max(map(len, column)) for column in zip(
            header, *(words for _, words in rows))], left)
    out, number = [], 0
    for columns in parts:
        for first in range(0, max(len(rows), 1), LONG):
            title = grid.title + (", continued" if number else "")
            caption = ": ".join(filter(None, [title, grid.caption]))
            number += 1
            out += [r"\begin{table}[htbp]", rf"\centering\{size}",
                    rf"\setlength{{\tabcolsep}}{{{BETWEEN / 2:g}pt}}",
                    rf"\caption{{{escape(caption)}}}",
                    rf"\begin{{tabular}}{{{alignment(columns, left)}}}",
                    r"\hline", latex_row(header, columns), r"\hline",
                    *latex_rows(rows[first:first + LONG], columns),
                    r"\hline", r"\end{tabular}", r"\end{table}"]
    return "\n".join(out) + "\n"


def columns_that_fit(widths, left):
    """(font size, [the columns of each table]); each begins with the words of
    the row."""
    for size, point in SIZES:
        if sum(w * point + BETWEEN for w in widths) <= PAGE:
            return size, [range(len(widths))]
    parts, room = [], 0
    for i, width in enumerate(widths[left:], left):
        room -= width * point + BETWEEN
        if room < 0 or not parts:
            parts.append(list(range(left)))
            room = PAGE - sum(w * point + BETWEEN
                              for w in [*widths[:left], width])
        parts[-1].append(i)
    return size, parts


def alignment(columns, left):
    return "".join("l" if i < left else "r" for i in columns)


def latex_rows(rows, columns):
    before = None
    for above, words in rows:
        if above != before:
            yield (rf"\multicolumn{{{len(columns)}}}{{l}}"
                   rf"{{\textit{{{escape(above)}}}}} \\")
            before = above
        yield latex_row(words, columns)


def latex_row(words, columns):
    # After \\ LaTeX takes a * or [ for its own.
    line = " & ".join(escape(words[i]) for i in columns) + r" \\"
    return "{}" + line if line[0] in "*[" else line


def to_csv(grid):
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(grid.header)
    writer.writerows(grid.rows)
    return file.getvalue()


WRITERS = {"text": text, "csv": to_csv, "latex": latex, "markdown": markdown}
