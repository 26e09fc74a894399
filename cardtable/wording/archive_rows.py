"""Texts of sessions in the archive."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Final

from cardtable.engine.game import Seat
from cardtable.engine.journal import Header
from cardtable.engine.options import has_open_hands
from cardtable.engine.text_format import fold, format_count
from cardtable.games import ABOUT
from cardtable.records.archive import FILE_WORDS, ArchivedSession, SessionCourse
from cardtable.store import archive_index
from cardtable.store.profiles import ProfileStore, find_seats, map_current_nicks
from cardtable.store.sessions import Session
from cardtable.store.summaries import Summary, UnratedReason, find_unrated_reason
from cardtable.wording.formatting import format_date, format_day, format_number, format_ordinal, format_time_loss
from cardtable.wording.tables import format_current_round
from cardtable.wording.terms import format_loss

_UNRATED_REASONS: Final[Mapping[UnratedReason, str]] = {
    "club": "the club rates it",
    "continued": "it was continued from another session",
    "open hands": "all hands were open",
    "taken back": "a move was undone",
    "coached": "the coach was on",
    "chosen": "the deal was chosen by number or played again",
    "casual": "the table was not rated",
}


def create_row(summary: Summary, me: str, profile_store: ProfileStore) -> ArchivedSession:
    """Return the row of a session, as the player with the nick ``me`` sees it."""
    when = _get_last_played(summary).astimezone().date()
    header = summary.header
    if header is None:
        return ArchivedSession(summary, fold(summary.id), (), when, None)
    people, players = header.people, tuple(map_current_nicks(profile_store, header).values())
    seat = next(iter(find_seats(profile_store, me, header)), people[0] if len(people) == 1 else None)
    sitting = [*players, *[word for occupant in header.seats for word in (occupant.name, occupant.robot or "")]]
    properties = list_properties(summary)
    properties += [FILE_WORDS[word] for word in properties if word in FILE_WORDS]
    texts = [ABOUT[header.game].title, *sitting, summary.name, *properties]
    return ArchivedSession(summary, fold(" ".join([*texts, format_date(when), summary.id])), players, when, seat)


def _get_last_played(summary: Summary) -> datetime:
    return datetime.fromtimestamp(summary.played, UTC)


def list_properties(summary: Summary) -> list[str]:
    """Return the properties of a session other than its result in words, the most important first."""
    header = summary.header
    if header is None:
        return ["cannot be opened"]
    properties = [{"open": "open", "abandoned": "abandoned"}.get(summary.state, "")]
    properties.append(format_time_loss(header.seats[summary.timed_out].name) if summary.timed_out is not None else "")
    properties += [f"{header.seats[seat].name} {format_loss(reason)}" for seat, reason in summary.lost]
    properties.append("real cards" if summary.real_cards else "")
    properties.append("undone moves" if summary.undone else "")
    properties.append("coach" if summary.coached else "")
    properties.append("known deal" if summary.has_known_cards else "")
    properties.append("open hands" if has_open_hands(header.options) else "")
    if header.club:
        properties.append(format_club(header.club))
    elif summary.is_club_only:
        properties.append("at the club")
    elif not summary.real_cards:
        properties.append("hot seat" if len(header.people) > 1 else "" if header.people else "robots")
    room = header.options.get("room")
    properties.append(f"{room} room" if isinstance(room, int) else "")
    properties.append("continued" if header.origin else "")
    return [word for word in properties if word]


def explain_unrated(session: Session) -> str | None:
    """Explain in a sentence why a finished session is not rated. Return ``None`` if it is rated.

    It may search the archive for an earlier session with the same deal.
    """
    reason = find_unrated_reason(session.header, session.referee.undone, coached=session.referee.coached)
    if reason:
        return f"Not rated: {_UNRATED_REASONS[reason]}."
    if not session.header.people or session.new_deal or not archive_index.is_deal_known(session.header.id):
        return None
    subject = "you have" if len(session.header.people) == 1 else "somebody here has"
    return f"Not rated: {subject} played this deal before."


def format_club(name: str) -> str:
    """Return "at" and the name of a club. The article of the name is put in lower case."""
    return f"at {name[:1].lower() + name[1:] if name.startswith('The ') else name}"


def list_facts(row: ArchivedSession, course: SessionCourse | None) -> list[str]:
    """Return texts about the number of rounds, the properties, and the duration of a session.

    The duration is left out if ``course`` is ``None``.
    """
    summary = row.summary
    facts = list_properties(summary) if summary.header else []
    if summary.header and summary.is_complete:
        done = (
            f"round {format_current_round(summary)}"
            if summary.state != "over"
            else format_count(summary.round, "round")
        )
        facts = [done, *facts, *([f"{course.minutes} min"] if course and course.minutes else [])]
    return facts


def list_seats_by_place(summary: Summary, header: Header) -> list[Seat]:
    """Return all seats by rank, the best first. If the session has no ranks, the seats are in order."""
    seats = range(len(header.seats))
    return sorted(seats, key=summary.ranks.__getitem__) if summary.ranks else [*seats]


def format_date_and_time(row: ArchivedSession) -> str:
    """Return the date and time of the last play, such as ``12 Nov 2026 18:05``."""
    return f"{format_date(row.day)} {_get_last_played(row.summary).astimezone():%H:%M}"


def format_when(row: ArchivedSession, now: datetime) -> str:
    """Return the time of the last play: relative to ``now`` on the same day and the day before, else the date.

    The year is added to the date if it is not the present one.
    """
    minutes = (now - _get_last_played(row.summary)) // timedelta(minutes=1)
    if minutes < 1:
        return "just now"
    if minutes < 60:
        return f"{minutes} min ago"
    days = (now.date() - row.day).days
    if days <= 1:
        return "yesterday" if days else f"{minutes // 60} h ago"
    return format_day(row.day) if row.day.year == now.year else format_date(row.day)


def format_place(row: ArchivedSession) -> str:
    return format_ordinal(row.rank) if row.rank else ""


def format_result(row: ArchivedSession) -> str:
    """Return the result of a session in a few words.

    This is the total of the row's seat, or both totals if there are two seats. Without such a seat it is the winner
    with the total, and in an unfinished session the round.
    """
    summary, header = row.summary, row.summary.header
    if header is None or not summary.is_complete:
        return ""
    if summary.state == "open":
        if not summary.round:
            return "not dealt"
        return format_current_round(summary) if summary.rounds else f"round {summary.round}"
    if row.seat is None:
        best = summary.ranks.index(1) if summary.ranks and 1 in summary.ranks else None
        return "" if best is None else f"{header.seats[best].name} {format_number(summary.totals[best])}"
    if len(header.seats) == 2:
        return " : ".join([format_number(summary.totals[seat]) for seat in row.seats])
    return format_number(summary.totals[row.seat])
