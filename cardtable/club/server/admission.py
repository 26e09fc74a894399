"""Who may come into a club: bans and mutes, one-time words of invitations, and newcomers let in by hand."""

import re
import secrets
from collections import Counter
from collections.abc import Callable, Iterable
from hmac import compare_digest
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from time import localtime, strftime
from typing import Final, TypeAlias, TypeVar
from unicodedata import normalize

import msgspec
from msgspec.structs import replace

from cardtable.club.addresses import LoginIdentity, compute_client_network, compute_wide_network
from cardtable.club.protocol import hash_token
from cardtable.club.server.club_file import Ban, ClubState, Invitation, Mute, NewcomerDecision
from cardtable.club.server.limits import LIMITS, LoginError
from cardtable.club.server.table_access import Person
from cardtable.engine.errors import CardtableError
from cardtable.engine.text_format import sanitize
from cardtable.store.seating import compute_nick_key, is_same_nick

MAX_BANS: Final = 1000
MAX_MUTES: Final = 1000
MAX_BAN_NETWORKS: Final = 8
"""Maximum number of networks in one ban."""
_IPV6_BITS: Final = 64
"""Prefix length of the network that is banned with an IPv6 address."""
_MAX_TIME: Final = 10**10

_Network: TypeAlias = IPv4Network | IPv6Network
_R = TypeVar("_R", Mute, NewcomerDecision, "WaitingNewcomer")
_P = TypeVar("_P", Ban, Invitation)


def parse_network(text: str) -> str:
    """Return the network to ban for an address or a network, in CIDR notation.

    An IPv4 address stands for itself, and an IPv6 address for its /64. Raises ``CardtableError`` if ``text`` is
    neither, or if the network contains addresses of this machine itself.
    """
    try:
        network = ip_network(text.strip(), strict=False)
    except ValueError:
        raise CardtableError(
            f"{sanitize(text, 60)!r} is no address and no network; write 192.0.2.7, 192.0.2.0/24 or 2001:db8::/48"
        ) from None
    if isinstance(network, IPv6Network):
        if (mapped := network.network_address.ipv4_mapped) and network.prefixlen >= 96:
            network = IPv4Network((int(mapped), network.prefixlen - 96), strict=False)
        elif network.prefixlen > _IPV6_BITS:
            network = network.supernet(new_prefix=_IPV6_BITS)
    own = (ip_network("127.0.0.0/8"), ip_network("0.0.0.0/32"), ip_network("::1/128"), ip_network("::/128"))
    if any(_overlap(network, own_network) for own_network in own):
        raise CardtableError(f"{network} contains this machine itself and cannot be banned")
    return str(network)


def _overlap(one: _Network, other: _Network) -> bool:
    return one.version == other.version and one.overlaps(other)


def contains_address(network: str, address: str) -> bool:
    """Return True if ``address`` is in ``network``, which is in CIDR notation; false for text that is no address."""
    try:
        parsed = ip_address(address.partition("%")[0])
    except ValueError:
        return False
    mapped = parsed.ipv4_mapped if isinstance(parsed, IPv6Address) else None
    return (mapped or parsed) in ip_network(network)


def _has_common_address(network: str, own: str) -> bool:
    """Return True if two networks overlap; false if ``own`` is a name."""
    try:
        return _overlap(ip_network(network), ip_network(own))
    except ValueError:
        return False


def format_end(until: int) -> str:
    """Return the end of a ban or mute as a phrase in the time zone of the host; empty if it has no end."""
    return f"until {strftime('%Y-%m-%d %H:%M %Z', localtime(until))}" if until else ""


def convert_end(until: float | None, now: float) -> int:
    """Return the end of a ban or mute as it is stored.

    Raises ``CardtableError`` if it is not in the future.
    """
    if until is None:
        return 0
    if not now < until < _MAX_TIME:
        raise CardtableError("the end must be in the future")
    return max(int(until), int(now) + 1)


def _drop_nick(records: Iterable[_R], nick: str) -> tuple[_R, ...]:
    return tuple([record for record in records if not is_same_nick(record.nick, nick)])


def _rename_person(records: tuple[_P, ...], former: Person, nick: str) -> tuple[_P, ...]:
    """Return records with the present nick of a person, given as they were."""
    return tuple(
        [
            replace(record, nick=nick) if Person(record.nick, record.player, ()).is_same(former) else record
            for record in records
        ]
    )


