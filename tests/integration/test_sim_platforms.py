"""Which hosts SimGrid gets: of a fat tree those that a launch uses, of every
other platform all."""
import os
import shutil

import pytest

from conftest import ROOT, SMALL

RANGER = ROOT / "bench/platforms/ranger.xml"
CELL = ("--kernel", "adjoint:size=60", "--scheme", "gss", "--master",
        "dedicated", "--hierarchy", 2)


@pytest.fixture
def told(tmp_path, monkeypatch):
    """A smpirun that keeps each platform that it gets; returns their texts."""
    folder, kept = tmp_path / "bin", tmp_path / "kept"
    folder.mkdir()
    kept.mkdir()
    smpirun = folder / "smpirun"
    smpirun.write_text(f"""#!/bin/sh
case "$*" in *--hosts*) what=asked;; *) what=launched;; esac
before= platform=
for word in "$@"; do
    [ "$before" = -platform ] && platform=$word
    before=$word
done
cat "$platform" > "{kept}/$(ls "{kept}" | wc -l)-$what"
exec {shutil.which("smpirun")} "$@"
""")
    smpirun.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")

    def texts(what):
        return [path.read_text() for path in sorted(kept.glob("*-" + what))]
    return texts


def platform(folder, text, *changes, name="there.xml"):
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    path = folder / name
    path.write_text(text)
    return path


def digits(result):
    assert result.code == 0, result.err
    changing = {"launch", "started", "wall_s", "cell", "platform", "seed"}
    return [{k: v for k, v in row.items() if k not in changing}
            for kind in ("runs", "workers") for row in result.lines(kind)]


def test_a_fat_tree_has_the_hosts_that_a_launch_uses(sim, told):
    result = sim("--platform", RANGER, *CELL, "--workers", 40)
    (row,) = result.runs()
    # 40 workers, two masters and the one above them: three hosts of a switch.
    for text in told("asked") + told("launched"):
        assert 'radical="0-15"' in text and "2;16,1;1,16;1,1" in text
    assert len(told("launched")) == 1
    assert row["platform"].endswith("ranger.xml")


@pytest.mark.parametrize("workers, hosts, tree, used", [
    (40, "0-4351", "2;16,272;1,16;1,1", "0-15"),
    # Over several switches, with gaps between the numbers.
    (600, "3-22,100-420,1000-5010", "2;16,272;1,16;1,1", "3-22,100-127"),
    # Three levels, and two links between each two switches.
    (300, "0-4351", "3;4,8,136;1,2,4;1,2,2", "0-31")],
    ids=["one", "gaps", "levels"])
def test_it_takes_as_long_as_on_the_whole_tree(sim, told, tmp_path, workers,
                                               hosts, tree, used):
    """SimGrid reads "04351" as 4351; a tree with that is not cut."""
    changes = ("0-4351", hosts), ("2;16,272;1,16;1,1", tree)
    text = RANGER.read_text()
    part = platform(tmp_path, text, *changes)
    start, _, last = hosts.rpartition("-")
    whole = platform(tmp_path, text, ("0-4351", f"{start}-0{last}"),
                     changes[1], name="whole.xml")
    args = (*CELL, "--workers", workers, "--trace")
    first = sim("--platform", part, *args, out="part")
    second = sim("--platform", whole, *args, out="uncut")
    assert digits(first) == digits(second)
    assert [f'radical="{x}"' in text
            for x, text in zip((used, f"{start}-0{last}"), told("launched"))
            ] == [True, True]


def test_all_hosts_count_for_what_fits(sim, told):
    result = sim("--platform", RANGER, "--kernel", "null", "--scheme", "ss",
                 "--workers", 70000)
    assert result.code == 1
    assert "room for 69632 ranks of 1 thread, 70000 are" in result.err
    assert " has 4352 hosts, 69632 cores" in result.err
    assert "0-15" in told("asked")[0] and not told("launched")


def test_other_platforms_go_to_simgrid_as_they_are(sim, told, tmp_path):
    """A zone, a flat cluster, and a fat tree beside a host."""
    tree = RANGER.read_text().replace("4351", "271").replace("272", "17")
    both = (tree.replace("<cluster", '<zone id="all" routing="None"><cluster')
            .replace("</platform>", '<zone id="front" routing="Full"><host '
                     'id="other" speed="1Gf"/></zone></zone></platform>'))
    flat = (tree.replace('topology="FAT_TREE"', "")
            .replace('topo_parameters="2;16,17;1,16;1,1"', ""))
    for number, text in enumerate((SMALL, flat, both)):
        path = platform(tmp_path, text, name=f"{number}.xml")
        result = sim("--platform", path, *CELL, "--workers", 3,
                     out=f"out-{number}")
        assert result.code == 0, result.err
        assert told("asked")[-1] == told("launched")[-1] == text


def test_what_is_wrong_with_a_tree_is_said_of_the_users_file(sim, tmp_path):
    """Also where the part that was asked for first would be right."""
    text = RANGER.read_text()
    for number, change in enumerate([
            ('bw="1GBps"', 'bw="1XBps"'), ('id="ranger"', 'id="ranger" no=""'),
            ("0-4351", "0-4350"), ("2;16,272;1,16", "2;16,272;1"),
            ("</platform>", "")]):
        path = platform(tmp_path, text, change, name=f"wrong-{number}.xml")
        result = sim("--platform", path, *CELL, "--workers", 3,
                     out=f"out-{number}")
        assert result.code == 2
        (said,) = result.error_lines()
        assert f"wrong-{number}.xml: SimGrid finds no hosts" in said
        assert "/proc/" not in said, said
