"""Texts of a review: a decision, the choices, and the overall result."""

from typing import NamedTuple

from cardtable.engine.bidding import Bid
from cardtable.engine.cards import NAME
from cardtable.engine.game import Action, AnyGame
from cardtable.engine.journal import Header
from cardtable.engine.text_format import format_count
from cardtable.engine.tricks import Play
from cardtable.games import GAMES
from cardtable.records.review import DecisionEvaluation, DuplicateResult, PastDecision, Review, ReviewedSession
from cardtable.robots import worker
from cardtable.robots.hints import Advice, AdviceLine, name_action
from cardtable.robots.kit.hint_spec import (
    YOURSELF,
    Pronouns,
    ScoreScale,
    format_action,
    format_action_in_sentence,
    format_as_choice,
    make_clause,
    make_score_scale,
)
from cardtable.robots.kit.levels import LEVEL_STYLES
from cardtable.session.round_replay import RoundReplay, Step
from cardtable.wording.formatting import YOU, describe_trump, format_number, format_ordinal, format_tenths
from cardtable.wording.players import Names, format_zone_label


class ReviewText(NamedTuple):
    """Texts about one decision and its evaluation by the expert."""

    game: AnyGame
    decision: PastDecision
    judgement: DecisionEvaluation
    measure: ScoreScale
    """Scale on which the values of the choices are shown."""
    pronouns: Pronouns
    """Names of the players, for choices that name one."""

    @property
    def cost(self) -> str:
        """Cost of the choice in points, with the sign of the score sheet, or ``""`` if it cost nothing."""
        return format_tenths(self.measure.apply_sheet_sign(-self.judgement.cost)) if self.judgement.cost else ""

    @property
    def basis(self) -> str:
        """Deals in which the choices were compared, and the error of their difference; ``""`` if there was one choice.

        All deals have no error, but how others play in them is an estimate, too.
        """
        if not self.judgement.worlds:
            return "all deals" if len(self.judgement.choices) > 1 else ""
        error = f", error {self.judgement.error:.1f}" if self.judgement.error else ""
        return f"{format_count(self.judgement.worlds, 'deal')}{error}"

    @property
    def chosen(self) -> str:
        """Text of the player's choice, to be shown next to the kind of decision. Cards are in notation."""
        return self._format_without_kind(self.decision.action)

    @property
    def better(self) -> str:
        return self._format_without_kind(self.find_action(0)) if self.judgement.cost else ""

    def format_choice(self, action: Action) -> str:
        """Return the text of an action as a choice. Cards are in notation."""
        return str(action.tricks) if isinstance(action, Bid) else format_action(action, self.pronouns)

    def name_action(self, action: Action) -> str:
        """Return the name of an action at the beginning of a sentence, as hints have it. Cards are in notation."""
        return name_action(self.game.about.key, self.decision.view, action, self.pronouns)

    def _format_without_kind(self, action: Action) -> str:
        """Return the text of an action without the word for its kind, where the kind is shown next to it."""
        argument = "" if action.description else self.pronouns.fill_in(action.argument_text)
        return argument or format_action(action, self.pronouns)

    def compute_lead(self, number: int) -> float:
        """Return the points by which choice ``number`` is better than the best of the others, negative if it is worse.

        Choices are numbered from 0, the expert's choice. The only choice has a lead of 0.
        """
        worths = [choice.worth for choice in self.judgement.choices]
        others = [*worths[:number], *worths[number + 1 :]]
        return round(worths[number] - max(others, default=worths[number]), 1) + 0.0

    def is_close(self, number: int) -> bool:
        """Return True if choice ``number`` is not the expert's, but worse by no more than the error that is shown."""
        choices, error = self.judgement.choices, round(self.judgement.error, 1)
        return number > 0 and round(choices[0].worth - choices[number].worth, 1) <= error

    def find_action(self, number: int) -> Action:
        """Return the action of choice ``number``. Number 0 is the expert's choice."""
        text = self.judgement.choices[number].action
        return next(action for action in self.decision.view.legal if str(action) == text)


def list_evaluated_decisions(session: ReviewedSession, review: Review, *, by_round: bool = False) -> list[ReviewText]:
    """Return the evaluated decisions, the most costly first, or in order of play if ``by_round`` is True."""
    game, pronouns = GAMES[session.header.game], YOURSELF._replace(names=session.names)
    texts = [
        ReviewText(game, decision, judgement, make_score_scale(game, includes_later_rounds=judgement.lasting), pronouns)
        for decision, judgement in zip(session.decisions, review.judged, strict=False)
    ]
    return texts if by_round else sorted(texts, key=lambda one: -one.judgement.cost)


def format_decision_kind(game: AnyGame, decision: PastDecision) -> str:
    """Return the kind of a decision in a word or two, such as ``trick 4`` or ``bid``."""
    trick = game.trick(decision.view)
    if trick and isinstance(decision.action, Play):
        return f"trick {trick.number}"
    return decision.action.verb


def format_progress(session: ReviewedSession, review: Review) -> str:
    """Return a text about the progress of a review, or ``""`` if it is complete."""
    if len(review.judged) < len(session.decisions):
        return f"{len(review.judged)} of {len(session.decisions)} decisions checked"
    if len(review.dealt) < len(session.deals):
        return f"experts are playing round {len(review.dealt) + 1} of {len(session.deals)}"
    return ""


def format_per_round(result: DuplicateResult) -> str:
    return f"{format_tenths(result.lead_per_round)} a round against the expert"


