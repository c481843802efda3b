#!/usr/bin/env python3
"""Draws one figure of a result directory, or of a plan's CSV file, as PDF, SVG
or PGF by the file's ending.

    dlsbench figures DIR                             names the figures
    dlsbench figures DIR --figure NAME --out FILE
    dlsbench figures DIR --figure NAME --out FILE --width 3.5in --size 8 \\
        --label logself:beta=1=logself --from 0

Papers' figures have their names: han-3 to han-8, ciorba-6, andronikos-7,
diaz-2, beaumont-9.  What dlsbench plan --format csv prints, in FILE.csv in
place of DIR, has the figure `plan`: who receives and computes when.  Exit
codes: 0, or 2 when it cannot be drawn.
"""
import difflib
import os
import sys

if not __package__:
    import need    # a script: makes the folder its package
    __package__ = need.PACKAGE

from . import cells, files, loader, program, stored_paper, svg, traces
from .figure_kinds import kinds, look, plan


def drawings(directories):
    """Every figure, as soon as it is drawn."""
    path, *more = directories
    if not more and path.endswith(".csv") and not os.path.isdir(path):
        yield plan.draw(path)
        return
    try:
        results = loader.load(*directories)
    except loader.LoadError:
        if not stored_paper.exist(directories[0]):
            raise
        tasks = kinds.of_papers(directories[0])
    else:
        frame = cells.summarize(results)
        tasks = kinds.tasks(results, frame, traces.traces(results, frame),
                            frame["kernel"].nunique())
    for task in tasks:
        yield from task()


def write(drawing, out, own_font):
    data = {"svg": lambda figure: svg.text_of(figure, fonts=True),
            "pdf": svg.pdf_of, "pgf": lambda figure:
            svg.pgf_of(figure, own_font)}[ending(out)](drawing.figure)
    with files.new(out, "wb") as file:
        file.write(data if isinstance(data, bytes) else data.encode())
    print(f"{out}: {drawing.title}\n{drawing.caption}")


def ending(name):
    found = name.rpartition(".")[2]
    if found not in ("pdf", "svg", "pgf"):
        raise look.LookError(f"--out: '{name}' must end in .pdf, .svg or .pgf")
    return found


def arguments():
    parser = program.arguments(__doc__)
    parser.add_argument("directory", metavar="DIR", nargs="+")
    parser.add_argument("--figure", metavar="NAME", help="which one")
    parser.add_argument("--out", metavar="FILE",
                        help="FILE.pdf (NAME.pdf by default) and FILE.svg "
                        "have their fonts inside, FILE.pgf is for "
                        "\\input in LaTeX and has the document's font")
    parser.add_argument("--width", metavar="LENGTH", help="such as 3.5in, "
                        "8.9cm, 89mm, 252pt; panels then stand below each "
                        "other where they must")
    parser.add_argument("--font", metavar="NAME", help="such as 'DejaVu "
                        "Serif', or serif")
    parser.add_argument("--size", metavar="PT", help="of letters (9)")
    parser.add_argument("--label", metavar="OLD=NEW", action="append",
                        default=[], help="NEW stands where the figure has "
                        "OLD by itself: ss is not replaced in css; OLD may "
                        "contain = and commas, NEW a formula in $")
    parser.add_argument("--from", metavar="VALUE", action="append",
                        default=[], dest="begin", help="where the axis of the "
                        "values begins, in its unit; x=VALUE, y=VALUE: that "
                        "axis")
    args = parser.parse_args()
    changes = [name for name in ("out", "width", "font", "size", "label",
                                 "begin") if getattr(args, name)]
    if changes and not args.figure:
        option = changes[0].replace("begin", "from")
        raise look.LookError(f"--{option} needs --figure NAME")
    return args


def look_of(args):
    rc = {}
    if args.size:
        rc["font.size"] = look.size(args.size)
    if args.font:
        rc["font.family"] = look.font(args.font)
    elif args.out.endswith(".pgf"):
        rc["font.family"] = "serif"     # LaTeX's name for the document's
    return look.Look(args.width and look.width(args.width),
                     list(map(look.label, args.label)),
                     list(map(look.begin, args.begin)), rc)


def show(directories):
    """The names of all figures; whether there is one."""
    count = 0
    for count, drawing in enumerate(drawings(directories), 1):
        print(f"{drawing.name:28} {drawing.title}")
    if not count:
        raise loader.LoadError(f"{directories[0]} has no figure at all")


def draw(args):
    args.out = args.out or args.figure + ".pdf"
    if ending(args.out) == "pgf":
        svg.latex(args.font)
    own, names = look_of(args), []
    with own.used():
        for drawing in drawings(args.directory):
            if drawing.name == args.figure:
                if drawing.figure in own.problems:
                    raise own.problems[drawing.figure]
                write(drawing, args.out, args.font)
                return
            names.append(drawing.name)
    near = difflib.get_close_matches(args.figure, names, 1)
    raise loader.LoadError(
        f"{args.directory[0]} has no figure {args.figure}"
        + (f": did you mean {near[0]}?" if near else
           f"; it has {', '.join(names)}" if names else " or any other"))


def main():
    try:
        args = arguments()
        if args.figure:
            draw(args)
        else:
            show(args.directory)
        return 0
    except (loader.LoadError, look.LookError) as error:
        print(f"figures: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    program.run("figures", main)
