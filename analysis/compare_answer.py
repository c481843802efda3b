"""The words of compare.py: the answer, its reasons, and its exit code."""
import math

import numpy as np

from . import (compare_verdicts as verdicts, environment, grid, labels,
               speedup_limits, states, stats)

NOT_SLOWER, SLOWER, CANNOT_TELL = 0, 1, 3
WORDS = {NOT_SLOWER: "not slower", SLOWER: "slower",
         CANNOT_TELL: "cannot tell"}
MOST = 3        # cells named in the answer
BETTER = 6      # launches a side


def exit_code(comparison):
    if slower(comparison):
        return SLOWER
    return CANNOT_TELL if doubts(comparison) else NOT_SLOWER


def total(comparison):
    return comparison.family.total if comparison.family else None


def slower(comparison):
    """Whether a slowdown beyond the threshold is proven."""
    whole = total(comparison)
    return bool(comparison.slowdowns()) or whole is not None \
        and whole.slowdown(comparison.threshold) is not None


def doubts(comparison):
    """Why nobody can say that B is not slower."""
    pairs, found = comparison.pairs, []
    if not pairs:
        return ["no cell is left to compare"]
    if comparison.single:
        found.append("one launch a side")
    else:
        found += too_few(comparison)
    found += of_total(comparison)
    perhaps = [p for p in pairs if p["verdict"] == verdicts.PERHAPS]
    if perhaps and (len(pairs) > 1 or total(comparison) is None):
        found.append(f"{labels.count(len(perhaps), 'cell')} perhaps slower, "
                     f"{worst(perhaps)}")
    if has_moved(comparison):
        found.append("the machine was in another state")
    if comparison.failing:
        found.append(f"{labels.count(len(comparison.failing), 'cell')} failed "
                     "more often in B")
    dead = comparison.dead
    if dead[1] > dead[0]:
        found.append(f"{labels.count(dead[1], 'launch', 'launches')} of B "
                     f"without results, {dead[0]} of A")
    if comparison.refused:
        found.append(f"{labels.count(len(comparison.refused), 'cell')} "
                     "cannot be compared")
    return found


def too_few(comparison):
    found, pairs = few(comparison.pairs), comparison.pairs
    lone = [p for p in pairs if not p["several"] and not p["simulated"]]
    if lone:
        yield f"{labels.count(len(lone), 'cell')} with one launch a side"
    if found:
        mean = stats.geometric_mean([p["ratio"] for p in found])
        yield (f"{found[0]['na']} and {found[0]['nb']} {found[0]['unit']} "
               "are too few for a proof"
               + f" in {labels.count(len(found), 'cell')} of {len(pairs)}"
               + f", where B takes {times(mean)} as long")


def few(pairs):
    return [p for p in pairs if p["verdict"] == verdicts.FEW]


def of_total(comparison):
    """Doubts about all cells together."""
    whole = total(comparison)
    if whole is None or slower(comparison):
        return []
    if whole.word(comparison.threshold, of_many=False) != verdicts.PERHAPS:
        return []
    at = [q for q in whole.questions
          if q.leaves_doubt(comparison.threshold, of_many=False)][0]
    over = " over all cells" if len(comparison.family.cells) > 1 else ""
    return [f"B takes {times(at.ratio)} as long{over}, and launches "
            "differ too much to prove it"
            if at.ratio > 1 + comparison.threshold else
            "launches differ so much that a slowdown of up to "
            f"{size(at.high)} could have hidden"]


def has_moved(comparison):
    family = comparison.family
    share = family and family.share
    return bool(share) and share.can_tell and share.p < stats.ALPHA


def worst(pairs):
    """The cell that is slowest in B, with its ratio."""
    most = max(pairs, key=ratio_of)
    return f"{most['name']} {times(ratio_of(most))} as long"


def ratio_of(p):
    return p["slowdown"] or max(p["ratio"], p["within"] or 0)


def times(ratio):
    return f"{ratio:.3g} times" if ratio >= 1.1 else f"{ratio:.3f} times"


def size(ratio):
    return labels.percent(max(ratio - 1, 0), 0 if ratio > 1.1 else 1)


# ---- the answer ----

