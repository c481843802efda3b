"""The manual: each link has its page and heading, and README leads to all."""
import re

from conftest import ROOT

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


def test_readme_leads_to_every_page():
    seen, new = set(), {ROOT / "README.md"}
    while new:
        seen |= new
        new = {file for page in new for file, _ in links(page)
               if file.suffix == ".md" and file.exists()} - seen
    assert not set(PAGES) - seen
