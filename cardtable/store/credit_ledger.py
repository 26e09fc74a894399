"""Credits: stakes are taken when a session starts, and the winner gets the pot.

Payments are derived from the states of the sessions, so that after a crash at any moment the next run completes
them, and each is made once.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, Literal, NamedTuple

import msgspec

from cardtable.engine.errors import CardtableError
from cardtable.engine.journal import Header, Occupant
from cardtable.engine.options import read
from cardtable.engine.text_format import with_count
from cardtable.games import GAMES
from cardtable.store import profiles, summaries
from cardtable.store.profiles import Profile, ProfileStore, Transaction, TransactionReason

MIN_CREDITS: Final = 5
"""Minimum of credits: a player with fewer after a session gets the difference to ``GIFT``."""
GIFT: Final = 100


class _Standing(NamedTuple):
    """State of a session with stakes."""

    state: Literal["open", "over", "given up", "missing"]
    seats: int = 0
    winner: Occupant | None = None
    """Occupant of the winning seat at the time when the stakes were taken."""
    version: int = 1
    """Version of its journal."""


class Payout(NamedTuple):
    """Result in credits of a finished session for a player who staked in it."""

    change: int
    """Credits won, net of the stake; negative if lost."""
    gift: int
    """Gift to a player without enough credits to continue."""
    credits: int
    """The player's balance afterwards."""


def stake_of(header: Header) -> int:
    """Return the stake of each seat in credits; 0 in a session without stakes."""
    try:
        return read(GAMES[header.game].options, header.options).stake
    except (KeyError, ValueError):
        return 0


def outcome(header: Header, ranks: Sequence[int], nick: str) -> Payout | None:
    """Return the payout of a session with the given places for a player, also before the ledger contains it.

    ``None`` if the player staked nothing in it.
    """
    player = profiles.load()[0].find(nick)
    own = _transactions(player, header.id) if player else []
    if player is None or not own:
        return None
    due = _missing_transactions(
        player, own, _Standing("over", len(header.seats), header.seats[ranks.index(1)], header.cardtable)
    )
    moves = [move for move in (*player.ledger, *due) if move.session == header.id]
    gift = sum(move.change for move in moves if move.why == "gift")
    return Payout(sum(move.change for move in moves) - gift, gift, player.credits + sum(move.change for move in due))


def stake_error(book: ProfileStore, nick: str, stake: int) -> str:
    """Return the reason, in one line, for which a player cannot pay ``stake`` credits; ``""`` if there is none."""
    if not stake:
        return ""
    profile = book.find(nick)
    if profile is None:
        return f"{nick} has no credits to stake: only registered players have credits"
    if profile.credits >= stake:
        return ""
    return (
        f"{nick} has {with_count(profile.credits, 'credit')}, and the stake is {stake}: choose a room with a lower one"
    )


def nicks_requiring_password(seats: Sequence[Occupant], stake: int) -> list[str]:
    """Return the nicks of the players who have to enter their password before their credits are staked."""
    book = profiles.load()[0] if stake else ProfileStore()
    people = [book.find(who.name) for who in seats if not who.robot]
    return [profile.nick for profile in people if profile and profile.locked]


def take_stakes(session: str, seats: Sequence[Occupant], stake: int, *, proved: bool = False) -> None:
    """Take the stakes of a session about to start, from all its people or from none.

    ``proved``: True if a club has authenticated all of them. Raises ``CardtableError`` if a player cannot pay or has
    not entered the password, or the ledgers cannot be saved; the session must not start then.
    """
    people = [who.name for who in seats if not who.robot]
    if not stake or not people:
        return
    pay_out()

    def taken(book: ProfileStore) -> ProfileStore:
        for nick in people:
            if why := stake_error(book, nick, stake):
                raise CardtableError(f"The session cannot begin: {why}")
            profile = book.find(nick)
            assert profile is not None
            if profile.locked and not proved:
                raise CardtableError(f"The session cannot begin: {nick} has to give the password first")
            book = _moved(book, profile, [Transaction(profiles.now(), session, "stake", -stake)])
        return book

    profiles.change(taken)