class BanList:
    """Bans and mutes of a club, without those that have ended."""

    def __init__(self, state: ClubState, own_networks: tuple[str, ...]) -> None:
        """``own_networks`` are those of this machine and its proxies, which cannot be banned; names are ignored."""
        self._state = state
        self.own_networks: Final = own_networks

    @property
    def bans(self) -> tuple[Ban, ...]:
        """Bans that have not ended, oldest first."""
        return self._state.drop_ended(self._state.contents.bans)

    @property
    def mutes(self) -> tuple[Mute, ...]:
        """Mutes that have not ended, oldest first."""
        return self._state.drop_ended(self._state.contents.mutes)

    # Changes

    def add(self, ban: Ban) -> None:
        """Add a ban, in place of another one of the same person or network.

        Raises ``CardtableError`` if there are too many bans, or a network contains this machine or one of its proxies.
        """
        for network in ban.networks:
            for own in self.own_networks:
                if _has_common_address(network, own):
                    raise CardtableError(
                        f"{network} contains {own}, which is this machine or its proxy, and cannot be banned"
                    )
        if len(ban.networks) > MAX_BAN_NETWORKS:
            raise CardtableError(f"a ban has at most {MAX_BAN_NETWORKS} networks; ban the others on their own")
        others = [other for other in self.bans if not _has_same_subject(other, ban)]
        if len(others) >= MAX_BANS:
            raise CardtableError(f"there are already {MAX_BANS} bans; end some first")
        self._state.change(bans=(*others, ban))

    def remove(self, target: str) -> None:
        """Remove the bans of a nick, address or network. Raises ``CardtableError`` if there is none."""
        network = _find_network(target)
        removed = [
            ban
            for ban in self.bans
            if (ban.nick and is_same_nick(ban.nick, target)) or (not ban.nick and network in ban.networks)
        ]
        if not removed:
            raise CardtableError(f"{sanitize(target, 60)} is not banned")
        self._state.change(bans=tuple([ban for ban in self.bans if ban not in removed]))

    def mute(self, mute: Mute) -> None:
        """Mute a person, in place of an earlier mute. Raises ``CardtableError`` if too many people are muted."""
        others = _drop_nick(self.mutes, mute.nick)
        if len(others) >= MAX_MUTES:
            raise CardtableError(f"{MAX_MUTES} people are muted already; let some talk again first")
        self._state.change(mutes=(*others, mute))

    def unmute(self, nick: str) -> None:
        """End the mute of a person. Raises ``CardtableError`` if the person is not muted."""
        if not self.is_muted(nick):
            raise CardtableError(f"{sanitize(nick, 40)} is not muted")
        self._state.change(mutes=_drop_nick(self.mutes, nick))

    def rename(self, former: Person, nick: str) -> None:
        """Use the present nick of a person, given as they were, in their bans and mute."""
        mutes = [replace(mute, nick=nick) if is_same_nick(mute.nick, former.nick) else mute for mute in self.mutes]
        self._state.change(bans=_rename_person(self.bans, former, nick), mutes=tuple(mutes))

    # Checks

    def find(self, identity: LoginIdentity) -> Ban | None:
        """Return the ban of any part of an identity that ends last, or ``None`` if there is none."""
        nick_key = compute_nick_key(identity.nick)
        bans = [
            ban
            for ban in self.bans
            if (nick_key and compute_nick_key(ban.nick) == nick_key)
            or (identity.player and ban.player == identity.player)
            or identity.credential in (*ban.tokens, *ban.keys)
            or any(contains_address(network, identity.origin.address) for network in ban.networks)
        ]
        return max(bans, key=lambda ban: ban.until or _MAX_TIME, default=None)

    def check(self, identity: LoginIdentity) -> None:
        """Raise ``LoginError`` if ``find`` finds a ban; its text says until when, and nothing else."""
        if ban := self.find(identity):
            raise LoginError(f"you are banned from this club {format_end(ban.until)}".rstrip())

    def is_muted(self, nick: str) -> bool:
        return any(is_same_nick(mute.nick, nick) for mute in self.mutes)


def _has_same_subject(one: Ban, other: Ban) -> bool:
    if one.nick or other.nick:
        return bool(one.nick and other.nick) and is_same_nick(one.nick, other.nick)
    return one.networks == other.networks


def _find_network(text: str) -> str:
    try:
        return parse_network(text)
    except CardtableError:
        return ""


CODE_ALPHABET: Final = "abcdefghjkmnpqrstuvwxyz23456789"
"""Characters of codes and words, without letters and digits that are easily mistaken for each other."""
CODE_LENGTH: Final = 8
"""Length of a code that the program generates, in characters."""
WORD_LENGTH: Final = 16
"""Length of a word that a guest types, in characters; it carries about 80 bits."""
INVITATION_SECONDS: Final = 7 * 24 * 3600
"""Default time in seconds for which an invitation is good."""
MAX_INVITATION_SECONDS: Final = 365 * 24 * 3600
DEVICE_WORD_SECONDS: Final = 600
"""Time in seconds for which a word for another device is good."""
MAX_INVITATIONS: Final = 500
"""Maximum number of people whom the host has invited and who have not come yet."""


