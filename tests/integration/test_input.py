"""Files of others: compressed, cut off, damaged, with marks, other line ends
and other numbers.  Each is read, or refused in one line with its place."""
import gzip
import lzma
import shutil
import subprocess
from xml.sax import saxutils

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
    ((HEAD + b"2 2 1\n1 1 1\n").decode().encode("utf-16"),
     ":1: this is UTF-16"),
])
def test_matrices_that_are_refused(dlsbench, tmp_path, text, words):
    path = tmp_path / "m.mtx"
    path.write_bytes(text)
    refused(dlsbench("run", "--kernel", f"spmv:file={path}", "--scheme",
                     "gss"), f"{path}{words}")


@pytest.mark.parametrize("name", ["a,b.txt", '"q".txt', "it's $HOME `x`.txt",
                                  "back\\slash.txt", "#1: a=b.txt", "\u202ex"])
def test_any_name_of_a_file(dlsbench, tmp_path, name):
    """Through specs, YAML, JSON, the plan, the shell and the tables."""
    (tmp_path / name).write_text("5:1e-6\n")
    if "," in name:
        refused(dlsbench("run", "--kernel", f"trace:file={name}", "--scheme",
                         "ss"), "written in quotes, as file=\"a,b\"")
    quoted = name.replace('"', '""')
    spec = f'trace:file="{quoted}",steps=1e6'
    once = "--repetitions", 1, "--repetitions-max", 1, "--oversubscribe"
    result = dlsbench("run", "--kernel", spec, "--scheme", "ss", "--ranks", 2,
                      *once)
    assert result.code == 0, result.err
    [run] = result.runs()
    needs = "," in name or name[0] == '"'
    assert run["kernel"] == (f'trace:file="{quoted}"' if needs else
                             f"trace:file={name}") + ",steps=1e+06"
    again = dlsbench("run", result.directory / "campaign.yaml", out=another())
    assert again.code == 0, again.err
    assert [x["cell"] for x in again.runs()] == [run["cell"]]
    done = dlsbench("replay", "--trace", name, "--workers", 1, "--scheme",
                    "ss,css:chunk=2,gss", "--format", "csv")
    assert done.code == 0 and len(done.out.splitlines()) == 4, done.err
    assert "\u202e" not in done.err + result.err


HEADER = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">"""
NAMES = ["host 0", " lead", "trail ", "tab\there", "a:2", "b:x", "a,b", "#x",
         "q\"uo'te", "ünï", "x&y<z>", "%20", "a*?[b]", "\\n", "$HOME`id`",
         "-np", "(p);|", "a  b", "long" * 100]


def simulated(dlsbench, path, workers):
    return dlsbench("sim", "--platform", path, "--workers", workers,
                    "--kernel", "adjoint:size=20", "--scheme", "ss",
                    "--transport", "window", "--repetitions", 1,
                    out=another())


def test_any_name_of_a_host(dlsbench, tmp_path):
    """Each with a rank: two processes would not fit on any."""
    hosts = "".join(f"<host id={saxutils.quoteattr(name)} speed='1Gf'/>"
                    for name in NAMES)
    links = "".join(
        f"<link id='l{i}' bandwidth='1GBps' latency='1us'/>"
        f"<host_link id={saxutils.quoteattr(name)} up='l{i}' down='l{i}'/>"
        for i, name in enumerate(NAMES))
    path = tmp_path / "names.xml"
    path.write_text(f"{HEADER}<zone id='z' routing='Cluster'>{hosts}{links}"
                    "</zone></platform>")
    done = simulated(dlsbench, path, len(NAMES))
    assert done.code == 0, done.err
    done = simulated(dlsbench, path, len(NAMES) + 1)
    assert done.code == 2 or done.code == 1
    assert f"has {len(NAMES)} hosts, {len(NAMES)} cores" in done.err


def test_names_that_a_cluster_makes(dlsbench, tmp_path):
    path = tmp_path / "cluster.xml"
    for topology in ("", " topology='FAT_TREE' "
                     "topo_parameters='2;2,2;1,2;1,2'"):
        path.write_text(
            f"{HEADER}<cluster id='c' prefix='my node ' suffix=' of 4'"
            f" radical='0-3' speed='1Gf' bw='1GBps' lat='1us'{topology}/>"
            "</platform>")
        done = simulated(dlsbench, path, 4)
        assert done.code == 0, done.err


def test_a_name_with_the_end_of_a_line(dlsbench, tmp_path):
    path = tmp_path / "line.xml"
    path.write_text(f"{HEADER}<zone id='z' routing='Full'>"
                    "<host id='a&#10;b' speed='1Gf'/></zone></platform>")
    done = simulated(dlsbench, path, 1)
    assert done.code == 2 and "'a\\nb' has the end of a line" in done.err


@pytest.mark.parametrize("first,words", [
    (b"\xef\xbb\xbf", "begins with a byte order mark"),
    (b"\xff\xfe", "UTF-16"), (b"\x1f\x8b", "compressed by gzip")])
def test_platforms_that_are_no_plain_text(dlsbench, tmp_path, first, words):
    path = tmp_path / "marked.xml"
    path.write_bytes(first + HEADER.encode())
    refused(simulated(dlsbench, path, 1), str(path), words)
