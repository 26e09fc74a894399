"""Table view of King: contracts with the dealers who can still name them, offers and answers, scoring cards taken."""

from typing import Final

from msgspec.structs import replace

from cardtable.engine.cards import OF_SUIT, SUIT, SUIT_WORDS
from cardtable.engine.game import Event, Seat, Title
from cardtable.engine.text_format import format_count
from cardtable.games.king.rules import GAME, KingView
from cardtable.games.king.rules.actions import (
    CLAIM,
    CONTRACTS,
    KING_BIT,
    NAMINGS,
    POZ_JAR,
    SEATS,
    TRICK_POINTS,
    TRICKS,
    Kind,
    KingContract,
    Naming,
    Offer,
    Quota,
    Take,
    list_kinds_by_number,
    list_remaining_namings,
)
from cardtable.ui.game_view import trick_game
from cardtable.ui.game_view.decision import Decision, Group, Option
from cardtable.ui.game_view.game_view import HeaderFacts, Row, SeatPlate, Section, find_winning_index, sort_by_suit
from cardtable.ui.game_view.hand_cursor import CursorState
from cardtable.ui.game_view.trick_game import (
    DECLARED,
    REMAINING,
    TrickTableView,
    describe_cards_out,
    find_cards_out,
    format_copies,
    paint_contract_line,
    paint_explanation,
)
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.painting.layout import Layout
from cardtable.wording.formatting import (
    SUIT_SIGNS,
    YOU,
    format_gain,
    format_number,
    format_round_title,
    join_name_and_verb,
)
from cardtable.wording.players import Names

_PENALTIES: Final = [contract for contract in CONTRACTS if contract.kind is Kind.NEGATIVE]


def _list_jar_points(verb: str) -> str:
    trick, heart, queen, jack, last, king = [-contract.unit_points for contract in _PENALTIES]
    courts = f"a queen {queen}, a jack {jack}"
    return f"A trick {verb} {trick}, a heart {heart}, {courts}, tricks 8 and 9 {last} more each, KH {king} more."


_NO_HEART_LEAD: Final = "You may not lead a heart while you hold another suit."
_SCORING_TEXTS: Final = {
    "no-tricks": ("a trick", "Every trick costs.", "tricks"),
    "no-hearts": ("a heart", _NO_HEART_LEAD, "hearts"),
    "no-queens": ("a queen", "The round ends with the fourth queen.", "queens"),
    "no-jacks": ("a jack", "The round ends with the fourth jack.", "jacks"),
    "no-last-two": ("tricks 8, 9", "The tricks before them cost nothing.", ""),
    "no-king": ("KH", _NO_HEART_LEAD, ""),
    "neg-jar": (
        "all six penalties",
        f"{_list_jar_points('costs')} {_NO_HEART_LEAD}",
        "cards",
    ),
    "poz-jar": ("all six as gains", f"{_list_jar_points('brings')} {_NO_HEART_LEAD} KH need not go.", "cards"),
}
"""Texts for contracts that are not positive: scoring unit, remark on the rules, and name of the scoring cards."""


