"""Traced runs: which chunk ran where and when."""


class Trace:
    """One repetition of one cell.

    cell      its row of the summary
    time_s    of this repetition
    chunks    frame: worker, start, size, begin_s, end_s, by step
    workers   frame: worker, rank, compute_s, wait_s, ... (may be empty)
    """

    def __init__(self, cell, launch, repetition, time_s, chunks, workers):
        self.cell, self.launch, self.repetition = cell, launch, repetition
        self.time_s, self.chunks, self.workers = time_s, chunks, workers

    @property
    def stamped(self):
        """With --timing worker a trace has the workers of chunks, no times."""
        return "begin_s" in self.chunks and \
            self.chunks["begin_s"].notna().all()


def traces(results, frame):
    """A Trace for each traced cell: the repetition nearest to its median."""
    chunks = results.chunks
    if chunks.empty:
        return []
    by_run = ["launch", "cell", "repetition"]
    parts = dict(list(chunks.groupby(by_run, observed=True, sort=False)))
    workers = results.workers
    runs = results.runs
    traced = set(chunks["cell"].astype(object))
    if not workers.empty:
        workers = workers[workers["cell"].isin(traced)]
        of_run = dict(list(workers.groupby(by_run, observed=True,
                                           sort=False)))
    else:
        of_run = {}
    found = []
    for cell in frame[frame["cell"].isin(traced)].to_dict("records"):
        own = runs[(runs["cell"] == cell["cell"])
                   & (runs["simulated"] == cell["simulated"])]
        off = (own["time_s"] - cell["time_s"]).abs()
        for i in off.sort_values(kind="stable").index:
            key = tuple(own.loc[i, by_run])
            if key in parts:
                found.append(Trace(cell, key[0], int(key[2]),
                                   own.at[i, "time_s"],
                                   parts[key].sort_values("step"),
                                   of_run.get(key, workers.iloc[:0])))
                break
    return found
