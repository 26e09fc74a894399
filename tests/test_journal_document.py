"""docs/journal.md: its example is a real journal, and its sketch of a reader checks journals."""

import re
from pathlib import Path

import msgspec
import pytest

from cardtable.engine import journal, replay
from cardtable.engine.journal import KINDS, Header
from cardtable.games import GAMES
from cardtable.robots.arena import play_session
from cardtable.store import club_sessions

ROOT = Path(__file__).parent.parent
TEXT = (ROOT / "docs" / "journal.md").read_text(encoding="utf-8")
EXAMPLE = re.findall(r"```jsonl\n(.*?)```", TEXT, re.DOTALL)
SKETCH = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)


def load_checksum_sketch():
    """Return the function of the page that checks checksums."""
    names = {}
    exec(SKETCH[0], names)
    return names["check"]


def test_example_is_a_session_in_progress():
    table = replay.load(journal.read(EXAMPLE[0].encode()), GAMES)
    assert (table.game.about.key, table.decisions, table.turn) == ("gurka", 2, 2)


def test_example_matches_written_journal():
    lines = []
    header = journal.read(EXAMPLE[0].encode()).header
    options = GAMES["gurka"].options()
    play_session(GAMES["gurka"], ["steady"] * 4, options, header.seed, lines.append)
    example = [entry.line for entry in journal.read(EXAMPLE[0].encode()).entries]
    assert [msgspec.structs.replace(line, at=None, when=None) for line in example] == lines[:3]


@pytest.mark.parametrize("path", sorted((ROOT / "cardtable" / "saves").glob("*.jsonl")), ids=lambda path: path.stem)
def test_sketch_accepts_sample_sessions(path):
    load_checksum_sketch()(path.read_bytes().splitlines())


def test_sketch_finds_a_changed_line():
    lines = EXAMPLE[0].replace("play TH", "play AS").encode().splitlines()
    with pytest.raises(ValueError, match="line 3"):
        load_checksum_sketch()(lines)


def test_every_header_field_is_described():
    described = set(re.findall(r"^\| `(\w+)` \|", TEXT, re.MULTILINE))
    members = {{"origin": "from"}.get(name, name) for name in Header.__struct_fields__}
    assert members <= described


def test_every_line_kind_is_described():
    described = set(re.findall(r'^\| `\{"(\w+)"', TEXT, re.MULTILINE)) | {"action"}
    assert set(KINDS) <= described


def test_club_messages_are_described():
    text = " ".join(TEXT.split())
    assert f"`{club_sessions.AT_CLUB}`" in text
    assert f"`{club_sessions.REVEALED}`" in text
    assert f"`{club_sessions.PRIVATE}`" in text
