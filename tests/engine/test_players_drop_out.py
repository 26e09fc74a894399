"""Players who drop out of a trick game: Knockout Whist obeys the laws of every game."""

from dataclasses import dataclass
from random import Random

import pytest
from msgspec.structs import replace

from cardtable.engine import journal
from cardtable.engine import options as house
from cardtable.engine.cards import SUITS, SuitNumber, card
from cardtable.engine.chance import Deal
from cardtable.engine.game import CHANCE, OVER, Action, Contract, GameInfo
from cardtable.engine.log_entries import CustomLogEntry, PlayedCard, TookTrick
from cardtable.engine.trick_game import TrickGame, TrickGameState, TrickGameView
from cardtable.engine.tricks import PLAY, Play, list_play_order, order, trick_status
from cardtable.session.round_replay import replay_rounds
from cardtable.session.session_events import narrate_event
from cardtable.testing import GameTests
from cardtable.testing.cases import iter_random_positions, list_cases, play_random_action
from cardtable.testing.session_checks import encode_journal
from cardtable.ui.game_view.trick_game import paint_trick
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.painting.layout import compute_layout, compute_trick_positions
from tests.toy import scopetta
from tests.ui.canvas_rendering import APPEARANCE

ROUNDS = 7


@dataclass(frozen=True, slots=True)
class Options(house.Options):
    pass


class Trump(Action, frozen=True):
    """Naming the trump suit."""

    kind = "trump"
    suit: SuitNumber

    @property
    def notation(self):
        return SUITS[self.suit]


TRUMPS = tuple(Trump(suit) for suit in range(4))


class KnockoutView(TrickGameView, frozen=True):
    options: Options
    trump: int | None
    best: int | None


class KnockoutState(TrickGameState[KnockoutView]):
    """A seat that takes no trick is out, and the seat with most tricks names trumps and leads in the next round."""

    trump: int | None = None
    best: int | None = None
    plays_last_trick = True

    @property
    def dealt_in(self):
        return tuple([total == self.finished for total in self.totals])

    @property
    def hand_size(self):
        return ROUNDS + 1 - max(self.round, 1)

    @property
    def first_seat(self):
        return super().first_seat if self.best is None else self.best

    def begin_play(self):
        super().begin_play()
        self.trump = None

    def cancel_round(self):
        super().cancel_round()
        self.trump = None

    def legal(self):
        return TRUMPS if self.trump is None else super().legal()

    def act(self, action):
        self.trump = action.suit

    def taker(self, trick):
        return order(self.trump).winner(trick)

    def score_round(self):
        return tuple([int(won > 0) for won in self.won])

    def end_round(self):
        self.best = self.won.index(max(self.won))
        super().end_round()

    def is_over(self):
        return self.finished > 0 and self.totals.count(self.finished) == 1


class Knockout(TrickGame[KnockoutView]):
    about = GameInfo("knockout", "Knockout Whist", "take a trick or be out", "7 rounds", (2, 3, 5), 3)
    options = Options
    state = KnockoutState
    actions = (Trump, Play)

    def narrate(self, event, before, after):
        if isinstance(event, Trump):
            return (CustomLogEntry(before.turn, f"names {event.notation}", f"name {event.notation}"),)
        return super().narrate(event, before, after)

    def trick(self, view):
        return trick_status(view, order(view.trump).winner)

    def contract(self, view):
        return None if view.trump is None else Contract("Trump", view.trump)


KNOCKOUT = Knockout()


class TestKnockout(GameTests):
    game = KNOCKOUT


def second_round(*hands, totals=(1, 0, 1)):
    """State of the second round with these hands, in which the seats with a point are active."""
    state = KnockoutState(len(totals), Options())
    state.finished, state.totals, state.best = 1, totals, 0
    dealt = [card(name) for text in hands for name in text.split()]
    state.apply(Deal((*dealt, *[c for c in range(52) if c not in dealt])))
    return state


