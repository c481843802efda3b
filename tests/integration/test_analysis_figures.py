"""Panels of figures: what each shows, and how the bound is called."""
import json
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from result_files import Directory

from analysis import cells, flexibility, labels, loader, ranking, tables
from analysis.figure_kinds import (andronikos_intervals, balance, chunksizes,
                                   outlook, scaling, schemes, style, strips,
                                   tried)


def workers(_, worker):
    return {"compute_s": 0.4 + worker / 10, "finish_s": 0.5}


def results(path, *transports):
    """All of three schemes, but one alone under steal."""
    made = Directory(path)
    made.manifest()
    for transport in transports:
        for scheme in ["ss"] if transport == "steal" else ["ss", "gss", "fss"]:
            made.cell([0.5, 0.6], scheme=scheme, transport=transport,
                      workers=workers)
    return loader.load(str(path))


def drawn(path, kind, *transports):
    found = results(path, *transports)
    (drawing,) = kind.draw(found, cells.summarize(found))
    return drawing


def test_a_panel_has_the_schemes_that_it_ran(tmp_path):
    """Each panel names its own."""
    every = ["ss", "gss", "fss"]
    for kind, layout in (schemes, ", 1x2"), (balance, ""):
        drawing = drawn(tmp_path / kind.__name__, kind, "steal", "shared",
                        "openmp")
        shown = [(ax.get_title(loc="left"), len(ax.get_yticks()),
                  [label.get_text() for label in ax.get_yticklabels()])
                 for ax in drawing.figure.axes]
        assert shown == [("shared, flat" + layout, 3, every),
                         ("openmp, flat" + layout, 3, every),
                         ("steal, flat" + layout, 1, ["ss"])]


def test_titles_end_lines_between_words():
    title = ("shared, flat, perturb delay:worker=0,workers=1,factor=2.5,"
             "period=0.001, scheme dtss-acp, bind compact, 1x2")
    _, axes = style.grid([title] * 3)
    lines = axes[0].get_title(loc="left").split("\n")
    assert len(lines) >= 4 and max(map(len, lines)) < 40
    words = title.replace(",", ", ").split()
    assert "".join(lines).replace(" ", "") == title.replace(" ", "")
    assert all(w in words for line in lines
               for w in line.replace(",", ", ").split())


def test_points_stand_in_the_rows_of_their_schemes(tmp_path):
    drawing = drawn(tmp_path / "r", schemes, "shared", "steal")
    for ax in drawing.figure.axes:
        names = [label.get_text() for label in ax.get_yticklabels()]
        (points,) = [line for line in ax.lines
                     if line.get_label() == "bound"]
        assert sorted(points.get_ydata()) == list(range(len(names)))


TEN = [1 + i / 100 for i in range(10)]


@pytest.mark.parametrize("factors, winner", [
    ((1, 2, 3), "ss"), ((1, 1.001, 3), None), ((1, 1, 1), None)])
def test_nobody_is_ringed_in_a_draw(tmp_path, factors, winner):
    made = Directory(tmp_path / "d")
    made.manifest()
    for scheme, factor in zip(["ss", "gss", "fss"], factors):
        made.cell([factor * t for t in TEN], scheme=scheme)
    found = loader.load(str(made.path))
    frame = cells.summarize(found)
    (drawing,) = schemes.draw(found, frame)
    (ax,) = drawing.figure.axes
    rings = [line for line in ax.lines
             if line.get_label() == "fastest of its panel"]
    assert len(rings) == (winner is not None)
    assert ("without a ring" in drawing.caption) == (winner is None)
    (rows,) = ranking.problems(frame)
    first, second = ranking.answer(rows[0], ranking.rank(
        rows, cells.by_cell(found.runs)))
    if winner:
        assert "ss over shared, flat, 1x2 is the fastest of 3 choices" in first
        assert "takes 100.0 % longer (significant" in second
    else:
        tied = sum(x < 1.05 for x in factors)
        assert ("no difference was seen between the 3 choices (" if tied == 3
                else "2 of 3 choices are equally fast (") in first
        assert "; the simplest is ss over shared, flat, 1x2." in first
        assert second == ("No scheme is to be avoided." if tied == 3 else
                          "Avoid fss: 200 % slower; some chunks hold too much "
                          "of the work.")
        assert "is the fastest" not in first


