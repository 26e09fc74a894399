"""Check of the ``GAME`` of another package before the program uses it, since every list of games shows its facts."""

from copy import copy
from dataclasses import is_dataclass
from typing import Final

import msgspec

from cardtable.engine.cards import card
from cardtable.engine.errors import GameFault
from cardtable.engine.faces import Faces, Noun
from cardtable.engine.game import MAX_SEATS, Action, AnyGame, Game, GameInfo, View
from cardtable.engine.options import Options, list_choices
from cardtable.engine.plugin_guard import list_overridable_methods
from cardtable.engine.plugin_values import find_wrong_fact
from cardtable.engine.text_format import sanitize

_EMBLEM_CARDS: Final = 3
_MAX_TITLE_LENGTH: Final = 40
_MAX_TEXT_LENGTH: Final = 200
_MAX_COLUMN_LENGTH: Final = 30


def check_game(game: AnyGame) -> AnyGame:
    """Return a copy of the game with facts that can be shown.

    Raises ``GameFault`` with the first member whose value cannot be used.
    """
    for name, base in (("options", Options), ("view", View)):
        _check_class(name, getattr(game, name, None), base)
    if wrong := find_wrong_fact(game, Game):
        raise GameFault("its {} is {}".format(*wrong))
    options: type = game.options
    if not is_dataclass(options) or not all(choice.values for choice in list_choices(game.options)):
        raise GameFault("its options are not a frozen dataclass of choices")
    for action in game.actions:
        _check_words(action)
    for name in list_overridable_methods(Game):
        if not callable(getattr(game, name)):
            raise GameFault(f"its {name} is not a function")
    checked = copy(game)
    checked.about = _check_about(game.about)
    checked.columns = tuple([sanitize(column, _MAX_COLUMN_LENGTH) for column in game.columns])
    return checked


def _check_about(facts: GameInfo) -> GameInfo:
    """Return facts with texts that can be shown. Raises ``GameFault`` if a fact cannot be used."""
    if facts.seats != tuple(sorted({*facts.seats})) or facts.usual_seats not in facts.seats or facts.seats[0] < 1:
        raise GameFault("its numbers of seats are not in ascending order, or the usual one is not among them")
    if impossible := [str(seats) for seats in facts.seats if not 2 <= seats <= MAX_SEATS]:
        raise GameFault(f"it is for {' or '.join(impossible)} players, and a table has 2 to {MAX_SEATS} seats")
    try:
        emblem = [card(name) for name in facts.emblem.split()]
    except ValueError as error:
        raise GameFault(f"its emblem is not valid: {error}") from None
    if len(emblem) != _EMBLEM_CARDS:
        raise GameFault(f"its emblem has {len(emblem)} cards, not {_EMBLEM_CARDS}")
    if not facts.title.strip():
        raise GameFault("its title is empty")
    return msgspec.structs.replace(facts, faces=_sanitize_faces(facts.faces), **_sanitize_texts(facts))


def _sanitize_texts(facts: GameInfo) -> dict[str, str]:
    """Return by name the texts among the facts in a form that every screen and terminal can show."""
    texts = {"title": facts.title, "summary": facts.summary, "length": facts.length, "aim": facts.aim}
    return {name: sanitize(text, _MAX_TITLE_LENGTH if name == "title" else _MAX_TEXT_LENGTH)
            for name, text in texts.items()}  # fmt: skip


def _sanitize_faces(faces: Faces) -> Faces:
    if not f"{faces.signs}{faces.letters}{faces.marks}".isprintable():
        raise GameFault("the signs, letters or marks of its faces are not printable")
    suits, ranks = [
        tuple([Noun(*[sanitize(word, _MAX_COLUMN_LENGTH) for word in noun]) for noun in nouns])
        for nouns in (faces.suits, faces.ranks)
    ]
    try:
        return msgspec.structs.replace(faces, suits=suits, ranks=ranks)
    except ValueError as error:
        raise GameFault(f"its faces are not valid: {error}") from None


def _check_words(action: type[Action]) -> None:
    """Raise ``GameFault`` if an action has no kind or label that is a printable text.

    Either may be a property, whose text depends on the action.
    """
    for name in ("kind", "label"):
        text: object = getattr(action, name, None)
        is_text = isinstance(text, str) and text.isprintable() and len(text) <= _MAX_COLUMN_LENGTH
        if not (isinstance(text, property) or is_text):
            raise GameFault(f"the {name} of its action {action.__name__} is not a printable text")


def _check_class(name: str, value: object, base: type) -> None:
    if not (isinstance(value, type) and issubclass(value, base)):
        raise GameFault(f"its {name} cannot be used: it has to derive from {base.__name__}")