def test_turn_and_trick_pass_over_a_seat_that_is_out():
    state = second_round("2C 3C 4C 5C 6C 7C", "2H 3H 4H 5H 6H 7H")
    state.apply(TRUMPS[2])
    state.apply(PLAY[card("2C")])
    assert state.turn == 2
    assert KNOCKOUT.trick(state.view(0)).lying == ((0, card("2C")),)
    state.apply(PLAY[card("2H")])
    assert (state.won, state.turn) == ([0, 0, 1], 2)
    assert KNOCKOUT.trick(state.view(0)).last == ((0, card("2C")), (2, card("2H")))


def test_first_seat_is_the_next_active_one():
    state = second_round("2C 3C 4C 5C 6C 7C", "2H 3H 4H 5H 6H 7H")
    state.best = None
    assert state.first_seat == 2  # it is the turn of seat 1, which is out


def test_seat_without_a_trick_is_out_in_the_next_round():
    for seed in range(5):
        case, played = list_cases(KNOCKOUT)[2], []
        for position in iter_random_positions(case, seed):
            state = position.state
            if state.turn == CHANCE and state.finished:
                out = [total < state.finished for total in state.totals]
                assert [not won for won in state.won] == out
            elif state.turn >= 0:
                assert state.active[state.turn]
                played.append(state.turn)
        assert state.turn == OVER
        assert state.totals.count(state.finished) == 1


def test_last_trick_that_plays_itself_has_the_active_seats():
    state = second_round("2C 3C 4C 5C 6C 7C", "2H 3H 4H 5H 6H 7H")
    state.apply(TRUMPS[0])
    while state.finished == 1:
        before, event = state.view(0), state.legal()[0]
        state.apply(event)
    notes = narrate_event(KNOCKOUT, event, before, state.view(0))
    assert [(type(note), note.seat) for note in notes[:4]] == [
        (PlayedCard, 2), (TookTrick, 0), (PlayedCard, 0), (PlayedCard, 2)
    ]  # fmt: skip


def test_replay_names_the_taker_of_each_trick():
    case = list_cases(KNOCKOUT)[2]
    lines, rng = [], Random(0)
    referee = case.create_referee(0, lines.append)
    while not referee.ended:
        play_random_action(referee, rng)
    rounds = list(replay_rounds(journal.read(encode_journal(case, lines)), {"knockout": KNOCKOUT}))
    assert sum(rounds[-1].dealt[0].active) < 5
    tricks = [row for row in rounds[-1].rows if row.cards]
    assert [row.taker for row in tricks[:-1]] == [row.cards[0][0] for row in tricks[1:]]
    assert tricks[-1].taker is not None


def test_trick_is_painted_at_the_active_seats():
    state = second_round("2C 3C 4C 5C 6C 7C", "2H 3H 4H 5H 6H 7H")
    state.apply(TRUMPS[2])
    state.apply(PLAY[card("2C")])
    canvas, layout = Canvas(80, 24, APPEARANCE), compute_layout(80, 24)
    view = replace(state.view(0), trick=(card("2C"), card("2H")), turn=-1)
    paint_trick(canvas, layout, view, None)
    places = compute_trick_positions(layout, 3)
    rows = str(canvas).splitlines()
    painted = ["".join(row[x : x + 6] for row in rows[y : y + 4]) for x, y in places]
    assert [[suit in text for text in painted] for suit in "♣♥"] == [[True, False, False], [False, False, True]]


def test_play_order_is_clockwise_by_default():
    active = (True, True, True, False)
    assert list_play_order(active, 1) == list_play_order(active, 1, 1) == [1, 2, 0]
    assert list_play_order(active, 1, -1) == [1, 0, 2]


@pytest.mark.parametrize(("step", "expected"), [(1, [0, 1, 2, 0]), (-1, [0, 2, 1, 0])])
def test_first_seat_moves_on_in_the_direction_of_play(step, expected):
    state = scopetta.GAME.start(3, scopetta.Options())
    state.step = step
    first = []
    for state.round in range(1, 5):
        first.append(state.first_seat)
    assert first == expected
