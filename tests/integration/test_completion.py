"""Manual pages and completion come from the tables of the commands; a real
bash and a real zsh ask the program."""
import os
import pty
import re
import select
import shutil
import subprocess
import time

import pytest

from conftest import ROOT
from test_help import COMMANDS, READERS, say

SHELLS = {
    "bash": (["bash", "--norc", "--noprofile", "-i"],
             f"source {ROOT}/packaging/completion/dlsbench.bash"),
    "zsh": (["zsh", "-f", "-i"],
            f"fpath=({ROOT}/packaging/completion $fpath); autoload -U "
            "compinit; compinit -u -D; setopt no_list_beep"),
}


@pytest.mark.parametrize("command", [[]] + [[x] for x in COMMANDS])
def test_a_manual_page_has_every_option(command):
    page = subprocess.run(["man", "--warnings", "-l", "-"], text=True,
                          input=say(*command, "--help=man"), check=True,
                          capture_output=True, env={**os.environ,
                                                    "MANWIDTH": "200"})
    assert page.stderr == ""
    text = re.sub(".\b", "", page.stdout)
    for heading in "NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS":
        assert f"\n{heading}\n" in text
    said = re.findall(r"^  (--\S+)", say(*command, "--help=all"), re.M)
    assert re.findall(r"^       (--\S+)", text.split("\nOPTIONS\n")[1],
                      re.M)[:len(said)] == said
    names = {x.split("[")[0].split("=")[0] for x in said}
    offered = [x.split("\t") for x in
               say(*command, "--help=complete").splitlines()]
    assert {x[0].split("=")[0] for x in offered
            if x[0].startswith("--")} == names
    assert all(len(x) == 2 and x[1] for x in offered)
    also = re.findall(r"(dlsbench\S*)\((\d)\)", text.split("\nSEE ALSO\n")[1])
    assert also[:-1] == ([("dlsbench", "1")] if command else []) + [
        (f"dlsbench-{x}", "5") for x in ("keys", "columns", "rules")]
    if not command:
        known = COMMANDS + READERS
        assert [x[0] for x in offered][:len(known)] == known


def defined(path, word):
    """The names of the entries WORD(type, NAME or WORD(NAME of a table."""
    before = r"\([^(]*?, " if word == "COLUMN" else r"\("
    return set(re.findall(rf"^{word}{before}(\w+),", (ROOT / path).read_text(),
                          re.M))


FIELDS = defined("harness/cell/cell_fields.def", "FIELD")


@pytest.mark.parametrize("section, names", [
    ("keys", {"name", "seed", "cells", "layout", "cell_seconds", "events",
              "kernel", "perturb"}),
    ("columns", (FIELDS | {"ahead", "stolen"} | defined(
        "harness/record/line/run_columns.def", "COLUMN"))
     - {"nodes", "facts"}),
    ("rules", {"FUNCTION", "FILE:LINE"})])
def test_files_have_a_sentence_for_each_name(section, names):
    """In a list and on a manual page."""
    listed = re.findall(r"^  (\S+)(?: +|\n +)(\S.*)", say("list", section),
                        re.M)
    assert names <= {x[0] for x in listed}
    page = subprocess.run(["man", "--warnings", "-l", "-"], text=True,
                          input=say("list", section, "--man"), check=True,
                          capture_output=True, env={**os.environ,
                                                    "MANWIDTH": "200"})
    assert page.stderr == ""
    text = re.sub(r"(?<=\S) +", " ", re.sub(".\b", "", page.stdout))
    for name, sentence in listed:
        assert re.search(rf"^       {re.escape(name)}\s+"
                         rf"{re.escape(sentence)}", text, re.M), name


def test_every_key_that_is_allowed_has_its_sentence():
    listed = say("list", "keys")
    done = subprocess.run([ROOT / "build/dlsbench", "run", "smoke",
                           "--dry-run", "--set", "9=1"], text=True,
                          capture_output=True)
    assert "'dlsbench list keys' lists" in done.stderr
    for name in FIELDS - {"sync_choice", "predicted_s", "chosen_scheme",
                          "chosen_hierarchy", "chosen_interval"}:
        assert re.search(rf"^  {name} +\S", listed, re.M), name
    assert "(null)" not in listed + say("list", "columns")


def test_what_is_no_file_has_no_page():
    for words, why in [(["schemes", "--man"], "not for schemes"),
                       (["--man"], "needs keys, columns or rules")]:
        done = subprocess.run([ROOT / "build/dlsbench", "list", *words],
                              text=True, capture_output=True)
        assert done.returncode == 2 and why in done.stderr
        assert len(done.stderr.splitlines()) == 1


def typed(shell, text, tmp_path, expected="never"):
    """What the terminal shows after this text and two tabulators, until what
    is expected is there."""
    words, setup = SHELLS[shell]
    env = {**os.environ, "PATH": f"{ROOT}/build:{os.environ['PATH']}",
           "HOME": str(tmp_path), "PS1": "> ", "PROMPT": "> ", "TERM": "dumb",
           "INPUTRC": "/dev/null", "ZDOTDIR": str(tmp_path)}
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(tmp_path)
        os.execvpe(words[0], words, env)
    shown = ""

    def until(pattern, limit=60):
        nonlocal shown
        end = time.monotonic() + limit
        while not re.search(pattern, shown) and time.monotonic() < end:
            if select.select([terminal], [], [], 0.2)[0]:
                shown += os.read(terminal, 65536).decode(errors="replace")
        return re.search(pattern, shown)
    try:
        os.write(terminal, f"{setup}; echo rea''dy\n".encode())
        assert until("ready\r"), shown
        shown = ""
        os.write(terminal, (text + "\t\t").encode())
        until(expected, 3 if expected == "never" else 60)
        return shown
    finally:
        os.close(terminal)
        os.kill(pid, 9)
        os.waitpid(pid, 0)


@pytest.mark.parametrize("shell", SHELLS)
def test_a_real_shell_completes(shell, tmp_path):
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    (tmp_path / "worked.yaml").touch()
    for text, expected in [
            ("dlsbench sum", "dlsbench summary"),
            ("dlsbench replay --no", "--node-ranks="),
            ("dlsbench run workst", "dlsbench run workstation"),
            ("dlsbench run work", "(?s)(?=.*worked.yaml).*workstation"),
            ("dlsbench predict --format=",
             "(?s)(?=.*json)(?=.*markdown).*csv")]:
        shown = typed(shell, text, tmp_path, expected)
        assert re.search(expected, shown), shown
    # Words behind -- are another program's.
    shown = typed(shell, "dlsbench omp -- true --tr", tmp_path)
    assert "--trace" not in shown and "--try" not in shown, shown
