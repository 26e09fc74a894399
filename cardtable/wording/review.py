"""A review in words: what each decision was, what was chosen and what would have been better, what all came to."""

from typing import Final, NamedTuple

from cardtable.engine.bidding import Bid
from cardtable.engine.cards import NAME
from cardtable.engine.game import Action, AnyGame, Seat
from cardtable.engine.journal import Header
from cardtable.engine.text_format import counted
from cardtable.engine.tricks import Play
from cardtable.games import GAMES
from cardtable.records.review import DecisionEvaluation, DuplicateResult, PastDecision, Played, Review
from cardtable.robots import worker
from cardtable.robots.hints import Advice, AdviceLine
from cardtable.robots.kit.hint_spec import ScoreScale, inside, measure, name
from cardtable.session.round_replay import RoundReplay, Step
from cardtable.wording.formatting import YOU, ordinal, signed, tenths, trump_words
from cardtable.wording.players import Names


class ReviewText(NamedTuple):
    """A decision and what the expert thinks of it."""

    game: AnyGame
    decision: PastDecision
    judgement: DecisionEvaluation
    measure: ScoreScale
    """How it is told what choices are worth."""

    @property
    def cost(self) -> str:
        """What the choice cost, with the sign of the score sheet; nothing (``""``) where it cost nothing."""
        return tenths(self.measure.figure(-self.judgement.cost)) if self.judgement.cost else ""

    @property
    def chosen(self) -> str:
        """What was chosen, to be said after what the decision was about; cards in notation."""
        return _beside_kind(self.decision.action)

    @property
    def better(self) -> str:
        """What the expert would have chosen instead; nothing (``""``) where it makes no difference."""
        return _beside_kind(self.action(0)) if self.judgement.cost else ""

    def lead(self, number: int) -> float:
        """Return by how many points the choice of a number is better than the best of the others."""
        worths = [choice.worth for choice in self.judgement.choices]
        others = [*worths[:number], *worths[number + 1 :]]
        return round(worths[number] - max(others, default=worths[number]), 1) + 0.0

    def is_close(self, number: int) -> bool:
        """Return True if a choice that is not the best is behind that by no more than the error that is shown."""
        choices, error = self.judgement.choices, round(self.judgement.error, 1)
        return number > 0 and round(choices[0].worth - choices[number].worth, 1) <= error

    def action(self, number: int) -> Action:
        """The choice of this number, the expert's being 0."""
        text = self.judgement.choices[number].action
        return next(action for action in self.decision.view.legal if str(action) == text)


def judged(session: Played, review: Review, *, by_round: bool = False) -> list[ReviewText]:
    """The decisions that have been judged, those that cost most first, or in order."""
    game = GAMES[session.header.game]
    found = [
        ReviewText(game, decision, judgement, measure(game, lasting=judgement.lasting))
        for decision, judgement in zip(session.decisions, review.judged, strict=False)
    ]
    return found if by_round else sorted(found, key=lambda one: -one.judgement.cost)


def kind(game: AnyGame, decision: PastDecision) -> str:
    """What it was about, in a word or two: ``trick 4``, ``bid``."""
    trick = game.trick(decision.view)
    if trick and isinstance(decision.action, Play):
        return f"trick {trick.number}"
    return decision.action.label or decision.action.kind


def choice(action: Action) -> str:
    """What something that was chosen is called; cards in notation."""
    return str(action.tricks) if isinstance(action, Bid) else name(action)


def _beside_kind(action: Action) -> str:
    """The same without the word that tells what the decision was about."""
    return name(action) if action.description else action.argument_text or name(action)


def progress(session: Played, review: Review) -> str:
    """How far the review is, as long as it is not whole."""
    if len(review.judged) < len(session.decisions):
        return f"{len(review.judged)} of {len(session.decisions)} decisions"
    if len(review.dealt) < len(session.deals):
        return f"experts play round {len(review.dealt) + 1} of {len(session.deals)}"
    return ""


def a_round(same: DuplicateResult) -> str:
    """The difference that luck does not make."""
    return f"{tenths(same.a_round)} a round to the expert"


def on_the_same_deals(same: DuplicateResult, who: str) -> str:
    """What ``who`` and the experts made of them; where two play, that less what the other did."""
    own, experts = signed(same.own), signed(round(same.experts))
    return f"{'Difference' if same.against else 'Same deals'}: {who} {own}, experts {experts}"


def spread(same: DuplicateResult) -> str:
    """How often the experts have played them."""
    return counted(same.runs, "run")


def sure(same: DuplicateResult) -> str:
    """How sure the difference is, to be said after it."""
    return "" if same.error is None else f", ± {same.error / same.rounds:.1f}"


