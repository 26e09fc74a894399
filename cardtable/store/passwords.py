"""Passwords: scrypt hashes (RFC 7914), verification, and a delay after wrong attempts.

A verified password is not requested again in the same run of the program. Passwords of a club's guests are checked by
``is_correct``, which does not count as verification here; the club limits the attempts itself. The files of the program
are not encrypted.
"""

import os
from threading import Lock
from time import monotonic
from typing import Annotated, Final
from unicodedata import normalize

import msgspec

from cardtable.engine.text_format import with_count

FEWEST_CHARACTERS: Final = 8
"""Minimum length of a new password, in characters. Older passwords may be shorter."""
MOST_CHARACTERS: Final = 64
COSTS: Final = ((2**15, 8, 1),)
"""Accepted scrypt parameters ``(n, r, p)``. New passwords are hashed with the first triple."""
FREE_TRIES: Final = 3
WAIT: Final = 10.0
"""Delay in seconds before the next attempt."""
WRONG: Final = "That is not the password"
MISSING: Final = "The password is needed"
_SALT_BYTES: Final = 16
_KEY_BYTES: Final = 32
_MEMORY: Final = 64 * 1024 * 1024
"""Memory limit of scrypt in bytes. The function uses about 128·n·r bytes."""


class KeptPassword(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Password hash as stored: the scrypt parameters, and the salt and key in hexadecimal digits."""

    n: int
    r: int
    p: int
    salt: Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{32}\Z")]
    key: Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{64}\Z")]

    def __post_init__(self) -> None:
        if (self.n, self.r, self.p) not in COSTS:
            raise ValueError("a password is kept in a way that this version does not know")


def password_error(password: str, again: str) -> str:
    """Explain in one line why a new password is not acceptable. Return ``""`` if it is.

    ``repeated`` is the password as typed the second time.
    """
    if len(password) < FEWEST_CHARACTERS:
        return f"a new password has at least {FEWEST_CHARACTERS} characters"
    if not password.isprintable() or any(character.isspace() for character in password):
        return "a password has no spaces"
    if len(password) > MOST_CHARACTERS:
        return f"a password has at most {MOST_CHARACTERS} characters"
    return "" if password == again else "the two passwords differ; type the same one twice"


def hash_password(password: str) -> KeptPassword:
    """Hash a new password with a random salt, and mark it as verified.

    The computation takes about 0.1 s on purpose.
    """
    n, r, p = COSTS[0]
    salt = os.urandom(_SALT_BYTES)
    kept = KeptPassword(n, r, p, salt.hex(), _key(password, salt, n, r, p).hex())
    _GATE.opened(kept)
    return kept


def is_verified(kept: KeptPassword) -> bool:
    """Return True if the password has been verified in this run of the program."""
    return kept.key in _GATE.given


def verify(kept: KeptPassword, password: str) -> str:
    """Verify a password and return ``""``, or the reason for the refusal in one line.

    An empty password is refused without counting as an attempt. Otherwise the computation takes about 0.1 s on purpose.
    """
    return _GATE.give(kept, password) if password else MISSING


def _key(password: str, salt: bytes, n: int, r: int, p: int) -> bytes:
    import hashlib  # noqa: PLC0415 - lazy: startup

    text = normalize("NFC", password).encode(errors="replace")
    return hashlib.scrypt(text, salt=salt, n=n, r=r, p=p, maxmem=_MEMORY, dklen=_KEY_BYTES)


def is_right(kept: KeptPassword, password: str) -> bool:
    """Return True if ``password`` matches the hash.

    The keys are compared in constant time, and the attempt is not counted. The computation takes about 0.1 s on
    purpose.
    """
    from hmac import compare_digest  # noqa: PLC0415 - lazy: startup

    key = _key(password, bytes.fromhex(kept.salt), kept.n, kept.r, kept.p)
    return compare_digest(key, bytes.fromhex(kept.key))


class PasswordGate:
    """Rate limiter for password attempts in this run of the program. Each stored password has its own counter."""

    def __init__(self) -> None:
        self.given: set[str] = set()
        self._wrong: dict[str, tuple[int, float]] = {}
        """Number of wrong attempts, and the ``time.monotonic`` of the next permitted attempt, by key of the password.
        """
        self._trying = Lock()

    def opened(self, kept: KeptPassword) -> None:
        """Mark a password as verified, and reset its counter of wrong attempts."""
        self.given.add(kept.key)
        self._wrong.pop(kept.key, None)

    def give(self, kept: KeptPassword, password: str) -> str:
        """Verify a password and return ``""``, or the reason for the refusal in one line.

        During a delay the attempt is refused without being checked. It may be called from several threads.
        """
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
