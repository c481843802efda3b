"""Every command of the tutorial runs, and begins its lines as shown there."""
import os
import re
import subprocess

from conftest import ROOT


def test_the_tutorial_runs_as_it_is_written(tmp_path):
    text = (ROOT / "docs/tutorial.md").read_text()
    (tmp_path / "blur.c").write_text(re.search("```c\n(.*?)```", text,
                                               re.S)[1])
    path = f"{ROOT}/build:{os.environ['PATH']}"
    blocks = [x.split("\n    ") for x in re.split(r"\n    \$ ", text)[1:]]
    assert len(blocks) == 7
    for command, *shown in blocks:
        command = command.split("\n\n")[0]
        done = subprocess.run(command, shell=True, cwd=tmp_path, text=True,
                              capture_output=True, timeout=300,
                              env={**os.environ, "PATH": path})
        assert done.returncode == 0, done.stderr
        said = done.stdout + done.stderr
        for line in shown:
            # "Answer:", "Use:", "Gain:"; the rest is this machine's.
            word = re.match(r"(\w[\w ]*:)  ?", line)
            if word and word[1] != "Permanently:":
                assert f"\n{word[1]}" in "\n" + said, (command, line, said)
