"""docs/journal.md: its example is a real journal, and its sketch of a reader checks journals."""

import json
import re
from pathlib import Path
from typing import get_args

import msgspec
import pytest

from cardtable.engine import journal, replay
from cardtable.engine.journal import KINDS, SENTENCES, Header, Line, MarkKind
from cardtable.games import GAMES
from cardtable.robots.arena import play_session

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


def read_table(heading):
    """Return the cells of the rows of a table, given the beginning of its heading."""
    rows = TEXT[TEXT.index(f"| {heading} |") :].split("\n\n")[0].splitlines()[2:]
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]


def test_every_kind_of_line_is_described_with_its_members():
    described = {}
    for example, optional, _ in read_table("line"):
        required = [*json.loads(example.strip("`").replace("[...]", "[1,1]"))]
        kind = next(member for member in required if member in KINDS)
        described[kind] = required, {*re.findall(r"`(\w+)`", optional)}
    members = {kind: msgspec.structs.fields(line_class) for kind, line_class in KINDS.items()}
    assert described == {
        kind: (
            [field.encode_name for field in fields if field.required],
            {field.encode_name for field in fields if not field.required} - {"at", "when"},
        )
        for kind, fields in members.items()
    }
    assert {*KINDS.values()} == {*get_args(Line)}


def test_every_mark_is_described_with_its_sentence():
    described = {mark.strip("`"): sentence.strip("`") for mark, _, sentence in read_table("mark")}
    assert {mark: sentence for mark, sentence in described.items() if sentence != "-"} == SENTENCES
    assert {*described} == {*get_args(MarkKind)}
