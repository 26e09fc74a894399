"""Newcomers whom the host of a club lets in by hand."""

from collections import Counter
from collections.abc import Callable
from typing import Final

import msgspec

from cardtable.club.addresses import LoginIdentity, compute_client_network, compute_wide_network
from cardtable.club.server.club_file import ClubState, NewcomerDecision
from cardtable.club.server.limits import LIMITS, LoginError
from cardtable.engine.errors import CardtableError
from cardtable.engine.text_format import sanitize
from cardtable.store.seating import compute_nick_key, is_same_nick

RETRY_SECONDS: Final = 5
"""Seconds after which a waiting newcomer's program asks again."""
WAIT_SECONDS: Final = 600
"""Seconds after which a newcomer who has not asked again is no longer waiting."""
APPROVAL_SECONDS: Final = 24 * 3600
"""Time in seconds for which an approval is good."""
REJECTION_SECONDS: Final = 3600
"""Time in seconds for which a rejected newcomer cannot ask again."""
MAX_WAITING: Final = 200
MAX_DECISIONS: Final = 1000
"""Maximum number of stored decisions; a new one replaces the oldest."""


class WaitingNewcomer(msgspec.Struct, frozen=True):
    """Newcomer with the right code who waits for the host's approval."""

    nick: str
    address: str
    since: int
    """Time of the first attempt, in seconds since 1970-01-01T00:00Z."""
    seen: float
    """Time of the last attempt, in seconds since 1970-01-01T00:00Z."""

    @property
    def network(self) -> str:
        """Network from which the newcomer asks, for which alone an approval is good."""
        return compute_client_network(self.address)


class NewcomerQueue:
    """Newcomers who wait for approval, and the host's decisions about them."""

    def __init__(self, state: ClubState, on_newcomer: Callable[[str, str], None]) -> None:
        """Create a queue without newcomers.

        ``on_newcomer`` is called with nick and address of each newcomer who begins to wait.
        """
        self._state, self._clock, self._on_newcomer = state, state.clock, on_newcomer
        self._waiting: list[WaitingNewcomer] = []

    @property
    def decisions(self) -> tuple[NewcomerDecision, ...]:
        """Decisions that still have effect, oldest first."""
        return self._state.drop_ended(self._state.contents.decisions)

    @property
    def waiting(self) -> tuple[WaitingNewcomer, ...]:
        """Newcomers who have asked lately and wait for a decision, the one who has waited longest first."""
        now, decided = self._clock(), {(compute_nick_key(each.nick), each.network) for each in self.decisions}
        recent = [each for each in self._waiting if now - each.seen <= WAIT_SECONDS]
        return tuple([each for each in recent if (compute_nick_key(each.nick), each.network) not in decided])

    def has_asked(self, identity: LoginIdentity) -> bool:
        """Return True if a newcomer waits for approval, or the host has decided about them."""
        asked: list[WaitingNewcomer | NewcomerDecision] = [*self.waiting, *self.decisions]
        return any(_is_same(each, identity) for each in asked)

    def require_approval(self, identity: LoginIdentity, count: Callable[[], object]) -> NewcomerDecision:
        """Return the approval of a newcomer, or record that the newcomer waits for one.

        ``count`` is called before a newcomer begins to wait. Raises ``LoginError`` if it does, or if the newcomer is
        not approved, which is temporary unless the host has decided so.
        """
        for decision in reversed(self.decisions):
            if _is_same(decision, identity):
                if decision.is_approved:
                    return decision
                raise LoginError("the host does not let you in")
        self._record_waiting(identity, count)
        raise LoginError("the host lets newcomers in by hand, and has been asked; wait", retry_after=RETRY_SECONDS)

    def _record_waiting(self, identity: LoginIdentity, count: Callable[[], object]) -> None:
        """Record an attempt of a newcomer.

        Raises ``LoginError`` if too many others wait at the address. If too many wait in total, the one who has waited
        longest in the network with the most is dropped, and recorded again when their program asks again.
        """
        now, nick, address = self._clock(), identity.nick, identity.origin.address
        self._waiting = [*self.waiting]
        for number, each in enumerate(self._waiting):
            if _is_same(each, identity):
                self._waiting[number] = msgspec.structs.replace(each, seen=now)
                return
        if sum(each.network == identity.network for each in self._waiting) >= LIMITS.newcomers.number:
            raise LoginError(LIMITS.newcomers.format_refusal(), retry_after=RETRY_SECONDS)
        count()
        self._waiting.append(WaitingNewcomer(nick, address, int(now), now))
        if len(self._waiting) > MAX_WAITING:
            largest, _ = Counter(compute_wide_network(each.address) for each in self._waiting).most_common(1)[0]
            self._waiting.remove(next(each for each in self._waiting if compute_wide_network(each.address) == largest))
        self._on_newcomer(nick, address)

    def decide(self, nick: str, network: str, *, is_approved: bool) -> None:
        """Approve or reject a newcomer who waits.

        ``network`` is the address or network from which the newcomer asks, or empty if only one newcomer with that nick
        waits. Raises ``CardtableError`` if no such newcomer waits, or several do and no network is given.
        """
        matches = [
            each
            for each in self.waiting
            if is_same_nick(each.nick, nick) and network in ("", each.address, each.network)
        ]
        name = sanitize(nick, 40)
        if not matches:
            raise CardtableError(f"nobody waits to be let in as {name}")
        if len(matches) > 1:
            addresses = " and ".join([each.address for each in matches])
            raise CardtableError(f"several wait to be let in as {name}, from {addresses}; add the address of one")
        newcomer = matches[0]
        seconds = APPROVAL_SECONDS if is_approved else REJECTION_SECONDS
        decision = NewcomerDecision(newcomer.nick, newcomer.network, is_approved, int(self._clock() + seconds))
        self._state.change(decisions=(*self.decisions[-MAX_DECISIONS + 1 :], decision))

    def remove(self, nick: str) -> None:
        """Forget everything about newcomers with a nick."""
        self._state.change(decisions=tuple([each for each in self.decisions if not is_same_nick(each.nick, nick)]))
        self._waiting = [each for each in self._waiting if not is_same_nick(each.nick, nick)]

    def use(self, decision: NewcomerDecision) -> None:
        """Remove an approval because the newcomer logs in."""
        self._waiting = [*self.waiting]
        self._state.change(decisions=tuple([each for each in self.decisions if each != decision]))


def _is_same(newcomer: WaitingNewcomer | NewcomerDecision, identity: LoginIdentity) -> bool:
    """Return True if somebody who logs in is a newcomer, who is known by nick and network."""
    return newcomer.network == identity.network and is_same_nick(newcomer.nick, identity.nick)
