"""Failures of the laws for an author: bounded in time, and with the case, the seed, the place and what to do."""

import re
from random import Random
from typing import Annotated

import pytest
from msgspec import structs
from msgspec.structs import replace

from cardtable.engine.annotations import OMITTED
from cardtable.engine.cards import iter_cards
from cardtable.engine.game import Zone
from cardtable.engine.log_entries import CustomLogEntry, Drew
from cardtable.engine.referee import Referee
from cardtable.engine.round_state import with_value
from cardtable.engine.tricks import PLAYS
from cardtable.testing import GameTests, session_checks, table_checks
from cardtable.testing.cases import Case, LawFailure, iter_random_positions
from tests.exchanged_cards import swap_hidden_in_events
from tests.overriding import override
from tests.toy import layaway
from tests.toy.game_plugins import plug_in
from tests.toy.layaway import DRAW, GAME, GO, LayawayState

SHORT = Case(GAME, 3, layaway.Options(length=1))


def with_state(**members):
    """Return Layaway with other members of its state."""
    return override(GAME, start=type("OtherState", (LayawayState,), {"__module__": layaway.__name__, **members}))


def fail(law, game, **attributes):
    """Return the failure of one law of a game."""
    laws = type("TestLayaway", (GameTests,), {"game": game, **attributes})()
    with pytest.raises(AssertionError) as caught:
        getattr(laws, law)()
    return caught.value


class LongState(LayawayState):
    """Rounds of 104 decisions: each seat says "go" before each of its cards."""

    def deal(self, order):
        super().deal(order)
        self.hands = tuple([sum(1 << card for card in order[seat :: self.seats]) for seat in range(self.seats)])
        self.has_said_go = False

    def legal(self):
        return PLAYS.of(self.hands[self.turn]) if self.has_said_go else [GO]

    def act(self, action):
        seat, self.has_said_go = self.turn, action is GO
        if action is not GO:
            self.hands = with_value(self.hands, seat, self.hands[seat] & ~action.cards_used())
            self.turn = (seat + 1) % self.seats
            if not any(self.hands):
                self.end_round()


@pytest.mark.parametrize("seed", range(5))
def test_undo_is_bounded_and_reaches_several_rounds(seed, monkeypatch):
    made, play = [], Referee.play
    monkeypatch.setattr(Referee, "play", lambda table, *arguments: made.append(table.round) or play(table, *arguments))
    case = Case(override(GAME, start=LongState), 2, layaway.Options())
    session_checks.check_undo(case, seed, 250)
    assert len(made) <= 3 * 250
    assert max(made) >= 2


@pytest.mark.parametrize("seed", range(40))
def test_short_session_has_a_void_round(seed, monkeypatch):
    voids, void = [], Referee.void
    monkeypatch.setattr(Referee, "void", lambda table, reason: voids.append(reason) or void(table, reason))
    session_checks.check_void_rounds(SHORT, seed)
    assert voids


def test_hidden_cards_are_swapped_in_unequal_hands():
    rng = Random(1)
    for position in iter_random_positions(SHORT, 1):
        for seat in range(3 if position.state.playing else 0):
            hand = position.state.view(seat).hand
            events = swap_hidden_in_events(GAME, position, seat, rng)
            twin = position.state_before_deal.copy()
            for _, event in events:
                twin.apply(event)
            assert twin.view(seat).hand == hand


def with_endless(name):
    """Return Layaway with a method that never returns, as if it were written in the module of the game."""
    made = {"__name__": layaway.__name__}
    exec(f"def {name}(state, *given):\n    while True:\n        pass", made)
    return with_state(**{name: made[name]})


def list_many_actions(state):
    return [DRAW, *[layaway.Lay(number) for number in range(52)] * 2_000]


@pytest.mark.parametrize("name", ["legal", "act", "view", "score_round"])
def test_endless_callable_is_named(name):
    failure = fail("test_zones_and_texts", with_endless(name), seconds=0.2)
    assert re.search(rf"the time limit of 0.2 s is over: most of it was spent in .*\b{name}\b.*, line \d", str(failure))


def test_too_many_actions_are_counted():
    failure = fail("test_deals_do_not_depend_on_play", with_state(legal=list_many_actions))
    assert "`legal` lists 104,001 actions of seat 0, and at most 10,000" in str(failure)


def test_seat_without_legal_action_is_named():
    failure = fail("test_deals_do_not_depend_on_play", with_state(legal=lambda state: []))
    assert str(failure).startswith("layaway-2, seed 0: nothing is legal for seat 0, which is to act in round 1\n")


class OpenStockView(layaway.LayawayView, frozen=True):
    cards_of_stock: Annotated[tuple[int, ...], OMITTED] = ()