@pytest.mark.parametrize("same", [False, True])
def test_no_interval_has_a_star_in_a_draw(tmp_path, same):
    made = Directory(tmp_path / "d")
    made.manifest()
    for h in 10, 20, 30:
        made.cell([t * (1 if same else h) for t in TEN], sync_interval=h,
                  kernel="heat:rows=10,cols=1000")
    found = loader.load(str(made.path))
    (table,) = tables.interval_table(found, cells.summarize(found))
    stars = [row[1].endswith("*") for row in table.rows]
    assert stars == [not same, False, False]


def test_facts_of_intervals_say_which(tmp_path):
    made = Directory(tmp_path / "d")
    made.manifest()
    for h in 10, 20:
        made.cell(TEN, sync_interval=h, kernel="heat:rows=10,cols=1000",
                  workers=lambda *_: {"switches_voluntary": 3})
    found = loader.load(str(made.path))
    (table,) = tables.counters_table(found, cells.summarize(found))
    assert "as the system saw them" in table.title
    assert table.header[:3] == ["setup", "scheme", "interval"]
    assert [row[2] for row in table.rows] == ["10", "20"]


def test_of_many_schemes_the_best_and_the_simplest_are_drawn(tmp_path):
    made = Directory(tmp_path / "d")
    made.manifest()
    for count in 1, 2:
        for k in range(1, 41):
            made.cell([k / count], scheme=f"css:chunk={k}", threads=count)
        made.cell([99 / count], scheme="static", threads=count)
    found = loader.load(str(made.path))
    time, *_ = scaling.draw(found, cells.summarize(found))
    (legend,) = time.figure.legends
    names = {text.get_text() for text in legend.get_texts()}
    assert names == {"static", *(f"css:chunk={k}" for k in range(1, 11))}
    assert "Of 41 schemes: the 10 nearest to the fastest one" in time.caption
    assert "setups, and static and ss if they ran; cells.csv" in time.caption


@pytest.mark.parametrize("platform, words", [
    ("replayed, a/p.xml", "replayed"), ("a/p.xml", "simulated")])
def test_titles_say_what_is_replayed(platform, words):
    cell = {"loop": "adjoint", "simulated": True, "platform": platform,
            "setup": "flat", "workers": 2, "scheme": "ss"}
    trace = SimpleNamespace(cell=cell, chunks=pd.DataFrame({"size": [1, 1]}))
    (chunks,) = chunksizes.draw([trace])
    assert chunks.title == f"Chunk size against step: adjoint ({words})"
    (title,) = [grid.title for grid in flexibility.tables(
        SimpleNamespace(ended={}, cells=[]), pd.DataFrame([{
            **cell, "perturb": p, "time_s": 1.0, "time_s_low": 1.0,
            "time_s_high": 1.0, "n": 1} for p in ("none", "delay")]),
        lambda row: "1 s")]
    assert title == f"Flexibility: adjoint ({words})"
    assert labels.unreal({**cell, "simulated": False}) == ""


@pytest.mark.parametrize("simulated", [False, True])
def test_the_ideal_speedup_is_that_of_the_powers(tmp_path, simulated):
    """The base runs on the slow core: worker 0 natively, else power 1."""
    made = Directory(tmp_path / "d")
    made.manifest()
    alone = {"alone_s": 1 / 3} if simulated else {}
    for count, power, ideal in (1, "1", 1), (2, "1,3", 4), (4, "1,3,3,1", 8):
        made.cell([1 / (0.9 * ideal)], scheme="dtss", threads=count,
                  power=power, run={
                      "simulated": simulated,
                      "alone_s": alone.get("alone_s") if count > 1 else 1.0})
    found = loader.load(str(made.path))
    drawings = scaling.draw(found, cells.summarize(found))
    (speedup,) = [d for d in drawings if d.name.startswith("speedup")]
    lines = {line.get_label(): list(line.get_ydata())
             for line in speedup.figure.axes[0].lines}
    assert lines["ideal"] == pytest.approx([1, 4, 8])
    assert lines["dtss"] == pytest.approx([0.9, 3.6, 7.2])
    assert "the power of all workers over that of the base" in speedup.caption


def test_no_simulated_speedup_is_above_the_ideal_of_wrong_powers(tmp_path):
    made = Directory(tmp_path / "d")
    made.manifest()
    for count in 1, 2:
        made.cell([1 / (3 * count)], scheme="tss", threads=count,
                  power="3" if count == 1 else "3,1",
                  run={"simulated": True, "alone_s": 1 / 3})
    found = loader.load(str(made.path))
    frame = cells.summarize(found)
    assert scaling.ideals(found, frame) == pytest.approx({1: 3, 2: 6})


