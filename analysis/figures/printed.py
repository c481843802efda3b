"""What a paper prints against ours: a panel for each of its tables."""
import labels
import paper_page
from figures import style

MOST_PANELS, MOST_SERIES = 9, 14


def draw(directory):
    panels = {name: series for name, series in (
        (name, series_of(rows))
        for name, rows in paper_page.beside(directory).items()) if series}
    if not panels:
        return
    shown = list(panels.items())[:MOST_PANELS]
    figure, axes = style.grid(
        [paper_page.title(name) for name, _ in shown], 3.0)
    for ax, (name, series) in zip(axes, shown):
        style.parity(ax, series, "printed", "ours")
    style.legend(figure, axes)
    count = sum(len(x) for series in panels.values() for _, x, _ in series)
    yield style.Drawing(
        "printed-and-ours", "The paper", "Printed values and ours",
        f"{labels.count(count, 'printed value')}; on the line ours are equal."
        + style.cut_words(len(panels), MOST_PANELS, "tables"), figure)


def series_of(rows):
    """[(name, printed values, ours)]: by the first key with few different
    words, or all as one."""
    keys = list(rows[0])[:list(rows[0]).index(paper_page.PRINTED)]
    by = next((k for k in keys if 1 < len({r[k] for r in rows})
               <= MOST_SERIES and not paper_page.number(rows[0][k])), None)
    found = {}
    for row in rows:
        pair = [paper_page.number(row[n])
                for n in (paper_page.PRINTED, paper_page.OURS)]
        if None not in pair and min(pair) > 0:
            x, y = found.setdefault(row[by] if by else "values", ([], []))
            x.append(pair[0])
            y.append(pair[1])
    return [(name, x, y) for name, (x, y) in found.items()]
