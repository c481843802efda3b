"""Schemes that learn: from times, so nothing else may run beside them."""
import statistics

import pytest

from conftest import another, eventually

# With prefetch a time is told one request later: too late for the weights of
# a stage in a loop as short as this one.
LEARNING = [(scheme, where) for scheme in ("awf-b", "awf-c", "awf-e", "wf")
            for where in (
    "--threads 2", "--ranks 2 --prefetch on", "--ranks 2 --prefetch off",
    "--ranks 3 --master dedicated --prefetch off",
    "--ranks 2 --transport window --window shared")
    if (scheme, where) != ("awf-b", "--ranks 2 --prefetch on")]


def alone(workers):
    """Each worker had its core while it computed."""
    return all(x["user_s"] + x["system_s"] > 0.9 * x["compute_s"]
               for x in workers)


def late_shares(result):
    """What workers 0 and 1 got of the rest, by their last chunks of size."""
    share = {0: [], 1: []}
    for line in sorted(result.lines("chunks"), key=lambda x: x["start"]):
        rest = 20000 - line["start"]
        if rest > 20:
            share[line["worker"]].append(line["size"] / rest)
    return [statistics.median(share[x][-3:]) for x in (0, 1)]


@pytest.mark.cross(part=10)
@pytest.mark.parametrize("scheme,where", LEARNING)
def test_schemes_that_learn_see_through_wrong_powers(
        dlsbench, tmp_path, scheme, where):
    """Equal workers, one of which is said to be 4 times the other."""
    costs = tmp_path / "costs.txt"
    costs.write_text("1e-5\n" * 20000)

    def attempt():
        result = dlsbench("run", "--kernel", f"trace:file={costs}",
                          "--scheme", scheme, "--power", "1,4",
                          "--oversubscribe", "--trace", "--repetitions", 1,
                          "--repetitions-max", 1, *where.split(),
                          out=another())
        assert result.code == 0, result.err[-2000:]
        slow, fast = late_shares(result)
        good = (fast / slow > 2.2) == (scheme == "wf")
        # Whose core others took was no equal.
        return good if good or alone(result.lines("workers")) else None
    eventually(attempt)


def weight_error(chunks, scheme, iterations):
    """Worker 1's weight over worker 0's, of their last chunks that are large
    enough, beside their speeds in the same repetition."""
    chunks.sort(key=lambda x: x["start"])
    share, done, took = {}, [0, 0], [0, 0]
    for i, x in enumerate(chunks):
        # In awf-b, awf-d and awf of what was left when a stage of two began.
        staged = scheme in ("awf", "awf-b", "awf-d")
        first = chunks[i // 2 * 2] if staged else x
        if x["size"] >= 100:
            share[x["worker"]] = x["size"] / (iterations - first["start"])
        done[x["worker"]] += x["size"]
        took[x["worker"]] += x["end_s"] - x["begin_s"]
    speed = [n / t for n, t in zip(done, took)]
    return share[1] / share[0] * speed[0] / speed[1] - 1, speed[0] / speed[1]


@pytest.mark.cross(part=5)
@pytest.mark.parametrize("scheme,factor", [
    ("awf", 4), ("awf-b", 2), ("awf-c", 4), ("awf-d", 4), ("awf-e", 2)])
def test_weights_come_to_the_speeds_of_slow_workers(dlsbench, tmp_path,
                                                    scheme, factor):
    """Worker 1 loses its core again and again, and is said to be slower still,
    so that it is back before the loop is over."""
    costs = tmp_path / "costs.txt"
    costs.write_text("20000:1e-5\n")

    def attempt():
        result = dlsbench(
            "run", "--kernel", f"trace:file={costs}", "--scheme", scheme,
            "--threads", 2, "--power", "1,0.125", "--oversubscribe",
            "--perturb", f"delay:worker=1,factor={factor},period=0.005",
            "--trace", "--timing", "chunk", "--repetitions", 5,
            "--repetitions-max", 5, out=another())
        assert result.code == 0, result.err[-2000:]
        found = [weight_error([x for x in result.lines("chunks")
                               if x["repetition"] == run["repetition"]],
                              scheme, 20000) for run in result.runs()
                 if alone(x for x in result.lines("workers")
                          if x["repetition"] == run["repetition"])]
        if len(found) < 3:
            return None
        slow = statistics.median(x[1] for x in found)
        return (abs(statistics.median(x[0] for x in found)) < 0.05
                and slow == pytest.approx(factor, rel=0.2))
    eventually(attempt)


@pytest.mark.parametrize("options,part", [
    (["--kernel", "heat:rows=20,cols=20", "--scheme", "awf-e"],
     "use awf, awf-b, awf-c or af"),
    (["--kernel", "heat:rows=20,cols=20", "--scheme", "bold"],
     "mostly waiting for others"),
    (["--ranks", 2, "--transport", "window", "--window", "rma"],
     "under hierarchy node, the second of two schemes may learn")])
def test_schemes_that_learn_say_where_they_cannot(dlsbench, options, part):
    result = dlsbench("run", "--kernel", "mandelbrot:size=20", "--scheme",
                      "awf-c", "--oversubscribe", *options)
    assert result.code != 0
    assert part in result.err, result.err
