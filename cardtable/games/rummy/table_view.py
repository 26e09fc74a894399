"""Table view of Rummy: draws, melds with their points, and the card that must be used."""

from collections.abc import Mapping, Sequence
from typing import Final

from cardtable.engine.cards import (
    BIT,
    CLUBS,
    DIAMONDS,
    HEARTS,
    RANK,
    SPADES,
    SUIT,
    Card,
    Cards,
    iter_cards,
    lowest,
    mask_of,
)
from cardtable.engine.game import Action, Seat
from cardtable.engine.text_format import format_count
from cardtable.games.rummy.rules import RummyView, list_hand_melds
from cardtable.games.rummy.rules.actions import ADD, STOCK, TAKE, Add, Drop, Meld, Take
from cardtable.games.rummy.rules.legal_turns import find_open_ends, iter_ways_to_lay
from cardtable.games.rummy.rules.melds import COMBINATION_POINTS, EXTENSIONS, ORDERED_CARDS, sum_points
from cardtable.ui.game_view import motion
from cardtable.ui.game_view.decision import Decision, Group, Option
from cardtable.ui.game_view.game_view import GameView, HeaderFacts, Row, SeatPlate, Section
from cardtable.ui.game_view.hand_cursor import CursorState, PointAction, PointCard
from cardtable.ui.toolkit.painting import card_faces
from cardtable.ui.toolkit.painting.canvas import Canvas, CardBounds
from cardtable.ui.toolkit.painting.card_faces import (
    CHIP,
    FIT_MARK,
    FULL,
    HUGE,
    LARGE,
    MELD_MARK,
    MIN_STEP,
    SMALL,
    CardLook,
    Size,
)
from cardtable.ui.toolkit.painting.layout import Box, Layout
from cardtable.wording.formatting import YOU, format_card, format_number, join_name_and_verb, join_or
from cardtable.wording.players import Names

CARD_STEP: Final = 4
"""Distance between two cards of a meld, in columns."""
BRIEF_WIDTH: Final = 12
"""Width of a meld in short form, in columns."""
_MIN_MAT_ROWS: Final[Mapping[Size, int]] = {LARGE: 30, HUGE: 34}
"""Smallest height, in rows, of a mat whose piles have cards as large as those in the hand."""
SUITS_IN_HAND: Final = (CLUBS, DIAMONDS, SPADES, HEARTS)
"""Order of the suits in the hand, from left to right, in alternating colours."""
MAX_NAMED_CARDS: Final = 4
"""Largest number of cards that are named one by one in a line of text."""


