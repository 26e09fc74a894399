"""Table screen of King, with the contracts and the dealers who can still name them, offers and answers, and the scoring
cards taken.
"""

from typing import Final

from msgspec.structs import replace

from cardtable.engine.cards import OF_SUIT, SUIT, SUIT_WORDS, Card
from cardtable.engine.game import Seat, Title
from cardtable.engine.text_format import with_count
from cardtable.games.king.rules import GAME
from cardtable.games.king.rules.actions import CLAIM, NAMINGS, POSITIVES, ROUNDS, SEATS, Naming, Offer, Take
from cardtable.games.king.rules.contracts import CONTRACTS, KING, NO_KING, POZ_JAR, TRICK, TRICKS, Contract, Kind
from cardtable.games.king.rules.state import KingView
from cardtable.ui.game_view import contracts, trick
from cardtable.ui.game_view.contracts import DECLARED, LEFT, cards_out, copies, explain, paint_contract_line, still_out
from cardtable.ui.game_view.decision import Decision, Group, Option
from cardtable.ui.game_view.game_view import Contracts, GameView, HeaderFacts, Names, Row, SeatPlate, Section, by_suit
from cardtable.ui.game_view.hand_cursor import Pointed
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.painting.layout import Layout
from cardtable.wording.formatting import SUIT_SIGNS, YOU, name_and_verb, signed, signed_plus, title_text

_HEARTS_WAIT: Final = "No heart lead while you hold another suit."
_COUNTED: Final = {
    "no-tricks": ("a trick", "Every trick costs.", "tricks"),
    "no-hearts": ("a heart", _HEARTS_WAIT, "hearts"),
    "no-queens": ("a queen", "The round ends with the fourth queen.", "queens"),
    "no-jacks": ("a jack", "The round ends with the fourth jack.", "jacks"),
    "no-last-two": ("tricks 8, 9", "The tricks before them cost nothing.", ""),
    "no-king": ("KH", _HEARTS_WAIT, ""),
    "neg-jar": ("all six", f"Tricks, hearts, queens, jacks, the last two and KH. {_HEARTS_WAIT}", "cards"),
    "poz-jar": ("all six", f"All six are gains. {_HEARTS_WAIT} KH need not fall.", "cards"),
}
"""Texts for contracts that are not positive: scoring unit, remark on the rules, and name of the scoring cards."""


def header(view: KingView) -> HeaderFacts:
    """Return the number of the round, with the current trick during play and with the contract after the round."""
    if view.playing and view.first is not None:
        return HeaderFacts(f"round {view.round} of {ROUNDS}", (f"trick {min(view.complete + 1, TRICKS)} of {TRICKS}",))
    played = (title_text(view.contract.named),) if view.contract and not view.playing else ()
    return HeaderFacts(f"round {view.round} of {ROUNDS}", played)


def plate(view: KingView, seat: Seat) -> SeatPlate:
    """Return the tricks and scoring cards of a seat, or its part in the offer that is being answered."""
    role = "dealer" if seat == view.dealer else ""
    if view.first is None:
        return SeatPlate(with_count(TRICKS, "card"), role)
    fact = with_count(view.won[seat], "trick")
    if view.unclaimed:
        offerer, claims = view.bargains[-1]
        place = (seat - offerer) % SEATS
        if place < len(claims):
            fact, role = _part(view, claims[place]), "share" if place else "offer"
    return SeatPlate(fact, role, tuple(by_suit(view.scored[seat])))


def sections(view: KingView, names: Names) -> tuple[Section, ...]:
    """Return the contract and the points so far; before the first lead, the contracts left to each dealer."""
    contract, seats = view.contract, [(view.seat + i) % SEATS for i in range(SEATS)]
    if contract is None or view.first is None:
        deal = f"{len(view.declared[view.dealer]) + 1} of {ROUNDS // SEATS}"
        named = deal if contract is None else title_text(contract.named)
        owner = "your" if names[view.dealer] == YOU else f"{names[view.dealer]}'s"
        rows = [Row(names[s], tuple(map(str, owed(view, s))), own=s == view.seat) for s in seats]
        heading = Row("left", ("neg", "jar", "pos"), heading=True)
        return Section(f"Round {view.round}", "", (Row(f"{owner} deal", (named,)),)), Section(rows=(heading, *rows))
    table = [Row(names[s], (str(view.won[s]), signed(view.points[s])), own=s == view.seat) for s in seats]
    return (
        Section(title_text(contract.named), "", tuple(_facts(view, contract, names))),
        Section(rows=(Row("", ("tricks", contract.format_points("pts")), heading=True), *table)),
    )