class KingTableView(TrickTableView[KingView]):
    declarer_heading = "deal"
    contracts_note = "Negative and positive contracts count four times in the total, jars once."

    def header(self, view: KingView) -> HeaderFacts:
        """Return the number of the round, with the current trick during play and with the contract after the round."""
        round_ = f"round {view.round} of {view.options.rounds}"
        if view.playing and view.first is not None:
            return HeaderFacts(round_, (f"trick {min(view.complete + 1, TRICKS)} of {TRICKS}",))
        played = (format_round_title(view.contract.named),) if view.contract and not view.playing else ()
        return HeaderFacts(round_, played)

    def plate(self, view: KingView, seat: Seat) -> SeatPlate:
        """Return the tricks and scoring cards of a seat, or its part in the offer that is being answered."""
        role = "dealer" if seat == view.dealer else ""
        if view.first is None:
            return SeatPlate(format_count(TRICKS, "card"), role)
        fact = format_count(view.won[seat], "trick")
        if view.unclaimed:
            offerer, claims = view.bargains[-1]
            index = (seat - offerer) % SEATS
            if index < len(claims):
                fact, role = _format_cost(view, claims[index]), "share" if index else "offer"
        return SeatPlate(fact, role, tuple(sort_by_suit(view.scoring_cards_taken[seat])))

    def sections(self, view: KingView, names: Names) -> tuple[Section, ...]:
        """Return the contract and the points so far; before the first lead, the contracts left to each dealer."""
        contract, seats = view.contract, [(view.seat + i) % SEATS for i in range(SEATS)]
        if contract is None or view.first is None:
            deal = f"{len(view.declared[view.dealer]) + 1} of {view.options.deals_each}"
            named = deal if contract is None else format_round_title(contract.named)
            owner = "your" if names[view.dealer] == YOU else f"{names[view.dealer]}'s"
            rows = [Row(names[s], tuple(map(str, count_remaining(view, s))), own=s == view.seat) for s in seats]
            heading = Row("left", ("neg", "jar", "pos"), heading=True)
            return Section(f"Round {view.round}", "", (Row(f"{owner} deal", (named,)),)), Section(rows=(heading, *rows))
        table = [Row(names[s], (str(view.won[s]), format_number(view.points[s])), own=s == view.seat) for s in seats]
        return (
            Section(format_round_title(contract.named), "", tuple(_create_fact_rows(view, contract, names))),
            Section(rows=(Row("", ("tricks", contract.format_points("pts")), heading=True), *table)),
        )

    def prompt(self, view: KingView, pointed: CursorState) -> tuple[str, ...]:
        """Return the task of the player to act, and the rule or reason behind it."""
        contract = view.contract
        if contract is None:
            return "Name the contract.", "Final once you lead"
        if view.unclaimed:
            return "How much do you take?", f"{_format_cost(view, view.unclaimed)} to share"
        if view.first is None:
            if pointed.in_box:
                return "Another contract?", f"Now it is {format_round_title(contract.named)}"
            more = any(isinstance(action, Naming) for action in view.legal)
            return "You lead.", f"{format_round_title(contract.named)}{'; {switch} changes it' if more else ''}"
        if view.must_play_king:
            suit = SUIT[view.trick[0]]
            reason = "AH is in the trick" if view.hand & OF_SUIT[suit] else f"you have no {SUIT_WORDS[suit]}s"
            return "You must play KH:", reason
        return trick_game.format_follow_prompt(view, _describe_goal(view, contract))

    def middle(self, canvas: Canvas, layout: Layout, view: KingView, pointed: CursorState, _names: Names) -> None:
        """Paint an explanation of the contract before the first lead, and the trick afterwards.

        A contract under the cursor of the decision box is explained instead of the one that has been named.
        """
        contract = view.contract
        if view.first is not None:
            if layout.tiny and contract is not None:
                paint_contract_line(canvas, layout, format_round_title(contract.named), _format_scoring(contract))
            trick_game.paint_trick(canvas, layout, view, find_winning_index(GAME, view))
            return
        if isinstance(pointed.action, Naming) and pointed.in_box:
            contract = pointed.action.contract
        if contract is not None:
            paint_explanation(canvas, layout, format_round_title(contract.named), *_explain_contract(view, contract))

    def decision(self, view: KingView, names: Names) -> Decision | None:
        """Return the decision box for the contract, an offer, an answer or a claim.

        ``None`` if only cards can be played.
        """
        if view.turn != view.seat or not view.legal:
            return None
        if any(isinstance(action, Naming) for action in view.legal):
            return _create_naming_decision(view, names)
        if view.unclaimed:
            return _create_answer_decision(view)
        if CLAIM in view.legal:
            note = "You take all that is left, and the round is over"
            claim = Option(
                "claim", CLAIM, _format_cost(view, view.points_left), note, confirmation=_format_confirmation(view)
            )
            return Decision("Claim", (Group((claim,)),), cards_first=True, switch="claim", commit="claim")
        if any(isinstance(action, Offer) for action in view.legal):
            return _create_offer_decision(view)
        return None

    def next_round(self, view: KingView, names: Names) -> tuple[Row, ...]:
        """Return rows with the next dealer and the contracts left to that player."""
        seat = view.finished % SEATS
        negative, jars, positive = count_remaining(view, seat)
        return (
            Row(f"round {view.finished + 1}", (join_name_and_verb(names[seat], "deals", "deal"),)),
            Row("negatives left", (str(negative),)),
            Row("jars left", (str(jars),)),
            Row("positives left", (str(positive),)),
        )

    def upcoming_titles(self, view: KingView) -> list[Title | None]:
        return trick_game.list_remaining_titles(view, GAME.contract(view), view.options.rounds)

    def contracts_left(self, view: KingView) -> tuple[Row, ...]:
        """Return rows with the contracts left to each dealer, clockwise from the view's seat.

        A contract counts as played from its first lead on.
        """
        if view.playing and view.contract and view.first is not None:
            had = [(*own, view.contract) if s == view.dealer else own for s, own in enumerate(view.declared)]
            view = replace(view, declared=tuple(had))
        seats = [(view.seat + i) % SEATS for i in range(SEATS)]
        quota, by_number = view.options.quota, list_kinds_by_number(view.options.quota)
        once = [naming for naming in NAMINGS if naming.contract.kind is not Kind.POSITIVE]
        return (
            *[Row(n.contract.named.name, tuple([_get_mark(view, n, s) for s in seats])) for n in once],
            *[
                Row(
                    kind.value.capitalize(),
                    tuple([
                        format_copies(count_remaining(view, s).get_number(kind), quota.get_number(kind)) for s in seats
                    ]),
                )
                for kind in by_number
            ],
        )  # fmt: skip

    def intermediate_views(self, event: Event, before: KingView, after: KingView) -> tuple[KingView, ...]:
        """Return the views to show between two views; the contract of the round is not counted yet."""
        views = super().intermediate_views(event, before, after)
        return tuple([replace(view, declared=before.declared) for view in views])

    def declarer(self, _view: KingView, round_: int) -> Seat:
        return round_ % SEATS


