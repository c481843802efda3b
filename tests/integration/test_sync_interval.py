"""sync_interval auto: chosen by the model, recorded, and held against a
sweep."""
import csv
import json
import statistics

import pytest

from conftest import earlier_in_cache

HEAT = "heat:rows=64,cols=96"
CELL = ("run", "--kernel", HEAT, "--scheme", "css:chunk=8", "--threads", 2,
        "--oversubscribe", "--repetitions", 3, "--repetitions-max", 3)


def with_costs(measured, path, c_d):
    """A copy of the calibration with known costs."""
    data = json.loads(measured[0].read_text())
    for kind in data["kinds"].values():
        for pair in kind["boundaries"]:
            pair.update(c_d_s=c_d, c_c_s_per_byte=0)
        for kernel in kind["kernels"]:
            kernel.pop("blocks", None)
            for worker in kernel["workers"]:
                worker.update(c_p_s=1e-9, c_b_s_per_row=0)
    path.write_text(json.dumps(data))
    return path


def one_interval(result):
    (h,) = {x["sync_interval"] for x in result.runs()}
    return h


@pytest.mark.parametrize("word", ["auto", "andronikos", "chen-xue"])
def test_the_chosen_interval_is_recorded(dlsbench, measured, word):
    result = dlsbench(*CELL, "--sync-interval", word, "--calibration",
                      measured[0])
    assert result.code == 0, result.err
    lines = result.lines("runs")
    assert {x["sync_choice"] for x in lines} == {word}
    assert 1 <= one_interval(result) <= 96
    (predicted,) = {x["predicted_s"] for x in lines}
    assert 0 < predicted < 10
    stored = json.loads((result.directory / "calibration.json").read_text())
    assert stored == json.loads(measured[0].read_text())


def test_auto_is_what_predict_says(dlsbench, measured):
    result = dlsbench(*CELL, "--sync-interval", "auto", "--calibration",
                      measured[0])
    predict = dlsbench("predict", "--calibration", measured[0], "--kernel",
                       HEAT, "--layout", "1x2", "--scheme", "css:chunk=8")
    assert f"as a whole number {one_interval(result)}" in predict.out


def test_powers_count_where_the_scheme_uses_them(dlsbench, measured, tmp_path):
    path = with_costs(measured, tmp_path / "known.json", 1e-6)
    args = ("run", "--kernel", "heat:rows=512,cols=600", "--threads", 2,
            "--oversubscribe", "--repetitions", 1, "--repetitions-max", 1,
            "--sync-interval", "auto", "--calibration", path)
    chosen = {}
    for scheme in ("static", "wf"):
        for power in ("1,1", "3,1"):
            result = dlsbench(*args, "--scheme", scheme, "--power", power,
                              out=f"{scheme}-{power}")
            assert result.code == 0, result.err
            chosen[scheme, power] = one_interval(result)
    assert chosen["static", "1,1"] == chosen["static", "3,1"]
    assert chosen["wf", "1,1"] != chosen["wf", "3,1"]


def test_load_is_predicted(dlsbench, measured, tmp_path):
    """A worker beside a busy process counts as half as fast."""
    path = with_costs(measured, tmp_path / "costs.json", 1e-9)
    predicted = {}
    for load in ("", "w0:1"):
        result = dlsbench(*CELL, "--sync-interval", "auto", "--load", load,
                          "--calibration", path, out=f"load-{load}")
        assert result.code == 0, result.err
        (predicted[load],) = {x["predicted_s"] for x in result.lines("runs")}
    assert 1.2 < predicted["w0:1"] / predicted[""] < 2.1


def test_fewer_rows_than_workers_do_not_stop_the_others(dlsbench, campaign,
                                                        measured):
    body = """
name: c
repetitions: 1
repetitions_max: 1
oversubscribe: on
threads: 2
scheme: static
kernel: ["heat:rows=100,cols=200", "heat:rows=1,cols=200"]
cells:
  - sync_interval: [auto, 10]
"""
    result = dlsbench("run", campaign(body), "--calibration", measured[0])
    assert result.code == 0, result.err
    assert len(result.done()) == 4
    assert ("heat:rows=1,cols=200", 200) in {
        (x["kernel"].split(",steps")[0], x["sync_interval"])
        for x in result.runs()}


def test_an_estimate_knows_the_interval(dlsbench, measured):
    """Ten repetitions of a loop whose workers wait for each other."""
    seconds = {}
    for h in (1, 300):
        result = dlsbench("run", "--kernel", "heat:rows=2000,cols=4000",
                          "--scheme", "static", "--threads", 2, "--dry-run",
                          "--sync-interval", h, "--calibration", measured[0],
                          "--oversubscribe", "--format", "csv")
        (row,) = csv.DictReader(result.out.splitlines())
        assert row["estimate"] == "model"
        seconds[h] = float(row["seconds"])
    assert seconds[1] > 1.2 * seconds[300]


