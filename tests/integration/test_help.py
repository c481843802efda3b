"""Every command says what it can be told: --help, --usage and --version."""
import re
import subprocess

import pytest

from conftest import ROOT

LISTED = (ROOT / "bench/options/commands.def").read_text()
COMMANDS = re.findall(r'^COMMAND\("(.*?)", \w+,\s+"', LISTED, re.M)
READERS = re.findall(r'^READER\("(.*?)"', LISTED, re.M)  # in Python
DLSBENCH = ROOT / "build/dlsbench"


def say(*words):
    return subprocess.run([DLSBENCH, *words], text=True, check=True,
                          stdin=subprocess.DEVNULL, stderr=subprocess.STDOUT,
                          stdout=subprocess.PIPE).stdout


def test_help_names_the_commands():
    assert re.findall(r"^  (\w+) {2,}\w", say("--help"), re.M) \
        == COMMANDS + READERS
    for name in READERS:
        assert say(name, "--help").startswith("usage: ")


@pytest.mark.parametrize("command", [[]] + [[x] for x in COMMANDS])
def test_help_fits_and_usage_has_its_options(command):
    text = say(*command, "--help=all")
    assert text.startswith(" ".join(["Usage: dlsbench", *command]) + " [OPT")
    assert max(map(len, text.splitlines())) < 80
    options = re.findall(r"^  (--\S+)", text, re.M)
    assert options[-3:] == ["--help", "--usage", "--version"]
    usage = re.findall(r"\[(--\S+)\](?= |$)", say(*command, "--usage"), re.M)
    assert usage == options
    short = say(*command, "--help")
    assert short == say(*command, "-h") == say(*command, "-?") \
        == say("help", *command)
    if len(options) <= 17:
        assert short == text
    else:
        shown = re.findall(r"^  (--\S+)", short, re.M)
        assert len(shown) == 13 and set(shown) < set(options)
        assert f"\nThere are {len(options) - 13} more: dlsbench " \
            f"{command[0]} --help=all\n" in short


def test_help_of_something_is_refused():
    for words in ["--help=al"], ["run", "--help=al"]:
        done = subprocess.run([DLSBENCH, *words], capture_output=True,
                              text=True, check=False)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr == "dlsbench: --help: 'al' is unknown; allowed: " \
            "--help, --help=all, --help=man, --help=complete\n"


def test_without_a_command_the_usage_is_printed():
    done = subprocess.run([DLSBENCH], capture_output=True, text=True,
                          check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == say("--help") + "dlsbench: a command is missing\n"


def test_version_is_the_same_everywhere():
    version = say("--version")
    assert re.fullmatch(r"dlsbench \S+\n", version)
    for command in COMMANDS:
        assert say(command, "--version") == say(command, "-V") == version


@pytest.mark.parametrize("command", [[]] + [[x] for x in COMMANDS])
def test_an_unknown_option_is_one_line(command):
    done = subprocess.run([DLSBENCH, *command, "--hlep"], text=True,
                          capture_output=True)
    assert done.returncode == 2 and done.stdout == ""
    assert done.stderr == \
        "dlsbench: unknown option --hlep; did you mean --help?\n"
