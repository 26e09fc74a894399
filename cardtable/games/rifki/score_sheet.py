"""Score sheet of Rifki with real cards: for each round an available contract and the units of each player."""

from collections.abc import Mapping, Sequence
from typing import Final

from cardtable.engine.game import AnyGame, Seat
from cardtable.engine.game import Contract as Named
from cardtable.games.rifki.rules.contracts import (
    KOZ,
    NEGATIVE,
    NEGATIVES,
    SEATS,
    TIMES,
    TRUMPS,
    Contract,
    Options,
    choices,
)
from cardtable.scoring.kit.questions import (
    AskedOption,
    ChoiceQuestion,
    CountQuestion,
    RemainingRow,
    RemainingTable,
    Round,
    RoundQuestions,
)
from cardtable.scoring.kit.sheet import ScoredRound, Sheet, chosen, counts

TRUMP: Final = "koz"
"""Key that the sheet uses for all four trump contracts, whose points do not depend on the suit."""
_CONTRACTS: Final = {**{contract.name: contract for contract in NEGATIVE}, TRUMP: KOZ[0]}
_TITLES: Final = {name: Named("Koz") if name == TRUMP else contract.named for name, contract in _CONTRACTS.items()}
_WHAT: Final = {
    "rifki": "king of hearts",
    "kiz": "queens",
    "erkek": "kings and jacks",
    "kupa": "hearts",
    "son-iki": "last tricks",
    "el-almaz": "tricks",
    TRUMP: "tricks",
}


class RifkiSheet(Sheet[Options]):
    RULES = ("direction",)
    columns = ("taken",)
    entered = "the contract, then what each player took"
    over_words = "ends after 20 rounds; above 0 is out, below 0 sunk"

    def __init__(self, game: AnyGame, options: Options, seats: int, first: Seat) -> None:
        super().__init__(game, options, seats, first)
        self._declared: list[Contract] = []

    def turn(self, number: int) -> Seat:
        return (self.first + self.options.step * (number - 1)) % SEATS

    def _closed(self, contract: Contract) -> str:
        if contract in choices(self._declared, self.finished % SEATS):
            return ""
        if contract.trump is not None:
            return "this player has declared both trump contracts"
        if self._declared.count(contract) == TIMES:
            return f"{contract.named} has been played twice already"
        return f"this player has declared all {NEGATIVES} negative contracts"

    def next_questions(self, chosen: Mapping[str, str]) -> RoundQuestions:
        options = [
            AskedOption(name, _TITLES[name].name, self._closed(contract)) for name, contract in _CONTRACTS.items()
        ]
        contract = _CONTRACTS.get(chosen.get("contract", ""))
        rows: tuple[CountQuestion, ...] = ()
        if contract:
            what = _WHAT[chosen["contract"]]
            most = contract.number
            rows = (CountQuestion("taken", what[:1].upper() + what[1:], what, most, self.everybody, required_sum=most),)
        return RoundQuestions(
            self.next_seat, "declares", (ChoiceQuestion("contract", "Contract", tuple(options)),), rows
        )

    def score_round(self, entered: Round) -> ScoredRound:
        name, taken = chosen(entered, "contract"), counts(entered, "taken")
        points = tuple([_CONTRACTS[name].worth * count for count in taken])
        return ScoredRound(_TITLES[name], tuple([(count,) for count in taken]), points)

    def note(self, entered: Round) -> None:
        self._declared.append(_CONTRACTS[chosen(entered, "contract")])

    def remaining_tables(self) -> Sequence[RemainingTable]:
        of_players = []
        for seat in self.everybody:
            own = [c for c, whose in zip(self._declared, self.round_seats, strict=True) if whose == seat]
            trumps = sum([contract.trump is not None for contract in own])
            left = ((NEGATIVES - len(own) + trumps, NEGATIVES), (TRUMPS - trumps, TRUMPS))
            of_players.append(RemainingRow(seat, left))
        negatives = [
            RemainingRow(c.named.name, ((TIMES - self._declared.count(c), TIMES),), f"{c.number} × {c.worth}")
            for c in NEGATIVE
        ]
        players = RemainingTable("Left to declare", ("negative", "koz"), tuple(of_players))
        return players, RemainingTable("Each negative twice", (), tuple(negatives))


SHEET: Final = RifkiSheet
