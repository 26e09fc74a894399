"""Model of a score table's page: the sheet, the entry of a round, and the scroll position."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from cardtable.engine.game import Seat
from cardtable.scoring.kit.questions import AskedOption, ChoiceQuestion
from cardtable.scoring.kit.sheet import Sheet
from cardtable.scoring.round_entry import RoundEntry
from cardtable.ui.toolkit.painting import card_faces
from cardtable.ui.toolkit.painting.text_fit import WHOLE_NAME, shorten_names
from cardtable.wording.formatting import SUIT_SIGNS

EDGE: Final = 3
"""First column of texts."""
_LABEL: Final = 10
"""Columns of a label before options."""


@dataclass(slots=True)
class Scoring:
    """View model of a score table."""

    sheet: Sheet[Any]
    names: Sequence[str]
    entry: RoundEntry
    number: int
    """Number of the round being entered."""
    shut: str = ""
    """Reason why the table is read-only; empty if it is not."""
    offset: int = 0
    """Scrolled rounds."""
    follow: bool = True
    """True if the list scrolls to the round being entered."""
    rows: int = field(default=1, init=False)
    """Rounds that fit on the screen."""

    @property
    def again(self) -> bool:
        """True if an entered round is being corrected."""
        return self.number <= self.sheet.finished

    @property
    def over(self) -> bool:
        """True if the session has ended and no round is being corrected."""
        return self.sheet.ended and not self.again

    @property
    def begun(self) -> bool:
        """True if an entry is in progress that leaving would discard."""
        return self.again or (self.entry.has_entries and not self.shut)

    @property
    def asks(self) -> Seat | None:
        """Seat whose round is entered; None if no round can be entered."""
        return None if self.over or self.shut else self.entry.asked.who


def options_x(choice: ChoiceQuestion) -> int:
    """Return the first column of the options; the main question has no label."""
    return EDGE + (_LABEL if labelled(choice) else 0)


def labelled(choice: ChoiceQuestion) -> bool:
    """Return True if a label is painted before the options."""
    return choice.name != "contract"


def option_lines(scoring: Scoring, choice: ChoiceQuestion, width: int) -> list[list[AskedOption]]:
    """Return the options, wrapped into lines of the entry block."""
    lines: list[list[AskedOption]] = [[]]
    used = options_x(choice)
    for option in choice.options:
        wide = card_faces.shown_width(option_text(scoring, option)) + 2
        if used + wide > width and lines[-1]:
            lines.append([])
            used = options_x(choice)
        lines[-1].append(option)
        used += wide
    return lines


def option_text(scoring: Scoring, option: AskedOption) -> str:
    """Return the text of an option: a seat by its name, a suit by its sign."""
    if option.suit is not None:
        return SUIT_SIGNS[option.suit]
    return option.label if option.seat is None else shorten_names(scoring.names, WHOLE_NAME)[option.seat]
