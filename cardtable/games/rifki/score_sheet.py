"""Score sheet of Rifki with real cards: for each round an available contract and the units of each player."""

from collections.abc import Mapping, Sequence
from typing import Final

from cardtable.engine.game import AnyGame, Contract, Seat
from cardtable.engine.text_format import capitalize_first
from cardtable.games.rifki.rules import (
    NEGATIVE_CONTRACTS,
    SEATS,
    TIMES_EACH,
    TRUMP_CONTRACTS,
    Options,
    RifkiContract,
    list_available_contracts,
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

TRUMP_KEY: Final = "koz"
"""Key that the sheet uses for all four trump contracts, whose points do not depend on the suit."""
_CONTRACTS: Final = {**{contract.name: contract for contract in NEGATIVE_CONTRACTS}, TRUMP_KEY: TRUMP_CONTRACTS[0]}
_TITLES: Final = {
    name: Contract("Koz") if name == TRUMP_KEY else contract.named for name, contract in _CONTRACTS.items()
}
_UNIT_NAMES: Final = {
    "rifki": "king of hearts",
    "kiz": "queens",
    "erkek": "kings and jacks",
    "kupa": "hearts",
    "son-iki": "last tricks",
    "el-almaz": "tricks",
    TRUMP_KEY: "tricks",
}


class RifkiSheet(Sheet[Options]):
    RULES = ("direction", "length")
    columns = ("taken",)
    entry_help = "the contract, then what each player took"

    def __init__(self, game: AnyGame, options: Options, seats: int, first_seat: Seat) -> None:
        super().__init__(game, options, seats, first_seat)
        self._declared: list[RifkiContract] = []
        self.end_condition = f"ends after {options.rounds} rounds; above 0: safe, below 0: sunk"

    def find_round_seat(self, number: int) -> Seat:
        return (self.first_seat + self.options.step * (number - 1)) % SEATS

    def _explain_closed(self, contract: RifkiContract) -> str | None:
        if contract in list_available_contracts(self._declared, self.finished % SEATS, self.options.quota):
            return None
        is_full = self.options.length == "full"
        if contract.trump is not None:
            return f"this player has declared {'both trump contracts' if is_full else 'a trump contract'}"
        if self._declared.count(contract) == TIMES_EACH:
            return f"{contract.named} has been played twice already"
        return f"this player has declared {'all 3' if is_full else 'both'} negative contracts"

    def create_questions(self, chosen: Mapping[str, str]) -> RoundQuestions:
        options = [
            AskedOption(name, _TITLES[name].name, self._explain_closed(contract))
            for name, contract in _CONTRACTS.items()
        ]
        contract = _CONTRACTS.get(chosen.get("contract", ""))
        rows: tuple[CountQuestion, ...] = ()
        if contract:
            unit_name = _UNIT_NAMES[chosen["contract"]]
            most = contract.number
            rows = (
                CountQuestion("taken", capitalize_first(unit_name), unit_name, most, self.all_seats, required_sum=most),
            )
        return RoundQuestions(
            self.next_seat, "declares", (ChoiceQuestion("contract", "Contract", tuple(options)),), rows
        )

    def score_round(self, entered: Round) -> ScoredRound:
        name, taken = get_choice(entered, "contract"), get_counts(entered, "taken")
        points = tuple([_CONTRACTS[name].worth * count for count in taken])
        return ScoredRound(_TITLES[name], tuple([(count,) for count in taken]), points)

    def record_round(self, entered: Round) -> None:
        self._declared.append(_CONTRACTS[get_choice(entered, "contract")])

    def create_remaining_tables(self) -> Sequence[RemainingTable]:
        player_rows = []
        for seat in self.all_seats:
            own = [c for c, declarer in zip(self._declared, self.round_seats, strict=True) if declarer == seat]
            remaining = tuple(zip(self.options.quota.count_left(own), self.options.quota, strict=True))
            player_rows.append(RemainingRow(seat, remaining))
        negatives = [
            RemainingRow(c.named.name, ((TIMES_EACH - self._declared.count(c), TIMES_EACH),), f"{c.number} × {c.worth}")
            for c in NEGATIVE_CONTRACTS
        ]
        players = RemainingTable("Left to declare", ("negative", "koz"), tuple(player_rows))
        often = "Each negative twice" if self.options.length == "full" else "Negatives, up to twice"
        return players, RemainingTable(often, (), tuple(negatives))


SHEET: Final = RifkiSheet
