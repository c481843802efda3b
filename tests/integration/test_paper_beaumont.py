"""The report on Beaumont, Legrand and Robert: their platforms, what the curves
are means of, and claims that can fail."""
import csv
import io
import itertools
import subprocess
import sys

import pytest

from conftest import ROOT, environment
from paper_files import PAPERS, module, rows

plans = module("beaumont", "plans")
claims = module("beaumont", "claims")
PRINTED = plans.READINGS[0]
(HOMOGENEOUS_5, HOMOGENEOUS_20, RANDOM_5, RANDOM_20, LATENCY_5, LATENCY_20,
 HIGH_5, HIGH_20) = plans.FIGURES
FIRST_MI = 3
CLAIMS = 30


def draw(figure, reading, seed, number):
    return plans.platform(figure, reading, seed, number)


def test_homogeneous_platforms_are_the_papers():
    assert draw(HOMOGENEOUS_20, PRINTED, 3, 0) == [
        (0, 2 / 32.10, 1000 / 114.444)] * 20


def test_random_platforms_are_from_the_papers_set():
    for figure in plans.FIGURES[2:]:
        for number in range(50):
            for g, big_g, w in draw(figure, PRINTED, 7, number):
                assert w in [figure.mflop / p for p in plans.PROCESSORS]
                assert big_g in [2 / n for n in plans.NETWORKS]
                assert g == (big_g if figure.latency else 0)


def test_platforms_are_those_of_the_suites_random_numbers():
    """splitmix64 from state 0 (its authors' numbers), and a stream's start."""
    state, found = 0, []
    for _ in range(3):
        state = state + plans.GOLDEN & plans.MASK
        found.append(plans.mix(state))
    assert found == [0xe220a8397b1dcdaf, 0x6e789e6aa1b965f4,
                     0x06c45d188009454f]
    one, two = (list(itertools.islice(plans.random_numbers(1, i), 9))
                for i in (0, 1))
    assert one != two and one == list(itertools.islice(
        plans.random_numbers(1, 0), 9))


def test_all_figures_have_the_same_platforms():
    assert draw(RANDOM_5, PRINTED, 1, 9) == draw(RANDOM_20, PRINTED, 1, 9)[:5]
    assert draw(RANDOM_20, PRINTED, 1, 10) != draw(RANDOM_20, PRINTED, 1, 9)


def test_readings_weigh_data_and_latency():
    other = plans.Reading("16 Mbit", data=16.0)
    for (g, big_g, w), (g2, big_g2, w2) in zip(
            draw(LATENCY_20, PRINTED, 1, 9), draw(LATENCY_20, other, 1, 9)):
        assert (g, w) == (g2, w2) and big_g2 == pytest.approx(8 * big_g)


def test_one_network_is_the_first_workers():
    mixed = draw(RANDOM_20, PRINTED, 1, 9)
    same = draw(RANDOM_20, plans.Reading("one", one_network=True), 1, 9)
    assert {big_g for _, big_g, _ in same} == {mixed[0][1]}
    assert [w for *_, w in same] == [w for *_, w in mixed]
    assert len({big_g for _, big_g, _ in mixed}) > 1


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """What run_papers.py makes of two platforms, timed by the evaluator."""
    out = tmp_path_factory.mktemp("beaumont")
    done = subprocess.run(
        [sys.executable, PAPERS / "run_papers.py", ROOT / "build/dlsbench",
         f"beaumont={out}", "--", "--platforms", "2"],
        capture_output=True, text=True, timeout=200,
        check=False, env=environment(out))
    assert done.returncode == 0, done.stderr
    return out, done.stdout


def point(lines, figure, load, heuristic):
    (line,) = [r for r in lines if r["figure"] == figure.number and
               r["load"] == load and r["heuristic"] == heuristic]
    return {name: float(line[name]) for name in plans.COLUMNS[10:]}


def test_a_point_is_the_mean_of_its_plans(made):
    """M.I.1 on 5 equal workers has a closed form: all start one after the
    other and end together."""
    lines = rows(made[0] / "figures.csv")
    assert len(lines) == 8 * 20 * 11
    big_g, w = 2 / 32.10, 1000 / 114.444
    keep = w / (big_g + w)
    expected = 100 * (big_g + w) * (1 - keep) / (1 - keep ** 5)
    one = point(lines, HOMOGENEOUS_5, "100", "mi-1")
    assert one["time_s"] == pytest.approx(expected, rel=1e-9)
    assert (one["rounds"], one["latency_share"]) == (1, 0)
    # All that is above load / n* is waiting for the first message.
    assert one["over_bound"] == pytest.approx(
        expected * 5 / (100 * (big_g + w)))
    assert one["waiting_share"] == pytest.approx(1 - 1 / one["over_bound"])
    for row in lines:
        p = {name: float(row[name]) for name in plans.COLUMNS[10:]}
        assert p["ratio_min"] <= p["ratio"] <= p["ratio_max"]
        assert p["over_bound"] > 1 - 1e-9 and p["rounds"] >= 1
        assert (p["latency_share"] > 0) == (row["latency"] == "1")
        assert p["ratio"] == 1 or row["heuristic"] != "lp-adaptive"


