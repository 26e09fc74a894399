"""Table view of Ten Down: the room, bids, tricks, the trump suit, and marks on identical cards."""

from typing import Final

from cardtable.engine.cards import COPY_OFFSET, NAME
from cardtable.engine.game import CardsTitle, Seat
from cardtable.engine.text_format import format_count
from cardtable.games.ten_down.rules import GAME, TenDownView
from cardtable.ui.game_view import trick_game
from cardtable.ui.game_view.decision import Decision
from cardtable.ui.game_view.game_view import HeaderFacts, Row, SeatPlate, Section, find_winning_index
from cardtable.ui.game_view.hand_cursor import CursorState
from cardtable.ui.game_view.trick_game import TrickTableView
from cardtable.ui.toolkit.painting import card_faces
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.painting.layout import Layout, choose_trick_card_size, compute_trick_positions
from cardtable.wording.formatting import SUIT_SIGNS
from cardtable.wording.players import Names


class TenDownTableView(TrickTableView[TenDownView]):
    keys = (("0-9", "your bid"),)

    def header(self, view: TenDownView) -> HeaderFacts:
        stake = view.options.stake
        room = (f"room {stake}", f"pot {stake * len(view.totals)}") if stake else (str(view.options.room),)
        return HeaderFacts(f"round {view.round} of {view.options.rounds}", room)

    def plate(self, view: TenDownView, seat: Seat) -> SeatPlate:
        return trick_game.create_plate(
            view, seat, "starts" if seat == view.first and trick_game.is_bidding(view) else ""
        )

    def sections(self, view: TenDownView, names: Names) -> tuple[Section, ...]:
        """Return the side sections: bids and tricks, and in a room with a stake the stake and the pot."""
        listed = trick_game.create_sections(view, names)
        stake = view.options.stake
        if stake:
            pot = Row("stake", (str(stake),)), Row("pot", (str(stake * len(view.totals)),))
            listed.append(Section(f"Room {stake}", rows=pot))
        return tuple(listed)

    def prompt(self, view: TenDownView, pointed: CursorState) -> tuple[str, ...]:
        """Return the prompt, with a line on two identical cards if the card at the cursor is one of them."""
        task, *reason = trick_game.format_prompt(view)
        at = None if pointed.in_box else pointed.at
        if at is not None and view.hand >> COPY_OFFSET + at & 1:
            return task, f"Your two {NAME[at]} are identical"
        if at in view.trick:
            return task, f"The {view.options.identical} {NAME[at]} is higher"
        return task, *reason

    def middle(self, canvas: Canvas, layout: Layout, view: TenDownView, _pointed: CursorState, _names: Names) -> None:
        """Paint the pack and the trump suit during the bidding, then the trick."""
        if trick_game.is_bidding(view):
            _paint_pack(canvas, layout, view)
            return
        card_faces.paint_text(
            canvas, layout.mat.x + 1, layout.mat.y, f"trump {_format_trump(view)}", canvas.theme.inks.muted
        )
        winning = find_winning_index(GAME, view)
        trick_game.paint_trick(canvas, layout, view, winning)
        _paint_copy_labels(canvas, layout, view, winning)

    def decision(self, view: TenDownView, _names: Names) -> Decision | None:
        return trick_game.create_bid_decision(view, GAME.explain_illegal(view, 0))

    def next_round(self, view: TenDownView, names: Names) -> tuple[Row, ...]:
        """Return rows about the next round: the number of cards, and the seat that begins."""
        cards = format_count(view.options.rounds - view.finished, "card")
        return Row(f"round {view.finished + 1}", (cards,)), Row("bids first", (names[view.finished % len(names)],))

    def upcoming_titles(self, view: TenDownView) -> list[CardsTitle]:
        """Return the title of each unfinished round; only the title of the current round has a trump suit."""
        titles = [CardsTitle(number) for number in range(view.options.rounds - view.finished, 0, -1)]
        if view.playing:
            titles[0] = CardsTitle(view.cards, view.trump)
        return titles


def _format_trump(view: TenDownView) -> str:
    return "" if view.trump is None else SUIT_SIGNS[view.trump]


def _paint_copy_labels(canvas: Canvas, layout: Layout, view: TenDownView, winning: int | None) -> None:
    """Label identical cards of the trick as first and second, and mark the one that is winning."""
    seats, size, inks = len(view.totals), choose_trick_card_size(layout), canvas.theme.inks
    positions = compute_trick_positions(layout, seats)
    for i, card in enumerate(view.trick):
        if view.trick.count(card) == 2:
            x, y = positions[(view.leader + i - view.seat) % seats]
            word = "second" if card in view.trick[:i] else "first"
            wins = i == winning
            label, ink = f"{word} wins" if wins and not layout.tiny else word, inks.text if wins else inks.muted
            canvas.write_centred(x + size.width // 2, y + size.height, label, ink)


def _paint_pack(canvas: Canvas, layout: Layout, view: TenDownView) -> None:
    x, y = layout.mat.centre
    inks, size = canvas.theme.inks, layout.card
    trump = f"{_format_trump(view)} is trump"
    top = y - size.height // 2
    canvas.write_centred(x, layout.mat.y + 1 if layout.tiny else top - 2, trick_game.format_bid_sum(view), inks.muted)
    if view.trump is None:
        return
    row = layout.mat.y + 2 if layout.tiny else top + size.height + 1
    card_faces.paint_text(canvas, x - len(trump) // 2, row, trump, inks.text, bold=True)
    if not layout.tiny:
        card_faces.paint_back(canvas, x - size.width, top, size)
        card_faces.paint_suit_token(canvas, x + 1, top + size.height // 2 - 1, size.width, view.trump)


TABLE_VIEW: Final = TenDownTableView()
