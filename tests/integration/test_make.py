"""make without a package that building needs."""
import os
import subprocess
import time

import pytest

from conftest import ROOT


@pytest.mark.parametrize("missing, says", [
    (["hwloc"], "not installed: hwloc (libhwloc-dev); install"),
    (["papi", "yaml-0.1"],
     "installed: papi (libpapi-dev or PAPI=0) yaml-0.1 (libyaml-dev); in")])
def test_a_missing_package_is_named_first(tmp_path, missing, says):
    """With the command that installs it, before anything is compiled."""
    found = tmp_path / "found"
    found.mkdir()
    for folder in subprocess.run(
            ["pkg-config", "--variable", "pc_path", "pkg-config"], text=True,
            capture_output=True, check=True).stdout.strip().split(":"):
        for name in os.listdir(folder) if os.path.isdir(folder) else []:
            if name.removesuffix(".pc") not in missing \
                    and not (found / name).exists():
                (found / name).symlink_to(f"{folder}/{name}")
    begin = time.monotonic()
    done = subprocess.run(
        ["make", f"BUILD={tmp_path}/build", "all", "lib"], cwd=ROOT, text=True,
        capture_output=True, timeout=60, env={
            **{k: v for k, v in os.environ.items()
               if not k.startswith(("MAKE", "PKG_CONFIG"))},
            "PKG_CONFIG_LIBDIR": str(found)})
    took = time.monotonic() - begin
    assert done.returncode == 2 and done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert says in line and "make deps" in line
    assert not (tmp_path / "build").exists()
    print(f"{took:.1f} s")
