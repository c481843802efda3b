"""What dlsbench omp --try says of each loop: the verdict above the time under
each scheme, with intervals that hold together with 95 %."""
import labels
from figures import style

SECTION = "Your loops"
MOST = 12
BEYOND = 1.6        # an interval may go so far beyond the largest time


def words(loop):
    share = "" if loop["share"] is None else \
        f", {labels.percent(min(loop['share'], 1))} of the time"
    return f"{loop['name']}{share}: {loop['verdict']}"


def draw(loops):
    for loop in loops[:MOST]:
        own = next((c for c in loop["choices"] if c["state"] == "own"), None)
        shown = [c for c in loop["choices"]
                 if c["state"] == "compared" and c["time_s"] is not None]
        if own is None or own["time_s"] is None or not shown:
            continue
        yield style.Drawing(
            style.file_name("tried", loop["name"]), SECTION, words(loop),
            caption(loop), panel(own["time_s"], shown, loop["best"]))


def caption(loop):
    text = ("The line is the median time as it is; a point is that time less "
            "the scheme's gain, and its bar the interval of the gain. All "
            "intervals of these panels hold together with 95 %; one that "
            "reaches the edge goes on there.")
    for state, says in (("dropped", "Dropped early, clearly slower"),
                        ("failed", "Failed, not ranked"),
                        ("no loop", "Handed out the chunks of no loop")):
        names = [c["scheme"] for c in loop["choices"] if c["state"] == state]
        text += f" {says}: {', '.join(names)}." if names else ""
    return text


def panel(own_s, shown, best):
    factor, unit = style.time_factor([own_s])
    figure, ax = style.single(0.9 + 0.19 * len(shown), style.WIDTHS[2])
    most = own_s * factor
    for y, choice in enumerate(shown):
        at, low, high = (None if choice[n] is None else
                         own_s * (1 - choice[n]) * factor
                         for n in ("gain", "high", "low"))
        if at is None:
            continue
        most = max(most, at)
        colour = style.COLOURS[2 if choice["scheme"] == best else 0]
        if low is not None and high is not None:
            ax.plot([low, high], [y, y], color=colour, linewidth=1)
        ax.plot([at], [y], "o", markersize=4.5, color=colour)
    ax.axvline(own_s * factor, color=style.COLOURS[1], linewidth=1.2)
    ax.set_yticks(range(len(shown)), [c["scheme"] for c in shown])
    ax.set_ylim(len(shown) - 0.4, -0.6)
    ax.set_xlim(0, most * BEYOND)
    ax.set_xlabel(f"time, {unit}")
    style.legend(figure, [ax])
    return figure
