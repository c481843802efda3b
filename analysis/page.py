"""One HTML page that needs nothing but itself: no network, no script.  Its
markup and most of its words are in templates/."""
import os

import jinja2
import markupsafe

from .figure_kinds import style

DARK = ["#4aa3df", "#f08344", "#2fc79a", "#e29bc4", "#f0b840", "#8fd0f5",
        "#c9a184"]
LONG_WORDS = 48     # characters that stay on one line
SHORT_WORDS = 15    # that need no width of their own where words wrap
TEMPLATES = jinja2.Environment(
    loader=jinja2.FileSystemLoader(os.path.join(os.path.dirname(
        os.path.abspath(__file__)), "templates")),
    autoescape=lambda name: name.endswith(".html"), trim_blocks=True,
    lstrip_blocks=True, undefined=jinja2.StrictUndefined)
PARTS = TEMPLATES.get_template("parts.html").module
WORDS = TEMPLATES.get_template("words.html").module
paragraph, details, verbatim, facts = (
    PARTS.paragraph, PARTS.details, PARTS.verbatim, PARTS.facts)


def variables(colours):
    return " ".join(f"--c{i}: {c};" for i, c in enumerate(colours))


def css():
    return TEMPLATES.get_template("page.css").render(
        light=variables(style.COLOURS), dark=variables(DARK))


def join(parts):
    """Joins the parts that are not empty."""
    return markupsafe.Markup("\n").join(filter(None, parts))


def figure(title, caption, svg):
    """`svg`: the text of an element."""
    return PARTS.figure(title, caption, markupsafe.Markup(svg))


def table(grid):
    def kind(i, words):
        return "n" if i >= grid.left else \
            "wrap" if grid.wraps and len(words) > SHORT_WORDS else \
            "long" if len(words) > LONG_WORDS else ""

    def row(words):
        return words, [kind(i, word) for i, word in enumerate(words)]
    return PARTS.table(grid.title, grid.caption, row(grid.header),
                       list(map(row, grid.rows)))


def section(title, body, is_open=True):
    return {"title": title, "anchor": style.file_name(title), "body": body,
            "is_open": is_open}


def document(title, sections, **rest):
    """`rest`: authors, what, notes, first; as page.html has them."""
    return TEMPLATES.get_template("page.html").render(
        {"authors": "", "what": None, "notes": [], "first": None, **rest},
        title=title, sections=sections, css=markupsafe.Markup(css()))
