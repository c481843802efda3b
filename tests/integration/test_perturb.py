"""Things that go wrong on purpose: what was to happen happens, the table says
what schemes stand, and with reissue every loop ends verified."""
import itertools

import pytest

from conftest import assert_same_digits
from result_files import analysis
from slices import part_of

LOOP = "mandelbrot:size=256,maxiter=2000"
WRONG = ["delay:worker=1,factor=4,period=0.004",
         "stop:worker=1,at=0.002,seconds=0.06", "gone:worker=1,at=0.002"]
# Threads; ranks under a master that computes; threads in ranks; one that does
# nothing else.
WAYS = """
  - layout: 1x3
  - layout: 2x1
  - layout: 2x2
  - layout: 3x1
    master: dedicated
"""


def written(ways, **keys):
    lines = "".join(f"{k}: {v}\n" for k, v in keys.items())
    return f"name: p\nrepetitions: 1\nrepetitions_max: 1\n{lines}cells:{ways}"


def listed(words):
    return "[" + ", ".join(f'"{w}"' for w in words) + "]"


@pytest.mark.cross
@pytest.mark.parametrize("program", [
    "build/dlsbench", pytest.param("build/address/dlsbench",
                                   marks=pytest.mark.under("address"))])
def test_with_reissue_every_loop_ends_verified(dlsbench, campaign, lasting,
                                               program):
    schemes = ["static", *part_of("reissue " + program, ["ss", "awf-b"])]
    path = campaign(written(
        WAYS, kernel=f'"{lasting(0.06)}"', reissue="true",
        scheme=listed(schemes),
        perturb=listed(["none", *WRONG])))
    result = dlsbench("run", path, "--oversubscribe", program=program)
    assert result.code == 0, result.err
    runs = result.runs()
    assert all(r["verified"] is True for r in runs)
    assert {(r["ranks"], r["threads"], r["scheme"], r["perturb"].split(":")[0])
            for r in runs} == {
        (*way, scheme, wrong)
        for way, scheme, wrong in itertools.product(
            [(1, 3), (2, 1), (2, 2), (3, 1)], schemes,
            ["none", "delay", "stop", "gone"])
        if not (way == (2, 2) and wrong == "gone")}
    for run in runs:
        assert run["iterations"] == 256 and run["prefetch"] is False
        assert run["reissued"] >= run["dropped"] >= 0
        check_held(run)
    # Whoever is gone with a chunk leaves it to another.
    gone = [r for r in runs if r["perturb"].startswith("gone")
            and r["scheme"] == "static" and r["perturbed"][0]["times"]]
    assert gone and all(r["reissued"] >= 1 for r in gone)
    assert "Flexibility: " in result.out \
        and "time under perturbation over time without" in result.out


def check_held(run):
    if run["perturb"] == "none":
        assert run["perturbed"] is None
        return
    (held,) = run["perturbed"]
    assert held["worker"] == 1
    alone = run["ranks"] > 1 and run["threads"] == 1
    stop = run["perturb"].startswith("stop")
    assert held["how"] == ("SIGSTOP" if stop and alone else "sleep")
    assert 0 <= held["lost_s"] <= run["time_s"] + 1e-9
    if held["times"] and not run["perturb"].startswith("delay"):
        assert held["from_s"] >= 0.002


@pytest.mark.under("thread")
def test_threads_never_share_what_is_handed_out_again(dlsbench, lasting):
    """Under the thread sanitizer."""
    for wrong in "none", *WRONG[1:]:
        result = dlsbench("run", "--kernel", lasting(0.03, 96), "--scheme",
                          "css:chunk=8", "--threads", 3, "--perturb", wrong,
                          "--reissue=0.01", "--repetitions", 3,
                          "--repetitions-max", 3, "--oversubscribe",
                          program="build/thread/dlsbench",
                          out=wrong.split(":")[0])
        assert result.code == 0, result.err
        assert "ThreadSanitizer" not in result.err
        assert all(r["verified"] is True for r in result.runs())
    assert any(r["reissued"] for r in result.runs())


