"""Table view of Rifki: the contract, contracts left to declare, penalty cards taken, and the direction of play."""

from typing import Final

from msgspec.structs import replace

from cardtable.engine import tricks
from cardtable.engine.cards import HEARTS, OF_SUIT, PACK_52, SUIT, SUIT_WORDS, Card, Cards
from cardtable.engine.game import Seat, Title
from cardtable.engine.text_format import with_count
from cardtable.games.rifki.rules import GAME
from cardtable.games.rifki.rules.contracts import (
    CARDS,
    CONTRACTS,
    EL_ALMAZ,
    ERKEK,
    KIZ,
    KOZ,
    KUPA,
    NEGATIVE,
    NEGATIVES,
    RIFKI,
    ROUNDS,
    SEATS,
    SON_IKI,
    TIMES,
    TRUMPS,
    Contract,
    Options,
)
from cardtable.games.rifki.rules.narration import why_closed
from cardtable.games.rifki.rules.state import RifkiView
from cardtable.ui.game_view import contracts, trick
from cardtable.ui.game_view.contracts import cards_out, copies, explain, join_cards, paint_contract_line, still_out
from cardtable.ui.game_view.decision import Decision, Group, Option
from cardtable.ui.game_view.game_view import Contracts, GameView, HeaderFacts, Names, Row, SeatPlate, Section, by_suit
from cardtable.ui.game_view.hand_cursor import Pointed
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.painting.layout import Layout
from cardtable.wording.formatting import SUIT_SIGNS, name_and_verb, signed, signed_plus, title_text

_COUNTED: Final = {
    RIFKI.name: ("KH", "KH"),
    KIZ.name: ("a queen", "queens"),
    ERKEK.name: ("a king or jack", "K and J"),
    KUPA.name: ("a heart", "hearts"),
    SON_IKI.name: ("tricks 12, 13", "last"),
    EL_ALMAZ.name: ("a trick", "tricks"),
}
"""Names of a contract's scoring unit, by contract: with its article, and as a column heading."""
_KOZ_COUNTED: Final = ("a trick", "tricks")
_RULES: Final = {
    RIFKI.name: "You must play KH under AH, and discard it when you cannot follow.",
    KIZ.name: "You must play a queen under a higher card of its suit, and discard one when you cannot follow.",
    ERKEK.name: "You must play a king or jack under a higher card of its suit, and discard one when you cannot follow.",
    KUPA.name: "You must play a heart under a higher one, and discard one when you cannot follow.",
    SON_IKI.name: "Only the last two tricks cost points.",
    EL_ALMAZ.name: "Every trick costs points. You only have to follow suit.",
}


def header(view: RifkiView) -> HeaderFacts:
    if not view.playing or view.opening:
        return HeaderFacts(f"round {view.round} of {ROUNDS}")
    return HeaderFacts(f"round {view.round} of {ROUNDS}", (f"trick {min(sum(view.won) + 1, CARDS)} of {CARDS}",))


def plate(view: RifkiView, seat: Seat) -> SeatPlate:
    """Return the number of tricks taken by ``seat``, its role and its penalty cards.

    Before the first lead the plate shows the number of cards and the role in the deal.
    """
    if view.declarer is None:
        return SeatPlate()
    place = (seat - view.declarer) * view.options.step % SEATS
    if view.opening:
        return SeatPlate(with_count(CARDS, "card"), ("declarer", "", "cuts", "dealer")[place])
    role = "led" if view.trick and seat == view.leader else "declarer" if not place else ""
    return SeatPlate(with_count(view.won[seat], "trick"), role, tuple(by_suit(view.taken[seat])))


