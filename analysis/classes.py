"""Schemes by class of loops: the loss of each scheme against the best of a
class, and in how many classes it is within 2 % of it.  Which single choice is
the safest, and which published claims hold here.

A loss is the time of a scheme over that of the fastest fixed scheme of its
class, less 1.  A class of several loops counts its largest loss.

A loop with time steps counts only its steps.  Between them the ranks exchange
results and make the next step's data.  This hardly depends on the scheme and
may take longer than the steps."""
import copy

import numpy as np

from . import cells, grid, labels, records, regret, stats, unequal

NEAR = 0.02
CLASSES = ["equal", "decreasing", "random", "power law", "few huge",
           "drifting", "dependences"]
LEAST = 3   # classes that make a table
# Columns of a problem besides the loop; layouts with equal workers are two
# problems.
WHERE = ["simulated", "platform", "workers", "ranks", "threads", "transport",
         "master", "hierarchy"]
DEPENDENT = {"heat", "floyd-steinberg", "deps"}


def class_of(kernel):
    """The class of a kernel's spec; None: it belongs to none."""
    name, keys = labels.parts(kernel)
    if name in DEPENDENT:
        return "dependences"
    if name == "matmul":
        return "equal" if keys.get("min") == keys.get("max") else "random"
    if name == "triangles":
        return "power law" if keys.get("relabel") == "on" else "few huge"
    return {"triad": "equal", "adjoint": "decreasing", "spmv": "power law",
            "sph": "drifting"}.get(name)


def of_steps(results, frame):
    """The same without the time between time steps, which `between` gets
    (None: not measured)."""
    if frame.empty or "between_s" not in results.runs:
        return results, frame.assign(between=None)
    own, runs = copy.copy(results), results.runs
    between = runs["between_s"].astype(float)
    own.runs = runs.assign(time_s=runs["time_s"] - between.fillna(0))
    keys = ["cell", "simulated"]
    kept = cells.summarize(own).merge(frame[keys].astype(object), on=keys)
    return own, kept.assign(between=kept["between_s"].astype(object).where(
        kept["between_s"].notna(), None))


def dedicated(frame):
    """The comparable rows: no perturbation or load, and equal workers."""
    found = frame[~frame["unranked"].astype(bool)]
    for name, usual in (("perturb", "none"), ("load", ""), ("power", "")):
        if name in found:
            found = found[found[name].fillna(usual) == usual]
    return found


def median(row):
    """(time, low, high); exact where a simulation gives it once."""
    if row["simulated"] and row["n"] == 1:
        return (row["time_s"],) * 3
    few = row["n"] < stats.CI_LEAST
    ends = (np.nan, np.nan) if few else (row["time_s_low"],
                                         row["time_s_high"])
    return (row["time_s"], *ends)


def medians(results, frame):
    """cell -> its median; of scheme auto that of the repetitions with what it
    chose."""
    found = {(r["cell"], r["simulated"]): median(r)
             for r in records.of(frame)}
    auto = frame[regret.is_auto(frame)]
    if auto.empty or regret.CHOSEN[0] not in results.runs:
        return found
    ends = results.ended[results.ended["status"] == "ok"] \
        .drop_duplicates("cell", keep="last").set_index("cell")
    for row in records.of(auto):
        runs = results.runs[(results.runs["cell"] == row["cell"])
                            & (results.runs["simulated"] == row["simulated"])]
        took = regret.times(runs, ends.loc[row["cell"]],
                            regret.by_trial(row["scheme"]))
        if len(took) >= stats.CI_LEAST:
            found[row["cell"], row["simulated"]] = stats.median_ci(took)
    return found


def choice_name(row):
    """Of automatic selection, whose keys differ with loops, only the way."""
    if regret.is_auto_name(row["scheme"]):
        return f"auto: by {regret.way(row)}"
    return row["scheme"]


