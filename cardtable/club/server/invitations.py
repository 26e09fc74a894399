"""Invitations to a club: one-time words, each of which logs in one person in place of the code."""

import re
import secrets
from collections.abc import Callable, Sequence
from hmac import compare_digest
from typing import Final
from unicodedata import normalize

from msgspec.structs import replace

from cardtable.club.protocol import hash_token
from cardtable.club.server.club_file import Invitation
from cardtable.engine.errors import CardtableError
from cardtable.engine.text_format import sanitize
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
MAX_DEVICE_WORDS: Final = 1000
"""Maximum number of words for other devices.

People of a network get no new word once they have as many as are still free, so that no network can use up all of them.
"""
MAX_DEVICE_WORDS_PER_PERSON: Final = 3


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

    def __init__(self, invitations: Sequence[Invitation], clock: Callable[[], float]) -> None:
        """Take over the stored invitations; ``clock`` returns the time in seconds since 1970-01-01T00:00Z."""
        self._invitations, self._clock = [*invitations], clock

    @property
    def invitations(self) -> tuple[Invitation, ...]:
        """Invitations that can be used, oldest first."""
        now = self._clock()
        return tuple([each for each in self._invitations if each.until > now])

    def add(self, nick: str, player: str, seconds: float) -> tuple[str, Callable[[], None]]:
        """Invite a person in place of an earlier invitation; return the word and a function that undoes this.

        ``player`` is the id of the player's profile, or empty for a guest or newcomer. Raises ``CardtableError`` if the
        time is invalid or there are too many invitations.
        """
        if not 0 < seconds <= MAX_INVITATION_SECONDS:
            raise CardtableError("an invitation is good for at most a year")
        replaced = [each for each in self._list_of(nick) if not each.for_device]
        others = [each for each in self.invitations if each not in replaced]
        if sum(not each.for_device for each in others) >= MAX_INVITATIONS:
            raise CardtableError(f"{MAX_INVITATIONS} people are invited already; withdraw some invitations first")
        return self._add(nick, player, seconds, others, replaced, for_device=False)

    def add_for_device(self, nick: str, is_own_network: Callable[[str], bool]) -> tuple[str, Callable[[], None]]:
        """Create a word for another device of a guest; return the word and a function that undoes this.

        ``is_own_network`` returns True if a nick counts for the same network as the guest. Raises ``CardtableError`` if
        the guest or the network has too many.
        """
        words = [each for each in self.invitations if each.for_device]
        if sum(is_same_nick(each.nick, nick) for each in words) >= MAX_DEVICE_WORDS_PER_PERSON:
            raise CardtableError(
                f"you have {MAX_DEVICE_WORDS_PER_PERSON} words that are still good; use one, or wait ten minutes"
            )
        if sum(is_own_network(each.nick) for each in words) >= MAX_DEVICE_WORDS - len(words):
            raise CardtableError("too many words for other devices are in use; wait ten minutes")
        return self._add(nick, "", DEVICE_WORD_SECONDS, [*self.invitations], [], for_device=True)

    def _add(
        self,
        nick: str,
        player: str,
        seconds: float,
        others: Sequence[Invitation],
        replaced: Sequence[Invitation],
        *,
        for_device: bool,
    ) -> tuple[str, Callable[[], None]]:
        word = generate_word()
        added = Invitation(nick, hash_token(word).hex(), int(self._clock() + seconds), player, for_device)
        self._invitations = [*others, added]

        def undo() -> None:
            self._invitations = [*replaced, *[each for each in self._invitations if each is not added]]

        return word, undo

    def _list_of(self, nick: str) -> list[Invitation]:
        return [each for each in self.invitations if is_same_nick(each.nick, nick)]

    def withdraw(self, nick: str) -> Callable[[], None]:
        """Remove all invitations of a person, also those for other devices; return a function that undoes this.

        Raises ``CardtableError`` if there are none.
        """
        removed = self._list_of(nick)
        if not removed:
            raise CardtableError(f"{sanitize(nick, 40)} is not invited")
        return self._remove(removed)

    def withdraw_all_of(self, nick: str, player: str = "") -> Callable[[], None]:
        """Remove all invitations of a person, of which there may be none; return a function that undoes this.

        ``player`` is the id of the player's profile, who may have had another nick; empty for a guest.
        """
        renamed = [each for each in self.invitations if player and each.player == player]
        return self._remove([*dict.fromkeys([*self._list_of(nick), *renamed])])

    def rename_player(self, player: str, nick: str) -> None:
        """Use the present nick of a player, given by the id of the profile, in their invitation."""
        self._invitations = [replace(each, nick=nick) if each.player == player else each for each in self._invitations]

    def use(self, invitation: Invitation) -> Callable[[], None]:
        """Remove an invitation because it is used; return a function that undoes this."""
        return self._remove([invitation])

    def _remove(self, removed: Sequence[Invitation]) -> Callable[[], None]:
        self._invitations = [each for each in self._invitations if each not in removed]

        def undo() -> None:
            self._invitations = [*removed, *self._invitations]

        return undo

    def find(self, nick: str, typed: str) -> Invitation | None:
        """Return the invitation of a nick with a typed word, or ``None`` if there is none."""
        if not is_word(typed):
            return None
        word, nick_key = hash_token(normalize_word(typed)).hex(), compute_nick_key(nick)
        own = [each for each in self.invitations if compute_nick_key(each.nick) == nick_key]
        return next((each for each in own if compare_digest(each.word, word)), None)
