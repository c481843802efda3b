"""Plans of divisible loads from the command line."""
import csv
import io
import json
import re
import subprocess

import pytest
from conftest import ROOT

ALGORITHMS = [["single-round"], ["lp-fixed", "--period", "20"], ["lp-sqrt"],
              ["lp-adaptive"], ["lp-adaptive", "--tail", "share"],
              ["multi-installment", "--installments", "3"]]
FIVE = ["--workers", "5", "--g", "0.06", "--G", "0.06,0.4,0.06,0.1,0.06",
        "--w", "3:9,2:20"]


def test_csv_has_the_whole_load_and_the_makespan(dlsbench):
    for algorithm in ALGORITHMS:
        run = dlsbench("plan", "--algorithm", *algorithm, "--load", "70",
                       *FIVE, "--format", "csv")
        assert run.code == 0 and run.err == ""
        rows = list(csv.DictReader(io.StringIO(run.out)))
        loads = [float(row["load"]) for row in rows]
        ends = [float(row["compute_end_s"]) for row in rows]
        assert sum(loads) == pytest.approx(70, rel=1e-9)
        assert max(ends) == float(rows[0]["makespan_s"])


def planned(dlsbench, *args):
    run = dlsbench("plan", "--load", 300, "--workers", 3, "--g", 0.1, "--G",
                   0.1, "--w", 1, "--format", "csv", *args)
    assert run.code == 0, run.err
    return float(next(csv.DictReader(io.StringIO(run.out)))["makespan_s"])


@pytest.mark.parametrize("algorithm,overlap,alone,fixed,again", [
    ("lp-sqrt", False, 114.195163, 350.043403, 182.686442),
    ("lp-sqrt", True, 103.3, 353.2, 193.300503),
    ("lp-adaptive", False, 114.0789, 366.057099, 181.953675),
    ("lp-adaptive", True, 103.125203, 352.500813, 193.507138),
])
def test_rounds_are_planned_anew(dlsbench, algorithm, overlap, alone, fixed,
                                 again):
    """Golden values: worker 2 takes 4 times as long from 20 s on.  A delay
    comes in periods of 10 ms, so that its times differ by some."""
    args = ["--algorithm", algorithm, *(["--overlap"] if overlap else [])]
    slow = [*args, "--perturb", "delay:worker=2,factor=4,at=20"]
    for replan in ("never", "round"):
        assert planned(dlsbench, *args, "--replan", replan) == pytest.approx(
            alone, abs=1e-6)
    assert planned(dlsbench, *slow) == pytest.approx(fixed, abs=0.03)
    assert planned(dlsbench, *slow, "--replan", "round") == pytest.approx(
        again, abs=0.03)


@pytest.mark.parametrize("args,words", [
    (["single-round", "--replan", "round"], "--replan does not go with"),
    (["lp-sqrt", "--replan", "rounds"], "--replan"),
    (["lp-sqrt", "--perturb", "gone:worker=1"], "use delay or stop"),
    (["lp-sqrt", "--perturb", "delay:worker=5"], "not have: it has 0 to 4"),
    (["lp-sqrt", "--perturb", "network:latency=2"], "other --g and --G"),
    (["lp-sqrt", "--perturb", "dealy"], "did you mean 'delay'"),
])
def test_wrong_disturbances(dlsbench, args, words):
    run = dlsbench("plan", "--load", 70, *FIVE, "--algorithm", *args)
    assert run.code == 2
    assert words in run.error_lines()[-1]


def test_chart(dlsbench):
    run = dlsbench("plan", "--algorithm", "lp-sqrt", "--load", "70", *FIVE,
                   "--format", "gantt")
    assert run.code == 0
    assert len(re.findall(r"^worker \d +[.=0-9]+$", run.out,
                          re.MULTILINE)) == 5


