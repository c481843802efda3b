"""How a figure for a paper differs from that of a page: width, letters, labels
and axes of one's own (analysis/figures.py)."""
import contextlib
import contextvars
import difflib
import math
import re
import textwrap

import matplotlib
from matplotlib import font_manager, mathtext
from matplotlib.ticker import FixedLocator

UNITS = {"in": 1, "cm": 1 / 2.54, "mm": 1 / 25.4, "pt": 1 / 72.27}
WIDTHS = 1.5, 40    # inches
SIZES = 4, 40       # points
GENERIC = ["serif", "sans-serif", "monospace"]
NO_ROOM = ("its texts do not fit: take a larger --width, a smaller --size or "
           "shorter labels (--label)")


class LookError(Exception):
    """Says in one line what cannot be drawn so."""


class Look:
    """width    inches, or None: as wide as in a page
    labels    texts OLD=NEW
    begins    (axis "x", "y" or "", value): where axes begin; "": that of
              the values
    problems    figure -> why it cannot be drawn so
    """

    def __init__(self, width=None, labels=(), begins=(), rc=None):
        self.width, self.labels, self.begins = width, labels, begins
        self.rc, self.problems = rc or {}, {}

    @contextlib.contextmanager
    def used(self):
        with matplotlib.rc_context(self.rc):
            token = CURRENT.set(self)
            yield
            CURRENT.reset(token)


CURRENT = contextvars.ContextVar("look", default=Look())


def number_in(text, limits, what, unit):
    found = re.fullmatch(r"(\d+\.?\d*|\.\d+)\s*([a-z]*)", text)
    if not found or found[2] not in ({"", "pt"} if unit == "pt" else UNITS):
        raise LookError(f"{what}: '{text}' is not " + (
            "a number of points, such as 8" if unit == "pt" else
            "a number with a unit, such as 3.5in, 8.9cm or 89mm"))
    value = float(found[1]) * (1 if unit == "pt" else UNITS[found[2]])
    if not limits[0] <= value <= limits[1]:
        raise LookError(f"{what}: {text} is not in {limits[0]} to "
                        f"{limits[1]} {unit}")
    return value


def width(text):
    return number_in(text, WIDTHS, "--width", "in")


def size(text):
    return number_in(text, SIZES, "--size", "pt")


def font(name):
    known = {f.name for f in font_manager.fontManager.ttflist} | {*GENERIC}
    same = [k for k in known if k.lower() == name.lower()]
    if not same:
        near = difflib.get_close_matches(name, sorted(known), 1)
        raise LookError(f"--font: there is no font '{name}' here"
                        + (f": did you mean '{near[0]}'?" if near else
                           "; fc-list : family lists what there is"))
    return same[0]


def label(text):
    """OLD=NEW; a scheme's text has = too, so only a figure knows where OLD
    ends."""
    old, _, new = text.rpartition("=")
    if not old or not new or new.startswith("_"):
        raise LookError(f"--label: '{text}' is not OLD=NEW, a text of the "
                        "figure and what stands there instead")
    try:
        mathtext.MathTextParser("path").parse(new)
    except ValueError as error:
        raise LookError(f"--label: '{new}' is no formula: "
                        + str(error).strip().splitlines()[-1]) from None
    return text


def begin(text):
    axis, _, value = text.rpartition("=")
    try:
        number = float(value)
    except ValueError:
        number = math.nan
    if axis not in ("", "x", "y") or not math.isfinite(number):
        raise LookError(f"--from: '{text}' is not a number in the axis's unit,"
                        " or one behind x= or y=")
    return axis, number


def place(*texts):
    """Matches one of the texts as a whole word: `ss` is not in `css` nor in
    `ss:min=2`."""
    return re.compile(r"(?<![\w:=.-])(?<![^\s],)(?:" + "|".join(
        map(re.escape, sorted(texts, key=len, reverse=True)))
        + r")(?![\w:=-]|[.,]\S)")


def renaming(texts):
    """The function that gives a text its labels, for a figure with these
    texts."""
    found = {}
    for text in CURRENT.get().labels:
        cuts = [(text[:at], text[at + 1:]) for at, c in enumerate(text)
                if c == "=" and at]
        fits = [cut for cut in cuts
                if any(map(place(cut[0]).search, texts))]
        if not fits:
            near = difflib.get_close_matches(cuts[-1][0], texts, 1)
            raise LookError(
                f"--label: the figure shows no '{cuts[-1][0]}'" + (
                    f": did you mean '{near[0]}'?" if near else
                    "; it shows " + ", ".join(dict.fromkeys(texts))))
        found.update([max(fits, key=lambda cut: len(cut[0]))])
    return lambda text: place(*found).sub(lambda at: found[at[0]], text)


