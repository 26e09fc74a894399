"""What may be told of a player: her nick, real name, address, password."""

import re
from typing import Final

from cardtable.engine.errors import CardtableError
from cardtable.engine.text import clean, one_line
from cardtable.store import passwords, seating

MOST_NAME: Final = 40
"""Characters of a real name."""
MOST_EMAIL: Final = 80
_EMAIL: Final = re.compile(r"[^\s@]{1,64}@[^\s@.]+(\.[^\s@.]+)+")


class Refused(CardtableError):
    """What was told cannot be taken: ``field`` is what is to be put right."""

    def __init__(self, field: str, why: str) -> None:
        super().__init__(why[:1].upper() + why[1:])
        self.field, self.why = field, why


def why_not(field: str, text: str) -> str:
    """What is wrong with the ``nick``, the real ``name`` or the ``email`` of a player; nothing (``""``) if it can be.

    Whether somebody has the nick already is not asked.
    """
    if field == "nick":
        return seating.why_not(text) or ("a nick is one word of letters or digits" if clean(text) != text else "")
    if field == "name":
        shown = clean(text)  # without joiners, which a name may have
        fits = len(text) <= MOST_NAME and one_line(text) == text and shown.count("\ufffd") == text.count("\ufffd")
        return "" if fits else f"a real name has at most {MOST_NAME} characters, and none that cannot be shown"
    fits = not text or (len(text) <= MOST_EMAIL and clean(text) == text and _EMAIL.fullmatch(text) is not None)
    return "" if fits else "an e-mail address is like anna@example.org"


def refusal(nick: str, name: str = "", email: str = "") -> Refused | None:
    """The first of these that cannot be told of a player."""
    told = (("nick", nick), ("name", name), ("email", email))
    return next((Refused(field, wrong) for field, text in told if (wrong := why_not(field, text))), None)


def refusal_of_password(password: str, again: str) -> Refused | None:
    """Return why a new password that is typed twice cannot be taken, and which field is wrong; none at all can be."""
    wrong = passwords.why_not(password, again) if password or again else ""
    first_is_right = not password or not passwords.why_not(password, password)
    return Refused("again" if first_is_right else "password", wrong) if wrong else None
