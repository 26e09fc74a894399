"""Text for screen readers, in ASCII: cards, hands, numbers, log entries and turns in spoken form.

Cards are printed in words (``queen of hearts``); input also accepts the notation of the journal (``QH``). Texts about a
turn are parts of sentences, without a capital letter and a full stop.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final, Generic

import msgspec

from cardtable.engine.bidding import Bid
from cardtable.engine.card_order import USUAL_ORDER, CardOrder, is_trump, sort_ascending
from cardtable.engine.cards import BIT, COPY_OFFSET, OF_SUIT, RANK, SUIT, SUIT_WORDS, Card, Cards, iter_cards
from cardtable.engine.faces import FRENCH, Faces
from cardtable.engine.game import LAST_CARD, Action, Game, Note, S, Seat, Sides, TrickStatus, V, View
from cardtable.engine.log_entries import MadePoints, Said
from cardtable.engine.text_format import capitalize_first, format_count
from cardtable.engine.tricks import Play, TrickView, name_led
from cardtable.wording.formatting import SUIT_SIGNS, YOU, format_gain, join_words, split_cards
from cardtable.wording.log_entries import format_in_sentence, format_message, get_sender, list_former_names
from cardtable.wording.players import Names, list_side_names, sort_own_side_first

SUIT_NAMES: Final = tuple(f"{word}s" for word in SUIT_WORDS)
"""Name of each suit, in the plural."""
_SPOKEN_HEADINGS: Final = {"won": "taken"}
_RANK_SIGNS: Final = (*map(str, range(2, 11)), "J", "Q", "K", "A")
_CARD_SIGN: Final = re.compile(rf"\b(10|[2-9JQKA])([{SUIT_SIGNS}])(?: (?=(?:10|[2-9JQKA])[{SUIT_SIGNS}]))?")
_TIMES_SIGN: Final = re.compile(r"\u00d7(\d+)")
_DETERMINERS: Final = frozenset(("a", "an", "the", "another", "other", "your"))
_MINUS_SIGN: Final = re.compile(r"(?<![\w-])[-\u2212](?=\d)")
_PLUS_SIGN: Final = re.compile(r"(?<!\w)\+(?=\d)")
_ASCII_TABLE: Final = str.maketrans({"×": "times", "−": "-", "–": "-", "…": "..."})
_faces: Final = ContextVar("faces", default=FRENCH)
"""Faces by which cards are named in words."""


@contextmanager
def use_faces(faces: Faces) -> Iterator[None]:
    """Name cards by the faces of a game in the body of the ``with`` statement."""
    token = _faces.set(faces)
    try:
        yield
    finally:
        _faces.reset(token)


def get_faces() -> Faces:
    """Return the names of suits and ranks in use, those of the innermost ``use_faces``."""
    return _faces.get()


def format_suit(suit: int) -> str:
    """Return the name of a suit in the plural, such as ``hearts``."""
    return get_faces().suits[suit].many


def format_rank(rank: int) -> str:
    """Return the name of a rank, such as ``queen``."""
    return get_faces().ranks[rank].one


def to_ascii(text: str) -> str:
    """Replace signs that some terminals and screen readers cannot represent: ``K♥`` becomes ``king of hearts``."""
    spoken = _CARD_SIGN.sub(_spell_card, _TIMES_SIGN.sub(lambda match: f"counted {format_times(int(match[1]))}", text))
    spoken = _PLUS_SIGN.sub("plus ", _MINUS_SIGN.sub("minus ", spoken)).translate(_ASCII_TABLE)
    if not spoken.isascii():
        for sign, name in zip(SUIT_SIGNS, map(format_suit, range(len(SUIT_SIGNS))), strict=True):
            spoken = spoken.replace(f"{sign} {name}", name).replace(sign, name)
    return spoken


def format_times(number: int) -> str:
    """Return how often something counts: ``once``, ``twice``, ``4 times``."""
    return {1: "once", 2: "twice"}.get(number, f"{number} times")


def _spell_card(match: re.Match[str]) -> str:
    """Return the matched card in words, with an article in a sentence, and with a comma if another card follows."""
    rank, suit = _RANK_SIGNS.index(match[1]), SUIT_SIGNS.index(match[2])
    article = "the " if _needs_article(match.string[: match.start()], match.string[match.end() :]) else ""
    return f"{article}{format_rank(rank)} of {format_suit(suit)}{', ' if match[0].endswith(' ') else ''}"


def _needs_article(before: str, after: str) -> bool:
    """Return True if a card between these texts is part of a sentence and not of a list, and has no article yet.

    A card after a name, as in ``Ada QS``, in a column of a table, or before a colon is part of a list.
    """
    if before.endswith("  "):
        return False
    words = before.rstrip(", ").replace("\n", " ").split(" ")
    if not words[-1]:
        return not after.startswith(":")
    return words[-1][-1].islower() and words[-1].lower() not in _DETERMINERS and not words[-1].endswith("'s")


def format_card(which: Card, *, article: bool = False) -> str:
    """Return a card in words: ``queen of hearts``, or ``the queen of hearts`` with its article."""
    return f"{'the ' if article else ''}{format_rank(RANK[which])} of {format_suit(SUIT[which])}"


def format_cards(listed: Iterable[Card], *, article: bool = False) -> str:
    """Return cards in words and in the given order: ``jack and queen of clubs``, ``threes of clubs and hearts``.

    With ``article``, they become part of a sentence: ``the jack and queen of clubs``.
    """
    the = "the " if article else ""
    cards = list(listed)
    suits, ranks = {SUIT[c] for c in cards}, {RANK[c] for c in cards}
    if len(cards) > 1 and len(suits) == 1:
        return f"{the}{join_words([format_rank(RANK[c]) for c in cards])} of {format_suit(suits.pop())}"
    if len(cards) > 1 and len(ranks) == 1:
        return f"{the}{get_faces().ranks[ranks.pop()].many} of {join_words([format_suit(SUIT[c]) for c in cards])}"
    return join_words([format_card(card, article=article) for card in cards])


def format_hand(listed: Iterable[Card], order: CardOrder = USUAL_ORDER) -> str:
    """Return cards by suit, each suit from low to high: ``clubs two, king; hearts queen``.

    The cards are in the reverse of ``order``, so that its trumps come last: ``trumps jack of hearts, jack of clubs``.
    """
    groups: dict[str, list[str]] = {}
    for card in sort_ascending(listed, order):
        if is_trump(card, order):
            groups.setdefault("trumps", []).append(format_card(card))
        else:
            groups.setdefault(format_suit(SUIT[card]), []).append(format_rank(RANK[card]))
    return "; ".join([f"{suit} {', '.join(own)}" for suit, own in groups.items()]) or "no cards"


def to_spoken(text: str) -> str:
    """Convert text that contains cards in notation to spoken form; in a sentence, cards have the article."""
    spoken, run = "", list[Card]()
    for part in (*split_cards(text), ""):
        if isinstance(part, str) and part != " ":
            spoken += format_cards(run, article=bool(run) and _needs_article(spoken, part)) + to_ascii(part)
            run = []
        elif isinstance(part, str):
            continue
        else:
            run.append(part)
    return spoken


def format_figures(headings: Sequence[str], numbers: Sequence[int]) -> list[str]:
    """Return each number after its heading; the number of a last card becomes a rank in words.

    The heading ``won`` is replaced by ``taken``, since it sounds like ``one``.
    """
    return [
        f"{_SPOKEN_HEADINGS.get(heading, heading)} {_format_figure(heading, number)}"
        for heading, number in zip(headings, numbers, strict=True)
    ]


def _format_figure(heading: str, number: int) -> str:
    return format_rank(number - 2) if heading == LAST_CARD and number else to_ascii(str(number))


def to_possessive(name: str) -> str:
    """Return the possessive of a name: ``your``, ``Ada's``."""
    return "your" if name == YOU else f"{name}'s"


