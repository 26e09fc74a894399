"""Test suite for authors of games: the invariants of every game, as a class of tests.

    from cardtable.testing import GameTests

    class TestHearts(GameTests):
        game = GAME

The tests play sessions of random legal actions with every supported number of seats and every value of each option,
changing one option at a time. A failure names the case and the seed, the violated invariant, such as "hidden cards make
a difference", and if possible the seat, the field, the cards and what to do.
"""

from collections.abc import Callable
from itertools import product
from random import Random
from typing import ClassVar, Final

from cardtable.engine.game import MAX_SEATS, AnyGame, Score
from cardtable.engine.options import Options
from cardtable.robots.kit.robot import RandomRobot
from cardtable.testing import invariants, session_checks
from cardtable.testing.cases import Case, call_with_limit, explain_failures, iter_random_positions, list_cases
from cardtable.testing.encoding_checks import check_encodings
from cardtable.testing.secret_choice_checks import check_choices_of_referee, check_secret_choices
from cardtable.testing.session_checks import check_robots
from cardtable.testing.table_checks import check_input, check_round_ends, check_rules_page, check_table_texts
from cardtable.testing.worlds import compare_twins

_EARLY_POSITIONS: Final = 12
"""Number of positions at the beginning of a session that are all tested; later positions are sampled.

The first positions include bids and other rare actions.
"""


