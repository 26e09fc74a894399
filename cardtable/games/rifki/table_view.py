"""Table view of Rifki: the contract, contracts left to declare, penalty cards taken, and the direction of play."""

from typing import Final

from msgspec.structs import replace

from cardtable.engine.cards import HEARTS, OF_SUIT, PACK_52, SUIT, SUIT_WORDS, Cards
from cardtable.engine.game import Event, Seat, Title
from cardtable.engine.text_format import format_count
from cardtable.games.rifki.rules import (
    CARDS_EACH,
    CONTRACTS,
    EL_ALMAZ,
    ERKEK,
    GAME,
    KIZ,
    KUPA,
    NEGATIVE_CONTRACTS,
    RIFKI,
    SEATS,
    SON_IKI,
    TIMES_EACH,
    TRUMP_CONTRACTS,
    Options,
    Quota,
    RifkiContract,
    RifkiView,
    explain_closed_contract,
)
from cardtable.ui.game_view import trick_game
from cardtable.ui.game_view.decision import Decision, Group, Option
from cardtable.ui.game_view.game_view import HeaderFacts, Row, SeatPlate, Section, find_winning_index, sort_by_suit
from cardtable.ui.game_view.hand_cursor import CursorState
from cardtable.ui.game_view.trick_game import (
    TrickTableView,
    describe_cards_out,
    find_cards_out,
    format_copies,
    join_cards,
    paint_contract_line,
    paint_explanation,
)
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.painting.layout import Layout
from cardtable.wording.formatting import (
    SUIT_SIGNS,
    format_gain,
    format_number,
    format_round_title,
    join_name_and_verb,
    join_or,
)
from cardtable.wording.players import Names

_UNIT_TEXTS: Final = {
    RIFKI.name: ("KH", "KH"),
    KIZ.name: ("a queen", "queens"),
    ERKEK.name: ("a king or jack", "K and J"),
    KUPA.name: ("a heart", "hearts"),
    SON_IKI.name: ("tricks 12, 13", "last"),
    EL_ALMAZ.name: ("a trick", "tricks"),
}
"""Names of a contract's scoring unit, by contract: with its article, and as a column heading."""
_TRICK_TEXTS: Final = ("a trick", "tricks")
_RULE_TEXTS: Final = {
    RIFKI.name: "You must play KH under AH, and discard it when you can't follow suit.",
    KIZ.name: "You must play a queen under a higher card of its suit, and discard one when you can't follow suit.",
    ERKEK.name: "You must play a king or jack under a higher card of its suit, and discard one when you can't "
    "follow suit.",
    KUPA.name: "You must play a heart under a higher one, and discard one when you can't follow suit.",
    SON_IKI.name: "Only the last two tricks cost points.",
    EL_ALMAZ.name: "Every trick costs points. You only have to follow suit.",
}


