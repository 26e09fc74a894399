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
from cardtable.engine.text_format import format_count
from cardtable.games import GAMES
from cardtable.store import profiles, summaries
from cardtable.store.profiles import PROFILES, Profile, ProfileStore, Transaction, TransactionReason

MIN_CREDITS: Final = 5
"""Balance in credits below which a player receives a gift after a session; the gift raises it to ``GIFT_BALANCE``."""
GIFT_BALANCE: Final = 100


class _StakeStatus(NamedTuple):
    """State of a session with stakes.

    ``state`` is ``"missing"`` if there is no journal, or if the session was played at another club.
    """

    state: Literal["open", "over", "given up", "missing"]
    seats: int = 0
    winner: Occupant | None = None
    """Occupant of the winning seat when the stakes were taken, or ``None`` if the session is not over."""


class Payout(NamedTuple):
    """Credits won or lost by one player in a finished session."""

    change: int
    """Credits won, after subtraction of the stake. A negative number means a loss."""
    gift: int
    """Credits given to a player whose balance was too low, usually 0."""
    credits: int
    """Balance of the player after the payment and the gift."""


def get_stake(header: Header) -> int:
    """Return the stake per seat, in credits.

    It is 0 without stakes, and also if the game or its options are unknown to this version of the program.
    """
    try:
        return read(GAMES[header.game].options, header.options).stake
    except (KeyError, ValueError):
        return 0


def compute_payout(header: Header, ranks: Sequence[int], nick: str) -> Payout | None:
    """Return the payout to a player in a session that has ended with these ranks, or ``None`` if they staked nothing.

    Payments that the ledger does not contain yet are included.
    """
    player = profiles.load()[0].find(nick)
    own = _list_transactions(player, header.id) if player else []
    if player is None or not own:
        return None
    due = _compute_missing_transactions(
        player, own, _StakeStatus("over", len(header.seats), header.seats[ranks.index(1)])
    )
    moves = [move for move in (*player.ledger, *due) if move.session == header.id]
    gift = sum(move.change for move in moves if move.why == "gift")
    return Payout(sum(move.change for move in moves) - gift, gift, player.credits + sum(move.change for move in due))


def find_stake_error(profile_store: ProfileStore, nick: str, stake: int) -> str | None:
    """Explain in one line why a player cannot pay ``stake`` credits. Return ``None`` if they can."""
    return _find_stake_error(profile_store.find(nick), nick, stake) if stake else None


def _find_stake_error(profile: Profile | None, nick: str, stake: int) -> str | None:
    if profile is None:
        return f"{nick} has no credits to stake: only registered players have credits"
    if profile.credits >= stake:
        return None
    return (
        f"{nick} has {format_count(profile.credits, 'credit')}, "
        f"and the stake is {stake}: choose a room with a lower one"
    )


def list_nicks_requiring_password(seats: Sequence[Occupant], stake: int) -> list[str]:
    """Return the nicks of the players who have to enter a password before their credits are staked.

    The list is empty if ``stake`` is 0.
    """
    profile_store = profiles.load()[0] if stake else ProfileStore()
    people = [profile_store.find(occupant.name) for occupant in seats if not occupant.robot]
    return [profile.nick for profile in people if profile and profile.is_locked]


def take_stakes(session: str, seats: Sequence[Occupant], stake: int, *, authenticated: bool = False) -> None:
    """Take the stakes of a session that is about to start, from all of its human players or from none.

    ``session`` is the id of the session. ``authenticated`` is True if a club has verified all players, so that no
    password is required here, and ``seats`` have their profile ids. Nothing happens if ``stake`` is 0 or only robots
    play.

    Raises ``CardtableError`` if a player cannot pay, has not entered the password, or the ledgers cannot be saved. The
    session must not start then.
    """
    people = [
        occupant for occupant in (seats if authenticated else profiles.add_profile_ids(seats)) if not occupant.robot
    ]
    if not stake or not people:
        return
    pay_out()

    def subtract_stakes(profile_store: ProfileStore) -> ProfileStore:
        for person in people:
            profile = profile_store.find_by_id(person.player) if person.player else None
            if reason := _find_stake_error(profile, person.name, stake):
                raise CardtableError(f"The session cannot start: {reason}")
            assert profile is not None
            if profile.is_locked and not authenticated:
                raise CardtableError(f"The session cannot start: {person.name} must enter the password first")
            profile_store = _add_transactions(
                profile_store, profile, [Transaction(profiles.format_now(), session, "stake", -stake)]
            )
        return profile_store

    PROFILES.update(subtract_stakes)