def texts_of(ax):
    """(text, what sets it) of each, but not of numbers at an axis."""
    for artist in (ax.title, ax._left_title, ax.xaxis.label, ax.yaxis.label,
                   *ax.texts):
        yield artist.get_text().replace("\n", " "), artist.set_text
    for axis in ax.xaxis, ax.yaxis:
        if has_names(axis):
            for tick in axis.get_ticklabels():
                yield tick.get_text(), None


def has_names(axis):
    """Whether the ticks of the axis have names instead of numbers."""
    return isinstance(axis.get_major_locator(), FixedLocator) \
        and axis.get_scale() == "linear"


def relabel(axes, names):
    """Gives all texts their labels; returns those of the legend's names."""
    if not CURRENT.get().labels:
        return names
    found = [pair for ax in axes for pair in texts_of(ax)]
    rename = renaming([*names, *(text for text, _ in found if text)])
    ticks = {axis: [rename(tick.get_text()) for tick in axis.get_ticklabels()]
             for ax in axes for axis in (ax.xaxis, ax.yaxis)
             if has_names(axis)}
    for text, change in found:
        if change and rename(text) != text:
            change(rename(text))
    for axis, texts in ticks.items():
        axis.set_ticks(axis.get_ticklocs(), texts)
    for texts in [names, *ticks.values()]:
        new = list(map(rename, names)) if texts is names else texts
        twice = [text for text in new if text and new.count(text) > 1]
        if twice:
            raise LookError("--label: two things would have the name "
                            f"'{twice[0]}'")
    return [rename(name) for name in names]


def set_begins(axes):
    for wanted, value in CURRENT.get().begins:
        for ax in axes:
            letter = wanted or ("x" if has_names(ax.yaxis) else "y")
            axis = ax.xaxis if letter == "x" else ax.yaxis
            if has_names(axis):
                raise LookError(f"--from: names stand at the {letter} axis, "
                                "which begins at no number")
            if axis.get_scale() == "log" and value <= 0:
                raise LookError(f"--from: the {letter} axis is logarithmic: "
                                "it begins above 0")
            _, end = axis.get_view_interval()
            if value >= end:
                raise LookError(f"--from: the {letter} axis ends at {end:.4g},"
                                f" before {value:g}")
            ax.set(**{letter + "lim": (value, end)})


def wrapped(words, width):
    """Lines that end at blanks, or at commas inside a spec."""
    return re.sub("\0 ?", "", textwrap.fill(
        re.sub(r",(?=\S)", ",\0 ", words), max(4, int(width)),
        break_long_words=False, break_on_hyphens=False))


def fold(text, room, extent):
    """A text in as many lines as the room needs."""
    words = text.get_text().replace("\n", " ")
    length = extent.height if text.get_rotation() else extent.width
    lines = text.get_text().count("\n") + 1
    if length > room > 0:
        text.set_text(wrapped(words, len(words) / lines * room / length))


def fit(figure, axes):
    """Folds long texts around panels.  Call it after the layout is settled; it
    settles the layout once more."""
    renderer = figure.canvas.get_renderer()
    whole = figure.bbox.width
    for ax in axes:
        box = ax.get_window_extent(renderer)
        middle = (box.x0 + box.x1) / 2
        for text, room in (
                (ax._left_title, whole - box.x0),
                (ax.xaxis.label, 2 * min(middle, whole - middle)),
                (ax.yaxis.label, box.height)):
            fold(text, room, text.get_window_extent(renderer))
        x = ax.xaxis.get_ticklabels()
        boxes = [t.get_window_extent(renderer) for t in x if t.get_text()]
        if any(a.x1 > b.x0 - 1 and b.x1 > a.x0
               for a, b in zip(boxes, boxes[1:])):
            ax.tick_params(axis="x", rotation=90)


def check(figure, axes):
    """That nothing is cut and that data have room."""
    renderer = figure.canvas.get_renderer()
    width, height = figure.get_size_inches()
    box = figure.get_tightbbox(renderer)
    least = min(ax.get_window_extent(renderer).width for ax in axes)
    if min(box.x0, box.y0, width - box.x1, height - box.y1) < -0.02 \
            or least < width * figure.dpi * 0.2:
        raise LookError(NO_ROOM)
