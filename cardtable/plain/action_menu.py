"""Menu of the legal actions of a turn: numbers them for display, and identifies an action from typed text."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from cardtable.engine.bidding import Bid
from cardtable.engine.cards import RANK_WORDS, RANKS, SUITS, Cards, mask_of
from cardtable.engine.cards import card as card_of
from cardtable.engine.game import Action, AnyGame, View
from cardtable.engine.text_format import with_count
from cardtable.plain.console import print_lines
from cardtable.plain.speech_text import RANKS_TOGETHER, SUIT_NAMES, sentence, to_spoken
from cardtable.session.session_protocol import PlayableSession
from cardtable.wording.formatting import join_or

_RANK: Final = {
    **dict(zip(RANK_WORDS, RANKS.lower(), strict=True)),
    **dict(zip(RANKS_TOGETHER, RANKS.lower(), strict=True)),
    **{rank: rank for rank in RANKS.lower()},
    "10": "t",
}
_SUIT: Final = {word: suit for name, suit in zip(SUIT_NAMES, SUITS.lower(), strict=True) for word in (name, name[:-1])}
_SOME_RANKS: Final = rf"(?:{'|'.join(_RANK)})"
_SOME_SUITS: Final = rf"(?:{'|'.join(_SUIT)})"
_SPOKEN: Final = re.compile(
    rf"\b({_SOME_RANKS}(?: (?:and )?{_SOME_RANKS})*) of ({_SOME_SUITS}(?: (?:and )?{_SOME_SUITS})*)\b"
)
"""Pattern of cards in words: ``jack queen and king of diamonds``, ``threes of clubs and hearts``."""
_SIGNS: Final = str.maketrans(dict(zip("♣♦♥♠", SUITS.lower(), strict=True)))
_TEN: Final = re.compile(r"\b10(?=[cdhs]\b)")
_CARD: Final = re.compile(rf"[{RANKS.lower()}][{SUITS.lower()}]")
_FILLING: Final = ("and", "the", "to", "of", "on", "with")
"""Words that are ignored in input, since they do not distinguish actions."""


def split_words(text: str) -> list[str]:
    """Split typed text into lower-case words without filler words; cards typed in words become notation."""
    small = " ".join(re.sub(r"[,;:]", " ", text.lower()).translate(_SIGNS).split())
    small = _TEN.sub("t", _SPOKEN.sub(_in_notation, small))
    return [word for word in small.split() if word not in _FILLING]


def _in_notation(match: re.Match[str]) -> str:
    ranks = [_RANK[word] for word in match[1].split() if word != "and"]
    suits = [_SUIT[word] for word in match[2].split() if word != "and"]
    return " ".join([rank + suit for suit in suits for rank in ranks])


def is_card(word: str) -> bool:
    """Return True if ``word`` is a card in lower-case notation."""
    return bool(_CARD.fullmatch(word))


def suits_as_letters(words: Sequence[str]) -> list[str]:
    """Return the words with names of suits replaced by their letters."""
    return [_SUIT.get(word, word) for word in words]


def parse_number(word: str) -> int | None:
    """Return the number that ``word`` represents, or ``None``; only its first 6 digits are used."""
    return int(word[:6]) if word.isascii() and word.isdecimal() else None


_FEWEST_IN_RANGE: Final = 3
"""Smallest number of successive numbers that is printed as a range."""
_MOST_LISTED: Final = 60
"""Largest number of actions of one kind that are listed one by one."""
FIRST: Final = "play"
"""Kind of action that is listed first."""


class AmbiguousInput(ValueError):
    """Raised if typed text does not identify one legal action; the message is a sentence for the player."""


@dataclass(frozen=True, slots=True)
class Choices:
    """Legal actions of a turn with the numbers and texts by which they are chosen.

    ``groups`` holds the actions of each kind, in the order in which they are listed. ``numbers`` maps numbers to
    actions, and ``texts`` maps actions to their text after the kind.
    """

    groups: tuple[tuple[Action, ...], ...]
    numbers: dict[int, Action]
    called: dict[Action, str]

    @property
    def legal(self) -> list[Action]:
        """Legal actions, in the order in which they are listed."""
        return [action for group in self.groups for action in group]

    def shortest(self, action: Action) -> str:
        """Return the shortest text that chooses ``action``: its number, or its words if it has no number."""
        numbers = [str(number) for number, numbered in self.numbers.items() if numbered == action]
        return numbers[0] if numbers else self.words(action)

    def words(self, action: Action) -> str:
        """Return the words for an action: ``play six of diamonds``."""
        return f"{action.kind} {self.called[action]}" if action.notation else self.called[action]


def choices(legal: Sequence[Action], called: Callable[[Action], str]) -> Choices:
    """Make a menu: group the actions by kind, and number them from 1.

    Amounts, such as bids, are chosen by their own value; if there are other kinds as well, the kind must be typed
    before it. ``format_argument`` returns the text of an action after its kind; for an amount this is the number.
    """
    kinds = dict.fromkeys(sorted([action.kind for action in legal], key=lambda kind: kind != FIRST))
    groups = tuple([tuple([action for action in legal if action.kind == kind]) for kind in kinds])
    words = {action: called(action) for action in legal}
    listed_apart = [action for group in groups if not _amounts(group, words) for action in group]
    numbers = dict(enumerate(listed_apart, 1))
    if len(groups) == 1 and not listed_apart:
        numbers = {action.amount or 0: action for action in legal}
    return Choices(groups, numbers, words)


def _amounts(group: Sequence[Action], called: dict[Action, str]) -> bool:
    """Return True if the actions of a group are chosen by their amounts.

    All of them must have an amount, and the text of at least one must be its number.
    """
    numbers = [called[action] == str(action.amount) for action in group]
    return any(numbers) and all(action.amount is not None for action in group)


def describe_choices(given: Choices, explained: Callable[[Action], str]) -> list[str]:
    """Return one sentence for each kind of action.

    ``explain`` returns a remark on an action; an empty text is left out.
    """
    return [
        _range(group, given, explained) if _amounts(group, given.called) else _items(group, given, explained)
        for group in given.groups
    ]


def _range(group: Sequence[Action], given: Choices, explained: Callable[[Action], str]) -> str:
    """Describe a group of amounts by the numbers to choose from, after the kind if there are several kinds."""
    alone, why = bool(given.numbers) and len(given.groups) == 1, explained(group[0])
    words = [given.called[action] for action in group if given.called[action] != str(action.amount)]
    amounts = join_or([*words, *_runs([action.amount or 0 for action in group if given.called[action] not in words])])
    return f"{group[0].kind.capitalize()}{'' if alone else ' and a number,'} {amounts}{f': {why}' if why else ''}."


def _runs(values: Sequence[int]) -> list[str]:
    """Format ascending numbers, with runs as ranges: ``0 to 4``, ``6``, ``7``."""
    runs: list[list[int]] = []
    for value in values:
        if runs and runs[-1][-1] == value - 1:
            runs[-1].append(value)
        else:
            runs.append([value])
    many = [len(run) >= _FEWEST_IN_RANGE for run in runs]
    texts_of_runs = [
        [f"{run[0]} to {run[-1]}"] if far else list(map(str, run)) for run, far in zip(runs, many, strict=True)
    ]
    return [text for texts in texts_of_runs for text in texts]


def _items(group: Sequence[Action], given: Choices, explained: Callable[[Action], str]) -> str:
    """Describe a group by its numbered actions, or by one example if there are more than ``_MAX_LISTED``."""
    if len(group) > _MOST_LISTED:
        return f"{group[0].kind.capitalize()} and say which, such as {group[0].kind} {given.called[group[0]]}."
    numbers = {action: number for number, action in given.numbers.items()}
    items = [
        f"{numbers[action]}: {', '.join(filter(None, (given.called[action], explained(action))))}" for action in group
    ]
    head = f"{group[0].kind.capitalize()} " if all(action.notation for action in group) else ""
    return f"{head}{'; '.join(items)}."


def parse_action(typed: str, given: Choices) -> Action:
    """Return the action that ``typed`` identifies by its number, its text, or an unambiguous part of its text.

    All cards of an action must be named, in any order. Raises ``AmbiguousInput`` if no action or more than one fits;
    the message is empty if none fits and no number was typed.
    """
    words = split_words(typed)
    if len(words) == 1 and (number := parse_number(words[0])) is not None:
        if number not in given.numbers:
            numbers = join_or(_runs(sorted(given.numbers)))
            raise AmbiguousInput(f"Type {numbers or 'what is listed'}, not {words[0][:6]}.")
        return given.numbers[number]
    texts_of = {action: (split_words(str(action)), split_words(given.words(action))) for action in given.legal}
    exact = [action for action, texts in texts_of.items() if words in texts]
    meant = exact or _find_matches(words, texts_of) or _find_matches(suits_as_letters(words), texts_of)
    if len(meant) == 1:
        return meant[0]
    if meant:
        raise AmbiguousInput(f"That could be {join_or(list(map(given.words, meant)))}.")
    raise AmbiguousInput("")


def parse_cards(typed: str) -> Cards:
    """Return the cards named in typed text; other words are ignored."""
    return mask_of([card_of(word.upper()) for word in split_words(typed) if is_card(word)])


def _find_matches(words: Sequence[str], texts_of: dict[Action, tuple[list[str], list[str]]]) -> list[Action]:
    """Return the actions one of whose texts contains all words and has no card beyond them."""
    return [action for action, texts in texts_of.items() if any(_is_match(words, text) for text in texts)]


def _is_match(words: Sequence[str], action: Sequence[str]) -> bool:
    """Return True if the words name all cards of an action, and each of them belongs to the action's text."""
    said, meant = Counter(words), Counter(action)
    if said - meant or not said:
        return False
    return not any(map(is_card, meant - said))


