"""The simulated engine: its clock, its chunks beside native ones, what it
refuses.  A platform of 4 hosts with 4 cores of 1 Gflop/s, and Ranger."""
import os
import random
import re
import subprocess

import pytest

from conftest import (ROOT, SMALL, assert_same_digits, environment, make,
                      racks, start)

RANGER = ROOT / "bench/platforms/ranger.xml"
PLATFORMS = [RANGER, *sorted((ROOT / "bench/papers").glob("*/*.xml"))]
SCHEMES = ["static", "ss", "css:chunk=7", "wcss:k=4", "gss", "fss", "tss",
           "tss-taylor", "qss", "wf", "dtss", "dtss-acp", "dfss", "dgss"]
ADJOINT = ("--kernel", "adjoint:size=30")
# One worker below a master of its own: the order of requests is forced.
FORCED = ("--ranks", 2, "--master", "dedicated", "--prefetch", "off")


def costs(tmp_path, seconds):
    path = tmp_path / "costs.txt"
    path.write_text("".join(f"{s!r}\n" for s in seconds))
    return f"trace:file={path},steps=1"


def only(result):
    assert result.code == 0, result.err
    (row,) = result.runs()
    return row


def sequence(result):
    """(start, size) of all chunks in the order of the loop."""
    assert result.code == 0, result.err
    return [(x["start"], x["size"]) for x in result.lines("chunks")]


def test_work_advances_the_clock(sim, tmp_path):
    kernel = costs(tmp_path, [0.25] * 8)
    one = only(sim("--kernel", kernel, "--scheme", "ss", "--ranks", 1))
    four = only(sim("--kernel", kernel, "--scheme", "ss", "--ranks", 1,
                    "--threads", 4, out="four"))
    assert one["simulated"] and one["verified"] == "handed out"
    assert one["time_s"] == pytest.approx(2, rel=1e-6)
    assert one["compute_mean_s"] == pytest.approx(2, rel=1e-6)
    assert four["time_s"] == pytest.approx(0.5, rel=1e-5)
    assert four["wall_s"] < 10


def test_a_competing_process_halves_a_worker(sim, tmp_path):
    kernel = costs(tmp_path, [0.25] * 8)
    row = only(sim("--kernel", kernel, "--scheme", "static", "--ranks", 1,
                   "--threads", 4, "--load", "w1:1"))
    assert row["time_s"] == pytest.approx(1, rel=1e-5)


def test_messages_and_requests_take_their_time(sim, tmp_path):
    kernel = costs(tmp_path, [0.0] * 100)
    row = only(sim("--kernel", kernel, "--scheme", "ss", *FORCED,
                   "--request-cost", "1e-3"))
    # 101 requests and one that takes leave, served in a millisecond each, with
    # 101 answers and 100 results.
    assert row["time_s"] == pytest.approx(0.102, rel=0.02)
    assert row["messages"] == 303


def test_an_rma_window_counts_one_request_after_the_other(sim, tmp_path):
    """Without a master: 100 chunks and an end for each of 16 ranks, on four
    hosts, a millisecond each; nobody computes."""
    kernel = costs(tmp_path, [0.0] * 100)
    row = only(sim("--kernel", kernel, "--scheme", "ss", "--ranks", 16,
                   "--transport", "window", "--request-cost", "1e-3"))
    assert row["window"] == "rma" and row["chunks"] == 100
    assert row["time_s"] == pytest.approx(0.116, rel=0.02)


def test_workers_without_a_master_start_together(sim, tmp_path):
    """Each gets a chunk of a second: the last one 16 ms after the start, and
    it asks once more.  What it waits for its first belongs to the time."""
    kernel = costs(tmp_path, [1.0] * 16)
    row = only(sim("--kernel", kernel, "--scheme", "ss", "--ranks", 16,
                   "--transport", "window", "--request-cost", "1e-3"))
    assert row["chunks"] == 16
    assert row["time_s"] == pytest.approx(1.017, rel=1e-4)


