"""One HTML page that needs nothing but itself: no network, no script."""
import html

from figures import style

DARK = ["#4aa3df", "#f08344", "#2fc79a", "#e29bc4", "#f0b840", "#8fd0f5",
        "#c9a184"]
CSS = """
:root { color-scheme: light dark;
  --paper: #fefefe; --ink: #1a1a1a; --faint: #d5d5d5; --soft: #f3f4f6;
  --font: system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif;
  %(light)s }
@media (prefers-color-scheme: dark) { :root {
  --paper: #15171a; --ink: #e6e6e6; --faint: #3d4148; --soft: #20242a;
  %(dark)s } }
body { font: 15px/1.5 var(--font); color: var(--ink);
  background: var(--paper); margin: 0 auto; max-width: 1000px;
  padding: 1.5rem 1rem 4rem; }
h1 { font-size: 1.6rem; margin: 0 0 .4rem; }
h2 { font-size: 1.2rem; margin: 0; display: inline; }
section { margin-top: 1.2rem; padding-top: .5rem;
  border-top: 1px solid var(--faint); }
section > details > div { scroll-margin-top: 3rem; }
h3 { font-size: 1rem; margin: 1.5rem 0 .2rem; }
p, ul { margin: .4rem 0; }
a { color: inherit; }
nav { display: flex; flex-wrap: wrap; gap: .2rem 1rem; font-size: .9rem;
  margin: 1rem 0; }
.answer { background: var(--soft); border-left: 4px solid var(--c0);
  padding: .5rem 1rem; margin: .6rem 0; }
.answer p:first-child { font-weight: 600; }
.note { border-left: 4px solid var(--c1); padding: .2rem 1rem;
  margin: .4rem 0; background: var(--soft); }
.small { font-size: .85rem; }
.authors { font-style: italic; }
figure { margin: 0 0 1.5rem; }
figcaption { font-size: .85rem; max-width: 48rem; }
.wide { overflow-x: auto; margin: .6rem 0 1.4rem; }
svg { height: auto; display: block; }
svg * { stroke-linejoin: round; stroke-linecap: butt; }
table { border-collapse: collapse; font-size: .85rem;
  font-variant-numeric: tabular-nums; }
caption { text-align: left; padding: .3rem 0; }
caption span { display: block; }
th, td { padding: .15rem .7rem .15rem 0; text-align: left;
  white-space: nowrap; vertical-align: top; }
thead th { border-bottom: 1px solid var(--ink); }
tbody tr:nth-child(even) { background: var(--soft); }
.n { text-align: right; }
pre { font-size: .8rem; line-height: 1.3; margin: 0; }
td.long { white-space: normal; overflow-wrap: anywhere; min-width: 16rem; }
td.wrap { white-space: normal; min-width: 7rem; }
details > summary { cursor: pointer; padding: .3rem 0; font-weight: 600; }
@media print { body { max-width: none; } .wide { overflow: visible; }
  details::details-content { content-visibility: visible; height: auto; } }
"""


def variables(colours):
    return " ".join(f"--c{i}: {c};" for i, c in enumerate(colours))


def css():
    return CSS % {"light": variables(style.COLOURS),
                  "dark": variables(DARK)}


def text(words):
    return html.escape(str(words))


def paragraph(words, kind=""):
    return f"<p{kind and f' class={kind}'}>{text(words)}</p>"


def names(authors):
    """Below a title; nothing without them."""
    return paragraph(authors, "authors") if authors else ""


def anchor(title):
    return style.file_name(title)


def section(title, body, is_open=True):
    """A link to it opens it."""
    return f"<section><details{' open' * is_open}><summary><h2>" \
           f"{text(title)}</h2></summary><div id={anchor(title)}>\n{body}" \
           "</div></details></section>"


def navigation(titles):
    links = "".join(f"<a href=#{anchor(t)}>{text(t)}</a>" for t in titles)
    return f"<nav aria-label=Contents>{links}</nav>"


def figure(title, caption, svg):
    return (f"<figure><h3>{text(title)}</h3><div class=wide tabindex=0>{svg}"
            f"</div><figcaption>{text(caption)}</figcaption></figure>")


def details(title, body, is_open=False):
    return f"<details{' open' * is_open}><summary>{text(title)}</summary>" \
           f"{body}</details>"


def verbatim(words):
    return f"<div class=wide tabindex=0><pre>{text(words)}</pre></div>"


def facts(pairs):
    rows = "".join(
        f"<tr><th>{text(name)}</th><td class=long>"
        + "<br>".join(text(v) for v in values) + "</td></tr>"
        for name, values in pairs)
    return f"<div class=wide tabindex=0><table><tbody>{rows}</tbody>" \
           "</table></div>"


def document(title, body):
    return ("<!DOCTYPE html>\n<html lang=en><head><meta charset=utf-8>"
            "<meta name=viewport content=\"width=device-width, "
            "initial-scale=1\">"
            "<link rel=icon href=\"data:,\">"
            f"<title>{text(title)}</title><style>{css()}</style></head>"
            f"<body>\n{body}\n</body></html>\n")