class RifkiTableView(TrickTableView[RifkiView]):
    declarer_heading = "by"

    def header(self, view: RifkiView) -> HeaderFacts:
        round_ = f"round {view.round} of {view.options.rounds}"
        if not view.playing or view.opening:
            return HeaderFacts(round_)
        return HeaderFacts(round_, (f"trick {min(sum(view.won) + 1, CARDS_EACH)} of {CARDS_EACH}",))

    def plate(self, view: RifkiView, seat: Seat) -> SeatPlate:
        """Return the number of tricks taken by ``seat``, its role and its penalty cards.

        Before the first lead the plate shows the number of cards and the role in the deal.
        """
        if view.declarer is None:
            return SeatPlate()
        index = (seat - view.declarer) * view.options.step % SEATS
        if view.opening:
            return SeatPlate(format_count(CARDS_EACH, "card"), ("declarer", "", "cuts", "dealer")[index])
        role = "led" if view.trick and seat == view.leader else "declarer" if not index else ""
        return SeatPlate(format_count(view.won[seat], "trick"), role, tuple(sort_by_suit(view.taken[seat])))

    def sections(self, view: RifkiView, names: Names) -> tuple[Section, ...]:
        """Return the side sections: the contract, and the units and points of each player.

        Before the declaration they show the numbers of contracts that each player has still to declare.
        """
        contract = view.contract
        direction = [Row("play goes", ("right",))] if view.options.step == trick_game.COUNTER_CLOCKWISE else []
        declares = [] if view.declarer is None else [Row("declarer", (names[view.declarer],))]
        seats = [(view.seat + i) % SEATS for i in range(SEATS)]
        if contract is None:
            rows = [Row(names[s], tuple(map(str, count_remaining(view, s))), own=s == view.seat) for s in seats]
            heading = Row("left", ("negative", "Koz"), heading=True)
            return Section(f"Round {view.round}", "", (*declares, *direction)), Section(rows=(heading, *rows))
        one, all_of_it = _get_unit_texts(contract)
        facts = [Row(one, (format_gain(contract.worth),)), *declares, *direction]
        if contract.penalties and contract.number > 1 and not view.opening:
            facts.append(Row(f"{all_of_it} taken", (f"{sum(view.counts)} of {contract.number}",)))
        if contract.hearts_wait and not view.opening:
            facts.append(Row("hearts", ("must wait" if view.hearts_shut else "may be led",)))
        table = [
            Row(names[s], (str(view.counts[s]), format_number(view.counts[s] * contract.worth)), own=s == view.seat)
            for s in seats
        ]
        return (
            Section(format_contract_title(contract), "", tuple(facts)),
            Section(rows=(Row("", (all_of_it, "points"), heading=True), *table)),
        )

    def prompt(self, view: RifkiView, _pointed: CursorState) -> tuple[str, str]:
        contract = view.contract
        if contract is None:
            return "You declare.", "Final once you lead"
        if not view.trick:
            if view.opening:
                more = any(isinstance(action, RifkiContract) for action in view.legal)
                return "You lead.", f"{format_contract_title(contract)}{'; {switch} changes it' if more else ''}"
            shut = view.hearts_shut and view.hand & OF_SUIT[HEARTS] and view.hand & ~OF_SUIT[HEARTS]
            return "You lead.", "Hearts must wait" if shut else _format_cards_out(view, contract)
        led = SUIT[view.trick[0]]
        playable = sum([action.cards_used() for action in view.legal])
        word = SUIT_WORDS[led]
        if not view.hand & OF_SUIT[led]:
            return f"No {word}s:", _format_discard(contract, playable, view.hand)
        if contract.penalties & playable == playable and playable != view.hand & OF_SUIT[led]:
            return f"Play {join_cards(playable, join_or)}:", f"a higher {word} was played"
        return f"Follow {word}s.", _format_cards_out(view, contract, OF_SUIT[led])

    def middle(self, canvas: Canvas, layout: Layout, view: RifkiView, pointed: CursorState, _names: Names) -> None:
        """Paint the contract and its rules until the first lead, then the trick.

        While the cursor is in the decision box, the contract under the cursor is explained.
        """
        step = view.options.step
        if not view.opening:
            trick_game.paint_trick(canvas, layout, view, find_winning_index(GAME, view), step=step)
            if layout.tiny and view.contract is not None:
                paint_contract_line(
                    canvas, layout, format_contract_title(view.contract), _format_scoring(view.contract)
                )
            return
        if step == trick_game.COUNTER_CLOCKWISE and not layout.tiny:
            trick_game.paint_arrows(canvas, layout)
        contract = pointed.action if pointed.in_box and isinstance(pointed.action, RifkiContract) else view.contract
        if contract is not None:
            paint_explanation(
                canvas,
                layout,
                format_contract_title(contract),
                _format_scoring(contract),
                _format_rules(view.options, contract),
            )

    def decision(self, view: RifkiView, names: Names) -> Decision | None:
        """Return the decision box with all contracts; ``None`` if the view's seat cannot declare one.

        Negative contracts show how often they may still be played. Closed contracts stay visible with the reason.
        """
        if not any(isinstance(action, RifkiContract) for action in view.legal):
            return None
        seats = [(view.seat + i) % SEATS for i in range(SEATS)]
        owed = [count_remaining(view, seat) for seat in seats]
        groups = (
            Group(
                tuple([_create_option(view, c) for c in NEGATIVE_CONTRACTS]),
                heading="Negative",
                marks=tuple([str(n) for n, _ in owed]),
            ),
            Group(
                tuple([_create_option(view, c) for c in TRUMP_CONTRACTS]),
                2,
                heading="Koz",
                marks=tuple([str(n) for _, n in owed]),
            ),
        )
        actions = [option.action for group in groups for option in group.options]
        current = CONTRACTS.index(view.contract) if view.contract else None
        return Decision(
            "Your contract",
            groups,
            marks=tuple([names[seat][0] for seat in seats]),
            start=next(i for i, action in enumerate(actions) if action) if current is None else current,
            cards_first=view.contract is not None,
            switch="contract",
            choose="contract",
            commit="declare",
        )

    def next_round(self, view: RifkiView, names: Names) -> tuple[Row, ...]:
        """Return rows about the next round: its declarer, and the contracts left to that player."""
        assert view.declarer is not None
        seat = (view.declarer + view.options.step) % SEATS
        negative, koz = count_remaining(view, seat)
        return (
            Row(f"round {view.finished + 1}", (join_name_and_verb(names[seat], "declares", "declare"),)),
            Row("negative left", (str(negative),)),
            Row("Koz left", (str(koz),)),
        )

    def upcoming_titles(self, view: RifkiView) -> list[Title | None]:
        return trick_game.list_remaining_titles(view, GAME.contract(view), view.options.rounds)

    def declarer(self, view: RifkiView, round_: int) -> Seat | None:
        """Return the declarer of round ``round_``, counted from 0; ``None`` until the first declarer is known."""
        return None if view.starter is None else (view.starter + round_ * view.options.step) % SEATS

    def contracts_left(self, view: RifkiView) -> tuple[Row, ...]:
        """Return rows with the contracts left to each player, and the times left for each negative contract.

        The contract of the round in progress counts as played once the first card is led.
        """
        if view.playing and view.contract and not view.opening:
            view = replace(view, declared=(*view.declared, view.contract))
        quota, left = view.options.quota, [count_remaining(view, (view.seat + i) % SEATS) for i in range(SEATS)]
        return (
            Row("Negative", tuple([format_copies(own.negative, quota.negative) for own in left])),
            Row("Koz", tuple([format_copies(own.trump, quota.trump) for own in left])),
            *[
                Row(c.named.name, (format_copies(TIMES_EACH - view.declared.count(c), TIMES_EACH),))
                for c in NEGATIVE_CONTRACTS
            ],
        )

    def intermediate_views(self, event: Event, before: RifkiView, after: RifkiView) -> tuple[RifkiView, ...]:
        """Return the views to show between two views; the contract of the round is not counted yet."""
        views = super().intermediate_views(event, before, after)
        return tuple([replace(view, declared=before.declared) for view in views])


