"""The rest of a round is decided where no play can change the points, as far as who asks can know."""

from functools import cache
from random import Random

import pytest

from cardtable.engine.claim import ClaimVerdict, judge_claim, search_rest
from cardtable.engine.game import CHANCE, OVER
from cardtable.engine.referee import Referee
from cardtable.engine.tricks import Play
from cardtable.games import GAMES
from tests.every_game import IN_TRICKS, SEATS
from tests.notation import Sitting

PLAYED_OUT = [key for key in IN_TRICKS if GAMES[key].start(SEATS[key], GAMES[key].options()).position_key() is not None]


def third_round(*hands, trump="2C"):
    """Rikiki, three cards each; seat 2 bids and leads."""
    game = Sitting("rikiki", 4)
    table = game.table
    while len(table.scores) < 2:
        if table.turn == CHANCE:
            table.advance()
        else:
            table.play(table.turn, table.view(table.turn).legal[0])
    return game.deal(*hands, then=trump, number=3).do("bid 3, bid 0, bid 0, bid 1")


def asked(game):
    return game.table.check_claim(game.turn)()


def test_who_holds_the_highest_trumps_and_leads_takes_the_rest():
    game = third_round("2D 3D 4D", "5D 6D 7D", "AC KC QC", "8D 9D TD").do("play AC")
    game.do("play 8D, play 2D, play 5D")
    assert game.turn == 2
    assert asked(game) is ClaimVerdict.DECIDED


def test_it_is_not_decided_while_another_may_keep_a_higher_card():
    game = third_round("2D 3D 4D", "5D 6D TH", "AD QC 9H", "8D 9D JD").do("play AD, play 8D, play 2D, play 5D")
    assert search_rest(game.table._state)[0] is ClaimVerdict.OPEN
    assert asked(game) is ClaimVerdict.OPEN


def test_nothing_is_decided_before_there_are_cards_to_be_played():
    game = Sitting("rikiki", 4).deal(number=1, then="2C")
    assert asked(game) is ClaimVerdict.OPEN, "the bids are still to come"


def test_what_only_hidden_cards_decide_is_not_decided():
    """Nobody can take these tricks from seat 2, but for all she knows the ten of hearts is out."""
    game = third_round("2D 3D 4D", "5D 6D 7D", "AD QC 9H", "8D TD JD").do("play AD, play 8D, play 2D, play 5D")
    assert search_rest(game.table._state)[0] is ClaimVerdict.DECIDED
    assert asked(game) is ClaimVerdict.OPEN


def test_too_many_cards_are_not_counted_through():
    state = third_round("AC KC QC", "5D 6D 7D", "2D 3D 4D", "8D 9D TD").table._state
    assert search_rest(state, max_positions=1)[0] is ClaimVerdict.TOO_LARGE


@cache
def positions(key):
    """Where a seat is to play one of several last cards, in some rounds of random legal play."""
    game, rng = GAMES[key], Random(key)
    found = []
    for seed in range(40):
        options = game.options()
        table = Referee(game, game.seats_for(options), options, seed)
        while table.turn != OVER and table.round < 4 and len(found) < 150:
            if table.turn == CHANCE:
                table.advance()
                continue
            state = table._state
            legal = [action for action in state.legal() if isinstance(action, Play)]
            held = max(hand.bit_count() for hand in state.hands)
            if len(legal) > 1 and held <= 3:
                found.append(state.copy())
            table.play(table.turn, rng.choice(legal or state.legal()))
    return found


def ways(state):
    """The points of every way to play on, one by one."""
    points = set()
    for action in state.legal():
        if isinstance(action, Play):
            then = state.copy()
            then.apply(action)
            points |= {then.score.points} if then.finished > state.finished else ways(then)
    return points


def at_random(state, rng):
    """The points of one way to play on."""
    here = state.copy()
    while here.finished == state.finished:
        here.apply(rng.choice([action for action in here.legal() if isinstance(action, Play)]))
    return here.score.points


@pytest.mark.parametrize("key", PLAYED_OUT)
def test_what_is_settled_is_what_counting_every_way_finds(key):
    few = [state for state in positions(key) if max(hand.bit_count() for hand in state.hands) <= 2][:40]
    assert few
    for state in few:
        assert (search_rest(state)[0] is ClaimVerdict.DECIDED) == (len(ways(state)) == 1)


@pytest.mark.promise("The table", "`c` plays out the rest of a round if every possible play gives the same points.")
@pytest.mark.parametrize("key", PLAYED_OUT)
def test_however_a_decided_round_is_played_out_the_points_are_the_same(key):
    game, rng = GAMES[key], Random(1)
    decided = [
        state
        for state in positions(key)[::2]
        if judge_claim(game, state, state.turn, Random(2)) is ClaimVerdict.DECIDED
    ]
    assert decided
    for state in decided:
        assert len({at_random(state, rng) for _ in range(20)}) == 1


@pytest.mark.promise(
    "Hot seat and hidden cards", "Whether the rest can be played out depends only on what the player on turn can know."
)
@pytest.mark.parametrize("key", PLAYED_OUT)
def test_the_answer_is_the_same_in_worlds_that_who_asks_cannot_tell_apart(key):
    game = GAMES[key]
    for state in positions(key)[::10]:
        view = state.view(state.turn)
        worlds = [state, *[game.imagine(view, Random(number)) for number in range(4)]]
        answers = [judge_claim(game, world, view.seat, Random(3)) for world in worlds]
        assert len(set(answers)) == 1


@pytest.mark.parametrize("key", PLAYED_OUT)
def test_asking_changes_nothing(key):
    state = positions(key)[0]
    before = state.view(state.turn)
    judge_claim(GAMES[key], state, state.turn, Random(4))
    assert state.view(state.turn) == before


class TestPlayedOut:
    @staticmethod
    def sure():
        game = third_round("2D 3D 4D", "5D 6D 7D", "AC KC QC", "8D 9D TD").do("play AC, play 8D, play 2D, play 5D")
        lines = []
        game.table.record = lines.append
        return game.table, lines

    def test_all_is_written_as_ordinary_plays(self):
        table, lines = self.sure()
        table.claim_rest()
        assert not table.playing
        assert {line.action.split()[0] for line in lines} == {"play"}
        assert [line.seat for line in lines] == [2, 3, 0, 1], "the last trick plays itself"
        assert table.scores[-1].points[2] == 16

    def test_taking_back_leads_to_before_it(self):
        table, _ = self.sure()
        before = table.view(2)
        table.claim_rest()
        assert table.compute_undo_distance(2) == 4
        table.undo(table.compute_undo_distance(2))
        assert table.view(2) == before
        assert table.compute_undo_distance(2) == 4, "the next time to the lead before"

    def test_after_the_next_deal_it_stands(self):
        table, _ = self.sure()
        table.claim_rest()
        table.advance()
        assert table.compute_undo_distance(2) == 0
