"""What makes a file of this folder a program, not only a module.

A program imports this first, by its folder.  The modules then find each other
in PACKAGE, as after `import dlsbench`.  The python3 first on the path may lack
the packages below: the program then starts again under the system's own, and
if that lacks them too, one line says what to install.
"""
import importlib.util
import os
import shlex
import sys

FOLDER = os.path.dirname(os.path.abspath(__file__))
PACKAGE = os.path.basename(FOLDER)
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
sys.path[:] = [os.path.dirname(FOLDER)] + [
    path for path in sys.path if os.path.abspath(path) != FOLDER]