def lines(comparison, sides):
    out = [headline(comparison)] + others_lines(comparison, sides)
    out += cell_lines(comparison) + hidden(comparison)
    out += state_lines(comparison) + speed_lines(comparison, sides)
    out += comparison.lines
    for letter, found in zip("AB", comparison.only):
        if found:
            out.append(f"only in {letter}: "
                       f"{labels.count(len(found), 'cell')} (listed below)")
    out += [f"refused: {text}: {reason}"
            for text, reason in comparison.refused]
    differ = [title for title, _, _ in environment.differences(*sides)]
    if differ:
        out.append("The sides also differ in other ways (below): "
                   + ", ".join(differ))
    return out


def headline(comparison):
    if slower(comparison):
        return slower_line(comparison)
    if comparison.single:
        return single_line(comparison)
    found = doubts(comparison)
    if found:
        return ("Cannot tell whether B is slower: " + "; ".join(found)
                + advice(comparison) + ".")
    words = [p["verdict"] for p in comparison.pairs]
    count = labels.count(len(words), "cell")
    small = f"by more than {100 * comparison.threshold:g} %"
    if verdicts.FASTER in (word_of(comparison), *set(words)):
        text = "B is faster" if word_of(comparison) == verdicts.FASTER \
            or set(words) == {verdicts.FASTER} else \
            f"B is faster in {words.count(verdicts.FASTER)} of {count}"
        if verdicts.SLOWER in words:
            text += f", and slower {small} in none"
    elif verdicts.SLOWER in (word_of(comparison), *words):
        text = f"B is slower, but not {small}"
    else:
        text = "No difference was seen"
    return text + ": B takes " + extent(comparison) + "."


def others_lines(comparison, sides):
    """What other processes had of the cores while the cells of both sides
    ran, and what that alone does."""
    shares = [speedup_limits.others(side.runs[side.runs["cell"].isin(
        {p["cells"][i] for p in comparison.pairs})])
        for i, side in enumerate(sides)]
    if not max(shares, key=lambda x: x if x == x else 0) \
            >= speedup_limits.OTHERS_LEAST:
        return []
    words = " and ".join(
        ("an unknown part" if math.isnan(x) else labels.percent(x, 0))
        + f" of the cores in {letter}" for letter, x in zip("AB", shares))
    alone = (1 - shares[0]) / (1 - shares[1]) if shares[1] < 1 else math.nan
    far = abs(alone - 1) > comparison.threshold
    return [f"Other processes had {words}" + (
        f": that alone makes B's times about {alone:.2g} times A's"
        if far else "") + "."]


def slower_line(comparison):
    """In all cells together, or in how many of them."""
    whole, slow = total(comparison), comparison.slowdowns()
    if whole is not None:
        most = max((q for q in whole.questions
                    if q.is_beyond(comparison.threshold)),
                   key=lambda q: q.ratio, default=None)
        if most is not None:
            return "B is slower: it takes " + extent(comparison, most) + "."
    count = labels.count(len(comparison.pairs), "cell")
    text = f"B is slower in {len(slow)} of {count}"
    faster = sum(p["verdict"] == verdicts.FASTER for p in comparison.pairs)
    if faster:
        text += f", and faster in {faster}"
    return (text + f": {worst(slow)}. Together, it takes "
            + extent(comparison) + ".")


def word_of(comparison):
    whole = total(comparison)
    return None if whole is None else whole.word(comparison.threshold, False)


def extent(comparison, question=None):
    """B over A, of all cells."""
    pairs, whole = comparison.pairs, total(comparison)
    if whole is None or not whole.over.sizes:
        mean = stats.geometric_mean([p["ratio"] for p in pairs])
        return f"{times(mean)} as long as A" + over(pairs)
    q = question or whole.over
    text = f"{times(q.ratio)} as long as A" + over(
        [p for p in pairs if p["several"]])
    if q is whole.within:
        text += ", in the same state of the machine"
    if np.isfinite(q.low):
        text += f" (95 % interval {q.low:.3f} to {q.high:.3f})"
    return text


def over(pairs):
    return f" in {pairs[0]['name']}" if len(pairs) == 1 \
        else f" over all {len(pairs)} cells"


def single_line(comparison):
    pairs = [p for p in comparison.pairs if not p["simulated"]]
    mean = stats.geometric_mean([p["ratio"] for p in pairs])
    return ("Cannot tell the machine from luck: one launch a side. B's takes "
            f"{times(mean)} as long as A's" + over(pairs)
            + advice(comparison) + ".")


