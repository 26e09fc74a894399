"""Model of the page of a score table: the sheet, the entry of a round, and the scroll position."""

from collections.abc import Sequence
from typing import Any, Final

import msgspec

from cardtable.engine.game import Seat
from cardtable.scoring.kit.questions import AskedOption, ChoiceQuestion
from cardtable.scoring.kit.sheet import Sheet
from cardtable.scoring.round_entry import RoundEntry
from cardtable.ui.toolkit.painting import card_faces
from cardtable.ui.toolkit.painting.text_fit import NICK_WIDTH, shorten_names
from cardtable.wording.formatting import SUIT_SIGNS

EDGE: Final = 3
"""First column of the texts."""
_LABEL_WIDTH: Final = 10
"""Width of the label before options, in columns."""


class Scoring(msgspec.Struct):
    """Model of a score table and of the round that is being entered."""

    sheet: Sheet[Any]
    names: Sequence[str]
    entry: RoundEntry
    number: int
    """Number of the round being entered, counted from 1."""
    read_only_reason: str = ""
    """Reason why the table can only be read; empty if rounds can be entered."""
    offset: int = 0
    """Number of rounds that are scrolled away at the top."""
    follow: bool = True
    """True if the list scrolls to keep the round being entered visible."""
    rows: int = 1
    """Number of rounds that fit on the screen; set by the painter."""

    @property
    def is_correction(self) -> bool:
        """True if the round being entered replaces one that was entered before."""
        return self.number <= self.sheet.finished

    @property
    def is_over(self) -> bool:
        return self.sheet.is_over and not self.is_correction

    @property
    def has_entry(self) -> bool:
        """True if an entry is in progress, which leaving the page would discard."""
        return self.is_correction or (self.entry.has_entries and not self.read_only_reason)

    @property
    def asked_seat(self) -> Seat | None:
        """Seat that declares or begins the round being entered; ``None`` if no round can be entered."""
        return None if self.is_over or self.read_only_reason else self.entry.questions.seat


def compute_options_x(choice: ChoiceQuestion) -> int:
    return EDGE + (_LABEL_WIDTH if has_label(choice) else 0)


def has_label(choice: ChoiceQuestion) -> bool:
    """Return True if the question has a label before its options; the main question, about the contract, has none."""
    return choice.name != "contract"


def wrap_options(scoring: Scoring, choice: ChoiceQuestion, width: int) -> list[list[AskedOption]]:
    """Return the options of a question, distributed over as many lines of ``width`` columns as they need."""
    lines: list[list[AskedOption]] = [[]]
    used = compute_options_x(choice)
    for option in choice.options:
        wide = card_faces.measure_text(format_option(scoring, option)) + 2
        if used + wide > width and lines[-1]:
            lines.append([])
            used = compute_options_x(choice)
        lines[-1].append(option)
        used += wide
    return lines


def format_option(scoring: Scoring, option: AskedOption) -> str:
    """Format an option: a seat as its name, a suit as its sign, any other by its label."""
    if option.suit is not None:
        return SUIT_SIGNS[option.suit]
    return option.label if option.seat is None else shorten_names(scoring.names, NICK_WIDTH)[option.seat]
