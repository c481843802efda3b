"""Options of a single cell that have several values."""
import pytest

from conftest import ROOT

CELL = ["run", "--kernel", "adjoint:size=10", "--dry-run", "--threads", 2]


def cells(result):
    """(kernel, scheme, layout, transport) of each cell."""
    lines = [line.split() for line in result.out.splitlines()]
    return [tuple(words[1:5]) for words in lines
            if len(words[0]) == 16 and len(words) > 4]


@pytest.mark.parametrize("text,schemes", [
    ("static,gss", ["static", "gss:min=1"]),
    ("css:chunk=4,ss", ["css:chunk=4", "ss"]),
    ("rnd:min=2,max=4,seed=1,tss:first=9,last=1,ss",
     ["rnd:min=2,max=4,seed=1", "tss:first=9,last=1", "ss"])])
def test_schemes(dlsbench, text, schemes):
    result = dlsbench(*CELL, "--scheme", text)
    assert result.code == 0, result.err
    assert [cell[1] for cell in cells(result)] == schemes


def test_all_lists_are_crossed(dlsbench):
    result = dlsbench(*CELL, "--scheme", "ss,gss", "--ranks", "1,2",
                      "--min-chunk", "1,3")
    assert result.code == 0, result.err
    found = cells(result)
    assert len(found) == len(result.out.split(" min_chunk=3")) - 1 + 4 == 8
    assert {cell[2:] for cell in found} == {("1x2", "shared"),
                                            ("2x2", "master")}


def test_numbers_of_simulated_workers_are_a_list(dlsbench, tmp_path):
    """Also where a campaign file has the cells."""
    sim = ["sim", "--platform", ROOT / "bench/platforms/ranger.xml",
           "--workers", "2,4", "--dry-run"]
    (tmp_path / "c.yaml").write_text(
        'cells: [{kernel: "null:size=9", scheme: gss, workers: 8}]\n')
    for words in (["--kernel", "null:size=9", "--scheme", "gss"],
                  [tmp_path / "c.yaml"]):
        result = dlsbench(*sim, *words)
        assert result.code == 0, result.err
        assert [x.split()[3] for x in result.out.splitlines()[:2]] == [
            "2x1", "4x1"]


def test_a_list_runs_as_a_campaign(dlsbench):
    result = dlsbench("run", "--kernel", "adjoint:size=10", "--scheme",
                      "static,gss", "--threads", 2, "--repetitions", 1)
    assert result.code == 0, result.err
    assert sorted(x["scheme"] for x in result.done()) == ["gss:min=1",
                                                          "static"]
    assert "scheme: ['static', 'gss']" in (
        result.directory / "campaign.yaml").read_text()


@pytest.mark.parametrize("options,why", [
    (["--scheme", "ss,nope"], "unknown name 'nope'"),
    (["--scheme", "ss,"], "the name is missing"),
    (["--scheme", "ss", "--min-chunk", "1,x"], "min_chunk"),
])
def test_each_item_is_checked(dlsbench, options, why):
    result = dlsbench(*CELL, *options)
    assert result.code == 2 and why in result.err


def test_ranks_need_threads(dlsbench):
    result = dlsbench("run", "--kernel", "adjoint:size=10", "--scheme", "ss",
                      "--ranks", "1,2", "--dry-run")
    assert result.code == 2 and "give --threads" in result.err


def test_powers_have_commas_of_their_own(dlsbench):
    result = dlsbench(*CELL, "--scheme", "ss", "--power", "1,2")
    assert result.code == 0 and "power=1,2" in result.out


def test_costs_are_named_where_they_are_missing(dlsbench):
    result = dlsbench("chunks", "--scheme", "hss", "--iterations", 10,
                      "--workers", 2)
    assert result.code == 2 and "give them by --costs FILE" in result.err
