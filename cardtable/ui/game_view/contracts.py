"""Building blocks for games in which seats declare contracts.

Explanations of a contract, and lists of cards in words.
"""

from typing import Final

from cardtable.engine.cards import NAME, Cards
from cardtable.engine.game import Contract, Title, View
from cardtable.engine.tricks import TrickView
from cardtable.ui.game_view.game_view import sort_by_suit
from cardtable.ui.toolkit.painting import card_faces
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.painting.layout import Layout
from cardtable.ui.toolkit.painting.text_fit import wrap

REMAINING: Final = "●"
DECLARED: Final = "·"
"""Signs of a contract that a seat can still declare, and of one that it has already declared."""
MAX_NAMED: Final = 3
"""Maximum number of cards that are listed one by one; longer lists are abbreviated."""


def paint_explanation(canvas: Canvas, layout: Layout, title: str, worth: str, rules: str) -> None:
    """Paint the explanation of a contract in the middle of the mat; ``worth`` is its value in words.

    On a mat that is too low only the first lines are painted, without the rules.
    """
    inks, x, width = canvas.theme.inks, layout.mat.x + 2, layout.mat.width - 4
    lines = wrap(rules, width, card_faces.measure_text)
    lines = lines if len(lines) + 3 <= layout.mat.height else []
    y = layout.mat.centre[1] - (len(lines) + 3) // 2
    card_faces.paint_text(canvas, x, y, title, inks.text, bold=True)
    card_faces.paint_text(canvas, x, y + 1, worth, inks.text)
    for i, line in enumerate(lines):
        card_faces.paint_text(canvas, x, y + 3 + i, line, inks.muted)


def paint_contract_line(canvas: Canvas, layout: Layout, title: str, worth: str) -> None:
    """Paint the contract and its value at the top of the mat, for terminals without room for a panel."""
    inks, x, y = canvas.theme.inks, layout.mat.x, layout.mat.y
    x = card_faces.paint_text(canvas, x, y, title, inks.text)
    card_faces.paint_text(canvas, x + 2, y, worth, inks.muted)


def find_cards_out(view: TrickView, cards: Cards) -> Cards:
    """Return the cards among ``cards`` that have not been played and are not in the hand of the view's seat."""
    for seen in (*view.played, view.hand):
        cards &= ~seen
    return cards


def describe_cards_out(cards: Cards, noun: str) -> str:
    """Return a sentence that names ``cards`` as still out; empty if there are none.

    More than ``MAX_NAMED`` cards are counted instead, as in "5 hearts are still out"; ``noun`` is the plural noun.
    """
    number = cards.bit_count()
    if not number:
        return ""
    if number > MAX_NAMED:
        return f"{number} {noun} are still out"
    return f"{join_cards(cards, 'and')} {'is' if number == 1 else 'are'} still out"


def join_cards(cards: Cards, conjunction: str) -> str:
    """Format cards as text, such as ``KD or JD``, sorted by suit.

    Of more than ``MAX_NAMED`` cards only the first and the last are named.
    """
    names = [NAME[card] for card in sort_by_suit(cards)]
    if len(names) > MAX_NAMED:
        return f"{names[0]} … {names[-1]}"
    return f" {conjunction} ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else names[0]


def list_remaining_titles(view: View, contract: Contract | None, rounds: int) -> list[Title | None]:
    """Return the titles of the rounds that are left in a session of ``rounds`` rounds, including the one in progress.

    The first title is ``contract`` while a round is played; the others are ``None``, since they are not known yet.
    """
    rest: list[Title | None] = [None] * (rounds - view.finished)
    return [contract, *rest[1:]] if view.playing else rest


def format_copies(remaining: int, total: int) -> str:
    """Format the contracts of one kind as signs.

    One for each that remains to be declared, then one for each declared.
    """
    return REMAINING * remaining + DECLARED * (total - remaining)
