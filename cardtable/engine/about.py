"""What can be told of a game without knowing its rules."""

import msgspec


class About(msgspec.Struct, frozen=True):
    """What can be told of a game without knowing its rules."""

    key: str
    """Its name in files and commands."""
    title: str
    line: str
    """The game in one line, for the picker."""
    length: str
    """How long a session is, in words."""
    seats: tuple[int, ...]
    """The numbers of seats it can be played with."""
    usual_seats: int
    emblem: str = "2C 3C 4C"
    """Three cards that stand for it."""
    aim: str = ""
    """What a player is after, in a sentence of 56 characters at most, for who plays it for the first time."""

    def seats_in_words(self) -> str:
        """The numbers of seats, such as ``2, 3 or 4``."""
        *fewer, most = map(str, self.seats)
        return f"{', '.join(fewer)} or {most}" if fewer else most
