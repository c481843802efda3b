"""Cells that ran both ways, measured and simulated."""
from . import cells

# Columns of a cell that say how it was measured or simulated, and what was
# chosen for it.  Two cells that differ in nothing else are the same loop.
APART = {"window", "openmp", "bind", "timing", "platform", "cp",
         "request_cost", "result_bytes", "boundary_bytes", "predicted_s",
         "chosen_scheme", "chosen_hierarchy", "chosen_interval"}


def matched(results, frame, more=()):
    """The measured cells (frame of cells.summarize) with a simulation, in the
    frame's order.  It adds the columns time_s_simulated, chunks_simulated and
    error (simulated over measured time less 1), and both sides of `more`
    columns.  Of several equal cells the fastest counts."""
    keys = [name for name in [*results.cells, "workers"]
            if name in frame and name not in APART]
    text = cells.same_in(frame, keys)
    best = frame.assign(key=text, place=range(len(frame)))
    best = best.sort_values("time_s", kind="stable")
    sides = [best[best["simulated"] == s].drop_duplicates("key")
             for s in (False, True)]
    both = sides[0].merge(sides[1][["key", "time_s", "chunks", *more]],
                          on="key", suffixes=("", "_simulated"))
    both["error"] = both["time_s_simulated"] / both["time_s"] - 1
    return both.sort_values("place", ignore_index=True)
