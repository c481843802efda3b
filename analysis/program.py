"""How a program of analysis/ begins and ends: its arguments, its exit code."""
import argparse
import os
import sys


def arguments(text):
    """A parser whose help is the program's own text.  Users start it as
    dlsbench NAME."""
    first, rest = text.split("\n\n", 1)
    name = os.path.basename(sys.argv[0]).removesuffix(".py")
    return argparse.ArgumentParser(
        prog=name if name.startswith("dlsbench") else f"dlsbench {name}",
        description=first, epilog=rest,
        formatter_class=argparse.RawDescriptionHelpFormatter)


def beside(*places):
    """The first of these that is there, from the readers' folder on; None."""
    here = os.path.dirname(os.path.realpath(__file__))
    found = (os.path.realpath(os.path.join(here, place)) for place in places)
    return next(filter(os.path.exists, found), None)


class Output:
    """Standard output, which may be read to the end or not (| head)."""

    def __init__(self, file):
        self.file = file

    def __getattr__(self, name):
        return getattr(self.file, name)

    def write(self, text):
        return self.unless_closed(self.file.write, text)

    def flush(self):
        return self.unless_closed(self.file.flush)

    def unless_closed(self, function, *args):
        try:
            return function(*args)
        except BrokenPipeError:
            self.drop()
            return None
        except OSError as error:
            self.drop()
            raise OSError("cannot write to the standard output: "
                          f"{error.strerror}") from None

    def drop(self):
        """Discards the text still to be written."""
        os.dup2(os.open(os.devnull, os.O_WRONLY), self.file.fileno())


def run(name, main):
    try:
        if sys.stdout is None:
            raise OSError("the standard output is closed")
        sys.stdout = Output(sys.stdout)
        code = main()
        sys.stdout.flush()
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        print(f"{name}: {where}{error.strerror or error}", file=sys.stderr)
        code = 2
    sys.exit(code)