def test_points_are_those_of_single_plans(made, dlsbench):
    """The mean over both platforms of what dlsbench plan says of each."""
    times = []
    for number in range(2):
        costs = zip(*draw(LATENCY_5, PRINTED, 1, number))
        words = [w for name, values in zip("gGw", costs)
                 for w in (f"--{name}", ",".join(map(repr, values)))]
        run = dlsbench("plan", "--algorithm", "multi-installment",
                       "--installments", 3, "--load", 300, "--workers", 5,
                       *words, "--format", "csv")
        assert run.code == 0, run.err
        lines = list(csv.DictReader(io.StringIO(run.out)))
        times.append(float(lines[0]["makespan_s"]))
    one = point(rows(made[0] / "figures.csv"), LATENCY_5, "300", "mi-3")
    assert one["time_s"] == pytest.approx(sum(times) / 2, rel=1e-9)


def test_the_report_and_its_page(made):
    out, text = made
    assert (out / "report.txt").read_text() in text
    assert "figure 13: 20 workers, random, with latency, 1000 Mflop" in text
    assert "L.P. adaptive in figure 8, 9: " in text
    assert "  as printed " in text
    found = rows(out / "claims.csv")
    assert list(found[0]) == ["claim", "where", "read_as", "holds", "found",
                              "why"] and len(found) == CLAIMS
    # The conclusion is first.
    assert [c["where"][0] for c in found[:5]] == list("66676")
    assert all(c["why"] for c in found if c["holds"] != "1")
    holding = sum(c["holds"] == "1" for c in found)
    assert f"  {holding} of {CLAIMS} hold, of " in text
    page = (out / "report.html").read_text()
    assert f"{holding} of {CLAIMS} hold" in page
    assert "Figure 5: simulation time, 5 equal" in page
    assert "Figure 15: comparison with the adaptive period, 20 random" in page
    assert "<h1>Optimal algorithms for scheduling divisible" in page
    assert page.index("is the best in the mean over the loads") \
        < page.index("Figure 5: sim") < page.index("of 30 hold")


def test_other_readings_are_the_alternatives(made):
    """All but the first, each with the number of claims that hold."""
    out, text = made
    held = {}
    for line in rows(out / "readings.csv"):
        held[line["reading"]] = held.get(line["reading"], 0) \
            + (line["holds"] == "1")
    found = {r["other"]: r["effect"] for r in rows(out / "assumptions.csv")}
    assert set(found) == set(held) - {"as printed"}
    for name, effect in found.items():
        assert effect.startswith(f"{held[name]} of {CLAIMS} hold")
        assert f"      {name}: {effect}\n" in text


def test_as_printed_is_the_first_reading(made):
    found = rows(made[0] / "claims.csv")
    lines = rows(made[0] / "readings.csv")
    assert len(lines) == 9 * CLAIMS
    assert {r["platforms"] for r in lines} == {"2"}
    for claim, reading in zip(found, lines):
        assert reading["reading"] == "as printed"
        assert (claim["holds"], claim["found"]) == (reading["holds"],
                                                    reading["found"])
    assert any(r["holds"] != lines[int(r["number"]) - 1]["holds"]
               for r in lines)


def test_blocks_give_the_same_digits(monkeypatch):
    """However many platforms a program gets."""
    def take(count):
        parts = [plans.make_plans(ROOT / "build/dlsbench",
                                  RANDOM_5, PRINTED, 1, range(i, i + count))
                 for i in range(0, 4, count)]
        return plans.points({
            name: plans.np.concatenate([part[name] for part in parts])
            for name in parts[0]})
    one, all_of = take(1), take(4)
    assert all((one[name] == all_of[name]).all() for name in one)


# ---- claims on curves by hand ----

def as_claimed():
    """Curves as the paper has them; [figure][load][heuristic]."""
    count = len(plans.LOADS)
    series = [[[{"ratio": 1.01, "rounds": 1, "latency_share": 0.01,
                 "waiting_share": 0, "over_bound": 1.02 - 0.0001 * i}
                for _ in plans.HEURISTICS] for i in range(count)]
              for _ in plans.FIGURES]
    for figure in range(8):
        for heuristic, ratio in ((claims.FIXED, 2), (claims.ADAPTIVE, 1),
                                 (claims.SQRT, 1.005), (claims.mi(1), 2),
                                 (claims.mi(2), 1.1)):
            put(series, figure, heuristic, ratio)
    put(series, claims.HOMOGENEOUS_5, claims.mi(2), 1.04)
    for figure, few in ((claims.HOMOGENEOUS_20, 3), (claims.RANDOM_5, 3),
                        (claims.RANDOM_20, 4), (claims.LATENCY_5, 3),
                        (claims.LATENCY_20, 4)):
        for x in range(1, few + 1):
            put(series, figure, claims.mi(x), 1.1)
    for figure in (claims.HIGH_LATENCY_5, claims.HIGH_LATENCY_20):
        for x in range(1, 9):
            put(series, figure, claims.mi(x), 1.2)
            for load in series[figure]:
                load[claims.mi(x)]["latency_share"] = 0.1
    for i in range(count):
        series[claims.HOMOGENEOUS_5][i][claims.SQRT]["ratio"] += i % 2 / 1000
    series[claims.HOMOGENEOUS_20][0][claims.ADAPTIVE]["over_bound"] = 1.1
    for x in range(5, 9):
        series[claims.RANDOM_20][0][claims.mi(x)]["ratio"] = 0.9
    return series


