"""A game from another package that raises: one kind of error, which tells the package and the place, and no cards."""

from functools import partial
from random import Random
from types import ModuleType

import pytest
from msgspec.structs import asdict, replace

from cardtable.engine import plugin_guard
from cardtable.engine.errors import GameFailed
from cardtable.engine.game import State, no_feature
from cardtable.engine.plugin_guard import create_game_failure
from tests.engine.toy import GAME, KEEP, Options, Recorded, ToyState, dealt

pytestmark = pytest.mark.promise(
    "For maintainers",
    "A game of another package that raises is reported with package and place, without cards; the rest continues.",
)

INSIDE = ("common_view_fields", "drawn_card")
"""What only a state asks of itself."""
ASKED = sorted(name for name, found in vars(State).items() if callable(found) and name[0] != "_" and name not in INSIDE)
TOLD = {
    "apply": (KEEP,),
    "forfeit": (0,),
    "draw_chance": (Random(1),),
    "is_possible_chance": (KEEP,),
    "view": (0,),
    "is_over_at": (1, (3, 4)),
}
"""What is handed over, where that is something."""


def breaks(*_):
    raise LookupError("the hand is AS KH")


def package(game):
    """The game as another package brings it."""
    return plugin_guard.guard_game(game, partial(create_game_failure, "Mixing", "cardtable-mixing 1.0", __name__))


def failing(name):
    """The game with a state in which that fails from the first deal on."""

    def tried(state, *told):
        return breaks() if state.round else getattr(ToyState, name)(state, *told)

    kind = type("Failing", (ToyState,), {"copy": lambda state: twin(kind, state), name: tried})
    return package(replace(GAME, start=lambda _seats, options: kind(options)))


def twin(kind, state):
    other = kind(state.options)
    other.__dict__.update(state.__dict__)
    return other


def test_it_says_which_package_and_where_and_tells_no_words_of_the_error():
    with pytest.raises(GameFailed) as failed:
        package(replace(GAME, explain_illegal=breaks)).explain_illegal(None, 0)
    line = breaks.__code__.co_firstlineno + 1
    assert str(failed.value) == (
        f"Mixing (cardtable-mixing 1.0) has failed: LookupError in test_plugin_guard.py, line {line}; "
        "all is kept until its package is mended"
    )


@pytest.mark.parametrize("name", ASKED)
def test_whatever_a_state_is_asked_for_and_fails_at_is_told_so(name):
    state = failing(name).start(2, Options())
    while not state.round:
        state.apply(state.draw_chance(Random(1)))
    with pytest.raises(GameFailed):
        getattr(state, name)(*TOLD.get(name, ()))


@pytest.mark.parametrize("name", sorted(name for name, part in asdict(GAME).items() if part is not no_feature))
def test_every_function_of_a_game_is_guarded(name):
    part = asdict(GAME)[name]
    if callable(part) and not isinstance(part, type):
        with pytest.raises(GameFailed):
            asdict(package(replace(GAME, **{name: breaks})))[name](None, None)


@pytest.mark.parametrize(
    ("name", "given", "why"),
    [
        ("legal", None, "legal gives nothing"),
        ("legal", [], "legal gives nothing"),
        ("legal", 7, "legal gives int"),
        ("view", None, "view gives nothing"),
        ("ranks", None, "ranks gives nothing"),
    ],
)
def test_what_a_state_gives_that_is_nothing_to_go_by_is_told(name, given, why):
    kind = type("Wrong", (ToyState,), {name: lambda *_: given})
    state = package(replace(GAME, start=lambda _seats, options: kind(options))).start(2, Options())
    while state.turn < 0:
        state.apply(state.draw_chance(Random(1)))
    with pytest.raises(GameFailed, match=f"has failed: {why};"):
        getattr(state, name)(*TOLD.get(name, ()))


@pytest.mark.parametrize("name", ["scene", "explain_illegal", "narrate", "sides"])
def test_what_a_function_of_a_game_does_not_give_is_told(name):
    with pytest.raises(GameFailed, match=f"has failed: {name} gives nothing;"):
        asdict(package(replace(GAME, **{name: lambda *_: None})))[name](None, None)


def test_what_a_part_of_a_package_does_not_have_is_told():
    part = ModuleType(f"{__name__}.spoken")
    with pytest.raises(AttributeError) as missing:
        part.PLAIN_TEXT  # noqa: B018 - asked for
    assert f"has failed: {part.__name__} has no PLAIN_TEXT;" in str(
        create_game_failure("Mixing", "mixing 1", __name__, missing.value)
    )


def test_what_a_game_does_not_have_it_does_not_have():
    assert (package(GAME).exact_bids, package(GAME).has_contracts) == (False, False)


def test_a_session_of_it_is_that_of_the_game():
    tables = [dealt(game=game) for game in (GAME, package(GAME))]
    for table in tables:
        table.mix()
        table.keep(3)
        table.advance()
        table.keep(2)
        table.undo(1)
    assert tables[0].lines == tables[1].lines
    assert tables[0].scores == tables[1].scores
    assert tables[0].view(0) == tables[1].view(0)


def test_that_nobody_can_lose_by_the_clock_is_no_failure():
    with pytest.raises(ValueError, match="by the clock"):
        package(GAME).start(2, Options()).forfeit(0)


def test_what_it_fails_at_is_not_recorded():
    table = Recorded(game=failing("apply"))
    with pytest.raises(GameFailed):
        table.advance()
    assert [line.chance.split()[0] for line in table.lines] == ["first", "deal"]
    assert (table.round, table.turn) == (1, -1)
    with pytest.raises(GameFailed):
        table.advance()
    assert len(table.lines) == 2


def test_checked_results_are_those_of_functions_of_a_game():
    assert set(plugin_guard._RETURN_TYPES) <= {*asdict(GAME), *vars(State)}
