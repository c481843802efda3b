"""Every kind of figure, a line each: a page draws all, analysis/figures.py one
of them."""
import functools

from . import (andronikos_intervals, balance, beaumont_heuristics, chunksizes,
               ciorba_powers, counts, diaz_delta, extremes, gantt, han_masters,
               outlook, reality, scaling, schemes, strips, tried)

OF_PAPERS = beaumont_heuristics, diaz_delta     # from what a report has stored
OF_LOOPS = (extremes, han_masters, ciorba_powers, andronikos_intervals,
            schemes, scaling, balance, counts)
OF_TRACES = chunksizes, gantt


def of_papers(path):
    return [functools.partial(kind.draw, path) for kind in OF_PAPERS]


def tasks(results, frame, traced, most):
    """Functions without arguments that draw, those of the first `most`
    loops."""
    loops = list(frame["kernel"].unique())[:most]
    parts = [frame[frame["kernel"] == loop] for loop in loops]
    return [functools.partial(strips.draw, results.strips),
            functools.partial(tried.draw, results.tried),
            functools.partial(outlook.draw, results.outlook),
            *of_papers(results.path),
            *(functools.partial(kind.draw, results, part)
              for kind in OF_LOOPS for part in parts),
            *(functools.partial(kind.draw, traced) for kind in OF_TRACES),
            functools.partial(reality.draw, results, frame)]
