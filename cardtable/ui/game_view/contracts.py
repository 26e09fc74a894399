"""What the games of contracts have in common at the table: a contract explained, cards told in words."""

from typing import Final

from cardtable.engine.cards import NAME, Cards
from cardtable.engine.game import Contract, Title, View
from cardtable.engine.tricks import TrickView
from cardtable.ui.game_view.game_view import by_suit
from cardtable.ui.toolkit.painting import card_faces
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.painting.layout import Layout
from cardtable.ui.toolkit.painting.text_fit import wrap

LEFT: Final = "●"
DECLARED: Final = "·"
"""Signs of a contract that a seat has still, and of one that it has had."""
MOST_NAMED: Final = 3
"""More cards are counted, not named."""


def explain(canvas: Canvas, grid: Layout, title: str, worth: str, rules: str) -> None:
    """A contract on the mat: what it is called, what it counts, and what else holds in it."""
    inks, x, width = canvas.theme.inks, grid.mat.x + 2, grid.mat.width - 4
    told = wrap(rules, width, card_faces.shown_width)
    y = grid.mat.centre[1] - (len(told) + 3) // 2
    card_faces.words(canvas, x, y, title, inks.text, bold=True)
    card_faces.words(canvas, x, y + 1, worth, inks.text)
    for i, line in enumerate(told):
        card_faces.words(canvas, x, y + 3 + i, line, inks.muted)


def tell(canvas: Canvas, grid: Layout, title: str, worth: str) -> None:
    """At the head of the mat, where no panel says it: the contract that is played, and what it counts."""
    inks, x, y = canvas.theme.inks, grid.mat.x, grid.mat.y
    x = card_faces.words(canvas, x, y, title, inks.text)
    card_faces.words(canvas, x + 2, y, worth, inks.muted)


def out(view: TrickView, cards: Cards) -> Cards:
    """Which of these cards the others still hold, as the seat of ``view`` sees it."""
    for seen in (*view.played, view.hand):
        cards &= ~seen
    return cards


def still_out(cards: Cards, things: str) -> str:
    """That others hold these cards; of many how many ``things`` that makes."""
    number = cards.bit_count()
    if not number:
        return ""
    if number > MOST_NAMED:
        return f"{number} {things} are still out"
    return f"{listed(cards, 'and')} {'is' if number == 1 else 'are'} still out"


def listed(cards: Cards, word: str) -> str:
    """Cards as one says them: ``KD or JD``; of many the first and the last."""
    told = [NAME[card] for card in by_suit(cards)]
    if len(told) > MOST_NAMED:
        return f"{told[0]} … {told[-1]}"
    return f" {word} ".join([", ".join(told[:-1]), told[-1]]) if len(told) > 1 else told[0]


def coming(view: View, contract: Contract | None, rounds: int) -> list[Title | None]:
    """The contract of the round in progress, once it is named, and nothing yet of the others of the session."""
    rest: list[Title | None] = [None] * (rounds - view.finished)
    return [contract, *rest[1:]] if view.playing else rest


def copies(left: int, of: int) -> str:
    """Signs for contracts of one kind: first those that are left."""
    return LEFT * left + DECLARED * (of - left)
