"""What games of exact bids have in common at the table: the bids, and what is still to be made."""

from collections.abc import Iterator

from cardtable.engine.bidding import BIDS, BidView
from cardtable.engine.contract import BID_AND_WON, Seat
from cardtable.engine.words import counted
from cardtable.ui.kit import trick
from cardtable.ui.kit.deciding import BID_COLUMNS, Decision, Group, Option
from cardtable.ui.kit.piece import Names, Plate, Row, Section
from cardtable.wording.cards import SUIT_SIGNS
from cardtable.wording.words import signed


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


def in_order(view: BidView) -> list[Seat]:
    """All seats in the order of bidding, while bids are owed."""
    seats, made = len(view.bids), len(view.bids) - view.bids.count(None)
    return [(view.turn - made + i) % seats for i in range(seats)]


def bid(view: BidView, seat: Seat) -> str:
    """What a seat has bid, or a sign that it has not."""
    made = view.bids[seat]
    return str(made) if made is not None else "?" if seat == view.turn else "·"


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


def sections(view: BidView, names: Names) -> list[Section]:
    """The bids in their order as they are made; then the round, and what everybody has taken of what was bid."""
    if open_still(view):
        return [Section("Bids in turn", counted(view.cards, "card"), tuple(_bidding(view, names)))]
    seats = [(view.seat + i) % len(names) for i in range(len(names))]
    table = [Row(names[s], (bid(view, s), str(view.won[s]), signed(view.totals[s])), own=s == view.seat) for s in seats]
    trump = "no trump" if view.trump is None else f"trump {SUIT_SIGNS[view.trump]}"
    facts = Row("bids", (_over(view),)), Row("trick", (trick_of(view),))
    return [
        Section(counted(view.cards, "card").capitalize(), trump, facts),
        Section(rows=(Row("", (*BID_AND_WON, "total"), heading=True), *table)),
    ]


def _bidding(view: BidView, names: Names) -> Iterator[Row]:
    """The seats in the order of bidding, each with its number in it; below them the sum."""
    for number, seat in enumerate(in_order(view), 1):
        label, own = f"{number} {names[seat]}", seat == view.seat
        yield Row(label, (bid(view, seat),), own=own, asked=seat == view.turn, squares=view.bids[seat] or 0)
    yield Row("sum", (f"{total(view)} of {view.cards}",))


def _over(view: BidView) -> str:
    """How far the bids of all are from the tricks there are."""
    over = total(view) - view.cards
    return f"{over} too many" if over > 0 else f"{-over} too few" if over else "just enough"


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
