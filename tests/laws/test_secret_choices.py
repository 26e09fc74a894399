"""The laws of choices that seats make at once hold for a toy game, and catch planted leaks."""

import pytest
from msgspec.structs import replace

from cardtable.engine.cards import iter_cards
from cardtable.engine.log_entries import CustomLogEntry
from cardtable.testing import GameTests
from cardtable.testing.cases import Case, LawFailure
from cardtable.testing.secret_choice_checks import check_choices_of_referee, check_secret_choices
from tests.overriding import override
from tests.toy import blind, layaway
from tests.toy.blind import GAME, BlindState, BlindView, Lay


class TestBlind(GameTests):
    game = GAME


@pytest.mark.parametrize("game", [GAME, layaway.GAME])
def test_laws_examine_only_games_with_such_choices(game):
    case = Case(game, 3, game.options())
    assert (check_secret_choices(case, 0) > 0) == (game is GAME)
    check_choices_of_referee(case, 0)


def with_state(**members):
    """Return Blind with other members of its state."""
    return override(GAME, start=type("OtherState", (BlindState,), members))


class CountingView(BlindView, frozen=True):
    total: int
    """Number of cards laid away so far, which nobody may know yet."""


def count_laid(state, seat):
    total = sum(choice.cards.bit_count() for choice in state.secret_choices.made if choice) if state.choosing else 0
    view = BlindState.view(state, seat)
    fields = {name: getattr(view, name) for name in BlindView.__struct_fields__}
    return CountingView(**fields, total=total)


def show_choices(state, seat):
    """Return a view in which the choices are shown as they are made."""
    made = state.secret_choices.made if state.secret_choices else (None,) * state.seats
    visible = [cards | (choice.cards if choice else 0) for cards, choice in zip(state.shown, made, strict=True)]
    return replace(BlindState.view(state, seat), shown=tuple(visible))


def shrink_hands(state, seat):
    """Return a view in which hands become smaller by the number of cards chosen."""
    made = state.secret_choices.made if state.secret_choices else (None,) * state.seats
    chosen = [choice.cards.bit_count() if choice else 0 for choice in made]
    sizes = [hand.bit_count() - number for hand, number in zip(state.hands, chosen, strict=True)]
    return replace(BlindState.view(state, seat), sizes=tuple(sizes))


def skip_when_two(state, before, choice):
    """Keep a choice, and let the last seat act next after two cards, else the first."""
    BlindState._choose(state, before, choice)
    if state.secret_choices and choice.cards.bit_count() == 2:
        state.turn = max(seat for seat, asked in enumerate(state.choosing) if asked)


def narrate_event(event, before, after):
    """Name the number of cards that a seat lays away."""
    if isinstance(event, Lay):
        number = event.cards.bit_count()
        return (CustomLogEntry(before.turn, f"lays {number} away", f"lay {number} away"),)
    return blind.GAME.narrate(event, before, after)


def narrate_cards(event, before, after):
    """Name the cards that a seat lays away to everybody."""
    if isinstance(event, Lay):
        return (CustomLogEntry(before.turn, "lays {} away", "lay {} away", tuple(iter_cards(event.cards))),)
    return blind.GAME.narrate(event, before, after)


def remember_last(state, before, choice):
    """Keep a choice, and let the last seat that chooses lay away nothing."""
    last = state.turn
    BlindState._choose(state, before, choice)
    if not state.secret_choices:
        state.totals = tuple([total + (seat == last) for seat, total in enumerate(state.totals)])


def forget_choice(state, seat):
    return replace(BlindState.view(state, seat), choice=None)


def get_any_choice(state):
    """Return for each seat the first choice that any seat has made, in place of its own."""
    made = state.secret_choices.made if state.secret_choices else ()
    return (next(filter(None, made), None),) * state.seats


def hide_choosers(state, seat):
    view = BlindState.view(state, seat)
    return replace(view, chosen=tuple([chosen and other == seat for other, chosen in enumerate(view.chosen)]))


@pytest.mark.parametrize(
    ("game", "law", "field"),
    [
        (with_state(view=show_choices), "a secret choice is seen", "shown"),
        (with_state(view=shrink_hands), "a secret choice is seen", "sizes"),
        (with_state(view=count_laid), "a secret choice is seen", "total"),
        (with_state(_choose=skip_when_two), "a secret choice is seen", "turn"),
        (override(GAME, narrate=narrate_event), "a secret choice is told", "narrate"),
        (with_state(_choose=remember_last), "the order of choosing makes a difference", "totals"),
        (with_state(view=forget_choice), "a seat forgets its choice", "view"),
        (with_state(view=hide_choosers), "not everybody knows who has chosen", "chosen"),
        (with_state(choice=property(get_any_choice)), "a secret choice is seen", "choice"),
    ],
    ids=["cards", "size", "count", "turn", "note", "order", "forgotten", "unknown", "others-field"],
)  # fmt: skip
def test_planted_fault_is_named(game, law, field):
    with pytest.raises(LawFailure) as caught:
        [check_secret_choices(Case(game, 3, blind.Options()), seed) for seed in range(4)]
    assert str(caught.value).startswith(law)
    assert caught.value.field == field
    assert caught.value.seat in (0, 1, 2)


def test_cards_of_a_secret_choice_are_not_named():
    with pytest.raises(LawFailure, match="a secret choice is told"):
        check_secret_choices(Case(override(GAME, narrate=narrate_cards), 3, blind.Options()), 0)
