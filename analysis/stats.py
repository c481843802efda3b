"""Medians, intervals and tests.  The median and its interval are those of
base/stats.c: order statistics by the binomial distribution, and the whole
range where there are fewer than six values."""
import functools
import math

import numpy as np

CI_LEAST = 6    # with fewer values the median lacks a 95 % interval
ALPHA = 0.05


@functools.lru_cache(maxsize=None)
def leave_out(n):
    """The largest number of values to leave out at each end so that the rest
    covers the median with 95 %."""
    k, log_term = 0, -n * math.log(2.0)
    total = math.exp(log_term)
    while k < n // 2 and total <= 0.025:
        k += 1
        log_term += math.log(n - k + 1) - math.log(k)
        total += math.exp(log_term)
    return k


def median_ci(values):
    """(median, low, high); NaN without values."""
    values = np.sort(np.asarray(values, dtype=float))
    values = values[~np.isnan(values)]
    n = len(values)
    if n == 0:
        return (math.nan,) * 3
    low = max(leave_out(n) - 1, 0)
    median = (values[(n - 1) // 2] + values[n // 2]) / 2
    return median, values[low], values[n - 1 - low]


def grouped_median_ci(groups, values, count):
    """The same for many groups at once: `groups` holds 0 .. count-1 for each
    value.  Three arrays of length count, and the number of values."""
    known = ~np.isnan(values)
    groups, values = groups[known], values[known]
    order = np.lexsort((values, groups))
    values = values[order]
    n = np.bincount(groups, minlength=count)
    first = np.concatenate([[0], np.cumsum(n)[:-1]])
    out = np.array([max(leave_out(int(k)) - 1, 0) for k in n], dtype=int)
    has = n > 0
    result = np.full((3, count), np.nan)
    at, size = first[has], n[has]
    result[0, has] = (values[at + (size - 1) // 2]
                      + values[at + size // 2]) / 2
    result[1, has] = values[at + out[has]]
    result[2, has] = values[at + size - 1 - out[has]]
    return result[0], result[1], result[2], n


def ratio_ci(a, b):
    """Ratio of the medians b/a of two samples, with an interval."""
    return ratio_of(median_ci(a), median_ci(b))


def ratio_of(a, b):
    """The same of two medians (median, low, high), from their own intervals
    (the method of variance estimates recovery, on logarithms), as
    base/stats.c has it; NaN where a median or an interval is not known."""
    values = np.array([a, b], dtype=float)
    if not (values > 0).all():
        return values[1][0] / values[0][0] if values[0][0] else math.nan, \
            math.nan, math.nan
    (ma, la, ha), (mb, lb, hb) = np.log(values)
    shift = mb - ma
    low = shift - math.hypot(mb - lb, ha - ma)
    high = shift + math.hypot(hb - mb, ma - la)
    return math.exp(shift), math.exp(low), math.exp(high)


def midranks(values):
    """Ranks from 1 on; equal values share the mean of theirs."""
    _, at, n = np.unique(values, return_inverse=True, return_counts=True)
    return (np.cumsum(n) - (n - 1) / 2)[at]


@functools.lru_cache(maxsize=None)
def rank_sums(m, n):
    """The chances of the values 0 to m n of Mann and Whitney's U."""
    ways = np.zeros(m * n + 1)
    ways[0] = 1.0
    for i in range(1, m + 1):
        ways[n + i:] -= ways[:-(n + i)].copy() if n + i <= m * n else 0
        for first in range(min(i, len(ways))):
            ways[first::i] = np.cumsum(ways[first::i])
    return ways / ways.sum()


EXACT_PAIRS = 400   # of values; more are close to normal


def pairs_left_out(sizes):
    """How many differences b - a to omit at each end, so that the rest covers
    the shift with 95 %.  The differences are those of all pairs of samples of
    these sizes; -1: no interval does."""
    total = sum(m * n for m, n in sizes)
    if total <= EXACT_PAIRS:
        chances = np.array([1.0])
        for m, n in sizes:
            chances = np.convolve(chances, rank_sums(m, n))
        return int((np.cumsum(chances) <= 0.025 + 1e-12).sum()) - 1
    spread = math.sqrt(sum(m * n * (m + n + 1) / 12 for m, n in sizes))
    return int(total / 2 - 1.96 * spread)


MOST_PAIRS = 1 << 20


def shift_ci(parts):
    """Hodges and Lehmann's shift from a to b, and the 95 % interval of the
    test by ranks; NaN without samples or with too few.  Each part is a pair of
    samples (a, b); only samples of one part are compared."""
    if not parts:
        return (math.nan,) * 3
    sizes = [(len(a), len(b)) for a, b in parts]
    if sum(m * n for m, n in sizes) > MOST_PAIRS:
        rng = np.random.default_rng(1)
        keep = int(math.sqrt(MOST_PAIRS / len(parts)))
        parts = [tuple(rng.permutation(x)[:keep] for x in part)
                 for part in parts]
        sizes = [(len(a), len(b)) for a, b in parts]
    found = np.sort(np.concatenate(
        [(b[:, None] - a[None, :]).ravel() for a, b in parts]))
    out = pairs_left_out(sizes)
    middle = float(np.median(found))
    if out < 0:
        return middle, math.nan, math.nan
    return middle, float(found[out]), float(found[-1 - out])


def signed_shift_ci(shifts):
    """The middle of all means of two of the shifts of pairs, and its 95 %
    interval, that of the test by signed ranks; NaN with too few."""
    if not len(shifts):
        return (math.nan,) * 3
    first, second = np.triu_indices(len(shifts))
    means = np.sort((shifts[first] + shifts[second]) / 2)
    chances = np.ones(1)
    for rank in range(1, len(shifts) + 1):
        either = np.zeros(rank + 1)
        either[[0, rank]] = 0.5
        chances = np.convolve(chances, either)
    out = int((np.cumsum(chances) <= 0.025 + 1e-12).sum()) - 1
    ends = (means[out], means[-1 - out]) if out >= 0 else (math.nan,) * 2
    return np.median(means), *ends


def mann_whitney(a, b):
    """Two-sided p that both come from one distribution; exact without ties."""
    if least_p(len(a), len(b)) >= 1.0:
        return 1.0
    both = np.concatenate([a, b])
    if len(a) == 0 or len(b) == 0 or both.min() == both.max():
        return 1.0
    import scipy.stats  # takes a second, which few readers need
    tied = len(np.unique(both)) < len(both)
    method = "asymptotic" if tied or len(both) > 200 else "exact"
    return float(scipy.stats.mannwhitneyu(
        a, b, alternative="two-sided", method=method).pvalue)


@functools.lru_cache(maxsize=None)
def least_p(m, n):
    """The smallest p that samples of these sizes can give."""
    if m == 0 or n == 0:
        return 1.0
    return min(1.0, 2.0 / math.comb(m + n, m))


def holm(p):
    """Adjusted p values: below alpha means significant at alpha over all."""
    p = np.asarray(p, dtype=float)
    order = np.argsort(p, kind="stable")
    scaled = p[order] * np.arange(len(p), 0, -1)
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum(np.maximum.accumulate(scaled), 1.0)
    return adjusted


def geometric_mean(values):
    values = np.asarray(values, dtype=float)
    return float(np.exp(np.mean(np.log(values)))) if len(values) else math.nan


def chance_to_be_best(samples, rounds=1000, seed=1):
    """For each of several samples of times, the share of bootstrap rounds in
    which its median is the smallest."""
    rng = np.random.default_rng(seed)
    medians = np.array([
        np.median(rng.choice(s, size=(rounds, len(s))), axis=1)
        for s in samples])
    best = np.argmin(medians, axis=0)
    return np.bincount(best, minlength=len(samples)) / rounds
