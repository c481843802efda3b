"""analysis/sweep.py: which cells are a sweep, what was fastest, what lies in
between, and the model beside it."""
import csv
import math

import pytest

from result_files import Directory, analysis

from analysis import cells, loader, sweep

HEAT = "heat:rows=64,cols=96"
MODEL = "cell,k,skew,columns,model_s,no_skew_s,h_auto,auto_s,h_andronikos," \
    "h_chen_xue,h_no_skew\n"


def add(directory, h, time_s, kernel=HEAT, choice="given", **more):
    return directory.cell(
        [time_s * (1 + 0.01 * (i - 3)) for i in range(7)], kernel=kernel,
        scheme="css:chunk=4", sync_interval=h, sync_choice=choice, **more)


@pytest.fixture
def made(tmp_path):
    directory = Directory(tmp_path / "d")
    directory.hashes = [
        add(directory, 64, 3.0), add(directory, 4, 5.0),
        add(directory, 10, 1.5, choice="auto"), add(directory, 16, 2.0)]
    # Two given intervals are none, and what did not verify is no point.
    for h, choice in (4, "given"), (5, "given"), (6, "auto"):
        add(directory, h, 1.0, "heat:rows=65,cols=96", choice)
    add(directory, 8, 0.1, status="unverified")
    return directory


def found(directory):
    results = loader.load(str(directory.path))
    return sweep.find(results, cells.summarize(results))


def put_model(directory, skew=1):
    """What a model says of the cells in `hashes`: half of h in seconds."""
    lines = [f"{cell},8,{skew},96,{h / 2},{h / 4},10,7.5,32,3,20\n"
             for cell, h in zip(directory.hashes, (64, 4, 10, 16))]
    (directory.path / "sync-model.csv").write_text(MODEL + "".join(lines))


def test_three_given_intervals_are_a_sweep(made):
    (one,) = found(made)
    assert [row["interval"] for row in one.rows] == [4, 10, 16, 64]
    assert one.best["interval"] == 10 and one.best["time_s"] == 1.5
    assert one.half(one.best) == pytest.approx(0.045)
    assert one.model is None and math.isnan(one.choice("h_auto")[0])


def test_times_between_are_interpolated(made):
    (one,) = found(made)
    assert one.time(16) == 2.0
    assert one.time(32) == pytest.approx(2.5)  # half of 16 to 64
    assert one.time(math.sqrt(40)) == pytest.approx(3.25)
    assert math.isnan(one.time(3)) and math.isnan(one.time(65))


def test_the_model_is_beside_it(made):
    put_model(made)
    (one,) = found(made)
    assert one.choice("h_auto") == (10, 1.5, 0, True)
    h, time_s, lost, measured = one.choice("h_andronikos")
    assert (h, measured) == (32, False) and time_s == pytest.approx(2.5)
    assert lost == pytest.approx(2.5 / 1.5 - 1)
    assert math.isnan(one.choice("h_chen_xue")[1])
    times = {4: 5, 10: 1.5, 16: 2, 64: 3}
    assert one.error("model_s") == pytest.approx(
        sum(abs(h / 2 / t - 1) for h, t in times.items()) / 4)
    assert one.error("no_skew_s") == pytest.approx(
        sum(abs(h / 4 / t - 1) for h, t in times.items()) / 4)
    assert one.gap() == 0


def test_a_cell_that_the_model_does_not_know_ends_the_theory(made):
    put_model(made)
    path = made.path / "sync-model.csv"
    path.write_text("".join(path.read_text().splitlines(True)[:-1]))
    (one,) = found(made)
    assert one.model is None and math.isnan(one.error("model_s"))


@pytest.mark.parametrize("text", [
    "", "cell,k\nx,1\n", "k\n8\n", "\x00\xff", MODEL + "x,8,nan\n"])
def test_a_damaged_model_is_none(made, text):
    (made.path / "sync-model.csv").write_text(text)
    (one,) = found(made)
    assert one.model is None


def test_tables_and_files_have_it(made):
    put_model(made)
    code, out, err = analysis("tables", made.path, "--table", "sweep",
                              "--store")
    assert code == 0, err
    assert "no skew" in out and "* 10  auto  1.500 s" in out
    with open(made.path / "sync-interval.csv", newline="") as file:
        (row,) = csv.DictReader(file)
    assert row["layout"] == "1x2" and row["scheme"] == "css:chunk=4"
    assert [row[n] for n in ("k", "h_theory", "h_actual", "h_andronikos",
                             "h_andronikos_measured", "t_at_h_chen_xue_s",
                             "oversubscribed", "simulation")] == [
        "8", "10", "10", "32", "0", "", "0", ""]
    assert float(row["t_at_h_actual_ci95_s"]) == pytest.approx(0.09)
    assert out.startswith((made.path / "sync-interval.txt").read_text()[1:])
    put_model(made, skew=0)
    out = analysis("tables", made.path, "--table", "sweep")[1]
    assert "no skew" not in out.split("Theoretical")[0]


def test_without_a_model_the_table_says_so(made):
    out = analysis("tables", made.path, "--table", "sweep")[1]
    assert "no theory: a calibration is lacking" in out
    assert "h model" not in out and "T model" not in out
    table = out.split("table 2)")[1].splitlines()
    assert " - " not in "".join(table[2:])


@pytest.mark.parametrize("name, other", [
    ("load", "w1:1"), ("transport", "window"), ("victim", "near")])
def test_other_choices_make_other_sweeps(tmp_path, name, other):
    directory = Directory(tmp_path / "d")
    usual = {"load": "", "transport": "shared", "victim": "random"}[name]
    for h in 4, 8, 16:
        for value in usual, other:
            add(directory, h, 1.0, **{name: value})
    pair = found(directory)
    assert {s.cell[name] for s in pair} == {usual, other}
    assert all(len(s.rows) == 3 for s in pair)


@pytest.mark.parametrize("run, words", [
    ({"oversubscribed": True}, "oversubscribed, not ranked"),
    ({"shared_masters": 1}, "a master on a worker's core, not ranked")])
def test_shared_cores_are_not_ranked(tmp_path, run, words):
    directory = Directory(tmp_path / "d")
    for h in 4, 8, 16:
        add(directory, h, 1.0, run=run)
    (one,) = found(directory)
    assert one.best is None
    line = dict(zip(sweep.COLUMNS, sweep.line(one)))
    assert line["oversubscribed"] is True and math.isnan(line["h_actual"])
    assert math.isnan(line["t_at_h_actual_s"])
    out = analysis("tables", directory.path, "--table", "sweep")[1]
    assert words in out and "* 4" not in out


def test_a_perturbed_cell_is_no_point(tmp_path):
    directory = Directory(tmp_path / "d")
    for h in 4, 8, 16:
        add(directory, h, 1.0, perturb="none" if h < 16 else "delay:worker=1")
    assert found(directory) == []


def test_simulated_sweeps_name_their_platform(tmp_path):
    directory = Directory(tmp_path / "d")
    for h in 4, 8, 16:
        add(directory, h, 1.0, platform="some/where/ranger.xml", cp=1e-8,
            request_cost=2e-7, result_bytes=None, run={"simulated": True})
    (one,) = found(directory)
    line = dict(zip(sweep.COLUMNS, sweep.line(one)))
    assert line["simulation"] == "ranger, cp 1e-08"