def to_inline_name(name: str) -> str:
    """Return a name for use within a sentence: ``You`` becomes ``you``, other names are unchanged."""
    return "you" if name == YOU else name


def format_by_seat(names: Sequence[str], values: Sequence[object]) -> str:
    """Format a value for each seat: ``You 12, Ada minus 3``."""
    return ", ".join([f"{name} {to_ascii(str(value))}" for name, value in zip(names, values, strict=True)])


def describe_partnerships(names: Sequence[str], sides: Sides, me: Seat) -> list[str]:
    """Describe the partnerships in a sentence, with the side of seat ``me`` first; empty if there are none."""
    names_of_sides = [
        join_words(list_side_names(names, side)) for side in sort_own_side_first(sides, me) if len(side) > 1
    ]
    return [f"Partners: {'; '.join(names_of_sides)}."] if names_of_sides else []


def format_by_side(names: Sequence[str], values: Sequence[object], sides: Sides) -> str:
    """Format a value for each side: ``you and Cy 71, Bo and Dee 50``.

    ``values`` has a value for each seat, and the same one for all seats of a side.
    """
    labels = [join_words(list_side_names(names, side)) for side in sides]
    return format_by_seat(labels, [values[side[0]] for side in sides])


def to_sentence(text: str) -> str:
    """Return the text with a capital letter, and with a full stop if it has no final punctuation."""
    return capitalize_first(text) + ("." if text[-1:] not in ".!?" else "")


