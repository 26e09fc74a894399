"""No input crashes the loader, the settings or the players; what is wrong is said in one line.  See ``fuzz.py``."""

import pytest

from cardtable.games import KEYS
from cardtable.store import paths, settings
from tests.budgets import tried
from tests.every_game import WITH_A_SHEET
from tests.store import fuzz
from tests.store.playing import begin, fill

pytestmark = pytest.mark.promise(
    "For maintainers", "No content of a file crashes the program; an error is reported in one line."
)


@pytest.mark.parametrize("game", KEYS)
def test_journals_nobody_should_write(short, game):
    session = begin(game)
    fill(session, 9)
    assert 0.004 < accepted(fuzz.Journals(session.path.read_bytes()), "journals") < 0.2
    session.close()


def accepted(inputs, budget):
    """The share of the inputs that is accepted."""
    return fuzz.run(inputs, tried(budget))[0] / tried(budget)


@pytest.mark.parametrize("game", WITH_A_SHEET)
def test_score_tables_nobody_should_write(game):
    assert 0.005 < accepted(fuzz.ScoreTables(fuzz.score_table_of(game)), "score tables") < 0.75


def test_settings_nobody_should_write():
    assert 0.01 < accepted(fuzz.Settings(), "settings") < 0.2


def test_players_nobody_should_write():
    assert 0.01 < accepted(fuzz.Profiles(), "players") < 0.4


@pytest.mark.parametrize(
    ("data", "why"),
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
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_settings_files_that_cannot_be_read_are_named_and_left_alone(data, why):
    path = paths.settings_file()
    paths.create_folder(path.parent)
    path.write_bytes(data)
    chosen, (complaint,) = settings.load()
    assert chosen == settings.Settings()
    assert why in complaint
    assert "settings.toml: " in complaint
    assert complaint.isprintable()
    assert len(complaint) <= 200
    with pytest.raises(settings.CardtableError, match=r"settings\.toml"):
        settings.save(settings.Settings(), settings.Settings(beep=True))
    assert path.read_bytes() == data
