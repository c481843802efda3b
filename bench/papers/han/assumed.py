"""What Han and Chronopoulos do not print: our values and why, and what holds
with others (han-alternatives.yaml)."""
import os
from collections import namedtuple

Setting = namedtuple("Setting", "axis maxiter result_bytes cp request_cost "
                     "messages answer prefetch alpha")
# The platform whose messages cost processors, and what it is in words.
PROCESSORS = "ranger-processors.xml"
MESSAGES = {False: "only time on the wire", True: "1 us at each end, and a "
            "request 0.2 us"}
# What names an alternative, if it changes several of them.
FIRST = ["messages", *(f for f in Setting._fields if f != "messages")]

# (field, assumption, why).  If the text gives no value, physics decides; if
# neither does, the reason says that we chose it.
ASSUMED = [
    ("axis", "the loop that is cut (axis)",
     "section V.A cuts the outer loops, whose index iy is the imaginary part, "
     "and a column of MSet[ix][iy] is one iy"),
    ("maxiter", "maxiter of the Mandelbrot set",
     "chosen: the text has no number; with bytes and the time of an operation "
     "it gives the ratio of computing to collecting, which alone matters"),
    ("result_bytes", "bytes of a column's results",
     "chosen: a byte a point; 4 bytes with maxiter 4000 would be the same "
     "ratio"),
    ("cp", "the time of an operation",
     "8 flops a step of Mandelbrot and 2 of the convolution, each of which "
     "waits for the one before"),
    ("request_cost", "the time of a request at a master",
     "to receive a request and to send an answer took 1 to 3 us with the MPI "
     "of 2008"),
    ("messages", "what a message costs processors",
     "InfiniBand's adapters move the data; what a master does for a request "
     "is in the time of a request"),
    ("answer", "when a master answers",
     "the text: it receives results, then it assigns (III.A, master, (2)(b); "
     "IV, (3)(a))"),
    ("prefetch", "requests one ahead",
     "the text: a worker asks when its chunk is done (III.A, worker)"),
    ("alpha", "A in HDGSS, in V, the sum of the powers",
     "algorithm 3 prints ceil(R/A) V_j and no A; with equal powers V makes it "
     "the paper's GSS, ceil(R/p)")]


def given(value):
    """None for what a run does not say."""
    return None if value is None or value != value else value


def setting(run):
    """(kernel, Setting) of a run; other schemes than HDGSS have alpha 1."""
    kernel, _, words = run["kernel"].partition(":")
    keys = dict(word.split("=") for word in words.split(","))
    scheme, _, alpha = run["scheme"].partition(":alpha=")
    return kernel, Setting(
        keys.get("axis"), keys.get("maxiter") and int(keys["maxiter"]),
        given(run.get("result_bytes")), given(run.get("cp")),
        given(run.get("request_cost")),
        os.path.basename(str(run.get("platform"))) == PROCESSORS,
        given(run.get("answer")) or "early", bool(run.get("prefetch")),
        float(alpha or 1) if scheme == "dgss" else 1.0)


def changed(ours, other):
    """The field that names an alternative; None: there is no difference."""
    return next((f for f in FIRST if getattr(ours, f) != getattr(other, f)),
                None)


def merged(ours, other):
    """An alternative's runs, with ours where it does not change the scheme;
    and ours in the cells that it has."""
    places = {key[1:] for key in other}
    few = {key: run for key, run in ours.items() if key[1:] in places}
    return {**few, **other}, few


def words(field, value):
    if field == "messages":
        return MESSAGES[value]
    if field == "prefetch":
        return "on" if value else "off"
    if value is None:
        return "a flop in a cycle of 2.3 GHz"
    if field in ("cp", "request_cost"):
        return f"{1e9 * value:.3g} ns" if value < 1e-7 \
            else f"{1e6 * value:.3g} us"
    if field == "alpha":
        return "A = V" if value == 1 else f"A = {value:g} V"
    return f"{value:g}" if isinstance(value, (int, float)) else str(value)


def verdicts(judge, kernel, runs):
    """{claim: whether it holds} of those that can be said."""
    return {c["claim"]: bool(c["holds"]) for c in judge(kernel, runs)}


def count(found):
    return f"{sum(found.values())} of {len(found)}"


def places(kernel, runs):
    masters = sorted({m for _, m, _ in runs})
    return (f"{kernel}: {', '.join(map(str, masters))} masters, up to "
            f"{max((w for _, _, w in runs), default=0)} workers")


def effect(kernel, other, few):
    """What an alternative does to the claims of a kernel."""
    parts = [f"{title} {', '.join(names)}" for title, names in (
        ("now", [c for c in other if other[c] and not few.get(c)]),
        ("no longer", [c for c in few if few[c] and not other.get(c)]))
        if names]
    return f"{kernel} {count(other)} ({count(few)} with ours)" + "".join(
        f"; {part}" for part in parts)


class Alternatives:
    """{field: {value: [effect by kernel]}} of all settings other than ours."""

    def __init__(self, found, ours, judge):
        self.effects, self.rows = {}, []
        self.few, self.places = {}, {}      # by kernel
        for kernel, own in ours.items():
            base = found[kernel, own]
            for (name, other), runs in found.items():
                field = changed(own, other)
                if name == kernel and field:
                    self._add(kernel, field, getattr(other, field),
                              *merged(base, runs), judge)

    def _add(self, kernel, field, value, runs, few, judge):
        own, other = (verdicts(judge, kernel, r) for r in (few, runs))
        self.few[kernel], self.places[kernel] = own, places(kernel, few)
        self.effects.setdefault(field, {}).setdefault(value, []).append(
            effect(kernel, other, own))
        self.rows += [[kernel, field, words(field, value), claim, int(holds),
                       int(own[claim])] for claim, holds in other.items()
                      if claim in own]


def add(report, found, ours, judge):
    """The table of assumptions.  found: (kernel, Setting) -> runs; ours:
    kernel -> Setting; judge(kernel, runs): the claims."""
    other = Alternatives(found, ours, judge)
    if other.few:
        report.assume(
            "cells on which claims are counted here", "; ".join(
                other.places.values()), "the alternatives take minutes",
            [("all", "; ".join(
                f"{kernel} {count(verdicts(judge, kernel, found[kernel, s]))}"
                f" ({count(other.few[kernel])} with these)"
                for kernel, s in ours.items() if kernel in other.few))])
    for field, assumption, why in ASSUMED:
        values = [getattr(s, field) for s in ours.values()]
        value = next((v for v in values if v is not None), None)
        report.assume(assumption, words(field, value), why,
                      [(words(field, v), "; ".join(effects)) for v, effects
                       in other.effects.get(field, {}).items()])
    report.store("alternatives", ["kernel", "assumption", "value", "claim",
                                  "holds", "with_ours"], other.rows)
