"""The check of sizes sees what is too large."""
import sys

from conftest import ROOT

sys.path.insert(1, str(ROOT / "tests"))
import sizes  # noqa: E402


def test_functions_are_measured_with_their_heads():
    lines = ["/* Says", " * why. */", "static int long_one(int a,",
             "                    int b)", "{", *["    a += b;"] * 57, "}", "",
             "int main(void)", "{", "}"]
    assert list(sizes.functions(lines)) == [("long_one", 61), ("main", 3)]


def test_fields_are_counted():
    text = """struct wide {
    int a, b; /* two; of them */
    struct {
        int x, y, z;
    } inner;
    int (*call)(int a, int b);
    char text[8];
};
"""
    assert list(sizes.structs(text)) == [("wide", 5)]


def test_what_is_too_large_is_said(monkeypatch):
    monkeypatch.setattr(sizes, "EXCEPTIONS", {
        ("file", "a.c"): (450, ""), ("struct", "a.c: s"): (40, ""),
        ("file", "gone.c"): (410, "")})
    said = sizes.check({("file", "a.c"): 451, ("file", "b.c"): 401,
                        ("file", "c.c"): 400, ("struct", "a.c: s"): 25,
                        ("function", "a.c: f"): 61, ("folder", "a"): 26})
    assert said == [
        "file a.c: 451 lines, at most 450", "file b.c: 401 lines, at most 400",
        "folder a: 26 files, at most 25",
        "function a.c: f: 61 lines, at most 60",
        "struct a.c: s: take it out of EXCEPTIONS in tests/sizes.py",
        "file gone.c: take it out of EXCEPTIONS in tests/sizes.py"]


def test_the_house_is_as_small_as_it_says():
    found = sizes.measure()
    assert sizes.check(found) == []
    assert found["function", "bench/commands/dlsbench.c: main"] > 10
    assert found["struct", "harness/transport/transport.h: transport_ops"] > 9


def test_each_folder_keeps_its_budget(monkeypatch):
    found = sizes.totals()
    assert sizes.over_budget(found) == []
    monkeypatch.setitem(sizes.BUDGET, "base", found["base"][0] - 1)
    assert sizes.over_budget(found) == [
        f"folder base: {found['base'][0]} lines, its budget is "
        f"{found['base'][0] - 1}"]
