"""Comparing text with a file of tests/golden; ``UPDATE_GOLDEN=1`` writes the files anew."""

import os
from pathlib import Path

GOLDEN = Path(__file__).parent / "golden"


def check(name: str, text: str) -> None:
    """Assert that ``text`` is what the file ``name`` holds; with ``UPDATE_GOLDEN=1`` make it so."""
    path = GOLDEN / name
    if os.environ.get("UPDATE_GOLDEN"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
    assert path.is_file(), f"{name} is missing; UPDATE_GOLDEN=1 writes it, look at it before it is kept"
    assert text == path.read_text(encoding="utf-8")