def test_the_ideal_speedup_of_equal_workers_is_their_number(tmp_path):
    made = Directory(tmp_path / "d")
    made.manifest()
    for count in 1, 2, 4:
        made.cell([1 / count], threads=count, load="w0:1" * (count == 4))
    found = loader.load(str(made.path))
    frame = cells.summarize(found)
    assert scaling.ideals(found, frame) == pytest.approx({1: 1, 2: 2, 4: 3.5})


def test_the_bound_is_called_what_it_is(tmp_path):
    listed, part = "these chunks allow", "under steal"
    words = {transports: drawn(tmp_path / "-".join(transports), schemes,
                               *transports).caption
             for transports in [("shared", "openmp"), ("shared", "steal")]}
    assert listed in words["shared", "openmp"]
    assert part not in words["shared", "openmp"]
    assert listed in words["shared", "steal"]
    assert part in words["shared", "steal"]


def test_a_bound_above_its_time_is_too_high_by_a_part_of_the_time(tmp_path):
    there = Directory(tmp_path)
    for scheme in ("ss", "gss:min=1"):
        there.cell([0.8, 0.8], scheme=scheme, run={"bound_s": 1.0})
    there.manifest()
    found = loader.load(str(tmp_path))
    (drawing,) = schemes.draw(found, cells.summarize(found))
    assert "bounds are up to 25 % too high" in drawing.caption


def test_long_titles_go_on_below_and_an_axis_has_two_labels(tmp_path):
    """The names of platforms come without their folder, and times within a
    decade have labels."""
    made = Directory(tmp_path)
    made.manifest()
    for name in ("kids", "twins"):
        for interval in (10, 20, 40):
            made.cell([10.2 + interval / 100], transport="master",
                      master="dedicated", scheme="css", request_cost=0.0005,
                      power="5:1,5:0.63", sync_interval=interval,
                      platform=f"bench/papers/a-long-name/{name}.xml")
    found = loader.load(str(tmp_path))
    (drawing,) = andronikos_intervals.draw(found, cells.summarize(found))
    for ax, name in zip(drawing.figure.axes, ("kids", "twins")):
        title = ax.get_title(loc="left")
        assert f"platform {name}, 2 workers" == title.partition(
            ", flat, ")[2].replace("\n", " "), title
        assert max(map(len, title.split("\n"))) <= 1.5 * style.CHARACTERS
        assert len(ax.get_yticks()) >= 2


def test_cells_without_their_workers_have_no_balance(tmp_path):
    """A simulation of many workers does not store them."""
    made = Directory(tmp_path)
    made.manifest()
    for launch, threads in ("l1", 2), ("l2", 4):
        made.cell([0.5], launch, scheme="ss", transport="shared",
                  threads=threads)
    (tmp_path / "workers-l2.jsonl").unlink()
    found = loader.load(str(tmp_path))
    frame = cells.summarize(found)
    assert frame["workers"].max() == 4
    (drawing,) = balance.draw(found, frame)
    assert drawing.title == "Load balance: adjoint, 2 workers"


def choice(scheme, state="compared", gain=None, low=None, high=None):
    return {"scheme": scheme, "state": state, "runs": 8, "time_s": 2,
            "gain": gain, "low": low, "high": high}


