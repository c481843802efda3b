"""DMPS(x) as a recurrence: when each chunk passes each synchronization point.

A separate model, beside the simulated program.  Workers ask a dedicated master
in order of time; chunk i is a rectangle of rows.  A worker does its block j
when it has done block j - 1 and has the boundary of block j of chunk i - 1.
Sending costs a worker nothing, the boundary arrives `delay` later.  The model
takes a millisecond where a simulation takes seconds, so fits can try thousands
of machines (fit.py).
"""
import math

import numpy as np


class Css:
    def __init__(self, chunk):
        self.chunk = chunk

    def next(self, worker):
        return self.chunk


class Tss:
    """Ciorba et al., section 3.2, with the integer decrement of table 1."""

    def __init__(self, rows, workers):
        self.size = max(rows // (2 * workers), 1)
        steps = -(-2 * rows // (self.size + 1))
        self.decrement = (self.size - 1) // (steps - 1) if steps > 1 else 0

    def next(self, worker):
        size = self.size
        self.size -= self.decrement
        return size


class Dtss:
    """Ciorba et al., section 3.2, with real available powers A_k."""

    def __init__(self, rows, available):
        self.available = available
        self.first = max(rows / (2 * sum(available)), 1)
        self.decrement = (self.first - 1) / (2 * rows / (self.first + 1) - 1)
        self.served = 0

    def next(self, worker):
        power = self.available[worker]
        middle = self.served + (power - 1) / 2
        self.served += power
        return math.floor(power * (self.first - self.decrement * middle) + .5)


def parallel_time(rows, columns, interval, point_s, scheme, min_chunk=1,
                  delay_s=0.0, request_s=0.0):
    """Seconds of the loop.  point_s: of a point, by worker; delay_s: from a
    boundary's end to where it is needed; request_s: from asking the master to
    having the chunk."""
    ends = np.minimum(np.arange(interval, columns + interval, interval),
                      columns)
    widths = np.diff(ends, prepend=0)
    free = [0.0] * len(point_s)
    passed, holder, left = None, None, rows
    while left > 0:
        worker = free.index(min(free))
        size = min(max(scheme.next(worker), min_chunk, 1), left)
        left -= size
        work = widths * (size * point_s[worker])
        done = np.cumsum(work)
        start = free[worker] + request_s
        if passed is None:
            passed = start + done
        else:
            ready = passed if holder == worker else passed + delay_s
            late = np.maximum(ready, start) - done + work
            passed = done + np.maximum.accumulate(late)
        holder = worker
        free[worker] = float(passed[-1])
    return max(free)
