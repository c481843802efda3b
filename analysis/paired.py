"""compare.py --base SCHEME: is another scheme better in the same cell?

A choice and its base are a pair in each launch, so both have its luck.  With
six launches or more it exchanges the signs of the launches' differences in
every way (or in 9,999 by chance).  The step-down method of Westfall and Young
holds all answers together.  A single launch has only repetitions: they are
compared as advise.py does.  There is no verdict if the interval holds 1, or if
other processes took as much as the difference.
"""
import itertools
import math

import numpy as np

from . import (cells, compare_answer as answer, compare_verdicts as verdicts,
               labels, launches, loader, matching, stats)

MOST_LAUNCHES = 13      # whose signs are exchanged in every way
OTHERS = "no more than other processes took"
TOLD = (verdicts.FASTER, verdicts.SLOWER, verdicts.SAME)
DOUBTFUL = (verdicts.FEW, verdicts.PERHAPS, OTHERS)
LEAST = next(n for n in itertools.count(1) if 2 / 2 ** n <= stats.ALPHA)


class Differences:
    """The logarithms of choice over base, NaN for launches without both."""

    def __init__(self, pair, names):
        base, mine = (r.groupby("launch", observed=True)["time_s"].median()
                      for r in pair["runs"])
        shift = np.log(mine / base).reindex(names).to_numpy(dtype=float)
        self.known, self.p = shift[~np.isnan(shift)], math.nan
        self.ranks = np.zeros(len(names))
        self.ranks[~np.isnan(shift)] = \
            stats.midranks(np.abs(self.known)) * np.sign(self.known)

    def strength(self, signs):
        size = math.sqrt((self.ranks ** 2).sum())
        return np.abs(signs @ self.ranks) / (size or 1)


def ways(count):
    """As it was, and the other signs of so many launches."""
    own = np.ones((1, count))
    if count > MOST_LAUNCHES:
        rng = np.random.default_rng(1)
        return own, rng.choice([-1.0, 1.0], size=(verdicts.DRAWN, count))
    return own, np.array(list(itertools.product([1.0, -1.0],
                                                repeat=count))[1:])


