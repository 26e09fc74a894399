"""The file of the seasons."""

import pytest
from msgspec.structs import replace

from cardtable.engine.errors import CardtableError
from cardtable.store import paths, seasons
from cardtable.store.seasons import Season

AUTUMN = Season("Autumn", ("rikiki",), begins=1_793_880_000, ends=1_793_966_400)


@pytest.fixture(autouse=True)
def autumn(home):
    seasons.add(AUTUMN)


def test_seasons_are_saved_and_found_by_name():
    winter = Season("Winter", ("king", "gurka"), ranked_by="points", least=3)
    seasons.add(winter)
    assert seasons.load() == (AUTUMN, winter)
    assert seasons.find(seasons.load(), " aUTUMN ") == AUTUMN
    for typed in ("WİNTER", "wınter"):
        assert seasons.find(seasons.load(), typed) == winter
        with pytest.raises(CardtableError, match="already"):
            seasons.add(Season(typed, ("king",)))
    assert seasons.delete("autumn") == AUTUMN
    assert seasons.load() == (winter,)


@pytest.mark.parametrize(
    ("act", "error"),
    [
        (lambda: seasons.add(Season("AUTUMN", ("king",))), "there is a season called AUTUMN already"),
        (lambda: seasons.delete("Spring"), "no season is called 'Spring'; there are: Autumn"),
        (lambda: seasons.change("Autumn", lambda season: replace(season, name="a\nb")), "no line breaks"),
        (lambda: seasons.change("Autumn", lambda season: seasons.close(seasons.close(season, ()), ())), "is closed"),
        (
            lambda: seasons.change("Autumn", lambda season: seasons.add_session(seasons.close(season, ()), "s")),
            "is closed",
        ),
    ],
)  # fmt: skip
def test_refused_change_leaves_the_file_alone(act, error):
    before = paths.seasons_file().read_bytes()
    with pytest.raises((CardtableError, ValueError), match=error):
        act()
    assert paths.seasons_file().read_bytes() == before


def test_a_session_is_either_added_or_left_out():
    added = seasons.change("Autumn", lambda season: seasons.add_session(season, "s"))
    assert (added.added, added.left_out) == (("s",), ())
    removed = seasons.change("autumn", lambda season: seasons.remove_session(season, "s"))
    assert (removed.added, removed.left_out) == ((), ("s",))
    assert seasons.load() == (removed,)
