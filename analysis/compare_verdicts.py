"""Is side B slower than side A?  Verdicts from the times of launches.

A launch is one sample: its repetitions share its luck.  All questions use the
same launches.  They concern each cell and all cells together, over the states
of the machine (states.py) and within each, and the change of the share of
states.  The answers hold together with 95 %.  For this the sides of the
launches are exchanged in every way (or in 9,999 ways by chance).  A difference
counts if fewer than 5 % of these ways have one as clear in any question (the
step-down method of Westfall and Young).  So four launches a side can
distinguish any number of cells.
"""
import itertools
import math

import numpy as np

from . import states, stats

FASTER, SLOWER, SAME = "faster", "slower", "no difference seen"
PERHAPS, FEW = "perhaps slower", "too few samples to say"
LUCK = ", or luck"      # behind a verdict on one launch a side
DOUBT = 0.2             # a smaller p leaves a doubt
HIDDEN = 0.5            # nobody calls sides the same that differ by this
MOST_WAYS, DRAWN = 20000, 9999
BLOCK = 1 << 22         # numbers of one matrix at a time


class Question:
    """Values of launches in blocks, each a vector with NaN for the launches
    that have none; only those of one block are compared with each other.

    ratio, low, high   of B over A, where the values are logarithms of times
    p                  corrected for all questions
    """

    def __init__(self, blocks, is_b):
        self.blocks = [b for b in blocks if (~np.isnan(b)).sum() > 1]
        parts = [(b[~np.isnan(b) & ~is_b], b[~np.isnan(b) & is_b])
                 for b in self.blocks]
        parts = [(a, b) for a, b in parts if len(a) and len(b)]
        self.sizes = [(len(a), len(b)) for a, b in parts]
        self.ratio, self.low, self.high = map(math.exp, stats.shift_ci(parts))
        self.p = math.nan

    @property
    def can_tell(self):
        return bool(self.sizes) and 2.0 / math.prod(
            math.comb(a + b, a) for a, b in self.sizes) <= stats.ALPHA

    @property
    def is_significant(self):
        return self.can_tell and self.p < stats.ALPHA and self.ratio != 1

    def is_beyond(self, threshold):
        """A slowdown that is proven, and larger than the threshold."""
        return self.is_significant and self.ratio > 1 + threshold

    def leaves_doubt(self, threshold, of_many):
        """It is slower by more than the threshold, but that is not proven.
        Of many cells some always are: there it takes more."""
        if not self.can_tell or self.is_significant:
            return False
        wide = self.high >= 1 + max(HIDDEN, threshold)
        if not of_many:
            return self.ratio > 1 + threshold or wide
        return self.ratio > 1 + threshold and (self.p < DOUBT or wide)


class Verdict:
    """A verdict on a cell or on all: `over` the states of the machine, and
    `within` each of them (None: only one state)."""

    def __init__(self, over, within=None):
        self.over, self.within = over, within

    @property
    def questions(self):
        return [q for q in (self.over, self.within) if q is not None]

    def word(self, threshold, of_many=True):
        if any(q.is_significant and q.ratio > 1 for q in self.questions):
            return SLOWER
        if any(q.is_significant for q in self.questions):
            return FASTER
        if not self.over.can_tell:
            return FEW
        return PERHAPS if any(q.leaves_doubt(threshold, of_many)
                              for q in self.questions) else SAME

    def slowdown(self, threshold):
        """The larger proven ratio beyond the threshold, or None."""
        return max((q.ratio for q in self.questions
                    if q.is_beyond(threshold)), default=None)


