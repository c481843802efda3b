"""A table as words, and its forms: text, CSV, LaTeX, Markdown, HTML."""
import csv
import html
import io

FORMATS = ["text", "csv", "latex", "markdown"]
# What LaTeX reads as something else.
LATEX = {"\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$",
         "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
         "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
         "<": r"\textless{}", ">": r"\textgreater{}"}
LONG = 45   # rows of a LaTeX table that stay on one page


class Grid:
    """Title, caption, header and rows of strings; `left` columns, from the
    first, are words, the others numbers."""

    def __init__(self, title, header, rows, caption="", left=1):
        self.title, self.caption, self.left = title, caption, left
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
    return "".join(LATEX.get(c, c) for c in words)


def latex(grid):
    """A table that needs no package; longer ones are cut into pages."""
    columns = "l" * grid.left + "r" * (len(grid.header) - grid.left)

    def row(words):
        return " & ".join(escape(w) for w in words) + r" \\"
    out = []
    for first in range(0, max(len(grid.rows), 1), LONG):
        title = grid.title + (", continued" if first else "")
        caption = ": ".join(filter(None, [title, grid.caption]))
        out += [r"\begin{table}[htbp]", r"\centering\footnotesize",
                rf"\caption{{{escape(caption)}}}",
                rf"\begin{{tabular}}{{{columns}}}", r"\hline",
                row(grid.header), r"\hline",
                *map(row, grid.rows[first:first + LONG]),
                r"\hline", r"\end{tabular}", r"\end{table}"]
    return "\n".join(out) + "\n"


def to_csv(grid):
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(grid.header)
    writer.writerows(grid.rows)
    return file.getvalue()


def to_html(grid):
    """A figure that scrolls sideways by itself when it is wide."""
    def row(words, tag):
        return "<tr>" + "".join(
            f"<{tag}{'' if i < grid.left else ' class=n'}>"
            f"{html.escape(w)}</{tag}>" for i, w in enumerate(words)) + "</tr>"
    caption = f"<b>{html.escape(grid.title)}</b>"
    if grid.caption:
        caption += f" <span>{html.escape(grid.caption)}</span>"
    return ("<div class=wide tabindex=0><table><caption>" + caption
            + "</caption><thead>" + row(grid.header, "th") + "</thead><tbody>"
            + "\n".join(row(r, "td") for r in grid.rows)
            + "</tbody></table></div>")


WRITERS = {"text": text, "csv": to_csv, "latex": latex, "markdown": markdown}
