"""Hints: the choice of the expert, its lead over the alternatives, and the reasons in words.

All figures come from worlds that are consistent with the view, or from the view itself. The worlds in which the search
found its choice are not used, since the best of several noisy estimates is overestimated (selection bias), and the
differences are shrunk by their errors. A choice is never called worse if it is behind by no more than the error. The
best choice is explained by a comparison with the next one, and every other choice by a comparison with the best one.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from math import fsum, inf, isinf
from random import Random
from statistics import linear_regression
from typing import Final, TypeAlias

import msgspec
from msgspec.structs import replace

from cardtable.engine.errors import GameFault
from cardtable.engine.game import Action, Seat, State, View
from cardtable.engine.text_format import capitalize_first
from cardtable.engine.tricks import Play
from cardtable.games import GAMES, guard_part, import_submodule, limit_time
from cardtable.robots.kit.hint_spec import (
    ABOUT_EQUAL_TEXT,
    DEFAULT_SCALE,
    EQUAL_TEXT,
    YOURSELF,
    AnyHintSpec,
    Facts,
    Goal,
    HintSpec,
    Pronouns,
    ScoreScale,
    compare_facts,
    format_action,
    format_as_subject,
    format_command,
    join_predicates,
    make_clause,
    make_score_scale,
)
from cardtable.robots.kit.robot import load_search_spec
from cardtable.robots.kit.search import (
    RULE_MARGIN,
    MonteCarloSearch,
    draw_worlds,
    evaluate_in_worlds,
)
from cardtable.robots.kit.search_spec import AnySearchSpec, Candidate, PairedDifference, compute_paired_difference
from cardtable.robots.kit.trick_hints import make_rank_hint_spec

WORLDS: Final = 80
"""Number of new worlds in which the choices are judged, unless the search has fewer."""
MIN_WORLDS: Final = 10
"""The same number if the time limit has passed."""
FACT_WORLDS: Final = 20
"""Number of these worlds from which facts are derived."""
NO_EQUIVALENTS: Final[Mapping[Action, Sequence[Action]]] = {}
MAX_REASONS: Final = 2
"""Maximum number of reasons for a choice, and of reasons against it."""
NOTHING_TO_DECIDE: Final = "There is nothing to decide now."
_EXPLAINING_SHARE: Final = 0.05
"""Difference of two shares that explains a difference in points."""
_EXPLAINING_PART: Final = 0.5
"""Part of a difference from which a reason explains it, so that the effect on the result need not be mentioned."""
_Worth: TypeAlias = dict[Action, dict[str, float]]
_SAFER: Final = "gives {them} better chances in the session"
_RISKIER: Final = "gives {them} worse chances in the session"


class AdviceLine(msgspec.Struct, frozen=True):
    """A choice in a hint, with its figures and reasons."""

    action: Action
    name: str
    """Name of the action at the beginning of a sentence, with cards in notation."""
    value: float | None
    """Mean lead over the other seats in points of the totals, rounded to tenths.

    ``None`` if no alternatives were compared.
    """
    error: float
    """Error of the difference from the best choice in points, rounded to tenths.

    For the best choice it is the error of the difference from the next one.
    """
    is_as_good: bool
    """True if the choice is behind the best one by no more than ``error``."""
    share: float | None
    """Share of worlds, from 0 to 1, in which ``Advice.goal`` is reached; ``None`` if there is no goal."""
    pros: tuple[str, ...] = ()
    """Reasons for the choice, most important first."""
    cons: tuple[str, ...] = ()
    """Reasons against the choice in comparison with the best one, most important first; empty for the best choice."""
    equivalents: tuple[str, ...] = ()
    """Names of other cards that give the same result in every world."""

    @property
    def reasons(self) -> tuple[str, ...]:
        """Reasons to show: those against the choice and the first one for it, or else all those for it."""
        return (*self.cons, *[f"but {pro}" for pro in self.pros[:1]]) if self.cons else self.pros


class Advice(msgspec.Struct, frozen=True):
    """Hint: the choice of the expert, the alternatives, and the reasons."""

    sentence: str
    """The hint in one line, with cards in notation."""
    lines: tuple[AdviceLine, ...]
    """Choices worth considering, best first; the choice of the expert precedes equally good ones."""
    goal: str = ""
    """Goal to which the shares of the lines refer (``Goal.predicate``); ``""`` if there is none."""
    scale: ScoreScale = DEFAULT_SCALE
    """Format of the differences."""
    pronouns: Pronouns = YOURSELF
    """Pronouns for the player to act."""

    @property
    def order_note(self) -> str:
        """Note that lines are sorted by points, if a line other than the first has the largest share.

        Otherwise ``""``.
        """
        often = [round(line.share, 1) for line in self.lines if line.share is not None]
        misled = bool(often) and not self.scale.includes_later_rounds and max(often) > often[0]
        return "in order of points" if misled else ""

    def compute_lead(self, line: AdviceLine) -> float | None:
        """Return the points by which a choice leads the best of the others, rounded to tenths.

        ``None`` if no choices were compared.
        """
        others = [other.value for other in self.lines if other is not line and other.value is not None]
        return round(line.value - max(others), 1) + 0.0 if others and line.value is not None else None

    def format_standing(self, line: AdviceLine) -> str:
        """Describe in words how a choice compares with the best one: ``much worse``, ``about as good``."""
        lead = self.compute_lead(line) or 0.0
        if not line.is_as_good:
            return self.scale.describe_loss(-lead)
        return ABOUT_EQUAL_TEXT if lead or line.error else EQUAL_TEXT

    def format_comparison(self, line: AdviceLine) -> str:
        return f"{format_as_subject(line.action, self.pronouns, line.name)} is {self.format_standing(line)}"

    def format_line(self, line: AdviceLine) -> str:
        """Return a sentence, without its full stop, on what a choice does: ``QS loses the trick``."""
        subject = capitalize_first(format_as_subject(line.action, self.pronouns, line.name))
        return f"{subject} {join_predicates(line.reasons) or 'is best'}"

    def format_choice(self, line: AdviceLine) -> str:
        """Return the hint in words for a choice: ``sentence`` for the first one, all reasons for any other."""
        if line is self.lines[0]:
            return self.sentence
        if line.reasons:
            text = f"{self.format_line(line)}. It is {self.format_standing(line)}."
        else:
            text = f"{capitalize_first(self.format_comparison(line))}."
        return f"{text} The same goes for {join_names(line.equivalents)}." if line.equivalents else text

    @property
    def goal_clause(self) -> str:
        """Goal as a clause, such as ``you make your bid``; ``""`` if there is none."""
        return self.goal and f"{self.pronouns.you} {self.goal}"


def advise(
    game: str,
    view: View,
    rng: Random,
    stop: Callable[[], bool],
    extra_action: Action | None = None,
    pronouns: Pronouns = YOURSELF,
    worlds: int | None = None,
) -> Advice:
    """Return the hint of the expert, who searches in at most ``worlds`` worlds, for the seat of ``view``.

    ``extra_action`` gets a line even if it is not worth considering. While the seat may change the contract that it
    chose, the hint is about the contract if another one is better, unless there is an ``extra_action``. Equal views and
    equal generators give the same hint, unless ``stop()`` returns True and ends the search early. If another seat is to
    act, the hint says so and has no lines.
    """
    if not view.legal:
        return Advice(NOTHING_TO_DECIDE, (), pronouns=pronouns)
    if len(view.legal) == 1:
        return _make_forced_advice(game, view, view.legal[0], pronouns)
    search_spec, hint_spec = load_search_spec(game, worlds), load_hint_spec(game)
    earlier_view = None if extra_action else hint_spec.reopen(view)
    if earlier_view:
        chosen = earlier_view.legal[-1]
        # ``rng`` is kept for the search below, whose choice is then that of the expert
        choice = advise(game, earlier_view, Random(0), stop, chosen, pronouns, worlds)
        kept = next(line for line in choice.lines if line.action == chosen)
        if not kept.is_as_good:
            sentence = format_sentence(replace(choice, lines=(choice.lines[0], kept)))
            return replace(choice, lines=tuple([line for line in choice.lines if line is not kept]), sentence=sentence)
    stop = _ignore_first(MIN_WORLDS, stop)
    found = [one.action for one in MonteCarloSearch(search_spec).compare(view, rng, stop, extra_action)]
    if len(found) == 1 and is_only_card(view, found[0]):
        return _make_forced_advice(game, view, found[0], pronouns)
    left_out = [action for action in hint_spec.alternatives(view, found[0]) if action not in found]
    candidates, drawn = judge_choices(search_spec, view, [*found, *left_out], rng, stop)
    alike = _find_equivalent(candidates, left_out, extra_action)
    candidates = [one for one in candidates if not any(one.action in actions for actions in alike.values())]
    return make_advice(game, view, candidates, drawn, pronouns, extra_action, alike)


def _ignore_first(calls: int, stop: Callable[[], bool]) -> Callable[[], bool]:
    """Return a version of ``stop`` that returns False in its first ``calls`` calls.

    In this way each choice is evaluated in several worlds even if time is short.
    """
    count = 0

    def delayed() -> bool:
        nonlocal count
        count += 1
        return count > calls and stop()

    return delayed


def judge_choices(
    search_spec: AnySearchSpec, view: View, actions: Sequence[Action], rng: Random, stop: Callable[[], bool]
) -> tuple[list[Candidate], list[State[View]]]:
    """Evaluate actions in new worlds, fewer if ``stop()`` returns True, and return them with the first of the worlds.

    A single action is not evaluated, as there is nothing to compare.
    """
    worlds, number = draw_worlds(search_spec, view, rng), min(WORLDS, search_spec.worlds)
    drawn = [*islice(worlds, MIN_WORLDS)]
    while len(drawn) < number and not stop():
        drawn.append(next(worlds))
    evaluated = evaluate_in_worlds(search_spec, view, actions, drawn if len(actions) > 1 else ())
    return evaluated, [world for world, _ in drawn[:FACT_WORLDS]]


def _find_equivalent(
    candidates: Sequence[Candidate], left_out: Sequence[Action], extra_action: Action | None
) -> dict[Action, list[Action]]:
    """Return, by candidate of the search, the left-out cards with the same value in every world, except
    ``extra_action``.
    """
    alike: dict[Action, list[Action]] = {}
    plays = [one for one in candidates if isinstance(one.action, Play)]
    for one in plays:
        same = [other.action for other in plays if other.action not in left_out and other.values == one.values]
        if same and one.action in left_out and one.action != extra_action:
            alike.setdefault(same[0], []).append(one.action)
    return alike


def make_advice(
    game: str,
    view: View,
    candidates: list[Candidate],
    worlds: Sequence[State[View]],
    pronouns: Pronouns = YOURSELF,
    own_action: Action | None = None,
    equivalents: Mapping[Action, Sequence[Action]] = NO_EQUIVALENTS,
) -> Advice:
    """Return the hint for evaluated candidates, of which the first is the choice of the search.

    The first choice is compared with ``own_action``, the action that the player chose. If there is none, or if it is
    the first choice itself, it is compared with the next choice. Facts are derived from ``worlds``. ``equivalents``
    maps actions of candidates to left-out cards with the same result.
    """
    hint_spec, best = load_hint_spec(game), candidates[0]
    lasting = any(one.future_value != best.future_value for one in candidates)
    facts = limit_time(game, _collect_facts)(hint_spec, view, candidates, worlds)
    about = dict(zip([one.action for one in candidates], facts, strict=True))
    builder = _LineBuilder(game, view, best, hint_spec, pronouns)
    lines = _sort_lines(
        [
            replace(
                builder.create_line(one),
                equivalents=tuple([format_action(action, pronouns) for action in equivalents.get(one.action, ())]),
            )
            for one in candidates
        ]
    )
    rival = next((line for line in lines[1:] if line.action == own_action), None)
    lines = builder.add_reasons(lines, {one.action: one for one in candidates}, about, rival)
    goal = pronouns.fill_in(builder.goal.predicate) if builder.goal else ""
    big = load_search_spec(game).big_mistake
    scale = make_score_scale(GAMES[game], includes_later_rounds=lasting, big_mistake=big)
    advice = Advice("", lines, goal, scale, pronouns)
    return replace(advice, sentence=format_sentence(advice))


def _collect_facts(
    hint_spec: AnyHintSpec, view: View, candidates: list[Candidate], worlds: Sequence[State[View]]
) -> list[Facts]:
    """Return the facts on each candidate. Raises ``GameFault`` if the game does not return one entry for each."""
    facts = hint_spec.facts(view, candidates, worlds)
    if len(facts) != len(candidates):
        raise GameFault("HINT_SPEC.facts is not by candidate")
    return facts


def reevaluate_advice(
    game: str, view: View, advice: Advice, best: Candidate, other: Candidate, error_factor: float
) -> Advice:
    """Return a copy of the hint with the lines of ``best`` and ``other`` replaced by results from other worlds.

    All other lines are shifted by the change of the best line. Errors are shown as ``error_factor`` standard errors.
    The sentence and the reasons are unchanged.
    """
    builder = _LineBuilder(game, view, best, load_hint_spec(game), advice.pronouns, error_factor)
    off = builder.best_value - (advice.lines[0].value or 0.0)
    anew = {one.action: one for one in (best, other)}
    lines = [
        replace(builder.create_line(anew[line.action]), pros=line.pros, cons=line.cons)
        if line.action in anew
        else replace(line, value=_round_tenths((line.value or 0.0) + off))
        for line in advice.lines
    ]
    return replace(advice, lines=_sort_lines(lines))


def compute_error_in_points(search_spec: AnySearchSpec, view: View, difference: PairedDifference) -> float:
    """Return the standard error of a difference, converted to points of the totals; 0 if it is infinite."""
    if isinf(difference.error):
        return 0.0
    return search_spec.in_points(view, difference.error) - search_spec.in_points(view, 0.0)


def load_hint_spec(game: str) -> AnyHintSpec:
    """Return the hint specification of a game; one that judges cards by rank and suit if the game has none."""
    module = import_submodule(game, "hints")
    if module is None:
        return make_rank_hint_spec(wants_tricks=not GAMES[game].lowest_wins)
    hint_spec: AnyHintSpec = guard_part(game, "HINT_SPEC", module.HINT_SPEC, HintSpec)
    return hint_spec


def name_action(game: str, view: View, action: Action, pronouns: Pronouns = YOURSELF) -> str:
    """Return the name of an action at the beginning of a sentence, as hints have it, with cards in notation."""
    return pronouns.fill_in(load_hint_spec(game).action_name(view, action) or "") or format_action(action, pronouns)


def join_names(names: Sequence[str]) -> str:
    """Join names of cards: ``KS``, ``KS and QS``, ``AS KS and QS``."""
    return " and ".join(filter(None, [" ".join(names[:-1]), *names[-1:]]))


class _LineBuilder:
    """Builder of the lines of a hint, which compares each candidate with the best one."""

    def __init__(
        self,
        game: str,
        view: View,
        best: Candidate,
        hint_spec: AnyHintSpec,
        pronouns: Pronouns,
        error_factor: float = RULE_MARGIN,
    ) -> None:
        """Initialise the builder; ``error_factor`` is the number of standard errors that are shown as the error."""
        self._search_spec, self._game = load_search_spec(game), GAMES[game]
        self._view, self._best, self._pronouns, self._error_factor = view, best, pronouns, error_factor
        self.goal, self._units = hint_spec.goal(view), hint_spec.units(view)
        side = next(side for side in self._game.sides_of(view) if view.seat in side)
        self._rivals = [seat for seat in range(len(view.totals)) if seat not in side]

    @property
    def best_value(self) -> float:
        return _round_tenths(self._search_spec.in_points(self._view, self._best.mean))

    def create_line(self, candidate: Candidate) -> AdviceLine:
        """Return the line of a candidate, without reasons.

        A candidate with a higher mean than the best one is shown as equal to it, since the search did not find it
        clearly better.
        """
        called = name_action(self._game.about.key, self._view, candidate.action, self._pronouns)
        if not candidate.values:
            return AdviceLine(candidate.action, called, None, 0.0, True, None)
        share = _compute_share(self.goal, candidate, self._view.seat) if self.goal else None
        if candidate is self._best:
            return AdviceLine(candidate.action, called, self.best_value, 0.0, True, share)
        lag = compute_paired_difference(self._best, candidate)
        points = self._search_spec.in_points(self._view, self._best.mean)
        worth = self._search_spec.in_points(self._view, self._best.mean - lag.shrunk_mean)
        behind = _round_tenths(max(points - worth, 0.0))
        error = (
            inf
            if isinf(lag.error)
            else _round_tenths(self._error_factor * compute_error_in_points(self._search_spec, self._view, lag))
        )
        value = _round_tenths(self.best_value - behind)
        return AdviceLine(candidate.action, called, value, error, behind <= error, share)

    def add_reasons(
        self,
        lines: Sequence[AdviceLine],
        candidates: dict[Action, Candidate],
        facts: dict[Action, Facts],
        rival: AdviceLine | None,
    ) -> tuple[AdviceLine, ...]:
        """Return the lines with their reasons; all other lines are compared with the first one.

        The first line is compared with ``rival``, or with the following lines if there is no rival.
        """
        best, *others = lines
        if not others:
            return (replace(best, pros=self._format_reasons([_format_only_reason(best.action)]), equivalents=()),)
        worth = _estimate_worth(lines, facts)
        rest = []
        for other in others:
            if _is_equal(other, best):
                rest.append(other)
                continue
            pros, cons = compare_facts(facts[other.action], facts[best.action])
            habits = _list_habits(facts[other.action]) if other is rival else []
            against = [*cons.values()]
            if not other.is_as_good:
                effect = self._describe_effect(candidates[other.action], candidates[best.action], is_better=False)
                outcome = [*_list_events(facts[other.action]), effect]
                against = _select_reasons(cons, worth[best.action], worth[other.action], best, other, outcome)
            reasons_for = self._format_reasons(text for text in [*habits, *pros.values()] if text not in against)
            rest.append(replace(other, pros=reasons_for, cons=self._format_reasons(against)))
        return (self._add_best_reasons(best, others, candidates, facts, worth, rival), *rest)

    def _add_best_reasons(
        self,
        best: AdviceLine,
        others: Sequence[AdviceLine],
        candidates: dict[Action, Candidate],
        facts: dict[Action, Facts],
        worth: _Worth,
        rival: AdviceLine | None,
    ) -> AdviceLine:
        """Return the first line with its advantages over ``rival``, or over the next line that is not equal."""
        error, habits = (rival or others[0]).error, _list_habits(facts[best.action])
        other = rival or next((line for line in others if not _is_equal(line, best)), None)
        if other is None:
            return replace(best, pros=self._format_reasons(habits), error=error)
        pros, _ = compare_facts(facts[best.action], facts[other.action])
        own, its = worth[best.action], worth[other.action]
        if other.is_as_good:
            texts = [*habits, *[pros[topic] for topic in pros if own.get(topic, 0.0) >= its.get(topic, 0.0)]]
        else:
            effect = self._describe_effect(candidates[best.action], candidates[other.action], is_better=True)
            outcome = [*_list_events(facts[best.action]), effect]
            texts = [*_select_reasons(pros, own, its, best, other, outcome), *habits]
        return replace(best, pros=self._format_reasons(dict.fromkeys(texts)), error=error)

    def _format_reasons(self, texts: Iterable[str]) -> tuple[str, ...]:
        return tuple([self._pronouns.fill_in(text) for text in texts if text][:MAX_REASONS])

    def _describe_effect(self, candidate: Candidate, other: Candidate, *, is_better: bool) -> str:
        """Return the effect on the result that best explains why a choice is better (or worse) than another.

        It is the chance of a player to reach the goal, or else the difference in points for the players or for later
        rounds.
        """
        sign, seat = 1 if is_better else -1, self._view.seat
        if self.goal:
            own_share, *shares = [_compute_share(self.goal, candidate, one) for one in (seat, *self._rivals)]
            its_share, *its_shares = [_compute_share(self.goal, other, one) for one in (seat, *self._rivals)]
            if sign * (own_share - its_share) >= _EXPLAINING_SHARE:
                return f"gives {{them}} a {'better' if is_better else 'worse'} chance to {self.goal.predicate}"
            falls = [sign * (before - after) for before, after in zip(its_shares, shares, strict=True)]
            if max(falls) >= _EXPLAINING_SHARE:
                rival, chance = self._rivals[falls.index(max(falls))], "worse" if is_better else "better"
                return f"gives {{{rival}}} a {chance} chance to {self.goal.predicate.replace('{your}', 'the')}"
        future = sign * (candidate.future_value - other.future_value)
        own, rivals = (0.0, ""), (0.0, "")
        if candidate.points and other.points:
            own = self._compare_own_points(candidate, other, is_better=is_better)
            rivals = self._compare_points_of_rivals(candidate, other, is_better=is_better)
        if future > own[0] + rivals[0]:
            return f"leaves {{them}} {'better' if is_better else 'worse'} choices for later"
        points, text = max(own, rivals)
        return text if points > 0 else _SAFER if is_better else _RISKIER

    def _compare_own_points(self, candidate: Candidate, other: Candidate, *, is_better: bool) -> tuple[float, str]:
        """Return the points by which a choice is better (or worse) for its own seat, and a text on them."""
        sign, seat = 1 if is_better else -1, self._view.seat
        own, its = candidate.compute_mean_points([seat]), other.compute_mean_points([seat])
        costs = self._game.lowest_wins or max(own, its) <= 0
        amount = "fewer" if costs == is_better else "more"
        verb = "cost" if costs and self._units == "points" else "bring"
        return sign * (own - its), f"should {verb} {{them}} {amount} {self._units}"

    def _compare_points_of_rivals(
        self, candidate: Candidate, other: Candidate, *, is_better: bool
    ) -> tuple[float, str]:
        """Return the points by which a choice is worse (or better) for the mean of the other seats, and a text on them.

        It names the seat for which most of them are.
        """
        sign = 1 if is_better else -1
        means = [(other.compute_mean_points([seat]), candidate.compute_mean_points([seat])) for seat in self._rivals]
        losses = [sign * (its - own) for its, own in means]
        most = losses.index(max(losses))
        is_one = 2 * losses[most] >= sum([loss for loss in losses if loss > 0])
        who = f"{{{self._rivals[most]}}}" if is_one else "the others"
        helps = "bring" if max(means[most]) > 0 else "save"
        return fsum(losses) / len(losses), f"should {'cost' if is_better else helps} {who} points"


def _compute_share(goal: Goal, candidate: Candidate, seat: Seat) -> float:
    """Return the share of worlds in which a seat reaches the goal, rounded to thousandths."""
    return round(candidate.compute_share(lambda points: goal.reached(seat, points[seat])), 3)


def _estimate_worth(lines: Sequence[AdviceLine], facts: Mapping[Action, Facts]) -> _Worth:
    """Return the points that the facts on each choice are worth, by topic.

    They are the scores, multiplied by the slope of the linear regression of the values of all choices on them.
    """
    values = [line.value or 0.0 for line in lines]
    worth: _Worth = {line.action: {} for line in lines}
    for topic in {fact.topic for line in lines for fact in facts[line.action]}:
        scores = [fsum([fact.score for fact in facts[line.action] if fact.topic == topic]) for line in lines]
        if min(scores) < max(scores):
            slope = linear_regression(scores, values).slope
            for line, score in zip(lines, scores, strict=True):
                worth[line.action][topic] = slope * score
    return worth


def _select_reasons(
    texts: Mapping[str, str],
    worth: Mapping[str, float],
    other_worth: Mapping[str, float],
    best: AdviceLine,
    other: AdviceLine,
    outcome: Sequence[str],
) -> list[str]:
    """Return the texts that explain a part of the difference between two choices, those on the largest parts first.

    If none explains half of it, the last part of ``outcome``, the effect on the result, precedes them; if none explains
    any of it, all of ``outcome`` takes their place: what happens in most deals, and the effect.
    """
    parts = {topic: worth.get(topic, 0.0) - other_worth.get(topic, 0.0) for topic, text in texts.items() if text}
    topics = sorted([topic for topic in parts if parts[topic] > 0], key=lambda topic: -parts[topic])
    lead = (best.value or 0.0) - (other.value or 0.0)
    if not topics:
        return [" and ".join(outcome)]
    is_explained = parts[topics[0]] >= _EXPLAINING_PART * lead
    return [*([] if is_explained else outcome[-1:]), *[texts[topic] for topic in topics]]


def _list_events(facts: Facts) -> list[str]:
    return [fact.event for fact in facts if fact.event]


def _list_habits(facts: Facts) -> list[str]:
    return [fact.good for fact in facts if fact.habit]


def _format_only_reason(action: Action) -> str:
    """Return the reason for a choice that was not compared with another one."""
    if isinstance(action, Play):
        return "is as good as any other card {you} may play"
    return "is the only sensible choice"


def _is_equal(line: AdviceLine, best: AdviceLine) -> bool:
    return line.value == best.value and not line.error


def _round_tenths(points: float) -> float:
    return round(points, 1) + 0.0


def _sort_lines(lines: Sequence[AdviceLine]) -> tuple[AdviceLine, ...]:
    """Return the first line, and then the others by decreasing value."""
    best, *others = lines
    return (best, *sorted(others, key=lambda line: -(line.value or 0.0)))


def _make_forced_advice(game: str, view: View, only: Action, pronouns: Pronouns) -> Advice:
    is_card = only.cards_used().bit_count() == 1
    what = f"card {pronouns.you} may {only.verb}" if is_card else f"thing {pronouns.you} can do"
    reason = f"is the only {what}"
    line = AdviceLine(
        action=only,
        name=name_action(game, view, only, pronouns),
        value=None,
        error=0.0,
        is_as_good=True,
        share=None,
        pros=(reason,),
    )
    advice = Advice("", (line,), pronouns=pronouns)
    return replace(advice, sentence=format_sentence(advice))


def is_only_card(view: View, action: Action) -> bool:
    """Return True if ``action`` plays the only card that may be played; actions without cards do not count."""
    return isinstance(action, Play) and sum(isinstance(one, Play) for one in view.legal) == 1


def format_sentence(advice: Advice) -> str:
    """Return the hint in one sentence without figures: the best choice, its first reason, and how good the next is.

    A choice that is exactly as good is passed over if there is another one, as the reason does not tell them apart.
    """
    best, *others = advice.lines
    compared = [line for line in others if not _is_equal(line, best)] or others
    command = format_command(best.action, advice.pronouns, best.name)
    alike = "".join([f", {name}" for name in best.equivalents[:-1]] + [f" or {name}" for name in best.equivalents[-1:]])
    comparison = f"; {advice.format_comparison(compared[0])}" if compared else ""
    return f"{command}{alike}{make_clause(best.reasons[:1])}{comparison}."
