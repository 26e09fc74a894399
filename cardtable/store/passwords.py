"""Passwords: hashes by scrypt (RFC 7914), verification, and the delay after wrong attempts.

A password that was verified is not requested again in this run. After three wrong attempts the next one has to wait.
Passwords of guests of a club are checked by ``is_right`` alone, which unlocks nothing here; the club counts their
wrong attempts. The files of the program are not encrypted.
"""

import os
from threading import Lock
from time import monotonic
from typing import Annotated, Final
from unicodedata import normalize

import msgspec

from cardtable.engine.text_format import with_count

FEWEST_CHARACTERS: Final = 8
"""Minimum length of a new password; older passwords may be shorter."""
MOST_CHARACTERS: Final = 64
COSTS: Final = ((2**15, 8, 1),)
"""Accepted scrypt parameters N, r and p; new passwords use the first triple."""
FREE_TRIES: Final = 3
WAIT: Final = 10.0
"""Delay in seconds after each wrong attempt from the third on."""
WRONG: Final = "That is not the password"
MISSING: Final = "The password is needed"
_SALT_BYTES: Final = 16
_KEY_BYTES: Final = 32
_MEMORY: Final = 64 * 1024 * 1024
"""Memory limit of scrypt in bytes; it uses 128·N·r."""


class KeptPassword(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Stored password hash: scrypt parameters, salt and key, the latter two in hexadecimal digits."""

    n: int
    r: int
    p: int
    salt: Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{32}\Z")]
    key: Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{64}\Z")]

    def __post_init__(self) -> None:
        if (self.n, self.r, self.p) not in COSTS:
            raise ValueError("a password is kept in a way that this version does not know")


def password_error(password: str, again: str) -> str:
    """Return the fault of a new password, which is typed twice; ``""`` if it is acceptable."""
    if len(password) < FEWEST_CHARACTERS:
        return f"a new password has at least {FEWEST_CHARACTERS} characters"
    if not password.isprintable() or any(character.isspace() for character in password):
        return "a password has no spaces"
    if len(password) > MOST_CHARACTERS:
        return f"a password has at most {MOST_CHARACTERS} characters"
    return "" if password == again else "the two passwords differ; type the same one twice"


def hash_password(password: str) -> KeptPassword:
    """Return the hash of a new password, which counts as verified.  Takes about 0.1 s on purpose."""
    n, r, p = COSTS[0]
    salt = os.urandom(_SALT_BYTES)
    kept = KeptPassword(n, r, p, salt.hex(), _key(password, salt, n, r, p).hex())
    _GATE.opened(kept)
    return kept


def is_verified(kept: KeptPassword) -> bool:
    """Return True if the password was verified in this run."""
    return kept.key in _GATE.given


def verify(kept: KeptPassword, password: str) -> str:
    """Verify a password; return the refusal in one line, ``""`` if it is right.  Takes about 0.1 s on purpose.

    An empty password is refused but does not count as an attempt.
    """
    return _GATE.give(kept, password) if password else MISSING


def _key(password: str, salt: bytes, n: int, r: int, p: int) -> bytes:
    import hashlib  # noqa: PLC0415 - lazy: startup

    text = normalize("NFC", password).encode(errors="replace")
    return hashlib.scrypt(text, salt=salt, n=n, r=r, p=p, maxmem=_MEMORY, dklen=_KEY_BYTES)


def is_right(kept: KeptPassword, password: str) -> bool:
    """Return True if ``password`` matches the hash, compared in constant time.  Takes about 0.1 s on purpose."""
    from hmac import compare_digest  # noqa: PLC0415 - lazy: startup

    key = _key(password, bytes.fromhex(kept.salt), kept.n, kept.r, kept.p)
    return compare_digest(key, bytes.fromhex(kept.key))


class PasswordGate:
    """Rate limiter for password attempts in this run, by the key of the stored password."""

    def __init__(self) -> None:
        self.given: set[str] = set()
        self._wrong: dict[str, tuple[int, float]] = {}
        """Number of wrong attempts, and the monotonic time of the next allowed attempt."""
        self._trying = Lock()

    def opened(self, kept: KeptPassword) -> None:
        """Mark a password as verified."""
        self.given.add(kept.key)
        self._wrong.pop(kept.key, None)

    def give(self, kept: KeptPassword, password: str) -> str:
        """Check a password; return the refusal in words, ``""`` if it is right."""
        with self._trying:  # serializes attempts of several threads
            tries, since = self._wrong.get(kept.key, (0, 0.0))
            left = since - monotonic()
            if left > 0:
                return f"Wait {with_count(int(left) + 1, 'second')}, then try again"
            if is_right(kept, password):
                self.opened(kept)
                return ""
            late = tries + 1 >= FREE_TRIES
            self._wrong[kept.key] = tries + 1, monotonic() + (WAIT if late else 0)
            return f"{WRONG}; wait {WAIT:.0f} seconds" if late else WRONG


_GATE: Final = PasswordGate()
