"""Time, overhead and speedup against the number of workers, a line for each
number of masters and a panel for each scheme: Han and Chronopoulos, figures 3
to 8."""
import math

from .. import cells, labels, papers
from . import style

HAN = {"dtss": "HDTSS", "dfss": "HDFSS", "dgss": "HDGSS"}
NUMBERS = {"mandelbrot": (3, 5, 7), "adjoint": (4, 6, 8)}
# What a line goes along and a panel holds; all else is one reading.
FREE = {"scheme", "hierarchy", "workers", "ranks", "threads", "nodes"}
WHAT = [("time", "time_s", "execution time",
         "Median time by workers; a step on either axis is a doubling."),
        ("overhead", "overhead_mean_s", "overhead",
         "T_total - T_computation, mean over the workers: what is neither "
         "computing nor hidden behind it."),
        ("speedup", "over_single", "speedup",
         "Over the same scheme with a single master and the fewest workers; "
         "the grey line is ideal.")]


def draw(results, frame):
    """The paper's reading first, else that with the most cells; the others on
    demand."""
    for i, part in enumerate(readings(results, frame)):
        yield from drawings(results, part, i)


def readings(results, frame):
    names = [n for n in results.cells if n in frame and n not in FREE]
    here = frame[frame["transport"].eq("master") & frame["hierarchy"].map(
        lambda h: masters(h) is not None)]
    parts = [complete(part) for _, part in here.groupby(
        cells.same_in(here, names), sort=False)] if len(here) else []
    own = {m.get("launch") for m in results.manifests
           if m.get("campaign") in papers.PAPERS}
    own = set(results.runs.loc[results.runs["launch"].isin(own), "cell"])
    return sorted(filter(len, parts), key=lambda g: (
        -g["cell"].isin(own).mean(), -len(g)))


def masters(hierarchy):
    """How many below the first one; None: levels are not just that."""
    text = str(hierarchy)
    return 1 if text == "flat" else int(text) if text.isdecimal() else None


def complete(part):
    """The schemes with several numbers of masters and of workers, with each
    speedup over the scheme's own base."""
    part = part.assign(masters=part["hierarchy"].map(masters))
    part["line"] = part["masters"].map(
        lambda n: "Single master" if n == 1 else f"{n} masters")
    counts = part.groupby("scheme")[["masters", "workers"]]
    part = part[counts.transform("nunique").min(axis=1) > 1]
    if part.empty:
        return part
    fewest = part["workers"].min()
    base = part[(part["masters"] == 1) & (part["workers"] == fewest)]
    base = base.set_index("scheme")["time_s"].to_dict()
    over = part["scheme"].map(base) / part["time_s"]
    order = part["scheme"].map(lambda s: labels.position(s, labels.SCHEMES))
    return part.assign(over_single=over, order=order).sort_values(
        ["order", "masters"])


def drawings(results, part, reading):
    row = part.iloc[0]
    name, kind = labels.name_of(row["kernel"]), labels.simulation(row)
    han = "han" in map(papers.paper_of, [
        str(m.get("campaign")) for m in results.manifests])
    numbers = NUMBERS.get(name, ()) if han else ()
    if numbers:
        names = part["scheme"].map(labels.name_of).map(HAN)
        part = part.assign(scheme=names)[names.notna()]
    counts = sorted(part["workers"].unique())
    for i, (what, column, words, caption) in enumerate(WHAT):
        if part[column].notna().sum() < 2:
            continue
        title = f"{words.capitalize()} by masters: {row['loop']}"
        at = style.file_name(what, "masters", row["loop"], kind and
                             "simulated", reading and f"reading {reading + 1}")
        if numbers:
            title = f"Figure {numbers[i]}: {words} of {name}"
            at = f"han-{numbers[i]}" + f"-reading-{reading + 1}" * (
                reading > 0)
        elif kind:
            title += " (simulated)"
        if reading:
            title += ", " + other(row)
        figure = style.panels(part, column, "scheme", "line", {
            c: c / counts[0] for c in counts if column == "over_single"})
        if column == "over_single":
            for ax in figure.axes:
                ax.set_xlabel("log2 of the workers")
                ax.set_xticks(counts, [f"{math.log2(c):.3g}" for c in counts],
                              rotation=0)
        yield style.Drawing(at, "The paper" if numbers else "Scaling", title,
                            caption, figure, detail=reading > 0)


def other(row):
    """What a reading is, in its own words."""
    return labels.simulation(row) or str(row["way"])
