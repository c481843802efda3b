"""What make install-lib puts beside the libraries: manual pages, and an
interface that stays as programs were compiled with it."""
import re
import shutil
import subprocess
import sys

import pytest

from conftest import ROOT

sys.path.insert(0, str(ROOT / "tests"))
import abi  # noqa: E402


@pytest.fixture(scope="module")
def interface(installed):
    return abi.interface(installed)


STORED = abi.STORED.read_text().splitlines()


def test_programs_of_the_stored_interface_run_on(interface):
    assert list(abi.differences(STORED, interface)) == []


def changed(interface, old, new):
    assert any(re.search(old, line) for line in interface)
    lines = [re.sub(old, new, line) for line in interface]
    return " ".join(abi.differences(STORED, [x for x in lines if x]))


def test_what_breaks_programs_is_found(interface):
    gone = changed(interface, r"symbol libdls dls_next@@DLS_1", "")
    assert "gone or changed, which breaks programs: symbol" in gone
    other = changed(interface, r"dls_next@@DLS_1", "dls_next@@DLS_2")
    assert "gone or changed" in other and "new, not stored" in other
    assert "gone or changed" in changed(interface, r"int64_t \*begin",
                                        "int *begin")
    moved = changed(interface, r"name 8\+8 text 16\+8", "text 8+8 name 16+8")
    assert "gone or changed" in moved
    grown = changed(interface, r"(struct dls_shape.*)", r"\1 more 24+8")
    assert "gone or changed" in grown  # it has no size
    assert changed(interface, r"(struct dls_options.*)",
                   r"\1 more 48+8") == ""
    assert "new, not stored" in " ".join(abi.differences(
        STORED, [*interface, "symbol libdls dls_more@@DLS_1"]))


@pytest.mark.skipif(shutil.which("abidiff") is None,
                    reason="abigail-tools are not installed (make deps test)")
def test_types_are_those_of_the_stored_interface(installed, tmp_path):
    """By abidiff, which looks behind pointers."""
    assert abi.types_differ(installed) == ""

    def changed(old, new):
        other = tmp_path / new.split()[0] / "include"
        shutil.copytree(installed / "include", other)
        header = (other / "dls.h").read_text()
        assert header.count(old) == 1
        (other / "dls.h").write_text(header.replace(old, new))
        return abi.types_differ(other.parent)
    assert "from 'double' to compatible type 'typedef int64_t'" in changed(
        "double busy_s;", "int64_t busy_s;")
    assert "type of 'int workers' changed" in changed(
        "int workers;         /* at", "long workers;         /* at")
    assert "1 data member insertion" in changed(
        "const double *costs;\n", "const double *costs; int more;\n")


@pytest.mark.parametrize("page", ["dls", "dls_mpi"])
def test_manual_pages(installed, page):
    pages = installed / "share/man/man3"
    header = (installed / f"include/{page}.h").read_text()
    for name in re.findall(r"^[a-z].*?\b(dls_\w+)\(", header, re.M):
        assert (pages / f"{name}.3").read_text() == f".so man3/{page}.3\n"
    done = subprocess.run(
        ["groff", "-man", "-ww", "-Tascii", "-rHY=0", "-P-c", "-P-b", "-P-u",
         pages / f"{page}.3"], capture_output=True, text=True, check=True)
    assert done.stderr == ""
    (package,) = re.findall(r"pkg-config --cflags --libs (\S+)", done.stdout)
    assert (installed / f"lib/pkgconfig/{package}.pc").exists()
    # All words of the header are there, whatever its lines.
    said = re.sub(r'^(#if|#define .*_H$|#endif|#include|extern "C").*', "",
                  header, flags=re.M)
    assert set(re.findall(r"[a-z_]{4,}", said.lower())) <= set(
        re.findall(r"[a-z_]{4,}", done.stdout.lower()))
    shown = subprocess.run(["man", "-M", installed / "share/man", "dls_next"],
                           capture_output=True, text=True, check=False)
    assert "next chunk of this worker" in re.sub(r"\s+", " ", shown.stdout)
