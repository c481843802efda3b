"""Finds a Python that has the packages below.

Every program of this folder imports this first.  The python3 first on the path
may be one without them: then the program starts again under the system's own,
and if that lacks them too, one line says what to install.
"""
import importlib.util
import os
import shlex
import sys

PACKAGES = ["pandas", "scipy", "matplotlib", "jinja2"]
SYSTEM = "/usr/bin/python3"


def missing():
    return [name for name in PACKAGES if not importlib.util.find_spec(name)]


def packages():
    """Goes on only where the packages are; call before importing them."""
    absent = missing()
    if not absent:
        return
    tried = os.environ.get("DLSBENCH_PYTHON_TRIED")
    if not tried and os.path.exists(SYSTEM):
        os.environ["DLSBENCH_PYTHON_TRIED"] = "1"
        os.execv(SYSTEM, [SYSTEM, *sys.argv])
    debs = " ".join("python3-" + name for name in absent)
    if os.path.exists(os.path.join(os.path.dirname(__file__), "../Makefile")):
        debs += " (or make deps)"
    sys.exit(f"{os.path.basename(sys.argv[0])}: Python lacks "
             f"{', '.join(absent)}: apt-get install {debs}, "
             f"then {shlex.join(sys.argv)}")


packages()
