"""Where those are who come to a club."""

import msgspec

from cardtable.club.addresses import is_local


class Whence(msgspec.Struct, frozen=True):
    """Where somebody is, as the door sees it by which she has come."""

    address: str = ""
    secret: bool = True
    """Whether nobody on the way can read what she says."""
    how: str = ""
    """By which door, in words for who keeps the club; nothing: with a program of her own."""


def connected(address: str, *, encrypted: bool, how: str = "") -> Whence:
    """At the other end of a connection."""
    return Whence(address, encrypted or is_local(address), how)
