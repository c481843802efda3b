"""The report on Han and Chronopoulos: the convolution, smaller, with 1 and 16
masters, and an alternative to what is not printed."""

import pytest

from conftest import racks
from paper_files import PAPERS, rows, run, written

FEW = ("workers=[256,512]", 'hierarchy=[flat,"16"]', "kernel=adjoint:size=100")


def convolution():
    """The campaign without its other kernel, which sets result_bytes."""
    head, *blocks = (PAPERS / "han/han.yaml").read_text() \
        .split("\n  - ")
    kept = [x for x in blocks if "result_bytes" not in x]
    assert 0 < len(kept) < len(blocks)
    return "\n  - ".join([head, *kept])


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    out = tmp_path_factory.mktemp("han")
    for name, settings in (("han", ()), ("other", ("request_cost=20e-6",))):
        (out / f"{name}.yaml").write_text(
            convolution().replace("name: han", f"name: {name}"))
        run("build/dlsbench", "sim", out / f"{name}.yaml", "--out",
            out / name, *(w for s in (f"platform={racks(out)}", *FEW,
                                      *settings) for w in ("--set", s)))
    return out, written("han", out)


def ours(report):
    """The runs with the campaign's own values."""
    return [r for r in rows(report[0] / "runs.csv")
            if float(r["request_cost"]) == 2e-6]


def test_every_run_stands_beside_its_bound(report):
    assert len(ours(report)) == 4 * 2 * 2
    for r in rows(report[0] / "runs.csv"):
        assert float(r["time_s"]) > 0.999 * float(r["bound_s"])
        assert float(r["bound_s"]) * int(r["workers"]) \
            > 0.999 * float(r["serial_s"])


def test_speedups_are_over_one_master_with_256_workers(report):
    times = {(r["scheme"], r["masters"], r["workers"]): float(r["time_s"])
             for r in ours(report)}
    (line,) = [r for r in rows(report[0] / "figure_8.csv")
               if (r["scheme"], r["masters"]) == ("HDFSS", "16")]
    assert float(line["512"]) == pytest.approx(
        times["HDFSS", "1", "256"] / times["HDFSS", "16", "512"])


def test_claims_say_whether_they_hold_and_why_not(report):
    claims = rows(report[0] / "claims.csv")
    assert len(claims) == 5    # that on 2 masters cannot be said
    for claim in claims:
        assert claim["holds"] in "01" and claim["found"]
        assert bool(claim["why"]) == (claim["holds"] == "0")
        words = "holds" if claim["holds"] == "1" else "does not hold"
        assert f" {words:<15} {claim['claim']}" in report[1]


def test_the_single_master_is_judged_by_the_runs(report):
    speedup = {(r["scheme"], r["masters"]): float(r["speedup"])
               for r in ours(report)
               if r["result_bytes"] == "" and r["workers"] == "512"}
    worst = all(speedup[s, "1"] <= speedup[s, "16"]
                for s in ("HDTSS", "HDFSS", "HDGSS"))
    (claim,) = [c for c in rows(report[0] / "claims.csv")
                if "scalability is the worst" in c["claim"]]
    assert int(claim["holds"]) == worst


def test_another_value_stands_beside_ours(report):
    found = {r["assumption"]: r for r in rows(report[0] / "assumptions.csv")}
    axis = found["the loop that is cut (axis)"]
    assert "outer loops" in axis["why"] and not axis["other"]
    request = found["the time of a request at a master"]
    assert (request["value"], request["other"]) == ("2 us", "20 us")
    claims = rows(report[0] / "claims.csv")
    own = sum(c["holds"] == "1" for c in claims)
    other = [r for r in rows(report[0] / "alternatives.csv")
             if r["value"] == "20 us"]
    assert sum(r["with_ours"] == "1" for r in other) == own
    holding = sum(r["holds"] == "1" for r in other)
    assert request["effect"].startswith(
        f"adjoint {holding} of 5 ({own} of 5 with ours)")
    assert f"      20 us: {request['effect']}\n" in report[1]


def test_claims_that_exclude_each_other_say_so(report):
    claims = {c["claim"]: c for c in rows(report[0] / "claims.csv")}
    halves = next(c for name, c in claims.items() if "halves" in name)
    assert "2 masters stop" in halves["excludes"]
    assert "excludes: that 2 masters stop" in report[1]
