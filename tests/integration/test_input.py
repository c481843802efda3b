"""Files of others: compressed, cut off, damaged, with marks, other line ends
and other numbers.  Each is read, or refused in one line with its place."""
import gzip
import lzma
import shutil
import subprocess

import pytest

from conftest import another

TEXT = "".join(f"{i % 97 + 1}e-6\n" for i in range(5000)).encode()
HEAD = b"%%MatrixMarket matrix coordinate real general\n"


def zstd(data):
    if shutil.which("zstd") is None:
        pytest.skip("there is no zstd")
    return subprocess.run(["zstd", "-q", "-c"], input=data, check=True,
                          stdout=subprocess.PIPE).stdout


PACKERS = {"gz": gzip.compress, "xz": lzma.compress, "zst": zstd}


def replayed(dlsbench, path):
    return dlsbench("replay", "--trace", path, "--workers", 4, "--scheme",
                    "gss", "--format", "csv")


def refused(result, *words):
    """One line, nothing run; with all words."""
    assert result.code == 2, (result.code, result.err)
    lines = result.err.strip().splitlines()
    assert len(lines) == 1, lines
    for word in words:
        assert word in lines[0], lines[0]


def without_wall_time(text):
    """Other columns than the replay's own seconds."""
    return [line.split(",")[:6] for line in text.splitlines()]


@pytest.fixture
def plain(dlsbench, tmp_path):
    path = tmp_path / "plain.txt"
    path.write_bytes(TEXT)
    done = replayed(dlsbench, path)
    assert done.code == 0, done.err
    return without_wall_time(done.out)


@pytest.mark.parametrize("pack", PACKERS.values(), ids=PACKERS)
def test_compressed_traces(dlsbench, tmp_path, plain, pack):
    path = tmp_path / "costs.packed"
    for data in (pack(TEXT), pack(TEXT[:8000]) + pack(TEXT[8000:]),
                 pack(TEXT) + bytes(512)):
        path.write_bytes(data)
        done = replayed(dlsbench, path)
        assert done.code == 0, done.err
        assert without_wall_time(done.out) == plain


@pytest.mark.parametrize("pack", PACKERS.values(), ids=PACKERS)
def test_damaged_traces(dlsbench, tmp_path, pack):
    """Every bit that differs and every byte that lacks is noticed."""
    path = tmp_path / "costs.packed"
    good = pack(TEXT)
    size = len(good)

    def wrong(data, words):
        path.write_bytes(data)
        refused(replayed(dlsbench, path), "costs.packed", words)

    for length in (12, 20, size // 2, size - 5, size - 1):
        wrong(good[:length], "end too early: the file is cut off")
    for place in (size // 3, size // 2, size - 6, size - 2):
        wrong(good[:place] + bytes([good[place] ^ 1]) + good[place + 1:],
              "the compressed data")
    wrong(good + b"garbage", "other bytes follow the compressed data")
    wrong(pack(good), ":1: this is compressed")
    wrong(pack(b""), "has no costs")
    wrong(pack(bytes(1 << 24)), ":1: a zero byte")
    wrong(pack(b"1" * (1 << 24)), ":1: the line is longer than")


@pytest.mark.parametrize("pack", PACKERS.values(), ids=PACKERS)
def test_compressed_matrices_and_images(dlsbench, tmp_path, pack):
    matrix = HEAD + b"3 3 2\n1 1 1.5D+00\n3 2 1d0\n"
    image = b"P5\n40 30\n255\n" + bytes(range(240)) * 5
    for kernel, data in (("spmv", matrix), ("floyd-steinberg", image)):
        path = tmp_path / f"{kernel}.packed"
        key = "file" if kernel == "spmv" else "image"
        words = ("run", "--kernel", f"{kernel}:{key}={path}", "--scheme",
                 "ss", "--repetitions", 1, "--repetitions-max", 1,
                 "--oversubscribe")
        path.write_bytes(pack(data))
        done = dlsbench(*words, out=another())
        assert done.code == 0, done.err
        assert all(x["verified"] for x in done.runs())
        path.write_bytes(pack(data)[:-3])
        done = dlsbench(*words, out=another())
        # An image's rows are read by the ranks only.
        assert done.code == (2 if kernel == "spmv" else 1)
        assert f"{path}" in done.err and "the file is cut off" in done.err


@pytest.mark.parametrize("text,costs", [
    (b"\xef\xbb\xbf1\n2\n", [1, 2]), (b"1\r\n2\r\n", [1, 2]),
    (b"1\r2\r", [1, 2]), (b"1\n2", [1, 2]), (b"\t1 \n\n  2\t# two\n", [1, 2]),
    (b"1.5D+00\n5d-1\n1D0\n", [1.5, 0.5, 1]), (b"2:.5\n+1.\n", [.5, .5, 1]),
    (b"0x10\n1E1\n", [16, 10]),
])
def test_traces_as_others_write_them(dlsbench, tmp_path, text, costs):
    path = tmp_path / "costs.txt"
    path.write_bytes(text)
    done = dlsbench("replay", "--trace", path, "--workers", 1, "--scheme",
                    "ss", "--format", "chunks")
    assert done.code == 0, done.err
    rows = [line.split(",") for line in done.out.splitlines()[1:]]
    assert [float(row[-1]) for row in rows] == costs


@pytest.mark.parametrize("text,words", [
    (b"1\n-1\n", ":2: the cost -1 is negative"),
    (b"1\nnan\n", ":2: 'nan' is not a number"),
    (b"inf\n", ":1: the cost inf is above"),
    (b"1\n1,5\n", ":2: '1,5' is not a number: write a point"),
    (b"1'000\n", ":1: '1'000' is not a number"),
    (b"1 000\n", ":1: '1 000' is not a number"),
    (b"1_000\n", ":1: '1_000' is not a number"),
    (b"1d\n", ":1: '1d' is not a number"),
    (b"1e-3s\n", ":1: '1e-3s' is not a number"),
    (b"1\n2\x003\n", ":2: a zero byte"),
    ("1\n".encode("utf-16"), ":1: this is UTF-16 text: save it as UTF-8"),
    (b"1\n" + b"2" * (1 << 20), ":2: the line is longer than"),
], ids=range(12))
def test_traces_that_are_refused(dlsbench, tmp_path, text, words):
    path = tmp_path / "costs.txt"
    path.write_bytes(text)
    refused(replayed(dlsbench, path), f"{path}{words}")


@pytest.mark.parametrize("text,words", [
    (HEAD + b"2 2 1\n1 1 1,5\n", ":3: '1 1 1,5' is not 'ROW COLUMN VALUE'"),
    (HEAD + b"2 2 1\n1 1 nan\n", ":3: the value nan is not a finite"),
    (HEAD + b"2 2 1\n1 1 1d999\n", ":3: the value inf is not a finite"),
    (HEAD + b"2 2 1\n0x1 1 1\n", ":3: '0x1 1 1' is not"),
    (HEAD + b"2 2 1\n1 1 \x00\n", ":3: a zero byte"),
    ((HEAD + b"2 2 1\n1 1 1\n").decode().encode("utf-16"), ":1: this is UTF-16"),
])
def test_matrices_that_are_refused(dlsbench, tmp_path, text, words):
    path = tmp_path / "m.mtx"
    path.write_bytes(text)
    refused(dlsbench("run", "--kernel", f"spmv:file={path}", "--scheme",
                     "gss"), f"{path}{words}")