class Paired:
    """pairs    a dictionary for each choice, with its verdict
    left     [(name, why it is not compared)]
    """

    def __init__(self, results, base, threshold):
        if results.runs.empty:
            raise loader.LoadError(f"{results.path}: no cell is complete and "
                                   "verified")
        self.threshold, self.left, self.pairs = threshold, [], []
        names = matching.key_columns(results, results, "scheme")
        frame = cells.summarize(results)
        self.base = base_of(sorted(frame["scheme"].unique()), base)
        is_base = frame["scheme"] == self.base
        apart = matching.is_mixed(results)
        bases = matching.keyed(frame[is_base], names, apart, None)
        samples = [matching.runs_of(results.runs)] * 2
        for _, rows in frame[~is_base].groupby("scheme", observed=True):
            for key, row in matching.keyed(rows, names, apart, None).items():
                why = why_not(bases.get(key), row, self.base)
                if why:
                    self.left.append((matching.name_of(row), why))
                else:
                    self.pairs.append(pair(bases[key], row, samples))
        ends = {}
        for row, why in launches.unsound(results):
            ends.setdefault(row["cell"], (
                f"{row['kernel']} {row['scheme']}", why))
        self.left += ends.values()
        self.judge()

    def judge(self):
        alone = [p for p in self.pairs if not p["several"]]
        verdicts.judge_repetitions(alone)
        together = [p for p in self.pairs if p["several"]]
        names = sorted({x for p in together for side in p["runs"]
                        for x in side["launch"].unique()})
        found = [Differences(p, names) for p in together]
        if found:
            verdicts.step_down(found, *ways(len(names)),
                               Differences.strength)
        for p, of in zip(together, found):
            middle, low, high = np.exp(stats.signed_shift_ci(of.known))
            n = len(of.known)
            told = n >= LEAST
            p.update(ratio=middle, na=n, nb=n, low=low, high=high,
                     p=of.p if told else math.nan,
                     verdict=verdicts.FEW if not told else verdicts.SAME
                     if of.p >= stats.ALPHA else verdicts.by_ratio(
                         {"ratio": middle}))
        for p in self.pairs:
            p["verdict"] = self.sound(p)
        self.leave_too_short()

    def leave_too_short(self):
        """A time that cannot be so short is longer in truth: of the slower
        of two it only confirms what was found."""
        kept = [p for p in self.pairs if not p["refused"] or p["verdict"] in
                (verdicts.SLOWER, verdicts.FASTER)]
        self.left += [(p["name"], p["refused"]) for p in self.pairs
                      if p not in kept]
        self.pairs = kept

    def sound(self, p):
        """The verdict that nothing else contradicts."""
        word = p["verdict"].removesuffix(verdicts.LUCK)
        if word in (verdicts.SLOWER, verdicts.FASTER):
            if p["low"] <= 1 <= p["high"]:
                word = verdicts.SAME
            elif p["busy"]:
                return OTHERS
        if word == verdicts.SAME and p["ratio"] > 1 + self.threshold:
            return OTHERS if p["busy"] else verdicts.PERHAPS
        return word

    def of(self, word):
        return sorted((p for p in self.pairs if p["verdict"] == word),
                      key=lambda p: p["ratio"])

    @property
    def doubts(self):
        found = [] if self.pairs else ["no choice has a base to compare with"]
        for word in DOUBTFUL:
            count = len(self.of(word))
            found += [f"{labels.count(count, 'choice')}: {word}"] * bool(count)
        if any(p["several"] for p in self.of(verdicts.FEW)):
            found[-1] += f" (it takes {LEAST} launches with both schemes)"
        return found + [f"{labels.count(len(self.left), 'cell')} not compared"
                        ] * bool(self.left)

    @property
    def code(self):
        if any(p["ratio"] > 1 + self.threshold
               for p in self.of(verdicts.SLOWER)):
            return answer.SLOWER
        return answer.CANNOT_TELL if self.doubts else answer.NOT_SLOWER

    @property
    def lines(self):
        """The answer, the clearest choices, and what it does not hold for."""
        out = [f"Compared with {self.base}, of "
               f"{labels.count(len(self.pairs), 'choice')}: " + ", ".join(
                   f"{len(self.of(word))} {word}" for word in TOLD + DOUBTFUL
                   if word in TOLD or self.of(word)) + "."]
        if self.doubts:
            out.insert(self.code == answer.SLOWER, "Cannot tell of all: "
                       + "; ".join(self.doubts) + ".")
        for word in (verdicts.FASTER, verdicts.SLOWER):
            found = self.of(word)[::1 if word == verdicts.FASTER else -1]
            out += [f"{word}: {p['name']} takes {answer.times(p['ratio'])} "
                    f"as long{interval(p)}" for p in found[:answer.MOST]]
        return out + [f"not compared: {name}: {why}"
                      for name, why in self.left]

    def ending(self):
        units = {p["unit"] for p in self.pairs if not p["simulated"]}
        out = [f"A is {self.base}, B the scheme of the row; p is corrected "
               "for all choices."]
        if "launches" in units:
            out.append("Samples are launches: B/A is the middle of their own "
                       "ratios, in pairs.")
        if "repetitions" in units:
            out.append("Samples are the repetitions of one launch: another "
                       f"launch may differ. {LEAST} launches tell more.")
            out.append("A and B are medians; B/A is the middle of all pairs "
                       "of repetitions, which may differ from B over A.")
        return out


def interval(p):
    return f" (95 % interval {p['low']:.3f} to {p['high']:.3f})" \
        if np.isfinite(p["low"]) else ""


def base_of(schemes, word):
    """The scheme of the directory that a user means."""
    found = [s for s in schemes if s == word] or \
        [s for s in schemes if s.split(":")[0] == word]
    if len(found) == 1:
        return found[0]
    raise loader.LoadError(
        f"--base {word}: " + (f"it may be {' or '.join(found)}" if found else
                              "no good cell has this scheme; there are "
                              + ", ".join(schemes)))


def why_not(base, row, scheme):
    if base is None:
        return f"no cell with {scheme} has the same layout and options"
    if row["unranked"] or base["unranked"]:
        return "workers shared cores"
    fast = min(base, row, key=lambda r: r["time_s"])
    if fast["refused"]:
        return fast["refused"]
    if matching.differ(base["iterations"], row["iterations"]):
        return (f"{row['iterations']:,.0f} iterations, and "
                f"{base['iterations']:,.0f} under {scheme}")
    return ""


def pair(base, row, samples):
    slow = max(base, row, key=lambda r: r["time_s"])
    busy = abs(base["time_s"] - row["time_s"]) <= slow.get("others_max_s", 0)
    return {**matching.pair(base, row, samples), "scheme": row["scheme"],
            "interval_words": row["interval_words"], "within": None,
            "name": matching.name_of(row), "refused": slow["refused"],
            "busy": busy and not row["simulated"] and
            base["time_s"] != row["time_s"]}