def _facts(view: KingView, contract: Contract, names: Names) -> list[Row]:
    """Return rows with the scoring of the contract, the dealer, and the points still to take."""
    if contract.kind is Kind.POSITIVE:
        own = "your trick" if names[view.dealer] == YOU else "dealer's trick"
        each = contract.format_points(f"{TRICK // (SEATS - 1)} each")
        return [Row(own, (contract.format_points(str(TRICK)),)), Row("any other", (each,))]
    worth = contract.format_points(signed_plus(_each(contract)))
    one = _COUNTED[contract.text][0]
    facts = [Row(f"for {one}" if contract is NO_KING else one, (worth,)), Row("dealer", (names[view.dealer],))]
    if contract.kind is Kind.NEGATIVE:
        facts.append(Row("still to take", (_part(view, view.left),)))
    return facts


def _each(contract: Contract) -> int:
    """Return the points of one scoring unit; for a jar, the points of all units together."""
    if contract.kind is Kind.JAR:
        return contract.total
    return contract.tricks or contract.last or contract.cards[0][1]


def owed(view: KingView, seat: Seat) -> tuple[int, int, int]:
    """Return the numbers of negative, jar and positive contracts that a dealer has not yet played.

    A contract counts as played once its round is finished.
    """
    all_kinds, had = [contract.kind for contract in CONTRACTS], [contract.kind for contract in view.declared[seat]]
    negative, jar = (all_kinds.count(kind) - had.count(kind) for kind in (Kind.NEGATIVE, Kind.JAR))
    return negative, jar, POSITIVES - had.count(Kind.POSITIVE)


def prompt(view: KingView, pointed: Pointed) -> tuple[str, ...]:
    """Return the task of the player to act, and the rule or reason behind it."""
    contract = view.contract
    if contract is None:
        return "Name the contract.", "Final once you lead"
    if view.unclaimed:
        return "How much do you take?", f"{_part(view, view.unclaimed)} to share"
    if view.first is None:
        if pointed.in_box:
            return "Another contract?", f"{title_text(contract.named)} stands"
        more = any(isinstance(action, Naming) for action in view.legal)
        return "You lead.", f"{title_text(contract.named)}{'; {switch} changes it' if more else ''}"
    if view.king_falls:
        suit = SUIT[view.trick[0]]
        why = "under AH" if view.hand & OF_SUIT[suit] else f"no {SUIT_WORDS[suit]}"
        return "Only KH:", f"{why}, so it must fall"
    return trick.follow_prompt(view, _goal(view, contract))


def _goal(view: KingView, contract: Contract) -> str:
    """Describe the aim of the contract in a few words."""
    if contract.kind is Kind.POSITIVE:
        return f"Each trick brings {TRICK}" if view.seat == view.dealer else f"{TRICK // 3} if you three win it"
    if contract.tricks and contract.kind is Kind.NEGATIVE:
        return f"Each trick costs {-contract.tricks}"
    if contract.last and contract.kind is Kind.NEGATIVE:
        return f"The last two cost {-contract.last} each"
    if contract is POZ_JAR:
        return "Points are wanted"
    if contract.king_must_fall:
        return still_out(cards_out(view, KING), "")
    among = OF_SUIT[SUIT[view.trick[0]]] if view.trick else contract.scoring
    return still_out(cards_out(view, contract.scoring & among), _COUNTED[contract.text][2])


def middle(canvas: Canvas, layout: Layout, view: KingView, pointed: Pointed, _names: Names) -> None:
    """Paint an explanation of the contract before the first lead, and the trick afterwards.

    A contract under the cursor of the decision box is explained instead of the one that has been named.
    """
    contract = view.contract
    if view.first is not None:
        if layout.tiny and contract is not None:
            paint_contract_line(canvas, layout, title_text(contract.named), _worth(contract))
        trick.paint(canvas, layout, view, _winning(view))
        return
    if isinstance(pointed.action, Naming) and pointed.in_box:
        contract = pointed.action.contract
    if contract is not None:
        explain(canvas, layout, title_text(contract.named), *_explained(view, contract))


