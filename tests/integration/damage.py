"""Damages result directories by chance, and runs the programs of analysis/ on
them in forked copies of this process, as starting each anew would take most of
the time."""
import contextlib
import io
import json
import os
import pathlib
import resource
import runpy
import shutil
import signal
import sys
import traceback

from conftest import ROOT

STORED = pathlib.Path(__file__).parent / "stored"
TRIED = STORED.parent / "stored_tried"      # by dlsbench omp --try
MEMORY = 4 << 30      # bytes that a reader may ask for
SECONDS = 120         # that one damaged directory may take
# What a value becomes.
VALUES = ["null", "true", "false", "0", "-1", "0.5", "1", "1.5", "1e300",
          "-1e300", "1e999", "NaN", "-Infinity", "9" * 400, "9" * 19, '""',
          '"x"', '"ok"', '"nan"', '"1e9"', '"\\u00b2"', '"\\ud800"',
          '"\\u0000"', '"a\\nb"', '"/=:,"', "[]", "[1]", "{}", '{"a":1}',
          '{"a":{"b":[null]}}', "[" * 3000 + "]" * 3000]


# ---- damages: each takes the random numbers and a directory ----

def some_file(random, folder, ending=""):
    return random.choice(sorted(
        x for x in folder.iterdir() if x.name.endswith(ending)
        and x.is_file()))


def edit_bytes(random, folder):
    path = some_file(random, folder)
    data = bytearray(path.read_bytes())
    for _ in range(random.choice([1, 1, 10, 100])):
        if not data:
            break
        at = random.randrange(len(data))
        kind = random.randrange(4)
        if kind == 0:
            data[at] = random.randrange(256)
        elif kind == 1:
            data[at:at + random.choice([1, 10, 1000])] = b""
        elif kind == 2:
            data[at:at] = random.randbytes(random.choice([1, 8]))
        else:
            data[at:at] = random.choice(b'{}[]",:-.0e\n').to_bytes(1, "big")
    path.write_bytes(data)


def cut(random, folder):
    path = some_file(random, folder)
    data = path.read_bytes()
    path.write_bytes(data[:random.randrange(len(data) + 1)])


def take_away(random, folder):
    path = some_file(random, folder)
    path.unlink()
    kind = random.randrange(4)
    if kind == 0:
        path.mkdir()
    elif kind == 1:
        path.write_bytes(b"")
    elif kind == 2:
        path.symlink_to(folder / "not there")


def edit_lines(random, folder):
    path = some_file(random, folder, ".jsonl")
    lines = path.read_bytes().splitlines(keepends=True)
    for _ in range(random.choice([1, 3])):
        if not lines:
            break
        at, to = random.randrange(len(lines)), random.randrange(len(lines))
        kind = random.randrange(4)
        if kind == 0:
            del lines[at:to + 1]
        elif kind == 1:
            lines.insert(to, lines[at])
        elif kind == 2:
            lines[at], lines[to] = lines[to], lines[at]
        else:
            lines[at] = random.choice([b"\n", b"null\n", b"[]\n", b"{}\n",
                                       b'{"type":"run"}\n', b"7\n"])
    path.write_bytes(b"".join(lines))


def all_keys(value, before=()):
    """The paths to all values in objects, in lists too."""
    pairs = value.items() if isinstance(value, dict) else \
        enumerate(value) if isinstance(value, list) else ()
    for key, inner in pairs:
        yield (*before, key)
        yield from all_keys(inner, (*before, key))


def change(value, path, text, random):
    """Puts a placeholder at the path, or takes the key away."""
    for key in path[:-1]:
        value = value[key]
    if isinstance(value, dict) and random < 0.3:
        moved = value.pop(path[-1])
        if random < 0.1:
            value["renamed_s"] = moved
    else:
        value[path[-1]] = "@" + text


def edit_values(random, folder):
    """In one object or in all of a file that have it."""
    path = some_file(random, folder)
    whole = path.suffix == ".json"
    try:
        text = path.read_text()
        objects = [json.loads(x) for x in
                   ([text] if whole else text.splitlines())]
    except ValueError:
        return
    if not objects:
        return
    chosen = random.randrange(len(objects))
    keys = list(all_keys(objects[chosen]))
    if not keys:
        return
    key, becomes = random.choice(keys), random.choice(VALUES)
    everywhere, how = random.random() < 0.5, random.random()
    for i, one in enumerate(objects):
        if i == chosen or everywhere:
            with contextlib.suppress(LookupError, TypeError):
                change(one, key, "value", how)
    lines = [json.dumps(x).replace('"@value"', becomes) for x in objects]
    path.write_text("".join(x + "\n" for x in lines))


def add_file(random, folder):
    """Of another kind under a known name, or a folder."""
    source = some_file(random, folder)
    kind = random.choice(["runs", "workers", "chunks", "choices", "manifest"])
    target = folder / f"{kind}-x.json{'l' * (kind != 'manifest')}"
    if random.random() < 0.3:
        target.mkdir(exist_ok=True)
    elif not target.exists():
        shutil.copyfile(source, target)


DAMAGES = [edit_bytes, cut, take_away, edit_lines, add_file] \
    + 8 * [edit_values]


def damage(random, folder, source=STORED):
    """A copy of a stored directory with one to three damages."""
    shutil.copytree(source, folder)
    for _ in range(random.choice([1, 1, 2, 3])):
        if any(x.is_file() and x.stat().st_size and x.suffix == ".jsonl"
               for x in folder.iterdir()):
            with contextlib.suppress(IndexError, UnicodeDecodeError):
                random.choice(DAMAGES)(random, folder)


# ---- readers ----

def prepare():
    """Imports what the readers need, once for all copies."""
    sys.path[:0] = [str(ROOT), str(ROOT / "analysis")]
    from analysis import advise, compare, report  # noqa: F401


def call(program, args):
    """What is wrong with how a program of analysis/ ended, or None."""
    out, err = io.StringIO(), io.StringIO()
    out.reconfigure = lambda **_: None
    sys.argv = [program, *map(str, args)]
    words = " ".join([program, *map(str, args)])
    code = 0
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            runpy.run_path(str(ROOT / "analysis" / f"{program}.py"),
                           run_name="__main__")
    except SystemExit as end:
        code = end.code
    except BaseException:
        return f"{words}\n{traceback.format_exc()}"
    try:
        (out.getvalue() + err.getvalue()).encode()
    except UnicodeEncodeError as error:
        return f"{words}: what it prints cannot be written: {error}"
    lines = [x for x in err.getvalue().splitlines() if x]
    if code not in (0, 1, 2, 3, None):
        return f"{words}: exit code {code}"
    if any(not x.startswith(program + ": ") for x in lines):
        return f"{words}: {lines}"
    return None if code != 2 or lines else f"{words}: 2 and says nothing"


def in_a_copy(calls):
    """The first complaint of these calls, or None."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.setpgid(0, 0)
        os.close(read)
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
        signal.alarm(10 * SECONDS)
        said = next(filter(None, (call(*x) for x in calls)), "")
        with open(write, "w", errors="replace") as pipe:
            pipe.write(said)
        os._exit(0)
    os.close(write)
    with open(read) as pipe:
        said = pipe.read()
    _, status = os.waitpid(child, 0)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
    code = os.waitstatus_to_exitcode(status)
    return said or (f"a reader has ended with {code}" if code else None)
