"""Default game view, for games that do not define one: it uses nothing but the common interface of games."""

from collections.abc import Iterator, Sequence
from typing import Final, TypeAlias

from msgspec.structs import replace

from cardtable.engine.card_order import sort_in_order
from cardtable.engine.cards import BIT, Card, Cards, iter_cards
from cardtable.engine.game import Event, Game, Seat, State, V, View, Zone
from cardtable.engine.secret_choices import has_chosen
from cardtable.engine.text_format import format_count
from cardtable.engine.tricks import Play, TrickView
from cardtable.robots.kit.hint_spec import YOURSELF, format_action
from cardtable.ui.game_view import motion, trick_game
from cardtable.ui.game_view.decision import Decision, Option, create_bid_row, create_list_decision
from cardtable.ui.game_view.game_view import (
    GameView,
    HeaderFacts,
    Row,
    SeatPlate,
    Section,
    count_hand,
    find_winning_index,
)
from cardtable.ui.game_view.hand_cursor import NO_CURSOR, CursorState, PointCard, find_matching_actions, to_first_copy
from cardtable.ui.toolkit.painting import card_faces
from cardtable.ui.toolkit.painting.canvas import Canvas, CardBounds, truncate
from cardtable.ui.toolkit.painting.card_faces import CHIP, FULL, HUGE, LARGE, MIN_STEP, SMALL, Size
from cardtable.ui.toolkit.painting.layout import Box, Layout, choose_trick_card_size, compute_trick_positions
from cardtable.wording.formatting import format_number, join_or
from cardtable.wording.players import Names, format_side, format_zone_label, format_zone_summary, sort_own_side_first

TAKEN: Final = "taken"
"""Name of the zone with the scoring cards that a seat has taken."""
_STOCKS: Final = ("stock", "blind")
"""Names of the zones from which cards are drawn."""
_PILES: Final = ("pile", "stack")
_GAP: Final = 2
"""Width of the gap between the boxes of two zones, in columns."""


def paint_zones(
    canvas: Canvas, layout: Layout, game: Game[State[View], V], view: V, names: Names, pointed: CursorState = NO_CURSOR
) -> None:
    """Paint a labelled box for each zone on the table, with cards of the largest size that fits.

    Cards that can be chosen are targets of the mouse, and those under the cursor and the chosen ones are marked.

    If the boxes do not fit with any size, zones with a summary of which no card can be chosen are painted as texts
    below the others, as are those without cards anyway. If that does not fit either, each zone is painted as a line,
    those in the middle of the table first.
    """
    labelled = _list_labelled_zones(game, view, names, pointed)
    empty = [(zone, label) for zone, label in labelled if zone.summary and not zone.cards]
    summarized = [(zone, label) for zone, label in labelled if zone.summary and not _has_choice(zone, pointed)]
    largest = choose_trick_card_size(layout, len(view.totals))
    sizes = [size for size in (HUGE, LARGE, FULL, SMALL) if size.height <= largest.height]
    for texts in (empty, summarized):
        boxed = [zone for zone in labelled if zone not in texts]
        for size in sizes:
            if _paint_boxes(canvas, layout, size, boxed, texts, pointed):
                return
    lines = sorted(labelled, key=lambda line: (not _has_choice(line[0], pointed), line[0].seat is not None))
    step = 2 if 2 * len(lines) <= layout.mat.height else 1
    for y, line in zip(range(layout.mat.y + step - 1, layout.mat.bottom + 1, step), lines, strict=False):
        _paint_line(canvas, Box(layout.mat.x + 2, y, layout.mat.width - 3, 1), line, pointed)


LabelledZone: TypeAlias = tuple[Zone, str]


