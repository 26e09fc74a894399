"""A review in words: what each decision was, what was chosen and what would have been better, what all came to."""

from typing import NamedTuple

from cardtable.engine.bidding import Bid
from cardtable.engine.contract import Action, AnyGame
from cardtable.engine.tricks import Play
from cardtable.engine.words import counted
from cardtable.games import GAMES
from cardtable.records.review import Judgement, PastDecision, Played, Review, SameDeals
from cardtable.robots.kit.lesson import name
from cardtable.robots.kit.measure import Measure, measure
from cardtable.wording.words import signed, tenths


class Judged(NamedTuple):
    """A decision and what the expert thinks of it."""

    game: AnyGame
    decision: PastDecision
    judgement: Judgement
    measure: Measure
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


def judged(session: Played, review: Review, *, by_round: bool = False) -> list[Judged]:
    """The decisions that have been judged, those that cost most first, or in order."""
    game = GAMES[session.header.game]
    found = [
        Judged(game, decision, judgement, measure(game, lasting=judgement.lasting))
        for decision, judgement in zip(session.decisions, review.judged, strict=False)
    ]
    return found if by_round else sorted(found, key=lambda one: -one.judgement.cost)


def kind(game: AnyGame, decision: PastDecision) -> str:
    """What it was about, in a word or two: ``trick 4``, ``bid``."""
    trick = game.trick(decision.view)
    if trick and isinstance(decision.action, Play):
        return f"trick {trick.number}"
    return decision.action.about or decision.action.kind


def choice(action: Action) -> str:
    """What something that was chosen is called; cards in notation."""
    return str(action.tricks) if isinstance(action, Bid) else name(action)


def _beside_kind(action: Action) -> str:
    """The same without the word that tells what the decision was about."""
    return name(action) if action.called else action.thing or name(action)


def progress(session: Played, review: Review) -> str:
    """How far the review is, as long as it is not whole."""
    if len(review.judged) < len(session.decisions):
        return f"{len(review.judged)} of {len(session.decisions)} decisions"
    if len(review.dealt) < len(session.deals):
        return f"experts play round {len(review.dealt) + 1} of {len(session.deals)}"
    return ""


def a_round(same: SameDeals) -> str:
    """The difference that luck does not make."""
    return f"{tenths(same.a_round)} a round to the expert"


def on_the_same_deals(same: SameDeals, who: str) -> str:
    """What ``who`` and the experts made of them; where two play, that less what the other did."""
    own, experts = signed(same.own), signed(round(same.experts))
    return f"{'Difference' if same.against else 'Same deals'}: {who} {own}, experts {experts}"


def spread(same: SameDeals) -> str:
    """How often the experts have played them."""
    return counted(same.runs, "run")


def sure(same: SameDeals) -> str:
    """How sure the difference is, to be said after it."""
    return "" if same.error is None else f", ± {same.error / same.rounds:.1f}"
