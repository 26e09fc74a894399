"""Credits: stakes are taken when a session starts, and the winner receives the pot.

All payments follow from the states of the sessions. After a crash at any moment, the next call of ``pay_out`` makes the
missing payments, and no payment is made twice.
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
"""Balance in credits below which a player receives a gift after a session; the gift raises it to ``GIFT_BALANCE``."""
GIFT: Final = 100


class _Standing(NamedTuple):
    """State of a session with stakes.

    ``state`` is ``"missing"`` if there is no journal, or if the session was played at another club.
    """

    state: Literal["open", "over", "given up", "missing"]
    seats: int = 0
    winner: Occupant | None = None
    """Occupant of the winning seat when the stakes were taken, or ``None`` if the session is not over."""
    version: int = 1
    """Version of the journal."""


class Payout(NamedTuple):
    """Credits won or lost by one player in a finished session."""

    change: int
    """Credits won, after subtraction of the stake. A negative number means a loss."""
    gift: int
    """Credits given to a player whose balance was too low, usually 0."""
    credits: int
    """Balance of the player after the payment and the gift."""


def stake_of(header: Header) -> int:
    """Return the stake per seat, in credits.

    It is 0 without stakes, and also if the game or its options are unknown to this version of the program.
    """
    try:
        return read(GAMES[header.game].options, header.options).stake
    except (KeyError, ValueError):
        return 0


def outcome(header: Header, ranks: Sequence[int], nick: str) -> Payout | None:
    """Return the payout to a player in a session that has ended with these ranks, or ``None`` if they staked nothing.

    Payments that the ledger does not contain yet are included.
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
    """Explain in one line why a player cannot pay ``stake`` credits. Return ``""`` if they can."""
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
    """Return the nicks of the players who have to enter a password before their credits are staked.

    The list is empty if ``stake`` is 0.
    """
    book = profiles.load()[0] if stake else ProfileStore()
    people = [book.find(who.name) for who in seats if not who.robot]
    return [profile.nick for profile in people if profile and profile.locked]


def take_stakes(session: str, seats: Sequence[Occupant], stake: int, *, proved: bool = False) -> None:
    """Take the stakes of a session that is about to start, from all of its human players or from none.

    ``session`` is the id of the session. ``authenticated`` is True if a club has verified all players, so that no
    password is required here. Nothing happens if ``stake`` is 0 or only robots play.

    Raises ``CardtableError`` if a player cannot pay, has not entered the password, or the ledgers cannot be saved. The
    session must not start then.
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
    """Add the missing transactions to all ledgers, according to the states of the sessions.

    ``extra_journals`` maps session ids to journals outside the session folders. Failures are ignored, and the next call
    tries again.
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
    """Return True if the session of a transaction can still change the player's balance."""
    return _last_reason(player, move.session) not in ("won", "lost")


def _transactions(player: Profile, session: str) -> list[Transaction]:
    """Return the player's transactions in one session, without gifts."""
    return [move for move in player.ledger if move.session == session and move.why != "gift"]


def _last_reason(player: Profile, session: str) -> TransactionReason | None:
    own = _transactions(player, session)
    return own[-1].why if own else None


def _standing(id_: str, path: Path | None) -> _Standing | None:
    """Return the state of a session with stakes, or ``None`` if its file cannot be read at present.

    ``path`` is read if it exists. Otherwise the session is looked up by its id.
    """
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
    """Return the transactions that the player's ledger lacks, given the state of the session.

    ``transactions`` are those in the ledger, which begin with the stake. At most one payment and one gift are returned.
    """
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
    """Return the reason of the transaction that the ledger lacks, or ``None`` if it is complete."""
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
    """Return the gift that follows a transaction, in credits, or 0 if there is none.

    A balance below ``MIN_CREDITS`` is raised to ``GIFT_BALANCE``, except when a stake is returned. If an abandoned
    session is restored, the gift is taken back as far as the balance allows, and the result is negative.
    """
    credits_then = player.credits + move.change
    if move.why == "taken back":
        given = [other.change for other in player.ledger if (other.session, other.why) == (move.session, "gift")]
        return -max(min(sum(given), credits_then), 0)
    return GIFT - credits_then if move.why != "returned" and credits_then < MIN_CREDITS else 0