def test_a_picture_of_its_csv(dlsbench, tmp_path):
    run = dlsbench("plan", "--algorithm", "multi-installment", "--load", "70",
                   *FIVE, "--format", "csv")
    (tmp_path / "plan.csv").write_text(run.out)
    done = dlsbench("figures", tmp_path / "plan.csv", "--figure", "plan",
                    "--out", tmp_path / "plan.svg")
    assert "ends after" in done.out
    text = (tmp_path / "plan.svg").read_text()
    assert text.count("<path") > 2 * 5 * 4      # bars, of 4 rounds
    (tmp_path / "plan.csv").write_text("worker\n1\n")
    done = dlsbench("figures", tmp_path / "plan.csv", "--figure", "plan")
    assert done.code == 2 and "no plan" in done.error_lines()[-1]


def test_all_algorithms_beside_each_other(dlsbench):
    run = dlsbench("plan", "--algorithm", "all", "--load", "70", *FIVE,
                   "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(run.out)))
    assert run.code == 0 and len(rows) == 12
    assert all(float(row["over_bound"]) >= 1 for row in rows)
    overlap = dlsbench("plan", "--algorithm", "all", "--load", "70", *FIVE,
                       "--overlap", "--format", "csv")
    assert len(overlap.out.splitlines()) == 5


def test_a_calibration_gives_the_platform(dlsbench, measured):
    """g and G of messages of input data, w = c_p, as the plans of cells."""
    plan = ("plan", "--algorithm", "single-round", "--load", "30",
            "--workers", "1", "--format", "csv", "--calibration", measured[0])
    run = dlsbench(*plan, "--kernel", "adjoint:size=100",
                   "--unit-bytes", "1e6")
    assert run.code == 0, run.err
    with open(measured[0], encoding="utf-8") as file:
        ranks = json.load(file)["kinds"]["ranks"]
    message = ranks["transfers"][0]
    kernel = next(x for x in ranks["kernels"]
                  if x["kernel"].startswith("adjoint"))
    expected = (message["g_s"] + 30 * 1e6 * message["G_s_per_byte"]
                + 30 * kernel["workers"][1]["c_p_s"])
    row = next(csv.DictReader(io.StringIO(run.out)))
    assert float(row["makespan_s"]) == pytest.approx(expected, rel=1e-9)
    heat = dlsbench(*plan, "--kernel", "heat", "--unit-bytes", "8")
    assert heat.code == 2 and "depend on each other" in heat.err
    lacking = dlsbench(*plan, "--kernel", "adjoint")
    assert lacking.code == 2 and "needs --unit-bytes" in lacking.err
    other = dlsbench(*plan, "--kernel", "matmul:tasks=7,min=3,max=3")
    assert other.code == 2 and "the calibration has no cost" in other.err


def test_short_loads_count_in_shorter_units(dlsbench):
    """T_p = unit sqrt(T / unit): a thousandth of all times and of the unit
    are the same plan."""
    def rounds(load, unit):
        run = dlsbench("plan", "--algorithm", "lp-sqrt", "--load", load,
                       "--workers", "3", "--G", "1", "--w", "9", *unit)
        assert run.code == 0
        return int(re.search(r"lp-sqrt, (\d+) round", run.out).group(1))
    assert rounds("0.1", []) == 1
    assert rounds("0.1", ["--unit", "1e-3"]) == rounds("100", []) > 3


BATCH = """
--workers 5 --g 0.06 --G 0.06,0.4,0.06,0.1,0.06 --w 3:9,2:20 --load 70,35 \
--algorithm lp-fixed,lp-adaptive --tail share   # two times two plans

--workers 2 --G 0.06 --w 3 --load 5 --algorithm multi-installment,single-round
--workers 2 --G 0.06 --w 3 --load 5 --algorithm multi-installment \
--installments 1,2 --equations overlap
""".replace("\\\n", "")


def batch(dlsbench, path, text, *options):
    path.write_text(text)
    return dlsbench("plan", "--batch", path, *options)


def test_a_batch_is_many_plans(dlsbench, tmp_path):
    run = batch(dlsbench, tmp_path / "lines", BATCH)
    assert run.code == 0, run.err
    rows = list(csv.DictReader(io.StringIO(run.out)))
    assert [(r["line"], r["load"], r["algorithm"], r["installments"])
            for r in rows] == [
        ("2", "70", "lp-fixed", ""), ("2", "70", "lp-adaptive", ""),
        ("2", "35", "lp-fixed", ""), ("2", "35", "lp-adaptive", ""),
        ("4", "5", "multi-installment", "4"), ("4", "5", "single-round", ""),
        ("5", "5", "multi-installment", "1"),
        ("5", "5", "multi-installment", "2")]
    for row in rows:
        assert float(row["over_bound"]) > 1 - 1e-9
        assert 0 <= float(row["latency_share"]) < 1
        assert -1e-9 < float(row["waiting_share"]) < 1
    alone = dlsbench("plan", "--algorithm", "lp-adaptive", "--tail", "share",
                     "--load", "35", *FIVE, "--format", "csv").out
    makespan = list(csv.DictReader(io.StringIO(alone)))[0]["makespan_s"]
    assert float(rows[3]["makespan_s"]) == pytest.approx(float(makespan),
                                                         rel=1e-11)
    # All that is above load / n* is waiting for the first message.
    assert float(rows[6]["waiting_share"]) == pytest.approx(
        1 - 1 / float(rows[6]["over_bound"]))


def test_batches_are_read_from_stdin(tmp_path):
    done = subprocess.run([ROOT / "build/dlsbench", "plan", "--batch", "-"],
                          input="--workers 1 --G 1 --w 1 --load 2 "
                          "--algorithm lp-sqrt", capture_output=True,
                          text=True, check=False)
    assert done.returncode == 0 and done.stdout.count("\n") == 2
    assert done.stdout.splitlines()[1].startswith("1,2,lp-sqrt,,")


@pytest.mark.parametrize("line, words", [
    ("--workers 2 --G 1 --w 1 --load 1,x --algorithm lp-sqrt", "--load: 'x'"),
    ("--workers 2 --G 1 --w 1 --load 1 --algorithm lp-sqrt,lp", "'lp'"),
    ("--workers 2 --G 1 --w 1 --load 1", "--algorithm is missing"),
    ("--workers 2 --G 1 --w 1 --load", "--load: a value is missing"),
    ("--workers 2 --G 1 --w 1 --load 1 --algorithm all", "all"),
    ("--workers 2 --G 1 --w 0 --load 1 --algorithm lp-sqrt", "w of worker 0"),
    ("--batch other", "missing")])
def test_a_wrong_line_is_named(dlsbench, tmp_path, line, words):
    run = batch(dlsbench, tmp_path / "lines", "\n" + line)
    assert run.code == 2 and len(run.err.splitlines()) == 1
    assert f"{tmp_path}/lines:2: " in run.err and words in run.err


def test_other_options_do_not_go_with_a_batch(dlsbench):
    run = dlsbench("plan", "--batch", "f", "--load", "5")
    assert run.code == 2 and "--load does not go with --batch" in run.err


def test_wrong_plans_are_one_line(dlsbench):
    for options, words in [
            (["--w", "0"], "w of worker 0 is 0 s, it must be above 0"),
            (["--w", "-1"], "--w: -1 is out of range"),
            (["--w", "1,2,3"], "3 values for 2 workers")]:
        run = dlsbench("plan", "--algorithm", "lp-sqrt", "--load", "5",
                       "--workers", "2", "--G", "1", *options)
        assert run.code == 2 and run.out == ""
        assert len(run.err.splitlines()) == 1 and words in run.err
    run = dlsbench("plan", "--algorithm", "lp-fixed", "--period", "1e-9",
                   "--load", "5", "--workers", "2", "--G", "1", "--w", "1")
    assert run.code == 2 and "the rounds are too short" in run.err
