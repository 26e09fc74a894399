"""Passwords: how one is kept, and whether the one that is typed is it.

A password that was given at this program is not asked for again in this run; after three wrong ones the next try
has to wait.  What guests of a club type is checked by `is_right` alone: it opens nothing here, and their wrong tries
are counted by the club.  The files of the program are not locked by any of this.
"""

import os
from threading import Lock
from time import monotonic
from typing import Annotated, Final
from unicodedata import normalize

import msgspec

from cardtable.engine.text_format import counted

FEWEST_CHARACTERS: Final = 8
"""Of a new password; older ones may be shorter."""
MOST_CHARACTERS: Final = 64
COSTS: Final = ((2**15, 8, 1),)
"""N, r and p of scrypt that a kept password may have; the first are those of new ones."""
FREE_TRIES: Final = 3
WAIT: Final = 10.0
"""Seconds until the next try, from the third wrong one on."""
WRONG: Final = "That is not the password"
MISSING: Final = "The password is needed"
_SALT_BYTES: Final = 16
_KEY_BYTES: Final = 32
_MEMORY: Final = 64 * 1024 * 1024
"""Bytes that scrypt may take; it takes 128 times N times r."""


class KeptPassword(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A password as it is kept: scrypt's costs, the salt and the key, these two in hexadecimal digits."""

    n: int
    r: int
    p: int
    salt: Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{32}\Z")]
    key: Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{64}\Z")]

    def __post_init__(self) -> None:
        if (self.n, self.r, self.p) not in COSTS:
            raise ValueError("a password is kept in a way that this version does not know")


def why_not(password: str, again: str) -> str:
    """Return what is wrong with a new password that is typed twice; "" if it can be taken."""
    if len(password) < FEWEST_CHARACTERS:
        return f"a new password has at least {FEWEST_CHARACTERS} characters"
    if not password.isprintable() or any(character.isspace() for character in password):
        return "a password has no spaces"
    if len(password) > MOST_CHARACTERS:
        return f"a password has at most {MOST_CHARACTERS} characters"
    return "" if password == again else "the two passwords differ; type the same one twice"


def hash_password(password: str) -> KeptPassword:
    """A new password as it is kept; it counts as given.  Takes a while on purpose."""
    n, r, p = COSTS[0]
    salt = os.urandom(_SALT_BYTES)
    kept = KeptPassword(n, r, p, salt.hex(), _key(password, salt, n, r, p).hex())
    _GATE.opened(kept)
    return kept


def is_verified(kept: KeptPassword) -> bool:
    """Whether the password was given in this run."""
    return kept.key in _GATE.given


def verify(kept: KeptPassword, password: str) -> str:
    """Try a password: why it is not taken, in a line; nothing (``""``) if it is right.  Takes a while on purpose.

    An empty line is no try.
    """
    return _GATE.give(kept, password) if password else MISSING


def _key(password: str, salt: bytes, n: int, r: int, p: int) -> bytes:
    import hashlib  # noqa: PLC0415  (late: seldom needed)

    text = normalize("NFC", password).encode(errors="replace")
    return hashlib.scrypt(text, salt=salt, n=n, r=r, p=p, maxmem=_MEMORY, dklen=_KEY_BYTES)


def is_right(kept: KeptPassword, password: str) -> bool:
    """Return True if `password` is the kept one, compared in constant time.  Takes about a tenth of a second."""
    from hmac import compare_digest  # noqa: PLC0415  (late: seldom needed)

    key = _key(password, bytes.fromhex(kept.salt), kept.n, kept.r, kept.p)
    return compare_digest(key, bytes.fromhex(kept.key))


class PasswordGate:
    """What was tried by the people of one place in this run, by the keys of passwords."""

    def __init__(self) -> None:
        self.given: set[str] = set()
        self._wrong: dict[str, tuple[int, float]] = {}
        """How often a wrong one was tried, and when the next may be."""
        self._trying = Lock()

    def opened(self, kept: KeptPassword) -> None:
        """This one was given."""
        self.given.add(kept.key)
        self._wrong.pop(kept.key, None)

    def give(self, kept: KeptPassword, password: str) -> str:
        """Try a password: why it is not taken; nothing (``""``) if it is right."""
        with self._trying:  # one after another, also from several threads
            tries, since = self._wrong.get(kept.key, (0, 0.0))
            left = since - monotonic()
            if left > 0:
                return f"Wait {counted(int(left) + 1, 'second')}, then try again"
            if is_right(kept, password):
                self.opened(kept)
                return ""
            late = tries + 1 >= FREE_TRIES
            self._wrong[kept.key] = tries + 1, monotonic() + (WAIT if late else 0)
            return f"{WRONG}; wait {WAIT:.0f} seconds" if late else WRONG


_GATE: Final = PasswordGate()
