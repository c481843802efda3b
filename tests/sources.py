"""The files of the sources: those of git, or all of a release's archive."""
import fnmatch
import os
import pathlib
import subprocess


def listed(*patterns):
    """As git ls-files takes patterns; without one all.  A file that is not
    committed yet belongs to them, one that is removed does not."""
    if os.path.exists(".git"):
        names = subprocess.run(
            ["git", "-c", "safe.directory=*", "ls-files", "-co",
             "--exclude-standard", "--", *patterns],
            check=True, capture_output=True, text=True).stdout.split("\n")
    else:
        names = [str(path) for path in pathlib.Path().rglob("*")
                 if path.is_file() and "__pycache__" not in path.parts
                 and not path.parts[0].startswith("build")]
        names = [name for name in names if not patterns or any(
            fnmatch.fnmatch(name, pattern) or name.startswith(pattern + "/")
            for pattern in patterns)]
    return [path for path in map(pathlib.Path, filter(None, names))
            if path.exists()]