def format_same_deals(result: DuplicateResult, name: str) -> str:
    """Return a text that compares the result of ``name`` with the mean result of the experts.

    With two seats, both results are differences from the opponent's points.
    """
    own, experts = format_number(result.own), format_number(round(result.experts))
    return f"{'Difference' if result.is_difference else 'Same deals'}: {name} {own}, experts {experts}"


def format_runs(result: DuplicateResult) -> str:
    return format_count(result.runs, "run")


def format_error(result: DuplicateResult) -> str:
    """Return the standard error of the lead per round as a suffix for the lead, or ``""`` if it is unknown."""
    return "" if result.error is None else f", ± {result.error / result.rounds:.1f}"


def is_forced(step: Step) -> bool:
    """Return True if the step had no alternative, or the rules do not know it, so that there is nothing to explain."""
    return len(step.view.legal) == 1 or step.event not in step.view.legal


def create_hint_request(replay: RoundReplay, step: Step, header: Header, names: Names) -> worker.HintRequest:
    """Return the request to the expert for an evaluation of the decision in a step, which is the action of a seat."""
    assert isinstance(step.event, Action)
    assert step.seat is not None
    to_another = names[step.seat] != YOU
    key, worlds = replay.game.about.key, replay.worlds
    objects = tuple(["you" if name == YOU else name for name in names])
    return worker.HintRequest(key, step.view, header.seed, step.decisions, step.event, to_another, worlds, objects)


def explain_forced_step(step: Step, names: Names) -> list[str]:
    """Return a sentence about a step that had no alternative, or that the rules do not know."""
    assert step.seat is not None
    assert isinstance(step.event, Action)
    if step.event not in step.view.legal:
        return ["That was possible in practice with open hands only."]
    only = format_action_in_sentence(step.event, YOURSELF._replace(names=names))
    return [f"{names[step.seat]} had no choice: {only} was the only legal move."]


def explain_decision(step: Step, header: Header, names: Names, advice: Advice) -> list[str]:
    """Return sentences about a decision: its effect, the expert's choice, and what the player could see."""
    assert step.seat is not None
    name, level = names[step.seat], step.robot or header.seats[step.seat].robot
    player = "" if name == YOU else name
    if step.robot:
        name = f"{player}'s robot" if player else "Your robot"
    chosen, best = next(line for line in advice.lines if line.action == step.event), advice.lines[0]
    sentences = [f"{name} {_format_past(chosen, advice, 'chose')}{make_clause(chosen.reasons)}."]
    if chosen is not best:
        again = "Asked again, the expert would have" if level == "expert" else "The expert would have"
        remark = f"{make_clause(best.reasons)}; {advice.format_comparison(chosen)}"
        sentences.append(f"{again} {_format_past(best, advice, 'chosen')}{remark}.")
    elif level != "expert":
        sentences.append("The expert would have done the same.")
    if level is None:
        return [*sentences, f"The expert sees only {'their' if player else 'your'} cards."]
    return [*sentences, f"{name} ({level}) {LEVEL_STYLES[level]}. Robots see only their own cards."]


def _format_past(line: AdviceLine, advice: Advice, chose: str) -> str:
    """Return an action in the past: ``bid 2``, ``played QS``, ``chose No Queens``, ``chose to discard QS``."""
    choice = format_as_choice(line.action, advice.pronouns, line.name)
    if isinstance(line.action, Bid):
        return choice
    return f"{'played' if isinstance(line.action, Play) else chose} {choice}"


def format_heading(game: AnyGame, decision: PastDecision) -> str:
    return f"Round {decision.round}, {format_decision_kind(game, decision)}"


def format_bid_status(game: AnyGame, decision: PastDecision) -> str:
    """Return the seat's bid and the tricks it has won, as in ``bid 2, has 1``. Return ``""`` if it has not bid."""
    bids, seat = game.bids(decision.view), decision.view.seat
    return "" if bids is None or bids.made[seat] is None else f"bid {bids.made[seat]}, has {bids.won[seat]}"


def list_facts(game: AnyGame, decision: PastDecision) -> list[str]:
    """Return texts about the situation before a decision: the contract, the bidding, and the order of play."""
    facts = [contract.words] if (contract := game.contract(decision.view)) else []
    if bids := game.bids(decision.view):
        facts += [format_count(bids.cards, "card"), describe_trump(bids.trump)]
    return [fact for fact in (*facts, _format_turn_order(game, decision)) if fact]


def _format_turn_order(game: AnyGame, decision: PastDecision) -> str:
    """Return the position of the seat in the bidding or the trick, as in ``2nd to play``.

    Return ``""`` if it has none.
    """
    bids, trick = game.bids(decision.view), game.trick(decision.view)
    if bids and isinstance(decision.action, Bid):
        return f"{format_ordinal(1 + sum(bid is not None for bid in bids.made))} to bid"
    if trick is None or not decision.action.cards_used():
        return ""
    return f"{format_ordinal(1 + len(trick.lying))} to play" if trick.lying else "you lead"


def list_open_cards(game: AnyGame, decision: PastDecision, names: Names) -> list[tuple[str, str]]:
    """Return the bids or the open cards before a decision, each with the name of its seat or zone.

    Cards are in notation.
    """
    bids, trick = game.bids(decision.view), game.trick(decision.view)
    if bids and isinstance(decision.action, Bid):
        return [(names[seat], f"bids {bid}") for seat, bid in enumerate(bids.made) if bid is not None]
    if trick:
        return [(names[seat], NAME[card]) for seat, card in trick.lying]
    zones = [zone for zone in game.scene(decision.view) if zone.seat is None]
    return [
        (format_zone_label(zone), " ".join(NAME[card] for card in zone.cards if card is not None)) for zone in zones
    ]