class Family:
    """The verdicts on pairs of cells that ran in several launches.

    border   between the hand-overs of two states; None: one state
    units    (side, launch) of every launch
    cells    a Verdict for each pair
    all      the Verdict on all cells together; None of one cell
    share    Question on the share of long hand-overs; None: one state
    shares   that share of every launch, NaN where it is not known
    state    for each state the Question on all cells within it
    scores   of each launch: how its times compare with all launches', as a
             logarithm
    """

    def __init__(self, pairs, border):
        self.border = border
        self.units = sorted({(side, str(launch)) for pair in pairs
                             for side in (0, 1)
                             for launch in pair[side]["launch"].unique()})
        self.at = {unit: i for i, unit in enumerate(self.units)}
        self.is_b = np.array([side == 1 for side, _ in self.units])
        found = [[self._vector(pair, border, state) for pair in pairs]
                 for state in (None, 0, 1)[:1 if border is None else 3]]
        self.over, within = np.array(found[0]), np.array(found[1:])
        self.parts = components(~np.isnan(self.over))
        self._ask(within)
        self._ask_share(pairs, border)
        questions = [q for v in [*self.cells, self.all] if v is not None
                     for q in v.questions] + [self.share] * bool(self.share)
        correct(questions, self.parts, self.is_b)

    def _vector(self, pair, border, state):
        """The logarithm of every launch's median time (in one state)."""
        values = np.full(len(self.units), np.nan)
        for side, runs in enumerate(pair):
            if state is not None:
                runs = runs[states.of_runs(runs, border) == state]
            medians = runs.groupby("launch", observed=True)["time_s"].median()
            for launch, time_s in medians.items():
                values[self.at[side, str(launch)]] = math.log(time_s)
        return values

    def _ask(self, within):
        ask = [Question([row], self.is_b) for row in self.over]
        asked = [Question(list(within[:, i]), self.is_b) if len(within)
                 else None for i in range(len(ask))]
        self.cells = [Verdict(q, w if w is not None and w.sizes else None)
                      for q, w in zip(ask, asked)]
        over = self._scores(self.over)
        self.scores = np.nanmax([*over, np.full(len(self.units), -np.inf)],
                                axis=0)
        scores = [self._scores(rows) for rows in within]
        self.state = [Question(blocks, self.is_b) for blocks in scores]
        inside = Question(sum(scores, []), self.is_b)
        self.all = Verdict(Question(over, self.is_b),
                           inside if inside.sizes else None)

    def _scores(self, rows):
        """For each component the mean over its cells of how a launch compares
        with the median launch."""
        out = []
        for part in self.parts:
            mine = rows[:, part]
            mine = mine[~np.isnan(mine).all(axis=1)]
            score = np.full(len(self.units), np.nan)
            if len(mine):
                mine = mine - np.nanmedian(mine, axis=1)[:, None]
                seen = ~np.isnan(mine)
                with np.errstate(invalid="ignore"):
                    score[part] = np.nansum(mine, axis=0) / seen.sum(axis=0)
            out.append(score)
        return out

    def _ask_share(self, pairs, border):
        long, known = np.zeros((2, len(self.units)))
        for pair in pairs if border is not None else ():
            for side, runs in enumerate(pair):
                times = states.handovers(runs)
                for launch, mine in zip(runs["launch"].astype(str), times):
                    i = self.at[side, launch]
                    known[i] += (~np.isnan(mine)).sum()
                    long[i] += (mine > border).sum()
        with np.errstate(invalid="ignore"):
            self.shares = long / known
        blocks = [np.where(np.isin(np.arange(len(self.units)), part),
                           self.shares, np.nan) for part in self.parts]
        share = Question(blocks, self.is_b)
        self.share = share if border is not None and share.sizes else None

    @property
    def total(self):
        """The Verdict on everything: that of the cell where it is one."""
        return self.all if len(self.cells) > 1 else self.cells[0]


def components(has):
    """Launches that have cells in common, directly or through others: only
    their sides can be exchanged."""
    left, parts = set(range(has.shape[1])), []
    while left:
        part = np.zeros(has.shape[1], dtype=bool)
        part[min(left)] = True
        while True:
            grown = has[has[:, part].any(axis=1)].any(axis=0) | part
            if (grown == part).all():
                break
            part = grown
        parts.append(np.flatnonzero(part))
        left -= set(parts[-1])
    return parts


# ---- exchanging the sides of launches ----

def ways(parts, is_b):
    """Matrices of zeros and ones: who is B, in every way or in many.  The
    first row of all is how it was."""
    counts = [math.comb(len(part), int(is_b[part].sum())) for part in parts]
    if math.prod(counts) > MOST_WAYS:
        yield is_b[None, :].astype(float)
        yield drawn_ways(parts, is_b)
        return
    yield is_b[None, :].astype(float)
    chosen = [[part[list(c)] for c in itertools.combinations(
        range(len(part)), int(is_b[part].sum()))] for part in parts]
    rows = np.zeros((math.prod(counts), len(is_b)))
    for row, picks in zip(rows, itertools.product(*chosen)):
        row[np.concatenate(picks)] = 1
    yield rows[(rows != is_b).any(axis=1)]


