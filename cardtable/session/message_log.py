"""What everybody at a table was told, talk too, and what of it each person missed since she last acted."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Final, NamedTuple

import msgspec

from cardtable.engine.cards import Card
from cardtable.engine.game import AnyGame, Event, Note, Seat, View
from cardtable.engine.journal import Line, Occupant
from cardtable.engine.log_entries import DEALT_AGAIN, TAKEN_BACK, PlayedCard, Said, SeatChanged, SystemLogEntry
from cardtable.engine.referee import Referee
from cardtable.engine.text_format import sanitize
from cardtable.engine.tricks import Play

MOST_SAID: Final = 200
"""Characters of table talk that can be said at once."""


class LoggedMessage(NamedTuple):
    """A message that everybody got."""

    note: Note
    trick: int
    """The trick of the round in which it came; 0 in games without tricks."""


class MissedMessages(msgspec.Struct, frozen=True):
    """What happened while somebody was not at the keyboard, as everybody saw it."""

    heard: tuple[LoggedMessage, ...] = ()
    acted: bool = False
    """Whether she has acted, so that it is what came since; else it is all."""
    since: datetime | None = None
    """When she acted, if that was since the session was opened."""
    now: datetime | None = None
    """When that was asked."""


NOTHING_MISSED: Final = MissedMessages()


def talk_entry(text: str, seat: Seat | None) -> Said:
    """Return table talk as it may be shown: on one line, and not too long; the journal has it as it was typed."""
    return Said(seat, sanitize(" ".join(text.split()), MOST_SAID))


def seat_change_entry(who: Occupant, left: Occupant) -> SeatChanged:
    """What everybody is told of who sits down where ``left`` sat."""
    return SeatChanged(None, who.name, who.robot, left.name)


class MessageLog:
    """Keeps what each person was told, and what all were: of what somebody did, as much as the others saw."""

    def __init__(self, people: Iterable[Seat]) -> None:
        self.own: dict[Seat, list[Note]] = {seat: [] for seat in people}
        self.told: list[LoggedMessage] = []
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
        common = public_entries(game, event, before, after, self.own)
        view = before[next(iter(self.own))]
        if view.turn >= 0:
            by_itself = bool(common) and common[0].seat == view.turn
            self._turns[view.turn] = len(self.told) + by_itself
            if now:
                self._acted[view.turn] = now
        tricks = game.trick(view)
        trick = tricks.number if tricks else 0
        for place, note in enumerate(common):
            fell = isinstance(note, PlayedCard) and place and not isinstance(common[place - 1], PlayedCard)
            if isinstance(event, Play) and trick and fell:
                trick += 1  # the last trick plays itself
            self._all(note, trick)

    def note(self, note: Note) -> None:
        """Everybody was told this, too."""
        for own in self.own.values():
            own.append(note)
        self._all(note, 0)

    def _all(self, note: Note, trick: int) -> None:
        self.told.append(LoggedMessage(note, trick))
        self.notes.append(note)

    def forget_rounds(self) -> None:
        """Nobody is to be told again what only concerned rounds before; talk stays."""
        for own in self.own.values():
            own[:] = [note for note in own if isinstance(note, Said)]

    def forget(self) -> None:
        """Nothing was told."""
        self.__init__(self.own)  # type: ignore[misc]

    def missed(self, seat: Seat | None, now: datetime) -> MissedMessages:
        """What happened since ``seat`` last acted; everything for who has not acted, and for nobody."""
        if seat is None or seat not in self._turns:
            return MissedMessages(tuple(self.told))
        return MissedMessages(tuple(self.told[self._turns[seat] :]), True, self._acted.get(seat), now)


def public_entries(
    game: AnyGame, event: Event, before: Mapping[Seat, View], after: Mapping[Seat, View], people: Iterable[Seat]
) -> list[Note]:
    """What an event looked like to several people as each of them, and who only looks on, may hear it.

    For one person alone the views are to have another seat, too, as ``other_view`` gives it; else it is told as she
    saw it.
    """
    seats = [*people]
    seats += [seat for seat in before if seat not in seats][: len(seats) == 1]
    if len(seats) == 1:
        return notes(game, event, before[seats[0]], after[seats[0]])
    return merge_public(
        {seat: notes(game, event, before[seat].public_view(), after[seat].public_view()) for seat in seats}
    )


def other_view(table: Referee, people: Iterable[Seat]) -> dict[Seat, View]:
    """Where one person plays alone what another seat sees, its hand covered; nothing where there are several."""
    seat, *others = people
    if others:
        return {}
    other = (seat + 1) % table.seats
    return {other: table.view(other).public_view()}


def merge_public(seen: Mapping[Seat, Sequence[Note]]) -> list[Note]:
    """What several people were told of one thing, as all may hear it.

    What somebody did is told as another one saw it, and what nobody else was told is left out.
    """
    (seat, heard), (_, another), *_ = seen.items()
    as_seen = (note for note in another if note.seat == seat)
    common = [next(as_seen, None) if note.seat == seat else note for note in heard]
    return [note for note in common if note]


def notes(game: AnyGame, event: Event, before: View, after: View) -> list[Note]:
    """What an event looked like, with the cards of a last trick that played itself, which no event tells."""
    heard = [*game.narrate(event, before, after)]
    if cards := auto_played_cards(game, event, before, after):
        place = 2 if len(_full(game, event, before)) == len(after.totals) else 1  # after what was chosen and its taker
        heard[place:place] = cards
    return heard


def auto_played_cards(game: AnyGame, event: Event, before: View, after: View) -> list[PlayedCard]:
    """The cards of a last trick that played itself with an event."""
    trick, then = game.trick(before), game.trick(after)
    if after.finished == before.finished or trick is None or then is None:
        return []
    if then.last in (_full(game, event, before), trick.last):
        return []
    return [PlayedCard(*card) for card in then.last]


def _full(game: AnyGame, event: Event, before: View) -> tuple[tuple[Seat, Card], ...]:
    """The trick with the card that was put on it."""
    trick = game.trick(before)
    return (*trick.lying, (before.turn, event.card)) if trick and isinstance(event, Play) else ()


def entries_for_line(line: Line) -> Sequence[Note]:
    """What everybody is told of a line that is no event of the game."""
    if line.say is not None:
        return (talk_entry(line.say, line.seat),)
    if line.undo is not None:
        return (TAKEN_BACK,)
    if line.void is not None:
        return (DEALT_AGAIN,)
    return () if line.forfeit is None else (SystemLogEntry(line.forfeit, "lost"),)