class RummyTableView(GameView[RummyView]):
    wide = True
    keys = (
        ("up", "action to the left; the pile"),
        ("down", "action to the right; the stock"),
        ("choose", "mark for a meld"),
        ("rub_out", "clear the marks"),
        ("0-9", "number of cards to take"),
        (MELD_MARK, "in a meld"),
        (FIT_MARK, "to lay off"),
    )

    def header(self, view: RummyView) -> HeaderFacts:
        return HeaderFacts(f"round {view.round}", before=(f"to {view.options.limit}",))

    def plate(self, view: RummyView, seat: Seat) -> SeatPlate:
        return SeatPlate(format_count(view.sizes[seat], "card"))

    def sections(self, view: RummyView, names: Names) -> tuple[Section, ...]:
        """Return the side sections: the points of each player if the round ended now, and the piles."""
        own, other = view.seat, 1 - view.seat
        counts = (
            Row("", ("melds", "hand", "pts"), heading=True),
            Row(names[own], (str(view.laid[own]), *_format_round_points(view)), own=True),
            Row(names[other], (str(view.laid[other]), "?", "?")),
        )
        piles = (
            Row("stock", (str(view.stock),)),
            Row("face-up pile", (str(len(view.pile)),)),
            Row("turn", (str(view.turns),)),
        )
        return Section("If it ended now", "", counts), Section("Piles", "", piles)

    def prompt(self, view: RummyView, pointed: CursorState) -> tuple[str, str]:
        """Return the prompt in two parts: the situation or choice, and what the player can do or what it scores."""
        if not view.drew:
            return _prompt_draw(view, pointed.action)
        action = pointed.action
        if isinstance(action, Add):
            return (
                f"{format_card(action.card)} on meld {action.number}:",
                f"{{play}} scores {compute_gain(view, action)}",
            )
        if isinstance(action, Meld) and pointed.in_box:
            return (
                f"{format_card(ORDERED_CARDS[action.combination][0])} first:",
                f"{{play}} scores {COMBINATION_POINTS[action.combination]}",
            )
        if pointed.chosen:
            return _prompt_chosen(view, pointed.chosen)
        if view.must is not None and view.must == pointed.at:
            verbs = "{play} marks its meld" if pointed.offer else _format_legal_verbs(view, BIT[view.must])
            return f"You must use {format_card(view.must)}:", verbs
        if pointed.offer:
            return f"Meld {_format_meld(view, pointed.offer)}?", "{play} marks them"
        if pointed.kind == "add" and pointed.at is not None:
            return f"{format_card(pointed.at)} fits several melds:", "{play} lists them"
        if isinstance(action, Drop):
            return f"Discard {format_card(action.card)}:", "a discard ends your turn"
        if not pointed.kind:
            drawn = self.drawn_card(view)
            if drawn is None or drawn != pointed.at:
                return "Choose a card:", "{down} this one, {left}{right} another"
            return f"You drew {format_card(drawn)}:", "{down} chooses it, {left}{right} another"
        return "Your turn:", _format_legal_verbs(view, view.hand)

    def middle(self, canvas: Canvas, layout: Layout, view: RummyView, pointed: CursorState, names: Names) -> None:
        """Paint the mat: the melds of both players, the stock and the face-up pile."""
        mat, inks = layout.laid_mat, canvas.theme.inks
        size = choose_pile_size(layout)
        margin = 1 if layout.large else 0
        top = mat.bottom - size.height - margin
        left, head = (mat.x + 1, mat.y) if layout.tiny else (mat.x + 2, mat.y + 1)
        first, across = head + 1 + margin, mat.width // 2
        if max(map(view.owners.count, view.owners), default=0) > 2 * (top - 1 - first):
            size, top = CHIP, mat.bottom - CHIP.height - margin
        for x, seat in ((left, view.seat), (left + across, 1 - view.seat)):
            owner = "Your" if names[seat] == YOU else f"{names[seat]}'s"
            end = canvas.write(x, head, f"{owner} melds", inks.text, bold=True)
            canvas.write(end + 1, head, str(view.laid[seat]), inks.muted)
            box = Box(x, first, mat.right - left - across, top - 1 - first)
            _paint_combinations(canvas, box, view, seat, pointed, max_size=size)
        _paint_stock(canvas, left, top, size, view, is_pointed=pointed.action == STOCK)
        start = left + size.width + 3
        _paint_pile(canvas, Box(start, top, mat.right - start, size.height), size, view, pointed)

    def decision(self, view: RummyView, _names: Names) -> Decision | None:
        """Return the depth of the draw, which is shown on the mat; ``None`` if nothing can be taken from the pile."""
        return None if view.drew else _make_draw_decision(view)

    def fitting_cards(self, view: RummyView) -> Cards:
        """Return the cards that can be laid off now, even if they are in a meld of the hand."""
        return mask_of({action.card for action in view.legal if isinstance(action, Add)})

    def bar(self, view: RummyView) -> Mapping[str, str]:
        kinds = {action.kind for action in view.legal}
        labels = {"stock": "Draw stock", "take": "Take pile", "meld": "Meld", "add": "Lay off", "drop": "Discard"}
        return {kind: label for kind, label in labels.items() if kind in kinds}

    def drawn_card(self, view: RummyView) -> Card | None:
        """Return the card drawn from the stock, or taken alone from the pile."""
        drawn = lowest(view.taken) if view.taken.bit_count() == 1 else view.drawn
        return drawn if view.drew and drawn is not None and BIT[drawn] & view.hand else None

    def order(self, view: RummyView) -> list[Card]:
        """Return the hand by suit, each suit from low to high; a drawn card, or the mandatory card, comes last."""
        last = (view.must, self.drawn_card(view))
        return sorted(iter_cards(view.hand), key=lambda c: (c in last, SUITS_IN_HAND.index(SUIT[c]), RANK[c]))

    def shortcut(self, view: RummyView, _hand: Sequence[Card], step: int) -> Action | None:
        """Return the draw from the stock for Down, or of the top card that can be taken for Up."""
        draws = [action for action in view.legal if isinstance(action, Take)]
        return (STOCK if STOCK in view.legal else None) if step > 0 else next(iter(draws), None)

    def next_round(self, view: RummyView, names: Names) -> tuple[Row, ...]:
        """Return rows about the next round: the player who starts, and the limit of the session."""
        assert view.first is not None
        starts = join_name_and_verb(names[(view.first + view.finished) % len(names)], "starts", "start")
        return Row(f"round {view.finished + 1}", (starts,)), Row("to", (str(view.options.limit),))

    def melds(self, view: RummyView) -> Sequence[Sequence[Card]]:
        return list_hand_melds(view)


