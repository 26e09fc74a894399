"""Claims: when the rest of a round is decided, and how it is played out."""

from functools import cache
from random import Random

import pytest

from cardtable.engine.claims import ClaimVerdict, judge_claim, search_rest
from cardtable.engine.game import CHANCE, OVER
from cardtable.engine.referee import Referee
from cardtable.engine.tricks import Play
from cardtable.games import GAMES
from tests.every_game import TRICK_GAMES, USUAL_SEATS
from tests.notation import ScriptedGame

CLAIM_GAMES = [
    key for key in TRICK_GAMES if GAMES[key].start(USUAL_SEATS[key], GAMES[key].options()).position_key() is not None
]


def deal_third_round(*hands, trump="2C"):
    """Return a game of Rikiki in its third round, three cards each; seat 2 bids and leads."""
    game = ScriptedGame("rikiki", 4)
    table = game.table
    while len(table.scores) < 2:
        if table.turn == CHANCE:
            table.advance()
        else:
            table.play(table.turn, table.view(table.turn).legal[0])
    return game.deal(*hands, then=trump, number=3).do("bid 3, bid 0, bid 0, bid 1")


def check_turn_claim(game):
    return game.table.check_claim(game.turn)()


def test_no_claim_during_bidding():
    game = ScriptedGame("rikiki", 4).deal(number=1, then="2C")
    assert check_turn_claim(game) is ClaimVerdict.OPEN, "the bids are still to come"


def test_hidden_cards_do_not_decide_a_claim():
    """No seat can take these tricks from seat 2, but from the view of seat 2 the ten of hearts may be out."""
    game = deal_third_round("2D 3D 4D", "5D 6D 7D", "AD QC 9H", "8D TD JD").do("play AD, play 8D, play 2D, play 5D")
    assert search_rest(game.table.state)[0] is ClaimVerdict.DECIDED
    assert check_turn_claim(game) is ClaimVerdict.OPEN


def test_search_stops_at_max_positions():
    state = deal_third_round("AC KC QC", "5D 6D 7D", "2D 3D 4D", "8D 9D TD").table.state
    assert search_rest(state, max_positions=1)[0] is ClaimVerdict.TOO_LARGE


@cache
def collect_last_cards(key):
    """Return states near the end of a round in which a seat has a choice, from rounds of random legal play."""
    game, rng = GAMES[key], Random(key)
    states = []
    for seed in range(40):
        options = game.options()
        table = Referee(game, game.seats_for(options), options, seed)
        while table.turn != OVER and table.round < 4 and len(states) < 150:
            if table.turn == CHANCE:
                table.advance()
                continue
            state = table.state
            legal = [action for action in state.legal() if isinstance(action, Play)]
            hand_size = max(hand.bit_count() for hand in state.hands)
            if len(legal) > 1 and hand_size <= 3:
                states.append(state.copy())
            table.play(table.turn, rng.choice(legal or state.legal()))
    return states


def enumerate_points(state):
    """Return the points of all possible continuations of a round."""
    points = set()
    for action in state.legal():
        if isinstance(action, Play):
            then = state.copy()
            then.apply(action)
            points |= {then.score.points} if then.finished > state.finished else enumerate_points(then)
    return points


def play_out_randomly(state, rng):
    """Return the points of one random continuation of a round."""
    copy = state.copy()
    while copy.finished == state.finished:
        copy.apply(rng.choice([action for action in copy.legal() if isinstance(action, Play)]))
    return copy.score.points


@pytest.mark.parametrize("key", CLAIM_GAMES)
def test_search_agrees_with_exhaustive_enumeration(key):
    few = [state for state in collect_last_cards(key) if max(hand.bit_count() for hand in state.hands) <= 2][:40]
    assert few
    for state in few:
        assert (search_rest(state)[0] is ClaimVerdict.DECIDED) == (len(enumerate_points(state)) == 1)


@pytest.mark.parametrize("key", CLAIM_GAMES)
def test_random_play_of_decided_round_gives_same_points(key):
    game, rng = GAMES[key], Random(1)
    decided = [
        state
        for state in collect_last_cards(key)[::2]
        if judge_claim(game, state, state.turn, Random(2)) is ClaimVerdict.DECIDED
    ]
    assert decided
    for state in decided:
        assert len({play_out_randomly(state, rng) for _ in range(20)}) == 1


@pytest.mark.parametrize("key", CLAIM_GAMES)
def test_same_verdict_in_indistinguishable_worlds(key):
    game = GAMES[key]
    for state in collect_last_cards(key)[::14]:
        view = state.view(state.turn)
        worlds = [state, *[game.imagine(view, Random(number)) for number in range(3)]]
        answers = [judge_claim(game, world, view.seat, Random(3)) for world in worlds]
        assert len(set(answers)) == 1


@pytest.mark.parametrize("key", CLAIM_GAMES)
def test_judging_a_claim_leaves_state_unchanged(key):
    state = collect_last_cards(key)[0]
    before = state.view(state.turn)
    judge_claim(GAMES[key], state, state.turn, Random(4))
    assert state.view(state.turn) == before


class TestClaimRest:
    @staticmethod
    def create_decided_round():
        game = deal_third_round("2D 3D 4D", "5D 6D 7D", "AC KC QC", "8D 9D TD").do("play AC, play 8D, play 2D, play 5D")
        lines = []
        game.table.record = lines.append
        return game.table, lines

    def test_claimed_tricks_are_recorded_as_plays(self):
        table, lines = self.create_decided_round()
        table.claim_rest()
        assert not table.playing
        assert {line.action.split()[0] for line in lines} == {"play"}
        assert [line.seat for line in lines] == [2, 3, 0, 1], "the last trick plays itself"
        assert table.scores[-1].points[2] == 16

    def test_undo_restores_position_before_claim(self):
        table, _ = self.create_decided_round()
        before = table.view(2)
        table.claim_rest()
        assert table.compute_undo_distance(2) == 4
        table.undo(table.compute_undo_distance(2))
        assert table.view(2) == before
        assert table.compute_undo_distance(2) == 4, "the next undo goes back to the lead"

    def test_claim_cannot_be_undone_after_next_deal(self):
        table, _ = self.create_decided_round()
        table.claim_rest()
        table.advance()
        assert table.compute_undo_distance(2) == 0
