"""Credits: stakes are taken when a session starts, and the pot goes to whoever wins it.

The ledgers are brought up to date by looking where the sessions lie, so that after a crash at any
moment the next look does what was left to do, and nothing is done twice.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, Literal, NamedTuple

import msgspec

from cardtable.engine.errors import CardtableError
from cardtable.engine.journal import Header, Occupant
from cardtable.engine.options import read
from cardtable.engine.text_format import counted
from cardtable.games import GAMES
from cardtable.store import profiles, summaries
from cardtable.store.profiles import Profile, ProfileStore, Transaction, Why

LEAST: Final = 5
"""Who has fewer after a session gets what is missing to ``GIFT``."""
GIFT: Final = 100


class _Standing(NamedTuple):
    """Where a session with stakes stands."""

    state: Literal["open", "over", "given up", "missing"]
    seats: int = 0
    winner: Occupant | None = None
    """Who sat in the seat that won it when the stakes were taken."""
    version: int = 1
    """Of its journal."""


class Payout(NamedTuple):
    """What a session that is over comes to for a player who staked in it."""

    change: int
    """Credits won, or below nought lost, the stake counted."""
    gift: int
    """What she gets besides, to have something to play on with."""
    credits: int
    """What she has then."""


def stake_of(header: Header) -> int:
    """Credits that each seat of a session has staked; 0 where nothing is staked."""
    try:
        return read(GAMES[header.game].options, header.options).stake
    except (KeyError, ValueError):
        return 0


def outcome(header: Header, ranks: Sequence[int], nick: str) -> Payout | None:
    """What a session with these places comes to for a player, also before her ledger has it.

    ``None`` where she staked nothing in it.
    """
    player = profiles.load()[0].find(nick)
    own = _own(player, header.id) if player else []
    if player is None or not own:
        return None
    due = _due(player, own, _Standing("over", len(header.seats), header.seats[ranks.index(1)], header.cardtable))
    moves = [move for move in (*player.ledger, *due) if move.session == header.id]
    gift = sum(move.change for move in moves if move.why == "gift")
    return Payout(sum(move.change for move in moves) - gift, gift, player.credits + sum(move.change for move in due))


def why_not(book: ProfileStore, nick: str, stake: int) -> str:
    """Why a person cannot stake so much, in a line; nothing (``""``) if she can, or if nothing is to be staked."""
    if not stake:
        return ""
    profile = book.find(nick)
    if profile is None:
        return f"{nick} has no credits to stake: only registered players have credits"
    if profile.credits >= stake:
        return ""
    return f"{nick} has {counted(profile.credits, 'credit')}, and the stake is {stake}: choose a room with a lower one"


def nicks_requiring_password(seats: Sequence[Occupant], stake: int) -> list[str]:
    """The nicks of those who have to give their passwords before their credits are staked."""
    book = profiles.load()[0] if stake else ProfileStore()
    people = [book.find(who.name) for who in seats if not who.robot]
    return [profile.nick for profile in people if profile and profile.locked]


def take(session: str, seats: Sequence[Occupant], stake: int, *, proved: bool = False) -> None:
    """Take the stakes of a session that is about to start, all or none.

    ``proved``: a club has let all of these people in as who they are.  Raises ``CardtableError`` where one
    of them cannot pay, has not given her password, or where the ledgers cannot be kept: the session may not start then.
    """
    people = [who.name for who in seats if not who.robot]
    if not stake or not people:
        return
    pay_out()

    def taken(book: ProfileStore) -> ProfileStore:
        for nick in people:
            if why := why_not(book, nick, stake):
                raise CardtableError(f"The session cannot begin: {why}")
            profile = book.find(nick)
            assert profile is not None
            if profile.locked and not proved:
                raise CardtableError(f"The session cannot begin: {nick} has to give the password first")
            book = _moved(book, profile, [Transaction(profiles.now(), session, "stake", -stake)])
        return book

    profiles.change(taken)


def pay_out(elsewhere: Mapping[str, Path] | None = None) -> None:
    """Bring all ledgers up to date with the sessions; what cannot be done now is done the next time.

    ``elsewhere``: journals that do not lie where sessions are kept, by their ids.
    """
    with suppress(CardtableError):
        waiting = {move.session for player in profiles.read().players for move in player.ledger if _waits(player, move)}
        standings = {id_: _standing(id_, (elsewhere or {}).get(id_)) for id_ in waiting}
        known = {id_: standing for id_, standing in standings.items() if standing is not None}
        if known:
            profiles.change(lambda book: _settled(book, known))


def _waits(player: Profile, move: Transaction) -> bool:
    """Whether the session of a movement may still change the credits."""
    return _last(player, move.session) not in ("won", "lost")


def _own(player: Profile, session: str) -> list[Transaction]:
    """The movements of one session, presents aside."""
    return [move for move in player.ledger if move.session == session and move.why != "gift"]


def _last(player: Profile, session: str) -> Why | None:
    own = _own(player, session)
    return own[-1].why if own else None


def _standing(id_: str, path: Path | None) -> _Standing | None:
    """Where a session stands; ``None`` where its file does not tell."""
    try:
        found = path if path and path.exists() else summaries.session_file(id_)
    except OSError:  # nobody knows what lies there
        return None
    if found is None:
        return _Standing("missing")
    summary = summaries.summarize_fast(found)
    if summary.header is None:
        return None
    if summary.header.club:  # what a club tells moves no credits of this home
        return _Standing("missing")
    if summary.state != "over" or summary.ranks is None or 1 not in summary.ranks:
        return _Standing("given up" if summary.state == "given-up" else "open")
    header, seat = summary.header, summary.ranks.index(1)
    winner = dict(summary.left).get(seat, header.seats[seat])
    return _Standing("over", len(header.seats), winner, header.cardtable)


def _settled(book: ProfileStore, standings: Mapping[str, _Standing]) -> ProfileStore:
    for session, standing in standings.items():
        for player in book.players:
            if own := _own(player, session):
                book = _moved(book, player, _due(player, own, standing))
    return book


def _moved(book: ProfileStore, player: Profile, moves: Sequence[Transaction]) -> ProfileStore:
    return book.with_profile(msgspec.structs.replace(player, ledger=(*player.ledger, *moves))) if moves else book


def _due(player: Profile, own: Sequence[Transaction], standing: _Standing) -> list[Transaction]:
    """What has to follow in the ledger from where the session stands."""
    session, last, stake = own[0].session, own[-1].why, -own[0].change
    why = _next(last, standing, player)
    if why is None:
        return []
    pot = stake * standing.seats if why == "won" else 0
    wanted = 0 if why == "returned" else pot - stake
    moves = [Transaction(profiles.now(), session, why, wanted - sum(move.change for move in own))]
    gift = _gift(player, moves[0])
    return [*moves, Transaction(profiles.now(), session, "gift", gift)] if gift else moves


def _next(last: Why, standing: _Standing, player: Profile) -> Why | None:
    """What the session has become for the player, if that is not the last thing that the ledger has of it."""
    if last in ("won", "lost"):
        return None
    if standing.state == "over":
        won = standing.winner and player.sat_down_as(standing.winner, standing.version)
        return "won" if won else "lost"
    if standing.state == "given up":
        return None if last == "given up" else "given up"
    if standing.state == "open":
        return "taken back" if last in ("given up", "returned") else None
    return "returned" if last in ("stake", "taken back") else None


def _gift(player: Profile, move: Transaction) -> int:
    """What comes besides after a session, so that there is something to play on with.

    It goes again, as far as it is still there, where the giving-up is taken back.
    """
    credits_then = player.credits + move.change
    if move.why == "taken back":
        given = [other.change for other in player.ledger if (other.session, other.why) == (move.session, "gift")]
        return -max(min(sum(given), credits_then), 0)
    return GIFT - credits_then if move.why != "returned" and credits_then < LEAST else 0