def test_a_request_to_an_rma_window_goes_there_and_back(sim, tmp_path):
    """By what worker 4 waits, the first of the second host."""
    kernel = costs(tmp_path, [0.0] * 500)
    waits = []
    for times in (1, 11):
        platform = tmp_path / f"{times}.xml"
        platform.write_text(SMALL.replace('latency="1us"',
                                          f'latency="{times}us"'))
        result = sim("--platform", platform, "--kernel", kernel, "--scheme",
                     "ss", "--ranks", 5, "--transport", "window",
                     "--request-cost", "0", out=f"latency-{times}")
        (far,) = [x for x in result.lines("workers") if x["worker"] == 4]
        waits.append(far["wait_s"] / (far["chunks"] + 1))
    # Two links there and two back, 10 us more each.
    assert waits[1] - waits[0] == pytest.approx(40e-6, rel=0.01)


@pytest.mark.parametrize("layout", [
    ("--ranks", 1, "--threads", 4),
    ("--ranks", 1, "--threads", 4, "--hierarchy", "2"),
    ("--ranks", 16),
    ("--ranks", 16, "--master", "dedicated", "--hierarchy", "2x2"),
    ("--ranks", 4, "--threads", 4, "--hierarchy", "node"),
    ("--ranks", 4, "--threads", 4, "--collect", "local"),
    ("--ranks", 4, "--transport", "window"),
    ("--ranks", 16, "--transport", "window"),
    ("--ranks", 4, "--threads", 2, "--transport", "window", "--window", "rma"),
    ("--ranks", 4, "--threads", 4, "--transport", "window", "--hierarchy",
     "node"),
], ids=lambda x: "-".join(str(w).strip("-") for w in x))
def test_every_iteration_is_handed_out_once(sim, layout):
    result = sim(*ADJOINT, "--scheme", "gss", *layout)
    row = only(result)
    assert row["status"] == "ok" and row["iterations"] == 900
    for worker in result.lines("workers"):  # counts are of real threads
        assert worker["counters_compute"] is worker["user_s"] is None


@pytest.mark.cross
@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_same_chunks_natively_and_simulated(dlsbench, sim, scheme):
    # Not bound: a power is not shared with whatever else runs here.
    args = (*ADJOINT, "--scheme", scheme, *FORCED, "--trace", "--bind", "none")
    native = dlsbench("run", *args, "--repetitions", 1, "--repetitions-max",
                      1, "--oversubscribe", out="native")
    chunks = sequence(native)
    assert sum(size for _, size in chunks) == 900
    assert sequence(sim(*args, out="sim")) == chunks


def test_two_simulations_are_equal_to_the_last_digit(sim, tmp_path):
    args = ("--platform", racks(tmp_path), "--workers", 500, "--master",
            "dedicated", "--hierarchy", 4, "--kernel", "adjoint:size=100",
            "--scheme", "dfss", "--trace")
    first, second = sim(*args, out="first"), sim(*args, out="second")
    assert_same_digits(first, second)


@pytest.mark.parametrize("args", [
    ("--kernel", "adjoint:size=50", "--scheme", "gss"),
    # Requests and results wait for the master, in its one list.
    ("--kernel", "adjoint:size=50", "--scheme", "ss", "--answer", "collected",
     "--prefetch", "off", "--request-cost", "1e-3", "--result-bytes", 9000)])
def test_what_smpi_is_spared_makes_no_difference(sim, tmp_path, monkeypatch,
                                                 args):
    """It does all where the user has libraries loaded first: the one that
    spares it work stays out then."""
    args = ("--platform", racks(tmp_path), "--workers", 60, "--master",
            "dedicated", "--trace", *args)
    spared = sim(*args, out="spared")
    monkeypatch.setenv("LD_PRELOAD", "libm.so.6")
    assert_same_digits(spared, sim(*args, out="whole"))


AFTER_OTHERS = """name: after
cells:
  - kernel: "{}"
    scheme: [{}]
    platform: racks.xml
    workers: 32
    threads: 8
    hierarchy: [2xnode]
    master: dedicated
    prefetch: "off"
"""


