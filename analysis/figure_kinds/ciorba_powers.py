"""Speedup over the fastest worker against the sum of all workers' powers,
dedicated and loaded: Ciorba et al., figures 6 and 7."""
import os

from .. import labels, machine, stored_paper, sync
from . import style

FIGURES = {"heat": 6, "floyd-steinberg": 7}
CAPTION = "Speedup over the fastest worker alone, by the power of all " \
    "workers together; the grey line is ideal."
HOLLOW = " The paper prints no speedup: hollow marks are our serial time " \
    "over its printed time."


def draw(results, frame):
    """From a paper's report; else of each way to run the loop, at the interval
    with the shortest times."""
    for kernel, number in FIGURES.items():
        rows = stored_paper.rows(os.path.join(results.path,
                                              f"figure_{number}.csv"))
        if rows and "from_printed_time" in rows[0]:
            # Skewed sub-chunks of the same loop are another reading.
            if any(labels.name_of(k) == kernel and labels.parts(k)[1].get(
                    "shape") != "exact" for k in frame["kernel"]):
                yield drawing(f"ciorba-{number}", f"Figure {number}: speedup "
                              f"of {kernel}", printed(rows), CAPTION + HOLLOW)
            frame = frame[frame["kernel"].map(labels.name_of) != kernel]
    groups = {}
    for row in sync.cells(results, frame):
        groups.setdefault((row["kernel"], row["way"]), []).append(row)
    for (_, way), rows in groups.items():
        points = [of_cell(row) for row in at_best(rows)]
        if len({p["power"] for p in points}) > 2:
            loop, h = rows[0]["loop"], at_best(rows)[0]["sync_interval"]
            yield drawing(style.file_name("speedup-by-power", loop, way),
                          f"Speedup against power: {loop}, {way}, sync "
                          f"interval {h:g}", points, CAPTION)


def at_best(rows):
    """The rows of the best interval."""
    times = {}
    for row in rows:
        times.setdefault(row["sync_interval"], []).append(row["time_s"])
    most = max(map(len, times.values()))
    best = min((sum(t), h) for h, t in times.items() if len(t) == most)[1]
    return [row for row in rows if row["sync_interval"] == best]


def of_cell(row):
    """The sum of the powers is that of the machine, whatever its load."""
    _, total = machine.weight({**row, "load": ""}, {})
    power = [float(p) for p in str(row["power"] or 1).split(",")
             if p.replace(".", "", 1).isdigit()]
    return {"mode": row["mode"], "scheme": row["of"], "power": total,
            "most": max(power, default=1), "speedup": row["speedup"],
            "printed": None}


def printed(rows):
    """Zealots have a power of 1.5."""
    return [{"mode": r["mode"], "scheme": r["scheme"],
             "power": float(r["power"]), "most": 1.5,
             "speedup": stored_paper.number(r["ours"]),
             "printed": stored_paper.number(r["from_printed_time"])}
            for r in rows]


def drawing(name, title, points, caption):
    modes = sorted({p["mode"] for p in points})
    schemes = sorted({p["scheme"] for p in points},
                     key=lambda s: labels.position(s, labels.SCHEMES))
    lines = style.Lines(schemes)
    figure, axes = style.grid([m.capitalize() for m in modes], 3.2,
                              sharey=True)
    for ax, mode in zip(axes, modes):
        for scheme in schemes:
            here = sorted((p for p in points if (p["mode"], p["scheme"])
                           == (mode, scheme)), key=lambda p: p["power"])
            words = f"DMPS({scheme.upper()})"
            for value in ("speedup", "printed"):
                known = [(p["power"], p[value]) for p in here
                         if p[value] is not None]
                if not known:
                    continue
                line = {**lines.of(scheme), "label": words}
                if value == "printed":
                    line.update(fillstyle="none", linestyle="",
                                label=words + ", printed")
                ax.plot(*zip(*known), markersize=5, linewidth=1.2, **line)
        ends = sorted({(p["power"], p["power"] / p["most"]) for p in points})
        ax.plot(*zip(*ends), color=style.FAINT, linewidth=3, zorder=1,
                label="ideal")
        ax.set_xlabel("sum of the powers")
        ax.set_ylabel("speedup")
        ax.set_ylim(bottom=0)
    style.legend(figure, axes)
    return style.Drawing(name, "The paper" if "Figure" in title
                         else "Sync interval", title, caption, figure)
