"""Rummy at the table: the draw, what is laid and what it counts, the card that must be used."""

from collections.abc import Sequence
from typing import Final

from cardtable.engine.cards import BIT, CLUBS, DIAMONDS, HEARTS, RANK, SPADES, SUIT, Card, Cards, each
from cardtable.engine.contract import Action, Seat
from cardtable.engine.words import counted
from cardtable.games.rummy.rules.actions import STOCK, Add, Drop, Meld, Take
from cardtable.games.rummy.rules.combinations import GROWN, IN_ORDER, SUM, worth
from cardtable.games.rummy.rules.turns import ends, ways
from cardtable.games.rummy.rules.view import RummyView
from cardtable.games.rummy.table import mat
from cardtable.ui.draw.canvas import Canvas
from cardtable.ui.draw.layout import Layout
from cardtable.ui.kit.deciding import Decision, Group, Option
from cardtable.ui.kit.piece import HeaderFacts, Names, Piece, Plate, Row, Section
from cardtable.ui.kit.pointing import Pointed
from cardtable.wording.cards import label
from cardtable.wording.words import does, either, signed

SUITS_IN_HAND: Final = (CLUBS, DIAMONDS, SPADES, HEARTS)
"""The suits from left to right, black and red by turns."""
MOST_NAMED: Final = 4
"""Cards that are named one by one in a line."""


def header(view: RummyView) -> HeaderFacts:
    """The limit, and the round."""
    return HeaderFacts(f"round {view.round}", before=(f"to {view.options.limit}",))


def plate(view: RummyView, seat: Seat) -> Plate:
    """Cards in hand."""
    return Plate(counted(view.sizes[seat], "card"))


def sections(view: RummyView, names: Names) -> tuple[Section, ...]:
    """What the round would bring if it ended now, and the piles."""
    own, other = view.seat, 1 - view.seat
    counts = (
        Row("", ("laid", "hand", "pts"), heading=True),
        Row(names[own], (str(view.laid[own]), *_ending(view)), own=True),
        Row(names[other], (str(view.laid[other]), "?", "?")),
    )
    piles = (
        Row("stock", (str(view.stock),)),
        Row("face-up pile", (str(len(view.pile)),)),
        Row("turn", (str(view.turns),)),
    )
    return Section("If it ended now", "", counts), Section("Piles", "", piles)


def _ending(view: RummyView) -> tuple[str, str]:
    """What the own hand would count, and the round bring; unknown to who only looks on."""
    if not view.hand and view.sizes[view.seat]:
        return "?", "?"
    hand = worth(view.hand)
    return signed(-hand), signed(view.laid[view.seat] - hand)


def prompt(view: RummyView, pointed: Pointed) -> tuple[str, str]:
    """What to do, and what for."""
    if not view.drew:
        return _prompt_draw(view, pointed.action)
    if pointed.in_box and isinstance(pointed.action, Add):
        add = pointed.action
        return f"{label(add.card)} to {add.number}:", f"{{play}}: +{gain(view, add)}"
    if pointed.in_box and isinstance(pointed.action, Meld):
        return "The ace low:", f"{{play}}: +{SUM[pointed.action.combination]}"
    if pointed.chosen:
        return _prompt_chosen(view, pointed.chosen)
    if view.must is not None:
        can = _can(view, BIT[view.must])
        return f"{label(view.must)} must be laid:", f"{can} it" if can else "lay other cards first"
    if view.drawn is not None and BIT[view.drawn] & view.hand:
        return f"You drew {label(view.drawn)}:", _can(view, view.hand)
    return "Your turn:", _can(view, view.hand)


def _can(view: RummyView, cards: Cards) -> str:
    """What can be done with cards, in words."""
    words = {Meld: "meld", Add: "add", Drop: "drop"}
    kinds = {type(action) for action in view.legal if action.uses() & cards}
    return either([word for kind, word in words.items() if kind in kinds])


def _prompt_draw(view: RummyView, action: Action | None) -> tuple[str, str]:
    if not isinstance(action, Take):
        return "The stock:", "you cannot see the card"
    deepest = view.pile[-action.number]
    if action.number == 1:
        return f"Take {label(deepest)}:", "you may not drop it now"
    helpers = partners(view, action.number)
    with_ = f" with {named(helpers)}" if helpers else ""
    return f"Take {action.number}:", f"{label(deepest)} must be laid{with_}"


