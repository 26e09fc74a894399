"""What is shown of a score table: the sheet, the round that is entered, and how far the rounds are scrolled."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from cardtable.engine.game import Seat
from cardtable.scoring.kit.questions import AskedOption, ChoiceQuestion
from cardtable.scoring.kit.sheet import Sheet
from cardtable.scoring.round_entry import RoundEntry
from cardtable.ui.toolkit.painting import card_faces
from cardtable.ui.toolkit.painting.text_fit import WHOLE_NAME, cut_alike
from cardtable.wording.formatting import SUIT_SIGNS

EDGE: Final = 3
"""Where words begin."""
_LABEL: Final = 10
"""Columns of a label before options."""


@dataclass(slots=True)
class Scoring:
    """What is shown of a score table."""

    sheet: Sheet[Any]
    names: Sequence[str]
    entry: RoundEntry
    number: int
    """The round that is entered."""
    shut: str = ""
    """Why nothing can be entered."""
    offset: int = 0
    """Rounds that are scrolled away."""
    follow: bool = True
    """Whether the round that is entered is kept in sight."""
    rows: int = field(default=1, init=False)
    """Rounds there is room for."""

    @property
    def again(self) -> bool:
        """Whether a round is entered once more."""
        return self.number <= self.sheet.finished

    @property
    def over(self) -> bool:
        """Whether there is no further round."""
        return self.sheet.ended and not self.again

    @property
    def begun(self) -> bool:
        """Whether something is entered that is not kept."""
        return self.again or (self.entry.begun and not self.shut)

    @property
    def asks(self) -> Seat | None:
        """Whose round is entered; ``None`` where nothing can be."""
        return None if self.over or self.shut else self.entry.asked.who


def options_x(choice: ChoiceQuestion) -> int:
    """Where options begin; what the block is mostly about needs no label."""
    return EDGE + (_LABEL if labelled(choice) else 0)


def labelled(choice: ChoiceQuestion) -> bool:
    """Whether a label stands before the options."""
    return choice.name != "contract"


def option_lines(it: Scoring, choice: ChoiceQuestion, width: int) -> list[list[AskedOption]]:
    """The options, in lines of the block."""
    lines: list[list[AskedOption]] = [[]]
    used = options_x(choice)
    for option in choice.options:
        wide = card_faces.shown_width(told(it, option)) + 2
        if used + wide > width and lines[-1]:
            lines.append([])
            used = options_x(choice)
        lines[-1].append(option)
        used += wide
    return lines


def told(it: Scoring, option: AskedOption) -> str:
    """What an option is called: a seat by its name, a suit by its sign."""
    if option.suit is not None:
        return SUIT_SIGNS[option.suit]
    return option.label if option.seat is None else cut_alike(it.names, WHOLE_NAME)[option.seat]
