"""What lies on the mat in Rummy: combinations in two columns by owner, the stock, the face-up pile as a fan."""

from collections.abc import Sequence
from typing import Final

from cardtable.engine.cards import RANK, SUIT, Card
from cardtable.engine.contract import Seat
from cardtable.games.rummy.rules.actions import ADD, STOCK, TAKE, Add, Take
from cardtable.games.rummy.rules.combinations import IN_ORDER
from cardtable.games.rummy.rules.view import RummyView
from cardtable.ui.draw import card_faces
from cardtable.ui.draw.canvas import Canvas, Lain
from cardtable.ui.draw.card_faces import CHIP, FULL, LARGE, LEAST_STEP, SMALL, CardLook, Size
from cardtable.ui.draw.layout import Box, Layout
from cardtable.ui.kit import moving
from cardtable.ui.kit.piece import Names
from cardtable.ui.kit.pointing import PointAction, PointCard, Pointed
from cardtable.wording.cards import label
from cardtable.wording.words import YOU

STEP: Final = 4
"""Columns from one card of a combination to the next."""
BRIEF: Final = 12
"""Columns of a combination that is told in a word."""
_HIGH: Final = 30
"""Rows of a mat that has room for the largest cards."""


def paint(canvas: Canvas, grid: Layout, view: RummyView, pointed: Pointed, names: Names) -> None:
    """Everything on the mat."""
    mat, inks = grid.laid_mat, canvas.theme.inks
    size = pile_card(grid)
    top = mat.bottom - size.height - grid.large
    left, head = (mat.x + 1, mat.y) if grid.tiny else (mat.x + 2, mat.y + 1)
    first, across = head + 1 + grid.large, mat.width // 2
    for x, seat in ((left, view.seat), (left + across, 1 - view.seat)):
        end = canvas.text(x, head, "Yours" if names[seat] == YOU else f"{names[seat]}'s", inks.text, bold=True)
        canvas.text(end + 1, head, str(view.laid[seat]), inks.muted)
        box = Box(x, first, mat.right - left - across, top - 1 - first)
        _paint_combinations(canvas, box, view, seat, pointed, most=size)
    _paint_stock(canvas, left, top, size, view, at=pointed.action == STOCK)
    start = left + size.width + 3
    _paint_pile(canvas, Box(start, top, mat.right - start, size.height), size, view, pointed)


def pile_card(grid: Layout) -> Size:
    """The size of the cards of the piles: a step smaller than in the hand, where a mat is not very high."""
    if grid.card is LARGE and grid.mat.height >= _HIGH:
        return LARGE
    return {LARGE: FULL, FULL: SMALL}.get(grid.card, CHIP if grid.tiny else SMALL)


def _paint_combinations(canvas: Canvas, box: Box, view: RummyView, seat: Seat, pointed: Pointed, *, most: Size) -> None:
    """The combinations of a seat, smaller than ``most``: as the longer column of the two allows."""
    own = [number for number, owner in enumerate(view.owners, 1) if owner == seat]
    longest = max(map(view.owners.count, view.owners), default=0)
    fit = [size for size in (FULL, SMALL, CHIP) if longest * (size.height + 1) - 1 <= box.height]
    size = next((size for size in fit if size.height < most.height), CHIP)
    pitch = size.height + 1 if size in fit else 1
    brief = longest > box.height
    for i, number in enumerate(own):
        column, row = divmod(i, box.height) if brief else (0, i * pitch)
        place = Box(box.x + column * BRIEF, box.y + row, BRIEF if brief else box.width, size.height)
        if place.right <= box.right:
            _paint_combination(canvas, place, size, view, number, pointed, brief=brief)