def put(series, figure, heuristic, ratio):
    for load in series[figure]:
        load[heuristic]["ratio"] = ratio


def holding(series):
    return [c["holds"] for c in claims.judge(claims.Series(series))]


ROBUST = 4      # of which no figure says anything


def test_claims_hold_on_curves_as_claimed():
    found = holding(as_claimed())
    assert found.pop(ROBUST) is None and found == [True] * (CLAIMS - 1)


H5, H20, R5, R20 = (claims.HOMOGENEOUS_5, claims.HOMOGENEOUS_20,
                    claims.RANDOM_5, claims.RANDOM_20)
L5, L20, HIGH5, HIGH20 = (claims.LATENCY_5, claims.LATENCY_20,
                          claims.HIGH_LATENCY_5, claims.HIGH_LATENCY_20)
MI, SQRT, FIXED = claims.mi, claims.SQRT, claims.FIXED


def everywhere(column, value):
    def change(series):
        for figure in series:
            for load in figure:
                for point_ in load:
                    point_[column] = value
    return change


def puts(*changes):
    return lambda series: [put(series, *change) for change in changes]


# A change against each claim.
@pytest.mark.parametrize("number, change", [
    (0, puts(*((f, SQRT, 1.2) for f in range(8)))),
    (1, puts((HIGH20, MI(5), 1.04))),
    (2, puts(*((f, MI(x), 1.01 if x > 1 else 1.2) for f in range(8)
               for x in range(1, 9)))),
    (3, everywhere("over_bound", 1.1)),
    (5, puts((H5, FIXED, 1.02))),
    (6, puts((H5, MI(1), 1.02))),
    (7, puts((H5, MI(4), 1.2))),
    (8, puts((H5, MI(4), 0.9))),
    (9, puts((H5, MI(2), 1.01))),
    (10, puts((H5, SQRT, 1.005))),
    (11, puts((H5, SQRT, 1.06))),
    (12, everywhere("over_bound", 1.01)),
    (13, puts((H20, MI(3), 1.01))),
    (14, puts((R5, MI(1), 1.02))),
    (15, puts(*((R5, MI(x), 1.01) for x in (1, 2, 3)))),
    (16, puts((R5, MI(7), 0.99))),
    (17, puts((R5, SQRT, 1.02))),
    (18, puts((R5, MI(5), 0.99))),
    (19, puts((R20, MI(4), 1))),
    (20, puts(*((R20, MI(x), 1.01) for x in range(1, 9)))),
    (21, puts((R20, SQRT, 0.99))),
    (22, puts((L5, MI(2), 1.01))),
    (23, puts((L5, MI(3), 1.01))),
    (24, puts((L5, MI(5), 0.99))),
    (25, puts((L20, MI(4), 1.01))),
    (26, puts((L20, MI(5), 0.96))),
    (27, puts((HIGH5, SQRT, 1.3))),
    (28, puts((HIGH20, SQRT, 1.3))),
    (29, everywhere("latency_share", 0.1))])
def test_each_claim_can_fail(number, change):
    series = as_claimed()
    change(series)
    assert holding(series)[number] is False


def test_what_platforms_contradict_cannot_be_told():
    """The mean is the same; on half of the platforms another one is best."""
    series = as_claimed()
    put(series, R5, claims.mi(5), 1.0)
    each = claims.Series(series).each
    each[R5] = plans.np.repeat(each[R5], 2, axis=0)
    each[R5][0, claims.mi(5):], each[R5][1, claims.mi(5):] = 0.99, 1.02
    found = claims.judge(claims.Series(series, each))
    assert found[18]["holds"] is None and "best other" in found[18]["found"]


def test_wrong_options_are_refused(tmp_path):
    done = subprocess.run(
        ["/usr/bin/python3", PAPERS / "beaumont/plans.py", "dlsbench",
         tmp_path, "--platforms", "0"], capture_output=True, text=True)
    assert done.returncode == 2 and "0 is not between 1" in done.stderr


def test_an_unknown_paper_is_one_line(tmp_path):
    done = subprocess.run(
        [sys.executable, PAPERS / "run_papers.py", ROOT / "build/dlsbench",
         f"beaumon={tmp_path}/out"], capture_output=True, text=True)
    assert done.returncode == 2 and len(done.stderr.splitlines()) == 1
    assert "allowed: andronikos, beaumont, beyond" in done.stderr