class Losses:
    """The losses of one setup: of[scheme][class] = (loss, low, high)."""

    def __init__(self, part, of_cell):
        self.first, self.of, self.best, self.times = part.iloc[0], {}, {}, {}
        self.classes = [c for c in CLASSES if (part["class"] == c).any()]
        for (name, loop), rows in part.groupby(["class", "kernel"],
                                               sort=False):
            self.add(name, loop, rows, of_cell)
        self.schemes = sorted(self.of, key=self.order)

    def add(self, name, loop, rows, of_cell):
        fixed = rows[~regret.is_auto(rows)]
        if fixed.empty:
            return
        best = fixed.loc[fixed["time_s"].idxmin()]
        base = of_cell[best["cell"], best["simulated"]]
        self.best.setdefault(name, []).append(best)
        for row in records.of(rows.sort_values("time_s", ascending=False)):
            own = of_cell[row["cell"], row["simulated"]]
            scheme = choice_name(row)
            self.times[scheme, loop] = own
            loss = tuple(v - 1 for v in stats.ratio_of(base, own))
            if row["cell"] == best["cell"]:
                loss = (0.0, 0.0, 0.0)
            at = self.of.setdefault(scheme, {})
            at[name] = max(at.get(name, loss), loss)

    def everywhere(self, scheme):
        return len(self.of[scheme]) == len(self.classes)

    def worst(self, scheme):
        """(class, loss) of the largest loss."""
        return max(self.of[scheme].items(), key=lambda item: item[1][0])

    def near(self, scheme):
        """Classes within NEAR of the best: surely, by the median, possibly."""
        losses = list(self.of[scheme].values())

        def known(value, middle):
            return value if np.isfinite(value) else middle
        return (sum(known(high, m) <= NEAR for m, _, high in losses),
                sum(m <= NEAR for m, _, _ in losses),
                sum(known(low, m) <= NEAR for m, low, _ in losses))

    def order(self, scheme):
        return (regret.is_auto_name(scheme), not self.everywhere(scheme),
                self.worst(scheme)[1][0])

    def safest(self):
        """The fixed scheme of smallest worst loss, of those that ran in every
        class; None: none did."""
        found = [s for s in self.schemes if self.everywhere(s)
                 and not regret.is_auto_name(s)]
        return found[0] if found else None


def setups(results, frame):
    """Losses of each setup that has several classes."""
    results, frame = of_steps(results, frame)
    rows = dedicated(frame) if not frame.empty else frame
    if not rows.empty:
        rows = rows.assign(**{"class": rows["kernel"].map(class_of)})
        rows = rows[rows["class"].notna()]
    if rows.empty:
        return
    of_cell = medians(results, rows)
    # A transport of dependences may have another name for the same way.
    same = [n for n in WHERE if n in rows]
    keys = cells.same_in(rows, same)
    for _, part in rows.groupby(keys, sort=False):
        if part["class"].nunique() >= LEAST:
            yield Losses(part, of_cell)


def loss_words(loss, star=False):
    middle, low, high = loss
    text = f"{100 * middle:.1f}"
    if middle != 0 and np.isfinite(low) and (low, high) != (middle, middle):
        text += f" [{100 * low:.1f}, {100 * high:.1f}]"
    return text + " *" * star


def near_words(counts, of):
    surely, middle, possibly = counts
    text = f"{middle} of {of}"
    return text if surely == possibly else f"{text} [{surely}, {possibly}]"


def between_words(losses):
    """The time left out in each class, for its fastest scheme."""
    found = []
    for name in losses.classes:
        row = losses.best[name][0] if name in losses.best else {}
        took = row.get("between")
        if took is not None:
            found.append(f"{name} {labels.seconds(took)} of "
                         f"{labels.seconds(row['time_s'] + took)}")
    return ["left out is the time between time steps, in which schemes differ "
            f"little: {', '.join(found)}"] if found else []


def auto_words(losses):
    found = []
    for scheme in losses.schemes:
        if not regret.is_auto_name(scheme):
            continue
        worst, loss = losses.worst(scheme)
        near = near_words(losses.near(scheme), len(losses.of[scheme]))
        found.append(f"{scheme} loses {loss_words(loss)} % at most ({worst}) "
                     f"and is within 2 % in {near}")
    return found


def where_words(losses):
    first = losses.first
    words = labels.setup(first) + ", " + labels.count(
        int(first["workers"]), "worker")
    if not first["simulated"]:
        return words + f", {labels.layout(first)}"
    platform = labels.simulation({"platform": first.get("platform")})
    return words + f", {labels.simulated_on(platform)}"


def table(losses):
    rows = []
    for scheme in losses.schemes:
        at = losses.of[scheme]
        worst, loss = losses.worst(scheme)
        rows.append([
            scheme, near_words(losses.near(scheme), len(at)),
            f"{loss_words(loss)} ({worst})",
            *(loss_words(at[c], at[c][0] == 0 and any(
                b["scheme"] == scheme for b in losses.best.get(c, [])))
              if c in at else "-" for c in losses.classes)])
    words = ["% slower than the fastest fixed scheme (*) of the class, in "
             "brackets its 95 % interval; within 2 %: in how many classes, in "
             "brackets by the ends of the intervals"]
    safest = losses.safest()
    if safest is not None:
        worst, loss = losses.worst(safest)
        words.append(f"safest single choice: {safest}, which loses "
                     f"{loss_words(loss)} % at most ({worst})")
    words += auto_words(losses) + between_words(losses)
    return grid.Grid(f"Classes of loops: {where_words(losses)}",
                     ["scheme", "within 2 %", "worst", *losses.classes], rows,
                     "; ".join(words), left=1)


