"""The legal actions of a turn: listed with numbers, and found again in what is typed."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from cardtable.engine.cards import RANKS, SUITS, Cards, of
from cardtable.engine.cards import card as card_of
from cardtable.engine.contract import Action
from cardtable.plain.speech import RANK_NAMES, SUIT_NAMES
from cardtable.wording.words import either

_NUMBER_NAMES: Final = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_RANK_WORDS: Final = {
    **{name: rank for rank, name in zip(RANKS, RANK_NAMES, strict=True)},
    **dict(zip(_NUMBER_NAMES, RANKS, strict=False)),
    **{rank.lower(): rank for rank in RANKS},
}
_SPOKEN: Final = re.compile(rf"\b({'|'.join(_RANK_WORDS)}) of ({'|'.join(word[:-1] for word in SUIT_NAMES)})s?\b")
_SIGNS: Final = str.maketrans(dict(zip("♣♦♥♠", SUITS.lower(), strict=True)))
_TEN: Final = re.compile(r"\b10(?=[cdhs]\b)")
_CARD: Final = re.compile(rf"[{RANKS.lower()}][{SUITS.lower()}]")
_SUIT_LETTERS: Final = {
    word: suit for name, suit in zip(SUIT_NAMES, SUITS.lower(), strict=True) for word in (name, name[:-1])
}
_FEWEST_IN_RANGE: Final = 3
"""Numbers in a row that are told by the first and the last."""
FIRST: Final = "play"
"""What is done with a card comes first in the list, before what could be said instead."""


class Unclear(ValueError):
    """What was typed is no legal action; why, in a line."""


@dataclass(frozen=True, slots=True)
class Choices:
    """What may be done in a turn, in groups of one kind, and the number of each."""

    groups: tuple[tuple[Action, ...], ...]
    numbers: dict[int, Action]

    @property
    def legal(self) -> list[Action]:
        """All actions, in the order of the list."""
        return [action for group in self.groups for action in group]


def choices(legal: Sequence[Action]) -> Choices:
    """The actions by kind, numbered from 1.

    Where there is nothing but a number to be said, it stands for itself; 1 is always there,
    for the first of the list if it cannot be said.
    """
    kinds = dict.fromkeys(sorted([action.kind for action in legal], key=lambda kind: kind != FIRST))
    groups = tuple([tuple([action for action in legal if action.kind == kind]) for kind in kinds])
    numbers = dict(enumerate([action for group in groups for action in group], 1))
    if len(groups) == 1 and all(action.amount is not None for action in legal):
        numbers = {action.amount or 0: action for action in legal}
        numbers.setdefault(1, legal[0])
    return Choices(groups, numbers)


def listed(given: Choices, explained: Callable[[Action], str]) -> list[str]:
    """A line for each kind of action; ``explained`` has a word on some of them."""
    numbers = {action: number for number, action in given.numbers.items()}
    return [_range(group, numbers, explained) or _items(group, numbers, explained) for group in given.groups]


def _range(group: Sequence[Action], numbers: dict[Action, int], explained: Callable[[Action], str]) -> str:
    """Numbers that stand for themselves, or many in a row; nothing where each action is to be told."""
    values = [value for action in group if (value := action.amount) is not None]
    why, *others = dict.fromkeys(map(explained, group))
    if len(values) < len(group) or others:
        return ""
    kind, first, last, word = group[0].kind, group[0], group[-1], _aside(why, len(group))
    if all(numbers[action] == value for action, value in zip(group, values, strict=True)):
        return f"{kind}: {', '.join(_runs(values))}{word}"
    one = len(values) >= _FEWEST_IN_RANGE and len(_runs(values)) == 1
    return f"{kind}: {numbers[first]} to {numbers[last]} for {first} to {last}{word}" if one else ""


def _runs(values: Sequence[int]) -> list[str]:
    """Numbers, those in a row by the first and the last: ``0 to 4``, ``6``, ``7``."""
    runs: list[list[int]] = []
    for value in values:
        if runs and runs[-1][-1] == value - 1:
            runs[-1].append(value)
        else:
            runs.append([value])
    many = [len(run) >= _FEWEST_IN_RANGE for run in runs]
    told = [[f"{run[0]} to {run[-1]}"] if far else list(map(str, run)) for run, far in zip(runs, many, strict=True)]
    return [text for texts in told for text in texts]


def _items(group: Sequence[Action], numbers: dict[Action, int], explained: Callable[[Action], str]) -> str:
    """Each action with its number; the kind is told once, where words follow it, and one word on several in a row."""
    apart = all(action.what and action.amount is None for action in group)
    said, whys = [], [*map(explained, group), None]
    since = 0
    for i, action in enumerate(group):
        said.append(f"{numbers[action]} {action.what if apart else action}")
        if whys[i] != whys[i + 1]:
            said[-1] += _aside(whys[i] or "", i + 1 - since)
            since = i + 1
    return f"{group[0].kind}: " * apart + ", ".join(said)


def _aside(why: str, number: int) -> str:
    """A word on one action, or on each of so many."""
    return f" ({'each ' * (number > 1)}{why})" * bool(why)


def understood(typed: str, given: Choices) -> Action:
    """The action that is meant: by its number, its text, or as much of it as no other action has.

    All cards of an action must be named, in any order.  Raises ``Unclear``.
    """
    words = normal(typed)
    if len(words) == 1 and (number := number_of(words[0])) is not None:
        if number not in given.numbers:
            raise Unclear(f"There is no {words[0][:6]} in the list.")
        return given.numbers[number]
    exact = [action for action in given.legal if normal(str(action)) == words]
    meant = exact or _meant(words, given) or _meant([_SUIT_LETTERS.get(word, word) for word in words], given)
    if len(meant) == 1:
        return meant[0]
    if meant:
        raise Unclear(f"That could be {either([str(action) for action in meant])}.")
    raise Unclear("")


def normal(text: str) -> list[str]:
    """The words of what is typed, small, cards in notation however they were told."""
    small = " ".join(text.lower().replace(",", " ").translate(_SIGNS).split())
    small = _SPOKEN.sub(lambda m: (_RANK_WORDS[m[1]] + m[2][0]).lower(), small)
    return _TEN.sub("t", small).split()


def named(typed: str) -> Cards:
    """The cards that are named in what is typed."""
    return of([card_of(word.upper()) for word in normal(typed) if _CARD.fullmatch(word)])


def left_out(typed: str, given: Choices) -> bool:
    """Whether a number is typed that is not legal, although a smaller and a larger one are."""
    *kind, last = normal(typed)
    number, values = number_of(last), [value for action in given.legal if (value := action.amount) is not None]
    if number is None or number in values or kind not in ([], [given.legal[0].kind]):
        return False
    return len(values) == len(given.legal) and min(values) < number < max(values)


def number_of(word: str) -> int | None:
    """The number that a word is."""
    return int(word[:6]) if word.isascii() and word.isdecimal() else None


def _meant(words: Sequence[str], given: Choices) -> list[Action]:
    """The actions for which the words could be enough."""
    return [action for action in given.legal if _could_be(words, normal(str(action)))]


def _could_be(words: Sequence[str], action: Sequence[str]) -> bool:
    """Whether the words are enough for an action: all its cards, and nothing that is not in it."""
    said, meant = Counter(words), Counter(action)
    if said - meant or not said:
        return False
    return not any(_CARD.fullmatch(word) for word in meant - said)
