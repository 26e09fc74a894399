"""What everybody at a table was told, and what of it each person missed since she last acted."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import groupby, pairwise
from typing import Any, Final, NamedTuple

import msgspec

from cardtable.engine.cards import NAME, Card
from cardtable.engine.contract import AnyGame, Event, Note, Seat, View
from cardtable.engine.tricks import Play
from cardtable.wording.words import SOMEBODY, Said, age, told

OURS: Final = "****"
"""Begins a message of the program."""
TURN: Final = "{}'s turn – press {}"
"""What the curtain says to who is to take the keyboard, and the key with which she does."""
STAR: Final = "\u2605"
"""Follows the card that took a trick."""
_TAKES: Final = re.compile("takes the (last )?trick")
_POINTS: Final = re.compile(r"([+-]\d+|0) in round (\d+)")
_BID: Final = re.compile(r"bids (.+)")
_DEALT: Final = re.compile(r"round (\d+)(?:: (.*))?")


class Told(NamedTuple):
    """A message that everybody got."""

    note: Note
    trick: int
    """The trick of the round in which it came; 0 in games without tricks."""


class Missed(msgspec.Struct, frozen=True):
    """What happened while somebody was not at the keyboard, as everybody saw it."""

    heading: str
    told: tuple[Told, ...] = ()
    ago: str = ""
    """How long ago she acted, if that was since the session was opened."""


NOTHING_MISSED: Final = Missed("")


class News:
    """Keeps what each person was told, and what all were: of what somebody did, as much as the others saw."""

    def __init__(self, people: Iterable[Seat]) -> None:
        self.own: dict[Seat, list[Note]] = {seat: [] for seat in people}
        self.told: list[Told] = []
        self.notes: list[Note] = []
        """The messages of ``told``."""
        self._turns: dict[Seat, int] = {}
        """By seat, how many of these had come when it last acted."""
        self._acted: dict[Seat, datetime] = {}

    def hear(
        self,
        game: AnyGame,
        event: Event,
        before: Mapping[Seat, View],
        after: Mapping[Seat, View],
        now: datetime | None = None,
    ) -> None:
        """Something happened; ``now`` is left out of what happened in another run of the program."""
        for seat, own in self.own.items():
            own.extend(game.narrate(event, before[seat], after[seat]))
        common = by_all({seat: notes(game, event, before[seat], after[seat]) for seat in self.own})
        view: Any = before[next(iter(self.own))]
        if view.turn >= 0:
            by_itself = bool(common) and common[0].seat == view.turn
            self._turns[view.turn] = len(self.told) + by_itself
            if now:
                self._acted[view.turn] = now
        trick = 1 + sum(view.won) if hasattr(view, "won") else 0
        for place, note in enumerate(common):
            if isinstance(event, Play) and trick and place and _is_card(note) and not _is_card(common[place - 1]):
                trick += 1  # the last trick plays itself
            self._all(note, trick)

    def note(self, note: Note) -> None:
        """Everybody was told this, too."""
        for own in self.own.values():
            own.append(note)
        self._all(note, 0)

    def _all(self, note: Note, trick: int) -> None:
        self.told.append(Told(note, trick))
        self.notes.append(note)

    def forget_rounds(self) -> None:
        """Nobody is to be told again what only concerned rounds before; talk stays."""
        for own in self.own.values():
            own[:] = [note for note in own if isinstance(note, Said)]

    def forget(self) -> None:
        """Nothing was told."""
        self.__init__(self.own)  # type: ignore[misc]

    def missed(self, seat: Seat | None, now: datetime) -> Missed:
        """What happened since ``seat`` last acted; everything for who has not acted, and for nobody."""
        if seat is None or seat not in self._turns:
            return Missed("So far", tuple(self.told))
        ago = age(self._acted[seat], now) if seat in self._acted else ""
        return Missed("Since your last turn", tuple(self.told[self._turns[seat] :]), ago)


def by_all(seen: Mapping[Seat, Sequence[Note]]) -> list[Note]:
    """What several people were told of one thing, as all may hear it: what somebody did as another one saw it."""
    return [
        next((note for seat, note in zip(seen, versions, strict=True) if note.seat != seat), versions[0])
        for versions in zip(*seen.values(), strict=True)
    ]


def notes(game: AnyGame, event: Event, before: Any, after: Any) -> list[Note]:
    """What an event looked like, with the cards of a last trick that played itself, which no event tells."""
    heard = [*game.narrate(event, before, after)]
    if after.finished == before.finished or not hasattr(after, "last_trick"):
        return heard
    full = (*before.trick, event.card) if isinstance(event, Play) else ()
    if after.last_trick not in (full, before.last_trick):
        place = 2 if len(full) == len(after.totals) else 1  # after what was chosen, and who took that trick
        heard[place:place] = [Note(seat, NAME[c]) for seat, c in by_whom(after, after.last_leader, after.last_trick)]
    return heard


def by_whom(view: Any, leader: Seat, trick: Sequence[Card]) -> list[tuple[Seat, Card]]:
    """The cards of a trick, each with the seat that played it."""
    step = getattr(view.options, "step", 1)
    return [((leader + step * i) % len(view.totals), c) for i, c in enumerate(trick)]


def lines(missed: Sequence[Told], names: Sequence[str]) -> list[tuple[str, str]]:
    """News in few lines, what about and what, cards in notation.

    A trick is one line, as are the bids, the points of a round, and what one seat does in a game of long turns.
    """
    found: list[tuple[str, str]] = []
    for _, group in groupby(_kinds(missed), key=lambda kind: kind[0]):
        some = [each for _, each in group]
        first = some[0].note
        if isinstance(first, Said):
            found.append((SOMEBODY if first.seat is None else names[first.seat], f"says: {first.text}"))
        elif some[0].trick and (_is_card(first) or _TAKES.fullmatch(first.text)):
            found.append(_trick(some, names))
        elif points := _POINTS.fullmatch(first.text):
            found.append((f"Round {points[2]}", _each(_POINTS, some, names)))
        elif _BID.fullmatch(first.text):
            found.append(("Bids", _each(_BID, some, names)))
        elif dealt := _DEALT.fullmatch(first.text):
            found.append((f"Round {dealt[1]}", dealt[2] or "is dealt"))
        else:
            who = OURS if first.seat is None else names[first.seat]
            found.append((who, _turn([each.note for each in some], names)))
    return found


def _kinds(missed: Sequence[Told]) -> Iterator[tuple[object, Told]]:
    """Each message with what it has in common with those that stand in one line with it."""
    tricks = number = 0
    lying = False
    for place, each in enumerate(missed):
        text, seat = each.note.text, each.note.seat
        if isinstance(each.note, Said):
            yield ("said", place), each
        elif each.trick and _is_card(each.note):
            tricks += not lying
            lying = True
            yield ("trick", tricks), each
        elif (lying and text.startswith("takes ")) or (not place and each.trick and _TAKES.fullmatch(text)):
            lying = False
            yield ("trick", tricks), each
        elif of_all := next((kind for kind in (_POINTS, _BID) if kind.fullmatch(text)), None):
            lying = False
            yield of_all, each
        elif each.trick or seat is None:
            lying = False
            yield ("alone", place), each
        else:
            number += bool(place) and (missed[place - 1].note.seat != seat or isinstance(missed[place - 1].note, Said))
            yield ("turn", number, seat), each


def _trick(some: Sequence[Told], names: Sequence[str]) -> tuple[str, str]:
    """The cards of a trick that came, and who took it."""
    cards = [each.note for each in some if _is_card(each.note)]
    taken = [each.note for each in some if not _is_card(each.note)]
    by_card = [note.seat for note in taken if _TAKES.fullmatch(note.text) and note.seat in [c.seat for c in cards]]
    words = ", ".join([_does(note, names) + f" {STAR}" * (note.seat in by_card) for note in cards])
    others = [_TAKES.sub("takes it", _does(note, names)) for note in taken if note.seat not in by_card]
    return f"Trick {some[0].trick}", "; ".join(filter(None, [words, *others]))


def _does(note: Note, names: Sequence[str]) -> str:
    assert note.seat is not None
    return f"{names[note.seat]} {told(note, names)}"


def _each(kind: re.Pattern[str], some: Sequence[Told], names: Sequence[str]) -> str:
    """What messages of one kind say of each seat."""
    found = [(names[each.note.seat or 0], kind.fullmatch(each.note.text)) for each in some]
    return ", ".join([f"{name} {match[1]}" for name, match in found if match])


def _turn(some: Sequence[Note], names: Sequence[str]) -> str:
    """What one seat did in a row."""
    words = told(some[0], names)
    for before, note in pairwise(some):
        words += joined(before, note, told(note, names))
    return words


def joined(before: Note, note: Note, what: str, play: str = "plays") -> str:
    """How ``what`` is said of ``note`` in one line after ``before`` of the same seat."""
    if note.text not in NAME:
        return f", {what}"
    return f" {what}" if before.text in NAME else f", {play} {what}"


def _is_card(note: Note) -> bool:
    """Whether somebody played a card, with or without a word on it."""
    return note.text[:2] in NAME and note.seat is not None