def _explained(view: KingView, contract: Contract) -> tuple[str, str]:
    """Return the scoring of a contract, and its special rules."""
    if contract.kind is Kind.POSITIVE:
        rules = f"Any other trick brings the three others {TRICK // (SEATS - 1)} each."
        if contract.trump is not None:
            rules = f"{SUIT_WORDS[contract.trump].capitalize()}s are trump. {rules}"
        elif contract.text == "miser":
            rules = f"The 6 is the highest card, the ace the lowest. {rules}"
        return _worth(contract), rules
    rules = _COUNTED[contract.text][1]
    if contract.king_must_fall:
        rules += " KH must fall at the first chance"
        rules += ", also under AH." if view.options.king_drop == "under-ace" else "."
    return _worth(contract), rules


def _worth(contract: Contract) -> str:
    """Describe the scoring of a contract in a few words."""
    if contract.kind is Kind.POSITIVE:
        return f"{contract.format_points(str(TRICK))} for a dealer's trick"
    return f"{contract.format_points(signed_plus(_each(contract)))} for {_COUNTED[contract.text][0]}"


def _winning(view: KingView) -> int | None:
    return view.contract.order.winner(view.trick) if view.trick and view.contract else None


def decision(view: KingView, names: Names) -> Decision | None:
    """Return the decision box for the contract, an offer, an answer or a claim; ``None`` if only cards can be played."""
    if view.turn != view.seat or not view.legal:
        return None
    if any(isinstance(action, Naming) for action in view.legal):
        return _naming(view, names)
    if view.unclaimed:
        return _answer(view, names)
    if CLAIM in view.legal:
        note = "you collect all that is left, and the round is over"
        claim = Option("claim", CLAIM, _part(view, view.left), note, confirmation=_asks(view))
        return Decision("Claim", (Group((claim,)),), cards_first=True, commit="claim")
    if any(isinstance(action, Offer) for action in view.legal):
        return _offer(view)
    return None


def _naming(view: KingView, names: Names) -> Decision:
    """Return the decision box with all contracts, in which marks show the dealers who can still name each one."""
    seats = [(view.seat + i) % SEATS for i in range(SEATS)]
    by_kind = {kind: [n for n in NAMINGS if n.contract.kind is kind] for kind in Kind}
    namings = [naming for kind in Kind for naming in by_kind[kind]]
    stands = [place for place, naming in enumerate(namings) if naming.contract is view.contract]
    able = [place for place, naming in enumerate(namings) if naming in view.legal]
    pairs = [_option(view, n, seats) for n in by_kind[Kind.POSITIVE]]
    positives = tuple([str(owed(view, seat)[2]) for seat in seats])
    groups = (
        Group(tuple([_option(view, n, seats) for n in by_kind[Kind.NEGATIVE]]), heading=_counting(Kind.NEGATIVE)),
        Group(tuple([_option(view, n, seats) for n in by_kind[Kind.JAR]]), heading=_counting(Kind.JAR), no_gap=True),
        Group(tuple(pairs), 2, heading=_counting(Kind.POSITIVE), marks=positives),
    )
    return Decision(
        "Your contract",
        groups,
        marks=tuple([names[seat][0] for seat in seats]),
        note=f"{LEFT} left  {DECLARED} played",
        start=(stands or able)[0],
        cards_first=view.contract is not None,
        choose="contract",
        commit="name it",
    )


def _counting(kind: Kind) -> str:
    """Return the name of a kind of contract, with its weight in the totals."""
    return f"{kind.value.capitalize()} ×{kind.weight}"


def _option(view: KingView, naming: Naming, seats: list[Seat]) -> Option:
    contract = naming.contract
    positive = contract.kind is Kind.POSITIVE
    label = contract.named.name
    if positive:
        label = contract.text.replace("-", " ")
        label = label if contract.trump is None else f"{SUIT_SIGNS[contract.trump]} {label}"
    marks = () if positive else tuple([DECLARED if contract in view.declared[s] else LEFT for s in seats])
    note = ""
    if naming not in view.legal and contract is view.contract:
        note = "this one stands: lead a card, or name another"
    elif naming not in view.legal:
        note = "you have already played both" if positive else "you have already played it"
    return Option(label, None if note else naming, note=note, worth=_worth(contract), marks=marks)


