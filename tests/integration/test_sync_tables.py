"""analysis/sync.py: the tables of loops with dependences, of constructed
results and at the end of a run."""
import csv

import pytest

from result_files import Directory, analysis

HEAT = "heat:rows=9"


def add(directory, scheme, threads, interval, time_s, workers=None, **cell):
    """A cell around this time; the loop alone takes 12 s."""
    return directory.cell(
        [time_s - 0.5, time_s, time_s + 0.5], scheme=scheme, kernel=HEAT,
        threads=threads, sync_interval=interval, sync_choice="given",
        run={"serial_s": 12.0}, workers=workers, **cell)


@pytest.fixture
def made(tmp_path):
    return Directory(tmp_path / "d")


@pytest.fixture
def six(made):
    add(made, "tss", 3, 150, 6, load="w1:1")
    add(made, "tss", 2, 150, 8)
    add(made, "css:chunk=2", 3, 150, 5)
    add(made, "css:chunk=2", 2, 1000, 7)
    add(made, "css:chunk=2", 2, 150, 7.5)
    add(made, "css:chunk=2", 2, 150, 20, load="w0-w1:2")
    return made


def tables(directory, *args):
    code, out, err = analysis("tables", directory.path, "--table",
                              "sync-tables", *args)
    assert code == 0, err
    return out


def read(directory):
    path = directory.path / "sync-tables.csv"
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def rows(text, title):
    """(header, rows of words) of a table in text, by its title."""
    block = text.split(title, 1)[1].split("\n\n")[0].splitlines()
    return block[2], [line.split() for line in block[3:]]


def test_dedicated_and_not_are_side_by_side(six):
    head, lines = rows(tables(six), "Parallel time: heat, threads, shared")
    at = [head.index(words) for words in (
        "2 workers, dedicated", "3 workers, dedicated",
        "2 workers, load w0-w1:2", "3 workers, load w1:1")]
    assert at == sorted(at)
    assert lines == [
        ["150", "DMPS(css:chunk=2)", "7.500", "s", "5.000", "s", "20.00", "s",
         "-"],
        ["150", "DMPS(tss)", "8.000", "s", "-", "-", "6.000", "s"],
        ["1000", "DMPS(css:chunk=2)", "7.000", "s", "-", "-", "-"]]


def test_speedups_are_beside_the_power_of_all(six):
    """12 s alone; a worker beside n processes has power 1 / (1 + n)."""
    _, lines = rows(tables(six),
                    "Speedup under DMPS(scheme): heat, threads, shared")
    assert lines == [
        ["150", "dedicated", "2", "2", "1.600", "1.500"],
        ["150", "dedicated", "3", "3", "2.400", "-"],
        ["150", "load", "w0-w1:2", "2", "0.6667", "0.6000", "-"],
        ["150", "load", "w1:1", "3", "2.5", "-", "2.000"],
        ["1000", "dedicated", "2", "2", "1.714", "-"]]


def test_the_fastest_worker_is_the_base(made):
    """Worker 0 measures the loop; the fastest, of power 3, needs a third."""
    add(made, "dtss", 2, 100, 8, power="1,3", load="w1:2")
    _, lines = rows(tables(made), "Speedup under DMPS(scheme): ")
    assert lines == [["100", "load", "w1:2", "2", "1,3", "2", "0.5000"]]


def test_simulated_the_platform_knows_the_fastest_worker(made):
    """The schemes believe in powers of 3:1, the platform has 2.15:1: the 12 s
    of the slowest core are 5.58 s of the fastest, whatever was believed."""
    made.cell([3.0], kernel=HEAT, scheme="dtss", threads=3, sync_interval=100,
              sync_choice="given", power="1.5,0.5,1.5", platform="p.xml",
              run={"serial_s": 12.0, "alone_s": 12 / 2.15,
                   "simulated": True})
    _, lines = rows(tables(made), "Speedup under DMPS(scheme): ")
    assert lines[0][-3:] == ["1.5,0.5,1.5", "3.5", "1.860"]


def test_simulated_without_the_fastest_worker_it_is_not_known(made):
    made.cell([3.0], kernel=HEAT, scheme="dtss", threads=3, sync_interval=100,
              sync_choice="given", power="1.5,0.5,1.5", platform="p.xml",
              run={"serial_s": 12.0, "simulated": True})
    _, lines = rows(tables(made), "Speedup under DMPS(scheme): ")
    assert lines[0][-1] == "-"


def test_lists_of_powers_are_counted_out(made):
    add(made, "dtss", 4, 100, 2, power="2:1,3,2", load="w0,w2:1")
    _, lines = rows(tables(made), "Speedup under DMPS(scheme): ")
    # 1/2 + 1 + 3/2 + 2, and the fastest needs 4 s alone.
    assert lines == [["100", "load", "w0,w2:1", "4", "2:1,3,2", "5", "2.000"]]


