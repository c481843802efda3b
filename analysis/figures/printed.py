"""What a paper prints against ours: a panel for each of its tables."""
import paper_page
from figures import style

MOST_PANELS, MOST_SERIES = 9, 14


def draw(directory):
    tables = [t for t in paper_page.beside(directory) if t.own]
    panels = [(t.title, series) for t in tables
              for series in [series_of(t.rows)] if series]
    if not panels:
        return
    shown = panels[:MOST_PANELS]
    figure, axes = style.grid([title for title, _ in shown], 3.0)
    for ax, (_, series) in zip(axes, shown):
        style.parity(ax, series, "printed", "ours, simulated",
                     paper_page.FITTED)
    style.legend(figure, axes)
    yield style.Drawing(
        "printed-and-ours", "The paper", "Printed values and ours",
        f"{paper_page.counted_words(tables)}. On the line both are equal."
        + style.cut_words(len(panels), MOST_PANELS, "tables"), figure)


def series_of(rows):
    """[(name, printed values, ours)]: by the first key with few different
    words, or all as one; what was fitted is a series of its own."""
    keys = list(rows[0])[:list(rows[0]).index(paper_page.PRINTED)]
    by = next((k for k in keys if 1 < len({r[k] for r in rows})
               <= MOST_SERIES and not paper_page.number(rows[0][k])), None)
    found = {}
    for row in rows:
        pair = [paper_page.number(row[n])
                for n in (paper_page.PRINTED, paper_page.OURS)]
        if None not in pair and min(pair) > 0:
            name = paper_page.FITTED if paper_page.is_fitted(row) else \
                row[by] if by else "values"
            x, y = found.setdefault(name, ([], []))
            x.append(pair[0])
            y.append(pair[1])
    return [(name, x, y) for name, (x, y) in sorted(
        found.items(), key=lambda item: item[0] == paper_page.FITTED)]
