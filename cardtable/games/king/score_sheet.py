"""Score sheet of King with real cards: the contract of each round, and what each player has taken or collected."""

from collections.abc import Mapping, Sequence
from operator import mul
from typing import Final

from cardtable.engine.cards import HEARTS, JACK, KING, OF_RANK, OF_SUIT, PACK_36, QUEEN, Cards
from cardtable.engine.game import AnyGame, Seat
from cardtable.engine.text_format import capitalize_first
from cardtable.games.king.rules.actions import (
    CONTRACTS,
    SEATS,
    TRICKS,
    Kind,
    KingContract,
    Options,
    compute_trick_shares,
    list_kinds_by_number,
    list_remaining_namings,
)
from cardtable.scoring.kit import (
    AskedOption,
    ChoiceQuestion,
    CountQuestion,
    RemainingRow,
    RemainingTable,
    Round,
    RoundQuestions,
    ScoredRound,
    Sheet,
    get_choice,
    get_counts,
)

BY_CARDS: Final = "cards"
BY_POINTS: Final = "points"
_BY_TEXT: Final = {contract.text: contract for contract in CONTRACTS}
_LAST_TRICKS: Final = 2
"""Number of tricks at the end of a round that count extra in some contracts."""


def _list_scoring_units(contract: KingContract) -> list[tuple[str, int, int]]:
    """Return the scoring units of a contract, each with its name, its number in a round, and the points of one."""
    tricks = [("tricks", TRICKS, contract.tricks)] if contract.tricks else []
    cards = [(_CARD_NAMES[cards], cards.bit_count(), worth) for cards, worth in contract.cards]
    last = [("last tricks", _LAST_TRICKS, contract.last)] if contract.last else []
    return tricks + cards + last


_CARD_NAMES: Final[dict[Cards, str]] = {
    PACK_36 & OF_SUIT[HEARTS]: "hearts",
    OF_RANK[QUEEN]: "queens",
    OF_RANK[JACK]: "jacks",
    OF_RANK[KING] & OF_SUIT[HEARTS]: "king of hearts",
}


def _create_option(contract: KingContract, closed_reason: str | None) -> AskedOption:
    named = contract.named
    return AskedOption(contract.text, named.short or str(named), closed_reason, named.trump, long_label=named.words)


class KingSheet(Sheet[Options]):
    RULES = ("length",)
    columns = ()
    entry_help = "the contract, then what each player took"

    def __init__(self, game: AnyGame, options: Options, seats: int, first_seat: Seat) -> None:
        super().__init__(game, options, seats, first_seat)
        self._declared: list[tuple[KingContract, ...]] = [()] * SEATS
        self.end_condition = f"ends after {options.rounds} rounds; points count four times, those of jars once"

    def _create_contract_options(self) -> tuple[AskedOption, ...]:
        namings = list_remaining_namings(self._declared[self.next_seat], self.options.quota)
        remaining = [naming.contract for naming in namings]
        closed = {contract: self._explain_played(contract) for contract in CONTRACTS if contract not in remaining}
        return tuple([_create_option(contract, closed.get(contract)) for contract in CONTRACTS])

    def _explain_played(self, contract: KingContract) -> str:
        """Return the reason why the next dealer can no longer name ``contract``."""
        kind, contract_text = contract.kind, str(contract.named)
        if kind is Kind.POSITIVE or contract not in self._declared[self.next_seat]:
            number = self.options.quota.get_number(kind)
            name = "jar" if kind is Kind.JAR else f"{kind.value} contract"
            contract_text = f"{'both' if number == 2 else f'all {number}'} {name}s" if number > 1 else f"a {name}"
        return f"this dealer has already played {contract_text}"

    def create_questions(self, chosen: Mapping[str, str]) -> RoundQuestions:
        choices = [ChoiceQuestion("contract", "Contract", self._create_contract_options())]
        contract = _BY_TEXT.get(chosen.get("contract", ""))
        rows: list[CountQuestion] = []
        if contract and contract.kind is Kind.POSITIVE:
            rows = [CountQuestion("tricks", "Dealer's tricks", "tricks of the dealer", TRICKS, (self.next_seat,))]
        elif contract:
            counts = (AskedOption(BY_CARDS, "what was taken"), AskedOption(BY_POINTS, "points, after an offer"))
            choices.append(ChoiceQuestion("by", "Count", counts, BY_CARDS))
            if chosen.get("by", BY_CARDS) == BY_CARDS:
                rows = [
                    CountQuestion(name.replace(" ", "_"), capitalize_first(name), name, number, self.all_seats, number)
                    for name, number, _ in _list_scoring_units(contract)
                ]
            else:
                all_ = abs(contract.total_points)
                rows = [CountQuestion("points", "Points", "points", all_, self.all_seats, all_)]
        return RoundQuestions(self.next_seat, "deals", tuple(choices), tuple(rows))

    def score_round(self, entered: Round) -> ScoredRound:
        contract = _BY_TEXT[get_choice(entered, "contract")]
        nothing: tuple[tuple[int, ...], ...] = ((),) * SEATS
        if contract.kind is Kind.POSITIVE:
            own = get_counts(entered, "tricks")[self.next_seat]
            shares = zip(
                compute_trick_shares(self.next_seat, self.next_seat),
                compute_trick_shares(self.next_seat, (self.next_seat + 1) % SEATS),
                strict=True,
            )
            points = tuple([own * mine + (TRICKS - own) * theirs for mine, theirs in shares])
        elif get_choice(entered, "by") == BY_POINTS:
            sign = 1 if contract.total_points > 0 else -1
            points = tuple([sign * collected for collected in get_counts(entered, "points")])
        else:
            worth = [points for _, _, points in _list_scoring_units(contract)]
            taken = [get_counts(entered, name.replace(" ", "_")) for name, _, _ in _list_scoring_units(contract)]
            points = tuple([sum(map(mul, worth, of_seat)) for of_seat in zip(*taken, strict=True)])
        return ScoredRound(contract.named, nothing, points, weight=contract.weight)

    def record_round(self, entered: Round) -> None:
        self._declared[self.next_seat] += (_BY_TEXT[get_choice(entered, "contract")],)

    def create_remaining_tables(self) -> Sequence[RemainingTable]:
        once = [contract for contract in CONTRACTS if contract.kind is not Kind.POSITIVE]
        quota = self.options.quota
        open_to = [[naming.contract for naming in list_remaining_namings(own, quota)] for own in self._declared]
        rows = [
            RemainingRow(contract.named.name, tuple([(int(contract in remaining), 1) for remaining in open_to]))
            for contract in once
        ]
        left = [quota.count_left(own) for own in self._declared]
        numbers = [
            RemainingRow(
                kind.value.capitalize(), tuple([(own.get_number(kind), quota.get_number(kind)) for own in left])
            )
            for kind in list_kinds_by_number(quota)
        ]
        return (RemainingTable("Contracts left", tuple(self.all_seats), (*rows, *numbers)),)


SHEET: Final = KingSheet
