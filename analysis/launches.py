"""What became of each launch of the two sides of a comparison, in words: none
is left out without a line."""

import numpy as np

from . import labels

NOTHING = "not complete"
FAR_OFF, OF_SPREAD = 0.25, 4    # a launch is odd beyond both
LEAST_SIDE = 4                  # launches that say what is usual


def names(side):
    """launch -> the folder that it has for itself, or its own name."""
    places = {str(k): v for k, v in side.places.items()}
    alone = [d for d in places.values()
             if list(places.values()).count(d) == 1]
    several = len(side.directories) + len(side.empty) > 1
    return {launch: d if several and d in alone else launch
            for launch, d in places.items()}


def ends(side):
    """launch -> {how a cell ended, with its reason: number of cells}, for the
    cells that did not end well; none of them for a launch that did."""
    found = {launch: {} for launch in names(side)}
    rows = side.ended.to_dict("records")
    seen = {(str(r["launch"]), str(r["cell"])) for r in rows}
    odd = [(str(r["launch"]), status(r)) for r in rows if r["status"] != "ok"]
    odd += [(launch, NOTHING) for launch, cell in sorted(side.open)
            if (launch, cell) not in seen]
    for launch, words in odd:
        of = found.setdefault(launch, {})
        of[words] = of.get(words, 0) + 1
    return found


def status(row):
    reason = row.get("reason")
    return str(row["status"]) + (f": {reason}" if isinstance(reason, str)
                                 else "")


def unsound(side):
    """(row, how it ended), for each end of a cell without a good run."""
    good = set(side.runs["cell"].astype(object))
    for row in side.ended.to_dict("records"):
        if row["status"] != "ok" and row["cell"] not in good:
            yield row, status(row)


def missing_lines(letter, side):
    """A line for each launch of which cells are missing."""
    known, good = names(side), set(side.runs["launch"].astype(str))
    for launch, found in ends(side).items():
        if launch in side.gone or launch in good and not found:
            continue
        what = "; ".join(f"{labels.count(n, 'cell')} {words}"
                         for words, n in found.items())
        if launch not in good:
            what = "it has nothing to compare" + (f": {what}" if what else
                                                  ", no results")
        yield f"{letter}, launch {known.get(launch, launch)}: {what}"
    for path in side.empty:
        yield f"{letter}, {path}: it has nothing to compare, no results"


def dead(side):
    """How many launches have nothing to compare."""
    good = set(side.runs["launch"].astype(str))
    return len(side.empty) + sum(launch not in good | side.gone
                                 for launch in ends(side))


def failures(side, cells):
    """How often the cells ended other than well."""
    return sum(1 for r in side.ended.to_dict("records")
               if r["status"] != "ok" and r["cell"] in cells)


def odd_lines(family, sides):
    """Launches far from the rest of their side and state."""
    for i, letter in enumerate("AB"):
        known = names(sides[i])
        for state in (0, 1, None):
            mine = [k for k, (side, _) in enumerate(family.units)
                    if side == i and np.isfinite(family.scores[k])
                    and state_of(family.shares[k]) == state]
            for k, far in odd(family.scores[mine], mine):
                launch = family.units[k][1]
                yield (f"{letter}, launch {known.get(launch, launch)} is out "
                       f"of line: it takes {np.exp(far):.3g} times as long "
                       f"as the middle launch of {letter}"
                       + " in its state" * (family.border is not None))


def state_of(share):
    return int(share) if share in (0, 1) else None


def odd(scores, launches):
    """[(launch, how far off)]"""
    if len(scores) < LEAST_SIDE:
        return []
    off = scores - np.median(scores)
    least = max(np.log1p(FAR_OFF), OF_SPREAD * np.median(np.abs(off)))
    return [(k, far) for k, far in zip(launches, off) if abs(far) > least]


def same(a, b):
    """Launches on both sides with the same lines."""
    parts = [{str(launch): part for launch, part in
              side.runs.groupby("launch", observed=True)} for side in (a, b)]
    return {launch for launch in set(parts[0]) & set(parts[1])
            if lines_of(parts[0][launch]) == lines_of(parts[1][launch])}


def lines_of(runs):
    """The known values of each line, in the order of the columns."""
    known = runs.dropna(axis=1, how="all")
    return sorted(map(tuple, known[sorted(known)].astype(str).to_numpy()))


def without(side, gone):
    """Leaves launches out of a side."""
    side.gone |= gone
    side.runs = side.runs[~side.runs["launch"].astype(str).isin(gone)]
