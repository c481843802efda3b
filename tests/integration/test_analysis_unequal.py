"""analysis/unequal.py: of constructed results which powers are wrong and by
how much, what knowing them gains, and when measuring has paid."""
import math

import pytest

from result_files import Directory, analysis

from analysis import cells, loader, unequal

DELAY = "delay:worker=1,workers=1,factor=2.5,period=0.01,seed=1"
WF = "wf:alpha=2"


def times(middle):
    """Ten repetitions around it: of these the 2nd and the 9th bound it."""
    return [middle * (1 + 0.001 * i) for i in range(-5, 6) if i]


def power(given):
    return {"workers": lambda repetition, worker: {"power": given[worker]}}


@pytest.fixture
def made(tmp_path):
    made = Directory(tmp_path / "d")
    made.manifest()
    made.cell(times(2.0), scheme=WF, perturb=DELAY, **power([1, 1]))
    made.cell(times(1.0), scheme=WF, perturb=DELAY, power="measured",
              run={"power_s": 2.5}, **power([2.5, 1]))
    made.cell(times(4.0), scheme=WF, perturb=DELAY, power="1,2.5",
              **power([1, 2.5]))
    made.cell(times(1.5), scheme=WF, perturb=DELAY, power="5,1",
              **power([5, 1]))
    made.cell(times(1.1), scheme="ss", perturb=DELAY, **power([1, 1]))
    made.cell(times(1.2), scheme="af", perturb=DELAY, **power([1, 1]))
    made.cell(times(0.1), scheme="ss", perturb="none")  # another problem
    return made


def load(made):
    results = loader.load(str(made.path))
    return results, cells.summarize(results)


def test_powers_are_off_by_the_ratio_that_is_wrong(made):
    results, frame = load(made)
    (part,) = unequal.problems(results, frame)
    assert unequal.truth(results, part) == [2.5, 1]
    assert {power: off for power, _, off in unequal.ways(results, part)} == {
        "measured": 1, "5,1": 2, "": 2.5, "1,2.5": 6.25}
    assert unequal.told_by("2:5,1", 3) == [5, 5, 1]
    assert unequal.told_by("measured", 3) is None


def test_what_powers_are_worth(made):
    results, frame = load(made)
    (part,) = unequal.problems(results, frame)
    at = unequal.by_scheme(part)[WF]
    gain, low, high = unequal.change(at[""], at["measured"])
    assert gain == pytest.approx(-0.5) and low < gain < high < -0.49
    # 2.5 s of measuring, a second gained in each loop
    assert unequal.pays_after(at[""], at["measured"]) == pytest.approx(2.5)
    assert math.isnan(unequal.pays_after(at["measured"], at[""]))


def test_the_table_has_every_scheme_and_the_cost_of_wrong_powers(made):
    code, out, err = analysis("tables", made.path, "--table", "unequal")
    assert code == 0, err
    lines = out.splitlines()
    assert "Unequal workers: adjoint, 2 workers" in lines[0]
    assert "fastest without powers ss, 1.100 s" in lines[1]
    assert "of those learning af, 1.200 s" in lines[1]
    assert "with measured powers wf:alpha=2, 1.000 s" in lines[1]
    assert "measuring took 2.500 s before the first loop" in lines[1]
    assert lines[2].index("measured") < lines[2].index("off by 2 ") \
        < lines[2].index("unknown, off by 2.5") \
        < lines[2].index("wrong, off by 6.25")
    rows = {line.split()[0]: line for line in lines[3:] if line}
    assert set(rows) == {WF, "ss", "af"}
    assert "1.000 s +0.0 %" in rows[WF] and "4.000 s +300.0 %" in rows[WF]
    assert "-50.0 % [" in rows[WF] and "3 loops" in rows[WF]
    assert "+300.0 % [" in rows[WF].split("loops")[1]
    assert " learns " in rows["af"] and " learns " not in rows["ss"]
    assert "0.100" not in out
    code, _, err = analysis("report", made.path, "--no-files")
    assert code == 0, err
    assert "Unequal workers" in (made.path / "report.html").read_text()


def test_the_claim_of_aid_is_judged_by_the_better_of_its_schemes(made):
    """1.0 s with powers that were given says nothing; nothing can be said of
    static, which did not run."""
    aid = {"perturb": DELAY, **power([1, 1])}
    made.cell(times(1.0), scheme="aid-static:chunk=1", **aid)
    made.cell(times(1.3), scheme="aid-hybrid:chunk=1,share=0.8", **aid)
    made.cell(times(0.5), scheme="aid-hybrid:chunk=1,share=0.8", perturb=DELAY,
              power="measured", **power([2.5, 1]))
    code, out, err = analysis("tables", made.path, "--table", "unequal")
    assert code == 0, err
    claim = out[out.index("A published claim"):]
    static, dynamic = (line for line in claim.splitlines()
                       if line.startswith("  AID is faster than"))
    assert "static by up to 56 %" in static and "not comparable" in static
    assert "dynamic by up to 16.8 %" in dynamic
    assert "confirmed: up to +10.0 % [" in dynamic
    assert "faster in 1 of 1 loop" in dynamic


def test_gains_and_losses():
    assert unequal.sign(0.1, 0.05, 0.15) == 1
    assert unequal.sign(0.1, -0.05, 0.3) == 0
    assert unequal.sign(0.1, math.nan, math.nan) == 1
    assert unequal.sign(0.015, 0.01, 0.02) == 0
    assert unequal.sign(-0.1, -0.15, -0.05) == -1
    assert unequal.sign(-0.019, math.nan, math.nan) == 0
    words = unequal.gain_words({"a": (-0.3, math.nan, math.nan),
                                "b": (0.0, math.nan, math.nan)})
    assert words == ("contradicted: up to +0.0 % (b), faster in 0 of 2 loops, "
                     "slower in a -30.0 %")
    assert unequal.gain_words({}).startswith("not comparable")


def test_equal_powers_have_no_table(tmp_path):
    made = Directory(tmp_path / "d")
    made.cell(times(1.0), scheme="ss")
    code, _, err = analysis("tables", made.path, "--table", "unequal")
    assert code == 2 and "several lists of powers" in err


def test_patterns_of_powers_are_short():
    assert unequal.powers_words([2.5, 2.5, 1, 1] * 3) == \
        "3 times (2 x 2.5 : 2 x 1)"
    assert unequal.powers_words([2.5, 1, 1]) == "2.5 : 2 x 1"
