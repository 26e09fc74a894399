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

from cardtable.engine.text_format import format_count

MIN_CHARACTERS: Final = 8
"""Minimum length of a new password, in characters. Older passwords may be shorter."""
MAX_CHARACTERS: Final = 64
SCRYPT_COSTS: Final = ((2**15, 8, 1),)
"""Accepted scrypt parameters ``(n, r, p)``. New passwords are hashed with the first triple."""
ATTEMPTS_BEFORE_DELAY: Final = 3
ATTEMPT_DELAY: Final = 10.0
"""Delay in seconds before the next attempt."""
WRONG_PASSWORD: Final = "That is not the password"  # noqa: S105 - a message
MISSING_PASSWORD: Final = "The password is needed"  # noqa: S105 - a message
_SALT_BYTES: Final = 16
_KEY_BYTES: Final = 32
_MAX_MEMORY: Final = 64 * 1024 * 1024
"""Memory limit of scrypt in bytes. The function uses about 128·n·r bytes."""


class PasswordHash(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Password hash as stored: the scrypt parameters, and the salt and key in hexadecimal digits."""

    n: int
    r: int
    p: int
    salt: Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{32}\Z")]
    key: Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{64}\Z")]

    def __post_init__(self) -> None:
        if (self.n, self.r, self.p) not in SCRYPT_COSTS:
            raise ValueError("a password is stored in a way that this version does not know")


def find_password_error(password: str, repeated: str) -> str | None:
    """Explain in one line why a new password is not acceptable. Return ``None`` if it is.

    ``repeated`` is the password as typed the second time.
    """
    if len(password) < MIN_CHARACTERS:
        return f"a new password has at least {MIN_CHARACTERS} characters"
    if not password.isprintable() or any(character.isspace() for character in password):
        return "a password has no spaces"
    if len(password) > MAX_CHARACTERS:
        return f"a password has at most {MAX_CHARACTERS} characters"
    return None if password == repeated else "the two passwords differ; type the same one twice"


def hash_password(password: str) -> PasswordHash:
    """Hash a new password with a random salt, and mark it as verified.

    The computation takes about 0.1 s on purpose.
    """
    n, r, p = SCRYPT_COSTS[0]
    salt = os.urandom(_SALT_BYTES)
    password_hash = PasswordHash(n, r, p, salt.hex(), _derive_key(password, salt, n, r, p).hex())
    _GATE.mark_verified(password_hash)
    return password_hash


def create_unmatched_hash() -> PasswordHash:
    """Return a hash that no password matches, to be checked where there is none."""
    return PasswordHash(*SCRYPT_COSTS[0], os.urandom(_SALT_BYTES).hex(), os.urandom(_KEY_BYTES).hex())


def is_verified(stored: PasswordHash) -> bool:
    """Return True if the password has been verified in this run of the program."""
    return stored.key in _GATE.verified_keys


def verify(stored: PasswordHash, password: str) -> str | None:
    """Verify a password and return ``None``, or the reason for the refusal in one line.

    An empty password is refused without counting as an attempt. Otherwise the computation takes about 0.1 s on purpose.
    """
    return _GATE.verify(stored, password) if password else MISSING_PASSWORD


def _derive_key(password: str, salt: bytes, n: int, r: int, p: int) -> bytes:
    import hashlib  # noqa: PLC0415 - lazy: startup

    text = normalize("NFC", password).encode(errors="replace")
    return hashlib.scrypt(text, salt=salt, n=n, r=r, p=p, maxmem=_MAX_MEMORY, dklen=_KEY_BYTES)


def is_correct(stored: PasswordHash, password: str) -> bool:
    """Return True if ``password`` matches the hash.

    The keys are compared in constant time, and the attempt is not counted. The computation takes about 0.1 s on
    purpose.
    """
    from hmac import compare_digest  # noqa: PLC0415 - lazy: startup

    key = _derive_key(password, bytes.fromhex(stored.salt), stored.n, stored.r, stored.p)
    return compare_digest(key, bytes.fromhex(stored.key))


class PasswordGate:
    """Rate limiter for password attempts in this run of the program. Each stored password has its own counter."""

    def __init__(self) -> None:
        self.verified_keys: set[str] = set()
        self._failures: dict[str, tuple[int, float]] = {}
        """Number of wrong attempts, and the ``time.monotonic`` of the next permitted attempt, by key of the password.
        """
        self._lock = Lock()

    def mark_verified(self, stored: PasswordHash) -> None:
        """Mark a password as verified, and reset its counter of wrong attempts."""
        self.verified_keys.add(stored.key)
        self._failures.pop(stored.key, None)

    def verify(self, stored: PasswordHash, password: str) -> str | None:
        """Verify a password and return ``None``, or the reason for the refusal in one line.

        During a delay the attempt is refused without being checked. It may be called from several threads.
        """
        with self._lock:  # serializes attempts of several threads
            tries, since = self._failures.get(stored.key, (0, 0.0))
            left = since - monotonic()
            if left > 0:
                return f"Wait {format_count(int(left) + 1, 'second')}, then try again"
            if is_correct(stored, password):
                self.mark_verified(stored)
                return None
            late = tries + 1 >= ATTEMPTS_BEFORE_DELAY
            self._failures[stored.key] = tries + 1, monotonic() + (ATTEMPT_DELAY if late else 0)
            return f"{WRONG_PASSWORD}; wait {ATTEMPT_DELAY:.0f} seconds" if late else WRONG_PASSWORD


_GATE: Final = PasswordGate()