def _create_fact_rows(view: KingView, contract: KingContract, names: Names) -> list[Row]:
    """Return rows with the scoring of the contract, the dealer, and the points still to take."""
    if contract.kind is Kind.POSITIVE:
        own = "your trick" if names[view.dealer] == YOU else "dealer's trick"
        share = contract.format_points(f"{TRICK_POINTS // (SEATS - 1)} each")
        return [Row(own, (contract.format_points(str(TRICK_POINTS)),)), Row("any other", (share,))]
    counting = _PENALTIES if contract.kind is Kind.JAR else [contract]
    sign = 1 if contract == POZ_JAR else -1
    worths = [contract.format_points(format_gain(sign * abs(each.unit_points))) for each in counting]
    facts = [Row(_SCORING_TEXTS[each.text][0], (worth,)) for each, worth in zip(counting, worths, strict=True)]
    facts.append(Row("dealer", (names[view.dealer],)))
    if contract.kind is Kind.NEGATIVE:
        facts.append(Row("still to take", (_format_cost(view, view.points_left),)))
    return facts


def count_remaining(view: KingView, seat: Seat) -> Quota:
    """Return the numbers of contracts that a dealer has still to play.

    A contract counts as played once its round is finished.
    """
    return view.options.quota.count_left(view.declared[seat])


def _describe_goal(view: KingView, contract: KingContract) -> str:
    """Describe the aim of the contract in a few words."""
    if contract.kind is Kind.POSITIVE:
        return (
            f"Each trick brings {TRICK_POINTS}"
            if view.seat == view.dealer
            else f"Your side: {TRICK_POINTS // 3} a trick"
        )
    if contract.tricks and contract.kind is Kind.NEGATIVE:
        return f"Each trick costs {-contract.tricks}"
    if contract.last and contract.kind is Kind.NEGATIVE:
        return f"The last two cost {-contract.last} each"
    if contract == POZ_JAR:
        return "You want points here"
    if contract.king_must_fall:
        return describe_cards_out(find_cards_out(view, KING_BIT), "")
    among = OF_SUIT[SUIT[view.trick[0]]] if view.trick else contract.scoring_cards
    return describe_cards_out(find_cards_out(view, contract.scoring_cards & among), _SCORING_TEXTS[contract.text][2])


def _explain_contract(view: KingView, contract: KingContract) -> tuple[str, str]:
    """Return the scoring of a contract, and its special rules."""
    if contract.kind is Kind.POSITIVE:
        rules = f"Any other trick brings the three others {TRICK_POINTS // (SEATS - 1)} each."
        if contract.trump is not None:
            rules = f"{SUIT_WORDS[contract.trump].capitalize()}s are trump. {rules}"
        elif contract.text == "miser":
            rules = f"The 6 is the highest card, the ace the lowest. {rules}"
        return _format_scoring(contract), rules
    rules = _SCORING_TEXTS[contract.text][1]
    if contract.king_must_fall:
        rules += " KH must go at the first chance"
        rules += ", also under AH." if view.options.king_drop == "under-ace" else "."
    return _format_scoring(contract), rules


def _format_scoring(contract: KingContract) -> str:
    """Describe the scoring of a contract in a few words."""
    if contract.kind is Kind.POSITIVE:
        return f"{contract.format_points(str(TRICK_POINTS))} for a dealer's trick"
    return f"{contract.format_points(format_gain(contract.unit_points))} for {_SCORING_TEXTS[contract.text][0]}"


