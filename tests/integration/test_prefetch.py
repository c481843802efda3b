"""Requests one ahead of a counter in memory: recorded, and only where nothing
forbids it."""
import pytest

from conftest import another

ONCE = ("--repetitions", 1, "--repetitions-max", 1, "--oversubscribe")
EMPTY = ("--kernel", "null:size=5000", "--threads", 2)
RANKS = ("--kernel", "null:size=5000", "--ranks", 2, "--transport", "window")


def run_of(dlsbench, *args):
    result = dlsbench("run", *args, *ONCE, out=another())
    assert result.code == 0, result.err[-2000:]
    run, = (x for x in result.lines("runs") if x["type"] == "run")
    assert run["ahead"] == sum(x["ahead"] for x in result.lines("workers"))
    return run


@pytest.mark.parametrize("timing", ["worker", "chunk"])
@pytest.mark.parametrize("scheme", ["ss", "css:chunk=3", "tss:last=1"])
@pytest.mark.parametrize("workers", [EMPTY, RANKS],
                         ids=["threads", "ranks"])
def test_short_chunks_are_asked_for_early(dlsbench, workers, scheme, timing):
    run = run_of(dlsbench, *workers, "--scheme", scheme, "--timing", timing)
    assert run["prefetch"] is True and run["iterations"] == 5000
    # All but those after the last four; two may have found nothing left.
    assert run["chunks"] - 6 <= run["ahead"] <= run["chunks"] - 4
    off = run_of(dlsbench, *workers, "--scheme", scheme, "--timing", timing,
                 "--prefetch", "off")
    assert off["prefetch"] is False and off["ahead"] == 0
    assert off["chunks"] == run["chunks"] and off["cell"] != run["cell"]


@pytest.mark.parametrize("args", [
    ("--scheme", "awf-c"), ("--scheme", "wf", "--power", "1,2"),
    ("--scheme", "static"), ("--scheme", "ss", "--perturb", "delay:factor=2"),
    ("--scheme", "ss", "--hierarchy", 2)],
    ids=lambda args: " ".join(map(str, args)))
def test_others_are_not(dlsbench, args):
    assert run_of(dlsbench, *EMPTY, *args)["ahead"] == 0


def test_nor_are_those_of_a_window_by_messages(dlsbench):
    run = run_of(dlsbench, *RANKS, "--scheme", "ss", "--window", "rma")
    assert run["window"] == "rma" and run["ahead"] == 0


def test_nor_are_those_of_reissue(dlsbench):
    run = run_of(dlsbench, "--kernel", "adjoint:size=20", "--threads", 2,
                 "--scheme", "ss", "--reissue=100")
    assert run["prefetch"] is False and run["ahead"] == 0


def test_nor_are_long_chunks(dlsbench, tmp_path):
    """The last iteration of all is long, so that no chunk before it may be
    early."""
    costs = tmp_path / "costs.txt"
    costs.write_text("1e-8\n" * 500 + "1e-5\n")
    run = run_of(dlsbench, "--kernel", f"trace:file={costs}", "--threads", 2,
                 "--scheme", "ss")
    assert run["prefetch"] is True and run["ahead"] == 0


def test_time_steps_add_up(dlsbench):
    """Each is a loop, and its last four chunks are its own."""
    run = run_of(dlsbench, "--kernel", "sph:size=10,steps=3", "--threads", 2,
                 "--scheme", "ss")
    assert 0 <= run["ahead"] <= run["chunks"] - 12
