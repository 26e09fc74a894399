"""Painting of cards: fans, single cards, chips, backs, and cards named in text."""

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Final

import msgspec
from rich.cells import cell_len

from cardtable.engine.cards import JACK, KING, NAME, QUEEN, RANK, SUIT, Card
from cardtable.engine.faces import FRENCH, Faces
from cardtable.store.settings import CardBack
from cardtable.ui.toolkit.painting.canvas import ELLIPSIS, Canvas, CardBounds, centre_window
from cardtable.wording.formatting import SUIT_SIGNS, WINNER_MARK, format_card, insert_suit_signs, split_cards

_SUIT: Final = re.compile(f"([{SUIT_SIGNS}])")


class Size(msgspec.Struct, frozen=True):
    """Size of a card in cells."""

    width: int
    height: int


HUGE: Final = Size(11, 9)
LARGE: Final = Size(9, 7)
FULL: Final = Size(7, 5)
SMALL: Final = Size(5, 3)
CHIP: Final = Size(4, 1)
MIN_STEP: Final = 3
"""Minimum number of visible columns of a covered card, for its rank and suit."""
EQUAL_STEP: Final = {HUGE: 5, LARGE: 4, FULL: MIN_STEP, SMALL: MIN_STEP, CHIP: CHIP.width}
"""Visible columns of a card that is covered by an identical one, by card size."""
COUNT_WIDTH: Final = 3
"""Width of the number of hidden cards at the ends of a hand, in columns."""
_TURNED: Final = {
    half[i]: half[1 - i]
    for half in ("▙▜", "▛▟", "▀▄", "▌▐", "▖▝", "▘▗", "▲▼", "^v", "wm", ".'", "{}", "()", "<>")
    for i in (0, 1)
}
"""Characters as they look upside down; those that are missing look the same."""


def _turn_around(rows: Sequence[str]) -> tuple[str, ...]:
    return tuple(["".join([_TURNED.get(char, char) for char in reversed(row)]) for row in reversed(rows)])


def _draw_courts(middle: str, **halves: tuple[str, ...]) -> dict[int, tuple[str, ...]]:
    """Return the drawings of jack, queen and king by rank, from their upper halves and the row in the middle."""
    ranks = {"jack": JACK, "queen": QUEEN, "king": KING}
    return {ranks[name]: (*half, middle, *_turn_around(half)) for name, half in halves.items()}