def drawn_ways(parts, is_b):
    rng = np.random.default_rng(1)
    rows = np.zeros((DRAWN, len(is_b)))
    for part in parts:
        order = rng.random((DRAWN, len(part))).argsort(axis=1)
        rows[:, part] = is_b[part].astype(float)[order]
    return rows


def distances(block, rows):
    """The distance of B's sum from its expectation, and its variance, for each
    way; of the ranks of a block and, to break ties, of its values."""
    at = np.flatnonzero(~np.isnan(block))
    mine, values = rows[:, at], block[at]
    n, m = len(at), mine.sum(axis=1)
    for numbers in (stats.midranks(values), values):
        numbers = numbers - numbers.mean()
        yield mine @ numbers, m * (n - m) / (n * (n - 1)) * \
            (numbers ** 2).sum()


def strength(question, rows):
    """How clear the difference of the sides is, for each way."""
    sums = np.zeros((4, len(rows)))
    for block in question.blocks:
        (far, spread), (more, room) = distances(block, rows)
        sums += far, spread, more, room
    with np.errstate(invalid="ignore", divide="ignore"):
        z = np.where(sums[1] > 1e-12, sums[0] / np.sqrt(sums[1]), 0)
        tie = np.where(sums[3] > 1e-12, sums[2] / np.sqrt(sums[3]), 0)
    return np.abs(z + 0.01 * tie)


def correct(questions, parts, is_b):
    """Sets the p of every question."""
    if questions:
        step_down(questions, *ways(parts, is_b), strength)


def step_down(questions, own, rows, strength):
    """Sets p: how many rows are as clear as how it was, in any question."""
    first = np.array([strength(q, own)[0] for q in questions])
    order = np.argsort(-first, kind="stable")
    hits = np.ones(len(questions))      # how it was is a way
    step = max(1, BLOCK // len(questions))
    for at in range(0, len(rows), step):
        some = rows[at:at + step]
        found = np.array([strength(questions[i], some) for i in order])
        most = np.maximum.accumulate(found[::-1], axis=0)[::-1]
        hits += (most >= first[order][:, None] - 1e-9).sum(axis=1)
    p = np.maximum.accumulate(hits / (1 + len(rows)))
    for i, value in zip(order, p):
        questions[i].p = float(value)


def least_launches():
    """A side, with which anything can be told apart."""
    return next(n for n in itertools.count(1)
                if stats.least_p(n, n) <= stats.ALPHA)


# ---- one launch a side, and simulations ----

def testable(pairs):
    """Tarone's choice: the cells whose sample sizes let them reach the level
    that the number of such cells asks for.  It looks at sizes only, never at
    times, so that Holm's correction over these cells keeps its 5 %."""
    least = [stats.least_p(p["na"], p["nb"]) for p in pairs]
    for k in range(1, len(pairs) + 1):
        chosen = [i for i, p in enumerate(least) if p <= stats.ALPHA / k]
        if len(chosen) <= k:
            return chosen
    return []


def judge_repetitions(pairs):
    """Sets ratio, p and verdict of pairs whose samples are repetitions."""
    for p in pairs:
        p["p"], p["verdict"] = math.nan, FEW
        p["ratio"], p["low"], p["high"] = map(
            math.exp, stats.shift_ci([tuple(map(np.log, p["times"]))]))
    chosen = testable(pairs)
    adjusted = stats.holm([stats.mann_whitney(*pairs[i]["times"])
                           for i in chosen])
    for i, p in zip(chosen, adjusted):
        pairs[i]["p"] = float(p)
        pairs[i]["verdict"] = by_ratio(pairs[i]) if p < stats.ALPHA else SAME
    for p in pairs:
        if exact(p):
            p["verdict"] = by_ratio(p)
        elif not p["simulated"] and p["verdict"] in (SLOWER, FASTER):
            p["verdict"] += LUCK


def exact(p):
    """Whether a simulation gives the same time again: no luck is involved."""
    return p["simulated"] and all(len(set(t)) == 1 for t in p["times"])


def by_ratio(p):
    return SLOWER if p["ratio"] > 1 else FASTER if p["ratio"] < 1 else SAME
