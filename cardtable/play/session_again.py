"""A session told again, round after round, as far as it may be: whose session it is, and its rounds once they are read.

Of a session that people still play only finished rounds are told, unless all is to be open.
"""

from pathlib import Path

from cardtable.engine.contract import OVER
from cardtable.engine.errors import CardtableError
from cardtable.engine.journal import seated
from cardtable.engine.words import counted
from cardtable.play.finished_round import FinishedRound, told_again
from cardtable.store import club_sessions, files
from cardtable.store.errors import FileError


class SessionAgain:
    """A journal that is replayed; used by any thread."""

    def __init__(self, path: Path, *, as_open: bool = False) -> None:
        """Read all of it.

        Raises ``CardtableError`` where it cannot be read, or nothing of it may be told yet, and ``PlayedAtClub`` where
        ``as_open`` asks for hands that the club hides.
        """
        self.path = path
        self._journal = files.one(path, files.read_session(path))
        table = files.replayed(path, self._journal)
        self.game = table.game
        self.header = files.shown(seated(self._journal.header, table.sitters))
        self.over = table.turn == OVER
        self.given_up = files.given_up(path, table.turn)
        self.is_club_only = club_sessions.is_hidden(self._journal, table.turn)
        """True if the round in progress is not told, since the club plays it."""
        if self.is_club_only and as_open:
            raise club_sessions.refusal_to_open(self.header.id)
        self.hidden = self.is_club_only or (files.still_played(path, self.header, table.turn) and not as_open)
        """Whether the round in progress is not told, since people play it."""
        self.rounds = len(table.scores)
        """How many can be told."""
        self._told: dict[int, FinishedRound] = {}
        if not self.hidden and self._tell(self.rounds + 1) is not None:  # in progress, or broken off by a clock
            self.rounds += 1
        if not self.rounds:
            why = "people still play it, and no round of it is over" if self.hidden else "nothing has happened in it"
            raise FileError(path, f"there is nothing to replay yet: {why}")
        self.of = self.rounds if self.given_up else max(table.options.rounds or 0, self.rounds)
        """How many rounds the session has, as far as that is known."""

    def round(self, number: int) -> FinishedRound:
        """A round, from 1 on; kept once it was told.  It takes a while."""
        told = self._tell(number)
        assert told is not None
        return told

    def kept(self, number: int) -> FinishedRound | None:
        """A round, if it was told before."""
        return self._told.get(number)

    def _tell(self, number: int) -> FinishedRound | None:
        if number not in self._told:
            told = told_again(self._journal, number, unfinished=not self.hidden)
            if told is None:
                return None
            self._told[number] = told
        return self._told[number]

    def in_range(self, number: int) -> int:
        """The number of a round that can be told.  Raises ``CardtableError``."""
        if 1 <= number <= self.rounds:
            return number
        raise CardtableError(f"there is no round {number} to replay; there {_are(self.rounds)}")


def _are(rounds: int) -> str:
    return f"{'is' if rounds == 1 else 'are'} {counted(rounds, 'round')}"
