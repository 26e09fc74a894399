"""What a game tells the coach, and how things are said in all of them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Generic, NamedTuple, TypeAlias

from cardtable.engine.game import Action, AnyGame, Declaration, S, State, V, View
from cardtable.engine.tricks import Play
from cardtable.robots.kit.search import Candidate


class Pronouns(NamedTuple):
    """Who something is told to, or of whom: what stands in the text of the coach for ``{you}`` and the others."""

    you: str
    your: str
    them: str

    def told(self, text: str) -> str:
        """The text as it is told to or of that person."""
        return text.format(you=self.you, your=self.your, them=self.them)


YOURSELF: Final = Pronouns("you", "your", "you")
"""Who is to act, and asks."""
ANOTHER: Final = Pronouns("they", "their", "them")


class Fact(NamedTuple):
    """Something that a choice does, by which it can be compared with another choice.

    The texts follow the name of the choice and are told of a ``Pronouns``; an empty one is not said.
    """

    topic: str
    """Facts of two choices are compared if they have the same topic; a choice without it has the score 0."""
    score: float
    """The more, the more it speaks for the choice."""
    good: str = ""
    """Said where the choice has the higher score, ..."""
    bad: str = ""
    """... and where it has the lower one."""
    good_of_other: str = ""
    """Said of the other choice where that has the higher score, instead of its ``good``: it can name this card, ..."""
    bad_of_other: str = ""
    """... and where it has the lower one, instead of its ``bad``."""
    margin: float = 0.0
    """The least difference of two scores that is worth saying."""
    habit: bool = False
    """Whether its ``good`` is said of what is asked about even if the other choice does the same: it explains both."""


Facts: TypeAlias = tuple[Fact, ...]
"""All that is known of a choice; the most important first."""


class Goal(NamedTuple):
    """Something that a round brings or does not, told by the own points of the round, as the searcher counts them."""

    told: str
    """What happens then, in words, after the name of a card; of an action without cards what it does."""
    reached: Callable[[float], bool]
    """Whether it did, by the own points of the round."""
    lost: str = ""
    """What is said where it cannot happen any more."""


def no_aim(_view: View) -> None:
    """Points, and nothing else, are wanted."""


def no_options(_view: View, _best: Action) -> Sequence[Action]:
    """Return no choices beside those that the searcher looks at."""
    return ()


def no_name(_view: View, _action: Action) -> str:
    """Leave the name of an action as it is everywhere."""
    return ""


@dataclass(frozen=True, slots=True)
class HintSpec(Generic[S, V]):
    """What a game tells the coach."""

    facts: Callable[[V, Sequence[Candidate], Sequence[S]], list[Facts]]
    """Facts of each of some candidates, by the view and by worlds that fit it, which are not to be changed."""
    aim: Callable[[V], Goal | None] = no_aim
    """What the seat of a view wants; ``None`` where it wants points and nothing else."""
    options: Callable[[V, Action], Sequence[Action]] = no_options
    """Legal choices that a person would consider beside the best one; the searcher may have left them out."""
    name: Callable[[V, Action], str] = no_name
    """What an action is called in a hint, where the view tells more than its text; else nothing (``""``)."""


AnyLesson: TypeAlias = HintSpec[State[View], View]
"""That of a game which was looked up by its key."""


def compare(facts: Facts, others: Facts) -> tuple[dict[str, str], dict[str, str]]:
    """Return by topic what speaks for a choice and against it, beside another one; the most important first.

    Where nothing is to be said of a topic, its text is empty.
    """
    beside = {fact.topic: fact for fact in others}
    pros, cons = dict[str, str](), dict[str, str]()
    for fact in facts:
        other = beside.get(fact.topic, Fact(fact.topic, 0.0))
        ahead = fact.score - other.score
        if ahead > fact.margin:
            pros[fact.topic] = other.good_of_other or fact.good
        elif ahead < -fact.margin:
            cons[fact.topic] = other.bad_of_other or fact.bad
    return pros, cons


def per_cent(share: float) -> str:
    """Return a share in per cent; 0 and 100 only where it is none or all."""
    return f"{round(100 * share) if share in (0, 1) else min(max(round(100 * share), 1), 99)} %"


def name(action: Action, person: Pronouns = YOURSELF) -> str:
    """What an action is called at the beginning of a sentence; cards in notation."""
    return person.told(action.description) or f"{action.kind.capitalize()} {action.argument_text}".rstrip()


def inside(action: Action, person: Pronouns = YOURSELF, called: str = "") -> str:
    """What an action is called within a sentence; ``called``: what it is called at the beginning of one."""
    if action.quoted:
        return f'"{action.kind}"'
    called = called or name(action, person)
    return called if isinstance(action, Play | Declaration) else called[0].lower() + called[1:]


_EXACT: Final = 10
"""Points from which on tenths are not said."""
CLOSE: Final = "too close to call"
"""Said of a choice that is behind the best one by no more than the error that is shown."""
EQUAL: Final = "just as good"
"""Said of a choice that is exactly as good as the best one."""


@dataclass(frozen=True, slots=True)
class ScoreScale:
    """How the difference between choices is told in one session, always in points of the totals."""

    lowest_wins: bool = False
    lasting: bool = False
    """Whether what a choice leaves for later rounds is counted, too."""

    def figure(self, lead: float) -> float:
        """Return a lead with the sign of the score sheet, on which few points may be what wins."""
        return (-lead if self.lowest_wins else lead) + 0.0

    @property
    def head(self) -> str:
        """Heading of a column of such figures."""
        return "points, fewer win" if self.lowest_wins else "points better"

    @property
    def sentence(self) -> str:
        """Heading of a list in plain lines."""
        fewer = "; fewer points win" if self.lowest_wins else ""
        later = ", later rounds included" if self.lasting else ""
        return f"Points by which each choice is better or worse on average{later}{fewer}"

    @property
    def note(self) -> str:
        """What the figures count besides the round; nothing (``""``) where that is all."""
        return "later rounds included" if self.lasting else ""


USUAL: Final = ScoreScale()
"""In a game in which most points win."""


def measure(game: AnyGame, *, lasting: bool = False) -> ScoreScale:
    """Return how differences are told in a game."""
    return ScoreScale(game.lowest_wins, lasting)


def better(lead: float, *, exact: bool = False, first: bool = False) -> str:
    """Return a difference in words: ``2.1 points better``, ``14 points worse``.

    ``exact``: always in tenths; ``first``: of the best choice, so that even 0 is no worse.
    """
    amount = f"{abs(lead):.1f}" if exact or abs(lead) < _EXACT else f"{abs(lead):.0f}"
    return f"{amount} points {'better' if first or lead > 0 else 'worse'}"
