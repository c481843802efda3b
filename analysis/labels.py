"""Names and numbers as people read them."""
import math
import os
import re

import numpy as np

# In the order of schemes.def, kernels.def and transports.def.
SCHEMES = ["static", "ss", "css", "wcss", "gss", "fss", "tss", "tss-taylor",
           "qss", "wf", "dtss", "dtss-acp", "dfss", "dgss", "fsc", "mfsc",
           "fac", "tap", "tfss", "fiss", "viss", "rnd", "bold", "awf",
           "awf-b", "awf-c", "awf-d", "awf-e", "af", "hss", "binlpt", "fgdls",
           "aid-static", "aid-hybrid", "hybrid", "pls", "timed"]
KERNELS = ["null", "mandelbrot", "adjoint", "matmul", "heat",
           "floyd-steinberg", "deps", "trace", "triad", "spmv", "triangles",
           "sph"]
REPLAYED = "replayed, "     # before the platform of a replay
TRANSPORTS = ["shared", "openmp", "master", "push", "window", "steal"]
# Numbers of a simulated cell, and their defaults.
SIMULATION = {"cp": None, "request_cost": 2e-7, "result_bytes": None,
              "boundary_bytes": None}
# The meaning of the words of a setup.
MEANING = {
    "shared": "threads take chunks from memory that they share",
    "openmp": "OpenMP's own loop",
    "master": "rank 0 hands out chunks by messages",
    "window": "ranks take chunks from memory that MPI shares",
    "steal": "who has no chunk left takes some of another's",
    "push": "rank 0 sends chunks by a plan made before",
    "computing": "the master computes, too",
    "dedicated": "the master does nothing else",
    "flat": "nothing between the workers and the source of chunks",
    "node": "a pool of chunks in each rank",
    "masters": "so many between rank 0 and the workers",
}
SPEC = re.compile(r"[\w./-]+(:[\w-]+=.*)?$", re.S)
# A value with a comma is in quotes, as base/spec.h says.
PAIR = re.compile(r'([^=,]+)=("(?:[^"]|"")*"|[^,]*)', re.S)
UNITS = [(1.0, 1.0, "s"), (1e-3, 1e3, "ms"), (1e-6, 1e6, "us"),
         (0.0, 1e9, "ns")]


def position(spec, names):
    """For sorting: names as listed first, then by the alphabet."""
    name = str(spec).split(":")[0]
    return (names.index(name) if name in names else len(names), str(spec))


def natural(text):
    """For sorting: 9 before 16."""
    words = str(text).replace(",", " ").replace("x", " ").split()
    return [(0, float(word), "") if word.replace(".", "", 1).isdecimal()
            else (1, 0.0, word) for word in words]


def unit_of(seconds):
    """(factor, unit) for times of this size."""
    for least, factor, unit in UNITS:
        if abs(seconds) >= least:
            return factor, unit
    return 1.0, "s"


def seconds(value, like=None):
    """Four digits and a unit, that of `like` where given."""
    if value is None or math.isnan(value):
        return "-"
    like = value if like is None or math.isnan(like) else like
    if like == 0:
        return "0 s"
    factor, unit = unit_of(like)
    scale = abs(like) * factor
    digits = 0 if scale >= 1000 else 1 if scale >= 100 else \
        2 if scale >= 10 else 3
    return f"{value * factor:.{digits}f} {unit}"


def interval(low, high, like):
    if low is None or math.isnan(low):
        return "-"
    factor, unit = unit_of(like)
    return (f"{seconds(low, like).split()[0]} to {seconds(high, like)}")


def number(value, digits=3):
    if value is None or not math.isfinite(value):
        return "-"
    if abs(value) >= 10000 or float(value).is_integer():
        return f"{value:,.0f}"
    return f"{value:.{digits}f}"


def significant(value, digits):
    """So many digits, without an exponent."""
    if value is None or not math.isfinite(value):
        return "-"
    before = math.floor(math.log10(abs(value))) + 1 if value else 1
    return f"{value:.{max(digits - before, 0)}f}"


def percent(value, digits=1):
    if value is None or not math.isfinite(value):
        return "-"
    return f"{100 * value:.{digits}f} %"


def p_value(p):
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}" if p < 0.1 \
        else f"p = {p:.2f}"


def count(n, word, plural=None):
    return f"{n:,} {word if n == 1 else plural or word + 's'}"


def listed(words):
    """a, b and c"""
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last