def _format_round_points(view: RummyView) -> tuple[str, str]:
    """Return the points of the seat's hand, and of the round if it ended now.

    Both are ``?`` for a spectator, who sees no hand.
    """
    if not view.hand and view.sizes[view.seat]:
        return "?", "?"
    hand = sum_points(view.hand)
    return format_number(-hand), format_number(view.laid[view.seat] - hand)


def _format_legal_verbs(view: RummyView, cards: Cards) -> str:
    """Return the verbs of the actions that are legal with some of ``cards``, such as ``meld or discard``."""
    verbs = {type(action): action.verb for action in view.legal if action.cards_used() & cards}
    return join_or([verbs[kind] for kind in (Meld, Add, Drop) if kind in verbs])


def _prompt_draw(view: RummyView, action: Action | None) -> tuple[str, str]:
    if not isinstance(action, Take):
        return "Draw an unseen card from the stock.", ""
    deepest = view.pile[-action.number]
    if action.number == 1:
        return f"Take {format_card(deepest)}:", "can't be discarded this turn"
    partners = find_partners(view, action.number)
    use = f"meld {format_card(deepest)} with {format_cards(partners)}" if partners else f"use {format_card(deepest)}"
    return f"Take {action.number}:", f"you must {use}"


def find_partners(view: RummyView, number: int) -> list[Card]:
    """Return cards with which the deepest of the top ``number`` pile cards can be used, the fewest of them of the hand.

    Empty if the table suffices.
    """
    taken = sum([BIT[c] for c in view.pile[-number:]])
    helping = [
        cards
        for cards in iter_ways_to_lay(view.pile[-number], find_open_ends(view.table))
        if not cards & ~(view.hand | taken)
    ]
    fewest = min(helping, key=lambda cards: (cards & view.hand).bit_count(), default=0)
    return iter_cards(fewest & ~BIT[view.pile[-number]])


def _prompt_chosen(view: RummyView, chosen: Cards) -> tuple[str, str]:
    """Return the prompt for the cards chosen so far for a meld."""
    cards = _format_meld(view, chosen)
    melds = [action for action in view.legal if isinstance(action, Meld) and action.cards_used() == chosen]
    if melds:
        return f"{cards}:", f"{{play}} scores {max(COMBINATION_POINTS[meld.combination] for meld in melds)}"
    if any(isinstance(action, Meld) and not chosen & ~action.cards_used() for action in view.legal):
        return f"{cards}:", "choose more cards for a meld"
    return f"{cards}:", "no meld; {leave} clears it"


def _format_meld(view: RummyView, chosen: Cards) -> str:
    """Return chosen cards as text, in the order of the meld that they form: a low ace stands first."""
    melds = (action.combination for action in view.legal if isinstance(action, Meld) and action.cards_used() == chosen)
    return format_cards(next((list(ORDERED_CARDS[meld]) for meld in melds), iter_cards(chosen)))


def format_cards(cards: list[Card]) -> str:
    """Return cards as text; more than ``MAX_NAMED_CARDS`` are given by the first and the last."""
    if len(cards) > MAX_NAMED_CARDS:
        return f"{format_card(cards[0])}–{format_card(cards[-1])}"
    return " ".join(map(format_card, cards))


def compute_gain(view: RummyView, add: Add) -> int:
    """Return the points that a lay-off adds to its meld."""
    before = view.table[add.number - 1]
    return COMBINATION_POINTS[EXTENSIONS[before][add.card]] - COMBINATION_POINTS[before]


