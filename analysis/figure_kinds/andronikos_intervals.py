"""Time against the sync interval, with the model's curve, its optimum and the
fastest interval: Andronikos et al., figures 6 to 8, a panel for each number of
chunks."""
import os

from .. import labels, paper_values, predicted, stored_paper
from . import style

MOST_PANELS = 12
FIGURES = {6: ("10 kids", 20000), 7: ("6 twins", 16000),
           8: ("5 twins and 5 kids", 20000)}
# Both ends of a message are busy, and chunks wait for the round before.
PAPERS = {"messages": "processors", "protocol": "subproblem"}
WORDS = "Time by the number of columns between two synchronizations: the " \
    "line is the model's, dots are "
OPTIMA = " A ring is the shortest time, a broken line the model's best " \
    "interval; intervals beside them may be as good."


class Panel:
    """`points` are (h, seconds, low, high), `model` (h, seconds), `printed`
    the same; `best` is the interval that the model predicts."""

    def __init__(self, title, points, model, best=None, printed=()):
        self.title, self.points = title, sorted(points)
        self.model, self.best, self.printed = sorted(model), best, printed


def draw(results, frame):
    if any(rows for _, rows in stored(results.path)):
        yield from of_paper(results.path, frame["kernel"].iloc[0])
        return
    frame = frame[frame["interval"].notna()]
    for (kernel, simulated), part in frame.groupby(["kernel", "simulated"],
                                                   sort=False):
        groups = [(key, g) for key, g in part.groupby(
            ["setup", "workers", "scheme"], sort=False)
            if g["interval"].nunique() > 2]
        if not groups:
            continue
        short = part["loop"].iloc[0]
        kind = labels.unreal(part).strip(" ()") or "measured"
        yield style.Drawing(
            style.file_name("intervals", short, simulated and "simulated"),
            "Sync interval", f"Time against the sync interval: {short}"
            + labels.unreal(part),
            WORDS + f"{kind} medians with their 95 % intervals." + OPTIMA
            + style.cut_words(len(groups), MOST_PANELS, "panels")
            + "".join(map(loss, groups)),
            panels([of_group(results, *group) for group in
                    groups[:MOST_PANELS]], kind))


def of_group(results, key, group):
    setup, workers, scheme = key
    known = [(results.models.get(cell) or {}).get("model_s")
             for cell in group["cell"]]
    model = [(h, t) for h, t in zip(group["interval"], known)
             if labels.known(t)]
    found = predicted.optima(group)
    ours = found[0][0] if found else {}
    if labels.known(ours.get("predicted_s")):
        model.append((ours["interval"], ours["predicted_s"]))
    points = group[["interval", "time_s", "time_s_low", "time_s_high"]] \
        if "time_s_low" in group else group[["interval"] + ["time_s"] * 3]
    return Panel(f"{scheme}, {setup}, {labels.count(int(workers), 'worker')}",
                 [tuple(p) for p in points.to_numpy()], model,
                 ours.get("interval"))


def loss(group):
    """How far the predicted interval is from the fastest one."""
    (setup, workers, _), part = group
    return "".join(
        f" {ours['scheme']} over {setup}, "
        f"{labels.count(int(workers), 'worker')}: predicted "
        f"{ours['interval']:g}, fastest {best['interval']:g}, "
        f"{labels.percent(ours['time_s'] / best['time_s'] - 1)} lost."
        for ours, best in predicted.optima(part))


def stored(directory):
    """(number, lines of the report on it in the paper's own reading)."""
    for number in FIGURES:
        yield number, [r for r in stored_paper.rows(os.path.join(
            directory, f"figure_{number}.csv"))
            if PAPERS.items() <= r.items() and "model_s" in r]


def of_paper(directory, kernel):
    """The figures of this loop."""
    tables = [{(r["experiment"], r["k"]): r for r in found} for found in (
        paper_values.rows("andronikos", "table_2.csv"),
        stored_paper.rows(os.path.join(directory, "h_theory.csv")))]
    for number, rows in stored(directory):
        cluster, columns = FIGURES[number]
        ks = sorted({r["k"] for r in rows}, key=int)
        if ks and {"shape": "paper", "cols": str(columns)}.items() <= \
                labels.parts(kernel)[1].items():
            yield style.Drawing(
                f"andronikos-{number}", "The paper",
                f"Figure {number}: time against the synchronization interval, "
                + cluster, WORDS + "simulated, hollow squares are printed."
                + OPTIMA, panels(
                    [of_rows([r for r in rows if r["k"] == k], k,
                             *(t[str(number - 5), k] for t in tables))
                     for k in ks],
                    "simulated"))


def of_rows(rows, k, printed, theory):
    values = [[float(r[n] or "nan") for n in ("h", "time_s", "model_s")]
              for r in rows]
    model = [(h, m) for h, _, m in values if m == m]
    return Panel(f"k = {k}", [(h, t, t, t) for h, t, _ in values], model,
                 float(theory["ours"]),
                 [(paper_values.number(printed, "h_" + n),
                   paper_values.number(printed, f"t_at_h_{n}_s"))
                  for n in ("theory", "actual")])


def panels(found, kind):
    figure, axes = style.grid([panel.title for panel in found], 2.8)
    for ax, panel in zip(axes, found):
        factor, unit = style.time_factor([t for _, t, *_ in panel.points])
        plot(ax, panel, kind, factor)
        ax.set_xlabel("sync interval h")
        ax.set_ylabel(f"time, {unit}")
        ax.set_xlim(left=0)
    style.legend(figure, axes)
    return figure


def plot(ax, panel, kind, factor):
    colour = style.COLOURS[0]
    h, t, low, high = zip(*panel.points)
    scaled = [value * factor for value in t]
    if low != high:
        ax.vlines(h, [v * factor for v in low], [v * factor for v in high],
                  color=colour, linewidth=0.8)
    ax.plot(h, scaled, "o", markersize=4, color=colour, label=kind)
    if t.count(min(t)) == 1:
        ax.plot(h[t.index(min(t))], min(scaled), "o", markersize=10,
                fillstyle="none", color=style.INK, linestyle="",
                label=f"shortest, {kind}")
    if len(panel.model) > 1:
        ax.plot(*zip(*((x, y * factor) for x, y in panel.model)),
                color=style.COLOURS[1], label="theoretical")
    if panel.best is not None:
        ax.axvline(panel.best, color=style.COLOURS[1], linestyle=(0, (4, 2)),
                   linewidth=1.2, label="predicted optimum")
        at = [y * factor for x, y in panel.model if x == panel.best]
        if at:
            ax.plot(panel.best, at[0], "D", markersize=6, fillstyle="none",
                    color=style.COLOURS[1], linestyle="",
                    label="predicted time")
    if panel.printed:
        ax.plot(*zip(*((x, y * factor) for x, y in panel.printed)), "s",
                markersize=6, fillstyle="none", color=style.COLOURS[2],
                label="printed")
