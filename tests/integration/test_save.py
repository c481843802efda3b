"""--save: the picture is what was computed, wherever the results were left."""
import subprocess

import pytest


def plain(path):
    """Columns, rows and values of a gray map, plain or raw."""
    data = path.read_bytes()
    magic, cols, rows, most, *_ = data.split(maxsplit=4)
    cols, rows = int(cols), int(rows)
    assert magic == b"P5" and most == b"255"
    return cols, rows, list(data[-cols * rows:])


@pytest.mark.parametrize("kernel", ["mandelbrot:size=60,maxiter=50",
                                    "floyd-steinberg:rows=50,cols=70"])
def test_every_layout_saves_the_same(dlsbench, campaign, kernel):
    result = dlsbench("run", campaign(f"""
repetitions: 1
repetitions_max: 1
kernel: "{kernel}"
scheme: [css, gss]
save: on
cells:
  - layout: [1x1, 1x2]
  - layout: 3x1
    transport: master
    hierarchy: [flat, "2"]
    collect: [master, local]
  - {{layout: 2x2, transport: [master, window], hierarchy: node}}
"""), "--oversubscribe")
    assert result.code == 0, result.err
    pictures = sorted(result.directory.glob("*.pgm"))
    cells = {x["cell"] for x in result.done()}
    assert {x.stem.rsplit("-", 1)[1] for x in pictures} == cells
    assert len(cells) == 16
    assert len({x.read_bytes() for x in pictures}) == 1
    assert {x["repetition"] for x in result.runs()} == {1}


def test_a_picture_of_ones_own(dlsbench, tmp_path):
    """What is black and white already stays as it is."""
    rows, cols = 9, 13
    gray = [255 if (r * 5 + c * 3) % 4 else 0
            for r in range(rows) for c in range(cols)]
    path = tmp_path / "own.pgm"
    path.write_text(f"P2 {cols} {rows} 255\n" +
                    "\n".join(map(str, gray)) + "\n")
    result = dlsbench("run", "--kernel", f"floyd-steinberg:image={path}",
                      "--scheme", "ss", "--threads", 2, "--save")
    assert result.code == 0, result.err
    [picture] = result.directory.glob("floyd-steinberg-*.pgm")
    assert plain(picture) == (cols, rows, gray)


def test_kernels_without_a_picture(dlsbench):
    result = dlsbench("run", "--kernel", "heat", "--scheme", "ss", "--save")
    assert result.code == 2
    assert "heat computes no picture" in result.err
    assert "mandelbrot, floyd-steinberg" in result.err


@pytest.mark.parametrize("shape", [("--threads", 2), ("--ranks", 2)])
def test_a_picture_on_a_full_disk_fails_its_cell(dlsbench, disk, shape):
    small = disk("2000k")
    args = ("run", "--kernel", "mandelbrot:size=2048,maxiter=20", "--scheme",
            "gss", *shape, "--oversubscribe", "--save", "--repetitions", 1,
            "--repetitions-max", 1, "--out", f"{small}/r/")
    result = dlsbench(*args)
    result.directory = small / "r"
    assert result.code == 1
    assert "could not be written: No space left on device" in result.err
    assert [x["status"] for x in result.done()] == ["failed"]
    assert not list(result.directory.glob("*.pgm"))
    subprocess.run(["mount", "-o", "remount,size=8m", small], check=True)
    again = dlsbench(*args, "--resume")
    assert again.code == 0, again.err
    assert [x["status"] for x in result.done()] == ["failed", "ok"]
    [picture] = result.directory.glob("*.pgm")
    assert picture.stat().st_size > 2048 * 2048
