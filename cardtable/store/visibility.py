"""Who may see how much of a stored session; the table of cases is in ``tests/store/test_visibility.py``.

On the host's machine a session that the club plays is continued at the club only, and the program shows no hand of the
round in progress. The exception is ``cardtable reveal``: it adds the mark ``hands-revealed`` to the session, which
tells the players, and is valid until the next deal.
"""

from collections.abc import Iterable, Sequence, Set
from contextlib import suppress
from pathlib import Path
from typing import Final, Literal, TypeAlias

import msgspec
from msgspec.structs import replace

from cardtable.engine import journal
from cardtable.engine.errors import CardtableError
from cardtable.engine.game import OVER, Seat
from cardtable.engine.replay import iter_positions
from cardtable.games import GAMES
from cardtable.store import paths, session_files
from cardtable.store.errors import FileError
from cardtable.store.json_file import JsonFile
from cardtable.store.profiles import ProfileStore, map_current_nicks
from cardtable.store.session_files import State

_MAX_CLUB_BYTES: Final = 4 * 1024 * 1024
_UNKNOWN_CLUB: Final = "unknown"


class PlayedAtClub(CardtableError):
    """Error for an operation that would continue a club's session outside the club, or show hidden hands."""


class _HomeClub(msgspec.Struct, frozen=True, tag_field="club", tag=2):
    """Identity of the club of this home, as stored in its accounts file."""

    id: str = ""


_HOME_CLUB_FILE: Final = JsonFile(_HomeClub, _MAX_CLUB_BYTES, personal=True)


def find_marks(lines: Iterable[journal.Line]) -> frozenset[journal.MarkKind]:
    """Return the marks in journal lines that hold after the last of them."""
    marks = set[journal.MarkKind]()
    for line in lines:
        if isinstance(line, journal.MarkLine):
            marks.add(line.mark)
        elif isinstance(line, journal.ChanceLine) and line.is_deal:
            marks.discard("hands-revealed")
    return frozenset(marks)


def is_of_club(header: journal.Header, marks: Set[journal.MarkKind]) -> bool:
    """Return True if a club of this home plays the session with a header and marks, from its beginning or later."""
    if header.club is not None:  # a guest's copy, in which all hands are open
        return False
    return header.host is not None or "at-club" in marks


def is_club_session(parsed: journal.Journal) -> bool:
    """Return True if a session is played by a club, whether its hands are revealed or not."""
    return is_of_club(parsed.header, find_marks(entry.line for entry in parsed.entries))


def get_host_id(header: journal.Header) -> str:
    """Return the id of the club that plays a session: of the club of this home if the session was begun at home.

    It is ``"unknown"`` if the file of this home's club is missing or cannot be read.
    """
    club = _HomeClub()
    with suppress(FileNotFoundError, FileError):
        club = _HOME_CLUB_FILE.read_cached(paths.club_file())
    return header.host or club.id or _UNKNOWN_CLUB


def make_club_refusal() -> PlayedAtClub:
    """Return the error for an attempt to continue a club's session outside the club."""
    return PlayedAtClub(
        "this session is played at the club: open the club to continue (cardtable host, or Open to others with Ctrl+P)"
    )


Viewer: TypeAlias = Literal["home", "player"]
"""Who looks at a session: a program of the home that has it, or a guest of its club who has played in it."""
Extent: TypeAlias = Literal["nothing", "finished rounds", "on request", "whole"]
"""How much may be shown; ``on request`` is the whole session for somebody who confirms that hands are revealed."""
_NO_PROFILES: Final = ProfileStore()


def decide(
    viewer: Viewer, state: State, *, is_secret: bool, is_club_only: bool = True, has_people: bool = True
) -> Extent:
    """Return how much of a session a viewer may see.

    ``is_secret`` and ``is_club_only`` are the results of these functions; ``is_club_only`` counts before the end only.
    ``has_people`` is True if human players have seats. Whoever is at a table of a club can see its finished rounds.
    """
    if is_secret:
        return "nothing"
    if state == "over":
        return "whole"
    if viewer == "player":
        return "finished rounds" if state == "abandoned" else "nothing"
    if is_club_only:
        return "finished rounds"
    return "on request" if state == "open" and has_people else "whole"


def check_request(
    path: Path, parsed: journal.Journal, header: journal.Header, turn: Seat, command: str | None, *, as_open: bool
) -> Extent:
    """Return how much of a session a program of its home may show.

    ``header`` names the present occupants, and ``turn`` is the referee's ``turn`` after the last line. ``command`` is
    the command that shows the whole session, ``None`` for one that can show the finished rounds instead. ``as_open`` is
    True if the player has confirmed that hands are revealed.

    Raises ``CardtableError`` if nothing may be shown, also before the end of a session without aids, ``PlayedAtClub``
    if ``as_open`` asks for hands that the club hides, and ``StillPlayed`` if the command needs the confirmation.
    """
    check_public(parsed.header)
    state, hides = session_files.get_state(path, is_over=turn == OVER), is_hidden(parsed, turn)
    extent = decide("home", state, is_secret=False, is_club_only=hides, has_people=bool(header.people))
    if extent == "finished rounds" and not journal.allows_aids(header.terms, is_over=state != "open"):
        raise CardtableError(f"{header.id}: it is played without aids, and nobody can look at its deals before the end")
    if extent == "finished rounds" and as_open:
        raise make_open_refusal(header.id)
    if extent == "on request" and command and not as_open:
        raise session_files.make_refusal(header, command)
    return extent


