"""Interface between a game and the hint engine, and wording shared by all hints."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Generic, NamedTuple, TypeAlias

from cardtable.engine.game import Action, AnyGame, Declaration, S, State, V, View
from cardtable.engine.tricks import Play
from cardtable.robots.kit.search import Candidate


class Pronouns(NamedTuple):
    """Words for the person addressed or described, which replace ``{you}``, ``{your}`` and ``{them}`` in hint texts."""

    you: str
    your: str
    them: str

    def told(self, text: str) -> str:
        """Return the text with the placeholders replaced."""
        return text.format(you=self.you, your=self.your, them=self.them)


YOURSELF: Final = Pronouns("you", "your", "you")
"""Pronouns for the player to act, who asked for the hint."""
ANOTHER: Final = Pronouns("they", "their", "them")


class Fact(NamedTuple):
    """Effect of a choice, scored for comparison with another choice.

    The texts follow the name of the choice and may hold the placeholders of ``Pronouns``; an empty text is left out.
    """

    topic: str
    """Facts of two choices are compared if they have the same topic; a choice without the topic has score 0."""
    score: float
    """Strength of the argument; a higher score speaks for the choice."""
    good: str = ""
    """Text if this choice has the higher score."""
    bad: str = ""
    """Text if this choice has the lower score."""
    good_of_other: str = ""
    """Text about the other choice if that has the higher score, in place of its ``good``; can name this card."""
    bad_of_other: str = ""
    """Text about the other choice if that has the lower score, in place of its ``bad``."""
    margin: float = 0.0
    """Smallest difference of two scores that is mentioned."""
    habit: bool = False
    """True if ``good`` is said of the choice in question even if the other choice has the same effect, and so explains
    both.
    """


Facts: TypeAlias = tuple[Fact, ...]
"""Known facts of a choice, most important first."""


class Goal(NamedTuple):
    """Condition on a seat's own points of the round, as the searcher counts them."""

    description: str
    """Words for reaching the goal; they follow the name of a card, or the effect of an action without cards."""
    reached: Callable[[float], bool]
    """Predicate on the seat's own points of the round."""
    lost: str = ""
    """Sentence shown if the goal is out of reach."""


def no_goal(_view: View) -> None:
    """Return no goal: the seat wants points only."""


def no_options(_view: View, _best: Action) -> Sequence[Action]:
    """Return no choices beyond the candidates of the searcher."""
    return ()


def no_name(_view: View, _action: Action) -> str:
    """Return no special name: the action has its usual name."""
    return ""


@dataclass(frozen=True, slots=True)
class HintSpec(Generic[S, V]):
    """Functions of one game that the hint engine calls."""

    facts: Callable[[V, Sequence[Candidate], Sequence[S]], list[Facts]]
    """Facts of each candidate, from the view and from imagined worlds, which must not be changed."""
    goal: Callable[[V], Goal | None] = no_goal
    """Goal of the view's seat; ``None`` if the seat wants points only."""
    options: Callable[[V, Action], Sequence[Action]] = no_options
    """Legal choices that a player would consider besides the best one, possibly not candidates of the searcher."""
    name: Callable[[V, Action], str] = no_name
    """Name of an action in a hint, if the view allows a better name than its text; else ``""``."""


AnyHintSpec: TypeAlias = HintSpec[State[View], View]
"""Hint spec of a game that was looked up by its key."""


def compare_facts(facts: Facts, others: Facts) -> tuple[dict[str, str], dict[str, str]]:
    """Return the texts for and against a choice, compared with another one: two dicts by topic, most important first.

    A topic without a sentence has an empty text.
    """
    others_by_topic = {fact.topic: fact for fact in others}
    pros, cons = dict[str, str](), dict[str, str]()
    for fact in facts:
        other = others_by_topic.get(fact.topic, Fact(fact.topic, 0.0))
        ahead = fact.score - other.score
        if ahead > fact.margin:
            pros[fact.topic] = other.good_of_other or fact.good
        elif ahead < -fact.margin:
            cons[fact.topic] = other.bad_of_other or fact.bad
    return pros, cons


def per_cent(share: float) -> str:
    """Return a share in per cent; ``0 %`` and ``100 %`` are only used for exactly 0 and 1."""
    return f"{round(100 * share) if share in (0, 1) else min(max(round(100 * share), 1), 99)} %"


def action_name(action: Action, person: Pronouns = YOURSELF) -> str:
    """Return the name of an action for the beginning of a sentence; cards are in notation."""
    return person.told(action.description) or f"{action.kind.capitalize()} {action.argument_text}".rstrip()


def name_in_sentence(action: Action, person: Pronouns = YOURSELF, called: str = "") -> str:
    """Return the name of an action for use within a sentence; ``called``: its name for the beginning of a sentence."""
    if action.quoted:
        return f'"{action.kind}"'
    called = called or action_name(action, person)
    return called if isinstance(action, Play | Declaration) else called[0].lower() + called[1:]


_EXACT: Final = 10
"""Number of points from which tenths are not shown."""
CLOSE: Final = "too close to call"
"""Text for a choice that is behind the best one by no more than the displayed error."""
EQUAL: Final = "just as good"
"""Text for a choice that is exactly as good as the best one."""


@dataclass(frozen=True, slots=True)
class ScoreScale:
    """Format of differences between choices in one session, always in points of the totals."""

    lowest_wins: bool = False
    lasting: bool = False
    """True if the value of a choice for later rounds is included."""

    def figure(self, lead: float) -> float:
        """Return a lead with the sign of the score sheet: negated in games in which the lowest total wins."""
        return (-lead if self.lowest_wins else lead) + 0.0

    @property
    def head(self) -> str:
        """Heading of a column of differences."""
        return "points, fewer win" if self.lowest_wins else "points better"

    @property
    def sentence(self) -> str:
        """Heading of the list in plain text."""
        fewer = "; fewer points win" if self.lowest_wins else ""
        later = ", later rounds included" if self.lasting else ""
        return f"Points by which each choice is better or worse on average{later}{fewer}"

    @property
    def note(self) -> str:
        """Note on the differences, if they include more than the round; else ``""``."""
        return "later rounds included" if self.lasting else ""


USUAL: Final = ScoreScale()
"""Scale of a game in which the highest total wins."""


def score_scale(game: AnyGame, *, lasting: bool = False) -> ScoreScale:
    """Return the scale of a game."""
    return ScoreScale(game.lowest_wins, lasting)


def format_difference(lead: float, *, exact: bool = False, first: bool = False) -> str:
    """Return a difference in words: ``2.1 points better``, ``14 points worse``.

    ``exact``: always show tenths; ``first``: for the best choice, so that 0 is shown as better.
    """
    amount = f"{abs(lead):.1f}" if exact or abs(lead) < _EXACT else f"{abs(lead):.0f}"
    return f"{amount} points {'better' if first or lead > 0 else 'worse'}"
