"""Comparison of texts with files in tests/golden; ``UPDATE_GOLDEN=1`` writes the files."""

import os
from pathlib import Path

GOLDEN = Path(__file__).parent / "golden"


def check_golden(name: str, text: str) -> None:
    """Assert that a golden file contains ``text``; with ``UPDATE_GOLDEN=1`` write it."""
    path = GOLDEN / name
    if os.environ.get("UPDATE_GOLDEN"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
    assert path.is_file(), f"{name} is missing; UPDATE_GOLDEN=1 writes it, look at it before it is kept"
    assert text == path.read_text(encoding="utf-8")


def check_paragraph(page, heading, expected):
    """Compare the paragraph below a heading of a page, or write it anew if ``UPDATE_GOLDEN`` is set."""
    before, after = page.read_text(encoding="utf-8").split(heading)
    listed, rest = after.split("\n\n", 1)
    if os.environ.get("UPDATE_GOLDEN"):
        page.write_text(f"{before}{heading}{expected}\n\n{rest}", encoding="utf-8", newline="\n")
    else:
        assert listed == expected
