"""analysis/cluster.py, losses.py and foretold.py: the page of a cluster."""
import pytest

from result_files import Directory, analysis

from analysis import cells, cluster, foretold, loader, losses

MASTER = {"transport": "master", "threads": 1}


def add(directory, ranks, time_s, serial_s=8.0, compute_s=1.0, mean_s=1.2,
        last_s=1.5, bound_s=None, more=(), **cell):
    """A cell whose workers compute so long and finish at mean_s on average;
    the last at last_s."""
    def worker(repetition, number):
        others = (ranks * mean_s - last_s) / (ranks - 1)
        return {"finish_s": last_s if number == 0 else others}
    share = serial_s / ranks
    return directory.cell(
        [time_s], ranks=ranks, workers=worker, run={
            "serial_s": serial_s, "compute_mean_s": compute_s,
            "bound_s": share if bound_s is None else bound_s,
            "overhead_mean_s": time_s - compute_s, **dict(more),
            "simulated": bool(cell.get("platform"))}, **{**MASTER, **cell})


def read(directory):
    results = loader.load(str(directory.path))
    return results, cells.summarize(results)


def test_the_parts_of_the_time_add_up(tmp_path):
    directory = Directory(tmp_path / "d")
    add(directory, 10, 2.0, bound_s=0.9)
    (row,) = losses.of_cells(*read(directory)).to_dict("records")
    found = {name: row[losses.column(name)] for name in losses.PARTS}
    assert found == pytest.approx({
        "useful": 0.4, "computing": 0.1, "sequence": 0.05, "imbalance": 0.1,
        "steps": 0, "overhead": 0.1, "collection": 0.25})
    assert sum(found.values()) == pytest.approx(1)


def test_what_is_between_time_steps_is_a_part(tmp_path):
    """0.1 s of 2, of which 0.04 are in the serial time and in the bound."""
    directory = Directory(tmp_path / "d")
    add(directory, 10, 2.0, serial_s=8.04, bound_s=0.94,
        more={"between_s": 0.1, "advance_s": 0.04})
    (row,) = losses.of_cells(*read(directory)).to_dict("records")
    found = {name: row[losses.column(name)] for name in losses.PARTS}
    assert found == pytest.approx({
        "useful": 0.4, "computing": 0.1, "sequence": 0.05, "imbalance": 0.1,
        "steps": 0.05, "overhead": 0.05, "collection": 0.25})


def test_strong_and_weak_scaling_are_two_tables(tmp_path):
    directory = Directory(tmp_path / "d")
    for ranks in 2, 4, 8:
        add(directory, ranks, 8.0 / ranks, kernel="adjoint:size=100,seed=1")
        add(directory, ranks, 4.0, kernel=f"heat:rows={ranks}00")
    titles = [table.title for table in losses.tables(*read(directory))]
    assert [t.partition("what: ")[2] for t in titles] == [
        "adjoint", "heat, size by the workers"]


def test_weak_scaling_begins_with_the_strong_size(tmp_path):
    directory = Directory(tmp_path / "d")
    for ranks in 2, 4, 8:
        add(directory, ranks, 8.0 / ranks, kernel="heat:rows=200")
    add(directory, 8, 4.5, kernel="heat:rows=800")
    _, weak = losses.tables(*read(directory))
    assert [row[1:4:2] for row in weak.rows] == [["2", "4.000 s"],
                                                 ["8", "4.500 s"]]


def test_simulated_platforms_are_apart(tmp_path):
    directory = Directory(tmp_path / "d")
    for platform, cost in ("", None), ("a/p.xml", 2e-7), ("a/p.xml", 3e-6), \
            ("replayed, a b/p.xml", 2e-7):
        for ranks in 2, 4:
            add(directory, ranks, 8.0 / ranks, platform=platform,
                request_cost=cost)
    titles = [table.title for table in losses.tables(*read(directory))]
    assert [t.partition("adjoint")[2] for t in titles] == [
        "", " (simulated on p)", " (simulated on p, request_cost 3e-06)",
        " (replayed, p)"]


def test_the_page_begins_with_the_papers_tables(tmp_path):
    directory = Directory(tmp_path / "d")
    for ranks in 2, 4:
        for masters in "flat", "2":
            add(directory, ranks, 8.0 / ranks, hierarchy=masters)
        add(directory, ranks, 1.0, kernel="heat:rows=9", sync_interval=100,
            sync_choice="given")
    parts = dict(cluster.parts(*read(directory)))
    speedup, time, overhead = \
        parts["Speedup, time and overhead by masters and workers"]
    assert speedup.rows == [["gss:min=1", "1", "computing", "1", "2"],
                            ["gss:min=1", "2", "computing", "1", "2"]]
    assert time.rows[0][-1] == "2.000 s" and overhead.rows[0][-1] == "1.000 s"
    assert list(parts)[1:] == [
        "Efficiency, and what is lost to what",
        "By synchronization interval, workers and scheme", "Chunks by scheme"]
    code, out, err = analysis("report", directory.path, "--no-files")
    assert code == 0, err
    page = (directory.path / "report.html").read_text()
    assert page.index("This cluster") < page.index("<h2>Numbers")


def test_a_workstation_has_no_such_part(tmp_path):
    directory = Directory(tmp_path / "d")
    directory.cell([1.0])
    assert cluster.parts(*read(directory)) == []
    assert list(foretold.tables(*read(directory))) == []


def test_what_was_foretold_is_off_by_cause(tmp_path):
    directory = Directory(tmp_path / "d")
    add(directory, 4, 2.0)
    add(directory, 4, 1.6, compute_s=0.8, mean_s=1.2, last_s=1.3,
        platform="p.xml")
    (table,) = foretold.tables(*read(directory))
    assert table.header[3:] == ["median size", "median", "largest", "compute",
                                "sequence", "imbalance", "steps", "overhead",
                                "collection"]
    row = table.rows[0]
    assert row[2:] == ["1", "20.0 %", "-20.0 %", "20.0 %", "-10.0 %",
                       "+0.0 %", "-10.0 %", "+0.0 %", "+10.0 %", "-10.0 %"]
    assert table.rows[-1][0] == "all"