def test_a_cell_takes_as_long_whatever_ran_before_it(dlsbench, tmp_path):
    """Two masters ask at the same moment; who is first is no matter of who
    was last to end the cell before."""
    racks(tmp_path)
    choose = random.Random(22)
    kernel = costs(tmp_path, [choose.uniform(25e-6, 75e-6)
                              for _ in range(640)])

    def timed(*schemes):
        path = tmp_path / "after.yaml"
        path.write_text(AFTER_OTHERS.format(kernel, ", ".join(schemes)))
        result = dlsbench("sim", path, out="-".join(schemes))
        assert result.code == 0, result.err
        return {row["scheme"].split(":")[0]: (row["time_s"], row["chunks"])
                for row in result.runs()}

    together = timed("static", "gss", "fac", "timed", "af")
    for scheme in ("timed", "af"):
        assert timed(scheme)[scheme] == pytest.approx(together[scheme],
                                                      rel=1e-9)


def test_stacks_are_large_enough(sim, tmp_path):
    """1,024 ranks have stacks of 16 KiB with guard pages behind them."""
    row = only(sim("--platform", racks(tmp_path), "--workers", 1024,
                   "--master", "dedicated", "--hierarchy", "4x4", "--kernel",
                   "adjoint:size=100", "--scheme", "fss"))
    assert row["workers"] == 1024 and row["ranks"] == 1024 + 21


def test_mandelbrot_costs_what_its_steps_cost(dlsbench, sim):
    """The bound of one worker is the sum of all steps; 8 flops each."""
    kernel = "mandelbrot:size=300,maxiter=200"
    row = only(sim("--kernel", kernel, "--scheme", "ss", "--ranks", 1,
                   "--cp", "1e-6"))
    again = only(sim("--kernel", kernel, "--scheme", "ss", "--ranks", 1,
                     "--cp", "1e-6", out="again"))
    steps = 0
    for ix in range(300):
        for iy in range(300):
            c = complex(-2 + ix * 4 / 299, -2 + iy * 4 / 299)
            z, n = 0, 0
            while n < 200 and z.real * z.real + z.imag * z.imag < 2:
                z, n = z * z + c, n + 1
            steps += n
    assert row["serial_s"] == pytest.approx(steps * 1e-6, rel=0.01)
    assert again["serial_s"] == row["serial_s"]


@pytest.mark.parametrize("size", [100, 150, 200, 400])
def test_small_sets_have_a_profile(sim, size):
    """Sampled more finely than they are themselves, until it fits."""
    row = only(sim("--kernel", f"mandelbrot:size={size}", "--scheme",
                   "gss/static", "--workers", 8, "--hierarchy", 2))
    assert row["workers"] == 8 and row["iterations"] == size


@pytest.mark.cross
@pytest.mark.parametrize("platform", PLATFORMS, ids=lambda p: p.stem)
def test_the_platforms_of_the_papers(sim, platform):
    row = only(sim("--platform", platform, "--workers", 6, "--master",
                   "dedicated", *ADJOINT, "--scheme", "tss"))
    assert row["workers"] == 6 and row["time_s"] > 0


def one_error(result, code, *words):
    assert result.code == code, result.err
    text = "\n".join(result.error_lines())
    for word in words:
        assert word in text, text


def test_too_few_cores(sim):
    one_error(sim(*ADJOINT, "--scheme", "ss", "--workers", 17), 1,
              "room for 16 ranks of 1 thread", "17 are needed")
    one_error(sim(*ADJOINT, "--scheme", "ss", "--threads", 8, out="b"), 1,
              "room for 0 ranks of 8 threads")


def test_threads_are_said_to_be_cores(sim):
    result = sim(*ADJOINT, "--scheme", "ss", "--threads", 2)
    one_error(result, 0, "threads are simulated as cores of one host")


def test_paths_may_have_blanks_and_patterns(sim, tmp_path):
    """smpirun splits its words at blanks, and takes them for patterns."""
    folder = tmp_path / "my [own] files*"
    folder.mkdir()
    platform = folder / "a small? platform.xml"
    platform.write_text(SMALL)
    here = sim(*ADJOINT, "--scheme", "gss", "--workers", 5)
    there = sim(*ADJOINT, "--scheme", "gss", "--workers", 5, "--platform",
                platform, out="my [own] files*/50%41 of it")
    assert only(here)["time_s"] == only(there)["time_s"]
    kinds = {x.name.split("-")[0] for x in there.directory.iterdir()}
    assert not kinds & {"plan", "hosts"}