def _paint_combination(
    canvas: Canvas, box: Box, size: Size, view: RummyView, number: int, pointed: Pointed, *, brief: bool
) -> None:
    """A combination and its number, which is bold if the card in question fits."""
    inks = canvas.theme.inks
    boxed = pointed.action if pointed.in_box and isinstance(pointed.action, Add) else None
    card = boxed.card if boxed else pointed.at
    fits = card is not None and ADD[number][card] in view.legal
    chosen = boxed is not None and boxed.number == number
    indent = len(str(len(view.table))) + 1
    canvas.right(
        box.x + indent - 2, box.y, str(number), inks.gold if chosen else inks.text if fits else inks.muted, bold=fits
    )
    cards, x = IN_ORDER[view.table[number - 1]], box.x + indent
    if brief:
        _paint_brief(canvas, x, box.y, cards)
    else:
        covered = box.width - indent - (size.width if size.height > 1 else STEP + 1)
        _paint_strip(canvas, x, box.y, size, _shortened(cards, covered // STEP + 1))
    if fits and card is not None:
        canvas.spot(box.x, box.y, box.width, size.height, PointAction(ADD[number][card]))


def _paint_brief(canvas: Canvas, x: int, y: int, cards: Sequence[Card]) -> None:
    """A sequence by its ends, a group by its rank and suits."""
    theme = canvas.theme
    told = f"{label(cards[0])}–{label(cards[-1])}"
    if RANK[cards[0]] == RANK[cards[-1]]:
        told = card_faces.rank(cards[0]) + "".join(map(card_faces.glyph, cards))
    canvas.fill(x, y, len(told) + 2, 1, theme.cards.face)
    canvas.text(x, y, "▏", theme.cards.edge)
    end = card_faces.words(canvas, x + 1, y, told, theme.suits.face[SUIT[cards[0]]], bold=True, suits=theme.suits.face)
    canvas.text(end, y, "▕", theme.cards.edge)


def _shortened(cards: Sequence[Card], most: int) -> list[Card | str]:
    """The cards, or of more than ``most`` those at both ends and between them how many are left out."""
    if len(cards) <= most:
        return list(cards)
    end = (most - 1) // 2
    start = most - 1 - end
    return [*cards[:start], f"+{len(cards) - start - end}", *cards[-end:]]


def _paint_strip(canvas: Canvas, x: int, y: int, size: Size, cards: Sequence[Card | str]) -> None:
    """Cards of a combination, each covered by the next one; a text stands for those that are left out."""
    colours = canvas.theme.cards
    for i, which in enumerate(cards):
        last = i == len(cards) - 1
        if isinstance(which, str):
            canvas.fill(x, y, STEP, size.height, colours.face)
            canvas.text(x, y, "▏", colours.edge)
            canvas.text(x + 1, y, which, colours.star)
        else:
            card_faces.card(canvas, x, y, size, which, shown=0 if last else STEP)
            if last and size is CHIP:
                edge = x + max(STEP - 1, len(label(which)) + 1)
                canvas.text(edge, y, "▕", colours.edge, ground=colours.face)
        x += STEP


def _paint_stock(canvas: Canvas, x: int, y: int, size: Size, view: RummyView, *, at: bool) -> None:
    """The face-down pile with the number of its cards; lifted while the cursor is on it."""
    canvas.lain[moving.STOCK] = Lain(x, y, size.width, size.height)
    if not view.stock:
        card_faces.empty(canvas, x, y, size, "empty" if size.width > len("empty") else "–")
        return
    card_faces.back(canvas, x, y - at, size, word=str(view.stock))
    if at:
        canvas.text(x, y + size.height - 1, "▲ stock", canvas.theme.inks.gold, bold=True)
    if STOCK in view.legal:
        canvas.spot(x, y - at, size.width, size.height + at, PointAction(STOCK))


def _paint_pile(canvas: Canvas, box: Box, size: Size, view: RummyView, pointed: Pointed) -> None:
    """The face-up pile, its top card at the right; those that would be taken are lifted.

    Of more cards than there is room for those around the deepest to be taken are shown.
    """
    inks, number = canvas.theme.inks, len(view.pile)
    if not number:
        return
    depth = pointed.action.number if isinstance(pointed.action, Take) else 0
    start, end = card_faces.window(number, box.width + 2, size, number - max(depth, 1))
    step = _step(end - start, box.width, size)
    x = box.x
    if start:
        canvas.text(x, box.y, f"‹{start}", inks.muted)
        x += card_faces.COUNT_WIDTH
    for i in range(start, end):
        number_from_top = number - i
        lifted = number_from_top <= depth
        may = TAKE[number_from_top] in view.legal
        look = CardLook(cursor=number_from_top == depth, dimmed=depth > 0 and not may and not lifted)
        shown = 0 if i == end - 1 else step % size.width
        card_faces.card(canvas, x, box.y - lifted, size, view.pile[i], look, shown=shown)
        if number_from_top == depth:
            told = f"▲ take {depth}"
            short = x + len(told) > box.right
            canvas.text(x + 1, box.y + size.height - 1, f"▲ {depth}" if short else told, inks.gold, bold=True)
        target = PointAction(TAKE[number_from_top]) if may else PointCard(view.pile[i])
        canvas.spot(x, box.y - lifted, shown or size.width, size.height + lifted, target)
        x += step
    if end < number:
        canvas.text(x - step + size.width, box.y, f"{number - end}›", inks.muted)


def _step(number: int, width: int, size: Size) -> int:
    """Columns from one card of the pile to the next."""
    if size is CHIP:
        return size.width
    wide = LEAST_STEP + (size is FULL)
    return wide if (number - 1) * wide + size.width <= width else LEAST_STEP
