"""Building blocks for trick-taking games: the trick on the mat, prompts, bids on numbers of tricks, and contracts."""

from collections.abc import Callable, Iterator, Sequence
from typing import Final, TypeVar

from msgspec.structs import replace

from cardtable.engine.bidding import BIDS, BidView
from cardtable.engine.cards import BIT, NAME, Card, Cards
from cardtable.engine.faces import FRENCH, Faces
from cardtable.engine.game import BID_AND_WON, Contract, Event, Seat, Title, View
from cardtable.engine.text_format import format_count
from cardtable.engine.tricks import Play, TrickView, list_play_order, name_led
from cardtable.ui.game_view.decision import Decision, Option, create_bid_row
from cardtable.ui.game_view.game_view import GameView, Row, SeatPlate, Section, sort_by_suit
from cardtable.ui.toolkit.painting import card_faces
from cardtable.ui.toolkit.painting.canvas import Canvas, wrap
from cardtable.ui.toolkit.painting.layout import Layout, choose_trick_card_size, compute_trick_positions
from cardtable.wording.formatting import SUIT_SIGNS, format_number, join_words
from cardtable.wording.players import Names

T = TypeVar("T", bound=TrickView)

_BIDS_AFTER: Final = (
    "One player bids after you",
    *[f"{word} players bid after you" for word in ("Two", "Three", "Four", "Five", "Six", "Seven")],
)
"""Texts on the number of players who bid after the player, from one on."""
CLOCKWISE: Final = 1
COUNTER_CLOCKWISE: Final = -1


def paint_trick(canvas: Canvas, layout: Layout, view: TrickView, winning: int | None, *, step: int = CLOCKWISE) -> None:
    """Paint the trick, each card before its seat, with a star on the card that is winning.

    ``winning`` is the index of that card in order of play, ``None`` if there is none. ``step`` is the direction of
    play, ``CLOCKWISE`` or ``COUNTER_CLOCKWISE``. While the player has not yet played to the trick, the place of their
    card is marked.
    """
    seats = len(view.totals)
    positions, size = compute_trick_positions(layout, seats), choose_trick_card_size(layout, seats)
    order = list_play_order(view.active, view.leader, step)
    for i, which in enumerate(view.trick):
        x, y = positions[(order[i] - view.seat) % seats]
        card_faces.paint_card(canvas, x, y, size, which, card_faces.CardLook(is_winning=i == winning))
    if view.turn >= 0 and view.seat in order[len(view.trick) :]:
        x, y = positions[0]
        canvas.fill(x, y, size.width, size.height, canvas.theme.grounds.slot)
    if step == COUNTER_CLOCKWISE:
        paint_arrows(canvas, layout)


def paint_arrows(canvas: Canvas, layout: Layout) -> None:
    """Paint arrows in the corners of the mat that indicate counter-clockwise play; a low mat has no room for them."""
    mat, ink = layout.mat, canvas.theme.inks.arrow
    in_x, in_y = (6, 3) if layout.large else (4, 2)
    if mat.height <= 2 * in_y + 1:
        return
    for x, top, bottom in ((mat.x + in_x, "↙", "↘"), (mat.right - in_x, "↖", "↗")):
        canvas.write(x, mat.y + in_y, top, ink)
        canvas.write(x, mat.bottom - in_y, bottom, ink)


def format_follow_prompt(view: TrickView, goal: str, faces: Faces = FRENCH) -> tuple[str, ...]:
    """Return the prompt for playing to a trick: to lead, to follow suit, or any card; ``goal`` is its last line."""
    if not view.trick:
        return "You lead.", goal
    if not view.led:
        return "Play a card.", goal
    led = name_led(view.led, faces).many
    if not view.hand & view.led:
        return f"No {led}:", "play any card", goal
    must_follow = all(BIT[action.card] & view.led for action in view.legal if isinstance(action, Play))
    return f"Follow {led}." if must_follow else "Play a card.", goal


def list_intermediate_views(event: Event, before: T, after: T) -> tuple[T, ...]:
    """Return the views to show between two views.

    The complete trick, and a last trick that was played automatically.
    """
    views: list[T] = []
    full: Sequence[Card] = ()
    if isinstance(event, Play) and len(before.trick) == sum(before.active) - 1:
        full = (*before.trick, event.card)
        hand = before.hand & ~BIT[event.card] if before.turn == before.seat else before.hand
        views.append(replace(before, hand=hand, trick=full, turn=-1, legal=()))
    if after.finished > before.finished and after.last_trick not in (full, before.last_trick):
        in_round = replace(after, playing=True, finished=before.finished, hand=0, totals=before.totals)
        views.append(_restore_last_trick(in_round))
    return tuple(views)


def _restore_last_trick(view: T) -> T:
    return replace(view, leader=view.last_leader, trick=view.last_trick, turn=-1, legal=())


def get_previous_trick(view: T) -> T | None:
    return _restore_last_trick(view) if view.last_trick else None


class TrickTableView(GameView[T]):
    """Game view of a game with tricks: the previous trick, and a complete trick for a moment before it is taken."""

    def previous_trick(self, view: T) -> T | None:
        return get_previous_trick(view)

    def intermediate_views(self, event: Event, before: T, after: T) -> tuple[T, ...]:
        return list_intermediate_views(event, before, after)


def is_bidding(view: BidView) -> bool:
    return view.playing and None in view.bids


def sum_bids(view: BidView) -> int:
    return sum(bid for bid in view.bids if bid is not None)


