"""The manual as one book, by Sphinx: `make docs`.  Its pages are README.md and
what it leads to, as they are."""
import pathlib

project = "DLSBench"
author = copyright = "The DLSBench authors"
release = (pathlib.Path(__file__).parents[2] / "VERSION").read_text().strip()
extensions = ["myst_parser"]
myst_heading_anchors = 6
root_doc = "README"
include_patterns = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md",
                    "results/README.md", "docs/**"]
html_theme = "furo"
html_title = f"DLSBench {release}"
html_copy_source = False
html_show_sphinx = False
CONTENTS = """

```{toctree}
:hidden:
:caption: Guides
:glob:
docs/*
```
```{toctree}
:hidden:
:caption: Reference
:glob:
docs/reference/*
results/README
```
```{toctree}
:hidden:
:caption: Evidence
:glob:
docs/evidence/*
```
```{toctree}
:hidden:
:caption: The project
CHANGELOG
CONTRIBUTING
```
"""


def add_contents(app, name, source):
    """README.md itself has a list for readers of its text."""
    if name == root_doc:
        source[0] += CONTENTS


def setup(app):
    app.connect("source-read", add_contents)
