"""Scheme auto: what it predicts, tries, chooses and records."""
import csv
import json
import shutil
import statistics

import pytest

from conftest import ROOT, needs_simgrid

pytestmark = pytest.mark.measures

# The first iterations take most of the time: static is far from the best.
COSTS = "".join(f"{2e-4 if i < 16 else 1e-6}\n" for i in range(256))


@pytest.fixture
def loop(tmp_path):
    path = tmp_path / "costs.txt"
    path.write_text(COSTS)
    return f"trace:file={path}"


def with_powers(measured, path, powers):
    """The calibration with these powers of its workers: equal ones can be
    replayed, others need SimGrid."""
    found = json.loads(measured[0].read_text())
    for kind in found["kinds"].values():
        for worker, power in zip(kind["workers"], powers):
            worker["power"] = power
    path.write_text(json.dumps(found))
    return path


@pytest.fixture
def alike(measured, tmp_path):
    return with_powers(measured, tmp_path / "alike.json", (1, 1))


@pytest.fixture
def unequal(measured, tmp_path):
    return with_powers(measured, tmp_path / "unequal.json", (1, 1.2))


@pytest.fixture
def without_simgrid(tmp_path):
    """The program alone, without dlsbench-sim beside it."""
    program = tmp_path / "alone/dlsbench"
    program.parent.mkdir()
    shutil.copy2(ROOT / "build/dlsbench", program)
    return program


