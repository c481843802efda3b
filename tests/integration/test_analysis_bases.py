"""analysis/bases.py and fold.py: speedups over the papers' bases, and setups
that go on with more workers."""
import json
import math

import pytest

from result_files import Directory, analysis

from analysis import bases, cells, loader

MASTER = {"transport": "master", "threads": 1}


@pytest.fixture
def made(tmp_path):
    """Two schemes below 1 and 2 masters, as Han's figures have them."""
    directory = Directory(tmp_path / "d")
    for scheme, alone_s in ("dtss", 8.0), ("dgss", 16.0):
        for masters in "flat", "2":
            for ranks in 4, 8, 16:
                directory.cell([alone_s * 4 / ranks], scheme=scheme,
                               hierarchy=masters, ranks=ranks, **MASTER)
    directory.cell([1.0], scheme="dtss", threads=4)
    return directory


def based(directory, base):
    results = loader.load(str(directory.path))
    frame = cells.summarize(results)
    bases.apply(results, frame, base)
    return {(row["scheme"], row["setup"], int(row["workers"])): row
            for row in frame.to_dict("records")}


def test_over_the_single_master_with_the_fewest_workers(made):
    """Of the same scheme, whatever transport and hierarchy."""
    found = based(made, "single-master")
    for scheme in "dtss", "dgss":
        for setup in "master computing, flat", "master computing, 2 masters":
            assert [float(found[scheme, setup, p]["speedup"])
                    for p in (4, 8, 16)] == pytest.approx([1, 2, 4])
    assert float(
        found["dtss", "shared, flat", 4]["speedup"]) == pytest.approx(8)
    out = analysis("tables", made.path, "--table", "speedup", "--base",
                   "single-master")[1]
    assert "over the same scheme below one master with 4 workers" in out


def test_efficiency_is_over_one_worker(tmp_path):
    """Not over a base of several, which has lost some already."""
    directory = Directory(tmp_path / "d")
    directory.cell([2.0], scheme="dtss", ranks=4, **MASTER)

    def last(*base):
        out = analysis("tables", directory.path, "--table", "speedup",
                       *base)[1]
        return [line.split()[-1] for line in out.splitlines()
                if "flat  dtss" in line]
    assert last() == ["0.125"]  # the serial loop takes 1 s
    assert last("--base", "single-master") == ["-"]


def test_a_single_master_under_the_same_conditions(tmp_path):
    """Loaded cells are over a loaded base, and those that hand chunks out
    again over one that does; the machine may have got more workers."""
    directory = Directory(tmp_path / "d")
    for ranks, one, loaded, again in (4, 8.0, 12.0, 10.0), (8, 4.0, 4.0, 2.5):
        directory.cell([one], scheme="gss", ranks=ranks, **MASTER)
        directory.cell([loaded], scheme="gss", ranks=ranks, load="w1:1",
                       **MASTER)
        directory.cell([again], scheme="gss", ranks=ranks, reissue=3.0,
                       **MASTER)
    results = loader.load(str(directory.path))
    frame = cells.summarize(results)
    bases.apply(results, frame, "single-master")
    found = {(row["load"] or "", row["reissue"] == 3, int(row["workers"])):
             float(row["speedup"]) for row in frame.to_dict("records")}
    assert found == pytest.approx({
        ("", False, 4): 1, ("", False, 8): 2, ("", True, 4): 1,
        ("", True, 8): 4, ("w1:1", False, 4): 1, ("w1:1", False, 8): 3})


def test_over_a_scheme_in_equal_cells(made):
    for base in "scheme=dgss", "scheme=dtss":
        found = based(made, base)
        ratio = 2 if base == "scheme=dgss" else 1
        row = found["dtss", "master computing, 2 masters", 8]
        assert float(row["speedup"]) == pytest.approx(ratio)
    assert found["dgss", "master computing, flat", 4]["speedup"] == 0.5
    # Threads ran under dtss alone.
    assert math.isnan(based(made, "scheme=dgss")[
        "dtss", "shared, flat", 4]["speedup"])


