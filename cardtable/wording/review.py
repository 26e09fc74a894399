"""Texts of a review: each decision, the choice, the better choice, and the overall result."""

from typing import Final, NamedTuple

from cardtable.engine.bidding import Bid
from cardtable.engine.cards import NAME
from cardtable.engine.game import Action, AnyGame, Seat
from cardtable.engine.journal import Header
from cardtable.engine.text_format import with_count
from cardtable.engine.tricks import Play
from cardtable.games import GAMES
from cardtable.records.review import DecisionEvaluation, DuplicateResult, PastDecision, Review, ReviewedSession
from cardtable.robots import worker
from cardtable.robots.hints import Advice, AdviceLine
from cardtable.robots.kit.hint_spec import ScoreScale, action_name, name_in_sentence, score_scale
from cardtable.session.round_replay import RoundReplay, Step
from cardtable.wording.formatting import YOU, ordinal, signed, tenths, trump_words
from cardtable.wording.players import Names


class ReviewText(NamedTuple):
    """A decision with its evaluation by the expert."""

    game: AnyGame
    decision: PastDecision
    judgement: DecisionEvaluation
    measure: ScoreScale
    """Scale on which the values of choices are shown."""

    @property
    def cost(self) -> str:
        """Cost of the choice in the score sheet's direction; empty if it cost nothing."""
        return tenths(self.measure.figure(-self.judgement.cost)) if self.judgement.cost else ""

    @property
    def chosen(self) -> str:
        """The choice, to follow the kind of decision; cards in notation."""
        return _beside_kind(self.decision.action)

    @property
    def better(self) -> str:
        """The expert's choice; empty if the player's choice cost nothing."""
        return _beside_kind(self.action(0)) if self.judgement.cost else ""

    def lead(self, number: int) -> float:
        """Return by how many points a choice is better than the best of the others."""
        worths = [choice.worth for choice in self.judgement.choices]
        others = [*worths[:number], *worths[number + 1 :]]
        return round(worths[number] - max(others, default=worths[number]), 1) + 0.0

    def is_close(self, number: int) -> bool:
        """Return True if the choice is not the best, but behind it by no more than the error shown."""
        choices, error = self.judgement.choices, round(self.judgement.error, 1)
        return number > 0 and round(choices[0].worth - choices[number].worth, 1) <= error

    def action(self, number: int) -> Action:
        """Return the action of a choice; 0 is the expert's choice."""
        text = self.judgement.choices[number].action
        return next(action for action in self.decision.view.legal if str(action) == text)


def evaluated_decisions(session: ReviewedSession, review: Review, *, by_round: bool = False) -> list[ReviewText]:
    """Return the evaluated decisions, sorted by cost (the highest first), or in order with `by_round`."""
    game = GAMES[session.header.game]
    texts = [
        ReviewText(game, decision, judgement, score_scale(game, lasting=judgement.lasting))
        for decision, judgement in zip(session.decisions, review.judged, strict=False)
    ]
    return texts if by_round else sorted(texts, key=lambda one: -one.judgement.cost)


def decision_kind(game: AnyGame, decision: PastDecision) -> str:
    """Return the kind of decision in a word or two: ``trick 4``, ``bid``."""
    trick = game.trick(decision.view)
    if trick and isinstance(decision.action, Play):
        return f"trick {trick.number}"
    return decision.action.label or decision.action.kind


def choice(action: Action) -> str:
    """Return the text of a choice; cards in notation."""
    return str(action.tricks) if isinstance(action, Bid) else action_name(action)


def _beside_kind(action: Action) -> str:
    """Return the text of a choice without the word for its kind."""
    return action_name(action) if action.description else action.argument_text or action_name(action)


def progress(session: ReviewedSession, review: Review) -> str:
    """Return the progress of the review; empty once it is complete."""
    if len(review.judged) < len(session.decisions):
        return f"{len(review.judged)} of {len(session.decisions)} decisions"
    if len(review.dealt) < len(session.deals):
        return f"experts play round {len(review.dealt) + 1} of {len(session.deals)}"
    return ""


def per_round_text(same: DuplicateResult) -> str:
    """Return the text on the difference per round, without the luck of the deal."""
    return f"{tenths(same.a_round)} a round to the expert"


def on_the_same_deals(same: DuplicateResult, who: str) -> str:
    """Return the text that compares the results of `who` and the experts.

    With two seats, the results of the opponent are subtracted.
    """
    own, experts = signed(same.own), signed(round(same.experts))
    return f"{'Difference' if same.against else 'Same deals'}: {who} {own}, experts {experts}"


def runs_text(same: DuplicateResult) -> str:
    """Return the number of the experts' runs, as text."""
    return with_count(same.runs, "run")


def error_text(same: DuplicateResult) -> str:
    """Return the standard error of the difference per round, to follow it; empty if unknown."""
    return "" if same.error is None else f", ± {same.error / same.rounds:.1f}"