def test_no_platform(sim, dlsbench, tmp_path):
    one_error(dlsbench("sim", *ADJOINT, "--scheme", "ss"), 2,
              "platform is missing")
    one_error(sim("--platform", "no.xml", *ADJOINT, "--scheme", "ss"), 2,
              "no.xml", "No such file")
    (tmp_path / "bad.xml").write_text("<?xml version='1.0'?><x/>")
    one_error(sim("--platform", "bad.xml", *ADJOINT, "--scheme", "ss"), 2,
              "bad.xml", "SimGrid finds no hosts")


CAMPAIGN = """
name: two
workers: 5
master: dedicated
cells:
  - kernel: adjoint:size=30
    scheme: tss
    platform: [one.xml, two.xml]
    cp: [1e-9, 1e-6]
"""


def test_a_campaign_names_its_platforms(dlsbench, tmp_path):
    """Each launch has its own, and its own cost of an operation."""
    (tmp_path / "one.xml").write_text(SMALL)
    (tmp_path / "two.xml").write_text(SMALL.replace("1us", "1ms"))
    (tmp_path / "two.yaml").write_text(CAMPAIGN)
    result = dlsbench("sim", "two.yaml")
    assert result.code == 0, result.err
    rows = {(row["platform"], row["cp"]): row for row in result.runs()}
    assert len(rows) == 4 and len({r["cell"] for r in rows.values()}) == 4
    for (_, cp), row in rows.items():
        assert row["serial_s"] == pytest.approx(cp * 405450)
        near, far = rows["one.xml", cp], rows["two.xml", cp]
        assert far["time_s"] > near["time_s"] + 2e-3
    one_error(dlsbench("run", "two.yaml", out="b"), 2, "platform one.xml",
              "dlsbench sim")
    one_error(dlsbench("sim", "two.yaml", "--set", "platform=[no.xml]",
                       out="c"), 2, "no.xml", "No such file")


def test_results_are_as_large_as_the_user_says(sim, tmp_path):
    path = tmp_path / "single.xml"
    path.write_text(SMALL.replace('core="4"', 'core="1"'))
    args = ("--platform", path, *ADJOINT, "--scheme", "css:chunk=450",
            "--workers", 2, "--master", "dedicated")
    usual = only(sim(*args))
    large = only(sim(*args, "--result-bytes", "1000000", out="large"))
    assert large["bytes"] - usual["bytes"] == 900 * (1000000 - 8)
    # Both arrive over the master's link of 1 GB/s.
    assert large["time_s"] - usual["time_s"] == pytest.approx(0.9, rel=0.01)


def test_make_sim_says_what_to_install(tmp_path):
    """All programs of this machine but SMPI's."""
    for name in os.listdir("/usr/bin"):
        if not name.startswith("smpi"):
            (tmp_path / name).symlink_to(f"/usr/bin/{name}")
    done = subprocess.run(["make", "sim", f"BUILD={tmp_path}/build"],
                          cwd=ROOT, text=True, timeout=60,
                          env={**os.environ, "PATH": str(tmp_path)},
                          capture_output=True)
    assert done.returncode == 2
    assert "apt-get install libsimgrid-dev" in done.stderr


def test_install_has_what_simulations_need(tmp_path):
    make("install", f"DESTDIR={tmp_path}", "PREFIX=/x")
    there = {str(p.relative_to(tmp_path / "x"))
             for p in (tmp_path / "x").rglob("*")}
    share = "share/dlsbench/"
    assert {"bin/dlsbench", "bin/dlsbench-sim",
            "lib/dlsbench/dlsbench-sim-smpi.so",
            share + "bench/platforms/ranger.xml",
            share + "bench/papers/run_papers.py",
            share + "bench/papers/report_paper.py",
            share + "bench/papers/han/han.yaml",
            share + "bench/papers/han/claims.py"} <= there


