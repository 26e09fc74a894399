"""What games of exact bids have in common at the table: the bids, and what is still to be made."""

from cardtable.engine.bidding import BIDS, BidView
from cardtable.engine.contract import Seat
from cardtable.engine.words import counted
from cardtable.ui.kit import trick
from cardtable.ui.kit.deciding import BID_COLUMNS, Decision, Group, Option
from cardtable.ui.kit.piece import Names, Plate, Row, Section


def open_still(view: BidView) -> bool:
    """Whether bids are still owed."""
    return view.playing and None in view.bids


def total(view: BidView) -> int:
    """The bids so far, added up."""
    return sum(bid for bid in view.bids if bid is not None)


def told(view: BidView) -> str:
    """The bids so far against the tricks there are."""
    tricks = counted(view.cards, "trick")
    return tricks if view.bids.count(None) == len(view.bids) else f"{total(view)} bid for {tricks}"


def after_seat(view: BidView) -> list[Seat]:
    """The other seats, the next one first."""
    seats = len(view.bids)
    return [(view.seat + i) % seats for i in range(1, seats)]


def bid(view: BidView, seat: Seat) -> str:
    """What a seat has bid, or a sign that it has not."""
    made = view.bids[seat]
    return str(made) if made is not None else "?" if seat == view.seat else "·"


def plate(view: BidView, seat: Seat, role: str) -> Plate:
    """The bid, later the tricks taken of those bid; ``role`` unless the seat has led."""
    made = view.bids[seat]
    if open_still(view) or made is None:
        asked = "bid ?" if seat == view.turn else ""
        return Plate(asked, role) if made is None else Plate(f"bids {made}", role, own=f"bid {made}")
    return Plate(f"{view.won[seat]} of {made}", "led" if view.trick and seat == view.leader else role)


def trick_of(view: BidView) -> str:
    """Which trick is played."""
    return f"{min(sum(view.won) + 1, view.cards)} of {view.cards}"


def section(view: BidView, names: Names) -> Section:
    """The bids as they are made."""
    rows = [Row(names[s], (bid(view, s),), squares=view.bids[s] or 0) for s in after_seat(view)]
    rows.append(Row(names[view.seat], (bid(view, view.seat),), own=True, asked=view.bids[view.seat] is None))
    return Section("Bids", counted(view.cards, "card"), (*rows, Row("sum", (f"{total(view)} of {view.cards}",))))


def prompt(view: BidView) -> tuple[str, ...]:
    """What to do, and what for."""
    if not open_still(view):
        return trick.asked(view, goal(view))
    seats, made = len(view.bids), len(view.bids) - view.bids.count(None)
    if len(view.legal) <= view.cards:
        return "Your bid.", f"Not {view.cards - total(view)}: the sum would be {view.cards}"
    if not made:
        return "Your bid.", "You bid first, then lead"
    return (
        "Your bid.",
        f"{counted(seats - 1 - made, 'bid')} after yours" if made < seats - 1 else "You bid last: any number",
    )


def goal(view: BidView) -> str:
    """How far the tricks taken are from those bid."""
    need = (view.bids[view.seat] or 0) - view.won[view.seat]
    return f"{need} more to make" if need > 0 else "You have your bid" if need == 0 else f"{-need} too many already"


def decision(view: BidView, why: str) -> Decision | None:
    """The grid of bids; ``why`` one may be forbidden."""
    if not open_still(view) or not view.legal:
        return None
    legal = set(view.legal)
    options = tuple(
        Option(str(bid.tricks), bid if bid in legal else None, note="" if bid in legal else why, number=bid.tricks)
        for bid in BIDS[: view.cards + 1]
    )
    start = min(range(len(options)), key=lambda i: (options[i].action is None, abs(i - view.cards / len(view.bids))))
    note = why if len(legal) < len(options) else ""
    return Decision(
        "Your bid", (Group(options, columns=BID_COLUMNS),), note=note, start=start, choose="bid", commit="bid"
    )