def pay_out(elsewhere: Mapping[str, Path] | None = None) -> None:
    """Update all ledgers from the states of the sessions; failures are ignored, and the next call tries again.

    ``elsewhere``: paths of journals outside the session folders, by session id.
    """
    with suppress(CardtableError):
        waiting = {
            move.session for player in profiles.read().players for move in player.ledger if _is_pending(player, move)
        }
        standings = {id_: _standing(id_, (elsewhere or {}).get(id_)) for id_ in waiting}
        known = {id_: standing for id_, standing in standings.items() if standing is not None}
        if known:
            profiles.change(lambda book: _settled(book, known))


def _is_pending(player: Profile, move: Transaction) -> bool:
    """Return True if the session of a transaction may still change the balance."""
    return _last_reason(player, move.session) not in ("won", "lost")


def _transactions(player: Profile, session: str) -> list[Transaction]:
    """Return the transactions of one session without gifts."""
    return [move for move in player.ledger if move.session == session and move.why != "gift"]


def _last_reason(player: Profile, session: str) -> TransactionReason | None:
    own = _transactions(player, session)
    return own[-1].why if own else None


def _standing(id_: str, path: Path | None) -> _Standing | None:
    """Return the state of a session; ``None`` if its file cannot be read."""
    try:
        file = path if path and path.exists() else summaries.session_file(id_)
    except OSError:  # the state is unknown until the folder can be read
        return None
    if file is None:
        return _Standing("missing")
    summary = summaries.summarize_fast(file)
    if summary.header is None:
        return None
    if summary.header.club:  # sessions of clubs elsewhere do not affect credits
        return _Standing("missing")
    if summary.state != "over" or summary.ranks is None or 1 not in summary.ranks:
        return _Standing("given up" if summary.state == "given-up" else "open")
    header, seat = summary.header, summary.ranks.index(1)
    winner = dict(summary.replaced_occupants).get(seat, header.seats[seat])
    return _Standing("over", len(header.seats), winner, header.cardtable)


def _settled(book: ProfileStore, standings: Mapping[str, _Standing]) -> ProfileStore:
    for session, standing in standings.items():
        for player in book.players:
            if own := _transactions(player, session):
                book = _moved(book, player, _missing_transactions(player, own, standing))
    return book


def _moved(book: ProfileStore, player: Profile, moves: Sequence[Transaction]) -> ProfileStore:
    return book.with_profile(msgspec.structs.replace(player, ledger=(*player.ledger, *moves))) if moves else book


def _missing_transactions(player: Profile, own: Sequence[Transaction], standing: _Standing) -> list[Transaction]:
    """Return the transactions that the ledger still lacks, given the state of the session."""
    session, last, stake = own[0].session, own[-1].why, -own[0].change
    why = _next_reason(last, standing, player)
    if why is None:
        return []
    pot = stake * standing.seats if why == "won" else 0
    wanted = 0 if why == "returned" else pot - stake
    moves = [Transaction(profiles.now(), session, why, wanted - sum(move.change for move in own))]
    gift = _gift(player, moves[0])
    return [*moves, Transaction(profiles.now(), session, "gift", gift)] if gift else moves


def _next_reason(last: TransactionReason, standing: _Standing, player: Profile) -> TransactionReason | None:
    """Return the reason of the transaction that the ledger lacks; ``None`` if it is up to date."""
    if last in ("won", "lost"):
        return None
    if standing.state == "over":
        won = standing.winner and player.is_occupant(standing.winner, standing.version)
        return "won" if won else "lost"
    if standing.state == "given up":
        return None if last == "given up" else "given up"
    if standing.state == "open":
        return "taken back" if last in ("given up", "returned") else None
    return "returned" if last in ("stake", "taken back") else None


def _gift(player: Profile, move: Transaction) -> int:
    """Return the gift after a transaction, which raises a balance below ``MIN_CREDITS`` to ``GIFT``; else 0.

    When an abandoned session is restored, the gift is taken back as far as the balance allows (a negative number).
    """
    credits_then = player.credits + move.change
    if move.why == "taken back":
        given = [other.change for other in player.ledger if (other.session, other.why) == (move.session, "gift")]
        return -max(min(sum(given), credits_then), 0)
    return GIFT - credits_then if move.why != "returned" and credits_then < MIN_CREDITS else 0