def test_with_reissue_the_times_of_workers_end_with_the_loop(dlsbench,
                                                             lasting):
    """Waiting, and computing in vain, go on after it."""
    for layout, wrong in [("--ranks", "none"),
                          ("--ranks", "gone:worker=1,at=0.001"),
                          ("--threads", "stop:worker=1,at=0,seconds=0.4")]:
        result = dlsbench("run", "--kernel", lasting(0.06), "--scheme", "gss",
                          layout, 2, "--reissue", "--perturb", wrong,
                          "--repetitions", 2, "--repetitions-max", 2,
                          "--oversubscribe", out=wrong.split(":")[0])
        assert result.code == 0, result.err
        time_s = {r["repetition"]: r["time_s"] for r in result.runs()}
        for worker in result.lines("workers"):
            spent = [worker[k] for k in ("compute_s", "wait_s", "serve_s")]
            assert all(s >= 0 for s in spent)
            assert sum(spent) <= time_s[worker["repetition"]] + 1e-9
            assert worker["compute_s"] > 0 or worker["iterations"] == 0


def test_a_stop_takes_as_long_as_it_says(dlsbench, lasting):
    """Static: the others have nothing to do for who is stopped."""
    for layout in ("--threads", 2), ("--ranks", 2):
        result = dlsbench("run", "--kernel", lasting(0.06), "--scheme",
                          "static", *layout, "--perturb",
                          "stop:worker=1,at=0.001,seconds=0.3",
                          "--repetitions", 2, "--repetitions-max", 2,
                          "--oversubscribe", out=layout[0][2:])
        assert result.code == 0, result.err
        for run in result.runs():
            (held,) = run["perturbed"]
            assert held["times"] == 1
            assert 0.29 < held["lost_s"] < run["time_s"]
            assert run["reissued"] is None


def test_ranks_that_take_no_part_are_told_that_it_is_over(dlsbench):
    """Available power 0: w1 leaves at once, and w0 asks nobody."""
    result = dlsbench("run", "--kernel", LOOP, "--scheme", "dtss-acp:scale=1",
                      "--ranks", 2, "--power", "1000,1", "--load", "w1:1",
                      "--reissue", "--repetitions", 3, "--repetitions-max", 3,
                      "--cell-timeout", 30, "--oversubscribe")
    assert result.code == 0, result.err
    assert {(w["worker"], w["iterations"])
            for w in result.lines("workers")} == {(0, 256), (1, 0)}


def test_without_reissue_the_timeout_ends_a_loop(dlsbench, campaign, lasting):
    path = campaign(written(
        "\n  - layout: 1x2\n    scheme: ss", kernel=f'"{lasting(0.02)}"',
        cell_timeout=4, perturb='[none, "gone:worker=1"]'))
    result = dlsbench("run", path, "--oversubscribe")
    assert result.code == 1
    assert result.out.count("FAILED") == 2
    for cell in result.done():
        if cell["perturb"] == "none":
            assert cell["status"] == "ok"
        else:
            assert cell["status"] == "failed"
            assert "cell_timeout (4 s); a worker was gone (perturb)" \
                in cell["reason"]


SIMULATED = """
  - layout: 9x1
    transport: master
    master: [computing, dedicated]
    perturb: [none, "delay:workers=2,factor=4,period=0.001",
              "stop:workers=2,at=0.001,seconds=0.02",
              "gone:workers=2,at=0.001", "network:latency=100"]
  - layout: 1x4
    perturb: [none, "delay:workers=2", "gone:workers=3,at=0.001"]
"""


