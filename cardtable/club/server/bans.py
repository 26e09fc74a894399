"""Bans and mutes of a club: the people and networks that may not log in, and the people who may not talk."""

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from time import localtime, strftime
from typing import Final, TypeAlias

from msgspec.structs import replace

from cardtable.club.addresses import LoginIdentity
from cardtable.club.server.club_file import Ban, ClubState, KnownGuest, Mute
from cardtable.club.server.limits import LoginError
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
    if any(_overlap(network, each) for each in own):
        raise CardtableError(f"{network} contains this machine itself and cannot be banned")
    return str(network)


def _overlap(one: _Network, other: _Network) -> bool:
    return one.version == other.version and one.overlaps(other)


def _parse_address(address: str) -> IPv4Address | IPv6Address | None:
    try:
        parsed = ip_address(address.partition("%")[0])
    except ValueError:
        return None
    return parsed.ipv4_mapped or parsed if isinstance(parsed, IPv6Address) else parsed


def contains_address(network: str, address: str) -> bool:
    """Return True if ``address`` is in ``network``, which is in CIDR notation; false for text that is no address."""
    parsed = _parse_address(address)
    return parsed is not None and parsed in ip_network(network)


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
        others = [each for each in self.bans if not _has_same_subject(each, ban)]
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
        others = self._list_other_mutes(mute.nick)
        if len(others) >= MAX_MUTES:
            raise CardtableError(f"{MAX_MUTES} people are muted already; let some talk again first")
        self._state.change(mutes=(*others, mute))

    def unmute(self, nick: str) -> None:
        """End the mute of a person. Raises ``CardtableError`` if the person is not muted."""
        if not self.is_muted(nick):
            raise CardtableError(f"{sanitize(nick, 40)} is not muted")
        self._state.change(mutes=self._list_other_mutes(nick))

    def _list_other_mutes(self, nick: str) -> tuple[Mute, ...]:
        return tuple([each for each in self.mutes if not is_same_nick(each.nick, nick)])

    def rename_player(self, player: str, old_nick: str, nick: str) -> None:
        """Use the present nick of a player, given by the id of the profile, in their bans and mute."""
        bans = [replace(each, nick=nick) if each.player == player else each for each in self.bans]
        mutes = [replace(each, nick=nick) if is_same_nick(each.nick, old_nick) else each for each in self.mutes]
        self._state.change(bans=tuple(bans), mutes=tuple(mutes))

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
        return any(is_same_nick(each.nick, nick) for each in self.mutes)


def create_ban(person: KnownGuest, until: int, networks: tuple[str, ...]) -> Ban:
    """Return the ban of a person with the tokens and keys of their account."""
    return Ban(person.nick, until, person.player, person.tokens, person.keys, networks)


def _has_same_subject(one: Ban, other: Ban) -> bool:
    if one.nick or other.nick:
        return bool(one.nick and other.nick) and is_same_nick(one.nick, other.nick)
    return one.networks == other.networks


def _find_network(text: str) -> str:
    try:
        return parse_network(text)
    except CardtableError:
        return ""
