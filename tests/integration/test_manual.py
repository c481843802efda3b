"""The manual: each link has its page and heading, and README leads to all."""
import html.parser
import os
import re
import subprocess
import urllib.parse

import pytest

from conftest import ROOT
from test_analysis_report import browse

PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md",
         ROOT / "results/README.md", *sorted(ROOT.glob("docs/**/*.md"))]


def without_code(page):
    return re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"),
                  flags=re.S | re.M)


def headings(page):
    """The anchors that a page has for its headings."""
    return {re.sub(r"[^\w\- ]", "", line.lower()).replace(" ", "-")
            for line in re.findall(r"^#+ (.*)$", without_code(page), re.M)}


def links(page):
    """(file, anchor) of each link to a file."""
    for link in re.findall(r"\]\(([^)\s]+)\)", without_code(page)):
        if "://" not in link:
            name, _, anchor = link.partition("#")
            yield (page.parent / name).resolve() if name else page, anchor


def test_each_link_leads_to_a_heading():
    wrong = [(page.name, file.name, anchor)
             for page in PAGES for file, anchor in links(page)
             if not file.exists()
             or anchor and anchor not in headings(file)]
    assert not wrong


def test_each_row_of_a_table_is_a_line():
    for page in PAGES:
        cut = [line for line in without_code(page).split("\n")
               if line.startswith("| ") and not line.endswith("|")]
        assert (page.name, cut) == (page.name, [])


class Page(html.parser.HTMLParser):
    """What a page of the book has: anchors, links, and what it loads."""

    def __init__(self, path):
        super().__init__()
        self.anchors, self.links, self.loaded = set(), set(), set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        self.anchors.add(found.get("id"))
        link = found.get("href") or found.get("src")
        if link and tag == "a":
            self.links.add(link)
        elif link:
            self.loaded.add(link)


@pytest.mark.skipif("ALL" not in os.environ, reason="make test-all")
def test_the_book_is_whole_and_can_be_searched(tmp_path):
    """Sphinx warns of nothing, each link has its target, nothing comes from
    the network, and a browser finds a page by its words."""
    done = subprocess.run(["make", "docs", f"BUILD={tmp_path}/build"],
                          cwd=ROOT, capture_output=True, text=True)
    if "make docs needs" in done.stderr:
        pytest.skip("Sphinx, MyST and Furo are not installed")
    assert (done.returncode, done.stderr) == (0, "")
    book = tmp_path / "build/manual/html"
    pages = {path: Page(path) for path in book.rglob("*.html")}
    assert len(pages) >= len(PAGES)
    for path, page in pages.items():
        assert [x for x in page.loaded if "://" in x] == []
        for link in page.links | page.loaded:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme:
                continue
            target = (path.parent / urllib.parse.unquote(parts.path)).resolve()
            target = target if parts.path else path
            assert target.exists(), (path, link)
            if parts.fragment and target in pages:
                assert parts.fragment in pages[target].anchors, (path, link)
    (book / "find.html").write_text(
        '<meta http-equiv="refresh" content="0;url=search.html?q=requeued">')
    shown, _ = browse(book / "find.html", tmp_path, "--dump-dom",
                      "--virtual-time-budget=20000")
    assert "results/README.html" in re.search(
        r'id="search-results">(.*)', shown, re.S)[1]


def test_readme_leads_to_every_page():
    seen, new = set(), {ROOT / "README.md"}
    while new:
        seen |= new
        new = {file for page in new for file, _ in links(page)
               if file.suffix == ".md" and file.exists()} - seen
    assert not set(PAGES) - seen
