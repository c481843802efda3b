"""Panels of figures: what each shows, and how the bound is called."""
import json

from result_files import Directory

import cells  # noqa: E402  (result_files set the path)
import loader
from figures import balance, intervals, outlook, schemes, style, tried


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
    """Labels that repeat those on the left are not shown again."""
    every = ["ss", "gss", "fss"]
    for kind, layout in (schemes, ", 1x2"), (balance, ""):
        drawing = drawn(tmp_path / kind.__name__, kind, "steal", "shared",
                        "openmp")
        shown = [(ax.get_title(loc="left"), len(ax.get_yticks()),
                  [label.get_text() for label in ax.get_yticklabels()])
                 for ax in drawing.figure.axes]
        assert shown == [("shared, flat" + layout, 3, every),
                         ("openmp, flat" + layout, 3, []),
                         ("steal, flat" + layout, 1, ["ss"])]


def test_points_stand_in_the_rows_of_their_schemes(tmp_path):
    drawing = drawn(tmp_path / "r", schemes, "shared", "steal")
    for ax in drawing.figure.axes:
        names = [label.get_text() for label in ax.get_yticklabels()]
        (points,) = [line for line in ax.lines
                     if line.get_label() == "bound"]
        assert sorted(points.get_ydata()) == list(range(len(names)))


def test_the_bound_is_called_what_it_is(tmp_path):
    listed, part = "list scheduling", "under steal"
    words = {transports: drawn(tmp_path / "-".join(transports), schemes,
                               *transports).caption
             for transports in [("shared", "openmp"), ("shared", "steal")]}
    assert listed in words["shared", "openmp"]
    assert part not in words["shared", "openmp"]
    assert listed in words["shared", "steal"]
    assert part in words["shared", "steal"]


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
    (drawing,) = intervals.draw(found, cells.summarize(found))
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
    (drawing,) = tried.draw(found.tried)
    assert drawing.title == "main p.c:1, 50.0 % of the time: fss gains 50 %"
    assert "Failed, not ranked: gss." in drawing.caption
    (ax,) = drawing.figure.axes
    assert [x.get_text() for x in ax.get_yticklabels()] == ["fss", "ss", "tss"]
    bar, point, far, line = [list(x.get_xdata()) for x in ax.lines]
    assert (bar, point, far, line) == ([0.5, 1.5], [1], [4], [2, 2])
    (tmp_path / "r/answers.json").write_text("[1")
    assert found.tried == []


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