def test_a_number_is_given_and_not_predicted(dlsbench):
    result = dlsbench(*CELL, "--sync-interval", 7)
    assert result.code == 0, result.err
    assert {(x["sync_interval"], x["sync_choice"], x["predicted_s"])
            for x in result.lines("runs")} == {(7, "given", None)}
    assert not (result.directory / "calibration.json").exists()


def test_skew_and_protocol_count(dlsbench, campaign, measured, tmp_path):
    body = """
name: c
repetitions: 1
repetitions_max: 1
oversubscribe: on
threads: 2
sync_interval: auto
kernel: ["heat:rows=512,cols=600", "floyd-steinberg:rows=512,cols=600"]
cells:
  - scheme: ["css:chunk=16"]
    protocol: [dmps, subproblem]
"""
    path = with_costs(measured, tmp_path / "known.json", 3e-8)
    result = dlsbench("run", campaign(body), "--calibration", path)
    assert result.code == 0, result.err
    chosen = {(x["kernel"].split(":")[0], x["protocol"]):
              (x["sync_interval"], x["predicted_s"]) for x in result.runs()}
    assert len(chosen) == 4
    for kernel in ("heat", "floyd-steinberg"):
        # 16 subproblems fill their pipeline 16 times
        dmps = chosen[kernel, "dmps"]
        subproblem = chosen[kernel, "subproblem"]
        assert dmps[0] > subproblem[0]
        assert dmps[1] < subproblem[1]
    # a lag of 15 columns for each of the chunks
    assert (chosen["heat", "dmps"][1] <
            chosen["floyd-steinberg", "dmps"][1])


def test_the_cell_is_the_same_by_another_calibration(dlsbench, measured,
                                                     tmp_path):
    paths = [with_costs(measured, tmp_path / f"{c_d}.json", c_d)
             for c_d in (1e-8, 1e-6)]
    results = [dlsbench(*CELL, "--sync-interval", "auto", "--calibration", x,
                        out=f"out{i}") for i, x in enumerate(paths)]
    assert one_interval(results[0]) < one_interval(results[1])
    assert results[0].done()[0]["cell"] == results[1].done()[0]["cell"]


def test_a_resumed_run_keeps_its_calibration(dlsbench, campaign, measured,
                                             tmp_path):
    body = f"""
name: c
repetitions: 1
repetitions_max: 1
oversubscribe: on
threads: 2
kernel: "{HEAT}"
cells:
  - scheme: [ss, "css:chunk=8"]
    sync_interval: auto
"""
    path = campaign(body)
    first = dlsbench("run", path, "--calibration", measured[0])
    assert first.code == 0, first.err
    (runs,) = first.directory.glob("runs-*.jsonl")
    lines = runs.read_text().splitlines()
    done = [x for x in lines if '"cell_done"' in x]
    keep = json.loads(done[0])["cell"]
    runs.write_text("".join(x + "\n" for x in lines if keep in x))
    again = dlsbench("run", path, "--resume", "--out", f"{first.directory}/",
                     "--calibration", tmp_path / "none.json")
    assert again.code == 0, again.err
    assert "1 of 2 cells are complete already" in again.err
    assert {x["sync_interval"] for x in again.done()} == {
        json.loads(x)["sync_interval"] for x in done}


@pytest.mark.parametrize("earlier,says", [
    (False, "not calibrated, measuring it"),
    (True, "calibrated for an earlier version, measuring it")])
@pytest.mark.cross(group="calibrations")
def test_without_a_calibration_the_machine_is_measured(dlsbench, tmp_path,
                                                       earlier, says):
    if earlier:
        earlier_in_cache(tmp_path)
    result = dlsbench(*CELL, "--sync-interval", "auto")
    assert result.code == 0, result.err
    assert says in result.err
    (made,) = (tmp_path / "cache/dlsbench").glob("calibration-*.json")
    assert str(made) in result.err
    again = dlsbench(*CELL, "--sync-interval", "auto", out="again")
    assert again.code == 0 and "measuring" not in again.err
    assert one_interval(again) == one_interval(result)


@pytest.mark.parametrize("text,words", [
    (None, ["cannot read the calibration"]),
    ("{", ["broken", "dlsbench calibrate"]),
])
def test_a_bad_file_stops_before_anything(dlsbench, tmp_path, text, words):
    path = tmp_path / "bad.json"
    if text is not None:
        path.write_text(text)
    result = dlsbench(*CELL, "--sync-interval", "auto", "--calibration", path)
    assert result.code == 2
    (line,) = result.error_lines()
    for word in [*words, str(path)]:
        assert word in line, line
    assert not result.directory.exists()


def test_another_machine_is_a_warning(dlsbench, measured,
                                      tmp_path):
    data = json.loads(measured[0].read_text())
    data["host"] = "elsewhere"
    path = tmp_path / "c.json"
    path.write_text(json.dumps(data))
    result = dlsbench(*CELL, "--sync-interval", "auto", "--calibration", path)
    assert result.code == 0
    assert any("warning" in x and "another machine" in x
               for x in result.error_lines())


