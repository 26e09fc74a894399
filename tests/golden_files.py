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