def _offer(view: KingView) -> Decision:
    offers = [action for action in view.legal if isinstance(action, Offer)]
    options = tuple([
        Option(
            _part(view, offer.points), offer, note=_rest(view, view.left - offer.points),
            confirmation=_asks(view) if offer.points == view.left else "", number=offer.points,
        ) for offer in offers
    ])  # fmt: skip
    start = view.left // 3 - 1
    return Decision(
        "Offer", (Group(options, heading="I collect", single_shown=True),), start=start, cards_first=True,
        choose="number", commit="offer it",
    )  # fmt: skip


def _part(view: KingView, points: int) -> str:
    """Format the cost of collecting ``points``, with the weight of the contract in the totals."""
    assert view.contract is not None
    return view.contract.format_points(signed(-points))


def _asks(view: KingView) -> str:
    """Return the question by which a player confirms to collect all points left."""
    return f"Collect all {_part(view, view.left)}? The round ends"


def _rest(view: KingView, points: int) -> str:
    return f"{_part(view, points)} for the others, or it lapses" if points else "all of it: the round is over"


def _answer(view: KingView, names: Names) -> Decision:
    seat, claims = view.bargains[-1]
    last = len(claims) == SEATS - 1
    options = tuple([
        Option(
            _part(view, action.points), action, note=_after(view, view.unclaimed - action.points, last=last),
            number=action.points,
        ) for action in view.legal if isinstance(action, Take)
    ])  # fmt: skip
    return Decision(
        f"{names[seat]} offers {_part(view, claims[0])}", (Group(options, heading="I take", single_shown=True),),
        choose="number", commit="take it",
    )  # fmt: skip


def _after(view: KingView, rest: int, *, last: bool) -> str:
    if not rest:
        return "all is shared, and the round is over"
    return "the offer lapses" if last else f"{_part(view, rest)} is left to share"


def order(view: KingView) -> list[Card]:
    """Return the player's hand, sorted by suit."""
    return by_suit(view.hand)


def next_round(view: KingView, names: Names) -> tuple[Row, ...]:
    """Return rows with the next dealer and the contracts left to that player."""
    seat = view.finished % SEATS
    negative, jars, positive = owed(view, seat)
    return (
        Row(f"round {view.finished + 1}", (name_and_verb(names[seat], "deals", "deal"),)),
        Row("negatives left", (str(negative),)),
        Row("jars left", (str(jars),)),
        Row("positives left", (str(positive),)),
    )


def coming(view: KingView) -> list[Title | None]:
    """Return the contract of the round in progress, and ``None`` for each later round."""
    return contracts.remaining_titles(view, GAME.contract(view), ROUNDS)


def contracts_left(view: KingView) -> tuple[Row, ...]:
    """Return rows with the contracts left to each dealer, clockwise from the view's seat.

    A contract counts as played from its first lead on.
    """
    if view.playing and view.contract and view.first is not None:
        had = [(*own, view.contract) if s == view.dealer else own for s, own in enumerate(view.declared)]
        view = replace(view, declared=tuple(had))
    seats = [(view.seat + i) % SEATS for i in range(SEATS)]
    once = [contract for contract in CONTRACTS if contract.kind is not Kind.POSITIVE]
    return (
        *[Row(c.named.name, tuple([DECLARED if c in view.declared[s] else LEFT for s in seats])) for c in once],
        Row("Positive", tuple([copies(owed(view, s)[2], POSITIVES) for s in seats])),
    )


PIECE: Final[GameView[KingView]] = GameView(
    header=header,
    plate=plate,
    sections=sections,
    prompt=prompt,
    middle=middle,
    decision=decision,
    order=order,
    next_round=next_round,
    upcoming_titles=coming,
    contracts=Contracts(
        "deal",
        lambda _view, round_: round_ % SEATS,
        contracts_left,
        "Negative and positive contracts count four times in the total, jars once.",
    ),
    previous_trick=trick.previous_trick_view,
    intermediate_views=trick.frames,
    winning=_winning,
)