def is_secret(header: journal.Header) -> bool:
    """Return True if a session belongs to a round of a tournament that is not finished at all of its tables.

    Nobody but the players at its table may see anything of it, since the other tables have the same deals.
    """
    if header.host is None:
        return False
    from cardtable.store import tournaments  # noqa: PLC0415 - lazy: startup

    return tournaments.is_playing(header.id)


def check_public(header: journal.Header) -> None:
    """Raise ``CardtableError`` if ``is_secret`` holds for a session that is to be shown or copied."""
    if is_secret(header):
        raise CardtableError(
            f"{header.id}: a table of a tournament, which nobody can look at until all tables have finished the round"
        )


def is_club_only(header: journal.Header, marks: Set[journal.MarkKind]) -> bool:
    """Return True if an unfinished session can be continued at the club only, so that its hands are hidden here.

    It is not checked whether the session is unfinished.
    """
    return is_secret(header) or ("hands-revealed" not in marks and is_of_club(header, marks))


def is_hidden(parsed: journal.Journal, turn: Seat) -> bool:
    """Return True if at most the finished rounds of a session may be shown here.

    ``turn`` is the referee's ``turn`` after the last line. Of a session that is secret nothing may be shown.
    """
    if turn == OVER:
        return is_secret(parsed.header)
    return is_club_only(parsed.header, find_marks(entry.line for entry in parsed.entries))


def count_finished_entries(parsed: journal.Journal) -> int:
    """Return the number of entries in a journal up to the end of its last finished round.

    Raises ``JournalError`` if the journal cannot be replayed.
    """
    rounds = entries = 0
    for number, (_, table) in enumerate(iter_positions(parsed, GAMES)):
        if len(table.scores) > rounds:
            rounds, entries = len(table.scores), number
    return entries


def extract_finished_part(parsed: journal.Journal) -> journal.Journal:
    """Return a journal up to the end of its last finished round, with the seed replaced by 0.

    In old sessions the seed would disclose the cards of later rounds. Raises ``JournalError`` if the journal cannot be
    replayed.
    """
    check_public(parsed.header)
    header = replace(parsed.header, seed=0, host=get_host_id(parsed.header))
    lines = [entry.line for entry in parsed.entries[: count_finished_entries(parsed)]]
    return journal.read(journal.encode(header, lines))


def extract_viewable_part(parsed: journal.Journal, turn: Seat) -> journal.Journal:
    """Return the part of a journal that may be shown here. ``turn`` is the referee's ``turn`` after the last line."""
    return extract_finished_part(parsed) if is_hidden(parsed, turn) else parsed


def make_open_refusal(id_: str) -> PlayedAtClub:
    """Return the error for an attempt to show the round in progress of a club's session."""
    return PlayedAtClub(
        f"{id_}: it is played at the club, and only finished rounds are shown; cardtable reveal {id_} reveals the "
        "hands, and tells its players"
    )


def redact_header(header: journal.Header, profile_store: ProfileStore = _NO_PROFILES) -> journal.Header:
    """Return a header without profile ids, and without the seed, from which deals could be computed.

    Players with a profile in ``profile_store`` have their present nicks, others the names in the journal.
    """
    nicks = map_current_nicks(profile_store, header)
    seats = tuple(
        [journal.Occupant(nicks.get(seat, occupant.name), occupant.robot) for seat, occupant in enumerate(header.seats)]
    )
    return replace(header, seed=0, seats=seats, club=None)


def encode_redacted(
    header: journal.Header, entries: Sequence[journal.Entry], profile_store: ProfileStore = _NO_PROFILES
) -> str:
    """Return a journal for guests as JSON Lines; see ``redact_header``."""
    lines = [_redact_line(entry.line, header, profile_store) for entry in entries]
    return journal.encode(redact_header(header, profile_store), lines).decode()


def encode_finished_rounds(parsed: journal.Journal) -> str:
    """Return a journal up to the end of its last finished round, for those who are at the table."""
    return encode_redacted(parsed.header, parsed.entries[: count_finished_entries(parsed)])


def _redact_line(line: journal.Line, header: journal.Header, profile_store: ProfileStore) -> journal.Line:
    if not isinstance(line, journal.OccupantLine):
        return line
    redacted = redact_header(journal.replace_occupants(header, {line.seat: line.occupant}), profile_store)
    return replace(line, name=redacted.seats[line.seat].name, player=None)
