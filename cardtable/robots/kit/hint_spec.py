"""Interface between a game and the hint engine, and wording that all hints share."""

from collections.abc import Callable, Sequence
from typing import Final, Generic, NamedTuple, TypeAlias

import msgspec

from cardtable.engine.bidding import Bid
from cardtable.engine.cards import NAME, Card
from cardtable.engine.game import Action, AnyGame, Declaration, S, Seat, State, V, View
from cardtable.engine.presentation import SEAT_NAMES, to_gerund
from cardtable.engine.text_format import format_amount
from cardtable.engine.tricks import Play
from cardtable.robots.kit.search_spec import Candidate


class Pronouns(NamedTuple):
    """Words for the player to act, which replace the placeholders ``{you}``, ``{your}`` and ``{them}`` in hint
    texts, and names of the seats, which replace the numbers of seats, as in ``{2}``.
    """

    you: str
    your: str
    them: str
    names: Sequence[str] = SEAT_NAMES

    def fill_in(self, text: str) -> str:
        """Return ``text`` with the pronouns and names in place of its placeholders."""
        return text.format(*self.names, you=self.you, your=self.your, them=self.them)


YOURSELF: Final = Pronouns("you", "your", "you")
"""Pronouns for a hint to the player to act."""
ANOTHER: Final = Pronouns("they", "their", "them")
"""Pronouns for a text about another seat."""


class Fact(NamedTuple):
    """Effect of a choice, with a score by which it is compared with another choice.

    The texts are predicates, such as ``keeps QS``, whose subject is the choice, and may contain the placeholders of
    ``Pronouns``. An empty text is left out of the hint. Shares and means are given in words: figures have columns.
    """

    topic: str
    """Key by which the facts of two choices are paired; a choice without a fact on the topic has score 0."""
    score: float
    """Strength of the argument, in an arbitrary unit; a higher score speaks for the choice."""
    good: str = ""
    """Text for the case that this choice has the higher score."""
    bad: str = ""
    """Text for the case that this choice has the lower score."""
    good_of_other: str = ""
    """Text about the other choice if the other choice has the higher score.

    Replaces its ``good`` and can name the card of this choice.
    """
    bad_of_other: str = ""
    """Text about the other choice if the other choice has the lower score; replaces its ``bad``."""
    margin: float = 0.0
    """Largest difference of the two scores that is too small to be mentioned."""
    event: str = ""
    """What happens in most deals after the choice; said if no reason explains the difference from the other choice."""
    habit: bool = False
    """True if ``good`` is mentioned even if the other choice has the same effect, since it explains both choices."""


Facts: TypeAlias = tuple[Fact, ...]
"""Facts on a choice, the most important first."""


class Goal(NamedTuple):
    """Condition on the points that a seat scores in the round, as the search counts them (larger is better).

    The same condition applies to the other seats.
    """

    predicate: str
    """Reaching the goal in words: an infinitive without *to*, such as ``make {your} bid``."""
    reached: Callable[[Seat, float], bool]
    """Return True if a seat reaches the goal with this number of points."""


def no_goal(_view: View) -> None:
    """Return ``None``, as the seat simply wants points (default of ``HintSpec.goal``)."""


def count_points(_view: View) -> str:
    """Return ``points``, as nothing else scores (default of ``HintSpec.units``)."""
    return "points"


def no_alternatives(_view: View, _best: Action) -> Sequence[Action]:
    """Return an empty sequence: hints list the candidates of the search only (default of ``HintSpec.alternatives``)."""
    return ()


def no_contract_to_change(_view: View) -> None:
    """Return ``None``, as no contract can be changed (default of ``HintSpec.reopen``)."""


def no_name(_view: View, _action: Action) -> None:
    """Return ``None``: the action has its usual name (default of ``HintSpec.action_name``)."""


