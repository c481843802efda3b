"""What goes with what: the table of `dlsbench list transports` is in docs,
and cells are checked by it."""
import re

import pytest

from conftest import ROOT

# What is asked, as options of `dlsbench run`.
KERNEL = {"--kernel": "matmul:tasks=9,min=5,max=9"}
ASKS = {
    "OpenMP's schedules": {"--scheme": "dynamic"},
    "schemes": {"--scheme": "gss"},
    "one rank": {"--ranks": "1"},
    "several ranks": {"--ranks": "2"},
    "protocol parallel": {"--protocol": "parallel"},
    "protocols dmps, subproblem": {"--kernel": "heat:rows=9,cols=9",
                                   "--protocol": "dmps"},
    "protocol push": {"--scheme": "lp-sqrt", "--protocol": "push",
                      "--ranks": "2"},
    "several threads in a rank": {"--threads": "2"},
    "hierarchy node": {"--hierarchy": "node"},
    "hierarchy of masters": {"--hierarchy": "2"},
    "two schemes": {"--scheme": "gss/static", "--hierarchy": "node"},
    "schemes with chunks kept for a worker": {"--scheme": "wf"},
    "schemes that learn": {"--scheme": "awf-b"},
    "schemes that count with costs": {"--scheme": "hss"},
    "min_chunk": {"--min-chunk": "3"},
    "collect master": {"--collect": "master"},
    "data sent": {"--data": "sent"},
    "reissue": {"--reissue=on": None},
}
# A cell that each transport takes.
POSSIBLE = {
    "shared": {"--scheme": "gss", "--ranks": "1", "--threads": "2"},
    "openmp": {"--scheme": "dynamic", "--ranks": "2"},
    "master": {"--scheme": "gss", "--ranks": "2"},
    "push": {"--scheme": "lp-sqrt", "--ranks": "2", "--protocol": "push"},
    "window": {"--scheme": "gss", "--ranks": "2"},
    "steal": {"--scheme": "gss", "--ranks": "2"},
}


@pytest.fixture
def listed(dlsbench):
    return dlsbench("list", "transports", out=None).out


def table_of(text):
    """{transport: {what is asked: mark}}"""
    lines = text.split("\n\n")[1].split("\n")
    names = lines[0].split()
    at = [lines[0].index(" " + name) + 1 for name in names]
    table = {name: {} for name in names}
    for line in lines[1:]:
        for name, low, high in zip(names, at, at[1:] + [None]):
            table[name][line[:at[0]].strip()] = line[low:high].strip()
    return table


def test_the_manual_has_the_table(listed):
    manual = (ROOT / "docs/reference/combinations.md").read_text()
    for line in listed.split("\n\n")[1].split("\n"):
        assert f"    {line}\n" in manual, line


def test_every_transport_is_in_it(listed):
    lines = (ROOT / "harness/transport/transports.def").read_text()
    assert (list(table_of(listed))
            == re.findall(r"^TRANSPORT\((\w+)\)", lines, re.M))
    assert set(POSSIBLE) == set(table_of(listed))
    assert set(table_of(listed)["shared"]) == set(ASKS) | {"simulation"}


def options(transport, ask):
    name = "master" if transport == "push" else transport
    chosen = {**KERNEL, **POSSIBLE[transport], "--transport": name,
              **ASKS[ask]}
    return [x for item in chosen.items() for x in item if x is not None]


@pytest.mark.parametrize("transport", POSSIBLE)
def test_cells_are_checked_by_it(dlsbench, listed, transport):
    table = table_of(listed)
    marks = table[transport]
    if transport == "master":  # push is its other half
        marks["protocol push"] = table["push"]["protocol push"]
    for ask in ASKS:
        result = dlsbench("run", "--dry-run", *options(transport, ask),
                          out=None)
        assert result.code == (2 if marks[ask] == "-" else 0), (
            ask, marks[ask], result.err)


@pytest.mark.cross(part=3)
@pytest.mark.parametrize("args", [
    ["--ranks", 3], ["--ranks", 2, "--threads", 2, "--hierarchy", "node"],
    ["--ranks", 5, "--hierarchy", "2", "--master", "dedicated"]],
    ids=["flat", "pools", "masters"])
def test_results_are_written_in_place_or_travel(dlsbench, args):
    """The same chunks; what differs is what travels, which is all of the
    results or none."""
    bytes_of = {}
    for collect in "auto", "shared", "master", "local":
        row = dlsbench("run", "--kernel", "adjoint:size=20", "--scheme",
                       "static", "--transport", "master", "--prefetch", "off",
                       "--collect", collect, "--oversubscribe",
                       "--repetitions", 1, *args, out=collect).runs()[0]
        assert row["verified"] is True
        assert row["collect"] == ("shared" if collect == "auto" else collect)
        bytes_of[collect] = row["bytes"]
    assert bytes_of["auto"] == bytes_of["shared"]
    # adjoint:size=20 has 400 results of 8 bytes.
    assert bytes_of["shared"] < 400 * 8 // 4 + bytes_of["local"]
    assert bytes_of["master"] - bytes_of["shared"] >= 400 * 8 // 4
