"""What dlsbench omp --try found for each loop: the time under each choice,
with intervals that hold together with 95 %."""
import os
import re
import shlex

from .. import labels
from . import style

SECTION = "Your loops"
MOST = 12
BEYOND = 1.6        # an interval may go so far beyond the largest time
DOCTOR = "dlsbench doctor", "what disturbs this machine"


def words(loop):
    share = "" if loop["share"] is None else \
        f", {labels.percent(min(loop['share'], 1))} of the time"
    return f"{loop['name']}{share}: {loop['verdict']}"


def size_words(results):
    """What a user did."""
    choices = {c["scheme"] for loop in results.tried for c in loop["choices"]
               if c["state"] != "own"}
    words = [f"{results.name} as it is and under "
             + labels.count(len(choices), "choice")]
    if "round" in results.runs:
        words.append(labels.count(results.runs["round"].nunique(), "round"))
    return ", ".join(words)


def commands(results):
    """[(what to type next, why)]: what gains most, and the rules that were
    found, by their own words on their use; else what disturbs."""
    told = [(results.use, "gains most")] if results.use else []
    path = os.path.join(results.path, "rules")
    try:
        with open(path, encoding="utf-8") as file:
            lines = file.read().splitlines()
    except (OSError, UnicodeDecodeError):
        lines = []
    use = re.search(r"dlsbench omp --scheme @FILE( .*)? -- PROGRAM",
                    "\n".join(lines))
    if use and "--scheme @" not in results.use and any(
            line and not line.startswith("#") for line in lines):
        told += [(f"dlsbench omp --scheme {shlex.quote('@' + path)}"
                  f"{use[1] or ''} -- ./your-program",
                  "each loop under its best choice")]
    none = all(loop["best"] is None for loop in results.tried)
    return told or ([DOCTOR] if none else [])


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
    for state, says in (("dropped", "Grey: dropped early, slower than others"),
                        ("failed", "Failed, not ranked"),
                        ("no loop", "Handed out the chunks of no loop")):
        names = [c["scheme"] for c in loop["choices"] if c["state"] == state]
        text += f" {says}: {', '.join(names)}." if names else ""
    return text


def colour_of(choice, best):
    if choice["state"] == "dropped":
        return style.FAINT
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
            label.set_color(style.FAINT)
    ax.set_ylim(len(shown) - 0.4, -0.6)
    ax.set_xlim(0, most * BEYOND)
    ax.set_xlabel(f"time, {unit}")
    style.legend(figure, [ax])
    return figure