def print_clocks(session: PlayableSession, view: View) -> None:
    """Print the time left to the view's seat for the round and for the session, as far as there are clocks."""
    of_round, of_seats = session.clocks()
    for what, left in (("this round", of_round), ("the session", of_seats[view.seat] if of_seats else None)):
        if left is not None:
            print_lines(f"Time left for {what}: {_duration(left)}.")


def _duration(seconds: float) -> str:
    """Format a duration in minutes and seconds; negative durations count as 0."""
    whole, rest = divmod(max(int(seconds), 0), 60)
    return f"{with_count(whole, 'minute')} and {with_count(rest, 'second')}"


def choose_action(typed: str, game: AnyGame, view: View, given: Choices) -> Action:
    """Return the action that ``typed`` identifies.

    Raises ``AmbiguousInput`` if no action or more than one fits; the message is the game's reason why the choice is
    illegal, if it has one.
    """
    try:
        return parse_action(typed, given)
    except AmbiguousInput as error:
        reason = _refusal(typed, game, view) or str(error)
        raise AmbiguousInput(reason or f"I do not understand: {typed[:40]}. Type help.") from None


def _refusal(typed: str, game: AnyGame, view: View) -> str:
    """Return the game's reason why the typed choice is illegal, as a sentence; empty if there is none."""
    cards = parse_cards(typed)
    if not cards & (cards - 1) or any(action.cards_used() & (action.cards_used() - 1) for action in view.legal):
        possible = (
            any(action.cards_used() == cards for action in view.legal)
            if cards
            else not _is_forbidden_bid(typed, game, view)
        )
        return "" if possible else sentence(to_spoken(game.explain_illegal(view, cards)))
    return "One card can be played at a time."


def _is_forbidden_bid(typed: str, game: AnyGame, view: View) -> bool:
    """Return True if ``typed`` is a possible bid in this round that the rules forbid to the view's seat."""
    *kind, last = split_words(typed)
    said, bids = parse_number(last), game.bids(view)
    if bids is None or said is None or said > bids.cards or kind not in ([], [Bid.kind]):
        return False
    open_to_her = [action.tricks for action in view.legal if isinstance(action, Bid)]
    return bool(open_to_her) and said not in open_to_her
