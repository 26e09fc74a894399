"""Menu of the legal actions of a turn: numbers them for display, and identifies an action from typed text."""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence, Set
from functools import cache
from typing import Final, NamedTuple, TypeAlias

import msgspec

from cardtable.engine.bidding import Bid
from cardtable.engine.card_order import USUAL_ORDER, CardOrder, sort_ascending
from cardtable.engine.cards import NAME, RANKS, SUITS, Cards, iter_cards, mask_of
from cardtable.engine.cards import card as parse_card
from cardtable.engine.faces import FRENCH, Faces
from cardtable.engine.game import Action, AnyGame, View, find_action
from cardtable.engine.presentation import explain_refusal
from cardtable.plain.console import format_unknown, parse_number
from cardtable.plain.speech_text import format_card, get_faces, to_sentence, to_spoken
from cardtable.wording.formatting import format_ranges, join_or


class _CardWords(NamedTuple):
    """Words with which cards are typed."""

    rank_letters: Mapping[str, str]
    suit_letters: Mapping[str, str]
    spoken_cards: re.Pattern[str]
    """Pattern of cards in words: ``jack queen and king of diamonds``, ``threes of clubs and hearts``."""


@cache
def _collect_words(faces: Faces) -> _CardWords:
    """Return the words of a pack; the usual ones are understood in all games."""
    ranks, suits = dict[str, str](), dict[str, str]()
    for pack in (FRENCH, faces):
        ranks |= {word: rank for nouns, rank in zip(pack.ranks, RANKS.lower(), strict=True) for word in nouns}
        suits |= {word: suit for nouns, suit in zip(pack.suits, SUITS.lower(), strict=True) for word in nouns}
    ranks |= {rank: rank for rank in RANKS.lower()} | {"10": "t"}
    rank, suit = [f"(?:{'|'.join(sorted(words, key=len, reverse=True))})" for words in (ranks, suits)]
    spoken = re.compile(rf"\b({rank}(?: (?:and )?{rank})*) of ({suit}(?: (?:and )?{suit})*)\b")
    return _CardWords(ranks, suits, spoken)


_SIGN_LETTERS: Final = str.maketrans(dict(zip("♣♦♥♠", SUITS.lower(), strict=True)))
_TEN: Final = re.compile(r"\b10(?=[cdhs]\b)")
_CARD: Final = re.compile(rf"[{RANKS.lower()}][{SUITS.lower()}]")
_CARD_WORDS: Final = frozenset([name.lower() for name in NAME])
_FILLER_WORDS: Final = ("a", "and", "from", "the", "to", "of", "on", "with")
"""Words that are ignored in input, since they do not distinguish actions."""


def split_words(text: str) -> list[str]:
    """Split typed text into lower-case words without filler words; cards typed in words become notation."""
    small = " ".join(re.sub(r"[,;:]", " ", text.lower()).translate(_SIGN_LETTERS).split())
    small = _TEN.sub("t", _collect_words(get_faces()).spoken_cards.sub(_to_notation, small))
    return [word for word in small.split() if word not in _FILLER_WORDS]


def _to_notation(match: re.Match[str]) -> str:
    words = _collect_words(get_faces())
    ranks = [words.rank_letters[word] for word in match[1].split() if word != "and"]
    suits = [words.suit_letters[word] for word in match[2].split() if word != "and"]
    return " ".join([rank + suit for suit in suits for rank in ranks])


def is_card(word: str) -> bool:
    """Return True if ``word`` is a card in lower-case notation."""
    return bool(_CARD.fullmatch(word))


def to_suit_letters(words: Sequence[str]) -> list[str]:
    """Return the words with names of suits replaced by their letters."""
    letters = _collect_words(get_faces()).suit_letters
    return [letters.get(word, word) for word in words]


_MAX_LISTED: Final = 60
"""Largest number of actions of one kind that are listed one by one."""
FIRST_KIND: Final = "play"
"""Kind of action that is listed first."""