def test_over_css_by_its_name(made):
    made.cell([4.0], scheme="css:chunk=16", ranks=4, **MASTER)
    row = based(made, "css")["dtss", "master computing, flat", 4]
    assert float(row["speedup"]) == 0.5 and "css:chunk=16" in row["base"]


def test_over_one_cell(made):
    cell = made.cell([0.5], scheme="gss:min=1", threads=8)
    found = based(made, f"cell={cell}")
    assert float(
        found["dtss", "shared, flat", 4]["speedup"]) == pytest.approx(0.5)


def test_the_interval_holds_that_of_the_base(tmp_path):
    directory = Directory(tmp_path / "d")
    wide = [10, 11, 12, 13, 14, 15, 16]
    directory.cell(wide, scheme="css", **MASTER, ranks=2)
    directory.cell([1.0] * 7, scheme="tss", **MASTER, ranks=2)
    row = based(directory, "css")[
        "tss", "master computing, flat", 2]
    low, middle, high = (float(row["speedup" + end])
                         for end in ("_low", "", "_high"))
    assert low < 11 and middle == pytest.approx(13) and high > 15


@pytest.mark.parametrize("base, words", [
    ("fastest", "allowed: single-master, css, scheme=SPEC, cell=HASH"),
    ("scheme=tss", "no cell has scheme tss, there are: dgss, dtss"),
    ("scheme=", "is no base"), ("cell=zz", "no cell begins so"),
    ("cell=0", "13 cells begin so")])
def test_no_such_base(made, base, words):
    with pytest.raises(bases.BaseError, match=words):
        based(made, base)


def test_without_a_single_master(tmp_path):
    directory = Directory(tmp_path / "d")
    directory.cell([1.0])
    code, _, err = analysis("tables", directory.path, "--base",
                            "single-master")
    assert code == 2
    assert err.startswith("tables: --base: no cell is below one master")


def test_several_directories_are_read_as_one(made, tmp_path):
    more = Directory(tmp_path / "e")
    more.cells = made.cells
    more.cell([0.25], scheme="dtss", ranks=32, hierarchy="flat", **MASTER)
    code, out, _ = analysis("tables", made.path, more.path, "--table",
                            "speedup", "--base", "single-master")
    assert code == 0 and "32 workers" in out and "32" in out
    code, out, _ = analysis("compare", made.path, "--against", made.path,
                            more.path)
    assert "only in B: 1 cell" in out
    code, _, err = analysis("compare", made.path, made.path, more.path)
    assert code == 2 and "--against" in err


# ---- setups that go on ----

def setups(path):
    frame = cells.summarize(loader.load(str(path)))
    return {(int(row["workers"]), row.get("load") or ""): row["setup"]
            for row in frame.to_dict("records")}


def test_a_machine_that_grows_is_one_row(tmp_path):
    directory = Directory(tmp_path / "d")
    every = ["1.5", "0.5", "1.5", "0.5"]
    for p in 2, 3, 4:
        directory.cell([1.0], threads=p, power=",".join(every[:p]))
    directory.cell([1.0], threads=3, power="1.5,0.5,1.5", load="w2:2")
    directory.cell([1.0], threads=4, power="1.5,0.5,1.5,0.5", load="w2-w3:2")
    found = setups(directory.path)
    assert len({found[p, ""] for p in (2, 3, 4)}) == 1
    assert found[3, "w2:2"] == found[4, "w2-w3:2"] != found[4, ""]
    assert "power 1.5,0.5,1.5,0.5" in found[2, ""]
    out = analysis("tables", directory.path, "--table", "time")[1]
    assert len(out.strip().splitlines()) == 4  # title, header and two rows


def test_other_machines_stay_apart(tmp_path):
    directory = Directory(tmp_path / "d")
    for p, power in (2, "1,2"), (3, "2,1,2"), (4, "2,1,2,1"):
        directory.cell([1.0], threads=p, power=power)
    directory.cell([1.0], threads=4, power="1,x")
    directory.cell([1.0], threads=4, power="measured")
    frame = cells.summarize(loader.load(str(directory.path)))
    assert frame["setup"].nunique() == 4