def pay_out(extra_journals: Mapping[str, Path] | None = None) -> None:
    """Add the missing transactions to all ledgers, according to the states of the sessions.

    ``extra_journals`` maps session ids to journals outside the session folders. Failures are ignored, and the next call
    tries again.
    """
    with suppress(CardtableError):
        waiting = {
            move.session
            for player in profiles.read().players
            for move in player.ledger
            if _is_pending(player, move.session)
        }
        statuses = {id_: _find_status(id_, (extra_journals or {}).get(id_)) for id_ in waiting}
        known = {id_: status for id_, status in statuses.items() if status is not None}
        if known:
            PROFILES.update(lambda stored: _settle(stored, known))


def _is_pending(player: Profile, session: str) -> bool:
    """Return True if a session, given by its id, can still change the player's balance."""
    own = _list_transactions(player, session)
    return not own or own[-1].why not in ("won", "lost")


def _list_transactions(player: Profile, session: str) -> list[Transaction]:
    """Return the player's transactions in one session, without gifts."""
    return [move for move in player.ledger if move.session == session and move.why != "gift"]


def _find_status(id_: str, path: Path | None) -> _StakeStatus | None:
    """Return the state of a session with stakes, or ``None`` if its file cannot be read at present.

    ``path`` is read if it exists. Otherwise the session is looked up by its id.
    """
    try:
        file = path if path and path.exists() else summaries.find_session_file(id_)
    except OSError:  # the state is unknown until the folder can be read
        return None
    if file is None:
        return _StakeStatus("missing")
    summary = summaries.summarize_fast(file)
    if summary.header is None:
        return None
    if summary.header.club:  # sessions of clubs elsewhere do not affect credits
        return _StakeStatus("missing")
    if summary.state != "over" or summary.ranks is None or 1 not in summary.ranks:
        return _StakeStatus("given up" if summary.state == "abandoned" else "open")
    header, seat = summary.header, summary.ranks.index(1)
    winner = dict(summary.replaced_occupants).get(seat, header.seats[seat])
    return _StakeStatus("over", len(header.seats), winner)


def _settle(profile_store: ProfileStore, statuses: Mapping[str, _StakeStatus]) -> ProfileStore:
    for session, status in statuses.items():
        for player in profile_store.players:
            if own := _list_transactions(player, session):
                profile_store = _add_transactions(
                    profile_store, player, _compute_missing_transactions(player, own, status)
                )
    return profile_store


def _add_transactions(
    profile_store: ProfileStore, player: Profile, transactions: Sequence[Transaction]
) -> ProfileStore:
    return (
        profile_store.with_profile(msgspec.structs.replace(player, ledger=(*player.ledger, *transactions)))
        if transactions
        else profile_store
    )


def _compute_missing_transactions(
    player: Profile, transactions: Sequence[Transaction], status: _StakeStatus
) -> list[Transaction]:
    """Return the transactions that the player's ledger lacks, given the state of the session.

    ``transactions`` are those in the ledger, which begin with the stake. At most one payment and one gift are returned.
    """
    session, last, stake = transactions[0].session, transactions[-1].why, -transactions[0].change
    reason = _find_next_reason(last, status, player)
    if reason is None:
        return []
    pot = stake * status.seats if reason == "won" else 0
    net_change = 0 if reason == "returned" else pot - stake
    moves = [
        Transaction(profiles.format_now(), session, reason, net_change - sum(move.change for move in transactions))
    ]
    gift = _compute_gift(player, moves[0])
    return [*moves, Transaction(profiles.format_now(), session, "gift", gift)] if gift else moves


def _find_next_reason(
    last_reason: TransactionReason, status: _StakeStatus, player: Profile
) -> TransactionReason | None:
    """Return the reason of the transaction that the ledger lacks, or ``None`` if it is complete."""
    if last_reason in ("won", "lost"):
        return None
    if status.state == "over":
        won = status.winner and player.is_occupant(status.winner)
        return "won" if won else "lost"
    if status.state == "given up":
        return None if last_reason == "given up" else "given up"
    if status.state == "open":
        return "taken back" if last_reason in ("given up", "returned") else None
    return "returned" if last_reason in ("stake", "taken back") else None


def _compute_gift(player: Profile, transaction: Transaction) -> int:
    """Return the gift that follows a transaction, in credits, or 0 if there is none.

    A balance below ``MIN_CREDITS`` is raised to ``GIFT_BALANCE``, except when a stake is returned. If an abandoned
    session is restored, the gift is taken back as far as the balance allows, and the result is negative.
    """
    credits_then = player.credits + transaction.change
    if transaction.why == "taken back":
        gifts = [other.change for other in player.ledger if (other.session, other.why) == (transaction.session, "gift")]
        return -max(min(sum(gifts), credits_then), 0)
    return GIFT_BALANCE - credits_then if transaction.why != "returned" and credits_then < MIN_CREDITS else 0