def table(result):
    with open(result.directory / "auto.csv", newline="",
              encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_simulation_predicts_all_and_takes_the_best(dlsbench, campaign, loop,
                                                    unequal):
    needs_simgrid()
    path = campaign(f"""
repetitions: 3
repetitions_max: 3
oversubscribe: on
events: none
cells:
  - kernel: "{loop}"
    layout: 1x2
    scheme: [static, ss, "auto:schemes=static+ss+gss"]
""")
    args = ("run", path, "--calibration", unequal)
    result = dlsbench(*args)
    assert result.code == 0, result.err
    lines = result.lines("choices")
    assert not any(x["replayed"] for x in lines)
    predicted = {(x["scheme"], x["hierarchy"]): x["predicted_s"]
                 for x in lines}
    # Two threads: flat and two masters.
    assert sorted(predicted) == [(s, h) for s in ("gss:min=1", "ss", "static")
                                 for h in ("2", "flat")]
    (chosen,) = [x for x in lines if x["chosen"]]
    assert chosen["predicted_s"] == min(predicted.values())
    assert chosen["scheme"] != "static"
    assert predicted["static", "flat"] > 1.5 * chosen["predicted_s"]
    rows = [x for x in result.runs() if x["scheme"].startswith("auto")]
    assert len(rows) == 3 and all(
        x["chosen_scheme"] == chosen["scheme"] and x["verified"] is True
        and x["predicted_s"] == chosen["predicted_s"] for x in rows)
    # The fixed cells of the same directory stand beside the predictions.
    times = [x["time_s"] for x in result.runs() if x["scheme"] == "static"]
    (line,) = [x for x in table(result)
               if (x["scheme"], x["hierarchy"]) == ("static", "flat")]
    assert float(line["measured_s"]) == pytest.approx(
        statistics.median(times), rel=1e-6)
    (line,) = [x for x in table(result) if x["chosen"] == "1"]
    assert float(line["regret"]) == pytest.approx(
        float(line["auto_s"]) / float(line["best_s"]) - 1, abs=1e-6)
    assert "Regret of automatic selection" in result.out
    # Alone the simulation of a candidate is the same, and nothing is
    # simulated twice.
    alone = dlsbench("sim", "--platform", "this-machine", "--calibration",
                     unequal, "--kernel", loop, "--scheme", "ss",
                     "--threads", 2, out="alone")
    assert alone.runs()[0]["time_s"] == pytest.approx(predicted["ss", "flat"])
    again = dlsbench(*args, "--resume")
    assert again.code == 0 and "simulating" not in again.err
    assert table(again) == table(result)


SMALL = """
repetitions: 1
repetitions_max: 1
oversubscribe: on
events: none
cells:
  - kernel: "%s"
    layout: 1x2
    scheme: "auto:schemes=static+ss+gss"
"""


def check_replays(result):
    assert result.code == 0, result.err
    lines = result.lines("choices")
    assert len(lines) == 6 and all(x["replayed"] for x in lines)
    (chosen,) = [x for x in lines if x["chosen"]]
    assert chosen["predicted_s"] == min(x["predicted_s"] for x in lines)
    assert chosen["scheme"] != "static"
    # 16 iterations of 200 us, 240 of 1 us.
    assert 1.72e-3 < chosen["predicted_s"] < 2e-3
    return {(x["scheme"], x["hierarchy"]): x["predicted_s"] for x in lines}


def test_what_a_replay_knows_is_replayed(dlsbench, campaign, loop, alike):
    """Also where SimGrid is there: it is not asked, and would say the same."""
    result = dlsbench("run", campaign(SMALL % loop), "--calibration", alike)
    predicted = check_replays(result)
    assert "replaying 6 candidates on this-machine" in result.err
    assert not list((result.directory / "auto").glob("runs-*"))
    needs_simgrid()
    # What a scheme learns from one repetition for the next is SimGrid's.
    learns = campaign((SMALL % loop).replace("+gss", "+awf"))
    lines = dlsbench("run", learns, "--calibration", alike,
                     out="learns").lines("choices")
    assert {x["replayed"] for x in lines if x["scheme"] == "awf"} == {False}
    assert {x["replayed"] for x in lines if x["scheme"] != "awf"} == {True}
    # And so is what a message costs its two ends.
    ranks = campaign((SMALL % loop).replace("1x2", "2x1"))
    lines = dlsbench("run", ranks, "--calibration", alike,
                     out="ranks").lines("choices")
    assert lines and not any(x["replayed"] for x in lines)
    alone = dlsbench("sim", "--platform", "this-machine", "--calibration",
                     alike, "--kernel", loop, "--scheme", "gss", "--threads",
                     2, out="alone")
    assert alone.runs()[0]["time_s"] == pytest.approx(
        predicted["gss:min=1", "flat"], rel=0.01)


def test_without_simgrid_candidates_are_replayed(dlsbench, campaign, loop,
                                                 unequal, without_simgrid):
    result = dlsbench("run", campaign(SMALL % loop), "--calibration", unequal,
                      program=without_simgrid)
    assert "all candidates are replayed, which leaves out" in result.err
    check_replays(result)


def test_predictions_of_one_directory_are_by_one_calibration(
        dlsbench, campaign, loop, unequal, tmp_path):
    """Predictions by two calibrations could not be compared."""
    needs_simgrid()
    path = campaign(f"""
repetitions: 1
repetitions_max: 1
oversubscribe: on
events: none
cells:
  - kernel: "{loop}"
    layout: 1x2
    scheme: ["auto:schemes=static+ss", "auto:schemes=gss+fss"]
""")
    out = tmp_path / "parts"
    first = dlsbench("run", path, "--calibration", unequal, "--shard",
                     "0/2", "--out", out)
    assert first.code == 0, first.err
    kept = (out / "auto/calibration.json").read_bytes()
    other = tmp_path / "other.json"
    other.write_bytes(kept + b"\n")
    second = dlsbench("run", path, "--calibration", other, "--resume",
                      "--shard", "1/2", "--out", out)
    assert second.code == 0, second.err
    assert "simulating" in second.err
    assert (out / "auto/calibration.json").read_bytes() == kept


@pytest.mark.parametrize("shape", [("--ranks", 2), ("--threads", 2)])
def test_trials_are_recorded_and_keep_their_share(dlsbench, loop, shape):
    result = dlsbench("run", "--kernel", loop, "--scheme",
                      "auto:by=trial,schemes=static+ss+tss,share=0.4,"
                      "repetitions=30", *shape, "--oversubscribe",
                      "--events", "none")
    assert result.code == 0, result.err
    rows = result.runs()
    assert len(rows) == 30 and all(x["verified"] is True for x in rows)
    decisions = [x for x in result.lines("choices") if x["type"] == "decision"]
    (first, *_) = [x for x in decisions if x["decision"] == "chosen"]
    at = first["repetition"]
    assert at <= 12
    assert [x["trial"] for x in rows[:at]] == [True] * at
    assert not rows[at]["trial"]
    assert {x["chosen_scheme"] for x in rows[:3]} == {"static", "ss",
                                                      "tss:last=1"}
    # Every repetition ran what its line says.
    for row in rows:
        if row["chosen_scheme"] == "ss":
            assert row["chunks"] == 256
        elif row["chosen_scheme"] == "static":
            assert row["chunks"] == 2
    candidates = [x for x in result.lines("choices")
                  if x["type"] == "candidate"]
    assert sum(x["repetitions"] for x in candidates) == 30
    (chosen,) = [x for x in candidates if x["chosen"]]
    (done,) = result.done()
    assert done["chosen_scheme"] == chosen["scheme"]
    assert rows[at]["chosen_scheme"] == first["scheme"]


def test_trials_in_a_simulation_find_the_fastest(sim, campaign):
    """Every repetition takes as long as its scheme alone."""
    result = sim(campaign("""
name: tried
platform: bench/platforms/ranger.xml
workers: [4]
transport: master
master: dedicated
cells:
  - kernel: "adjoint:size=40"
    scheme: [static, ss, gss, tss, "%s"]
""" % "auto:by=trial,schemes=static+ss+gss+tss,repetitions=12,share=0.7"))
    assert result.code == 0, result.err[-2000:]
    took = {run["scheme"]: run["time_s"] for run in result.runs()
            if not run["scheme"].startswith("auto")}
    auto = [run for run in result.runs() if run["scheme"].startswith("auto")]
    assert len(auto) == 12 and {run["chosen_scheme"] for run in auto} == {
        *took}
    for run in auto:
        assert run["time_s"] == pytest.approx(took[run["chosen_scheme"]])
    best = min(took, key=took.get)
    assert auto[-1]["chosen_scheme"] == best and not auto[-1]["trial"]


@pytest.mark.parametrize("args, says", [
    (["run", "--scheme", "auto:by=trial,repetitions=10"],
     "10 repetitions with share=0.4 leave 4 trials, too few to try 8"),
    (["run", "--scheme", "auto"], "run dlsbench calibrate first"),
    (["run", "--scheme", "auto"], "auto:by=trial needs neither"),
    (["run", "--scheme", "auto:schemes=gsss"], "did you mean 'gss'"),
    (["run", "--scheme", "auto:by=simulation,share=0.1"],
     "share goes with by=trial"),
    (["sim", "--platform", "this-machine", "--workers", 2, "--scheme",
      "auto"], "auto by=simulation chooses for cells that really run"),
])
def test_wrong_words_are_refused(dlsbench, args, says):
    result = dlsbench(*args, "--kernel", "null")
    assert result.code == 2
    assert says in result.err
    assert not result.directory.exists()


def test_what_is_missing_without_simgrid_is_said(dlsbench, tmp_path, measured,
                                                 without_simgrid):
    """Loops without dependences need a calibration alone."""
    for kernel, calibration, missing in (
            ("heat:rows=64,cols=96", measured[0],
             "a replay knows independent iterations of one time step"),
            ("adjoint:size=20", tmp_path / "none.json", "none.json")):
        result = dlsbench("run", "--kernel", kernel, "--scheme", "auto",
                          "--calibration", calibration,
                          program=without_simgrid)
        assert result.code == 2 and len(result.err.splitlines()) == 1
        for text in ("build it with make sim", missing,
                     "auto:by=trial needs neither"):
            assert text in result.err, result.err