_COURTS: Final = _draw_courts(
    "━━━━ ━━━━",
    jack=(
        "  ▄███▖▞ ",
        "  ▌• •▐  ",
        " ▜▖ ─ ▗▛ ",
        " ▟▙▚▄▞▟▙ ",
    ),
    queen=(
        "  ▗▟█▙▖  ",
        "  ▛• •▜ ●",
        " ▟▌ ─ ▐▙│",
        "▗█▛▚ ▞▜█▖",
    ),
    king=(
        "  ▙▄█▄▟  ",
        "  ▌• •▐ ▲",
        "  ▜▄─▄▛ ┃",
        " ▟█▜█▛█▙╋",
    ),
)
"""Drawings between the edges of the largest court cards by rank, without the index."""
_ASCII_COURTS: Final = _draw_courts(
    "==== ====",
    jack=(
        "  ####~  ",
        "  |o o|  ",
        "   \\-/   ",
        " /#>-<#\\ ",
    ),
    queen=(
        "  .oOo.  ",
        "  (o o)  ",
        " (( - )) ",
        " /#\\ /#\\ ",
    ),
    king=(
        "  |\\^/|  ",
        "  |o o| ^",
        "  {www} |",
        " /##v##\\+",
    ),
)
"""The same drawings in ASCII."""
_ACCENT_ROWS: Final = (0, HUGE.height // 2, HUGE.height - 1)
"""Rows of a court with its headgear, and with the band between its halves."""
_LEFT, _CENTRE, _RIGHT = 3, 5, 7
_PAIRS: Final = [(x, y) for x in (_LEFT, _RIGHT) for y in (2, 6)]
_THREES: Final = [*_PAIRS, (_LEFT, 4), (_RIGHT, 4)]
_FOURS: Final = [(x, y) for x in (4, 6) for y in (1, 3, 5, 7)]
_PIPS: Final[Mapping[int, Sequence[tuple[int, int]]]] = dict(
    enumerate(
        (
            [(_CENTRE, 2), (_CENTRE, 6)],
            [(_CENTRE, 2), (_CENTRE, 4), (_CENTRE, 6)],
            _PAIRS,
            [*_PAIRS, (_CENTRE, 4)],
            _THREES,
            [*_THREES, (_CENTRE, 3)],
            [*_THREES, (_CENTRE, 3), (_CENTRE, 5)],
            [*_FOURS, (_CENTRE, 4)],
            [*_FOURS, (_CENTRE, 2), (_CENTRE, 6)],
        )
    )
)
"""Columns and rows of the suit signs of the largest cards from 2 to 10, by rank."""


class CardLook(msgspec.Struct, frozen=True):
    """Style of a card."""

    cursor: bool = False
    dimmed: bool = False
    is_winning: bool = False
    """True for the card that is winning the trick; it is marked with a star."""
    footer: str = ""
    """Word in the last row of the card; "" for none."""
    is_mandatory: bool = False
    """True if the card has to be used; its footer is a gold band."""
    mark: str = ""
    """Sign beside the suit, such as ``MELD_MARK``; "" for none."""


PLAIN_LOOK: Final = CardLook()
MELD_MARK: Final = "✓"
"""Mark of the cards of melds in the hand."""
FIT_MARK: Final = "+"
"""Mark of other cards that can be melded or laid off."""


def format_rank(card: Card, faces: Faces = FRENCH) -> str:
    return faces.format_rank(card)


def get_suit_sign(card: Card) -> str:
    return SUIT_SIGNS[SUIT[card]]


def paint_card(
    canvas: Canvas, x: int, y: int, size: Size, which: Card, look: CardLook = PLAIN_LOOK, *, shown_columns: int = 0
) -> None:
    """Paint a card face up, and record its rectangle in ``card_bounds`` of the canvas.

    ``shown_columns`` is the number of visible columns if another card will cover the rest; 0 for all of them.
    """
    theme = canvas.theme
    colours = theme.cards
    ground = colours.dimmed if look.dimmed else colours.cursor if look.cursor else colours.face
    edge = colours.dimmed_edge if look.dimmed else colours.edge
    if look.cursor or look.is_winning:
        edge = colours.cursor_edge
    ink = (theme.suits.dimmed if look.dimmed else theme.suits.face)[SUIT[which]]
    accent, bold = _choose_accent(canvas, look), not look.dimmed
    width = shown_columns or size.width
    canvas.card_bounds[which] = CardBounds(x, y, size.width, size.height, shown_columns)
    canvas.fill(x, y, width, size.height, ground)
    for row in range(size.height):
        canvas.write(x, y + row, "▏", edge)
    if size == HUGE:
        _paint_picture(canvas, x, y, width, which, look, ink)
    index_end = _paint_index(canvas, x, y, size, which, ink, bold=bold)
    # A card in one line has no free cell if it is a ten, so that a mark takes the place of its edge.
    if look.mark:
        column, row = (x, y) if size.height == 1 else (x + 2, y + 1)
        canvas.write(column, row, look.mark, accent, bold=bold)
    if look.is_winning and width == size.width:
        last = x + size.width - (1 if size.height == 1 else 2)
        canvas.write(last if index_end <= last else x, y, WINNER_MARK, colours.star, bold=True)
    if size.height == 1:
        return
    right, bottom = x + size.width - 1, y + size.height - 1
    if look.footer:
        _paint_footer(canvas, x, bottom, width, look)
    if width < size.width:
        return
    edge_rows = size.height - 1 if len(look.footer) > size.width - 2 else size.height
    for row in range(edge_rows):
        canvas.write(right, y + row, "▕", edge)
    if size == LARGE:
        canvas.write(x + size.width // 2, y + size.height // 2, get_suit_sign(which), ink, bold=bold)
    if look.footer:
        return
    if size.height > 3:
        canvas.write(right - 1, bottom - 1, get_suit_sign(which), ink, bold=bold)
    canvas.write_right(right - 1, bottom, format_rank(which, canvas.faces), ink, bold=bold)


def _paint_index(canvas: Canvas, x: int, y: int, size: Size, which: Card, ink: str, *, bold: bool) -> int:
    """Paint rank and suit in the upper left corner of a card: below each other, or side by side in one line.

    Return the column after the first row.
    """
    end = canvas.write(x + 1, y, format_rank(which, canvas.faces), ink, bold=bold)
    if size.height == 1:
        return canvas.write(end, y, get_suit_sign(which), ink, bold=bold)
    canvas.write(x + 1, y + 1, get_suit_sign(which), ink, bold=bold)
    return end


def _choose_accent(canvas: Canvas, look: CardLook) -> str:
    """Return the ink of marks, footers and of the headgear of courts."""
    return canvas.theme.suits.dimmed[-1] if look.dimmed else canvas.theme.cards.star


def _paint_picture(canvas: Canvas, x: int, y: int, width: int, which: Card, look: CardLook, ink: str) -> None:
    """Paint what is between the edges of one of the largest cards: a court, or as many suit signs as its rank says.

    Only the first ``width`` columns are visible; less than half a court, or part of the suit signs, is left out. Of a
    court the headgear and the band in the middle have another ink. The last row is left out if the card has a footer.
    """
    sign, middle = get_suit_sign(which), (_CENTRE, HUGE.height // 2)
    courts = {} if canvas.faces is not FRENCH else _ASCII_COURTS if canvas.appearance.ascii else _COURTS
    court = courts.get(RANK[which])
    pips = [middle] if court else _PIPS.get(RANK[which], [middle])
    if width <= (_CENTRE if court else _RIGHT):
        return
    accent, height = _choose_accent(canvas, look), HUGE.height - 1 if look.footer else HUGE.height
    for row, line in enumerate((court or ())[:height]):
        canvas.write(x + 1, y + row, line[: width - 1], accent if row in _ACCENT_ROWS else ink)
    for column, row in pips:
        canvas.write(x + column, y + row, sign, ink, bold=court is not None)


def paint_count_chip(canvas: Canvas, x: int, y: int, suit: int, card_count: int) -> int:
    """Paint a chip that stands for ``card_count`` cards of a suit; return the next column."""
    theme, text = canvas.theme, f"{SUIT_SIGNS[suit]}×{card_count}"
    canvas.fill(x, y, len(text) + 1, 1, theme.cards.face)
    canvas.write(x, y, "▏", theme.cards.edge)
    return canvas.write(x + 1, y, text, theme.suits.face[suit], bold=True)


def _paint_footer(canvas: Canvas, x: int, y: int, width: int, look: CardLook) -> None:
    """Paint the word in the last row of a card of which ``width`` columns are visible."""
    theme = canvas.theme
    if look.is_mandatory:
        canvas.fill(x, y, width, 1, theme.inks.gold)
    ink = theme.grounds.panel if look.is_mandatory else _choose_accent(canvas, look)
    canvas.write(x + 1, y, look.footer[: width - 1], ink, bold=look.cursor or look.is_mandatory)


_BACK_PATTERNS: Final[Mapping[CardBack, str]] = {"crosses": "╳ ", "dots": "· ", "waves": "~", "plain": " "}


def paint_back(canvas: Canvas, x: int, y: int, size: Size, *, word: str = "", is_mandatory: bool = False) -> None:
    """Paint a card face down, with ``word`` in its middle.

    ``is_mandatory`` selects the red back of a pile from which the player has to draw.
    """
    theme = canvas.theme
    colours = theme.cards
    ground = colours.must_draw if is_mandatory else colours.back
    pattern = colours.must_draw_pattern if is_mandatory else colours.back_pattern
    canvas.fill(x, y, size.width, size.height, ground)
    signs = _BACK_PATTERNS[canvas.appearance.card_back] * size.width
    for row in range(1, size.height - 1):
        canvas.write(x + 1, y + row, signs[: size.width - 2], pattern)
    for row in range(size.height):
        canvas.write(x, y + row, "▏", pattern)
        canvas.write(x + size.width - 1, y + row, "▕", pattern)
    if word:
        middle = y + size.height // 2
        canvas.fill(x + 1, middle, size.width - 2, 1, ground)
        canvas.write(x + max((size.width - len(word)) // 2, 1), middle, word, theme.inks.text, bold=True)


def paint_back_strip(canvas: Canvas, x: int, y: int, width: int) -> None:
    """Paint one row from the middle of a card face down."""
    colours, signs = canvas.theme.cards, _BACK_PATTERNS[canvas.appearance.card_back] * width
    canvas.fill(x, y, width, 1, colours.back)
    canvas.write(x, y, f"▏{signs[: width - 2]}▕", colours.back_pattern)


def paint_suit_token(canvas: Canvas, x: int, y: int, width: int, suit: int) -> None:
    """Paint a suit as a large token, three rows high."""
    canvas.fill(x, y, width, 3, canvas.theme.cards.face)
    canvas.write(x + width // 2, y + 1, SUIT_SIGNS[suit], canvas.theme.suits.face[suit], bold=True)


def paint_empty_pile(canvas: Canvas, x: int, y: int, size: Size, word: str) -> None:
    canvas.fill(x, y, size.width, size.height, canvas.theme.cards.empty)
    canvas.write_centred(x + size.width // 2, y + size.height // 2, word, canvas.theme.inks.muted)


NO_GROUPS: Final[Mapping[Card, int]] = {}


class CardPosition(msgspec.Struct, frozen=True):
    """Horizontal position of a card in a fan."""

    card: Card
    x: int
    shown_columns: int
    """Number of visible columns; 0 for all of them."""


def compute_window(card_count: int, width: int, size: Size, cursor_index: int) -> tuple[int, int]:
    """Return the range (start, end) of a hand of ``card_count`` cards that is legible in ``width`` columns.

    The range contains all cards if they fit, otherwise those around ``cursor_index``, with room for a number at both
    ends.
    """
    step = size.width if size.height == 1 else MIN_STEP
    max_cards = (width - 2 - size.width) // step + 1
    if card_count <= max_cards:
        return 0, card_count
    max_cards -= -(-2 * COUNT_WIDTH // step)
    start = centre_window(cursor_index, max_cards, card_count)
    return start, start + max_cards


def compute_fan(
    cards: Sequence[Card], width: int, size: Size, *, gaps: bool, groups: Mapping[Card, int] = NO_GROUPS
) -> list[CardPosition]:
    """Return the positions of the cards of a hand, centred in ``width`` columns with a margin of one column.

    Cards overlap as far as necessary; identical ones always do. ``gaps`` separates the suits if the width permits.
    If there are ``groups``, numbers of some of the cards, these groups and the rest are separated instead.
    """
    if not cards:
        return []
    equal_pairs = [NAME[a] == NAME[b] for a, b in pairwise(cards)]
    room, steps = width - 2 - size.width, len(equal_pairs) - sum(equal_pairs)
    least = EQUAL_STEP[size] * sum(equal_pairs)
    step = size.width + 1
    if steps:
        step = min(step, (room - least) // steps)
    if step == size.width and size.height > 1:
        step -= 1
    sections = [groups.get(card) for card in cards] if groups else [SUIT[card] for card in cards]
    breaks = sum(a != b for a, b in pairwise(sections)) if gaps else 0
    gap = min(2, (room - steps * step - least) // breaks) if breaks and (groups or step < size.width) else 0
    x = 1 + (room - steps * step - least - breaks * gap) // 2
    positions = []
    for i, which in enumerate(cards):
        ends_section = gap and i < len(equal_pairs) and sections[i + 1] != sections[i]
        is_equal = i < len(equal_pairs) and equal_pairs[i]
        reach = EQUAL_STEP[size] if is_equal else step + gap if ends_section else step
        shown_columns = 0 if i == len(equal_pairs) or reach > size.width else reach % size.width
        positions.append(CardPosition(which, x, shown_columns))
        x += reach
    return positions


def paint_text(
    canvas: Canvas,
    x: int,
    y: int,
    text: str,
    ink: str,
    *,
    bold: bool = False,
    max_width: int = 10_000,
    suits: tuple[str, ...] | None = None,
) -> int:
    """Write text in which cards in notation (``QS``) and suit signs have the colours of their suits.

    The text is clipped to ``max_width`` columns. ``suits`` replaces the usual suit colours. Returns the next column.
    """
    inks, end = suits or canvas.theme.suits.panel, x + max_width
    for part in split_cards(text):
        if not isinstance(part, str):
            x = canvas.write(x, y, format_card(part)[: max(end - x, 0)], inks[SUIT[part]], bold=True)
            continue
        for index, run in enumerate(_SUIT.split(part)):
            colour = inks[SUIT_SIGNS.index(run)] if index % 2 else ink
            x = canvas.write(x, y, run[: max(end - x, 0)], colour, bold=bold)
    return x


def measure_text(text: str) -> int:
    """Return the displayed width, in columns, of a text with cards in notation."""
    return cell_len(insert_suit_signs(text))


def split_words(text: str, width: int) -> tuple[str, str]:
    """Split a text with cards in notation between words into the part that fits into ``width`` columns and the rest."""
    words = text.split()
    number = len(words)
    while number and measure_text(" ".join(words[:number])) > width:
        number -= 1
    return " ".join(words[:number]), " ".join(words[number:])


def shorten_text(text: str, width: int) -> str:
    """Shorten a text with cards in notation to ``width`` columns, with an ellipsis in place of the last words.

    The first word always stays whole.
    """
    if measure_text(text) <= width:
        return text
    fitting, rest = split_words(text, width - 1)
    return (fitting or rest.split()[0]) + ELLIPSIS
