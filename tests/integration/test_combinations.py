"""Every scheme over every source, with and without dependences: it runs, or is
refused in one line, as docs/reference/combinations.md says.  All of it is
simulated; natively the loops with dependences run here, the others in
test_matrix.py."""
import re

import pytest

from conftest import ROOT
from test_matrix import SINGLE

SCHEMES = re.findall(r"^SCHEME\((\w+)\)", (ROOT / "sched/schemes/schemes.def")
                     .read_text(encoding="utf-8"), re.M)
SCHEMES = [x.replace("_", "-") for x in SCHEMES]
LEARN = {"bold", "awf", "awf-b", "awf-c", "awf-d", "awf-e", "af", "fgdls",
         "aid-static", "aid-hybrid", "timed"}
COSTS = {"hss", "binlpt"}  # of iterations that are independent
WHOLE = {"bold", "awf-d", "awf-e"}  # times from request to request
STEAL = {"ss", "css", "gss", "fss", "tss", "tss-taylor", "qss", "fsc", "mfsc",
         "fac", "tap", "tfss", "fiss", "viss", "rnd"}
RMA = "{transport: window, window: rma}"
# Source: where it runs, and who is refused there for being what it is.
SOURCES = {
    "shared": ("1x4", "{}", set()),
    "pools": ("1x4", '{hierarchy: "2"}', set()),
    "computing": ("4x1", "{}", set()),
    "dedicated": ("5x1", "{master: dedicated, prefetch: off}", set()),
    "levels": ("11x1", "{master: dedicated, hierarchy: 2x2}", set()),
    "node": ("2x2", "{hierarchy: node}", set()),
    "window": ("4x1", "{transport: window, window: shared}", set()),
    "rma": ("4x1", RMA, LEARN),
    "steal": ("1x4", "{transport: steal}", set(SCHEMES) - STEAL),
    "steal ranks": ("4x1", "{transport: steal}", set(SCHEMES) - STEAL),
}
# Of two schemes: which half is asked about, and the other one.
PAIRS = {
    "outer": ("2x2", "{hierarchy: node}", "{}/ss", {"dtss-acp"}),
    "inner": ("2x2", "{hierarchy: node}", "gss/{}",
              {"dtss-acp", "binlpt"}),
    "outer at rma": ("2x2", RMA[:-1] + ", hierarchy: node}", "{}/ss",
                     LEARN | {"dtss-acp"}),
    "inner below rma": ("2x2", RMA[:-1] + ", hierarchy: node}", "gss/{}",
                        {"dtss-acp", "binlpt"}),
}
KERNELS = {"independent": "trace:file=costs.txt,steps=1000000",
           "dependent": "heat:rows=60,cols=20"}
ITERATIONS = 60
CASES = {**{k: (*v[:2], "{}", v[2]) for k, v in SOURCES.items()}, **PAIRS}


def refused(source, kernel):
    """The schemes that this source refuses, by the table."""
    if kernel == "independent":
        return CASES[source][3]
    if source.startswith("steal"):
        return set(SCHEMES)
    return CASES[source][3] | WHOLE | COSTS


def campaign_text(source, kernel, schemes, layout=None):
    usual, choice, form, _ = CASES[source]
    names = ", ".join(f"'{form.format(x)}'" for x in schemes)
    return f"""
name: combinations
repetitions: 1
repetitions_max: 1
bind: none
oversubscribe: on
layout: {layout or usual}
kernel: "{KERNELS[kernel]}"
scheme: [{names}]
cells:
  - {choice}
"""


def possible(source, kernel):
    return [x for x in SCHEMES if x not in refused(source, kernel)]


def check(result, schemes):
    assert result.code == 0, result.err[-2000:]
    runs = result.runs()
    assert len(runs) == len(schemes), result.err
    for row in runs:
        assert row["verified"] and row["iterations"] == ITERATIONS


def test_no_list_forgets_a_scheme():
    """Those that do not follow from schemes.def."""
    smoke = (ROOT / "bench/campaigns/smoke.yaml").read_text()
    listed = re.search(r"scheme: \[(.*?)\]", smoke, re.S)[1]
    for names in listed.replace('"', "").split(","), ["ss", *SINGLE]:
        assert {x.strip().partition(":")[0] for x in names} == set(SCHEMES)


@pytest.fixture(autouse=True)
def costs(tmp_path, monkeypatch):
    (tmp_path / "costs.txt").write_text("60:1e-6\n")
    monkeypatch.chdir(tmp_path)


@pytest.mark.cross
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("source", CASES)
def test_what_is_possible_is_simulated(sim, campaign, source, kernel):
    schemes = possible(source, kernel)
    if not schemes:
        return
    check(sim(campaign(campaign_text(source, kernel, schemes))), schemes)


@pytest.mark.cross
@pytest.mark.parametrize("source,layout", [
    ("shared", "1x2"), ("computing", "2x1"), ("window", "2x1"),
    ("node", "2x2"), ("inner", "2x2")])
def test_every_scheme_with_dependences(dlsbench, campaign, source, layout):
    schemes = possible(source, "dependent")
    text = campaign_text(source, "dependent", schemes, layout)
    check(dlsbench("run", campaign(text)), schemes)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("source", CASES)
def test_what_is_not_possible_is_refused(dlsbench, campaign, source, kernel):
    """A list none of whose combinations is possible says why: asked for one
    at a time."""
    for scheme in sorted(refused(source, kernel)):
        result = dlsbench("run", campaign(campaign_text(
            source, kernel, [scheme])), "--dry-run")
        assert result.code == 2, (scheme, result.out)
        line = result.err.strip()
        assert "\n" not in line, line
        assert re.search(r"[:;,] use ", line), line


def test_the_manual_says_so():
    text = (ROOT / "docs/reference/combinations.md").read_text()
    rows = re.search(r"## Schemes and loops(.*?)\n## ", text, re.S)[1]
    named = {x: set(re.findall(r"`([a-z-]+)`", line))
             for line in rows.splitlines() if line.startswith("| ")
             for x in [line.split("|")[1].strip()]}
    assert named["steal"] == STEAL
    assert next(v for k, v in named.items() if k[:6] == "shared") == WHOLE
    assert named["two schemes (hierarchy not flat)"] == {"dtss-acp"} | WHOLE