def sections(view: RifkiView, names: Names) -> tuple[Section, ...]:
    """Return the side sections: the contract, and the units and points of each player.

    Before the declaration they show the numbers of contracts that each player has still to declare.
    """
    contract = view.contract
    direction = [Row("play goes", ("↺ right",))] if view.options.step == trick.COUNTER_CLOCKWISE else []
    declares = [] if view.declarer is None else [Row("declarer", (names[view.declarer],))]
    seats = [(view.seat + i) % SEATS for i in range(SEATS)]
    if contract is None:
        rows = [Row(names[s], tuple(map(str, left(view, s))), own=s == view.seat) for s in seats]
        heading = Row("left", ("negative", "Koz"), heading=True)
        return Section(f"Round {view.round}", "", (*declares, *direction)), Section(rows=(heading, *rows))
    one, all_of_it = _counted(contract)
    facts = [Row(one, (signed_plus(contract.worth),)), *declares, *direction]
    if contract.penalties and contract.number > 1 and not view.opening:
        facts.append(Row(f"{all_of_it} fallen", (f"{sum(view.counts)} of {contract.number}",)))
    if contract.hearts_wait and not view.opening:
        facts.append(Row("hearts", ("must wait" if view.hearts_shut else "may be led",)))
    table = [
        Row(names[s], (str(view.counts[s]), signed(view.counts[s] * contract.worth)), own=s == view.seat) for s in seats
    ]
    return (
        Section(title(contract), "", tuple(facts)),
        Section(rows=(Row("", (all_of_it, "points"), heading=True), *table)),
    )


def left(view: RifkiView, seat: Seat) -> tuple[int, int]:
    """Return the number of negative and of trump contracts that ``seat`` has not declared in finished rounds."""
    own = view.declared_by(seat)
    trumps = sum([contract.trump is not None for contract in own])
    return NEGATIVES - len(own) + trumps, TRUMPS - trumps


def title(contract: Contract) -> str:
    """Return the name of a contract, with its trump suit as a symbol."""
    return title_text(contract.named)


def _counted(contract: Contract) -> tuple[str, str]:
    return _COUNTED.get(contract.name, _KOZ_COUNTED)


def prompt(view: RifkiView, _pointed: Pointed) -> tuple[str, str]:
    contract = view.contract
    if contract is None:
        return "You declare.", "Final once you lead"
    if not view.trick:
        if view.opening:
            more = any(isinstance(action, Contract) for action in view.legal)
            return "You lead.", f"{title(contract)}{'; {switch} changes it' if more else ''}"
        shut = view.hearts_shut and view.hand & OF_SUIT[HEARTS] and view.hand & ~OF_SUIT[HEARTS]
        return "You lead.", "Hearts must wait" if shut else _still_out(view, contract)
    led = SUIT[view.trick[0]]
    able = sum([action.cards_used() for action in view.legal])
    word = SUIT_WORDS[led]
    if not view.hand & OF_SUIT[led]:
        return f"No {word}:", _discard(contract, able, view.hand)
    if contract.penalties & able == able and able != view.hand & OF_SUIT[led]:
        return f"{join_cards(able, 'or')} must fall", f"under a higher {word}"
    return f"Follow {word}s.", _still_out(view, contract, OF_SUIT[led])


def _discard(contract: Contract, able: Cards, hand: Cards) -> str:
    """Return the prompt for a player who cannot follow suit; ``playable`` holds the cards that are legal."""
    if contract.trump is not None and able & OF_SUIT[contract.trump]:
        return f"trump with {join_cards(able, 'or')}"
    if able == hand:
        return "any card"
    return f"discard {join_cards(able, 'or')}"


def _still_out(view: RifkiView, contract: Contract, among: Cards = PACK_52) -> str:
    """Return a text about the penalty cards in ``among`` that the other players still hold."""
    return still_out(cards_out(view, contract.penalties & among), _counted(contract)[1])


def middle(canvas: Canvas, layout: Layout, view: RifkiView, pointed: Pointed, _names: Names) -> None:
    """Paint the contract and its rules until the first lead, then the trick.

    While the cursor is in the decision box, the contract under the cursor is explained.
    """
    step = view.options.step
    if not view.opening:
        trick.paint(canvas, layout, view, _winning(view), step=step)
        if layout.tiny and view.contract is not None:
            paint_contract_line(canvas, layout, title(view.contract), _worth(view.contract))
        return
    if step == trick.COUNTER_CLOCKWISE and not layout.tiny:
        trick.arrows(canvas, layout)
    contract = pointed.action if pointed.in_box and isinstance(pointed.action, Contract) else view.contract
    if contract is not None:
        explain(canvas, layout, title(contract), _worth(contract), _rules(view.options, contract))


def _worth(contract: Contract) -> str:
    """Return the points for one scoring unit of a contract: ``−100 for a queen``."""
    return f"{signed_plus(contract.worth)} for {_counted(contract)[0]}"