def short(spec, specs=()):
    """A spec without the keys that all `specs` of its name share:
    `mandelbrot:size=2048,maxiter=1000,...` becomes `mandelbrot`."""
    name, keys = parts(spec)
    alike = [parts(s)[1] for s in set(specs) if parts(s)[0] == name]
    kept = [f"{k}={v}" for k, v in keys.items()
            if any(other.get(k) != v for other in alike)]
    return name + (":" + ",".join(kept) if kept else "")


def parts(spec):
    """The loops of other programs have a colon in their names, and no keys."""
    if not SPEC.match(str(spec)):
        return str(spec), {}
    name, _, rest = str(spec).partition(":")
    return name, dict(PAIR.findall(rest))


def name_of(spec):
    """The name of a scheme or a kernel, without its keys."""
    return parts(spec)[0]


def setup(cell):
    """Transport, master and hierarchy of a cell in words."""
    words = str(cell.get("transport") or "")
    if words == "master" and cell.get("master"):
        words += " " + str(cell["master"])
    if words == "window" and cell.get("window") not in (None, "auto"):
        words += " " + str(cell["window"])
    if words == "openmp" and cell.get("openmp"):
        words += " " + str(cell["openmp"])
    hierarchy = cell.get("hierarchy")
    if hierarchy is not None:
        words += ", " + hierarchy_words(hierarchy)
    return words.strip(", ")


def meanings(setups, layouts):
    """A sentence on the words in setups and layouts; in their order."""
    said = [f"{layout} is {count(ranks, 'rank')} (MPI's processes) with "
            + count(threads, "thread") + " each" * (ranks > 1)
            for layout, ranks, threads in layouts]
    used = dict.fromkeys(re.findall(r"\w+", " ".join(setups)))
    return "; ".join(said + [f"{word}: {MEANING[word]}" for word in used
                             if word in MEANING]) + "."


def hierarchy_words(hierarchy):
    text = str(hierarchy)
    if text.isdecimal() and len(text) < 16:
        return count(int(text), "master")
    return text


def shorten(file):
    """A file's name without folder and ending; words, such as those of a
    replay's costs, as they are."""
    text = str(file)
    mark = REPLAYED if text.startswith(REPLAYED) else ""
    rest = text.removeprefix(mark)
    return text if "/" not in rest and " " in rest \
        else mark + os.path.basename(rest).partition(".")[0]


def simulated_on(words):
    """What a replay says of its platform is no simulation."""
    return words if words.startswith(REPLAYED) else f"simulated on {words}"


def platforms(files):
    """{file: its name without folder and ending, where that is another for
    each of these files}."""
    files = {f for f in files if known(f) and f}
    names = {f: shorten(f) for f in files}
    apart = len(set(names.values())) == len(files)
    return names if apart else {f: f for f in files}


def simulation(cell):
    """The platform's name and what is not as usual; empty of native cells."""
    platform = cell.get("platform")
    if not known(platform) or not platform:
        return ""
    words = shorten(platform)
    for name, usual in SIMULATION.items():
        value = cell.get(name)
        if known(value) and value != usual:
            words += f", {name} {value:g}"
    return words


def unreal(cells):
    """Behind a title: how these cells, a frame or a row, were got, if not by
    running them."""
    if not np.any(cells["simulated"]):
        return ""
    replayed = all(str(platform).startswith(REPLAYED) for platform in
                   np.atleast_1d(cells.get("platform", "")))
    return " (replayed)" if replayed else " (simulated)"


def unranked(cell):
    """Why a cell is not ranked, behind other words; empty where it is."""
    if cell["oversubscribed"]:
        return "; oversubscribed, not ranked"
    return "; a master on a worker's core, not ranked" \
        if cell["unranked"] else ""


def layout(cell):
    ranks, threads = cell.get("ranks"), cell.get("threads")
    if not known(ranks) or not known(threads):
        return ""
    return f"{ranks:.0f}x{threads:.0f}"


def known(value):
    return value is not None and not (isinstance(value, float)
                                      and math.isnan(value))


def tried_words(loop):
    """What dlsbench omp --try said of a loop."""
    share = "" if loop["share"] is None else \
        f", {percent(min(loop['share'], 1))} of the time"
    return f"{loop['name']}{share}: {loop['verdict']}"


def reported_words(said):
    """What dlsbench omp --out said, the answer first."""
    of = "This run" if said["runs"] == 1 else \
        f"The last of {said['runs']} runs"
    answer = said["answer"].replace("see the next line",
                                    "see the command below")
    return [f"{of}: {answer}", *said["verdicts"]]
