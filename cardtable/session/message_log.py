"""Message log of a session: the notes of each person, the public ones, and those that a person has missed."""

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

MAX_TALK_LENGTH: Final = 200
"""Maximum length of table talk in characters."""


class LoggedMessage(NamedTuple):
    """A public message, and the trick in which it was logged."""

    note: Note
    trick: int
    """Number of the trick in the round; 0 in games without tricks."""


class MissedMessages(msgspec.Struct, frozen=True):
    """Public messages of the time in which a player was not at the keyboard."""

    messages: tuple[LoggedMessage, ...] = ()
    has_acted: bool = False
    """True if the player has acted, and ``messages`` begins after that; False if ``messages`` contains all messages."""
    since: datetime | None = None
    """Time of the player's last action; ``None`` if it was before the session was opened."""
    now: datetime | None = None
    """Time of the query."""


NOTHING_MISSED: Final = MissedMessages()


def talk_entry(text: str, seat: Seat | None) -> Said:
    """Return the note for table talk, sanitized to one line of at most ``MAX_TALK_LENGTH`` characters.

    The journal stores the talk as it was typed.
    """
    return Said(seat, sanitize(" ".join(text.split()), MAX_TALK_LENGTH))


def seat_change_entry(occupant: Occupant, left: Occupant) -> SeatChanged:
    """Return the note that ``occupant`` takes the seat of ``left``."""
    return SeatChanged(None, occupant.name, occupant.robot, left.name)


class MessageLog:
    """Log of each person's notes and of the public ones.

    Of another player's action, a person gets as much as the other seats saw.
    """

    def __init__(self, people: Iterable[Seat]) -> None:
        self.messages_by_seat: dict[Seat, list[Note]] = {seat: [] for seat in people}
        self.public_messages: list[LoggedMessage] = []
        self.notes: list[Note] = []
        """Notes of ``public_messages``, the log of public messages."""
        self._last_action_index: dict[Seat, int] = {}
        """Length of ``public_messages`` after the last action of each seat."""
        self._acted: dict[Seat, datetime] = {}

    def log_event(
        self,
        game: AnyGame,
        event: Event,
        before: Mapping[Seat, View],
        after: Mapping[Seat, View],
        now: datetime | None = None,
    ) -> None:
        """Log the notes of a game event, given the views before and after it by seat.

        ``now`` is the time of the event; ``None`` for an event that is replayed from the journal.
        """
        for seat, own in self.messages_by_seat.items():
            own.extend(game.narrate(event, before[seat], after[seat]))
        common = public_entries(game, event, before, after, self.messages_by_seat)
        view = before[next(iter(self.messages_by_seat))]
        if view.turn >= 0:
            automatic = bool(common) and common[0].seat == view.turn
            self._last_action_index[view.turn] = len(self.public_messages) + automatic
            if now:
                self._acted[view.turn] = now
        tricks = game.trick(view)
        trick = tricks.number if tricks else 0
        for index, note in enumerate(common):
            is_next_trick = isinstance(note, PlayedCard) and index and not isinstance(common[index - 1], PlayedCard)
            if isinstance(event, Play) and trick and is_next_trick:
                trick += 1  # the rules play the last trick automatically
            self._log_public(note, trick)

    def log_note(self, note: Note) -> None:
        """Log a note that every person gets."""
        for own in self.messages_by_seat.values():
            own.append(note)
        self._log_public(note, 0)

    def _log_public(self, note: Note, trick: int) -> None:
        self.public_messages.append(LoggedMessage(note, trick))
        self.notes.append(note)

    def clear_round_messages(self) -> None:
        """Remove each person's notes except table talk, when a new round begins."""
        for own in self.messages_by_seat.values():
            own[:] = [note for note in own if isinstance(note, Said)]

    def clear(self) -> None:
        """Remove everything."""
        self.__init__(self.messages_by_seat)  # type: ignore[misc]

    def missed(self, seat: Seat | None, now: datetime) -> MissedMessages:
        """Return the public messages since the last action of ``seat``.

        All messages are returned if the seat has not acted, or is ``None``.
        """
        if seat is None or seat not in self._last_action_index:
            return MissedMessages(tuple(self.public_messages))
        return MissedMessages(
            tuple(self.public_messages[self._last_action_index[seat] :]), True, self._acted.get(seat), now
        )


def public_entries(
    game: AnyGame, event: Event, before: Mapping[Seat, View], after: Mapping[Seat, View], people: Iterable[Seat]
) -> list[Note]:
    """Return the public notes of an event: the notes that every person and every spectator may read.

    With one person the views must contain a second seat, as ``other_view`` returns it; without it the notes are that
    person's own.
    """
    seats = [*people]
    if len(seats) == 1:
        seats += [seat for seat in before if seat not in seats][:1]
    if len(seats) == 1:
        return event_notes(game, event, before[seats[0]], after[seats[0]])
    return merge_public(
        {seat: event_notes(game, event, before[seat].public_view(), after[seat].public_view()) for seat in seats}
    )


def other_view(table: Referee, people: Iterable[Seat]) -> dict[Seat, View]:
    """Return the view of a second seat with its hand hidden if one person plays alone; else an empty mapping."""
    seat, *others = people
    if others:
        return {}
    other = (seat + 1) % table.seats
    return {other: table.view(other).public_view()}


def merge_public(seen: Mapping[Seat, Sequence[Note]]) -> list[Note]:
    """Merge the notes of two or more seats about one event into the public ones.

    A note about the first seat's own action is replaced by the note of the second seat, and dropped if that seat got
    none.
    """
    (seat, heard), (_, another), *_ = seen.items()
    others_version = (note for note in another if note.seat == seat)
    common = [next(others_version, None) if note.seat == seat else note for note in heard]
    return [note for note in common if note]


def event_notes(game: AnyGame, event: Event, before: View, after: View) -> list[Note]:
    """Return the notes of an event, including the cards of a last trick that the rules played automatically."""
    heard = [*game.narrate(event, before, after)]
    if cards := auto_played_cards(game, event, before, after):
        place = (
            2 if len(_trick_with(game, event, before)) == len(after.totals) else 1
        )  # after the played card and the note of its taker
        heard[place:place] = cards
    return heard


def auto_played_cards(game: AnyGame, event: Event, before: View, after: View) -> list[PlayedCard]:
    """Return the cards of the last trick if the rules played it automatically with this event, else an empty list."""
    old, new = game.trick(before), game.trick(after)
    if after.finished == before.finished or old is None or new is None:
        return []
    if new.last in (_trick_with(game, event, before), old.last):
        return []
    return [PlayedCard(*card) for card in new.last]


def _trick_with(game: AnyGame, event: Event, before: View) -> tuple[tuple[Seat, Card], ...]:
    """Return the trick in progress with the card of ``event`` added; empty if the event plays no card."""
    trick = game.trick(before)
    return (*trick.lying, (before.turn, event.card)) if trick and isinstance(event, Play) else ()


def entries_for_line(line: Line) -> Sequence[Note]:
    """Return the public notes of a journal line that is not a game event: talk, undo, void round, forfeit."""
    if line.say is not None:
        return (talk_entry(line.say, line.seat),)
    if line.undo is not None:
        return (TAKEN_BACK,)
    if line.void is not None:
        return (DEALT_AGAIN,)
    return () if line.forfeit is None else (SystemLogEntry(line.forfeit, "lost"),)