class OpenStockState(LayawayState):
    """The stock lies face up before seat 1."""

    open_cards = 52

    def view(self, seat):
        return OpenStockView(**structs.asdict(super().view(seat)), cards_of_stock=self.stock[: self.open_cards])


class TurnedUpState(OpenStockState):
    """The top card of the stock lies face up."""

    open_cards = 1


def show_open_stock(view):
    zones = [zone for zone in GAME.scene(view) if zone.name != "stock"]
    return (*zones, Zone("open stock", 1, view.cards_of_stock))


@pytest.mark.parametrize("state", [OpenStockState, TurnedUpState])
def test_no_undo_past_a_card_turned_up(state):
    """A card that lay face up before another seat is no new one, but the one below it is."""
    game = override(GAME, view=OpenStockView, start=state, scene=show_open_stock)
    for seed in range(3):
        session_checks.check_undo_distance(Case(game, 2, layaway.Options()), seed)


def test_failure_names_case_and_seed():
    failure = fail("test_sessions_end_and_can_be_replayed", with_state(ranks=lambda state: (1,)))
    assert re.match(r"layaway-2, seed 0: there is not a value for everybody in the ranks \(1,\)", str(failure))


def test_error_of_a_game_names_case_and_seed():
    laws = type("TestLayaway", (GameTests,), {"game": with_state(legal=lambda state: {}["hearts"])})()
    with pytest.raises(KeyError) as caught:
        laws.test_deals_do_not_depend_on_play()
    assert caught.value.__notes__ == ["layaway-2, seed 0: the game raised this error"]


def test_card_drawn_by_another_seat_is_not_in_the_own_hand():
    def narrate(event, before, after):
        if event is DRAW:
            return (Drew(before.turn, 1, tuple(iter_cards(after.hand))[:1]),)
        return layaway.GAME.narrate(event, before, after)

    failure = fail("test_zones_and_texts", override(GAME, narrate=narrate))
    assert isinstance(failure, LawFailure)
    assert re.search(r"seat \d reads that seat \d has drawn .., which is in its own hand", str(failure))


def test_whole_entries_are_compared():
    def narrate(event, before, after):
        notes = layaway.GAME.narrate(event, before, after)
        rank = "jack" if isinstance(event, layaway.Lay) and event.card % 13 > 8 else "card"
        return tuple([replace(note, third_person=f"lays a {rank} away") if note.seat == before.turn != after.seat
                      and isinstance(event, layaway.Lay) else note for note in notes])  # fmt: skip

    failure = fail("test_zones_and_texts", override(GAME, narrate=narrate))
    assert "a hidden card is told: `narrate` tells seat" in str(failure)
    assert "lays a jack away" in "".join(failure.worlds)


class PassedView(layaway.LayawayView, frozen=True):
    passed: tuple[int, ...] = (1, 2, 3, 4, 5)


def test_field_that_guests_of_a_club_refuse_is_named():
    class PassedState(LayawayState):
        def view(self, seat):
            return PassedView(**structs.asdict(super().view(seat)))

    failure = fail("test_hidden_cards_do_not_affect_views", override(GAME, view=PassedView, start=PassedState))
    assert "the guests of a club refuse the field passed of the view of seat 0" in str(failure)
    assert "annotate the field with `Meta(max_length=...)`" in str(failure)


class TestLayaway(GameTests):
    game = GAME


def test_braces_for_no_player_are_named():
    game = override(GAME, narrate=lambda *_: (CustomLogEntry(0, "asks {7}", "ask {7}"),))
    assert "braces stand for neither cards nor a player: 'asks {7}'" in str(fail("test_zones_and_texts", game))


def test_choice_without_room_is_named(monkeypatch):
    monkeypatch.setattr(layaway.Go, "label", "say that nothing fits")
    monkeypatch.setattr(table_checks, "MAX_CHOICE_LENGTH", 20)
    with pytest.raises(LawFailure, match="'go' by keys: its text has 21 characters, and is cut"):
        table_checks.check_input(SHORT, 0)


@pytest.mark.parametrize("line", ["| rank | worth |", "Take [cards](cards.md).", "<b>Aces</b> win.", "T♦ counts 2."])
def test_markup_in_rules_is_named(monkeypatch, line):
    monkeypatch.setattr(layaway, "__doc__", f"Lay cards away.\n\n{line}\n")
    plug_in(monkeypatch, layaway)
    assert f"players would read markup in the page of rules: {line!r}" in str(fail("test_rules_page", GAME))


def test_missing_option_of_rules_is_named(monkeypatch):
    monkeypatch.setattr(layaway, "__doc__", "Lay cards away.\n\n## Options\n\n`length` - rounds\n\n- one (`1`)\n")
    plug_in(monkeypatch, layaway)
    assert "the section on options in the page of rules lacks" in str(fail("test_rules_page", GAME))