def test_loads_on_other_workers_stay_apart(tmp_path):
    directory = Directory(tmp_path / "d")
    for load in "w0", "w1":
        directory.cell([1.0], threads=2, load=load)
    assert len(set(setups(directory.path).values())) == 2


def test_printed_dtss_is_beside_dtss_acp(tmp_path):
    directory = Directory(tmp_path / "d")
    directory.manifest(campaign="ciorba-heat")
    directory.cell([1.6], kernel="heat:rows=5000,cols=10000", ranks=4,
                   scheme="dtss-acp", sync_interval=100,
                   run={"workers": 3, "simulated": True})
    out = analysis("tables", directory.path, "--table", "time")[1]
    assert "1.600 s (printed 1.420 s)" in out


def test_the_usual_costs_are_no_other_setup(tmp_path):
    """Schemes that know costs stand beside those that do not."""
    directory = Directory(tmp_path / "d")
    directory.cell([1.0], scheme="gss")
    for costs in "model", "last":
        directory.cell([1.0], scheme="hss", costs=costs)
    frame = cells.summarize(loader.load(str(directory.path)))
    setups = {(row["scheme"], row["costs"]): row["setup"]
              for row in frame.to_dict("records")}
    assert setups == {("gss", None): "shared, flat",
                      ("hss", "model"): "shared, flat",
                      ("hss", "last"): "shared, flat, costs last"}


def test_a_simulation_without_a_cost_of_its_own_is_over_the_serial_loop(
        tmp_path):
    """Runs have the column cp, which no cell has a value of."""
    directory = Directory(tmp_path / "d")
    for ranks in 4, 8:
        directory.cell([2.0 / ranks], scheme="dtss", ranks=ranks, cp=None,
                       platform="p.xml", run={"simulated": True}, **MASTER)
    directory.manifest()
    out = analysis("tables", directory.path, "--table", "speedup")[1]
    assert "over the serial loop of this program, 1.000 s" in out
    assert "speedup 4.00" in analysis("advise", directory.path)[1]


def test_a_speedup_over_several_workers_is_none(tmp_path):
    """The fastest cell with the fewest workers is the base of a table only."""
    directory = Directory(tmp_path / "d")
    for ranks in 4, 8:
        directory.cell([2.0 / ranks], scheme="dtss", ranks=ranks,
                       run={"serial_s": None}, **MASTER)
    directory.manifest()
    out = analysis("tables", directory.path, "--table", "speedup")[1]
    assert "with 4 workers, 500.0 ms" in out
    assert "speedup" not in analysis("advise", directory.path)[1]
    assert analysis("report", directory.path)[0] == 0
    page = (directory.path / "report.html").read_text()
    assert "speedup 2.00" not in page


def test_simulated_cells_have_their_own_serial_loops(dlsbench, tmp_path):
    """Threads and ranks are calibrated apart.  Two equal workers are never
    more than twice as fast as one of them."""
    directory = Directory(tmp_path / "d")
    for ranks, threads, serial_s in (1, 2, 1.0), (2, 1, 1.5):
        directory.cell([serial_s / 2], scheme="gss:min=1", ranks=ranks,
                       threads=threads, platform="this-machine",
                       transport="shared" if ranks == 1 else "master",
                       run={"workers": 2, "simulated": True,
                            "serial_s": serial_s, "alone_s": serial_s})
    directory.manifest()
    code, out, err = analysis("tables", directory.path, "--table", "speedup")
    assert code == 0, err
    assert "over the serial loop of this program, 1.000 s to 1.500 s" in out
    assert [x.split()[-2:] for x in out.splitlines() if "gss:" in x] == \
        2 * [["2", "1"]]
    shown = dlsbench("summary", directory.path)
    assert shown.code == 0, shown.err
    assert "one core: 1.000 s to 1.500 s\n" in shown.out
    assert shown.out.count("  2.000  ") == 2, shown.out
    rows = json.loads(dlsbench("summary", directory.path, "--format",
                               "json").out)["rows"]
    assert sorted((x["serial_s"], x["speedup"]) for x in rows) == [
        (1.0, 2.0), (1.5, 2.0)]