_LEVELS: Final = {
    "random": "a robot that plays at random, so that there is no reason",
    "novice": "a novice, which plays by simple rules and makes a mistake now and then, on purpose",
    "steady": "a steady robot, which plays by rule and tries nothing out",
    "expert": "an expert, which tries things out in deals that fit all it has seen",
}
"""Descriptions of the robot levels."""


def is_forced(step: Step) -> bool:
    """Return True if the step had no alternative, so that no explanation is needed."""
    return len(step.view.legal) == 1


def hint_request(replay: RoundReplay, step: Step, header: Header, names: Names) -> worker.HintRequest:
    """Return the request to the expert about the decision of a step."""
    assert isinstance(step.event, Action)
    assert step.seat is not None
    to_another = names[step.seat] != YOU
    return worker.HintRequest(replay.game.about.key, step.view, header.seed, step.decisions, step.event, to_another)


def no_choice(step: Step, names: Names) -> list[str]:
    """Return the sentence about a forced step."""
    assert step.seat is not None
    assert isinstance(step.event, Action)
    return [f"{names[step.seat]} had no choice: {name_in_sentence(step.event)} was all that could be done."]


def reasons(step: Step, header: Header, names: Names, advice: Advice) -> list[str]:
    """Return sentences on a decision: its effect, the expert's choice, and the kind of player."""
    assert step.seat is not None
    name, level = names[step.seat], header.seats[step.seat].robot
    chosen, best = _line(advice, step.event), advice.lines[0]
    said = [f"{name} chose {name_in_sentence(chosen.action, advice.person)}: {advice.does(chosen)}."]
    if chosen is not best:
        again = "Asked again, the expert would have" if level == "expert" else "The expert would have"
        alike = chosen.as_good and advice.does(chosen) == advice.does(best)
        remark = ", which does the same" if alike else f": {advice.does(best)}; {advice.beside_best(chosen)}"
        said.append(f"{again} chosen {name_in_sentence(best.action, advice.person)}{remark}.")
    elif level != "expert":
        said.append("The expert would have done the same.")
    if level is None:
        return [*said, f"The expert is shown {'your' if name == YOU else 'their'} cards only."]
    return [*said, f"{name} is {_LEVELS[level]}. Robots see their own cards only."]


def _line(advice: Advice, event: object) -> AdviceLine:
    """Return the expert's line on the choice; the request named the choice, so that the line exists."""
    return next(line for line in advice.lines if line.action == event)


def heading(game: AnyGame, decision: PastDecision) -> str:
    """Return round and kind of the decision, as heading."""
    return f"Round {decision.round}, {decision_kind(game, decision)}"


def bid_status(game: AnyGame, decision: PastDecision) -> str:
    """Return the seat's bid and tricks; empty without a bid."""
    bids, seat = game.bids(decision.view), decision.view.seat
    return "" if bids is None or bids.made[seat] is None else f"bid {bids.made[seat]}, has {bids.won[seat]}"


def facts(game: AnyGame, decision: PastDecision) -> list[str]:
    """Return texts on the contract, the bidding, and the position in the trick."""
    contract = game.contract(decision.view)
    return list(filter(None, [contract.words if contract else "", *_bidding(game, decision), _place(game, decision)]))


def _bidding(game: AnyGame, decision: PastDecision) -> list[str]:
    """Return the number of cards and the trump suit of the bidding."""
    if (bids := game.bids(decision.view)) is None:
        return []
    return [with_count(bids.cards, "card"), trump_words(bids.trump)]


def _place(game: AnyGame, decision: PastDecision) -> str:
    """Return the position of the seat in the bidding or the trick."""
    bids, trick = game.bids(decision.view), game.trick(decision.view)
    if bids and isinstance(decision.action, Bid):
        return f"{ordinal(1 + sum(bid is not None for bid in bids.made))} to bid"
    if trick is None or not decision.action.cards_used():
        return ""
    return f"{ordinal(1 + len(trick.lying))} to play" if trick.lying else "you lead"


def open_cards(game: AnyGame, decision: PastDecision, names: Names) -> list[tuple[str, str]]:
    """Return the bids or open cards before the decision, each with its seat's or zone's name; cards in notation."""
    bids, trick = game.bids(decision.view), game.trick(decision.view)
    if bids and isinstance(decision.action, Bid):
        return [(names[seat], f"bids {bid}") for seat, bid in enumerate(bids.made) if bid is not None]
    if trick:
        return [(names[seat], NAME[card]) for seat, card in trick.lying]
    zones = [zone for zone in game.scene(decision.view) if zone.seat is None]
    return [(zone.name, " ".join(NAME[card] for card in zone.cards if card is not None)) for zone in zones]


def names_with_you(names: Names, me: Seat) -> list[str]:
    """Return the names of all seats, the own one as "you"."""
    return ["you" if seat == me else name for seat, name in enumerate(names)]