def advice(comparison):
    """How to get more launches.  Programs that run by themselves append
    theirs."""
    pairs = [p for p in comparison.pairs if not p["simulated"]]
    lack = comparison.single or any(p["several"] for p in few(pairs))
    if not lack:
        return ""
    how = "each run with the same --out is one" if all(
        p["unchecked"] for p in pairs) else "--out A/1, A/2, ..."
    return (f". It takes {verdicts.least_launches()} launches a side, better "
            f"{BETTER} ({how})")


def cell_lines(comparison):
    """How many cells are what, and the worst ones."""
    found = [p["verdict"] for p in comparison.pairs]
    words = [verdicts.SLOWER, verdicts.FASTER, verdicts.SAME]
    words += [w for w in sorted(set(found)) if w not in words]
    out = [", ".join(f"{found.count(w)} {w}" for w in words)] if found else []
    slow = sorted(comparison.slowdowns(), key=ratio_of, reverse=True)
    if slow:
        named = "; ".join(f"{p['name']} {times(ratio_of(p))} as long"
                          for p in slow[:MOST])
        more = len(slow) - MOST
        out.append(f"{labels.count(len(slow), 'slowdown')} beyond "
                   f"{100 * comparison.threshold:g} %: {named}"
                   + (f"; {more} more" if more > 0 else ""))
    return out


def hidden(comparison):
    """The largest slowdown that the comparison could have missed."""
    whole = total(comparison)
    if whole is None or not whole.over.can_tell or slower(comparison) \
            or word_of(comparison) == verdicts.FASTER:
        return []
    text = f"A slowdown of up to {size(whole.over.high)}"
    pairs = [p for p in comparison.pairs
             if p["several"] and np.isfinite(p["high"])]
    most = max(pairs, key=lambda p: p["high"], default=None)
    if len(comparison.family.cells) > 1:
        text += " over all cells"
    if most is not None and len(comparison.family.cells) > 1:
        text += (f", and of up to {size(most['high'])} in one cell "
                 f"({most['name']}),")
    return [text + " could have hidden."]


# ---- states of the machine ----

def state_lines(comparison):
    family, border = comparison.family, comparison.border
    if border is None:
        return []
    middle = middles(comparison)
    if family is None:
        return [single_state(comparison, middle)]
    here = [counts(family, side, middle) for side in (0, 1)]
    same = here[0] == here[1]
    out = [("The machine was in two states on both sides" if same else
            "The state of the machine differs")
           + ", by the hand-over between two cores: "
           + "; ".join(f"{letter} {text}"
                       for letter, text in zip("AB", here))
           + share_words(family)]
    for state, question in enumerate(family.state):
        sizes = [sum(n[i] for n in question.sizes) for i in (0, 1)]
        if question.sizes:
            out.append(f"  at {middle[state]}, {sizes[0]} and "
                       f"{labels.count(sizes[1], 'launch', 'launches')}: B "
                       f"takes {times(question.ratio)} as long")
    return out + [within_words(family)]


def speed_lines(comparison, sides):
    """Whether the cores of one side were slower all the time: only the same
    instructions tell."""
    if {"compiler", "flags"} & {title for title, *_ in
                                environment.differences(*sides)}:
        return []
    a, b = (np.concatenate([states.probes(p["runs"][side])
                            for p in comparison.pairs]) for side in (0, 1))
    if np.isnan(a).all() or np.isnan(b).all():
        return []
    ratio = float(np.nanmedian(b) / np.nanmedian(a))
    if 1 / states.SLOWER <= ratio <= states.SLOWER:
        return []
    return [f"The cores of {'AB'[ratio > 1]} were slower: a fixed piece of "
            f"arithmetic took {times(max(ratio, 1 / ratio))} as long there"]


def share_words(family):
    """Whether the states can differ by chance."""
    q = family.share
    if q is None or not q.can_tell:
        return ""
    return f" (another share: {labels.p_value(q.p)})"