def choose_pile_size(layout: Layout) -> Size:
    """Return the card size for the stock and the pile.

    It is one step smaller than in the hand, unless the mat is very high.
    """
    if layout.card in _MIN_MAT_ROWS and layout.mat.height >= _MIN_MAT_ROWS[layout.card]:
        return layout.card
    return {HUGE: LARGE, LARGE: FULL, FULL: SMALL}.get(layout.card, CHIP if layout.tiny else SMALL)


def _paint_combinations(
    canvas: Canvas, box: Box, view: RummyView, seat: Seat, pointed: CursorState, *, max_size: Size
) -> None:
    """Paint the melds of a seat with cards smaller than ``max_size``, in short form if they do not fit otherwise.

    The size depends on the longer of the two columns of melds, so that both players' melds look alike.
    """
    own = [number for number, owner in enumerate(view.owners, 1) if owner == seat]
    longest = max(map(view.owners.count, view.owners), default=0)
    fit = [size for size in (LARGE, FULL, SMALL, CHIP) if longest * (size.height + 1) - 1 <= box.height]
    size = next((size for size in fit if size.height < max_size.height), CHIP)
    pitch = size.height + 1 if size in fit else 1
    brief = longest > box.height
    for i, number in enumerate(own):
        column, row = divmod(i, box.height) if brief else (0, i * pitch)
        bounds = Box(box.x + column * BRIEF_WIDTH, box.y + row, BRIEF_WIDTH if brief else box.width, size.height)
        if bounds.right <= box.right:
            _paint_combination(canvas, bounds, size, view, number, pointed, brief=brief)


