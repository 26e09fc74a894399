"""Refuses a release while something is left to fill in, and says what.

    python packaging/check_release.py v1.0.0

CONTRIBUTING.md has the same list, for people.
"""

import re
import sys
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parent.parent
METAINFO: Final = "packaging/share/metainfo/io.github.cardtable.cardtable.metainfo.xml"
REQUIRED: Final = {
    "the version": ("cardtable/__init__.py", '^__version__ = "{version}"$'),
    "its date in the changelog": ("CHANGELOG.md", r"^## \[{version}\] - \d{{4}}-\d\d-\d\d$"),
    "its date for desktops": (METAINFO, '<release version="{version}" date="'),
    "the address for desktops": (METAINFO, '<url type="homepage">https://'),
    "the address of the repository": ("pyproject.toml", r"^\[project\.urls\]$"),
    "an address of the maintainers": ("pyproject.toml", r"^authors = .*\bemail = "),
    "the status": ("pyproject.toml", '"Development Status :: 5 - Production/Stable"'),
    "the address to clone": ("README.md", r"git clone https://"),
}
"""What a release needs, with the file that has it and the pattern that finds it."""


def list_missing(version: str) -> list[str]:
    """Return what is left to fill in before this version, with the file."""
    return [
        f"{what} ({file})"
        for what, (file, pattern) in REQUIRED.items()
        if not re.search(
            pattern.format(version=re.escape(version)), (ROOT / file).read_text(encoding="utf-8"), re.MULTILINE
        )
    ]


if __name__ == "__main__":
    if missing := list_missing(sys.argv[1].removeprefix("v")):
        sys.exit("\n  ".join(["cardtable: to be filled in before a release:", *missing]))