def within_words(family):
    inside, whole = family.all.within, family.all.over
    if inside is None:
        return ("  No launch of one side is in a state of the other: what the "
                "state does cannot be told from what else differs.")
    if inside.is_significant and (inside.ratio > 1) != (whole.ratio > 1):
        return "  Within one state it is the other way round."
    if inside.is_significant:
        return ("  Within one state the difference stays: the state is not "
                "its only reason.")
    if not inside.can_tell:
        return "  Too few launches in one state to tell what it does."
    if whole.is_significant:
        return ("  Within one state no difference is proven: it may come with "
                "the state of the machine.")
    return "  Within one state no difference is seen either."


def middles(comparison):
    times_s = np.concatenate([states.handovers(r).ravel()
                              for p in comparison.pairs for r in p["runs"]])
    return [f"{1e9 * np.median(part):.0f} ns" if len(part) else "-"
            for part in (times_s[times_s <= comparison.border],
                         times_s[times_s > comparison.border])]


def counts(family, side, middle):
    """In what states the launches of a side were."""
    mine = family.shares[family.is_b == bool(side)]
    kinds = [(middle[0], mine == 0), (middle[1], mine == 1),
             ("both", (mine > 0) & (mine < 1)), ("not known", np.isnan(mine))]
    every = labels.count(len(mine), "launch", "launches")
    return ", ".join(f"{words} in " + (
        f"all {every}" if which.all() else f"{which.sum()} of {every}")
        for words, which in kinds if which.any())


def single_state(comparison, middle):
    share = []
    for side in (0, 1):
        found = np.concatenate([states.handovers(p["runs"][side]).ravel()
                                for p in comparison.pairs])
        found = found[~np.isnan(found)]
        share.append(float((found > comparison.border).mean())
                     if len(found) else math.nan)
    return ("The hand-over between two cores took "
            f"{middle[0]} or {middle[1]}: {middle[1]} in "
            f"{labels.percent(share[0], 0)} of A's and "
            f"{labels.percent(share[1], 0)} of B's measurements")


# ---- the numbers ----

def grids(comparison):
    """A table per kernel, ending in its geometric mean."""
    by_kernel = {}
    for p in comparison.pairs:
        by_kernel.setdefault(p["kernel"], []).append(p)
    for pairs in by_kernel.values():
        mean = stats.geometric_mean([p["ratio"] for p in pairs])
        inside = any(p["within"] is not None for p in pairs)
        yield grid.Grid(
            pairs[0]["loop"],
            ["setup", "scheme", "A", "B", "B/A", "95 % interval"]
            + ["in one state"] * inside + ["p", "samples", "verdict"],
            [row(p, inside) for p in pairs],
            f"geometric mean of B/A {mean:.3f} over "
            f"{labels.count(len(pairs), 'cell')}", left=2)


def row(p, inside):
    scheme = p["scheme"] + (f" h={p['interval_words']}"
                            if p["interval_words"] else "")
    state = [] if not inside else [
        "-" if p["within"] is None else f"{p['within']:.3f}"]
    return [p["label"], scheme, labels.seconds(p["a_s"]),
            labels.seconds(p["b_s"], p["a_s"]), f"{p['ratio']:.3f}",
            f"{p['low']:.3f} to {p['high']:.3f}"
            if np.isfinite(p["low"]) else "-", *state,
            "-" if math.isnan(p["p"]) else f"{p['p']:.3g}",
            f"{p['na']}, {p['nb']}", p["verdict"]]


def ending(comparison, sides):
    """What belongs to the numbers."""
    out = []
    used = sorted({p["unit"] for p in comparison.pairs})
    if used:
        middle = "B/A is the middle of all pairs of launches. " \
            if "launches" in used else ""
        few = any(np.isnan(p["low"]) for p in comparison.pairs)
        out.append(f"Samples are {' or '.join(used)}. {middle}p is corrected "
                   "for all cells." + " -: too few samples." * few)
    for letter, found in zip("AB", comparison.only):
        if found:
            out.append(f"only in {letter}: "
                       f"{labels.count(len(found), 'cell')}")
            out += ["  " + text for text in found]
    if comparison.others:
        out.append("--across scheme also compares these loops")
    found = environment.differences(*sides)
    return out + ["environment: " + (
        "these differ" if found else "no difference in the manifests")] + [
            f"  {title}: {'; '.join(here)}  ->  {'; '.join(there)}"
            for title, here, there in found]