def _create_naming_decision(view: KingView, names: Names) -> Decision:
    """Return the decision box with all contracts, in which marks show the dealers who can still name each one."""
    seats = [(view.seat + i) % SEATS for i in range(SEATS)]
    by_kind = {kind: [n for n in NAMINGS if n.contract.kind is kind] for kind in Kind}
    namings = [naming for kind in Kind for naming in by_kind[kind]]
    current = [index for index, naming in enumerate(namings) if naming.contract == view.contract]
    available = [index for index, naming in enumerate(namings) if naming in view.legal]
    by_number = list_kinds_by_number(view.options.quota)
    groups = tuple([
        Group(
            tuple([_create_option(view, naming, seats) for naming in by_kind[kind]]),
            2 if kind is Kind.POSITIVE else 1,
            heading=f"{kind.value.capitalize()} ×{kind.weight}",
            marks=tuple([str(count_remaining(view, s).get_number(kind)) for s in seats]) if kind in by_number else (),
            no_gap=kind is Kind.JAR,
        )
        for kind in Kind
    ])  # fmt: skip
    is_choice = Kind.NEGATIVE in by_number
    return Decision(
        "Your contract",
        groups,
        marks=tuple([names[seat][0] for seat in seats]),
        note=f"{REMAINING} open  {DECLARED} closed" if is_choice else f"{REMAINING} left  {DECLARED} played",
        start=(current or available)[0],
        cards_first=view.contract is not None,
        switch="contract",
        choose="contract",
        commit="name it",
    )


def _create_option(view: KingView, naming: Naming, seats: list[Seat]) -> Option:
    contract = naming.contract
    positive = contract.kind is Kind.POSITIVE
    label = contract.named.name
    if positive:
        label = contract.text.replace("-", " ")
        label = label if contract.trump is None else f"{SUIT_SIGNS[contract.trump]} {label}"
    marks = () if positive else tuple([_get_mark(view, naming, seat) for seat in seats])
    note = ""
    if naming not in view.legal and contract == view.contract:
        note = "Current contract. Lead a card, or pick another."
    elif naming not in view.legal:
        note = _explain_played(view, contract)
    return Option(label, None if note else naming, note=note, worth=_format_scoring(contract), marks=marks)


def _get_mark(view: KingView, naming: Naming, seat: Seat) -> str:
    return REMAINING if naming in list_remaining_namings(view.declared[seat], view.options.quota) else DECLARED


def _explain_played(view: KingView, contract: KingContract) -> str:
    """Return the reason why the view's seat can no longer name ``contract``."""
    if contract.kind is not Kind.POSITIVE and contract in view.declared[view.seat]:
        return "You have already played it"
    number = view.options.quota.get_number(contract.kind)
    played = {1: "one of them", 2: "both"}.get(number, f"all {number} of yours")
    return f"You have already played {played}"


def _create_offer_decision(view: KingView) -> Decision:
    offers = [action for action in view.legal if isinstance(action, Offer)]
    options = tuple([
        Option(
            _format_cost(view, offer.points), offer, note=_describe_rest(view, view.points_left - offer.points),
            confirmation=_format_confirmation(view) if offer.points == view.points_left else "", number=offer.points,
        ) for offer in offers
    ])  # fmt: skip
    start = view.points_left // 3 - 1
    return Decision(
        "Offer to end it", (Group(options, heading="I take", single_shown=True),), start=start, cards_first=True,
        switch="offer", choose="number", commit="offer it",
    )  # fmt: skip


def _format_cost(view: KingView, points: int) -> str:
    """Format the cost of taking ``points``, with the weight of the contract in the totals."""
    assert view.contract is not None
    return view.contract.format_points(format_number(-points))


def _format_confirmation(view: KingView) -> str:
    return f"Take all {_format_cost(view, view.points_left)}? The round ends"


def _describe_rest(view: KingView, points: int) -> str:
    if not points:
        return "That is all of it: the round is over"
    return f"The round ends at once if the others share {_format_cost(view, points)}"


def _create_answer_decision(view: KingView) -> Decision:
    _, claims = view.bargains[-1]
    last = len(claims) == SEATS - 1
    options = tuple([
        Option(
            _format_cost(view, action.points), action,
            note=_describe_answer_result(view, view.unclaimed - action.points, is_last=last),
            number=action.points,
        ) for action in view.legal if isinstance(action, Take)
    ])  # fmt: skip
    return Decision(
        "An offer to end it", (Group(options, heading="I take", single_shown=True),),
        choose="number", commit="take it",
    )  # fmt: skip


def _describe_answer_result(view: KingView, rest: int, *, is_last: bool) -> str:
    if not rest:
        return "All is shared: the round ends"
    if is_last:
        return f"{_format_cost(view, rest)} nobody takes: play goes on"
    return f"The round ends if the others share {_format_cost(view, rest)}"


TABLE_VIEW: Final = KingTableView()
