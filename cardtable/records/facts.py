"""The facts of a session that statistics ask for, extracted once from its file and kept."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import msgspec

from cardtable.engine.contract import Score
from cardtable.engine.errors import CardtableError, GameFailed
from cardtable.engine.journal import is_score_table
from cardtable.games import GAMES, blaming
from cardtable.store import files, score_tables

VERSION: Final = 1
"""Goes up whenever facts that are kept mean something else."""


class Facts(msgspec.Struct, frozen=True, array_like=True):
    """The finished rounds of a session, flat so that thousands are read at once."""

    whole: bool
    """Whether the file holds from its first line to its last; if not, nothing else is known."""
    titles: tuple[str, ...] = ()
    """What was played, round by round, as score sheets have it."""
    gains: tuple[int, ...] = ()
    """What each seat's total gained, round by round."""
    bids: tuple[int, ...] = ()
    """In games with bids what each seat has bid and made, round by round."""

    def fit(self, game: str, seats: int) -> bool:
        """Whether they can be those of a session of this game with so many seats."""
        gains = len(self.titles) * seats
        bids = 2 * gains if GAMES[game].exact_bids and self.whole else 0
        return (len(self.gains), len(self.bids)) == (gains, bids)

    def bids_of(self, seat: int) -> Iterator[tuple[int, int]]:
        """What the seat has bid and made, round by round."""
        return zip(self.bids[2 * seat :: self._step], self.bids[2 * seat + 1 :: self._step], strict=True)

    def cards(self) -> list[int]:
        """In games with bids how many cards were dealt, round by round: as many as all have made tricks."""
        step = self._step
        return [sum(self.bids[at + 1 : at + step : 2]) for at in range(0, len(self.bids), step)]

    @property
    def _step(self) -> int:
        """Numbers of a round in ``bids``."""
        return 2 * len(self.gains) // max(len(self.titles), 1)


DAMAGED: Final = Facts(whole=False)


def extracted(path: Path) -> Facts | None:
    """The facts of a file, which is read and judged from its first line to its last; ``None`` if it cannot be."""
    try:
        data = files.read_session(path)
    except CardtableError:
        return None  # that may pass
    try:
        with blaming():
            return _of(*_scores(path, data))
    except GameFailed:
        return None  # its package may be mended
    except CardtableError:
        return DAMAGED


def _scores(path: Path, data: bytes) -> tuple[str, Sequence[Score]]:
    """The game and the finished rounds of a journal, or of a score table.  Raises ``CardtableError``."""
    if is_score_table(data):
        scores = score_tables.loaded(path, score_tables.read(path, data))
        return scores.header.game, scores.sheet.scores
    journal = files.one(path, data)
    return journal.header.game, files.replayed(path, journal, only_read=True).scores


def _of(game: str, scores: Sequence[Score]) -> Facts:
    gains: list[int] = []
    before: Sequence[int] = ()
    for score in scores:
        gains += [after - total for after, total in zip(score.totals, before or [0] * len(score.totals), strict=True)]
        before = score.totals
    bids = [figure for score in scores for own in score.figures for figure in own] if GAMES[game].exact_bids else []
    return Facts(True, tuple([str(score.title) for score in scores]), tuple(gains), tuple(bids))
