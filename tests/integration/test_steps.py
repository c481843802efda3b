"""Time steps of independent loops: bit for bit over every transport, chunks
that stay and chunks that are handed out anew, natively and simulated; what
ranks exchange between steps is counted."""
import pytest

STEPS, ROWS = 4, 256
KERNEL = f"spmv:rmat=8,degree=4,steps={STEPS}"
RESULT, HEAD = 8, 16  # bytes of a row's result, of a message's part
SHAPES = {
    "threads": "layout: 1x3",
    "stolen": "layout: 1x3, transport: steal",
    "ranks": "layout: 3x1",
    "dedicated": "layout: 3x1, master: dedicated, prefetch: off",
    "levels": "layout: 4x1, hierarchy: 2",
    "nodes": "layout: 2x2, hierarchy: node",
    "window": "layout: 2x1, transport: window",
    "rma": "layout: 2x1, transport: window, window: rma",
}


def text(shape, schemes="[gss, static]", place="[replan, sticky]", more=""):
    schemes = "[gss, ss]" if shape == "stolen" else schemes
    return f"""
name: steps
repetitions: 2
repetitions_max: 2
bind: none
oversubscribe: on
kernel: "{KERNEL}"
scheme: {schemes}
placement: {place}
{more}
cells:
  - {{{SHAPES[shape]}}}
"""


def check(runs, shape):
    assert runs
    ranks = int(SHAPES[shape].split("layout: ")[1].split("x")[0])
    for run in runs:
        assert run["verified"]
        assert run["iterations"] == STEPS * ROWS
        assert run["chunks"] % STEPS == 0 or run["placement"] == "replan"
        assert 0 <= run["exchange_s"] <= run["time_s"]
        assert 0 < run["between_s"] < run["time_s"]
        assert 0 < run["advance_s"] < min(run["serial_s"], run["bound_s"])
        if ranks > 1:
            assert run["bytes"] >= (STEPS - 1) * ROWS * RESULT


@pytest.mark.cross(part=2)
@pytest.mark.parametrize("shape", SHAPES)
def test_every_step_has_the_bits_of_the_reference(dlsbench, campaign, shape):
    result = dlsbench("run", campaign(text(shape)))
    assert result.code == 0, result.err[-2000:]
    assert len(result.runs()) == 8
    check(result.runs(), shape)


@pytest.mark.cross(part=2)
@pytest.mark.parametrize("shape", SHAPES)
def test_every_step_is_simulated(sim, campaign, shape):
    result = sim(campaign(text(shape)))
    assert result.code == 0, result.err[-2000:]
    check(result.runs(), shape)


def test_a_chunk_stays_or_is_handed_out_anew(dlsbench, campaign):
    result = dlsbench("run", campaign(text("threads", "[static, gss]")),
                      "--trace")
    assert result.code == 0, result.err[-2000:]
    for run in result.runs():
        steps = {c["time_step"] for c in result.lines("chunks")
                 if c["cell"] == run["cell"]}
        assert steps == (set(range(STEPS)) if run["placement"] == "replan"
                         else {0})


def test_independent_loops_are_handed_out_anew_unless_asked(dlsbench):
    result = dlsbench("run", "--kernel", KERNEL, "--scheme", "gss",
                      "--repetitions", 1, "--repetitions-max", 1)
    assert result.code == 0, result.err[-2000:]
    assert {x["placement"] for x in result.runs()} == {"replan"}


@pytest.mark.parametrize("shape", [["--threads", 2], ["--ranks", 2]])
def test_loops_whose_costs_drift(dlsbench, shape):
    result = dlsbench("run", "--kernel", "sph:size=6,steps=5", "--scheme",
                      "awf", "--oversubscribe", "--repetitions", 1,
                      "--repetitions-max", 1, *shape)
    assert result.code == 0, result.err[-2000:]
    (run,) = result.runs()
    assert run["verified"] and run["iterations"] == 5 * 216


def test_costs_drift_in_a_simulation(sim):
    """On one worker a step takes as long as its pairs: later ones more."""
    result = sim("--kernel", "sph:size=8,steps=15", "--scheme",
                 "css:chunk=512", "--workers", 1, "--timing", "chunk",
                 "--trace")
    assert result.code == 0, result.err[-2000:]
    took = [c["end_s"] - c["begin_s"] for c in result.lines("chunks")]
    assert len(took) == 15 and took[14] > 1.5 * took[0] > 0


@pytest.mark.parametrize("options,words", [
    (["--scheme", "gss", "--ranks", 2, "--collect", "master"], "use local"),
    (["--scheme", "gss", "--threads", 2, "--placement", "sticky",
      "--perturb", "delay:worker=1,factor=2"], "use replan"),
    (["--scheme", "single-round", "--ranks", 2], "has 4 time steps"),
    (["--scheme", "guided", "--threads", 2, "--transport", "openmp"],
     "has 4 time steps"),
])
def test_what_does_not_go_with_steps_is_refused(dlsbench, options, words):
    result = dlsbench("run", "--kernel", KERNEL, *options)
    assert result.code == 2, result.out
    assert words in result.err and len(result.err.strip().splitlines()) == 1


@pytest.mark.parametrize("simulated", [False, True])
@pytest.mark.parametrize("kernel", [KERNEL, "sph:size=6,steps=5"])
def test_one_worker_is_bound_by_the_serial_time(request, kernel, simulated):
    """Iterations and, once, what is between the steps.  Natively the costs of
    iterations come from another pass over the loop than its time does."""
    once = ["--kernel", kernel, "--scheme", "gss", "--repetitions", 1,
            "--repetitions-max", 1]
    result = request.getfixturevalue("sim")(*once, "--workers", 1) \
        if simulated else \
        request.getfixturevalue("dlsbench")("run", *once, "--threads", 1)
    assert result.code == 0, result.err[-2000:]
    (run,) = result.runs()
    assert run["bound_s"] == pytest.approx(run["serial_s"],
                                           rel=1e-6 if simulated else 0.8)


def test_other_loops_have_nothing_between_steps(dlsbench):
    result = dlsbench("run", "--kernel", "adjoint:size=20", "--scheme", "gss",
                      "--repetitions", 1, "--repetitions-max", 1)
    assert result.code == 0, result.err[-2000:]
    assert "between_s" not in result.runs()[0]
