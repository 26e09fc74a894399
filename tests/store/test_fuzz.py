"""Fuzzed files: no input crashes a loader; errors are reported in one line."""

import pytest

from cardtable.games import KEYS
from cardtable.store import paths, settings
from tests.budgets import get_trials
from tests.every_game import GAMES_WITH_SCORE_SHEET
from tests.store import fuzz
from tests.store.fuzz import compute_accepted_share
from tests.store.playing import create_session, play_every_line_kind


@pytest.mark.parametrize("game", KEYS)
def test_fuzzed_journals(short, game):
    session = create_session(game)
    play_every_line_kind(session, 9)
    assert 0.004 < compute_accepted_share(fuzz.JournalInputs(session.path.read_bytes()), get_trials("journals")) < 0.2
    session.close()


@pytest.mark.parametrize("game", GAMES_WITH_SCORE_SHEET)
def test_fuzzed_score_tables(game):
    inputs = fuzz.ScoreTableInputs(fuzz.create_score_table_bytes(game))
    assert 0.005 < compute_accepted_share(inputs, get_trials("score tables")) < 0.75


def test_fuzzed_settings():
    assert 0.01 < compute_accepted_share(fuzz.SettingsInputs(), get_trials("settings")) < 0.2


def test_fuzzed_profiles():
    assert 0.01 < compute_accepted_share(fuzz.ProfileInputs(), get_trials("players")) < 0.4


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"a" + b".a" * 30_000 + b" = 1\n", "the file is larger than 16 KiB"),
        (b"x = 1\na" + b".a" * 300 + b" = 1\n", "line 2 has more than 500 characters"),
        (b"a = " + b"[\n" * 8000, "nested too deeply"),
        (b"a = " + b"[" * 490 + b"\n" + b"[" * 490 + b"\n" + b"[" * 490, "nested too deeply"),
        (b"a = " + b"9" * 400 + b"\n", "more than 15 digits"),
        (b"a = inf\n", "inf is not a number"),
        (b"a = [[-nan]]\n", "-nan is not a number"),
        (b"a = 1e999\n", "1e999 is not a number"),
        (b"\xff", "not UTF-8 text"),
        (b"a = 1\na = 2\n", "overwrite"),
        (b"robot_pace = fast\n", "Invalid value"),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_unreadable_settings_are_reported_and_unchanged(data, message):
    path = paths.settings_file()
    paths.create_folder(path.parent)
    path.write_bytes(data)
    chosen, (complaint,) = settings.load()
    assert chosen == settings.Settings()
    assert message in complaint
    assert "settings.toml: " in complaint
    assert complaint.isprintable()
    assert len(complaint) <= 200
    with pytest.raises(settings.CardtableError, match=r"settings\.toml"):
        settings.save(settings.Settings(), settings.Settings(beep=True))
    assert path.read_bytes() == data
    assert not path.with_name("settings.toml.bak").exists()
