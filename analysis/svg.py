"""Figures as PDF, PGF, and as SVG inside a page.  There colours are CSS
variables of the page, and identifiers of two figures never collide."""
import html
import io
import re
import shutil

import matplotlib
from matplotlib.backends import backend_pgf
from matplotlib.backends.backend_pdf import FigureCanvasPdf
from matplotlib.backends.backend_pgf import FigureCanvasPgf
from matplotlib.backends.backend_svg import FigureCanvasSVG

from .figure_kinds import look, style

# With a font of the document's, and with one of the system.
LATEX_DEBS = "texlive-latex-base texlive-pictures", "texlive-xetex"
HEAD = re.compile(r"^.*?(?=<svg)", re.DOTALL)
METADATA = re.compile(r"\s*<metadata>.*?</metadata>", re.DOTALL)
SIZE = re.compile(r' width="([\d.]+)pt" height="[\d.]+pt"')
STYLE = re.compile(r"\s*<defs>\s*<style.*?</style>\s*</defs>", re.DOTALL)
PATTERN = re.compile(r'<pattern id="(.*?)".*?<rect [^>]*fill="(.*?)"/>\s*'
                     r'<path d="(.*?)".*?</pattern>', re.DOTALL)
FONT = re.compile(r"font: ([\d.]+)px 'DejaVu Sans'")


def colour_names():
    """matplotlib's names -> the page's definitions."""
    names = {style.INK: "var(--ink)", style.FAINT: "var(--faint)",
             style.PAPER: "var(--paper)"}
    names.update({c: f"var(--c{i})" for i, c in enumerate(style.COLOURS)})
    return names


# The canvases print by themselves: figure.savefig() would draw every figure
# once more before, to lay out what style.legend() has laid out.
def text_of(figure, fonts=False):
    """`fonts`: letters are outlines, for readers without our font."""
    file = io.StringIO()
    with matplotlib.rc_context({"svg.fonttype": "path"} if fonts else {}):
        FigureCanvasSVG(figure).print_svg(file, metadata={"Date": None})
    return file.getvalue()


def pdf_of(figure):
    file = io.BytesIO()
    FigureCanvasPdf(figure).print_pdf(file, metadata={"CreationDate": None})
    return file.getvalue()


def latex(with_font):
    """The program that says how large letters are; only two of them know the
    fonts of the system."""
    programs = [*["pdflatex"] * (not with_font), "xelatex", "lualatex"]
    found = next(filter(shutil.which, programs), None)
    if not found:
        raise look.LookError(
            f"PGF needs LaTeX, {' or '.join(programs)}: apt-get install "
            + LATEX_DEBS[bool(with_font)] + ", or write PDF")
    return found


def pgf_of(figure, with_font):
    """The figure as PGF.  Without a font it uses that of its document."""
    program = latex(with_font)
    with matplotlib.rc_context({"pgf.texsystem": program,
                                "pgf.rcfonts": False}):
        file = io.StringIO()
        try:
            FigureCanvasPgf(figure).print_pgf(file)
        except backend_pgf.LatexError:
            raise look.LookError(
                f"{program} here lacks a package: apt-get install "
                + LATEX_DEBS[bool(with_font)]) from None
        except ValueError as error:
            raise look.LookError("LaTeX refuses a text: " + str(
                error).partition("\n")[0]) from None
    return file.getvalue()


def as_stripes(pattern):
    """A hatch as a gradient with steps: browsers print it as lines, and a
    pattern as one image for each bar (four times the size of the page).  The
    shape of the hatch chooses the direction."""
    name, colour, path = pattern.groups()
    across = 0 if "C" in path else -3 if path.count("M") > 30 else 3
    stops = zip((0, .8, .8, 1), (colour, colour, "var(--ink)", "var(--ink)"))
    return (f'<linearGradient id="{name}" gradientUnits="userSpaceOnUse" '
            f'spreadMethod="repeat" x1="0" y1="0" x2="3" y2="{across}">'
            + "".join(f'<stop offset="{at}" stop-color="{of}"/>'
                      for at, of in stops) + "</linearGradient>")


def inline(text, prefix, title):
    """An <svg> element from the text of an SVG file; `prefix` is this
    figure's own in its page."""
    text = METADATA.sub("", HEAD.sub("", text))
    text = STYLE.sub("", text)
    for colour, name in colour_names().items():
        text = text.replace(colour, name)
    text = PATTERN.sub(as_stripes, text)
    text = re.sub(r'id="', f'id="{prefix}-', text)
    text = re.sub(r'(xlink:href="#|url\(#)', rf"\1{prefix}-", text)
    text = FONT.sub(r"font: \1px var(--font)", text)
    text = text.replace("font-family: 'DejaVu Sans'",
                        "font-family: var(--font)")
    width = float(SIZE.search(text).group(1))
    text = SIZE.sub("", text, count=1)
    return text.replace(
        "<svg ", f'<svg role="img" aria-label="{html.escape(title)}" '
        f'style="width:100%;max-width:{width * 4 / 3:.0f}px;'
        f'min-width:{min(width, 560):.0f}px" ', 1)