def generate_random_text(length: int) -> str:
    return "".join([secrets.choice(CODE_ALPHABET) for _ in range(length)])


def generate_word() -> str:
    return generate_random_text(WORD_LENGTH)


def format_word(word: str) -> str:
    return "-".join(word[start : start + 4] for start in range(0, len(word), 4))


def normalize_word(typed: str) -> str:
    return re.sub(r"[\W_]", "", normalize("NFKC", typed).lower())


def is_word(typed: str) -> bool:
    """Return True if typed text has the form of a word, whether it is good for anything or not."""
    return _is_random_text(normalize_word(typed), WORD_LENGTH)


def is_code(typed: str, code: str) -> bool:
    """Return True if typed text is the access code of a club.

    A code in the form of those that the program generates is typed like a word; any other must be exact, but for blanks
    around it.
    """
    text = normalize_word(typed) if _is_random_text(code, CODE_LENGTH) else typed.strip()
    return compare_digest(text.encode(), code.encode())


def _is_random_text(text: str, length: int) -> bool:
    return len(text) == length and set(CODE_ALPHABET).issuperset(text)


class InvitationList:
    """Invitations that have neither been used nor expired."""

    def __init__(self, state: ClubState) -> None:
        self._state = state

    @property
    def invitations(self) -> tuple[Invitation, ...]:
        """Invitations that can be used, oldest first."""
        return self._state.drop_ended(self._state.contents.invitations)

    @property
    def nicks(self) -> list[str]:
        return [invitation.nick for invitation in self.invitations]

    def add(self, nick: str, player: str, seconds: float) -> str:
        """Invite a person in place of an earlier invitation; return the word.

        ``player`` is the id of the player's profile, or empty for a guest or newcomer. Raises ``CardtableError`` if the
        time is invalid or there are too many invitations.
        """
        if not 0 < seconds <= MAX_INVITATION_SECONDS:
            raise CardtableError("an invitation is good for at most a year")
        others = [
            invitation
            for invitation in self.invitations
            if invitation.for_device or not is_same_nick(invitation.nick, nick)
        ]
        if sum(not invitation.for_device for invitation in others) >= MAX_INVITATIONS:
            raise CardtableError(f"{MAX_INVITATIONS} people are invited already; withdraw some invitations first")
        return self._add(others, nick, player, seconds, for_device=False)

    def add_for_device(self, nick: str, is_own_network: Callable[[str], bool]) -> str:
        """Create a word for another device of a guest, and return it.

        ``is_own_network`` returns True if a nick counts for the same network as the guest. Raises ``CardtableError`` if
        the guest or the network has too many.
        """
        words = [invitation for invitation in self.invitations if invitation.for_device]
        LIMITS.device_words.check(sum(is_same_nick(invitation.nick, nick) for invitation in words))
        own = sum(is_own_network(invitation.nick) for invitation in words)
        if LIMITS.all_device_words.is_used_up(own, len(words)):
            raise CardtableError(LIMITS.all_device_words.share_refusal)
        return self._add(self.invitations, nick, "", DEVICE_WORD_SECONDS, for_device=True)

    def _add(self, others: Iterable[Invitation], nick: str, player: str, seconds: float, *, for_device: bool) -> str:
        word = generate_word()
        added = Invitation(nick, hash_token(word).hex(), int(self._state.clock() + seconds), player, for_device)
        self._state.change(invitations=(*others, added))
        return word

    def withdraw(self, nick: str, player: str = "") -> None:
        """Remove all invitations of a person, of which there may be none, also those for other devices.

        ``player`` is the id of the player's profile, who may have had another nick; empty for a guest.
        """
        self._keep(
            lambda invitation: not is_same_nick(invitation.nick, nick) and not (player and invitation.player == player)
        )

    def rename(self, former: Person, nick: str) -> None:
        """Use the present nick of a person, given as they were, in their invitations."""
        self._state.change(invitations=_rename_person(self.invitations, former, nick))

    def use(self, invitation: Invitation) -> None:
        self._keep(lambda other: other != invitation)

    def _keep(self, is_kept: Callable[[Invitation], bool]) -> None:
        self._state.change(invitations=tuple(filter(is_kept, self.invitations)))

    def find(self, nick: str, typed: str) -> Invitation | None:
        """Return the invitation of a nick with a typed word, or ``None`` if there is none."""
        if not is_word(typed):
            return None
        word, nick_key = hash_token(normalize_word(typed)).hex(), compute_nick_key(nick)
        own = [invitation for invitation in self.invitations if compute_nick_key(invitation.nick) == nick_key]
        return next((invitation for invitation in own if compare_digest(invitation.word, word)), None)


