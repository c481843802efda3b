"""Figures in the form that the papers have, for anybody's results, and
analysis/figures.py, which draws one of them."""
import csv

import pytest

from result_files import Directory, analysis

import cells  # noqa: E402  (result_files set the path)
import loader
from figures import delta, heuristics, intervals, masters, powers, scaling

HIERARCHIES = ["flat", "2", "4", "8", "16"]
WORKERS = [256, 512, 1024]


def under_masters(path, campaign="mine"):
    """T = 1000 / masters / workers under two schemes, with an alternative to a
    number of the simulation."""
    made = Directory(path)
    for launch, cost in (campaign, 2e-6), ("other", 2e-5):
        made.manifest(launch, campaign=launch)
        for scheme in "dtss", "dgss":
            for h in HIERARCHIES:
                for workers in WORKERS:
                    made.cell(
                        [1e3 / masters.masters(h) / workers], launch,
                        kernel="adjoint:size=8", scheme=scheme, hierarchy=h,
                        transport="master", ranks=workers, threads=1,
                        request_cost=cost, platform="p.xml", run={
                            "simulated": True, "workers": workers,
                            "overhead_mean_s": 1.0 / masters.masters(h)})
    return loader.load(str(path))


def lines_of(ax):
    return {line.get_label(): list(line.get_ydata()) for line in ax.lines}


@pytest.mark.parametrize("campaign, names", [
    ("han", ["han-4", "han-6", "han-8"]),
    ("mine", [f"{w}-masters-adjoint-simulated"
              for w in ("time", "overhead", "speedup")])])
def test_a_line_for_each_number_of_masters(tmp_path, campaign, names):
    """16 masters are not cut, an alternative is in axes of its own."""
    found = under_masters(tmp_path, campaign)
    frame = cells.summarize(found)
    drawings = list(masters.draw(found, frame))
    assert [d.name for d in drawings[:3]] == names
    assert [d.detail for d in drawings] == 3 * [False] + 3 * [True]
    assert not list(scaling.draw(found, frame))
    for drawing in drawings:
        assert len(drawing.figure.axes) == 2
        for ax in drawing.figure.axes:
            assert {"Single master", "2 masters", "16 masters"} \
                <= set(lines_of(ax))
    speedup = lines_of(drawings[2].figure.axes[0])
    assert speedup["16 masters"] == pytest.approx([16, 32, 64])
    assert speedup["ideal"] == pytest.approx([1, 2, 4])
    ticks = drawings[2].figure.axes[0].get_xticklabels()
    assert [t.get_text() for t in ticks] == ["8", "9", "10"]


def test_speedup_over_the_sum_of_powers(tmp_path):
    """At one interval; the ideal is that sum over the largest power."""
    made = Directory(tmp_path)
    made.manifest()
    for h, slower in (10, 1.0), (50, 1.5):
        for load in "", "w1:1":
            for power in "1.5,0.5,1.5", "1.5,0.5,1.5,0.5", "1.5,0.5,1.5,1.5":
                total = sum(map(float, power.split(",")))
                made.cell([slower * 10 / total], scheme="tss", load=load,
                          threads=power.count(",") + 1, power=power,
                          kernel="heat:rows=9,cols=90", sync_interval=h,
                          run={"simulated": True, "alone_s": 6.0,
                               "serial_s": 18.0})
    found = loader.load(str(tmp_path))
    frame = cells.summarize(found)
    (drawing,) = powers.draw(found, frame)
    assert "interval 10" in drawing.title
    dedicated, loaded = drawing.figure.axes
    assert loaded.get_title(loc="left") == "Non-dedicated"
    (line,) = [x for x in dedicated.lines if x.get_label() == "DMPS(TSS)"]
    assert list(line.get_xdata()) == [3.5, 4, 5]
    assert list(line.get_ydata()) == pytest.approx([2.1, 2.4, 3.0])
    assert lines_of(dedicated)["ideal"] == pytest.approx(
        [3.5 / 1.5, 4 / 1.5, 5 / 1.5])
    assert not list(scaling.draw(found, frame))


def test_the_theoretical_curve_is_drawn(tmp_path):
    """On linear axes, a panel for each scheme."""
    made = Directory(tmp_path)
    made.manifest()
    lines = []
    for scheme in "static", "tss":
        for h, time in (10, 2.0), (50, 1.0), (100, 1.6):
            made.cell([time] * 3, kernel="heat:rows=10,cols=1000",
                      scheme=scheme, sync_interval=h, sync_choice="given")
            lines.append([list(made.cells.values())[-1], time + 0.1])
    with open(tmp_path / "sync-model.csv", "w", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["cell", *loader.MODEL])
        writer.writerows([cell, 1, 0, 1000, t, t, 50, 1, 50, 50, 50]
                         for cell, t in lines)
    found = loader.load(str(tmp_path))
    (drawing,) = intervals.draw(found, cells.summarize(found))
    assert len(drawing.figure.axes) == 2
    for ax in drawing.figure.axes:
        assert ax.get_xscale() == ax.get_yscale() == "linear"
        assert lines_of(ax)["theoretical"] == pytest.approx([2.1, 1.1, 1.7])
        assert lines_of(ax)["measured"] == pytest.approx([2.0, 1.0, 1.6])


def test_the_quadratic_curve_has_its_ends():
    """Its area is that of all tasks, below and above the border."""
    for d in 1.5, 2, 3:
        points = delta.curve(d)
        area = sum((a[1] + b[1]) / 2 * (b[0] - a[0])
                   for a, b in zip(points, points[1:]))
        assert points[0][1] == pytest.approx(50)
        assert points[-1][1] == pytest.approx(1)
        assert area == pytest.approx(2000, rel=1e-3)
    ends = [delta.curve(d)[-1][0] for d in (1.5, 2, 3)]
    assert ends == sorted(ends)


def test_a_closer_look_has_m_i_2_to_5_alone(tmp_path):
    names = ["lp-fixed", "lp-sqrt", "lp-adaptive",
             *(f"mi-{n}" for n in range(1, 9))]
    with open(tmp_path / "figures.csv", "w", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["figure", "workers", "platform", "latency",
                         "unit_mflop", "load", "heuristic", "time_s",
                         "ratio"])
        writer.writerows(["8, 9", 5, "random", 0, 1000, load, name, 10, 1.1]
                         for load in (100, 200) for name in names)
    drawings = {d.name: lines_of(d.figure.axes[0])
                for d in heuristics.draw(str(tmp_path))}
    assert len(drawings["beaumont-8"]) == 11
    assert set(drawings["beaumont-9"]) == {
        "L.P. with fixed square-root period", "L.P. with adaptive period",
        "M.I.2", "M.I.3", "M.I.4", "M.I.5"}


def test_one_figure_goes_to_a_file(tmp_path):
    under_masters(tmp_path / "d", "han")
    code, out, _ = analysis("figures", tmp_path / "d")
    assert code == 0 and "han-8  " in out and "Figure 8" in out
    for name, head in ("f.pdf", b"%PDF"), ("f.svg", b"<?xml"):
        file = tmp_path / name
        assert analysis("figures", tmp_path / "d", "--figure", "han-8",
                        "--out", file)[0] == 0
        assert file.read_bytes().startswith(head)
        assert b"<text" not in file.read_bytes()    # fonts are inside
    code, _, err = analysis("figures", tmp_path / "d", "--figure", "han8")
    assert code == 2 and "did you mean han-8?" in err
    code, _, err = analysis("figures", tmp_path / "d", "--figure", "han-8",
                            "--out", tmp_path / "f.gif")
    assert code == 2 and "must end in .pdf or .svg" in err
