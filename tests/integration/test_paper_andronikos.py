"""The report on Andronikos et al., of experiment 2 at few intervals: the
model's best intervals, the simulated times beside the paper's formula."""

import pytest

from paper_files import PAPERS, check_values, rows, run, written

HERE = PAPERS / "andronikos"


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    out = tmp_path_factory.mktemp("andronikos")
    run("build/dlsbench", "sim", HERE / "andronikos-2.yaml", "--out",
        out / "2", "--set", "sync_interval=[60,120,200]", "--set",
        "kernel=floyd-steinberg:rows=8000,cols=16000,shape=paper")
    run("sh", HERE / "also.sh", "build/dlsbench", out)
    return out, written("andronikos", out)


def test_h_theory_is_that_of_the_formulas(report):
    found = {(r["experiment"], r["k"]): float(r["ours"])
             for r in rows(report[0] / "h_theory.csv")}
    expected = [28.89, 57.58, 81.05, 38.55, 76.82, 108.11, 33.19, 66.08,
                92.89]
    assert list(found.values()) == pytest.approx(expected, abs=0.01)


def test_each_printed_value_is_there_once(report):
    """45 of table 2 and 14 in the text, of which one is given; here of one
    experiment."""
    assert check_values("andronikos", report[0]) == (59, 9 + 4 * 3 + 13, 0)


def test_table_2_has_the_papers_columns(report):
    """Percent where the paper prints fractions of one."""
    lines = rows(report[0] / "table_2.csv")
    assert [r["experiment"] for r in lines if r[""] == "printed"] \
        == list("111222333")
    assert len(lines[0]) == 9 + 2
    first = next(r for r in lines if (r["experiment"], r["k"]) == ("1", "4"))
    assert float(first["dT/T %"]) == pytest.approx(0.6894, abs=1e-4)
    ours = [r for r in lines if r[""] == "ours"]
    assert [(r["experiment"], r["k"]) for r in ours] == [
        ("2", "1"), ("2", "4"), ("2", "8")]


def formula_5(k, h):
    """Experiment 2, without the work assignment time."""
    u_c, u_s, workers = 8000 / k, 16000, 6
    message, bulk = 99e-6 + h * 0.65e-6, 2 * (99e-6 + u_s * 0.65e-6)
    compute = h * u_c / workers * 0.319e-6
    one = (compute + message + (workers - 2) * (compute + 2 * message) +
           u_s / h * (compute + message) + (u_s / h - 1) * message)
    return k * one + (k - 1) * bulk


def test_simulated_times_are_those_of_the_formula(report):
    """With messages that keep both processors busy, and chunks that wait for
    the round before."""
    lines = [r for r in rows(report[0] / "figure_7.csv")
             if (r["messages"], r["protocol"]) == ("processors", "subproblem")]
    assert len(lines) == 9
    for line in lines:
        expected = formula_5(int(line["k"]), int(line["h"]))
        assert float(line["time_s"]) == pytest.approx(expected, rel=5e-3)
        assert float(line["model_s"]) == pytest.approx(expected, rel=1e-3)


def test_a_stream_is_faster_and_its_interval_longer(report):
    cells = {(r["messages"], r["protocol"], int(r["k"])): r
             for r in rows(report[0] / "gaps.csv")}
    for k in 4, 8:
        block = cells["processors", "subproblem", k]
        stream = cells["processors", "dmps", k]
        assert float(stream["T(h_actual)"]) < float(block["T(h_actual)"])
        assert int(stream["h_actual"]) > int(block["h_actual"])
    # What costs the processors nothing is best done often.
    for k in 1, 4, 8:
        assert int(cells["network", "subproblem", k]["h_actual"]) == 60


def test_claims_have_reasons(report):
    claims = rows(report[0] / "claims.csv")
    assert len(claims) > 8
    assert all(r["why"] for r in claims if r["holds"] == "0")


def test_other_readings_than_the_papers_are_counted_apart(report):
    out, text = report
    claims = rows(out / "claims.csv")
    own = [c for c in claims if c["further"] == "0"]
    assert {c["where"] for c in own if c["where"].startswith("table 2")} == {
        "table 2; subproblem, messages: processors"}
    further = [c for c in claims if c["further"] == "1"]
    assert len(further) > len(own)
    for part, title in ((own, "The paper's claims"),
                        (further, "The same claims in further readings")):
        holding = sum(c["holds"] == "1" for c in part)
        assert f"  {holding} of {len(part)} hold" in text[text.index(title):]
    found = {r["other"]: r["effect"] for r in rows(out / "assumptions.csv")}
    network = [c["holds"] for c in further
               if c["where"] == "table 2; subproblem, messages: network"]
    assert found["c_d on the wire, processors free"].startswith(
        f"{network.count('1')} of 2 claims")