def _rules(options: Options, contract: Contract) -> str:
    """Return the special rules of ``contract`` in sentences, as the house rules define them."""
    if contract.trump is not None:
        how = "even below a trump in it" if options.must_overruff == "off" else "above the trumps in it if you can"
        return f"You must trump a trick when you cannot follow, {how}."
    opened = "discarded" if options.hearts_unlock == "discard" else "played"
    wait = f"No heart may be led until one was {opened}. " if contract.hearts_wait else ""
    return wait + _RULES[contract.name]


def _winning(view: RifkiView) -> int | None:
    trump = view.contract.trump if view.contract else None
    return tricks.order(trump).winner(view.trick) if view.trick else None


def decision(view: RifkiView, names: Names) -> Decision | None:
    """Return the decision box with all contracts; ``None`` if the view's seat cannot declare one.

    Negative contracts show how often they may still be played. Closed contracts stay visible with the reason.
    """
    if not any(isinstance(action, Contract) for action in view.legal):
        return None
    seats = [(view.seat + i) % SEATS for i in range(SEATS)]
    owed = [left(view, seat) for seat in seats]
    groups = (
        Group(tuple([_option(view, c) for c in NEGATIVE]), heading="Negative", marks=tuple([str(n) for n, _ in owed])),
        Group(tuple([_option(view, c) for c in KOZ]), 2, heading="Koz", marks=tuple([str(n) for _, n in owed])),
    )
    actions = [option.action for group in groups for option in group.options]
    current = CONTRACTS.index(view.contract) if view.contract else None
    return Decision(
        "Your contract",
        groups,
        marks=tuple([names[seat][0] for seat in seats]),
        start=next(i for i, action in enumerate(actions) if action) if current is None else current,
        cards_first=view.contract is not None,
        choose="contract",
        commit="declare",
    )


def _option(view: RifkiView, contract: Contract) -> Option:
    label = contract.named.name if contract.trump is None else f"{SUIT_SIGNS[contract.trump]} {contract.name}"
    times = TIMES - view.declared.count(contract)
    effect = f"{times} left" if contract.trump is None else ""
    if contract in view.legal:
        return Option(label, contract, effect, worth=_worth(contract))
    return Option(label, None, effect, note=why_closed(view, contract), worth=_worth(contract))


def order(view: RifkiView) -> list[Card]:
    return by_suit(view.hand)


def next_round(view: RifkiView, names: Names) -> tuple[Row, ...]:
    """Return rows about the next round: its declarer, and the contracts left to that player."""
    assert view.declarer is not None
    seat = (view.declarer + view.options.step) % SEATS
    negative, koz = left(view, seat)
    return (
        Row(f"round {view.finished + 1}", (name_and_verb(names[seat], "declares", "declare"),)),
        Row("negative left", (str(negative),)),
        Row("Koz left", (str(koz),)),
    )


def coming(view: RifkiView) -> list[Title | None]:
    """Return the title of each unfinished round: the contract of the current round, then ``None``."""
    return contracts.remaining_titles(view, GAME.contract(view), ROUNDS)


def declarer(view: RifkiView, round_: int) -> Seat | None:
    """Return the declarer of round ``round_``, counted from 0; ``None`` until the first declarer is known."""
    return None if view.starter is None else (view.starter + round_ * view.options.step) % SEATS


def contracts_left(view: RifkiView) -> tuple[Row, ...]:
    """Return rows with the contracts left to each player, and the times left for each negative contract.

    The contract of the round in progress counts as played once the first card is led.
    """
    if view.playing and view.contract and not view.opening:
        view = replace(view, declared=(*view.declared, view.contract))
    owed = [left(view, (view.seat + i) % SEATS) for i in range(SEATS)]
    return (
        Row("Negative", tuple([copies(number, NEGATIVES) for number, _ in owed])),
        Row("Koz", tuple([copies(number, TRUMPS) for _, number in owed])),
        *[Row(c.named.name, (copies(TIMES - view.declared.count(c), TIMES),)) for c in NEGATIVE],
    )


PIECE: Final[GameView[RifkiView]] = GameView(
    header=header,
    plate=plate,
    sections=sections,
    prompt=prompt,
    middle=middle,
    decision=decision,
    order=order,
    next_round=next_round,
    upcoming_titles=coming,
    contracts=Contracts("by", declarer, contracts_left),
    previous_trick=trick.previous_trick_view,
    intermediate_views=trick.frames,
    winning=_winning,
)