def test_measured_powers_are_those_of_the_workers(made):
    """Beside its load worker 1 has power 2, alone it would have 4: the loop
    that takes worker 0 12 s takes it 3 s.  It had 1.9 and 2.1 in two
    launches."""
    for launch, power in ("l1", 1.9), ("l2", 2.1):
        add(made, "dtss", 2, 100, 5, power="measured", load="w1:1",
            launch=launch, workers=lambda repetition, worker, power=power: {
                "power": power if worker else 1.0})
    _, lines = rows(tables(made), "Speedup under DMPS(scheme): ")
    assert lines == [["100", "load", "w1:1", "2", "measured", "3", "0.6000"]]


def test_powers_that_nobody_recorded_are_not_known(made):
    add(made, "dtss", 2, 100, 2, power="measured")
    _, lines = rows(tables(made), "Speedup under DMPS(scheme): ")
    assert lines == [["100", "dedicated", "2", "measured", "-", "-"]]


@pytest.mark.parametrize("cell", [
    {"power": "1,x"}, {"power": "1,2,3"}, {"load": "w1:x"}, {"load": "here"},
    {"power": "0,0"}])
def test_damaged_powers_are_not_known(made, cell):
    add(made, "dtss", 2, 100, 2, **cell)
    _, lines = rows(tables(made), "Speedup under DMPS(scheme): ")
    assert lines[0][-2:] == ["-", "-"]


def test_they_are_stored(six):
    tables(six, "--store")
    text = (six.path / "sync-tables.csv").read_text()
    assert text.startswith("kernel,mode,sync_interval,scheme,workers,time_s,"
                           "load,power,total_power,speedup,way,ratio\n")
    assert text.endswith("\nheat:rows=9,dedicated,1000,dmps:css:chunk=2,2,7,"
                         ',,2,1.71428571,"threads, shared, flat",\n')
    assert len(read(six)) == 6
    assert "Parallel time: heat" in (six.path / "sync-tables.txt").read_text()


MODEL = ("cell,k,skew,columns,model_s,no_skew_s,h_auto,auto_s,h_andronikos,"
         "h_chen_xue,h_no_skew,ratio\n")


def test_the_least_ratio_of_computation_to_communication(made):
    cells = [add(made, "tss", 2, 150, 8), add(made, "tss", 2, 100, 8)]
    assert "Computation to communication" not in tables(made)
    (made.path / "sync-model.csv").write_text(MODEL + "".join(
        f"{cell},1,0,96,1,1,10,1,32,3,20,{ratio}\n"
        for cell, ratio in zip(cells, (1.0234, 0.8167))))
    text = tables(made, "--store")
    _, lines = rows(text, "Computation to communication under DMPS")
    assert [line[-1] for line in lines] == ["0.817", "1.02"]
    assert [float(row["ratio"]) for row in read(made)] == [0.8167, 1.0234]


def test_without_intervals_there_is_nothing(made):
    made.cell([6.0], kernel="null", scheme="tss")
    code, _, err = analysis("tables", made.path, "--table", "sync-tables",
                            "--store")
    assert code == 2 and "no loop with dependences" in err
    assert not (made.path / "sync-tables.csv").exists()


def test_what_goes_wrong_on_purpose_is_left_out(made):
    add(made, "tss", 2, 10, 6, perturb="none")
    add(made, "tss", 2, 20, 6, perturb="delay:worker=1,factor=3")
    tables(made, "--store")
    assert [row["sync_interval"] for row in read(made)] == ["10"]


def test_a_run_ends_with_them(dlsbench, campaign):
    result = dlsbench("run", campaign("""
repetitions: 1
repetitions_max: 1
kernel: ["heat:rows=40,cols=60", "floyd-steinberg:rows=40,cols=60", "null"]
cells:
  - layout: [1x1, 1x2]
    scheme: [css, tss]
    sync_interval: [10, 20]
  - {layout: 1x2, scheme: tss, sync_interval: 10, load: w1}
"""))
    assert result.code == 0, result.err
    assert result.out.count("Parallel time: ") == 2
    text = (result.directory / "sync-tables.txt").read_text()
    assert text in result.out
    with open(result.directory / "sync-tables.csv", newline="") as file:
        lines = list(csv.DictReader(file))
    cells = {x["cell"]: x for x in result.runs() if x["sync_interval"]}
    assert len(lines) == len(cells) == 18
    times = {x["time_s"] for x in cells.values()}
    for row in lines:
        assert min(abs(float(row["time_s"]) / t - 1) for t in times) < 1e-6
        loaded = row["load"] != ""
        assert row["mode"] == ("non-dedicated" if loaded else "dedicated")
        assert float(row["total_power"]) == int(row["workers"]) - loaded / 2
    shown = dlsbench("summary", result.directory)
    assert shown.code == 0 and text in shown.out
