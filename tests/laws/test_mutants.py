"""Mutants: the invariants detect planted faults."""

from itertools import count

import pytest
from msgspec.structs import replace

from cardtable.engine import determinization, referee, undo_history
from cardtable.engine.bidding import BIDS
from cardtable.engine.cards import COPY_OFFSET, PACK_52, RANK, iter_cards, mask_of
from cardtable.engine.chance import Deal
from cardtable.engine.log_entries import CustomLogEntry
from cardtable.engine.referee import Referee
from cardtable.engine.tricks import Play, trick_status
from cardtable.games import GAMES
from cardtable.games.rikiki import rules as rikiki
from cardtable.games.rikiki.rules import Record, RikikiState
from cardtable.games.ten_down.rules import Options as TenDownOptions
from cardtable.games.ten_down.rules import TenDownState
from cardtable.testing import invariants, session_checks
from cardtable.testing.cases import Case, LawFailure
from cardtable.testing.worlds import compare_twins
from tests.laws.test_rules import check_session
from tests.overriding import override

GAME = GAMES["rikiki"]


@pytest.fixture
def plant(monkeypatch):
    """Return a function that wraps a method, by default one of Rikiki's state."""

    def put(name, wrap, owner=RikikiState):
        right = getattr(owner, name)
        monkeypatch.setattr(owner, name, lambda *arguments: wrap(right, *arguments))

    return put


def assert_detected(check, game=GAME, **arguments):
    """Assert that a check fails in one of a few short sessions."""
    case = Case(game, 4, rikiki.Options(length="short"))
    with pytest.raises(AssertionError):
        [check(case, seed, **arguments) for seed in range(3)]


def test_view_shows_another_hand(plant):
    def leak(right, state, seat):
        return replace(right(state, seat), last_leader=state.hands[(seat + 1) % 4].bit_count() and top(state, seat))

    def top(state, seat):
        return RANK[iter_cards(state.hands[(seat + 1) % 4])[-1]] % 4

    plant("view", leak)
    assert_detected(invariants.compare_worlds)


def test_card_is_missing_from_a_hand(plant):
    def deal_less(right, state, order):
        right(state, order)
        hand = state.hands[0]
        state.hands = (hand & (hand - 1), *state.hands[1:])
        state.dealt = tuple(state.hands)

    plant("deal", deal_less)
    state = RikikiState(rikiki.Options())
    state.apply(Deal(tuple(iter_cards(PACK_52))))
    with pytest.raises(AssertionError, match="hands of unequal size"):
        state.assert_invariants()


def test_view_depends_on_copy_of_a_card(plant):
    """Second copy of a card in the own hand: the first one is with a seat before it."""

    def remember(right, state, order):
        right(state, order)
        own = order[state.cards : 2 * state.cards]
        state.last_leader = int(any(c >= COPY_OFFSET and c - COPY_OFFSET not in own for c in own))

    plant("deal", remember, TenDownState)
    plant("view", lambda right, state, seat: replace(right(state, seat), last_leader=seat == 1 and state.last_leader),
          TenDownState)  # fmt: skip
    case = Case(GAMES["ten_down"], 4, TenDownOptions(room=5))
    with pytest.raises(AssertionError, match="hidden cards make a difference"):
        [compare_twins(case, seed, 250) for seed in range(20)]


def test_advice_agrees_with_the_law_of_texts(plant):
    """A card that is told has to be in the scene, so no advice may recommend to name it in place of showing it."""

    def leak(right, state, seat):
        return replace(right(state, seat), last_leader=state.hands[(seat + 1) % 4] & 1)

    plant("view", leak)
    with pytest.raises(LawFailure) as caught:
        [compare_twins(Case(GAME, 4, rikiki.Options(length="short")), seed, 250) for seed in range(3)]
    assert "show it in `scene`" in caught.value.advice
    assert "narrate" not in caught.value.advice


def test_copy_shares_a_list(plant):
    def share(right, state):
        twin = right(state)
        twin.hands = state.hands
        return twin

    plant("copy", share)
    assert_detected(session_checks.check_states)
    assert_detected(session_checks.check_undo)


def test_copy_loses_a_field(plant):
    def forget(right, state):
        twin = right(state)
        twin.past = ()
        return twin

    plant("copy", forget)
    assert_detected(session_checks.check_states)


def test_determinization_ignores_voids(monkeypatch):
    right = determinization.sample_hands

    def sample_without_voids(hand, seat, pool, sizes, banned, rng):
        return right(hand, seat, pool, sizes, [0] * len(banned), rng)

    monkeypatch.setattr(determinization, "sample_hands", sample_without_voids)
    assert_detected(invariants.compare_worlds)


def test_determinization_ignores_hand_sizes():
    def imagine(view, rng):
        state = rikiki.GAME.imagine(view, rng)
        state.hands[(view.seat + 1) % 4] |= state.hands[(view.seat + 2) % 4]
        state.hands[(view.seat + 2) % 4] = 0
        return state

    assert_detected(invariants.compare_worlds, override(GAME, imagine=imagine))


def test_determinization_loses_records():
    def imagine(view, rng):
        state = rikiki.GAME.imagine(view, rng)
        state.records = (Record(),) * 4
        return state

    assert_detected(invariants.compare_worlds, override(GAME, imagine=imagine))


def test_void_round_leaves_traces(plant):
    def spoil(right, state):
        right(state)
        state.records = (Record(),) * 4

    plant("cancel_round", spoil)
    assert_detected(session_checks.check_void_rounds)