def format_log_entries(notes: Iterable[Note], names: Sequence[str]) -> Iterator[str]:
    """Yield log entries as sentences, with the names that the seats had at the time.

    The points made in a round are combined into one sentence.
    """
    heard = list(notes)
    made = [note for note in heard if isinstance(note, MadePoints)]
    first = {note.round: note for note in reversed(made)}
    for note, then in zip(heard, list_former_names(heard, names), strict=True):
        if not isinstance(note, MadePoints):
            yield format_log_entry(note, then)
        elif note is first[note.round]:
            yield _format_points([other for other in made if other.round == note.round], then)


def _format_points(made: Sequence[MadePoints], names: Sequence[str]) -> str:
    """Return the points made in a round as a sentence.

    Example: ``Points (counted 4 times): You minus 2, Ada plus 10.``
    """
    times = max(note.weight for note in made)
    sides = [(note.seat, *note.partners) for note in made if note.seat is not None]
    points = format_by_seat(
        [join_words(list_side_names(names, side)) for side in sides], [format_gain(note.points) for note in made]
    )
    return to_sentence(f"points{f' (counted {format_times(times)})' if times > 1 else ''}: {points}")


def format_log_entry(note: Note, names: Sequence[str]) -> str:
    """Return a log entry as a sentence, such as ``Ada plays the seven of spades.`` for a card."""
    if isinstance(note, Said):
        return f"{get_sender(note, names)}: {format_message(note, names)}"
    if note.seat is None:
        return to_sentence(to_spoken(format_message(note, names)))
    return to_sentence(names[note.seat] + to_spoken(format_in_sentence(note, names)))


def _list_nothing(*_: object) -> tuple[()]:
    return ()


def _say_nothing(*_: object) -> None:
    """Return ``None``: there is nothing to say about the action."""


def _list_legal(view: View) -> Sequence[Action]:
    return view.legal


class PlainTextSpec(msgspec.Struct, Generic[V], frozen=True):
    """Wording of a game in plain text: functions that return texts from one seat's view.

    The texts become sentences of their own, with a capital letter and a full stop.
    """

    about: Callable[[V, Names], Iterable[str]]
    """Return the contract of the round and other facts known to all."""
    turn: Callable[[V, Names], Iterable[str]] | None = None
    """Return the situation of the seat to act, and the reasons that limit its choices.

    ``None`` stands for ``describe_default_turn``.
    """
    called: Callable[[V, Action], str | None] = _say_nothing
    """Return the name of an action in the menu, after its kind; ``None`` for the default name."""
    explained: Callable[[V, Names, Action], str | None] = _say_nothing
    """Return the meaning or value of an action; ``None`` if no explanation is needed."""
    verbs: Mapping[str, str] = {}
    """Verbs of kinds of actions in the menu, where they differ from ``Action.verb``; empty if the text needs none."""
    contracts_left: Callable[[V], Iterable[str]] = _list_nothing
    """Return the contracts that each seat has still to name, as a text for each seat."""
    melds: Callable[[V], Sequence[Sequence[Card]]] = _list_nothing
    """Return the melds that can be laid together from the seat's hand."""
    choices: Callable[[V], Sequence[Action]] = _list_legal
    """Return the choices in the menu; one of them may stand for several actions in a row."""