def partners(view: RummyView, number: int) -> list[Card]:
    """The fewest cards of the hand with which the deepest of so many cards of the face-up pile can be laid."""
    taken = sum([BIT[c] for c in view.pile[-number:]])
    helping = [way for way in ways(view.pile[-number], ends(view.table)) if not way & ~(view.hand | taken)]
    return each(min([way & view.hand for way in helping], key=int.bit_count, default=0))


def _prompt_chosen(view: RummyView, chosen: Cards) -> tuple[str, str]:
    """What the cards chosen so far are."""
    cards = named(each(chosen))
    melds = [action for action in view.legal if isinstance(action, Meld) and action.uses() == chosen]
    if melds:
        low, high = each(chosen)[0], each(chosen)[-1]
        kind = "a group" if RANK[low] == RANK[high] else "a sequence"
        return f"{cards}: {kind}.", f"{{play}}: +{max(SUM[meld.combination] for meld in melds)}"
    if any(isinstance(action, Meld) and not chosen & ~action.uses() for action in view.legal):
        return f"{cards}:", "choose what goes with it"
    return f"{cards}", "no meld; {leave} lets go"


def named(cards: list[Card]) -> str:
    """Cards in a line; many of them by the first and the last."""
    if len(cards) > MOST_NAMED:
        return f"{label(cards[0])}–{label(cards[-1])}"
    return " ".join(map(label, cards))


def gain(view: RummyView, add: Add) -> int:
    """What an addition counts."""
    before = view.table[add.number - 1]
    return SUM[GROWN[before][add.card]] - SUM[before]


def middle(canvas: Canvas, grid: Layout, view: RummyView, pointed: Pointed, names: Names) -> None:
    """Combinations and piles."""
    mat.paint(canvas, grid, view, pointed, names)


def decision(view: RummyView, _names: Names) -> Decision | None:
    """How deep to draw, which is shown on the mat; after the draw what may be added."""
    if not view.drew:
        return _draw(view)
    options = [
        Option(
            f"{add.number} ← {label(add.card)}",
            add,
            f"+{gain(view, add)}",
            _where(view, add),
            number=add.number,
        )
        for add in view.legal
        if isinstance(add, Add)
    ]
    options += [Option("ace low", meld, f"+{SUM[meld.combination]}") for meld in _low_aces(view)]
    return Decision("Add a card", (Group(tuple(options)),), cards_first=True, commit="add") if options else None


def _draw(view: RummyView) -> Decision | None:
    takes = [action for action in view.legal if isinstance(action, Take)]
    if not takes:
        return None
    depths = [Option(str(action.number), action, number=action.number) for action in reversed(takes)]
    group = Group((Option("stock", STOCK), *depths), heading="take", spun=True)
    keys = (("down", "stock"),)
    return Decision("Draw", (group,), start=len(depths), choose="how many", commit="take", keys=keys, on_mat=True)


def _where(view: RummyView, add: Add) -> str:
    """The combination that a card is added to."""
    return f"to {named(list(IN_ORDER[view.table[add.number - 1]]))}"


def _low_aces(view: RummyView) -> list[Meld]:
    """Of two melds of the same thirteen cards the one in which the ace is low: Enter lays the other one."""
    melds = [action for action in view.legal if isinstance(action, Meld)]
    highest = {meld.uses(): max(SUM[m.combination] for m in melds if m.uses() == meld.uses()) for meld in melds}
    return [meld for meld in melds if SUM[meld.combination] < highest[meld.uses()]]


def order(view: RummyView) -> list[Card]:
    """The own hand by suits from low to high; the card that must be used is the last."""
    return sorted(each(view.hand), key=lambda c: (c == view.must, SUITS_IN_HAND.index(SUIT[c]), RANK[c]))


def shortcut(view: RummyView, _hand: Sequence[Card], step: int) -> Action | None:
    """Down draws from the stock."""
    return STOCK if step > 0 and STOCK in view.legal else None


def next_round(view: RummyView, names: Names) -> tuple[Row, ...]:
    """Who starts the next round."""
    assert view.first is not None
    starts = does(names[(view.first + view.finished) % len(names)], "starts", "start")
    return Row(f"round {view.finished + 1}", (starts,)), Row("to", (str(view.options.limit),))


PIECE: Final[Piece[RummyView]] = Piece(
    header=header,
    plate=plate,
    sections=sections,
    prompt=prompt,
    middle=middle,
    decision=decision,
    order=order,
    next_round=next_round,
    shortcut=shortcut,
    wide=True,
    tricks=False,
    draws=True,
    keys=(
        ("down", "draw from the stock"),
        ("choose", "choose for a meld"),
        ("rub_out", "choose none"),
        ("0-9", "how many, or which meld"),
    ),
)