def test_void_round_moves_the_dealer(plant):
    def move_on(right, state):
        right(state)
        state.finished += 1

    plant("cancel_round", move_on)
    assert_detected(session_checks.check_void_rounds)


def test_action_is_listed_twice(plant):
    plant("legal", lambda right, state: (*right(state), right(state)[0]))
    assert_detected(session_checks.check_states)


def test_seat_without_legal_action(plant):
    plant("legal", lambda right, state: right(state)[: state.finished < 3])
    assert_detected(session_checks.check_states)


def test_impossible_deal(plant):
    plant("is_possible_chance", lambda _right, _state, outcome: isinstance(outcome, Deal))
    assert_detected(session_checks.check_states)


def test_points_depend_on_more_than_the_journal(plant):
    rounds = count()

    def settle(right, state):
        right(state)
        state.totals = (state.totals[0] + next(rounds) % 2, *state.totals[1:])

    plant("end_round", settle)
    assert_detected(check_session)


def test_points_do_not_add_up(plant):
    def settle(right, state):
        right(state)
        state.score = replace(state.score, points=(state.score.points[0] + 1, *state.score.points[1:]))

    plant("end_round", settle)
    assert_detected(check_session)


def test_places_are_reversed(plant):
    plant("ranks", lambda right, state: tuple(5 - place for place in right(state)))
    assert_detected(check_session)


def test_card_is_in_two_places(plant):
    def apply(right, state, event):
        right(state, event)
        if isinstance(event, Play):
            state.hands[0] |= state.played[1] & -state.played[1]

    plant("apply", apply)
    assert_detected(check_session)


def test_log_names_a_hidden_card():
    def narrate(event, before, after):
        dealt = (
            (CustomLogEntry(None, "the last card is {}", cards=event.order[-1:]),) if isinstance(event, Deal) else ()
        )
        return (*rikiki.GAME.narrate(event, before, after), *dealt)

    assert_detected(session_checks.check_zones_and_texts, override(GAME, narrate=narrate))


def test_log_entry_without_second_person():
    def narrate(event, before, after):
        passes = (CustomLogEntry(before.turn, "passes"),) if isinstance(event, Play) else ()
        return (*rikiki.GAME.narrate(event, before, after), *passes)

    assert_detected(session_checks.check_zones_and_texts, override(GAME, narrate=narrate))


def test_trick_is_won_by_another_seat():
    def find_trick(view):
        return trick_status(view, lambda _trick: 0)

    assert_detected(session_checks.check_zones_and_texts, override(GAME, trick=find_trick))


def test_zones_show_a_card_twice():
    def scene(view):
        zones = rikiki.GAME.scene(view)
        return (*zones, replace(zones[view.seat], seat=None))

    assert_detected(session_checks.check_zones_and_texts, override(GAME, scene=scene))


def test_refusal_without_reason():
    def explain_illegal(view, cards):
        return "" if cards & PACK_52 & ~mask_of(iter_cards(view.hand)) else rikiki.GAME.explain_illegal(view, cards)

    assert_detected(session_checks.check_zones_and_texts, override(GAME, explain_illegal=explain_illegal))


class CountingRobot:
    """Robot whose choice depends on the number of its calls."""

    def __init__(self):
        self.times = count()

    def choose(self, view, _rng, _stop):
        return view.legal[next(self.times) % len(view.legal)]


class WastefulRobot(CountingRobot):
    """Robot that sometimes draws an additional random number."""

    def choose(self, view, rng, _stop):
        if next(self.times) % 3:
            rng.random()
        return view.legal[0]


class CheatingRobot:
    """Robot that chooses illegal actions."""

    def choose(self, view, rng, _stop):
        return BIDS[rng.randrange(len(BIDS))]


@pytest.mark.parametrize(
    "robot", [CountingRobot(), WastefulRobot(), CheatingRobot()], ids=["choice", "numbers", "legality"]
)
def test_robot_depends_on_more_than_its_view(robot):
    assert_detected(invariants.compare_worlds, robots=[robot])


def test_undo_of_a_deal(plant):
    def keep(right, table, *arguments):
        before = list(table._history.decisions)
        right(table, *arguments)
        table._history.decisions[:] = before

    plant("_apply_chance", keep, Referee)
    assert_detected(session_checks.check_undo)


def test_undo_past_a_new_card(plant):
    plant("_has_seen_new_card", lambda *_: False, undo_history)
    rummy = GAMES["rummy"]
    with pytest.raises(AssertionError):
        session_checks.check_undo_distance(Case(rummy, 2, rummy.options()), 0)


def test_deals_depend_on_play(plant):
    plant("find_position", lambda _right, _counter, state: state.totals, referee._ChanceCounter)
    assert_detected(session_checks.check_deals)


def test_any_seat_can_act(plant):
    plant("play", lambda right, table, _seat, action: right(table, table.turn, action), Referee)
    assert_detected(session_checks.check_illegal_actions)


def test_no_fault_is_detected_without_a_mutant():
    case = Case(GAME, 4, rikiki.Options(length="short"))
    for seed in range(3):
        invariants.compare_worlds(case, seed)
        session_checks.check_zones_and_texts(case, seed)
        for law in (
            session_checks.check_states,
            check_session,
            session_checks.check_illegal_actions,
            session_checks.check_undo,
            session_checks.check_void_rounds,
            session_checks.check_deals,
        ):
            law(case, seed)