def _list_labelled_zones(game: Game[State[View], V], view: V, names: Names, pointed: CursorState) -> list[LabelledZone]:
    """Return the zones on the table beside hands and trick, and those with cards to choose, each with its label."""
    zones = [
        zone
        for zone in game.scene(view)
        if _has_choice(zone, pointed) or (zone.name not in ("hand", "trick") and _is_shown(zone))
    ]
    titles = [format_zone_label(zone) + ("" if zone.seat is None else f", {names[zone.seat]}") for zone in zones]
    return [
        (zone, f"{label} {len(zone.cards)}" if _count_hidden(zone) else label)
        for label, zone in zip(titles, zones, strict=True)
    ]


def _paint_line(canvas: Canvas, box: Box, line: LabelledZone, pointed: CursorState) -> None:
    """Paint a zone in one row: its label, then its cards, or its summary if they do not fit."""
    zone, label = line
    x = canvas.write(box.x, box.y, label, canvas.theme.inks.muted) + 2
    room, seen = box.right + 1 - x, len(zone.cards) - _count_hidden(zone)
    if zone.summary and not _has_choice(zone, pointed) and not 0 < seen * CHIP.width <= room:
        canvas.write(x, box.y, truncate(format_zone_summary(zone), room), canvas.theme.inks.text)
    else:
        _paint_cards(canvas, Box(x, box.y, room, 1), CHIP, zone, pointed)


def _paint_beside_trick(canvas: Canvas, layout: Layout, seats: int, lines: Sequence[LabelledZone]) -> None:
    """Paint zones in the rows left of the cards of the trick.

    Zones in the middle of the table choose their rows before those of seats, and wide ones before narrow ones.
    """
    mat, height = layout.mat, choose_trick_card_size(layout, seats).height
    positions, rooms = compute_trick_positions(layout, seats), dict[int, int]()
    for y in range(mat.y, mat.bottom + 1):
        cards = [x for x, top in positions if top <= y < top + height]
        rooms[y] = min([*cards, mat.right]) - mat.x - 2
    for line in sorted(lines, key=lambda line: (line[0].seat is not None, -_compute_min_width(line))):
        row = next((y for y, room in rooms.items() if room >= _compute_min_width(line)), None)
        if row is not None:
            _paint_line(canvas, Box(mat.x + 1, row, rooms.pop(row), 1), line, NO_CURSOR)


def _compute_min_width(line: LabelledZone) -> int:
    """Return the columns of a zone in one row: its label, and room for a card if one is seen."""
    zone, label = line
    return len(label) + (2 + CHIP.width if zone.summary or len(zone.cards) > _count_hidden(zone) else 0)


def _has_choice(zone: Zone, pointed: CursorState) -> bool:
    return any(card is not None and pointed.table & BIT[card] for card in zone.cards)


def _paint_boxes(
    canvas: Canvas,
    layout: Layout,
    size: Size,
    boxed: Sequence[LabelledZone],
    texts: Sequence[LabelledZone],
    pointed: CursorState,
) -> bool:
    """Paint zones as boxes with cards of this size, and below them those of ``texts`` as lines with their summary.

    Returns False, and paints nothing, if they do not fit.
    """
    mat = layout.mat
    boxes = list(_iter_zone_boxes(layout, size, [zone for zone, _ in boxed], [label for _, label in boxed]))
    rows = (boxes[-1].bottom + 1 if boxes else 0) + len(texts)
    if boxes and texts:
        rows += 1  # between boxes and lines
    if rows > mat.height:
        return False
    top = mat.y if layout.tiny else (mat.y + mat.bottom + 1 - rows) // 2
    for (zone, label), box in zip(boxed, boxes, strict=True):
        canvas.write(box.x, top + box.y, label, canvas.theme.inks.muted)
        _paint_cards(canvas, Box(box.x, top + box.y + 1, box.width, size.height), size, zone, pointed)
    for y, (zone, label) in enumerate(texts, top + rows - len(texts)):
        x = canvas.write(mat.x + 2, y, label, canvas.theme.inks.muted) + 1
        canvas.write(x, y, truncate(format_zone_summary(zone), mat.right - x), canvas.theme.inks.text)
    return True