class AmbiguousInput(ValueError):
    """Raised if typed text does not identify one legal action; the message is a sentence for the player."""


class SeveralActions(AmbiguousInput):
    """Raised if several legal actions fit typed text; the message lists them."""


class ActionMenu(msgspec.Struct, frozen=True):
    """Legal actions of a turn with the numbers and texts by which they are chosen.

    ``groups`` holds the actions of each kind, in the order in which they are listed. ``numbers`` maps numbers to
    actions, and ``texts`` maps actions to their text after the verb. ``verbs`` holds verbs of kinds in place of
    ``Action.verb``.
    """

    groups: tuple[tuple[Action, ...], ...]
    numbers: dict[int, Action]
    texts: dict[Action, str]
    verbs: Mapping[str, str] = {}
    lists_cards: bool = True
    """False if the actions of the kind ``FIRST_KIND`` are neither listed nor numbered, but typed as cards."""

    @property
    def legal(self) -> list[Action]:
        return [action for group in self.groups for action in group]

    def find_shortest_input(self, action: Action) -> str:
        """Return the shortest text that chooses ``action``: its number, or its words if it has no number."""
        numbers = [str(number) for number, numbered in self.numbers.items() if numbered == action]
        return numbers[0] if numbers else self.format_action(action)

    def format_action(self, action: Action) -> str:
        """Return the words for an action: ``play the six of diamonds``."""
        return f"{self.get_verb(action)} {self.texts[action]}".lstrip() if action.notation else self.texts[action]

    def get_verb(self, action: Action) -> str:
        return self.verbs.get(action.kind, action.verb)


def make_menu(
    legal: Sequence[Action],
    format_argument: Callable[[Action], str],
    verbs: Mapping[str, str] | None = None,
    *,
    lists_cards: bool = True,
    card_order: CardOrder = USUAL_ORDER,
) -> ActionMenu:
    """Make a menu: group the actions by kind, and number them from 1.

    Actions of a kind that each use one card are listed as a hand in ``card_order`` is read, from low to high.

    Amounts, such as bids, are chosen by their own value; if there are other kinds as well, the kind must be typed
    before it. ``format_argument`` returns the text of an action after its verb; for an amount this is the number.
    ``lists_cards`` is that of the menu.
    """
    kinds = dict.fromkeys(sorted([action.kind for action in legal], key=lambda kind: kind != FIRST_KIND))
    groups = tuple([_sort_group([action for action in legal if action.kind == kind], card_order) for kind in kinds])
    words = {action: format_argument(action) for action in legal}
    counted = [group for group in groups if lists_cards or group[0].kind != FIRST_KIND]
    numbered = [action for group in counted if not _are_amounts(group, words) for action in group]
    numbers = dict(enumerate(numbered, 1))
    if len(counted) == len(groups) == 1 and not numbered:
        numbers = {action.amount or 0: action for action in legal}
    return ActionMenu(groups, numbers, words, verbs or {}, lists_cards)


def _sort_group(group: Sequence[Action], order: CardOrder) -> tuple[Action, ...]:
    """Return the actions of a kind in the order of their cards; as they are if some do not use exactly one card."""
    used = {action: list(iter_cards(action.cards_used())) for action in group}
    if any(len(cards) != 1 for cards in used.values()):
        return tuple(group)
    in_hand = sort_ascending([card for cards in used.values() for card in cards], order)
    return tuple(sorted(group, key=lambda action: in_hand.index(used[action][0])))


def _are_amounts(group: Sequence[Action], texts: dict[Action, str]) -> bool:
    """Return True if the actions of a group are chosen by their amounts.

    All of them must have an amount, and the text of at least one must be its number.
    """
    numbers = [texts[action] == str(action.amount) for action in group]
    return any(numbers) and all(action.amount is not None for action in group)