def _paint_combination(
    canvas: Canvas, box: Box, size: Size, view: RummyView, number: int, pointed: CursorState, *, brief: bool
) -> None:
    """Paint a meld with its number, which is bold if the pointed card can be laid off on the meld.

    ``number`` counts the melds from 1 in the order in which they were melded.
    """
    inks = canvas.theme.inks
    card, add = pointed.at, pointed.action
    fits = card is not None and ADD[number][card] in view.legal
    chosen = isinstance(add, Add) and add.number == number
    indent = len(str(len(view.table))) + 1
    canvas.write_right(
        box.x + indent - 2, box.y, str(number), inks.gold if chosen else inks.text if fits else inks.muted, bold=fits
    )
    cards, x = ORDERED_CARDS[view.table[number - 1]], box.x + indent
    if brief:
        _paint_brief(canvas, x, box.y, cards)
    else:
        covered = box.width - indent - (size.width if size.height > 1 else CARD_STEP + 1)
        _paint_strip(canvas, x, box.y, size, _shorten(cards, covered // CARD_STEP + 1))
    if fits and card is not None:
        canvas.add_hit_box(box.x, box.y, box.width, size.height, PointAction(ADD[number][card]))


def _paint_brief(canvas: Canvas, x: int, y: int, cards: Sequence[Card]) -> None:
    """Paint a meld in short form: a sequence by its end cards, a group by its rank and suits."""
    theme = canvas.theme
    text = f"{format_card(cards[0])}–{format_card(cards[-1])}"
    if RANK[cards[0]] == RANK[cards[-1]]:
        text = card_faces.format_rank(cards[0]) + "".join(map(card_faces.get_suit_sign, cards))
    canvas.fill(x, y, len(text) + 2, 1, theme.cards.face)
    canvas.write(x, y, "▏", theme.cards.edge)
    end = card_faces.paint_text(
        canvas, x + 1, y, text, theme.suits.face[SUIT[cards[0]]], bold=True, suits=theme.suits.face
    )
    canvas.write(end, y, "▕", theme.cards.edge)


def _shorten(cards: Sequence[Card], max_cards: int) -> list[Card | str]:
    """Return at most ``max_cards`` items: all cards, or the cards of both ends and the number of those left out."""
    if len(cards) <= max_cards:
        return list(cards)
    end = (max_cards - 1) // 2
    start = max_cards - 1 - end
    return [*cards[:start], f"+{len(cards) - start - end}", *cards[-end:]]


def _paint_strip(canvas: Canvas, x: int, y: int, size: Size, cards: Sequence[Card | str]) -> None:
    """Paint the cards of a meld, each partly covered by the next; a string stands for omitted cards."""
    colours = canvas.theme.cards
    for i, item in enumerate(cards):
        last = i == len(cards) - 1
        if isinstance(item, str):
            canvas.fill(x, y, CARD_STEP, size.height, colours.face)
            canvas.write(x, y, "▏", colours.edge)
            canvas.write(x + 1, y, item, colours.star)
        else:
            card_faces.paint_card(canvas, x, y, size, item, shown_columns=0 if last else CARD_STEP)
            if last and size is CHIP:
                edge = x + max(CARD_STEP - 1, len(format_card(item)) + 1)
                canvas.write(edge, y, "▕", colours.edge, ground=colours.face)
        x += CARD_STEP


def _paint_stock(canvas: Canvas, x: int, y: int, size: Size, view: RummyView, *, is_pointed: bool) -> None:
    """Paint the face-down pile with its number of cards, lifted if the cursor is on it."""
    canvas.card_bounds[motion.STOCK] = CardBounds(x, y, size.width, size.height)
    if not view.stock:
        card_faces.paint_empty_pile(canvas, x, y, size, "empty" if size.width > len("empty") else "–")
        return
    lift = 1 if is_pointed else 0
    card_faces.paint_back(canvas, x, y - lift, size, word=str(view.stock))
    if is_pointed:
        canvas.write(x, y + size.height - 1, "▲ stock", canvas.theme.inks.gold, bold=True)
    if STOCK in view.legal:
        canvas.add_hit_box(x, y - lift, size.width, size.height + lift, PointAction(STOCK))


def _paint_pile(canvas: Canvas, box: Box, size: Size, view: RummyView, pointed: CursorState) -> None:
    """Paint the face-up pile, its top card at the right, with the cards that would be taken lifted.

    If there is too little room, the cards around the deepest of these are shown.
    """
    inks, number = canvas.theme.inks, len(view.pile)
    if not number:
        return
    depth = pointed.action.number if isinstance(pointed.action, Take) else 0
    start, end = card_faces.compute_window(number, box.width + 2, size, number - max(depth, 1))
    step = _compute_step(end - start, box.width, size)
    x = box.x
    if start:
        canvas.write(x, box.y, f"‹{start}", inks.muted)
        x += card_faces.COUNT_WIDTH
    for i in range(start, end):
        number_from_top = number - i
        lift = 1 if number_from_top <= depth else 0
        may = TAKE[number_from_top] in view.legal
        look = CardLook(cursor=number_from_top == depth, dimmed=depth > 0 and not may and not lift)
        columns = 0 if i == end - 1 else step % size.width
        card_faces.paint_card(canvas, x, box.y - lift, size, view.pile[i], look, shown_columns=columns)
        if number_from_top == depth:
            caption = f"▲ take {depth}"
            short = x + len(caption) > box.right
            canvas.write(x + 1, box.y + size.height - 1, f"▲ {depth}" if short else caption, inks.gold, bold=True)
        target = PointAction(TAKE[number_from_top]) if may else PointCard(view.pile[i])
        canvas.add_hit_box(x, box.y - lift, columns or size.width, size.height + lift, target)
        x += step
    if end < number:
        canvas.write(x - step + size.width, box.y, f"{number - end}›", inks.muted)


def _compute_step(number: int, width: int, size: Size) -> int:
    """Return the distance between two cards of the pile, in columns, for ``number`` cards in ``width`` columns."""
    if size is CHIP:
        return size.width
    wide = MIN_STEP + 1 if size is FULL else MIN_STEP
    return wide if (number - 1) * wide + size.width <= width else MIN_STEP


def _make_draw_decision(view: RummyView) -> Decision | None:
    takes = [action for action in view.legal if isinstance(action, Take)]
    if not takes:
        return None
    depths = [Option(str(action.number), action, number=action.number) for action in reversed(takes)]
    group = Group((Option("stock", STOCK), *depths), heading="take", single_shown=True)
    keys = (("up", "pile"),)
    return Decision("Draw", (group,), choose="number", commit="draw", keys=keys, on_mat=True)


TABLE_VIEW: Final = RummyTableView()