def format_bid_sum(view: BidView) -> str:
    """Format the sum of the bids and the number of tricks, such as "Bids so far: 5 of 8 tricks".

    Before the first bid, only the number of tricks is given.
    """
    tricks = format_count(view.cards, "trick")
    if view.bids.count(None) == len(view.bids):
        return f"{tricks} to play"
    return f"Bids so far: {sum_bids(view)} of {tricks}"


def list_bidding_order(view: BidView) -> list[Seat]:
    """Return all seats in the order of bidding. Valid only until the last bid is made."""
    seats, made = len(view.bids), len(view.bids) - view.bids.count(None)
    return [(view.turn - made + i) % seats for i in range(seats)]


def format_bid(view: BidView, seat: Seat) -> str:
    """Format the bid of a seat: ``?`` if it is the seat's turn to bid, ``·`` if the seat bids later."""
    made = view.bids[seat]
    return str(made) if made is not None else "?" if seat == view.turn else "·"


def create_plate(view: BidView, seat: Seat, role: str) -> SeatPlate:
    """Return the plate of a seat: its bid, and after the bidding also the tricks it has won.

    ``role`` is shown unless the seat has led to the current trick.
    """
    made = view.bids[seat]
    if is_bidding(view) or made is None:
        asked = "bid ?" if seat == view.turn else ""
        return SeatPlate(asked, role) if made is None else SeatPlate(f"bids {made}", role, own=f"bid {made}")
    return SeatPlate(f"{view.won[seat]} of {made}", "led" if view.trick and seat == view.leader else role)


def format_trick_number(view: BidView) -> str:
    return f"{min(sum(view.won) + 1, view.cards)} of {view.cards}"


def create_sections(view: BidView, names: Names) -> list[Section]:
    """Return the sections of the panel.

    During the bidding the bids in order, later a table of bids, tricks and totals.
    """
    if is_bidding(view):
        return [Section("Bids", format_count(view.cards, "card"), tuple(_iter_bid_rows(view, names)))]
    seats = [(view.seat + i) % len(names) for i in range(len(names))]
    table = [
        Row(names[s], (format_bid(view, s), str(view.won[s]), format_number(view.totals[s])), own=s == view.seat)
        for s in seats
    ]
    trump = "no trump" if view.trump is None else f"trump {SUIT_SIGNS[view.trump]}"
    facts = Row(_describe_bid_sum(view), ()), Row("trick", (format_trick_number(view),))
    heading = Row("", (*BID_AND_WON, "total"), heading=True)
    return [Section(format_count(view.cards, "card").capitalize(), trump, facts), Section(rows=(heading, *table))]


def _iter_bid_rows(view: BidView, names: Names) -> Iterator[Row]:
    """Yield a row for each seat in the order of bidding, and a last row with the total of the bids."""
    for number, seat in enumerate(list_bidding_order(view), 1):
        label, own = f"{number} {names[seat]}", seat == view.seat
        yield Row(label, (format_bid(view, seat),), own=own, asked=seat == view.turn, squares=view.bids[seat] or 0)
    yield Row("total", (f"{sum_bids(view)} of {view.cards}",))


def _describe_bid_sum(view: BidView) -> str:
    """Describe the difference between the sum of the bids and the number of tricks: "2 tricks nobody bid"."""
    over = sum_bids(view) - view.cards
    if not over:
        return "every trick was bid"
    return f"bids: {over} too many" if over > 0 else f"{format_count(-over, 'trick')} nobody bid"


def format_prompt(view: BidView) -> tuple[str, ...]:
    """Return the prompt for a bid, with the bid that is forbidden or the position in the order; later, for a card."""
    if not is_bidding(view):
        return format_follow_prompt(view, format_goal(view))
    seats, made = len(view.bids), len(view.bids) - view.bids.count(None)
    if len(view.legal) <= view.cards:
        return "Your bid.", f"Not {view.cards - sum_bids(view)}: the bids can't total {view.cards}"
    if not made:
        return "Your bid.", "You bid first, then lead"
    if made == seats - 1:
        return "Your bid.", "You bid last: any number"
    return "Your bid.", _BIDS_AFTER[seats - made - 2]


def format_goal(view: BidView) -> str:
    """Format the number of tricks that the seat of the view still needs to make its bid."""
    need = (view.bids[view.seat] or 0) - view.won[view.seat]
    return f"You need {need} more" if need > 0 else "You have your bid" if need == 0 else f"Already {-need} too many"


def create_bid_decision(view: BidView, reason: str) -> Decision | None:
    """Return the decision with the bids; ``None`` unless the seat of the view is to bid.

    ``reason`` explains why a bid can be forbidden. The cursor starts on the legal bid nearest to an equal share of the
    tricks.
    """
    if not is_bidding(view) or not view.legal:
        return None
    legal = set(view.legal)
    options = tuple(
        Option(str(bid.tricks), bid if bid in legal else None, note="" if bid in legal else reason, number=bid.tricks)
        for bid in BIDS[: view.cards + 1]
    )
    start = min(range(len(options)), key=lambda i: (options[i].action is None, abs(i - view.cards / len(view.bids))))
    return create_bid_row(options, start)


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
    return f"{join_cards(cards, join_words)} {'is' if number == 1 else 'are'} still out"


def join_cards(cards: Cards, join: Callable[[Sequence[str]], str]) -> str:
    """Format cards as text, such as ``KD or JD``, sorted by suit.

    If there are more than ``MAX_NAMED``, only the first and the last are named.
    """
    names = [NAME[card] for card in sort_by_suit(cards)]
    return f"{names[0]} … {names[-1]}" if len(names) > MAX_NAMED else join(names)


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