def count_remaining(view: RifkiView, seat: Seat) -> Quota:
    """Return the number of negative and of trump contracts that ``seat`` has not declared in finished rounds."""
    return view.options.quota.count_left(view.list_declared(seat))


def format_contract_title(contract: RifkiContract) -> str:
    return format_round_title(contract.named)


def _get_unit_texts(contract: RifkiContract) -> tuple[str, str]:
    return _UNIT_TEXTS.get(contract.name, _TRICK_TEXTS)


def _format_discard(contract: RifkiContract, playable: Cards, hand: Cards) -> str:
    """Return the prompt for a player who cannot follow suit; ``playable`` holds the cards that are legal."""
    if contract.trump is not None and playable & OF_SUIT[contract.trump]:
        return f"trump with {join_cards(playable, join_or)}"
    if playable == hand:
        return "play any card"
    return f"discard {join_cards(playable, join_or)}"


def _format_cards_out(view: RifkiView, contract: RifkiContract, among: Cards = PACK_52) -> str:
    """Return a text about the penalty cards in ``among`` that the other players still hold."""
    return describe_cards_out(find_cards_out(view, contract.penalties & among), _get_unit_texts(contract)[1])


def _format_scoring(contract: RifkiContract) -> str:
    """Return the points for one scoring unit of a contract: ``−100 for a queen``."""
    return f"{format_gain(contract.worth)} for {_get_unit_texts(contract)[0]}"


def _format_rules(options: Options, contract: RifkiContract) -> str:
    """Return the special rules of ``contract`` in sentences, as the house rules define them."""
    if contract.trump is not None:
        limit = "above the trumps in it if you can" if options.must_overruff else "even below a trump in it"
        return f"You must trump when you can't follow suit, {limit}."
    opened = "discarded" if options.hearts_unlock == "discard" else "played"
    wait = f"No heart may be led until one was {opened}. " if contract.hearts_wait else ""
    return wait + _RULE_TEXTS[contract.name]


def _create_option(view: RifkiView, contract: RifkiContract) -> Option:
    label = contract.named.name if contract.trump is None else f"{SUIT_SIGNS[contract.trump]} {contract.name}"
    times = TIMES_EACH - view.declared.count(contract)
    effect = f"{times} left" if contract.trump is None else ""
    if contract in view.legal:
        return Option(label, contract, effect, worth=_format_scoring(contract))
    return Option(label, None, effect, note=explain_closed_contract(view, contract), worth=_format_scoring(contract))


TABLE_VIEW: Final = RifkiTableView()