def test_tried_loops_have_a_panel_below_their_verdict(tmp_path):
    """What is damaged in answers.json is passed over."""
    own = choice("as it is", "own")
    loops = [{"name": "whole program p", "share": None, "verdict": "none",
              "best": None, "choices": [own, choice("ss", "dropped")]},
             {"name": "main p.c:1", "share": 0.5, "verdict": "fss gains 50 %",
              "best": "fss", "choices": [
                  own, choice("fss", "compared", 0.5, 0.25, 0.75), 7,
                  choice("ss", "compared", "x"), choice("gss", "failed"),
                  choice("tss", "compared", -1, None, 1)]}, "loop"]
    found = results(tmp_path / "r", "shared")
    (tmp_path / "r/answers.json").write_text(json.dumps({"loops": loops}))
    assert len(found.tried) == 2
    grey, drawing = tried.draw(found.tried)
    (ax,) = grey.figure.axes
    assert [(x.get_text(), x.get_color()) for x in ax.get_yticklabels()] == [
        ("as it is", ax.get_yticklabels()[0].get_color()),
        ("ss", style.GREY)]
    assert ax.lines[-1].get_color() == style.GREY
    assert "Green" not in grey.caption
    assert "Green: what gains most, fss." in drawing.caption
    assert "Grey: dropped early, slower than others: ss." in grey.caption
    assert drawing.title == "Time under each choice: main p.c:1"
    assert labels.tried_words(found.tried[1]) == \
        "main p.c:1, 50.0 % of the time: fss gains 50 %"
    assert "Failed, not ranked: gss." in drawing.caption
    (ax,) = drawing.figure.axes
    assert [x.get_text() for x in ax.get_yticklabels()] == [
        "as it is", "fss", "ss", "tss"]
    line, own, bar, point, far = [list(x.get_xdata()) for x in ax.lines]
    assert (own, bar, point, far, line) == ([2], [0.5, 1.5], [1], [4], [2, 2])
    assert found.commands == []
    (tmp_path / "r/answers.json").write_text(json.dumps({"commands": [
        {"command": "./p", "why": "gains most"}, 7, {"why": 3}]}))
    assert found.commands == [("./p", "gains most"), ("", "3")]
    (tmp_path / "r/answers.json").write_text("[1")
    assert found.tried == []


def test_threads_over_time_are_two_strips(tmp_path):
    """What is damaged in strips.json is passed over."""
    threads = [{"inside": [0, 1, 0.5], "computed": [0, 1, 0]},
               {"inside": [0, 1, 0.5], "computed": [0, 0.5, 0.5]}, 3,
               {"inside": 1, "computed": [1]}]
    strip = {"choice": "fss", "time_s": 3.5, "began_s": 0.5, "bin_s": 1,
             "threads": threads}
    found = results(tmp_path / "r", "shared")
    (tmp_path / "r/strips.json").write_text(json.dumps({"strips": [
        strip, {**strip, "choice": "as it is", "time_s": 4}, 7,
        {**strip, "bin_s": 0}, {**strip, "threads": []}]}))
    (drawing,) = strips.draw(found.strips)
    assert drawing.title == ("What each thread does over time: fss (3.500 s), "
                             "and as it is (4.000 s)")
    above, below = drawing.figure.axes
    assert [x.get_text() for x in above.get_yticklabels()] == [
        "thread 0", "thread 1"]
    assert below.get_title(loc="left") == "as it is (4.000 s)"
    assert [x.get_text() for x in drawing.figure.legends[0].get_texts()] == [
        "outside loops", "computing", "waiting"]
    outside, computed, waited = [x.get_data() for x in above.patches[:3]]
    assert list(outside.edges) == [0, 3.5]
    assert list(computed.edges) == [0.5, 1.5, 2.5, 3.5]
    heights = [list((x.baseline - x.values) / (2 * strips.HALF))
               for x in (computed, waited)]
    assert np.allclose(heights, [[0, 1, 0], [0, 0, 0.5]])
    assert list(strips.draw([])) == []


def test_recorded_loops_have_a_panel_of_more_threads(tmp_path):
    """What is damaged in outlook.json is passed over."""
    def loop(**more):
        return {"name": "main p.c:1", "threads": 2, "serial_s": 8,
                "bound_s": [4, 2], "schemes": [
                    {"scheme": "static", "time_s": [4, 4]}, 3,
                    {"scheme": "fss", "time_s": [5, 2]},
                    {"scheme": "tss", "time_s": ["x", None]}], **more}
    found = results(tmp_path / "r", "shared")
    path = tmp_path / "r/outlook.json"
    path.write_text(json.dumps({"workers": [2, 4], "loops": [
        loop(), loop(schemes=[]), loop(serial_s=0), "loop"]}))
    assert len(found.outlook) == 2
    (drawing,) = outlook.draw(found.outlook)
    assert drawing.title == "main p.c:1: on more threads, by replay"
    assert drawing.caption.endswith("2: static; 4: fss.")
    (ax,) = drawing.figure.axes
    assert {x.get_label(): list(x.get_ydata()) for x in ax.lines} == {
        "at most": [2, 4], "static": [2, 2], "fss": [1.6, 4], "best": [2, 4]}
    for text in ('{"workers": [2, "4"], "loops": [{}]}', "[1", '{"loops": 1}'):
        path.write_text(text)
        assert found.outlook == []