NEWCOMER_RETRY_SECONDS: Final = 5
"""Seconds after which a waiting newcomer's program asks again."""
NEWCOMER_WAIT_SECONDS: Final = 600
"""Seconds after which a newcomer who has not asked again is no longer waiting."""
APPROVAL_SECONDS: Final = 24 * 3600
"""Time in seconds for which an approval is good."""
REJECTION_SECONDS: Final = 3600
"""Time in seconds for which a rejected newcomer cannot ask again."""
MAX_NEWCOMERS: Final = 200
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
        now = self._clock()
        decided = {(compute_nick_key(decision.nick), decision.network) for decision in self.decisions}
        recent = [newcomer for newcomer in self._waiting if now - newcomer.seen <= NEWCOMER_WAIT_SECONDS]
        return tuple(
            [newcomer for newcomer in recent if (compute_nick_key(newcomer.nick), newcomer.network) not in decided]
        )

    def has_asked(self, identity: LoginIdentity) -> bool:
        """Return True if a newcomer waits for approval, or the host has decided about them."""
        asked: list[WaitingNewcomer | NewcomerDecision] = [*self.waiting, *self.decisions]
        return any(_is_same(newcomer, identity) for newcomer in asked)

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
        raise LoginError(
            "the host lets newcomers in by hand, and has been asked; wait", retry_after=NEWCOMER_RETRY_SECONDS
        )

    def _record_waiting(self, identity: LoginIdentity, count: Callable[[], object]) -> None:
        """Record an attempt of a newcomer.

        Raises ``LoginError`` if too many others wait at the address. If too many wait in total, the one who has waited
        longest in the network with the most is dropped, and recorded again when their program asks again.
        """
        now, nick, address = self._clock(), identity.nick, identity.origin.address
        self._waiting = [*self.waiting]
        for number, newcomer in enumerate(self._waiting):
            if _is_same(newcomer, identity):
                self._waiting[number] = msgspec.structs.replace(newcomer, seen=now)
                return
        if sum(newcomer.network == identity.network for newcomer in self._waiting) >= LIMITS.newcomers.number:
            raise LoginError(LIMITS.newcomers.format_refusal(), retry_after=NEWCOMER_RETRY_SECONDS)
        count()
        self._waiting.append(WaitingNewcomer(nick, address, int(now), now))
        if len(self._waiting) > MAX_NEWCOMERS:
            networks = [compute_wide_network(newcomer.address) for newcomer in self._waiting]
            largest, _ = Counter(networks).most_common(1)[0]
            del self._waiting[networks.index(largest)]
        self._on_newcomer(nick, address)

    def decide(self, nick: str, network: str, *, is_approved: bool) -> None:
        """Approve or reject a newcomer who waits.

        ``network`` is the address or network from which the newcomer asks, or empty if only one newcomer with that nick
        waits. Raises ``CardtableError`` if no such newcomer waits, or several do and no network is given.
        """
        matches = [
            newcomer
            for newcomer in self.waiting
            if is_same_nick(newcomer.nick, nick) and network in ("", newcomer.address, newcomer.network)
        ]
        name = sanitize(nick, 40)
        if not matches:
            raise CardtableError(f"nobody waits to be let in as {name}")
        if len(matches) > 1:
            addresses = " and ".join([newcomer.address for newcomer in matches])
            raise CardtableError(f"several wait to be let in as {name}, from {addresses}; add the address of one")
        newcomer = matches[0]
        seconds = APPROVAL_SECONDS if is_approved else REJECTION_SECONDS
        decision = NewcomerDecision(newcomer.nick, newcomer.network, is_approved, int(self._clock() + seconds))
        self._state.change(decisions=(*self.decisions[-MAX_DECISIONS + 1 :], decision))

    def remove(self, nick: str) -> None:
        """Forget everything about newcomers with a nick."""
        self._state.change(decisions=_drop_nick(self.decisions, nick))
        self._waiting = [*_drop_nick(self._waiting, nick)]

    def use(self, decision: NewcomerDecision) -> None:
        """Remove an approval because the newcomer logs in."""
        self._waiting = [*self.waiting]
        self._state.change(decisions=tuple([other for other in self.decisions if other != decision]))


def _is_same(newcomer: WaitingNewcomer | NewcomerDecision, identity: LoginIdentity) -> bool:
    return newcomer.network == identity.network and is_same_nick(newcomer.nick, identity.nick)