class HintSpec(msgspec.Struct, Generic[S, V], frozen=True):
    """Functions with which a game explains the choices in a hint."""

    facts: Callable[[V, Sequence[Candidate], Sequence[S]], list[Facts]]
    """Return the facts on each candidate, given the view and sampled states. The states must not be changed."""
    goal: Callable[[V], Goal | None] = no_goal
    """Return the goal of the view's seat; ``None`` if the seat simply wants points."""
    units: Callable[[V], str] = count_points
    """Return the name of what scores in the round, such as ``tricks``."""
    alternatives: Callable[[V, Action], Sequence[Action]] = no_alternatives
    """Return legal actions that a player would compare with the best one.

    They are added to the hint if they are not candidates of the search.
    """
    action_name: Callable[[V, Action], str | None] = no_name
    """Return the name of an action in a hint if the view allows a better one than ``format_action``."""
    reopen: Callable[[V], V | None] = no_contract_to_change
    """Return the view before the seat chose the contract that it may still change, the last legal action in that view.

    ``None`` if the seat has not chosen one or may not change it.
    """


AnyHintSpec: TypeAlias = HintSpec[State[View], View]
"""Hint specification of a game that was looked up by its key."""


def compare_facts(facts: Facts, other_facts: Facts) -> tuple[dict[str, str], dict[str, str]]:
    """Return the texts for and against a choice, compared with another one.

    Both results map topics to texts, in the order of ``facts``. The text of a topic is empty if its fact has none.
    Topics on which the scores differ by no more than the margin of the fact are left out.
    """
    others_by_topic = {fact.topic: fact for fact in other_facts}
    pros, cons = dict[str, str](), dict[str, str]()
    for fact in facts:
        other = others_by_topic.get(fact.topic, Fact(fact.topic, 0.0))
        ahead = fact.score - other.score
        if ahead > fact.margin:
            pros[fact.topic] = other.good_of_other or fact.good
        elif ahead < -fact.margin:
            cons[fact.topic] = other.bad_of_other or fact.bad
    return pros, cons


def format_percentage(share: float) -> str:
    """Format a share from 0 to 1 as a percentage.

    Shares are rounded to 1% to 99%, so that ``0%`` and ``100%`` mean exactly 0 and 1.
    """
    return f"{round(100 * share) if share in (0, 1) else min(max(round(100 * share), 1), 99)}%"


def keep_card(card: Card) -> str:
    """Return the predicate that a choice keeps a card."""
    return f"keeps {NAME[card]} for later"


def join_predicates(texts: Sequence[str]) -> str:
    """Join predicates with "and", and with a comma where one begins with "but"."""
    return " and ".join(texts).replace(" and but ", ", but ")


def make_clause(texts: Sequence[str]) -> str:
    """Return predicates as a clause behind a choice, ``, which keeps QS``; ``""`` if there are none."""
    return f", which {join_predicates(texts)}" if texts else ""


def format_action(action: Action, pronouns: Pronouns = YOURSELF) -> str:
    """Return the name of an action at the beginning of a sentence, with cards in notation."""
    text = action.description or f"{action.verb.capitalize()} {action.argument_text}".rstrip()
    return pronouns.fill_in(text)


def format_action_in_sentence(action: Action, pronouns: Pronouns = YOURSELF, name: str = "") -> str:
    """Return the name of an action within a sentence.

    ``name``: its name at the beginning of a sentence, if it is not that of ``format_action``.
    """
    if action.quoted and not name:
        return f'"{action.kind}"'
    name = name or format_action(action, pronouns)
    begins_with_name = isinstance(action, Play | Declaration) or name.partition(" ")[0] in NAME
    return name if begins_with_name else name[0].lower() + name[1:]


def format_as_subject(action: Action, pronouns: Pronouns = YOURSELF, name: str = "") -> str:
    """Return the name of an action as a subject: ``QS``, ``bid 2``, ``No Queens``, ``discarding QS``.

    ``name`` is as in ``format_action_in_sentence``.
    """
    text = format_action_in_sentence(action, pronouns, name)
    return text if isinstance(action, Bid) or _is_noun(action, pronouns, name) else to_gerund(text)