def test_simulated_perturbations_are_the_same_every_time(sim, campaign):
    path = campaign(written(SIMULATED, kernel='"mandelbrot:size=96"',
                            scheme="[static, ss, awf-b]", reissue="true"))
    first, second = (sim(path, "--trace", out=name)
                     for name in ("one", "two"))
    assert first.code == 0, first.err
    assert_same_digits(first, second)
    time = {(r["master"], r["threads"], r["scheme"],
             r["perturb"].split(":")[0]): r["time_s"] for r in first.runs()}
    for scheme in "static", "ss", "awf-b":
        usual = time["dedicated", 1, scheme, "none"]
        assert time["dedicated", 1, scheme, "network"] > usual
        # Static never waits: an eighth is late, or done twice.
        assert time["dedicated", 1, scheme, "gone"] >= usual
    assert time["computing", 4, "ss", "gone"] > \
        2 * time["computing", 4, "ss", "none"]


def test_a_simulated_loop_that_never_ends_says_so(sim):
    result = sim("--kernel", "mandelbrot:size=64", "--scheme", "ss",
                 "--workers", 4, "--perturb", "gone:worker=1")
    assert result.code == 1
    (cell,) = result.done()
    assert "never ends, all wait for who is gone" in cell["reason"]


def test_a_simulated_stop_costs_what_it_should(sim):
    """Static under a dedicated master: the stop, exactly, for who is last."""
    times = {}
    for wrong in "none", "stop:worker=1,at=0.001,seconds=0.5":
        result = sim("--kernel", "mandelbrot:size=96,axis=im", "--scheme",
                     "static", "--workers", 2, "--master", "dedicated",
                     "--transport", "master", "--prefetch", "off",
                     "--perturb", wrong, out=wrong[:4])
        assert result.code == 0, result.err
        times[wrong[:4]] = result.runs()[0]["time_s"]
    assert 0.499 < times["stop"] - times["none"] < 0.501


def test_the_tables_pair_cells_that_differ_only_in_what_goes_wrong(
        dlsbench, sim, campaign):
    path = campaign(written(SIMULATED, kernel='"mandelbrot:size=64"',
                            scheme="[ss]", reissue="true"))
    result = sim(path)
    assert result.code == 0, result.err
    for form in "csv", "markdown", "latex", "text":
        code, told, err = analysis("tables", result.directory, "--table",
                                   "flexibility", "--format", form)
        assert code == 0 and "gone" in told, err
    runs = {(r["master"], r["threads"], r["perturb"]): r["time_s"]
            for r in result.runs()}
    lines = told.splitlines()
    for (master, threads, wrong), time_s in runs.items():
        if wrong == "none":
            continue
        ratio = time_s / runs[master, threads, "none"]
        assert any(wrong in line and line.split()[-1] == f"{ratio:.4g}"
                   or wrong in line
                   and abs(float(line.split()[-1]) / ratio - 1) < 1e-2
                   for line in lines), (wrong, ratio, told)
    summary = dlsbench("summary", result.directory)
    assert summary.out.count("workers=2,at=0.001") >= 2


@pytest.mark.parametrize("words, says", [
    (["--perturb", "sotp"], "did you mean 'stop'?"),
    (["--perturb", "stop:worker=2", "--threads", 2], "w0 to w1"),
    (["--perturb", "network"], "allowed with dlsbench sim"),
    (["--perturb", "gone:worker=0", "--ranks", 2], "master dedicated"),
    (["--reissue", "--ranks", 2, "--transport", "window"],
     "transport shared or master"),
    (["--reissue=0"], "on, off or a factor above 0"),
    (["--reissue", "4"], "after a '=': --reissue=4"),
    (["--reissue", "--transprot", "x"], "did you mean --transport"),
])
def test_what_is_impossible_is_refused(dlsbench, words, says):
    result = dlsbench("run", "--kernel", LOOP, "--scheme", "ss", *words)
    assert result.code == 2
    (line,) = result.error_lines()
    assert says in line


def test_a_word_that_may_have_a_value_needs_none_at_the_end(dlsbench,
                                                            tmp_path):
    result = dlsbench("run", "--kernel", LOOP, "--scheme", "ss", "--dry-run",
                      "--out", f"{tmp_path}/x/", "--threads", 2, "--reissue")
    assert result.code == 0, result.err
    assert "reissue=3" in result.out
