"""Cells that ran both ways, measured and simulated."""

# Columns that make two cells the same loop, run in the same way.
SAME = ["kernel", "scheme", "ranks", "threads", "workers", "hierarchy",
        "transport", "master", "collect", "answer", "prefetch", "min_chunk",
        "power", "load", "perturb", "reissue", "protocol", "placement",
        "sync_interval", "sync_choice", "smt", "rank_per", "memory", "data",
        "victim"]


def matched(frame, more=()):
    """The measured cells (frame of cells.summarize) that were also simulated,
    with the columns time_s_simulated, chunks_simulated and error: simulated
    over measured time less 1; `more` columns of both, too.  In the frame's
    order.  Of several alike the fastest counts."""
    keys = [name for name in SAME if name in frame]
    text = frame[keys].astype(str).agg("|".join, axis=1)
    best = frame.assign(key=text, place=range(len(frame)))
    best = best.sort_values("time_s", kind="stable")
    sides = [best[best["simulated"] == s].drop_duplicates("key")
             for s in (False, True)]
    both = sides[0].merge(sides[1][["key", "time_s", "chunks", *more]],
                          on="key", suffixes=("", "_simulated"))
    both["error"] = both["time_s_simulated"] / both["time_s"] - 1
    return both.sort_values("place", ignore_index=True)