def _is_shown(zone: Zone) -> bool:
    """Return True if the zone is painted on the mat.

    A zone with cards is painted unless a seat has taken them; an empty zone only if it is a stock or a pile, or has a
    summary.
    """
    if zone.cards:
        return zone.name != TAKEN or zone.seat is None
    return bool(zone.summary) or zone.name in (*_STOCKS, *_PILES)


def _count_hidden(zone: Zone) -> int:
    return zone.cards.count(None)


def _iter_zone_boxes(layout: Layout, size: Size, zones: Sequence[Zone], labels: Sequence[str]) -> Iterator[Box]:
    """Yield a box for each zone, including the row of its label, from left to right in as many rows as needed.

    The rows of the boxes are relative, counted from 0; the columns are columns of the canvas.
    """
    left = max(layout.mat.x + 2, layout.mat.centre[0] - 2 * size.width - _GAP)
    x, y = left, 0
    for zone, label in zip(zones, labels, strict=True):
        cards = len(zone.cards) - _count_hidden(zone)
        least, width = max(len(label), size.width), max(len(label), size.width + MIN_STEP * max(cards - 1, 0))
        if x > left and x + min(width, least + 2 * MIN_STEP) > layout.mat.right:
            x, y = left, y + size.height + 2
        width = min(width, layout.mat.right - x)
        yield Box(x, y, width, size.height + 1)
        x += width + _GAP