class GameTests:
    """Tests of the invariants of ``game``, for all numbers of seats and all options.

    They take less than a minute of an idle processor core for most games. With ``full``, more and longer sessions are
    played, which takes several times as long: do so before a release, or to look for a rare fault.
    """

    game: ClassVar[AnyGame]
    full: ClassVar[bool] = False
    seconds: ClassVar[float] = 60
    """Limit on the processor time of each test for one session; a failure names the callable that took most of it."""

    def adds(self, _score: Score, total: int, points: int) -> int:
        """Return the total of a seat after a round, given its total before and its points in the round.

        Override this method if a game does not simply add the points to the total.
        """
        return total + points

    def reveals_in_first_deal(self, _options: Options) -> bool:
        """Return True if the first deal of a session makes known who holds a card, and a second deal does not.

        Override this method for house rules by which, for example, the holder of a card begins the first round.
        """
        return False

    def test_options_survive_a_journal_header(self) -> None:
        """House rules are the same after writing them to the header of a journal and reading them again."""
        for case in list_cases(self.game):
            self._check(case, 0, lambda case, _seed: session_checks.check_options(case))

    def test_actions_are_distinct_and_copies_independent(self) -> None:
        """Legal actions have distinct texts, and copies of a state share no mutable data."""
        self._check_each(session_checks.check_states)

    def test_sessions_end_and_can_be_replayed(self) -> None:
        """Sessions end, the journal reproduces the state, and the points add up to the totals."""
        self._check_each(lambda case, seed: session_checks.check_whole_session(case, seed, self.adds))

    def test_illegal_actions_are_rejected(self) -> None:
        """Illegal actions raise an error and change no state."""
        self._check_each(session_checks.check_illegal_actions)

    def test_undo_restores_the_state(self) -> None:
        """Undo restores the previous state, and outcomes of chance cannot be undone."""
        self._check_each(lambda case, seed: session_checks.check_undo(case, seed, self._decisions))

    def test_no_undo_past_an_unseen_draw(self) -> None:
        """A decision cannot be undone after its player has seen a new card."""
        self._check_each(lambda case, seed: session_checks.check_undo_distance(case, seed, self._decisions))

    def test_void_rounds_have_no_effect(self) -> None:
        """A void round is dealt again by the same dealer and leaves no trace."""
        self._check_each(
            lambda case, seed: session_checks.check_void_rounds(
                case, seed, first_deal_reveals=self.reveals_in_first_deal(case.options)
            )
        )

    def test_unfinished_sessions_can_be_replayed(self) -> None:
        """A session that stops at any line can be replayed and exported."""
        self._check_each(session_checks.check_unfinished_sessions)

    def test_deals_do_not_depend_on_play(self) -> None:
        """Deals depend only on the seed, not on the actions of the players."""
        self._check_each(session_checks.check_deals)

    def test_chance_uses_the_given_randomness(self) -> None:
        """Deals come from ``Referee.randomness`` if it is set, as at the host of a club, and not from the seed."""
        self._check_each(session_checks.check_randomness)

    def test_loss_on_time_needs_a_rule(self) -> None:
        """A session can be lost on time only if the game has a clock for each seat."""
        self._check_each(session_checks.check_forfeit)

    def test_hidden_cards_do_not_affect_views(self) -> None:
        """States that differ only in hidden cards give equal views and the same choices of a robot."""
        self._check_each(lambda case, seed: invariants.compare_worlds(case, seed, [RandomRobot()]))

    def test_no_seat_can_tell_twin_worlds_apart(self) -> None:
        """At every position, no seat and no spectator sees or reads a difference if two hidden cards are exchanged."""
        usual, observers = self.game.options(), MAX_SEATS if self.full else 2

        def compare(case: Case, seed: int) -> None:
            compare_twins(case, seed, self._decisions if case.options == usual else self._decisions // 5, observers)

        self._check_each(compare)

    def test_choices_made_at_once_are_secret(self) -> None:
        """Nobody sees or reads another's choice before all have chosen, and every order of choosing is equal."""
        self._check_each(check_secret_choices)

    def test_choices_made_at_once_can_be_taken_back(self) -> None:
        """Seats that choose at once do so in any order, and take back only their own choices, until all have chosen."""
        self._check_each(check_choices_of_referee)

    def test_public_views_reveal_no_hand(self) -> None:
        """A public view reveals no card of a hand."""
        self._check(list_cases(self.game)[0], 0, self._check_public_views)

    def test_zones_and_texts(self) -> None:
        """Each seat has zones, explanations and log entries, which reveal no hidden card."""
        self._check_each(lambda case, seed: session_checks.check_zones_and_texts(case, seed, self._decisions))

    def test_every_action_can_be_chosen(self) -> None:
        """Legal actions can be chosen by keys on the table screen, at every size, and in plain text."""
        self._check_each(check_input)

    def test_marks_and_texts_of_zones(self) -> None:
        """Marks, labels and summaries fit on the screen, name existing seats and reveal no hidden card."""
        self._check_each(check_table_texts)

    def test_rules_page(self) -> None:
        """The page of rules shows no raw markup, and has every option with its values."""
        check_rules_page(self.game)

    def test_ends_of_rounds_are_painted(self) -> None:
        """The ends of rounds and of the session, and the score sheet, are painted at every size."""
        self._check_each(check_round_ends)

    def test_encodings(self) -> None:
        """Codes of actions can be decoded, masks are the legal actions, and observations show no hidden card."""
        self._check_each(check_encodings)

    def test_robots_of_every_level_play(self) -> None:
        """Robots of every level play a round, with the policy of the game if its package has one."""
        for case in list_cases(self.game):
            if case.options == self.game.options():
                self._check(case, 0, check_robots)

    @property
    def _decisions(self) -> int:
        """Maximum number of decisions per session in slow tests."""
        return 250 if self.full else 80

    def _check_public_views(self, case: Case, seed: int) -> None:
        rng = Random(seed)
        for number, position in enumerate(iter_random_positions(case, seed)):
            if number < _EARLY_POSITIONS or rng.random() < 0.2:
                invariants.assert_public_view_safe(self.game, position.state, rng)

    def _check_each(self, check: Callable[[Case, int], object]) -> None:
        for case, seed in product(list_cases(self.game), range(2 if self.full else 1)):
            self._check(case, seed, check)

    def _check(self, case: Case, seed: int, check: Callable[[Case, int], object]) -> None:
        """Call a check within the time limit; its failures name the case and the seed."""
        with explain_failures(f"{case}, seed {seed}"):
            call_with_limit(self.game, self.seconds, lambda: check(case, seed))
