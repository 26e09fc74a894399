"""Test suite for authors of games: the invariants of every game, as a class of tests.

    from cardtable.testing import GameTests

    class TestHearts(GameTests):
        game = GAME

The tests play sessions of random legal actions with every supported number of seats and every value of each option,
changing one option at a time. A failed assertion names the violated invariant, such as "hidden cards make a
difference".
"""

from collections.abc import Callable, Iterator
from random import Random
from typing import ClassVar, Final

from cardtable.engine.game import AnyGame, Score
from cardtable.robots.kit.rollouts import RandomRobot
from cardtable.testing import invariants, session_checks
from cardtable.testing.cases import Case, cases_of, positions

_FIRST: Final = 12
"""Number of positions at the beginning of a session that are all tested; later positions are sampled.

The first positions include bids and other rare actions.
"""


class GameTests:
    """Tests of the invariants of ``game``, for all numbers of seats and all options.

    ``sessions`` is the number of sessions played for each combination of seats and options.
    """

    game: ClassVar[AnyGame]
    sessions: ClassVar[int] = 2
    decisions: ClassVar[int] = 250
    """Maximum number of decisions per session in slow tests."""

    def adds(self, _score: Score, total: int, points: int) -> int:
        """Return the total of a seat after a round, given its total before and its points in the round.

        Override this method if a game does not simply add the points to the total.
        """
        return total + points

    def test_house_rules_come_back_from_a_header(self) -> None:
        """House rules are the same after writing them to the header of a journal and reading them again."""
        for case in cases_of(self.game):
            session_checks.options_come_back(case)

    def test_actions_are_told_apart_and_copies_are_independent(self) -> None:
        """Legal actions have distinct texts, and copies of a state share no mutable data."""
        self._each(session_checks.look_at_states)

    def test_whole_sessions_are_checked_and_read_again(self) -> None:
        """Sessions end, the journal reproduces the state, and the points add up to the totals."""
        self._each(lambda case, seed: session_checks.soak(case, seed, self.adds))

    def test_only_what_is_legal_can_be_done(self) -> None:
        """Illegal actions raise an error and change no state."""
        self._each(session_checks.try_what_is_not_legal)

    def test_what_was_taken_back_is_as_it_was(self) -> None:
        """Undo restores the previous state, and outcomes of chance cannot be undone."""
        self._each(lambda case, seed: session_checks.take_back_now_and_then(case, seed, self.decisions))

    def test_nobody_comes_back_to_before_a_card_that_she_drew_unseen(self) -> None:
        """A decision cannot be undone after its player has drawn a card unseen."""
        self._each(lambda case, seed: session_checks.look_for_ways_back(case, seed, self.decisions))

    def test_a_void_round_changes_nothing(self) -> None:
        """A void round is dealt again by the same dealer and leaves no trace."""
        self._each(session_checks.make_rounds_void)

    def test_unfinished_sessions_can_be_shown_again(self) -> None:
        """A session that stops at any line can be replayed and exported."""
        self._each(session_checks.look_back_at_beginnings)

    def test_no_deal_depends_on_play(self) -> None:
        """Deals depend only on the seed, not on the actions of the players."""
        self._each(session_checks.compare_deals)

    def test_chance_comes_from_the_source_that_is_given(self) -> None:
        """Deals come from ``Referee.randomness`` if it is set, as at the host of a club, and not from the seed."""
        self._each(session_checks.draw_from_a_source)

    def test_nobody_loses_by_a_clock_but_by_the_rules(self) -> None:
        """A session can be lost on time only if the game has a clock for each seat."""
        self._each(session_checks.let_the_time_run_out)

    def test_hidden_cards_make_no_difference(self) -> None:
        """States that differ only in hidden cards give equal views and the same choices of a robot."""
        assert sum([invariants.compare_worlds(case, seed, [RandomRobot()]) for case, seed in self._tried()])

    def test_who_only_looks_on_learns_nothing_of_a_hand(self) -> None:
        """A public view reveals no card of a hand."""
        rng, case = Random(0), cases_of(self.game)[0]
        for number, position in enumerate(positions(case, 0)):
            if number < _FIRST or rng.random() < 0.2:
                invariants.look_on(self.game, position.state, rng)

    def test_pictures_and_words(self) -> None:
        """Each seat has zones, explanations and log entries, which reveal no hidden card."""
        self._each(lambda case, seed: session_checks.look_and_listen(case, seed, self.decisions))

    def _tried(self) -> Iterator[tuple[Case, int]]:
        return ((case, seed) for case in cases_of(self.game) for seed in range(self.sessions))

    def _each(self, law: Callable[[Case, int], object]) -> None:
        for case, seed in self._tried():
            law(case, seed)