_LEVELS: Final = {
    "random": "a robot that plays at random, so that there is no reason",
    "novice": "a novice, which plays by simple rules and makes a mistake now and then, on purpose",
    "steady": "a steady robot, which plays by rule and tries nothing out",
    "expert": "an expert, which tries things out in deals that fit all it has seen",
}
"""What robots of each level are."""


def forced(step: Step) -> bool:
    """Whether there was no choice, so that nothing is to be asked."""
    return len(step.view.legal) == 1


def question(told: RoundReplay, step: Step, header: Header, names: Names) -> worker.HintRequest:
    """What the expert is to be asked of a step that somebody decided."""
    assert isinstance(step.event, Action)
    assert step.seat is not None
    to_another = names[step.seat] != YOU
    return worker.HintRequest(told.game.about.key, step.view, header.seed, step.decisions, step.event, to_another)


def no_choice(step: Step, names: Names) -> list[str]:
    """What is to be said of a forced step, in sentences."""
    assert step.seat is not None
    assert isinstance(step.event, Action)
    return [f"{names[step.seat]} had no choice: {inside(step.event)} was all that could be done."]


def reasons(step: Step, header: Header, names: Names, advice: Advice) -> list[str]:
    """What was chosen and what it does, what the expert would have done, and who it was that chose; in sentences."""
    assert step.seat is not None
    name, level = names[step.seat], header.seats[step.seat].robot
    chosen, best = _line(advice, step.event), advice.lines[0]
    said = [f"{name} chose {inside(chosen.action, advice.person)}: {advice.does(chosen)}."]
    if chosen is not best:
        again = "Asked again, the expert would have" if level == "expert" else "The expert would have"
        alike = chosen.as_good and advice.does(chosen) == advice.does(best)
        beside = ", which does the same" if alike else f": {advice.does(best)}; {advice.beside_best(chosen)}"
        said.append(f"{again} chosen {inside(best.action, advice.person)}{beside}.")
    elif level != "expert":
        said.append("The expert would have done the same.")
    if level is None:
        return [*said, f"The expert is shown {'your' if name == YOU else 'their'} cards only."]
    return [*said, f"{name} is {_LEVELS[level]}. Robots see their own cards only."]


def _line(advice: Advice, event: object) -> AdviceLine:
    """What the expert thinks of what was chosen; it was asked about it."""
    return next(line for line in advice.lines if line.action == event)


def heading(game: AnyGame, decision: PastDecision) -> str:
    """Where in the session it was."""
    return f"Round {decision.round}, {kind(game, decision)}"


def aims(game: AnyGame, decision: PastDecision) -> str:
    """What the seat had bid and has; nothing (``""``) where nothing was bid."""
    bids, seat = game.bids(decision.view), decision.view.seat
    return "" if bids is None or bids.made[seat] is None else f"bid {bids.made[seat]}, has {bids.won[seat]}"


def facts(game: AnyGame, decision: PastDecision) -> list[str]:
    """What was played, and whose turn it was in the trick."""
    contract = game.contract(decision.view)
    return list(filter(None, [contract.words if contract else "", *_bidding(game, decision), _place(game, decision)]))


def _bidding(game: AnyGame, decision: PastDecision) -> list[str]:
    """What was bid on."""
    if (bids := game.bids(decision.view)) is None:
        return []
    return [counted(bids.cards, "card"), trump_words(bids.trump)]


def _place(game: AnyGame, decision: PastDecision) -> str:
    """The turn among those who bid, or in the trick."""
    bids, trick = game.bids(decision.view), game.trick(decision.view)
    if bids and isinstance(decision.action, Bid):
        return f"{ordinal(1 + sum(bid is not None for bid in bids.made))} to bid"
    if trick is None or not decision.action.cards_used():
        return ""
    return f"{ordinal(1 + len(trick.lying))} to play" if trick.lying else "you lead"


def lying(game: AnyGame, decision: PastDecision, names: Names) -> list[tuple[str, str]]:
    """What lay open or was said, each after whose or what it is; cards in notation."""
    bids, trick = game.bids(decision.view), game.trick(decision.view)
    if bids and isinstance(decision.action, Bid):
        return [(names[seat], f"bids {bid}") for seat, bid in enumerate(bids.made) if bid is not None]
    if trick:
        return [(names[seat], NAME[card]) for seat, card in trick.lying]
    zones = [zone for zone in game.scene(decision.view) if zone.seat is None]
    return [(zone.name, " ".join(NAME[card] for card in zone.cards if card is not None)) for zone in zones]


def everyone(names: Names, me: Seat) -> list[str]:
    """The names, the own one as the person is spoken to."""
    return ["you" if seat == me else name for seat, name in enumerate(names)]