def _paint_cards(canvas: Canvas, box: Box, size: Size, zone: Zone, pointed: CursorState) -> None:
    """Paint as many of the last face-up cards as fit, of which only the topmost is whole.

    If the card under the cursor is among the others, the cards from it on are painted. If no card is face up, paint the
    back of a card, or an empty place if the zone has no cards.
    """
    if zone.name in _STOCKS:
        canvas.card_bounds[motion.STOCK] = CardBounds(box.x, box.y, size.width, size.height)
    seen: list[Card] = [card for card in zone.cards if card is not None]
    step = size.width if size is CHIP else MIN_STEP
    room = max((box.width - size.width) // step + 1, 1)
    first = max(len(seen) - room, 0)
    if pointed.at in seen and not pointed.in_box:
        first = min(first, seen.index(pointed.at))
    shown_cards = seen[first : first + room]
    for i, card in enumerate(shown_cards):
        last = i == len(shown_cards) - 1
        x, has_cursor = box.x + i * step, card == pointed.at and not pointed.in_box
        look = card_faces.CardLook(cursor=has_cursor)
        card_faces.paint_card(canvas, x, box.y, size, card, look, shown_columns=0 if last else step % size.width)
        if pointed.table & BIT[card]:
            canvas.add_hit_box(x, box.y, size.width if last else step, size.height, PointCard(to_first_copy(card)))
        if pointed.chosen & BIT[card] or has_cursor:
            mark = "●" if pointed.chosen & BIT[card] else "▲"
            canvas.write(x, box.y, mark, canvas.theme.inks.gold, bold=True)
    if shown_cards or size is CHIP:
        return
    if zone.cards:
        card_faces.paint_back(canvas, box.x, box.y, size)
    else:
        card_faces.paint_empty_pile(canvas, box.x, box.y, size, "–")


class DefaultView(GameView[V]):
    """Game view of a game that does not define one."""

    def __init__(self, game: Game[State[View], V]) -> None:
        self.game: Final = game

    def header(self, view: V) -> HeaderFacts:
        rounds = f" of {view.options.rounds}" if view.options.rounds else ""
        trick = self.game.trick(view) if view.playing else None
        round_text, tricks = f"round {view.round}{rounds}", ""
        if isinstance(view, TrickView) and not view.stock_size:  # the last card of the stock tells the number of tricks
            tricks = f" of {view.complete_tricks + max(view.sizes)}"
        if trick is None or (trick.number == 1 and not trick.lying):
            return HeaderFacts(round_text)
        return HeaderFacts(round_text, (f"trick {trick.number}{tricks}",))

    def plate(self, view: V, seat: Seat) -> SeatPlate:
        """Return the contents of a seat's plate.

        The fact is the number of tricks won, against the bid if there are bids, or else the number of cards in hand.
        The role is dealer or declarer, else "partner".
        """
        bids, special = self.game.bids(view), self.game.dealer_or_declarer(view)
        partner = seat != view.seat and any({seat, view.seat} <= {*side} for side in self.game.sides_of(view))
        role = special[0] if special and special[1] == seat else "partner" if partner else ""
        taken = [zone.cards for zone in self.game.scene(view) if zone.name == TAKEN and zone.seat == seat]
        seen = [card for zone in taken for card in zone if card is not None]
        cards = tuple(sort_in_order(seen, self.game.card_order(view)))
        if bids is not None:
            made = bids.made[seat]
            if made is None:
                return SeatPlate("bid ?" if seat == view.turn else "", role, cards)
            if None in bids.made:
                return SeatPlate(f"bids {made}", role, cards, own=f"bid {made}")
            return SeatPlate(f"{bids.won[seat]} of {made}", role, cards)
        if isinstance(view, TrickView):
            return SeatPlate(format_count(view.won[seat], "trick"), role, cards)
        return SeatPlate(format_count(count_hand(self.game, view, seat), "card"), role, cards)

    def sections(self, view: V, names: Names) -> tuple[Section, ...]:
        """Return the contract, a table of bids, tricks and totals by seat, and in games with partners the totals by
        side.
        """
        sides = sort_own_side_first(self.game.sides_of(view), view.seat)
        columns: list[tuple[str, list[str]]] = []
        if bids := self.game.bids(view):
            columns.append(("bid", ["–" if bid is None else str(bid) for bid in bids.made]))
        if isinstance(view, TrickView):
            columns.append(("won" if self.game.exact_bids else "tricks", [str(won) for won in view.won]))
        totals: tuple[Section, ...] = ()
        if len(sides) < len(names):
            sums = [(format_side(names, side), side) for side in sides]
            rows = [Row(label, (format_number(view.totals[side[0]]),), own=view.seat in side) for label, side in sums]
            totals = (Section(rows=(Row("", ("total",), heading=True), *rows)),)
        else:
            columns.append(("total", [format_number(total) for total in view.totals]))
        named = self.game.contract(view)
        contract = (Section(named.format_words(self.game.about.faces)),) if named else ()
        return (*contract, *_create_seat_table(columns, view, names), *totals)

    def prompt(self, view: V, pointed: CursorState) -> tuple[str, ...]:
        """Return the prompt for the legal actions.

        If only cards can be played to a trick, it names the suit to follow, otherwise the kinds of actions.
        """
        if isinstance(view, TrickView) and all(isinstance(action, Play) for action in view.legal):
            return trick_game.format_follow_prompt(view, "", self.game.about.faces)
        if requirement := self.game.describe_selection(view):
            return _format_selection_prompt(requirement, view, pointed.chosen)
        bids = self.game.bids(view)
        verbs = list(dict.fromkeys(action.verb for action in view.legal))
        if bids and None in bids.made and not any(action.cards_used() for action in view.legal):
            return ("Your bid.",)
        if len(view.legal) == 1 and not view.legal[0].cards_used():
            return (f"{view.legal[0].verb.capitalize()}.",)
        is_choice = len(verbs) == 1 and not view.legal[0].cards_used()
        return ("Your choice." if is_choice else f"{join_or(verbs).capitalize()}.",)

    def middle(self, canvas: Canvas, layout: Layout, view: V, pointed: CursorState, names: Names) -> None:
        """Paint the trick and the zones; in a small terminal, the contract above them.

        Zones are large in games without tricks, while cards of the table are chosen, and before the first lead.
        """
        if layout.tiny and (named := self.game.contract(view)):
            trick_game.paint_contract_line(canvas, layout, named.format_words(self.game.about.faces), "")
            mat = layout.mat
            layout = replace(layout, mat=Box(mat.x, mat.y + 1, mat.width, mat.height - 1))
        zones = _list_labelled_zones(self.game, view, names, pointed)
        begun = isinstance(view, TrickView) and (any(view.played) or not zones)
        if isinstance(view, TrickView) and self.game.trick(view) and begun and not pointed.table:
            trick_game.paint_trick(canvas, layout, view, find_winning_index(self.game, view))
            _paint_beside_trick(canvas, layout, len(view.totals), zones)
        else:
            paint_zones(canvas, layout, self.game, view, names, pointed)

    def decision(self, view: V, names: Names) -> Decision | None:
        """Return the box with all legal actions that use no cards; ``None`` if there are none.

        Bids are arranged in a grid, in which the cursor starts near an equal share of the tricks.
        """
        actions = [action for action in view.legal if not action.cards_used()]
        if (bids := self.game.bids(view)) and actions and all(action.amount is not None for action in actions):
            share = bids.cards / len(bids.made)
            near = min(range(len(actions)), key=lambda i: abs((actions[i].amount or 0) - share))
            numbers = tuple([Option(action.notation, action, number=action.amount) for action in actions])
            return create_bid_row(numbers, near, cards_first=len(actions) < len(view.legal))
        if not actions:
            return None
        pronouns = YOURSELF._replace(names=names)
        options = tuple([Option(format_action(action, pronouns), action) for action in actions])
        return create_list_decision("Your choice", options, cards_first=len(actions) < len(view.legal))

    def order(self, view: V) -> list[Card]:
        """Return the cards of the hand, without those of a secret choice if the scene shows them elsewhere."""
        order = self.game.card_order(view)
        if not has_chosen(view, view.seat):
            return sort_in_order(iter_cards(view.hand), order)
        hand_zones = [zone.cards for zone in self.game.scene(view) if zone.name == "hand" and zone.seat == view.seat]
        return sort_in_order([card for zone in hand_zones for card in zone if card is not None], order)

    def previous_trick(self, view: V) -> V | None:
        return trick_game.get_previous_trick(view) if isinstance(view, TrickView) else None

    def intermediate_views(self, event: Event, before: V, after: V) -> tuple[V, ...]:
        if isinstance(before, TrickView) and isinstance(after, TrickView):
            return trick_game.list_intermediate_views(event, before, after)
        return ()


def _create_seat_table(columns: Sequence[tuple[str, Sequence[str]]], view: View, names: Names) -> tuple[Section, ...]:
    """Return a section with a row for each seat, the viewing seat's first; nothing without columns.

    ``columns``: heading and values by seat of each column. There are none if partners take no tricks.
    """
    if not columns:
        return ()
    seats = [(view.seat + i) % len(names) for i in range(len(names))]
    rows = [Row(names[s], tuple([values[s] for _, values in columns]), own=s == view.seat) for s in seats]
    return (Section(rows=(Row("", tuple([head for head, _ in columns]), heading=True), *rows)),)


def _format_selection_prompt(requirement: str, view: View, chosen: Cards) -> tuple[str, ...]:
    """Return the prompt while a player selects several cards.

    It names the action that ``chosen`` makes, if there is one. Otherwise it is ``requirement``, which describes the
    cards to select, preceded by the number of missing cards if all matching actions need the same number.
    """
    if done := find_matching_actions(view.legal, chosen):
        return f"{format_action(done[0])}:", "press {play}"
    left = {
        (action.cards_used() & ~chosen).bit_count() for action in view.legal if action.cards_used() & chosen == chosen
    }
    if not chosen or len(left) > 1:
        return (requirement,)
    return f"{format_count(left.pop(), 'more card')}.", requirement
