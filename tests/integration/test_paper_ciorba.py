"""The report on Ciorba et al.: the fit, its recurrence beside the simulator,
the printed values."""
import json
import re
import statistics

import pytest

from paper_files import PAPERS, check_values, module, rows, run, written

pipeline = module("ciorba", "pipeline")
# The intervals of the fitted cells, and the paper's rectangles only.
FEW = {"heat": ("sync_interval=150",), "loads": ("sync_interval=[100,150]",),
       "floyd-steinberg": ("sync_interval=100", "kernel=floyd-steinberg:"
                           "rows=10000,cols=20000,shape=paper"),
       "table-1": ()}


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    out = tmp_path_factory.mktemp("ciorba")
    for name, settings in FEW.items():
        run("build/dlsbench", "sim", PAPERS / f"ciorba/ciorba-{name}.yaml",
            "--out", out / name, *(w for s in settings for w in ("--set", s)))
    (out / "heat.yaml").write_text((PAPERS / "ciorba/ciorba-alternatives.yaml")
                                   .read_text().partition("  - kernel: [")[0])
    run("build/dlsbench", "sim", out / "heat.yaml", "--out", out / "other",
        "--set", f"platform={PAPERS}/ciorba/zealots-kids-halves.xml")
    return out, written("ciorba", out)


def test_two_workers_in_a_pipeline():
    """4 x 4 points in blocks of 2 x 2, a second each: 4, 8 and 8, 12; with a
    delay the second worker is a second behind."""
    for delay, end in ((0, 12), (1, 13)):
        assert pipeline.parallel_time(4, 4, 2, [1, 1], pipeline.Css(2),
                                      delay_s=delay) == end
    # Alone: every point, and no delay to itself.
    assert pipeline.parallel_time(4, 4, 2, [1], pipeline.Css(2),
                                  delay_s=9) == 16
    # Rows of 4, 12, 4 and 12 s, one after the other: the slow worker waits for
    # the last one as it is free (at 16) before the fast one (at 20).
    assert pipeline.parallel_time(4, 4, 4, [1, 3], pipeline.Css(1)) == 32


def test_the_campaigns_have_the_fitted_values(report):
    assert "The campaigns have these values." in report[1]


def test_the_recurrence_is_near_the_simulator(report):
    most = re.search(r"differs from the simulator.*at most ([0-9.]+) %",
                     report[1])
    assert 0 < float(most[1]) < 3


def test_table_1_comes_out(report):
    assert "tss: 27 of 27 equal" in report[1]
    assert "css: 17 of 17 equal" in report[1]


def test_each_printed_value_is_there_once(report):
    """But for the loaded DTSS of table 1, whose powers change on the way."""
    printed, beside, fitted = check_values("ciorba", report[0])
    assert printed == 360
    # Three rows of table 1; one interval of dedicated cells, two of loaded
    # ones, of which a line is not legible.
    assert beside == 72 + 42 + 2 * 42 - 7 and fitted == 18


def test_what_is_printed_stands_beside_ours(report):
    out, text = report
    off = []
    for name in "table_2", "table_3":
        lines = [r for r in rows(out / f"{name}.csv") if r["ours"]
                 and r["mode"] == "dedicated"]
        assert len(lines) == 21
        off += [100 * abs(float(r["ours"]) / float(r["printed"]) - 1)
                for r in lines if r["fitted"] == "0"]
    assert f"difference {statistics.median(off):.2f} % of 24 cells" in text
    assert statistics.median(off) <= 8
    claims = rows(out / "claims.csv")
    assert "effective" in claims[0]["claim"]
    assert all(r["why"] for r in claims if r["holds"] != "1")


def test_the_loads_are_the_texts_and_the_fitted_ones_another_reading(report):
    """kid1 to kid3 with a process each, and what was fitted apart."""
    out, _ = report
    times = {name: {(r["interval"], r["scheme"], r["slaves"]): float(r["ours"])
                    for r in rows(out / f"{name}.csv")
                    if r["mode"] == "non-dedicated" and r["ours"]}
             for name in ("table_2", "table_2_fitted_loads",
                          "table_2_all_kids_loaded")}
    own, fitted, kids = times.values()
    # The text loads kid1 of 3 slaves, the fit nobody.
    assert own["150", "css", "3"] > 1.9 * fitted["150", "css", "3"]
    assert own["150", "dtss", "6"] == kids["150", "dtss", "6"]
    assert own["150", "dtss", "9"] < kids["150", "dtss", "9"]
    marked = {r["mode"] for r in rows(out / "table_2.csv")
              if r["fitted"] == "1"}
    assert marked == {"dedicated"}
    assert {r["fitted"] for r in rows(out / "claims.csv")
            if r["further"] == "1"} == {"1"}
    (row, *_) = [r for r in rows(out / "assumptions.csv")
                 if r["assumption"] == "the loaded slaves, and the load"]
    assert row["value"].startswith("kid1, kid2 and kid3, one process each")


def test_the_dtss_row_is_said_not_to_follow(report):
    assert ("powers of 3:2:1 (A = 19) give F = 131.6 and D = 1.75, its sizes "
            "F = 132.4 and D = 1.62") in report[1]


@pytest.mark.parametrize("every, count", [((150,), 0), ((100, 150), 2)])
def test_one_interval_is_no_claim_on_intervals(every, count):
    """It would be the best, and no change would alter it."""
    keys = [(h, s, m) for h in every for s in ("css", "tss", "dtss")
            for m in range(3, 10)]
    claims = []
    judged = type("Report", (), {"claim": lambda *said: claims.append(said)})
    module("ciorba", "sentences").intervals(
        judged(), "heat", {("dedicated", *k): {"time_s": 2.0} for k in keys},
        {("heat", "dedicated", *k): 3.0 for k in keys})
    assert len(claims) == count


def test_messages_that_cost_processors_stand_beside_ours(report):
    """With the best interval of the sum of all times."""
    sums = {}
    for path in (report[0] / "other").glob("runs-*.jsonl"):
        for line in map(json.loads, path.read_text().splitlines()):
            if line["type"] == "run":
                interval = line["sync_interval"]
                sums[interval] = sums.get(interval, 0) + line["time_s"]
    assert sorted(sums) == [100, 150, 200]
    (row,) = [r for r in rows(report[0] / "assumptions.csv")
              if r["other"] == "sender and receiver busy, half of c_d each"]
    assert row["value"] == "only time on the wire"
    assert row["effect"].endswith(
        f"best intervals {min(sums, key=sums.get)} for heat")