def describe_default_turn(game: Game[S, V], view: V, names: Names) -> Iterator[str]:
    """Yield the description of a turn for any game: bids, the trick and the top card of the pile."""
    yield from describe_bidding(game, view)
    yield from describe_trick_turn(game, view, names)
    yield from _describe_top_card(game, view)
    if view.legal and (requirement := game.describe_selection(view)):
        yield to_spoken(requirement)


def _describe_top_card(game: Game[S, V], view: V) -> Iterator[str]:
    """Yield the top card of the pile and the named contract, if any; nothing if it is not the seat's turn."""
    if not view.legal:
        return
    for zone in game.scene(view):
        top = zone.cards[-1] if zone.name == "pile" and zone.cards else None
        if top is not None:
            yield f"the top card is {format_card(top, article=True)}"
            if named := game.contract(view):
                yield named.words


def describe_bidding(game: Game[S, V], view: V) -> Iterator[str]:
    """Yield the sum of the bids so far and the forbidden bid, if any; nothing if the view's seat is not to bid."""
    bids = game.bids(view)
    if bids is None or not any(isinstance(action, Bid) for action in view.legal):
        return
    made = [bid for bid in bids.made if bid is not None]
    last = len(made) == len(bids.made) - 1
    bid_total = f"the bids so far total {sum(made)}, with {format_count(bids.cards, 'trick')} to play"
    yield f"you bid {'last' if last else 'next'}; {bid_total}" if made else "you bid first"
    if len(view.legal) <= bids.cards:
        yield to_spoken(game.explain_illegal(view, 0))


def describe_trick_turn(game: Game[S, V], view: V, names: Names) -> Iterator[str]:
    """Yield the lead, the winning card and what restricts the choice; nothing if the view's seat is not to play."""
    trick = game.trick(view)
    if trick is None or not any(isinstance(action, Play) for action in view.legal):
        return
    yield _describe_trick(trick, find_led(view, trick), names) if trick.lying else _describe_lead(game, view)
    yield from explain_restrictions(game, view)


def _describe_lead(game: Game[S, V], view: V) -> str:
    bids = game.bids(view)
    return "you lead" if bids is None else f"you lead; you bid {bids.made[view.seat]} and have {bids.won[view.seat]}"


def find_led(view: View, trick: TrickStatus | None) -> Cards:
    """Return the cards that follow the lead, by default those of its suit; 0 if there is no lead or none to follow."""
    if isinstance(view, TrickView):
        return view.led
    return OF_SUIT[SUIT[trick.lying[0][1]]] if trick and trick.lying else 0


def _describe_trick(trick: TrickStatus, led: Cards, names: Names) -> str:
    """Describe the lead, and the winning card if more than one card has been played."""
    leader, first = trick.lying[0]
    if len(trick.lying) > 1 and leader == trick.winning:
        return f"{names[leader]} led {format_card(first, article=True)} and is winning"
    lead = f"{names[leader]} led {name_led(led, get_faces()).many if led else format_card(first, article=True)}"
    return lead if len(trick.lying) == 1 else f"{lead}; {describe_winning_card(trick, names)} is winning"


def describe_winning_card(trick: TrickStatus, names: Names) -> str:
    """Describe the card that is winning the trick: ``Bo's king of clubs``."""
    seat, best = next((seat, c) for seat, c in trick.lying if seat == trick.winning)
    return f"{to_possessive(names[seat])} {format_card(best)}"


def explain_restrictions(game: Game[S, V], view: V, *, must_follow: bool = True) -> Iterator[str]:
    """Yield the reason why some cards of the hand may not be played, if there are such cards.

    If the hand is void in the suit led, yield that any card may be played. ``must_follow`` is False in games without a
    duty to follow suit, in which a void is not mentioned.
    """
    playable = {c % COPY_OFFSET for action in view.legal for c in iter_cards(action.cards_used())}
    barred = [c for c in iter_cards(view.hand) if c % COPY_OFFSET not in playable]
    led = find_led(view, game.trick(view))
    if barred:
        nearest = min(barred, key=lambda c: not BIT[c % COPY_OFFSET] & led)
        yield to_spoken(game.explain_illegal(view, BIT[nearest]))
    elif must_follow and led and not (view.hand | view.hand >> COPY_OFFSET) & led:
        yield f"you have no {name_led(led, get_faces()).many} and may play any card"
