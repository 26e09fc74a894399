"""Table view of Rikiki: bids, tricks, the trump card, and progress towards the bonuses."""

from typing import Final

from cardtable.engine import tricks
from cardtable.engine.cards import SUIT, Card
from cardtable.engine.game import CardsTitle, Seat
from cardtable.engine.text_format import with_count
from cardtable.games.rikiki.rules import ROW, SEATS, RikikiView, explain_illegal
from cardtable.ui.game_view import trick
from cardtable.ui.game_view import trick as bids
from cardtable.ui.game_view.decision import Decision
from cardtable.ui.game_view.game_view import GameView, HeaderFacts, Names, Progress, Row, SeatPlate, Section, by_suit
from cardtable.ui.game_view.hand_cursor import Pointed
from cardtable.ui.toolkit.painting import card_faces
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.painting.layout import Layout

NO_TRUMP_CARDS: Final = 13
"""Number of cards in each hand of a round without trumps; only then is the whole pack dealt and no trump card turned
up.
"""


def header(view: RikikiView) -> HeaderFacts:
    trick = () if not view.playing or bids.is_bidding(view) else (f"trick {bids.trick_number_text(view)}",)
    return HeaderFacts(f"round {view.round} of {view.options.rounds}", trick)


def plate(view: RikikiView, seat: Seat) -> SeatPlate:
    return bids.plate(view, seat, "dealer" if seat == view.dealer else "")


def sections(view: RikikiView, names: Names) -> tuple[Section, ...]:
    """Return the side sections: bids and tricks, and during the bidding the seat's progress towards the bonuses."""
    listed, own = bids.sections(view, names), view.records[view.seat]
    if view.options.bonuses == "on" and bids.is_bidding(view):
        row = Row("made in a row" if own.row >= 0 else "fell in a row", (f"{abs(own.row)} of {ROW}",))
        listed.append(Section("Bonuses", "", (row, Row(f"falls, at most {_falls(view)}", (str(own.falls),)))))
    return tuple(listed)


def _falls(view: RikikiView) -> int:
    return len(view.options.cards()) - view.options.successes_for_few_falls()


def prompt(view: RikikiView, _pointed: Pointed) -> tuple[str, ...]:
    return bids.prompt(view)


def middle(canvas: Canvas, layout: Layout, view: RikikiView, _pointed: Pointed, _names: Names) -> None:
    """Paint the pack and the trump card during the bidding, then the trick."""
    if bids.is_bidding(view):
        _pack(canvas, layout, view)
        return
    inks = canvas.theme.inks
    if view.trump_card is not None:
        canvas.text(layout.mat.x + 1, layout.mat.y, "trump", inks.muted)
        card_faces.card(canvas, layout.mat.x + 1, layout.mat.y + 1, card_faces.CHIP, view.trump_card)
    trick.paint(canvas, layout, view, _winning(view))


def _winning(view: RikikiView) -> int | None:
    trump = None if view.trump_card is None else SUIT[view.trump_card]
    return tricks.order(trump).winner(view.trick) if view.trick else None


def _pack(canvas: Canvas, layout: Layout, view: RikikiView) -> None:
    x, y = layout.mat.centre
    inks, size = canvas.theme.inks, layout.card
    trump = "no trump" if view.trump_card is None else f"{card_faces.glyph(view.trump_card)} is trump"
    if layout.tiny:
        canvas.centre(x, layout.mat.y + 1, bids.bids_text(view), inks.muted)
        card_faces.paint_text(canvas, x - len(trump) // 2, layout.mat.y + 2, trump, inks.text, bold=True)
        return
    top = y - size.height // 2
    canvas.centre(x, top - 2, bids.bids_text(view), inks.muted)
    card_faces.paint_text(canvas, x - len(trump) // 2, top + size.height + 1, trump, inks.text, bold=True)
    if view.trump_card is None:
        card_faces.back(canvas, x - size.width // 2, top, size)
        return
    card_faces.back(canvas, x - size.width, top, size)
    card_faces.card(canvas, x + 1, top, size, view.trump_card)


def decision(view: RikikiView, _names: Names) -> Decision | None:
    return bids.decision(view, explain_illegal(view, 0))


def order(view: RikikiView) -> list[Card]:
    return by_suit(view.hand)


def progress(view: RikikiView) -> tuple[Progress, ...]:
    """Return the seat's progress towards each bonus; empty if the session is played without bonuses."""
    if view.options.bonuses == "off":
        return ()
    own = view.records[view.seat]
    played = view.options.cards()[: view.finished].count(NO_TRUMP_CARDS)
    return (
        Progress("Successes in a row", max(own.row, 0), ROW, "+20"),
        Progress("Falls in a row", max(-own.row, 0), ROW, "+20"),
        Progress("No-trump rounds", own.no_trump, 4, "+10", earned=own.no_trump == 4, missed=own.no_trump < played),
        Progress(
            f"Falls, at most {_falls(view)}",
            own.falls,
            _falls(view),
            "+20",
            earned=own.successes >= view.options.successes_for_few_falls(),
        ),
    )


def next_round(view: RikikiView, names: Names) -> tuple[Row, ...]:
    """Return rows about the next round: the number of cards, and the dealer."""
    cards = view.options.cards()[view.finished]
    return Row(f"round {view.finished + 1}", (with_count(cards, "card"),)), Row(
        "dealer", (names[view.finished % SEATS],)
    )


def coming(view: RikikiView) -> list[CardsTitle]:
    """Return the title of each unfinished round; only the title of the current round has a trump suit."""
    titles = [CardsTitle(number) for number in view.options.cards()[view.finished :]]
    if view.playing:
        titles[0] = CardsTitle(view.cards, view.trump, no_trump=view.trump is None)
    return titles


PIECE: Final[GameView[RikikiView]] = GameView(
    header=header,
    plate=plate,
    sections=sections,
    prompt=prompt,
    middle=middle,
    decision=decision,
    order=order,
    next_round=next_round,
    upcoming_titles=coming,
    previous_trick=trick.previous_trick_view,
    intermediate_views=trick.frames,
    winning=_winning,
    keys=(("0-9", "your bid"),),
    progress=progress,
)