# ---- published claims ----

def compare(losses, scheme, others):
    """[(class, time over the best of others, low, high)], in the loops that
    both ran in."""
    found = []
    loops = dict.fromkeys(loop for _, loop in losses.times)
    for loop in loops:
        own = losses.times.get((scheme, loop))
        base = [losses.times[s, loop] for s in others
                if (s, loop) in losses.times]
        if own is None or not base:
            continue
        found.append((class_of(loop), *stats.ratio_of(min(base), own)))
    return found


def spec_of(losses, name, **keys):
    """The full spec of a scheme that ran, by its name and some keys."""
    for scheme in losses.schemes:
        own, given = labels.parts(scheme)
        if own == name and all(given.get(k) == v for k, v in keys.items()):
            return scheme
    return None


def specs_of(losses, *names):
    return [s for s in losses.schemes if labels.parts(s)[0] in names]


def sign(ratio, low, high):
    """-1: a time is smaller by NEAR or more, and with its whole interval; 1:
    larger; 0: neither can be said."""
    if ratio * (1 + NEAR) <= 1 and not high >= 1:
        return -1
    return int(ratio >= 1 + NEAR and not low <= 1)


def verdict(found):
    """How many classes confirm that a time is smaller, contradict it, or show
    no difference."""
    signs = [sign(*ratio) for _, *ratio in found]
    return signs.count(-1), signs.count(1), signs.count(0)


def listed(found, which):
    words = [f"{name} {unequal.signed(ratio[0] - 1)}"
             for name, *ratio in found if sign(*ratio) == which]
    return f" ({', '.join(words)})" if words else ""


def claim_words(found):
    less, more, neither = verdict(found)
    parts = [f"{less} of {len(found)} classes confirm" + listed(found, -1)]
    if more:
        parts.append(f"{more} contradict" + listed(found, 1))
    if neither:
        parts.append(f"{neither} without a difference")
    return ", ".join(parts)


def claim_hybrid(losses):
    scheme = spec_of(losses, "hybrid")
    dynamic = specs_of(losses, "ss", "css")
    return compare(losses, scheme, [*specs_of_static(losses), *dynamic]) \
        if scheme and dynamic else []


def specs_of_static(losses):
    return [s for s in specs_of(losses, "static") if "by=cost" not in s]


def claim_nonzeros(losses):
    scheme = spec_of(losses, "static", by="cost")
    others = [s for s in losses.schemes
              if s != scheme and not regret.is_auto_name(s)]
    return [f for f in compare(losses, scheme, others)
            if f[0] == "power law"] if scheme else []


def claim_factoring(losses):
    scheme = spec_of(losses, "fss")
    return compare(losses, scheme, specs_of(losses, "gss")) if scheme else []


def claim_trapezoid(losses):
    scheme = spec_of(losses, "tss")
    return compare(losses, scheme, specs_of(losses, "gss")) if scheme else []


def claim_history(losses):
    scheme = spec_of(losses, "hss")
    return compare(losses, scheme, specs_of(losses, "gss")) if scheme else []


CLAIMS = [
    ("a static part and a dynamic one are faster than either (hybrid)",
     "Donfack, Grigori, Gropp and Kale 2012", claim_hybrid),
    ("rows by equal non-zeros are the fastest for most matrices "
     "(static:by=cost)", "Liu et al.", claim_nonzeros),
    ("factoring is faster than guided (fss, gss)",
     "Hummel, Schonberg and Flynn 1992", claim_factoring),
    ("the trapezoid is faster than guided (tss, gss)",
     "Tzen and Ni 1993", claim_trapezoid),
    ("guided by known costs is faster than guided by number (hss, gss)",
     "Kejariwal, Nicolau and Polychronopoulos 2006", claim_history),
]


def claims(found):
    rows = []
    for words, paper, check in CLAIMS:
        for losses in found:
            here = check(losses)
            if here:
                rows.append([words, paper, where_words(losses),
                             claim_words(here)])
    return grid.Grid("Published claims, by the classes here",
                     ["claim", "paper", "where", "found"], rows,
                     "a class confirms or contradicts where the times differ "
                     "by 2 % or more, with the whole 95 % interval of their "
                     "ratio", left=4)


def tables(results, frame):
    found = list(setups(results, frame))
    for losses in found:
        yield table(losses)
    if found:
        made = claims(found)
        if made.rows:
            yield made