def test_a_wrong_word_is_one_line(dlsbench):
    result = dlsbench(*CELL, "--sync-interval", "automatic")
    assert result.code == 2
    (line,) = result.error_lines()
    for word in ("sync_interval", "automatic", "auto", "chen-xue"):
        assert word in line


def test_dry_run_says_who_chooses(dlsbench):
    result = dlsbench(*CELL, "--sync-interval", "auto", "--dry-run")
    assert result.code == 0 and "sync_interval=auto" in result.out
    assert "measuring" not in result.err


SWEEP = """
name: sweep
repetitions: 7
repetitions_max: 7
oversubscribe: on
threads: 2
sync_interval: [4, 16, 64, auto, andronikos, chen-xue]
cells:
  - kernel: ["heat:rows=64,cols=96", "floyd-steinberg:rows=64,cols=96"]
    scheme: [static]
"""


def test_a_sweep_ends_with_the_table_of_optima(dlsbench, campaign,
                                               measured):
    result = dlsbench("run", campaign(SWEEP), "--calibration", measured[0])
    assert result.code == 0, result.err
    path = result.directory / "sync-interval.csv"
    rows = list(csv.DictReader(path.open()))
    assert [x["kernel"].split(":")[0] for x in rows] == ["floyd-steinberg",
                                                         "heat"]
    for row in rows:
        runs = [x for x in result.runs() if x["kernel"] == row["kernel"]]
        times = {}
        for x in runs:
            times.setdefault((x["sync_choice"], x["sync_interval"]),
                             []).append(x["time_s"])
        times = {k: statistics.median(v) for k, v in times.items()}
        best = min(times, key=times.get)
        by = {k[0]: k[1] for k in times}
        assert float(row["h_actual"]) == best[1]
        assert float(row["t_at_h_actual_s"]) == pytest.approx(times[best])
        assert float(row["h_theory"]) == by["auto"]
        assert float(row["h_andronikos"]) == by["andronikos"]
        assert float(row["h_chen_xue"]) == by["chen-xue"]
        assert float(row["h_gap_percent_of_us"]) == pytest.approx(
            100 * abs(by["auto"] - best[1]) / 96)
        theory = {times[k] for k in times if k[1] == by["auto"]}
        lost = float(row["t_at_h_theory_s"])
        assert any(lost == pytest.approx(x) for x in theory)
        assert float(row["time_lost_percent"]) == pytest.approx(
            100 * (lost / times[best] - 1), abs=1e-3)
        (predicted,) = {x["predicted_s"] for x in runs
                        if x["sync_choice"] == "auto"}
        assert float(row["t_predicted_s"]) == pytest.approx(predicted)
        same = row["t_error_percent"] == row["t_error_no_skew_percent"]
        assert same == row["kernel"].startswith("heat")
    check_model(dlsbench, result)
    again = dlsbench("summary", result.directory)
    text = (result.directory / "sync-interval.txt").read_text()
    for out in (result.out, again.out, text):
        assert "Theoretical against actual optimum" in out
        assert "no skew" in out and "chen-xue" in out


def check_model(dlsbench, result):
    """The stored columns are those of dlsbench predict."""
    stored = (result.directory / "sync-model.csv").read_text()
    of = dlsbench("predict", "--of", result.directory)
    assert of.code == 0 and of.out == stored
    models = {x["cell"]: x for x in csv.DictReader(stored.splitlines())}
    for x in result.runs():
        line = models.pop(x["cell"], None)
        if line is None:
            continue
        column = {"auto": "h_auto", "andronikos": "h_andronikos",
                  "chen-xue": "h_chen_xue"}.get(x["sync_choice"])
        assert column is None or float(line[column]) == x["sync_interval"]
        if x["sync_choice"] == "auto":
            assert float(line["auto_s"]) == pytest.approx(x["predicted_s"])
            assert float(line["model_s"]) == pytest.approx(x["predicted_s"])
        lag = float(line["model_s"]) >= float(line["no_skew_s"])
        assert lag and float(line["columns"]) == 96
        assert (float(line["skew"]) > 0) == x["kernel"].startswith("floyd")
    assert not models


def test_load_has_a_line_of_the_model(dlsbench, measured):
    result = dlsbench(*CELL, "--sync-interval", "auto", "--load", "w0:1",
                      "--calibration", measured[0])
    assert result.code == 0, result.err
    check_model(dlsbench, result)
    of = dlsbench("predict", "--of", result.directory, "--k", 2)
    assert of.code == 2 and "--k does not go with --of" in of.err


def test_no_sweep_no_table(dlsbench):
    result = dlsbench(*CELL, "--sync-interval", 7)
    assert "Theoretical" not in result.out
    assert not (result.directory / "sync-interval.csv").exists()


def test_predict_says_how_a_loop_is_given(dlsbench):
    done = dlsbench("predict")
    assert done.code == 2 and "give --kernel, or --of" in done.err
    done = dlsbench("predict", "--chunk-dim", 5)
    assert done.code == 2 and done.err.endswith("--sync-dim is missing\n")