def test_no_simgrid(tmp_path, small, monkeypatch):
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    assert environment(tmp_path)["PATH"] == str(tmp_path / "bin")
    process = start(ROOT / "build/dlsbench",
                    ["sim", "--platform", small, *ADJOINT, "--scheme", "ss"],
                    tmp_path)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 2
    assert "install SimGrid" in err


def test_the_reason_is_what_the_ranks_say(sim, tmp_path, monkeypatch):
    """A launcher that repeats its command after a failure, on stdout and
    seen first, is not the reason."""
    folder = tmp_path / "bin"
    folder.mkdir()
    smpirun = folder / "smpirun"
    smpirun.write_text("""#!/bin/sh
case "$*" in *--hosts*) echo "@host 4 1e9 h0"; exit 0;; esac
echo "its command line"
echo "a word of the launcher" >&2
echo "dlsbench: the real reason" >&2
exit 3
""")
    smpirun.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    result = sim(*ADJOINT, "--scheme", "ss", "--workers", 2)
    assert result.code == 1
    assert [x["reason"] for x in result.done()] == [
        "the real reason (the launch ended with exit code 3)"]


def test_what_does_not_fit_into_memory(sim, tmp_path):
    """A platform that is large enough for any machine's memory."""
    path = tmp_path / "huge.xml"
    path.write_text(SMALL.replace('core="4"', 'core="400000000"'))
    one_error(sim("--platform", path, *ADJOINT, "--scheme", "ss",
                  "--workers", 16000000), 1, "GB of memory", "available")


def test_what_ends_without_its_record_has_failed(sim, tmp_path):
    """smpirun says nothing of it: a rank of the platform is switched off."""
    path = tmp_path / "off.xml"
    (tmp_path / "off.txt").write_text("0.0 1\n0.1 0\n")
    path.write_text(SMALL.replace('id="h1" speed="1Gf"',
                                  'id="h1" speed="1Gf" state_file="off.txt"'))
    result = sim("--platform", path, "--kernel",
                 costs(tmp_path, [0.25] * 8), "--scheme", "ss", "--ranks", 8,
                 "--master", "dedicated", limit=60)
    assert result.code == 1
    assert [x["status"] for x in result.done()] == ["failed"]


def test_threads_of_a_rank_with_many_results_on_their_way(dlsbench):
    """While one of them waits for the oldest, the others go on."""
    result = dlsbench("sim", "--platform", ROOT / "bench/platforms/ranger.xml",
                      "--kernel", "mandelbrot:size=2180", "--ranks", 8,
                      "--threads", 16, "--hierarchy", "node", "--transport",
                      "master", "--scheme", "tss")
    assert result.code == 0, result.err
    assert [x["status"] for x in result.done()] == ["ok"]


def test_a_computing_master_collects_results_while_it_computes(sim):
    """The workers of one that does not would wait for it to take more."""
    row = only(sim("--kernel", "adjoint:size=40", "--scheme", "ss",
                   "--ranks", 4, "--master", "computing", "--cp", "1e-6"))
    assert row["compute_mean_s"] > 0.95 * row["time_s"]


def test_a_computing_master_answers_what_it_has_collected(sim, tmp_path):
    """Between slices of its own work, not only at the ends of its chunks."""
    row = only(sim("--kernel", costs(tmp_path, [1e-3] * 40), "--scheme",
                   "css:chunk=2", "--ranks", 4, "--master", "computing",
                   "--answer", "collected", "--prefetch", "off"))
    assert row["time_s"] < 0.015


def test_a_bare_loop_runs_with_the_words_of_a_simulation():
    """make sim-scale, which took smpirun's words apart in vain for a while."""
    subprocess.run(["make", "build/dlsbench-bare-sim"], cwd=ROOT, check=True,
                   capture_output=True)
    done = subprocess.run(
        ["/usr/bin/python3", "bench/overhead/sim/scale.py", "build", "65",
         "500"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    assert re.search(r"65 ranks, 500 chunks.*\n  time +bare +0\.\d+ s",
                     done.stdout), done.stdout
