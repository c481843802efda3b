"""Writes files as a whole, and never through a symbolic link.

Others may write to a result directory: a link there is replaced by the file.
"""
import contextlib
import os


@contextlib.contextmanager
def new(path, mode="w", **how):
    """Takes the place of `path` when it is closed without an error."""
    if os.path.exists(path) and not os.path.isfile(path):
        with open(path, mode, **how) as file:       # as /dev/stdout
            yield file
        return
    part = f"{path}.{os.getpid()}.part"
    with contextlib.suppress(FileNotFoundError):
        os.unlink(part)
    try:
        with open(part, mode.replace("w", "x"), **how) as file:
            yield file
        os.replace(part, path)
    except BaseException as error:
        if isinstance(error, OSError):
            error.filename = path   # of a full disk it has none
        with contextlib.suppress(OSError):
            os.unlink(part)
        raise


def write(path, text):
    with new(path, encoding="utf-8") as file:
        file.write(text)


def folder(path):
    """Makes it; a link in its place leads to somebody else's files."""
    if os.path.islink(path):
        raise OSError(f"{path}: it is a symbolic link; remove it")
    os.makedirs(path, exist_ok=True)