def describe_menu(menu: ActionMenu, explain: Callable[[Action], str | None]) -> list[str]:
    """Return one sentence for each kind of action: ``1: play the six of clubs; 2: ten of clubs.``

    ``explain`` returns a remark on an action, if there is one.
    """
    return [
        _describe_amounts(group, menu, explain)
        if _are_amounts(group, menu.texts)
        else _describe_items(group, menu, explain)
        for group in menu.groups
    ]


def _describe_amounts(group: Sequence[Action], menu: ActionMenu, explain: Callable[[Action], str | None]) -> str:
    """Describe a group of amounts by the numbers to choose from, after the kind if there are several kinds."""
    alone, explanation = bool(menu.numbers) and len(menu.groups) == 1, explain(group[0])
    words = [menu.texts[action] for action in group if menu.texts[action] != str(action.amount)]
    numbers = [action.amount or 0 for action in group if menu.texts[action] not in words]
    amounts = join_or([*words, *format_ranges(numbers)])
    verb = menu.get_verb(group[0]).capitalize()
    return f"{verb}{'' if alone else ' and a number,'} {amounts}{f': {explanation}' if explanation else ''}."


def _describe_items(group: Sequence[Action], menu: ActionMenu, explain: Callable[[Action], str | None]) -> str:
    """Describe a group by its numbered actions, or by one example if there are more than ``_MAX_LISTED``."""
    if group[0].kind == FIRST_KIND and not menu.lists_cards:
        return f"Type a card, such as {format_card(parse_card('7S'))} or 7S."
    if len(group) > _MAX_LISTED:
        return f"{menu.get_verb(group[0]).capitalize()} and say which, such as {menu.format_action(group[0])}."
    numbers = {action: number for number, action in menu.numbers.items()}
    items: list[str] = []
    for action in group:
        text = menu.texts[action].removeprefix("the ") if items else menu.format_action(action)
        items.append(f"{numbers[action]}: {text}{f' ({explanation})' if (explanation := explain(action)) else ''}")
    return f"{'; '.join(items)}."


def parse_action(typed: str, menu: ActionMenu) -> Action:
    """Return the action that ``typed`` identifies by its number, its text, or an unambiguous part of its text.

    All cards that a player selects for an action must be named, in any order. Other cards in its text, such as those
    that it captures, need not be; they identify it, too, if a single card is selected for it.

    Raises ``AmbiguousInput`` if no action or more than one fits; the message is empty if none fits and no number was
    typed.
    """
    words = split_words(typed)
    if len(words) == 1 and (number := parse_number(words[0])) is not None:
        if number not in menu.numbers:
            choices = [*format_ranges(sorted(menu.numbers)), *([] if menu.lists_cards else ["a card"])]
            raise AmbiguousInput(f"Type {join_or(choices) or 'what is listed'}, not {words[0][:6]}.")
        return menu.numbers[number]
    texts_of = _split_texts(menu)
    exact = [action for action, texts in texts_of.items() if words in texts]
    return _get_only(
        exact
        or _find_matches(words, texts_of)
        or _find_matches(to_suit_letters(words), texts_of)
        or _find_captures(words, texts_of),
        menu,
    )


_Texts: TypeAlias = dict[Action, tuple[list[str], list[str]]]
"""Words of the notation and of the description of each action."""


def _split_texts(menu: ActionMenu) -> _Texts:
    return {action: (split_words(str(action)), split_words(menu.format_action(action))) for action in menu.legal}


def _get_only(meant: Sequence[Action], menu: ActionMenu) -> Action:
    """Return the only action of ``meant``; raise ``AmbiguousInput`` if there is none or more than one."""
    if len(meant) > 1:
        raise SeveralActions(f"That could be {join_or(list(map(menu.format_action, meant)))}.")
    if not meant:
        raise AmbiguousInput("")
    return meant[0]


def parse_cards(typed: str) -> Cards:
    """Return the cards named in typed text; other words are ignored."""
    return mask_of([parse_card(word.upper()) for word in split_words(typed) if is_card(word)])