def format_as_choice(action: Action, pronouns: Pronouns = YOURSELF, name: str = "") -> str:
    """Return the name of an action after *chose* or *better*: ``QS``, ``bid 2``, ``No Queens``, ``to discard QS``."""
    text = format_action_in_sentence(action, pronouns, name)
    return text if isinstance(action, Bid) or _is_noun(action, pronouns, name) else f"to {text}"


def format_command(action: Action, pronouns: Pronouns = YOURSELF, name: str = "") -> str:
    """Return an action as a command: ``Play QS``, ``Bid 2``, ``Choose No Queens``, ``Discard QS``."""
    if not _is_noun(action, pronouns, name):
        return name or format_action(action, pronouns)
    verb = "Play" if isinstance(action, Play) else "Choose"
    return f"{verb} {format_action_in_sentence(action, pronouns, name)}"


def _is_noun(action: Action, pronouns: Pronouns, name: str) -> bool:
    """Return True if the name of an action has no verb, because it is its description or what players say aloud."""
    return bool(action.description or action.quoted) and name in ("", format_action(action, pronouns))


TOO_CLOSE_TEXT: Final = "too close to call"
"""Text beside figures for a choice whose difference from the best one is within the displayed error."""
ABOUT_EQUAL_TEXT: Final = "about as good"
"""The same in words."""
EQUAL_TEXT: Final = "just as good"
"""Text for a choice that is exactly as good as the best one."""


MUCH: Final = 2
"""Factor between a big mistake and a difference that is called much, or little."""


class ScoreScale(msgspec.Struct, frozen=True):
    """Format of differences between choices, in points of the totals."""

    lowest_wins: bool = False
    includes_later_rounds: bool = False
    """True if the differences include the value of a choice for later rounds."""
    big_mistake: float = 0.0
    """Points of a big mistake, as in ``SearchSpec``."""

    def describe_loss(self, points: float) -> str:
        """Return a difference in words: ``worse``, with an adverb for its size in the game."""
        if points >= MUCH * self.big_mistake > 0:
            return "much worse"
        return "a little worse" if points < self.big_mistake / MUCH else "worse"

    def apply_sheet_sign(self, lead: float) -> float:
        """Return ``lead`` with the sign of the score sheet: it is negated in games in which the lowest total wins."""
        return (-lead if self.lowest_wins else lead) + 0.0

    @property
    def column_heading(self) -> str:
        return "points, lower is better" if self.lowest_wins else "points +/\N{MINUS SIGN}"

    @property
    def list_heading(self) -> str:
        """Heading of a list of choices in plain text."""
        lower = "; lower is better" if self.lowest_wins else ""
        later = ", later rounds included" if self.includes_later_rounds else ""
        return f"Points by which each choice is better or worse on average{later}{lower}"

    @property
    def note(self) -> str:
        """Note that later rounds are included in the differences; ``""`` if they are not."""
        return "later rounds included" if self.includes_later_rounds else ""


DEFAULT_SCALE: Final = ScoreScale()
"""Scale for games in which the highest total wins, without later rounds."""


def make_score_scale(game: AnyGame, *, includes_later_rounds: bool = False, big_mistake: float = 0.0) -> ScoreScale:
    """Return the scale of a game, by which of its totals wins."""
    return ScoreScale(game.lowest_wins, includes_later_rounds, big_mistake)


def format_difference(lead: float, *, show_tenths: bool = False, is_best: bool = False) -> str:
    """Format a difference in words: ``2.1 points better``, ``14 points worse``.

    Tenths are shown below 10 points, or always if ``show_tenths`` is True. A difference of 0 is worse, unless
    ``is_best`` says that the text is about the best choice.
    """
    return f"{format_amount(lead, show_tenths=show_tenths)} points {'better' if is_best or lead > 0 else 'worse'}"
