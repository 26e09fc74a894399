"""Invitations to a club: one-time words, each of which logs in one person in place of the code."""

import re
import secrets
from collections.abc import Callable, Iterable
from hmac import compare_digest
from typing import Final
from unicodedata import normalize

from msgspec.structs import replace

from cardtable.club.protocol import hash_token
from cardtable.club.server.club_file import ClubState, Invitation
from cardtable.club.server.limits import LIMITS
from cardtable.engine.errors import CardtableError
from cardtable.store.seating import compute_nick_key, is_same_nick

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
    """Return random characters of ``CODE_ALPHABET``."""
    return "".join([secrets.choice(CODE_ALPHABET) for _ in range(length)])


def generate_word() -> str:
    """Return a random word that is short enough to be written down and typed."""
    return generate_random_text(WORD_LENGTH)


def format_word(word: str) -> str:
    """Format a word from ``generate_word`` in groups of four characters, separated by hyphens."""
    return "-".join(word[start : start + 4] for start in range(0, len(word), 4))


def normalize_word(typed: str) -> str:
    """Return a typed word in lower case, without spaces, dashes and the like."""
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
    """Return True if ``generate_random_text`` can return a text."""
    return len(text) == length and set(CODE_ALPHABET).issuperset(text)


class InvitationList:
    """Invitations that have neither been used nor expired."""

    def __init__(self, state: ClubState) -> None:
        self._state = state

    @property
    def invitations(self) -> tuple[Invitation, ...]:
        """Invitations that can be used, oldest first."""
        return self._state.drop_ended(self._state.contents.invitations)

    def add(self, nick: str, player: str, seconds: float) -> str:
        """Invite a person in place of an earlier invitation; return the word.

        ``player`` is the id of the player's profile, or empty for a guest or newcomer. Raises ``CardtableError`` if the
        time is invalid or there are too many invitations.
        """
        if not 0 < seconds <= MAX_INVITATION_SECONDS:
            raise CardtableError("an invitation is good for at most a year")
        others = [each for each in self.invitations if each.for_device or not is_same_nick(each.nick, nick)]
        if sum(not each.for_device for each in others) >= MAX_INVITATIONS:
            raise CardtableError(f"{MAX_INVITATIONS} people are invited already; withdraw some invitations first")
        return self._add(others, nick, player, seconds, for_device=False)

    def add_for_device(self, nick: str, is_own_network: Callable[[str], bool]) -> str:
        """Create a word for another device of a guest, and return it.

        ``is_own_network`` returns True if a nick counts for the same network as the guest. Raises ``CardtableError`` if
        the guest or the network has too many.
        """
        words = [each for each in self.invitations if each.for_device]
        LIMITS.device_words.check(sum(is_same_nick(each.nick, nick) for each in words))
        own = sum(is_own_network(each.nick) for each in words)
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
        self._keep(lambda each: not is_same_nick(each.nick, nick) and not (player and each.player == player))

    def rename_player(self, player: str, nick: str) -> None:
        """Use the present nick of a player, given by the id of the profile, in their invitation."""
        renamed = [replace(each, nick=nick) if each.player == player else each for each in self.invitations]
        self._state.change(invitations=tuple(renamed))

    def use(self, invitation: Invitation) -> None:
        """Remove an invitation because it is used."""
        self._keep(lambda each: each != invitation)

    def _keep(self, is_kept: Callable[[Invitation], bool]) -> None:
        self._state.change(invitations=tuple(filter(is_kept, self.invitations)))

    def find(self, nick: str, typed: str) -> Invitation | None:
        """Return the invitation of a nick with a typed word, or ``None`` if there is none."""
        if not is_word(typed):
            return None
        word, nick_key = hash_token(normalize_word(typed)).hex(), compute_nick_key(nick)
        own = [each for each in self.invitations if compute_nick_key(each.nick) == nick_key]
        return next((each for each in own if compare_digest(each.word, word)), None)