def _find_matches(words: Sequence[str], texts_of: _Texts) -> list[Action]:
    """Return the actions one of whose texts contains all words; no card that is selected for it may be missing.

    If no card is selected for an action, no card of its text may be missing.
    """
    return [
        action
        for action, texts in texts_of.items()
        for selected in [_list_selected(action)]
        if _has_match(words, texts, _CARD_WORDS - selected if selected else frozenset())
    ]


def _find_captures(words: Sequence[str], texts_of: _Texts) -> list[Action]:
    """Return the actions for which a single card is selected and one of whose texts contains all words.

    If no other card of the text is missing for some of them, only these are returned.
    """
    parts = [action for action in _find_parts(words, texts_of) if not _uses_several_cards(action)]
    return [action for action in parts if _has_match(words, texts_of[action], _list_selected(action))] or parts


def _list_selected(action: Action) -> frozenset[str]:
    return frozenset([NAME[c].lower() for c in iter_cards(action.cards_used())])


def _has_match(words: Sequence[str], texts: Sequence[Sequence[str]], optional: Set[str]) -> bool:
    """Return True if a text contains all words, and they all its cards except those in ``optional``."""
    word_counts = Counter(words)
    left_out = [Counter(text) - word_counts for text in texts if word_counts and not word_counts - Counter(text)]
    return any(not any(is_card(word) and word not in optional for word in rest) for rest in left_out)


def _find_parts(words: Sequence[str], texts_of: _Texts) -> list[Action]:
    """Return the actions one of whose texts contains all words; none if the words have no card."""
    if not any(map(is_card, words)):
        return []
    return [action for action, texts in texts_of.items() if any(not Counter(words) - Counter(text) for text in texts)]


def _uses_several_cards(action: Action) -> bool:
    return action.cards_used().bit_count() > 1


def choose_action(typed: str, game: AnyGame, view: View, menu: ActionMenu) -> Action:
    """Return the action that ``typed`` identifies.

    Some cards of an action are enough if only that action has them and the game has no reason to refuse them. Raises
    ``AmbiguousInput`` if no action or more than one fits; the message is the game's reason why the choice is illegal,
    if it has one.
    """
    try:
        return parse_action(typed, menu)
    except SeveralActions:
        if action := find_action(view.legal, typed):  # a part of what the menu lists
            return action
        raise
    except AmbiguousInput as error:
        texts_of = _split_texts(menu)
        if reason := _explain_refusal(typed, game, view, texts_of) or str(error):
            raise AmbiguousInput(reason) from None
        if parts := _find_parts(split_words(typed), texts_of):
            return _get_only(parts, menu)
        raise AmbiguousInput(format_unknown(typed)) from None


def _explain_refusal(typed: str, game: AnyGame, view: View, texts_of: _Texts) -> str | None:
    """Return the game's reason why the typed choice is illegal, as a sentence; ``None`` if there is none."""
    cards = parse_cards(typed)
    several = any(_uses_several_cards(action) for action in view.legal) or any(
        sum(map(is_card, text)) > 1 for texts in texts_of.values() for text in texts
    )
    if several or not cards & (cards - 1):
        possible = (
            any(action.cards_used() == cards for action in view.legal)
            if cards
            else not _is_forbidden_bid(typed, game, view)
        )
        return None if possible else to_sentence(to_spoken(explain_refusal(game, view, cards)))
    return "You can play only one card at a time."


def _is_forbidden_bid(typed: str, game: AnyGame, view: View) -> bool:
    """Return True if ``typed`` is a possible bid in this round that the rules forbid to the view's seat."""
    *kind, last = split_words(typed) or [""]
    bid, bids = parse_number(last), game.bids(view)
    if bids is None or bid is None or bid > bids.cards or kind not in ([], [Bid.kind]):
        return False
    open_bids = [action.tricks for action in view.legal if isinstance(action, Bid)]
    return bool(open_bids) and bid not in open_bids
