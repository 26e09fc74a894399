"""A new score table in lines: game, players, who begins, house rules."""

from collections.abc import Sequence

from cardtable.engine import options as house
from cardtable.engine.contract import AnyGame
from cardtable.engine.errors import CardtableError
from cardtable.engine.options import Choice, Value
from cardtable.games import ABOUT, GAMES, all_keys, key_of, no_game
from cardtable.plain.console import Left, ask, say
from cardtable.plain.scores.questions import Answer, picked
from cardtable.plain.speech import letters, sentence
from cardtable.scoring.score_table import asked_rules, can_be_scored, sheet_of
from cardtable.store import profiles, score_tables, seating
from cardtable.store.score_tables import OpenScores
from cardtable.wording.scores import about, wrong_name


class NotBegun(Exception):
    """The person does not want the score table that she is asked about."""


def begun(word: str = "") -> OpenScores:
    """A new score table, for the game called ``word`` if any.  Raises ``CardtableError``, ``Left`` and ``NotBegun``."""
    game = GAMES[_scored(word) if word else _game()]
    names = _names(game)
    first = picked("Who begins?", names, _answer)
    rules = house.read(game.options, {rule.name: _rule(rule) for rule in asked_rules(game)}, len(names))
    say(*about(sheet_of(game.about.key)(game, rules, len(names), first)))
    return score_tables.create(game, names, rules, first)


def _scored(word: str) -> str:
    """The key of a game with a sheet.  Raises ``CardtableError``."""
    key = key_of(word)
    if key is None:
        raise CardtableError(no_game(word))
    if not can_be_scored(key):
        raise CardtableError(f"{ABOUT[key].title} cannot be scored with real cards")
    return key


def _game() -> str:
    keys = [key for key in all_keys() if can_be_scored(key)]
    titles = [ABOUT[key].title for key in keys]
    return keys[picked("Which game do you play with real cards?", titles, _answer, usual=None)]


def _answer(question: str) -> str:
    """What is typed.  Raises ``Left`` and ``NotBegun``."""
    say(question)
    typed = ask()
    if typed.lower() == "quit":
        raise Left
    if typed.lower() == "back":
        raise NotBegun
    return typed


def _names(game: AnyGame) -> list[str]:
    """Who plays, by seat."""
    kind = game.about
    usual, number = score_tables.usual_names(kind, score_tables.names_before(kind.key), profiles.me())
    say(f"{kind.title} with real cards, for {kind.seats_in_words()} players. back begins no score table.")
    return named(usual[:number], kind.seats, _answer)


def named(usual: Sequence[str], numbers: Sequence[int], answer: Answer) -> list[str]:
    """Names of so many players as are allowed, asked for until they can be; an empty line is the ``usual`` ones."""
    while True:
        asked = "Type the names in the order of the seats, clockwise, with blanks between them."
        typed = answer(f"{asked} An empty line means {', '.join(usual)}.")
        names = [seating.as_nick(word) for word in typed.replace(",", " ").split()] or [*usual]
        if len(names) not in numbers:
            say(f"These are {len(names)} names; {' or '.join(map(str, numbers))} can play.")
        elif wrong := wrong_name(names):
            say(sentence(f"{names[wrong.seat]}: {wrong.why}"))
        else:
            return names


def _rule(rule: Choice) -> Value:
    """The value of a house rule."""
    values = [*rule.values]
    told = [text if str(value) in text else f"{value}, {text}" for value, text in rule.values.items()]
    return values[picked(f"{letters(rule.meaning)}:", [*map(letters, told)], _answer)]
