"""For those who write a game: the laws that hold in every one, as a class of tests.

    from cardtable.testing import Laws

    class TestHearts(Laws):
        game = GAME

Each way to play is tried, every option varied alone, in sessions of random legal play; a law that does not hold fails
with its words, such as "hidden cards make a difference".
"""

from collections.abc import Callable, Iterator
from random import Random
from typing import ClassVar, Final

from cardtable.engine.game import AnyGame, Score
from cardtable.robots.kit.rollouts import RandomRobot
from cardtable.testing import invariants, session_checks
from cardtable.testing.cases import Case, cases_of, positions

_FIRST: Final = 12
"""Positions of a session that are looked at in any case, as there are bids and the like in them, and few after them."""


class Laws:
    """What must hold in a game: each test plays ``sessions`` sessions of every way to play."""

    game: ClassVar[AnyGame]
    sessions: ClassVar[int] = 2
    decisions: ClassVar[int] = 250
    """Decisions of a session that costly laws look at."""

    def adds(self, _score: Score, total: int, points: int) -> int:
        """What a total becomes by the points of a score, where they are not merely added."""
        return total + points

    def test_house_rules_come_back_from_a_header(self) -> None:
        """Options are read again from a session's file."""
        for case in cases_of(self.game):
            session_checks.options_come_back(case)

    def test_actions_are_told_apart_and_copies_are_independent(self) -> None:
        """Each legal action has a text of its own; a copy shares nothing that changes."""
        self._each(session_checks.look_at_states)

    def test_whole_sessions_are_checked_and_read_again(self) -> None:
        """A session ends, its file leads to the same state at every line, and points add up to totals."""
        self._each(lambda case, seed: session_checks.soak(case, seed, self.adds))

    def test_only_what_is_legal_can_be_done(self) -> None:
        """Anything else raises and changes nothing."""
        self._each(session_checks.try_what_is_not_legal)

    def test_what_was_taken_back_is_as_it_was(self) -> None:
        """Taking back gives the state before, and never reaches past chance."""
        self._each(lambda case, seed: session_checks.take_back_now_and_then(case, seed, self.decisions))

    def test_nobody_comes_back_to_before_a_card_that_she_drew_unseen(self) -> None:
        """Who has seen a new card stays with it."""
        self._each(lambda case, seed: session_checks.look_for_ways_back(case, seed, self.decisions))

    def test_a_void_round_changes_nothing(self) -> None:
        """It is dealt again by the same dealer."""
        self._each(session_checks.make_rounds_void)

    def test_unfinished_sessions_can_be_shown_again(self) -> None:
        """A session that was left at any line has a replay and an export."""
        self._each(session_checks.look_back_at_beginnings)

    def test_no_deal_depends_on_play(self) -> None:
        """A seed has its deals, whatever is played."""
        self._each(session_checks.compare_deals)

    def test_chance_comes_from_the_source_that_is_given(self) -> None:
        """At the host of a club no deal follows from the seed."""
        self._each(session_checks.draw_from_a_source)

    def test_nobody_loses_by_a_clock_but_by_the_rules(self) -> None:
        """Only a game with clocks of its own is lost by them."""
        self._each(session_checks.let_the_time_run_out)

    def test_hidden_cards_make_no_difference(self) -> None:
        """Worlds that differ in hidden cards give the same view, and the same choice of a robot."""
        assert sum([invariants.compare_worlds(case, seed, [RandomRobot()]) for case, seed in self._tried()])

    def test_who_only_looks_on_learns_nothing_of_a_hand(self) -> None:
        """A view without its own hand tells of none."""
        rng, case = Random(0), cases_of(self.game)[0]
        for number, position in enumerate(positions(case, 0)):
            if number < _FIRST or rng.random() < 0.2:
                invariants.look_on(self.game, position.state, rng)

    def test_pictures_and_words(self) -> None:
        """Each seat has a picture, refusals and news, without a hidden card."""
        self._each(lambda case, seed: session_checks.look_and_listen(case, seed, self.decisions))

    def _tried(self) -> Iterator[tuple[Case, int]]:
        return ((case, seed) for case in cases_of(self.game) for seed in range(self.sessions))

    def _each(self, law: Callable[[Case, int], object]) -> None:
        for case, seed in self._tried():
            law(case, seed)
