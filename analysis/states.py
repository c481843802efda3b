"""States of the machine, by what is measured beside each repetition
(results/README.md): the hand-over between two cores, and the speed of the
slowest core.  Some virtual machines pass a line of memory either in 25 to 55
ns or in 245 to 320 ns.  They change within seconds, and every time changes
with them."""
import numpy as np

FACTOR = 2    # clusters of hand-over times are further apart
SLOWER = 1.05  # a core that needs so many times its usual time is slow
LEAST = 0.02   # of all are in the smaller cluster, or slow: else they are odd


def split(values):
    """Where hand-over times form two clusters; None: they do not."""
    known = np.sort(values[~np.isnan(values)])
    known = known[known > 0]
    few = max(1, int(np.ceil(LEAST * len(known))))
    if len(known) < 2 * few:
        return None
    gaps = known[few:len(known) - few + 1] / known[few - 1:len(known) - few]
    at = int(np.argmax(gaps))
    low, high = known[at + few - 1], known[at + few]
    return float(np.sqrt(low * high)) if gaps[at] > FACTOR else None


def measured(runs, names):
    """These columns; NaN where the runs lack one of them."""
    if any(name not in runs for name in names):
        return np.full((len(runs), len(names)), np.nan)
    return runs[names].to_numpy(dtype=float)


def handovers(runs):
    """A column for before and one for after, in seconds."""
    return measured(runs, ["handover_before_s", "handover_after_s"])


def of_runs(runs, border):
    """For each run: 0 (short hand-overs), 1 (long ones), NaN where it is not
    known, or another before the run than after."""
    times = handovers(runs)
    state = np.where(np.isnan(times), np.nan, times > border)
    return np.where(state[:, 0] == state[:, 1], state[:, 0], np.nan)


def note(runs):
    """A warning to readers of these runs, or None."""
    times = handovers(runs)
    border = split(times.ravel())
    if border is None:
        return None
    state = of_runs(runs, border)
    middle = [1e9 * np.nanmedian(times[(times > border) == far])
              for far in (False, True)]
    seen = runs.assign(state=state).groupby("cell", observed=True)["state"]
    both = int((seen.nunique() > 1).sum())
    return (f"the machine was in two states: the hand-over between cores took "
            f"{middle[0]:.0f} ns in {int((state == 0).sum())} repetitions, "
            f"{middle[1]:.0f} ns in {int((state == 1).sum())}, and changed in "
            f"{int((np.isnan(state) & ~np.isnan(times).any(axis=1)).sum())}; "
            f"cells that saw both: {both} of "
            f"{runs['cell'].nunique()}")


def probes(runs):
    """What a fixed piece of arithmetic took, in seconds, NaN: not known."""
    return measured(runs, ["core_probe_s"])[:, 0]


def speed_note(runs):
    """A warning where repetitions took longer because a core was slower than
    usual in its launch, or None."""
    known = runs.assign(probe=probes(runs)).dropna(subset="probe")

    def usual(column, by):
        return known[column] / known.groupby(by, observed=True)[
            column].transform("median")
    probe, time = usual("probe", "launch"), usual("time_s", ["launch", "cell"])
    slow = probe > SLOWER
    if slow.sum() <= LEAST * len(known) or time[slow].median() <= SLOWER:
        return None
    return (f"a core was slow before {slow.sum()} of {len(known)} "
            "repetitions: a fixed piece of arithmetic took "
            f"{probe[slow].median():.2f} times as long there as usually, and "
            f"the repetitions {time[slow].median():.2f} times")
