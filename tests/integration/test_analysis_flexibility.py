"""analysis/flexibility.py: perturbed cells that failed, and those that nothing
is beside."""
import pytest

from result_files import Directory, analysis

DELAY = "delay:worker=1,workers=1,factor=3,period=0.01,seed=1"
GONE = "gone:worker=1,workers=1,at=0.02,seed=1"


@pytest.fixture
def lines(tmp_path):
    """What the table says of each perturbed cell."""
    made = Directory(tmp_path / "d")
    made.cell([1.0] * 6, scheme="ss", perturb="none")
    made.cell([2.0] * 6, scheme="ss", perturb=DELAY)
    made.cell([3.0] * 6, scheme="static", perturb=DELAY)
    made.cell([1.5] * 6, scheme="gss:min=1", perturb="none")
    made.cell([], scheme="gss:min=1", perturb=GONE, status="failed")
    made.cell([], scheme="tss", perturb=GONE, status="failed")
    code, out, err = analysis("tables", made.path, "--table", "flexibility")
    assert code == 0, err
    return [line for line in out.splitlines() if "seed=1" in line]


def row(lines, scheme):
    (line,) = [x for x in lines if f" {scheme} " in x]
    return " ".join(line.split())


def test_a_pair_has_its_ratio(lines):
    assert row(lines, "ss").endswith("1.000 s 2.000 s [2.000, 2.000] "
                                     "2 [2, 2]")


def test_a_cell_without_a_pair_has_its_time(lines):
    assert row(lines, "static").endswith("2 - 3.000 s [3.000, 3.000] -")


def test_without_a_single_pair_there_is_no_table(tmp_path):
    made = Directory(tmp_path / "d")
    made.cell([2.0] * 6, scheme="ss", perturb=DELAY)
    made.cell([1.0] * 6, scheme="static", perturb="none")
    code, out, err = analysis("tables", made.path, "--table", "flexibility")
    assert (code, out) == (2, "")
    assert "no cell ran with and without a perturbation" in err


def test_a_cell_that_failed_is_named(lines):
    assert row(lines, "gss:min=1").endswith("2 1.500 s FAILED -")
    assert row(lines, "tss").endswith("2 - FAILED -")


def test_lines_without_the_field_are_not_perturbed(tmp_path):
    made = Directory(tmp_path / "d")
    made.cell([1.0] * 6, scheme="ss", perturb="none")
    made.cell([2.0] * 6, scheme="ss", perturb=DELAY)
    made.cell([3.0] * 6, scheme="gss:min=1", perturb=None)
    made.cell([], scheme="tss", perturb=None, status="failed")
    code, out, err = analysis("tables", made.path, "--table", "flexibility")
    assert code == 0, err
    assert "ss" in out and "gss" not in out and "tss" not in out
