"""Time, overhead and speedup against the number of workers, a line for each
number of masters and a panel for each scheme: Han and Chronopoulos, figures 3
to 8."""
import math

from .. import cells, labels, paper_values
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


def own_runs(results):
    """Those of a paper's campaign, without its alternatives."""
    launches = {m.get("launch") for m in results.manifests
                if m.get("campaign") in paper_values.PAPERS}
    return results.runs[results.runs["launch"].isin(launches)]


def readings(results, frame):
    own = own_runs(results)
    names = [n for n in results.cells if n in frame and n not in FREE]
    here = frame.assign(own=frame["cell"].isin(own["cell"]))
    here = here[here["transport"].eq("master") & here["hierarchy"].map(
        lambda h: masters(h) is not None)]
    parts = [complete(part) for _, part in here.groupby(
        cells.same_in(here, [*names, "own"]), sort=False)] \
        if len(here) else []
    return sorted(filter(len, parts), key=lambda g: (
        -g["own"].mean(), -len(g)))


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
    own, row = own_runs(results), part.iloc[0]
    name, kind = labels.name_of(row["kernel"]), labels.simulation(row)
    han = "han" in map(paper_values.paper_of, [
        str(m.get("campaign")) for m in results.manifests])
    numbers = NUMBERS.get(name, ()) if han else ()
    own = own[own["kernel"].map(labels.name_of) == name]
    aside = reading > 0 or len(own) > 0 and not row["own"]
    words = aside and other(results, part, own)
    if numbers:
        names = part["scheme"].map(labels.name_of).map(HAN)
        part = part.assign(scheme=names)[names.notna()]
    counts = sorted(part["workers"].unique())
    for i, (what, column, noun, caption) in enumerate(WHAT):
        if part[column].notna().sum() < 2:
            continue
        title = f"{noun.capitalize()} by masters: {row['loop']}"
        at = style.file_name(what, "masters", row["loop"], kind and
                             "simulated", aside and words)
        if numbers:
            title = f"Figure {numbers[i]}: {noun} of {name}"
            at = style.file_name("han", numbers[i], aside and words)
        else:
            title += labels.unreal(part)
        if aside:
            title += ", " + words
        figure = style.panels(part, column, "scheme", "line", {
            c: c / counts[0] for c in counts if column == "over_single"})
        if column == "over_single":
            for ax in figure.axes:
                ax.set_xlabel("log2 of the workers")
                ax.set_xticks(counts, [f"{math.log2(c):.3g}" for c in counts],
                              rotation=0)
        yield style.Drawing(at, "The paper" if numbers else "Scaling", title,
                            caption, figure, detail=aside)


def other(results, part, own):
    """What a reading has other than the paper's own, or all that it is."""
    row = part.iloc[0]
    if own.empty:
        return labels.simulation(row) or str(row["way"])
    base, new = own.iloc[0], set(part["scheme"]) - set(own["scheme"])
    words = [f"{n} {labels.shorten(row[n])}" for n in results.cells
             if n in row and n not in FREE and n != "kernel"
             and labels.known(row[n]) and str(row[n]) != str(base.get(n))]
    keys, usual = (labels.parts(r["kernel"])[1] for r in (row, base))
    words += [f"{k} {v}" for k, v in keys.items() if usual.get(k) != v]
    return ", ".join([*words, *sorted(new)]) or "other cells"
