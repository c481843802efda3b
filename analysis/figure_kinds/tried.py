"""What dlsbench omp --try found for each loop: the time under each choice,
with intervals that hold together with 95 %."""
from .. import labels
from . import style

SECTION = "Your loops"
MOST = 12
BEYOND = 1.6        # an interval may go so far beyond the largest time


def size_words(results):
    """What a user did."""
    choices = {c["scheme"] for loop in results.tried for c in loop["choices"]
               if c["state"] != "own"}
    words = [f"{results.name} as it is and under "
             + labels.count(len(choices), "choice")]
    if "round" in results.runs:
        words.append(labels.count(results.runs["round"].nunique(), "round"))
    return ", ".join(words)


def draw(loops):
    for loop in loops[:MOST]:
        own = next((c for c in loop["choices"] if c["state"] == "own"), None)
        shown = [c for state in ("compared", "dropped")
                 for c in loop["choices"]
                 if c["state"] == state and c["time_s"] is not None]
        if own is None or own["time_s"] is None or not shown:
            continue
        yield style.Drawing(
            style.file_name("tried", loop["name"]), SECTION,
            f"Time under each choice: {loop['name']}", caption(loop),
            panel(own["time_s"], [own, *shown], loop["best"]))


def caption(loop):
    text = ("The first row, and the line, is the median time as it is; a "
            "point is that time less the choice's gain, and its bar the "
            "interval of the gain. All intervals of these panels hold "
            "together with 95 %; one that reaches the edge goes on there.")
    if loop["best"]:
        text += f" Green: what gains most, {loop['best']}."
    for state, says in (("dropped", "Grey: dropped early, slower than others"),
                        ("failed", "Failed, not ranked"),
                        ("no loop", "Handed out the chunks of no loop")):
        names = [c["scheme"] for c in loop["choices"] if c["state"] == state]
        text += f" {says}: {', '.join(names)}." if names else ""
    return text


def colour_of(choice, best):
    if choice["state"] == "dropped":
        return style.GREY
    return style.COLOURS[1 if choice["state"] == "own" else
                         2 if choice["scheme"] == best else 0]


def place(choice, own_s):
    """The time, and its interval, by the gain in its own rounds."""
    if choice["state"] == "own":
        return own_s, None, None
    at, low, high = (None if choice[n] is None else own_s * (1 - choice[n])
                     for n in ("gain", "high", "low"))
    if choice["state"] == "dropped":
        return choice["time_s"] if at is None else at, None, None
    return at, low, high


def panel(own_s, shown, best):
    factor, unit = style.time_factor([own_s])
    figure, ax = style.single(0.9 + 0.19 * len(shown))
    most = own_s * factor
    ax.axvline(own_s * factor, color=style.COLOURS[1], linewidth=1.2)
    for y, choice in enumerate(shown):
        at, low, high = (None if t is None else t * factor
                         for t in place(choice, own_s))
        if at is None:
            continue
        most = max(most, at)
        colour = colour_of(choice, best)
        if low is not None and high is not None:
            ax.plot([low, high], [y, y], color=colour, linewidth=1)
        ax.plot([at], [y], "o", markersize=4.5, color=colour)
    ax.set_yticks(range(len(shown)), [c["scheme"] for c in shown])
    for label, choice in zip(ax.get_yticklabels(), shown):
        if choice["state"] == "dropped":
            label.set_color(style.GREY)
    ax.set_ylim(len(shown) - 0.4, -0.6)
    ax.set_xlim(0, most * BEYOND)
    ax.set_xlabel(f"time, {unit}")
    style.legend(figure, [ax])
    return figure
