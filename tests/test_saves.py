"""Sample sessions in cardtable/saves/: one for each game, unfinished, with a person on turn."""

import io
from collections import Counter
from pathlib import Path

import pytest

from cardtable.engine import journal, replay
from cardtable.games import GAMES, KEYS
from cardtable.store import sessions, summaries
from tests.cli.conftest import cardtable

__all__ = ["cardtable"]  # a fixture

SAVES = sorted((Path(__file__).parent.parent / "cardtable" / "saves").glob("*.jsonl"))


def test_one_for_each_game():
    counts = Counter(path.name.split("-")[0] for path in SAVES)
    assert counts == Counter(KEYS), "cardtable/saves/ has one session of each game"


@pytest.mark.parametrize("path", SAVES, ids=lambda path: path.stem)
class TestSave:
    def test_is_complete_and_sealed(self, path):
        read = journal.read(path.read_bytes())
        assert read.sealed
        assert not read.torn
        replay.load(read, GAMES).state.assert_invariants()

    def test_guest_is_on_turn_within_a_round(self, path):
        read = journal.read(path.read_bytes())
        table = replay.load(read, GAMES)
        assert [read.header.seats[seat].name for seat in read.header.people] == ["Guest"]
        assert table.turn in read.header.people
        assert table.playing
        assert len(table.list_legal_texts()) > 1

    def test_plays_on_in_a_copy(self, path, tmp_path, monkeypatch):
        monkeypatch.setenv("CARDTABLE_HOME", str(tmp_path))
        before = path.read_bytes()
        session = sessions.fork(path)
        try:
            original = journal.read(before).header
            assert session.path == tmp_path / "sessions" / f"{session.header.id}.jsonl"
            assert session.header.origin.id == original.id != session.header.id
            table = session.referee
            table.play(table.turn, table.view(table.turn).legal[0])
        finally:
            session.close()
        journal.read(session.path.read_bytes())
        assert path.read_bytes() == before


def test_is_found_by_its_name(cardtable, tmp_path, monkeypatch):
    monkeypatch.setenv("CARDTABLE_HOME", str(tmp_path))
    assert cardtable("verify", *[path.stem for path in SAVES]).code == 0
    assert "King" in cardtable("show", "king-of-hearts").out
    assert cardtable("show", "king-of-spades").code == 1


def test_resume_continues_a_copy(cardtable, tmp_path, monkeypatch):
    monkeypatch.setenv("CARDTABLE_HOME", str(tmp_path))
    monkeypatch.setattr("sys.stdin", io.StringIO("quit\n"))
    cardtable("--plain", "resume", "rikiki-round-9")
    (path,) = summaries.find_unfinished_files().values()
    assert path.parent == tmp_path / "sessions"
