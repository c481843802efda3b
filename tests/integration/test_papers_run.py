"""bench/papers/run_papers.py: what it refuses, and what it leaves when it is
stopped."""
import signal
import subprocess
import sys
import time

import pytest

from conftest import ROOT, environment
from paper_files import PAPERS

RUN = [sys.executable, PAPERS / "run_papers.py"]
DLSBENCH = ROOT / "build/dlsbench"


@pytest.mark.parametrize("words, says", [
    ([], "usage: "),
    ([DLSBENCH, "han"], "usage: "),
    ([DLSBENCH, "ham={}/out"], "there is no paper 'ham', allowed: "),
    ([DLSBENCH, "han={}/file"], "/file: it cannot be made: File exists"),
    (["/nowhere", "han={}/out"], "/nowhere: it cannot be run")])
def test_nothing_runs_where_something_is_wrong(tmp_path, words, says):
    (tmp_path / "file").touch()
    words = [str(x).format(tmp_path) for x in words]
    done = subprocess.run([*RUN, *words], capture_output=True, text=True,
                          timeout=60, check=False)
    (line,) = done.stderr.splitlines()
    assert done.returncode != 0 and says in line, done.stderr
    assert not (tmp_path / "out").exists()


def test_who_is_stopped_stops_all_and_says_how_to_go_on(tmp_path):
    process = subprocess.Popen(
        [*RUN, DLSBENCH, f"ciorba={tmp_path}/a b"], text=True,
        env=environment(tmp_path), stdout=subprocess.PIPE,
        stderr=subprocess.PIPE)
    end = time.monotonic() + 60
    while not any(tmp_path.glob("a b/*/runs-*.jsonl")):
        assert time.monotonic() < end and process.poll() is None
        time.sleep(0.1)
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 128 + signal.SIGTERM
    assert "resume with" in err and "Traceback" not in err
    left = subprocess.run(["pgrep", "-f", f"{tmp_path}/a b"], check=False,
                          stdout=subprocess.PIPE)
    assert left.stdout == b""
