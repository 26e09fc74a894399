"""Table view of Rikiki: bids, tricks, the trump card, and progress towards the bonuses."""

from typing import Final

from msgspec.structs import replace

from cardtable.engine.game import CardsTitle, Event, Seat
from cardtable.engine.text_format import format_count
from cardtable.games.rikiki.rules import GAME, ROW_LENGTH, SEATS, RikikiView
from cardtable.ui.game_view import trick_game
from cardtable.ui.game_view.decision import Decision
from cardtable.ui.game_view.game_view import HeaderFacts, Progress, Row, SeatPlate, Section, find_winning_index
from cardtable.ui.game_view.hand_cursor import CursorState
from cardtable.ui.game_view.trick_game import TrickTableView
from cardtable.ui.toolkit.painting import card_faces
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.painting.layout import Layout
from cardtable.wording.players import Names

NO_TRUMP_CARDS: Final = 13
"""Number of cards in each hand of a round without trumps.

Only then is the whole pack dealt and no trump card turned up.
"""


class RikikiTableView(TrickTableView[RikikiView]):
    keys = (("0-9", "your bid"),)

    def header(self, view: RikikiView) -> HeaderFacts:
        is_in_play = view.playing and not trick_game.is_bidding(view)
        trick = (f"trick {trick_game.format_trick_number(view)}",) if is_in_play else ()
        return HeaderFacts(f"round {view.round} of {view.options.rounds}", trick)

    def plate(self, view: RikikiView, seat: Seat) -> SeatPlate:
        return trick_game.create_plate(view, seat, "dealer" if seat == view.dealer else "")

    def sections(self, view: RikikiView, names: Names) -> tuple[Section, ...]:
        """Return the side sections: bids and tricks, and during the bidding the seat's progress towards the bonuses."""
        listed, own = trick_game.create_sections(view, names), view.records[view.seat]
        if view.options.bonuses and trick_game.is_bidding(view):
            row = Row("made in a row" if own.row >= 0 else "run of misses", (f"{abs(own.row)} of {ROW_LENGTH}",))
            misses = Row("misses", (f"{own.misses} ({_compute_max_misses(view)} allowed)",))
            listed.append(Section("Bonuses", "", (row, misses)))
        return tuple(listed)

    def prompt(self, view: RikikiView, _pointed: CursorState) -> tuple[str, ...]:
        return trick_game.format_prompt(view)

    def middle(self, canvas: Canvas, layout: Layout, view: RikikiView, _pointed: CursorState, _names: Names) -> None:
        """Paint the pack and the trump card during the bidding, then the trick."""
        if trick_game.is_bidding(view):
            _paint_pack(canvas, layout, view)
            return
        inks = canvas.theme.inks
        if view.trump_card is not None:
            canvas.write(layout.mat.x + 1, layout.mat.y, "trump", inks.muted)
            card_faces.paint_card(canvas, layout.mat.x + 1, layout.mat.y + 1, card_faces.CHIP, view.trump_card)
        trick_game.paint_trick(canvas, layout, view, find_winning_index(GAME, view))

    def decision(self, view: RikikiView, _names: Names) -> Decision | None:
        return trick_game.create_bid_decision(view, GAME.explain_illegal(view, 0))

    def progress(self, view: RikikiView) -> tuple[Progress, ...]:
        """Return the seat's progress towards each bonus; empty if the session is played without bonuses."""
        if not view.options.bonuses:
            return ()
        own = view.records[view.seat]
        played = view.options.list_hand_sizes()[: view.finished].count(NO_TRUMP_CARDS)
        return (
            Progress("Made in a row", max(own.row, 0), ROW_LENGTH, "+20"),
            Progress("Missed in a row", max(-own.row, 0), ROW_LENGTH, "+20"),
            Progress(
                "Made at no trump", own.no_trump, 4, "+10", earned=own.no_trump == 4, missed=own.no_trump < played
            ),
            Progress(
                f"Misses ({_compute_max_misses(view)} allowed)",
                own.misses,
                _compute_max_misses(view),
                "+20",
                earned=own.made >= view.options.get_few_misses_threshold(),
            ),
        )

    def next_round(self, view: RikikiView, names: Names) -> tuple[Row, ...]:
        """Return rows about the next round: the number of cards, and the dealer."""
        cards = view.options.list_hand_sizes()[view.finished]
        return Row(f"round {view.finished + 1}", (format_count(cards, "card"),)), Row(
            "dealer", (names[view.finished % SEATS],)
        )

    def upcoming_titles(self, view: RikikiView) -> list[CardsTitle]:
        """Return the title of each unfinished round; only the title of the current round has a trump suit."""
        titles = [CardsTitle(number) for number in view.options.list_hand_sizes()[view.finished :]]
        if view.playing:
            titles[0] = CardsTitle(view.cards, view.trump, no_trump=view.trump is None)
        return titles

    def intermediate_views(self, event: Event, before: RikikiView, after: RikikiView) -> tuple[RikikiView, ...]:
        """Return the views to show between two views; the success of the round is not counted yet."""
        views = super().intermediate_views(event, before, after)
        return tuple([replace(view, records=before.records) for view in views])


def _compute_max_misses(view: RikikiView) -> int:
    return len(view.options.list_hand_sizes()) - view.options.get_few_misses_threshold()


def _paint_pack(canvas: Canvas, layout: Layout, view: RikikiView) -> None:
    x, y = layout.mat.centre
    inks, size = canvas.theme.inks, layout.card
    trump = "no trump" if view.trump_card is None else f"{card_faces.get_suit_sign(view.trump_card)} is trump"
    if layout.tiny:
        canvas.write_centred(x, layout.mat.y + 1, trick_game.format_bid_sum(view), inks.muted)
        card_faces.paint_text(canvas, x - len(trump) // 2, layout.mat.y + 2, trump, inks.text, bold=True)
        return
    top = y - size.height // 2
    canvas.write_centred(x, top - 2, trick_game.format_bid_sum(view), inks.muted)
    card_faces.paint_text(canvas, x - len(trump) // 2, top + size.height + 1, trump, inks.text, bold=True)
    if view.trump_card is None:
        card_faces.paint_back(canvas, x - size.width // 2, top, size)
        return
    card_faces.paint_back(canvas, x - size.width, top, size)
    card_faces.paint_card(canvas, x + 1, top, size, view.trump_card)


TABLE_VIEW: Final = RikikiTableView()
