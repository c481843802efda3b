"""Over ranks: schemes of the program, and time steps under one that learns."""
import json
import re

import pytest

from test_libdls_mpi import SOURCES, compiled, launch

TWO = "two schemes need masters between them, as with hierarchy=node"
ASKS = "needs a sequence that does not depend on who asks"
LEARNS = "schemes that learn: transport window cannot carry the times"
STEALS = "of the program: transport steal only cuts each worker's static share"
# Form -> what is said of: one that depends on who asks, one that learns, the
# two together, and one of them inside another; "ok": it runs.
SAID = {"": ["ok", "ok", TWO, TWO],
        "window=rma": [ASKS, LEARNS, TWO, TWO],
        "window=rma,hierarchy=node": [ASKS, LEARNS, ASKS, "ok"],
        "transport=master": ["ok", "ok", TWO, TWO],
        "transport=master,hierarchy=node": ["ok"] * 4,
        "transport=master,hierarchy=2xnode": ["ok"] * 4,
        "transport=steal": [STEALS, STEALS, STEALS, "two schemes: "]}
SCHEMES = ["number", "learning:then=9", "number/learning:then=9", "ss/number"]


@pytest.fixture(scope="module")
def own(installed):
    return compiled(installed, SOURCES / "own.c", installed / "own")


@pytest.mark.cross(part=3)
@pytest.mark.parametrize("form", SAID)
@pytest.mark.parametrize("which", range(4))
def test_schemes_of_the_program(own, form, which):
    done = launch(3, own, SCHEMES[which], form, "2")
    assert done.returncode == 0, done.stdout + done.stderr
    line, = done.stdout.splitlines()
    said = SAID[form][which]
    assert line == "ok" if said == "ok" else said in line


def test_one_rank_knows_its_workers(own):
    done = launch(1, own, "number", "", "3")
    assert (done.returncode, done.stdout) == (0, "ok\n")


def test_time_steps(installed, tmp_path):
    program = compiled(
        installed, installed / "share/doc/dls/examples/steps_mpi.c",
        tmp_path / "steps", compiler="mpicc.mpich -std=c11")
    results = set()
    for ranks in 1, 2, 3:
        place = tmp_path / str(ranks)
        done = launch(ranks, program, DLS_REPORT=str(place))
        assert done.returncode == 0, done.stderr
        results.add(done.stdout.splitlines()[-1])
        last = re.findall(r"step \d: (\d+) of 4000", done.stdout)
        lines = [json.loads(line) for path in place.glob("workers-*")
                 for line in path.read_text().splitlines()]
        assert [str(x["iterations"]) for x in sorted(
            lines, key=lambda x: x["repetition"])
            if x["rank"] == ranks - 1] == last
        assert len(last) == 6
    assert len(results) == 1 and results.pop().startswith("result 1000.01")
