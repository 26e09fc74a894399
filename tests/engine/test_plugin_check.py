"""Check of the GAME of another package before any list of games shows it."""

from inspect import get_annotations

import pytest
from msgspec.structs import asdict, replace

from cardtable.engine.errors import GameFault
from cardtable.engine.faces import FRENCH, Noun
from cardtable.engine.game import Action, AnyGame, Game
from cardtable.engine.plugin_guard import check_game
from cardtable.games import GAMES
from tests.engine.toy import GAME
from tests.overriding import override


@pytest.mark.parametrize("game", [GAME, *GAMES.values()], ids=lambda game: game.about.key)
def test_valid_game_is_unchanged(game: AnyGame):
    assert vars(check_game(game)).items() <= {fact: getattr(game, fact) for fact in get_annotations(Game)}.items()


@pytest.mark.parametrize(
    ("fact", "value", "message"),
    [
        ("title", None, "its about.title is nothing in place of str"),
        ("summary", 3, "its about.summary is int in place of str"),
        ("seats", ("4",), "its about.seats is str in place of int"),
        ("seats", (), "its numbers of seats"),
        ("seats", (4, 2), "its numbers of seats"),
        ("usual_seats", 9, "its numbers of seats"),
        ("emblem", "XX 2C 3C", "its emblem is not valid: 'XX' is not a card"),
        ("title", " ", "its title is empty"),
        ("faces", replace(FRENCH, signs="♣♦♥\x1b"), "the signs, letters or marks of its faces are not printable"),
        ("emblem", "2C 3C", "its emblem has 2 cards, not 3"),
    ],
)
def test_wrong_fact_is_named(fact, value, message):
    with pytest.raises(GameFault, match=message):
        check_game(override(GAME, about=replace(GAME.about, **{fact: value})))


@pytest.mark.parametrize(
    ("part", "value", "message"),
    [
        ("about", None, "its about is nothing in place of GameInfo"),
        ("options", None, "its options cannot be used: it has to derive from Options"),
        ("view", dict, "its view cannot be used: it has to derive from View"),
        ("actions", None, r"its actions is nothing in place of tuple\[type\[Action\], ...\]"),
        ("actions", ("keep",), r"its actions is str in place of type\[Action\]"),
        ("columns", (1,), "its columns is int in place of str"),
        ("lowest_wins", "yes", "its lowest_wins is str in place of bool"),
        ("sides", None, "its sides is not a function"),
        ("trick", 3, "its trick is not a function"),
        ("marks", (), "its marks is not a function"),
    ],
)
def test_wrong_part_is_named(part, value, message):
    with pytest.raises(GameFault, match=message):
        check_game(override(GAME, **{part: value}))


@pytest.mark.parametrize("fact", ["title", "summary", "length", "aim"])
def test_texts_are_printable_and_short(fact):
    game = check_game(override(GAME, about=replace(GAME.about, **{fact: "a\x1b[2J\n\u202eb\ud800" + "x" * 100_000})))
    text = asdict(game.about)[fact]
    assert text.isprintable()
    assert len(text) in (40, 200)


@pytest.mark.parametrize("kind", [None, 3, "keep\n", "k" * 1000])
def test_action_without_a_printable_kind(kind):
    action = type("Odd", (Action,), {"kind": kind}, frozen=True)
    with pytest.raises(GameFault, match="the kind of its action Odd is not a printable text"):
        check_game(override(GAME, actions=(*GAME.actions, action)))


def test_columns_and_names_of_suits_are_printable_and_short():
    suits = (Noun("leaf\x1b[2J", "l" * 10_000), *FRENCH.suits[1:])
    columns = tuple("\x1b[2J" + "x" * 10_000 for _ in GAME.columns)
    game = check_game(override(GAME, about=replace(GAME.about, faces=replace(FRENCH, suits=suits)), columns=columns))
    for text in (*game.columns, *game.about.faces.suits[0]):
        assert text.isprintable()
        assert len(text) <= 30
