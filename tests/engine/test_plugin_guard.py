"""Plug-in guard: an exception of a game becomes one kind of error that names package and line, without cards."""

from asyncio import CancelledError
from functools import partial
from random import Random
from types import ModuleType

import pytest
from msgspec.structs import asdict, replace

from cardtable.engine import plugin_guard
from cardtable.engine.errors import EndedBySignal, GameFailed
from cardtable.engine.game import State, no_feature
from cardtable.engine.plugin_guard import create_game_failure
from tests.engine.toy import GAME, KEEP, Options, RecordingReferee, ToyState, deal_first_round

pytestmark = pytest.mark.promise(
    "For maintainers",
    "A game of another package that raises is reported with package and place, without cards; the rest continues.",
)

INTERNAL_METHODS = ("common_view_fields", "drawn_card")
"""Methods that only a state calls on itself."""
GUARDED_METHODS = sorted(
    name for name, found in vars(State).items() if callable(found) and name[0] != "_" and name not in INTERNAL_METHODS
)
METHOD_ARGUMENTS = {
    "apply": (KEEP,),
    "forfeit": (0,),
    "give_turn": (0,),
    "draw_chance": (Random(1),),
    "is_possible_chance": (KEEP,),
    "view": (0,),
    "is_over_at": (1, (3, 4)),
}
"""Arguments of the methods that take any."""


def raise_error(*_):
    raise LookupError("the hand is AS KH")


def guard_game(game):
    """Return the game guarded as a plug-in of another package."""
    return plugin_guard.guard_game(game, partial(create_game_failure, "Mixing", "cardtable-mixing 1.0", __name__))


def create_failing_game(name):
    """Return a guarded game whose state raises an error in the named method from the first deal on."""

    def tried(state, *arguments):
        return raise_error() if state.round else getattr(ToyState, name)(state, *arguments)

    kind = type("Failing", (ToyState,), {"copy": lambda state: copy_state(kind, state), name: tried})
    return guard_game(replace(GAME, start=lambda _seats, options: kind(options)))


def copy_state(kind, state):
    other = kind(state.options)
    other.__dict__.update(state.__dict__)
    return other


def test_error_names_package_and_line_without_message():
    with pytest.raises(GameFailed) as failed:
        guard_game(replace(GAME, explain_illegal=raise_error)).explain_illegal(None, 0)
    line = raise_error.__code__.co_firstlineno + 1
    assert str(failed.value) == (
        f"Mixing (cardtable-mixing 1.0) has failed: LookupError in test_plugin_guard.py, line {line}; "
        "its sessions stay saved until its package is fixed"
    )


class Unprintable(BaseException):
    def __str__(self):
        raise self


def raise_kind(kind):
    """Return a function that raises an exception of this class."""

    def fail(*_):
        raise kind

    return fail


@pytest.mark.parametrize("kind", [SystemExit, GeneratorExit, CancelledError, RecursionError, MemoryError, Unprintable])
def test_exceptions_of_every_kind_are_converted(kind):
    failing = guard_game(replace(GAME, scene=raise_kind(kind), start=raise_kind(kind)))
    for call in (partial(failing.scene, None), partial(failing.start, 2, Options())):
        with pytest.raises(GameFailed, match=f"{kind.__name__} in test_plugin_guard"):
            call()
    for name in ("legal", "apply", "forfeit"):
        state = type("Failing", (ToyState,), {name: raise_kind(kind)})
        started = guard_game(replace(GAME, start=lambda _, options, kind=state: kind(options))).start(2, Options())
        with pytest.raises(GameFailed, match=f"{kind.__name__} in test_plugin_guard"):
            getattr(started, name)(*METHOD_ARGUMENTS.get(name, ()))


@pytest.mark.parametrize("kind", [KeyboardInterrupt, EndedBySignal])
def test_signals_pass_unchanged(kind):
    with pytest.raises(kind):
        guard_game(replace(GAME, scene=raise_kind(kind))).scene(None)


@pytest.mark.parametrize("name", GUARDED_METHODS)
def test_every_state_method_is_guarded(name):
    state = create_failing_game(name).start(2, Options())
    while not state.round:
        state.apply(state.draw_chance(Random(1)))
    with pytest.raises(GameFailed):
        getattr(state, name)(*METHOD_ARGUMENTS.get(name, ()))


@pytest.mark.parametrize("name", sorted(name for name, part in asdict(GAME).items() if part is not no_feature))
def test_every_game_function_is_guarded(name):
    part = asdict(GAME)[name]
    if callable(part) and not isinstance(part, type):
        with pytest.raises(GameFailed):
            asdict(guard_game(replace(GAME, **{name: raise_error})))[name](None, None)


@pytest.mark.parametrize(
    ("name", "given", "why"),
    [
        ("legal", None, "legal gives nothing"),
        ("legal", [], "legal gives nothing"),
        ("legal", 7, "legal gives int"),
        ("view", None, "view gives nothing"),
        ("ranks", None, "ranks gives nothing"),
        ("legal", ["keep 3"], "legal gives str in place of Action"),
        ("legal", [KEEP, None], "legal gives nothing in place of Action"),
        ("ranks", ("1", "2"), "ranks gives str in place of int"),
        ("copy", None, "copy gives nothing"),
    ],
)
def test_invalid_return_value_of_state_method(name, given, why):
    kind = type("Wrong", (ToyState,), {name: lambda *_: given})
    state = guard_game(replace(GAME, start=lambda _seats, options: kind(options))).start(2, Options())
    while state.turn < 0:
        state.apply(state.draw_chance(Random(1)))
    with pytest.raises(GameFailed, match=f"has failed: {why};"):
        getattr(state, name)(*METHOD_ARGUMENTS.get(name, ()))


@pytest.mark.parametrize("name", ["scene", "explain_illegal", "narrate", "sides"])
def test_missing_return_value_of_game_function(name):
    with pytest.raises(GameFailed, match=f"has failed: {name} gives nothing;"):
        asdict(guard_game(replace(GAME, **{name: lambda *_: None})))[name](None, None)


@pytest.mark.parametrize(("name", "element"), [("scene", "Zone"), ("narrate", "Note"), ("sides", "tuple")])
def test_wrong_elements_of_a_return_value(name, element):
    with pytest.raises(GameFailed, match=f"has failed: {name} gives str in place of {element};"):
        asdict(guard_game(replace(GAME, **{name: lambda *_: ("hand",)})))[name](None, None)


@pytest.mark.parametrize("name", ["start", "imagine"])
def test_missing_state(name):
    with pytest.raises(GameFailed, match=f"has failed: {name} gives nothing;"):
        asdict(guard_game(replace(GAME, **{name: lambda *_: None})))[name](None, None)


@pytest.mark.parametrize(
    ("field", "value", "why"), [("turn", None, "nothing"), ("totals", [0, 0], "list"), ("score", 7, "int")]
)
def test_wrong_field_of_a_state(field, value, why):
    class Wrong(ToyState):
        def apply(self, event):
            super().apply(event)
            setattr(self, field, value)

    state = guard_game(replace(GAME, start=lambda _seats, options: Wrong(options))).start(2, Options())
    with pytest.raises(GameFailed, match=f"has failed: the state's {field} is {why};"):
        state.apply(state.draw_chance(Random(1)))


def test_wrong_actions_in_a_view():
    class Wrong(ToyState):
        def view(self, seat):
            return replace(super().view(seat), legal=("keep 3",))

    state = guard_game(replace(GAME, start=lambda _seats, options: Wrong(options))).start(2, Options())
    with pytest.raises(GameFailed, match="has failed: legal gives str in place of Action;"):
        state.view(0)


def test_missing_module_attribute_is_reported():
    part = ModuleType(f"{__name__}.spoken")
    with pytest.raises(AttributeError) as missing:
        part.PLAIN_TEXT  # noqa: B018 - asked for
    assert f"has failed: {part.__name__} has no PLAIN_TEXT;" in str(
        create_game_failure("Mixing", "mixing 1", __name__, missing.value)
    )


def test_guard_adds_no_optional_features():
    assert (guard_game(GAME).exact_bids, guard_game(GAME).has_contracts) == (False, False)


def test_guarded_game_plays_the_same_session():
    tables = [deal_first_round(game=game) for game in (GAME, guard_game(GAME))]
    for table in tables:
        table.mix()
        table.keep(3)
        table.advance()
        table.keep(2)
        table.undo(1)
    assert tables[0].lines == tables[1].lines
    assert tables[0].scores == tables[1].scores
    assert tables[0].view(0) == tables[1].view(0)


def test_unsupported_forfeit_is_not_a_game_failure():
    with pytest.raises(ValueError, match="by the clock"):
        guard_game(GAME).start(2, Options()).forfeit(0)


def test_failed_action_is_not_recorded():
    table = RecordingReferee(game=create_failing_game("apply"))
    with pytest.raises(GameFailed):
        table.advance()
    assert [line.chance.split()[0] for line in table.lines] == ["first", "deal"]
    assert (table.round, table.turn) == (1, -1)
    with pytest.raises(GameFailed):
        table.advance()
    assert len(table.lines) == 2


def test_checked_return_types_belong_to_game_functions():
    assert set(plugin_guard._RETURN_TYPES) <= {*asdict(GAME), *vars(State)}


@pytest.mark.parametrize("path", ["/games/outside/rules.py", "C:\\games\\outside\\rules.py", "rules.py"])
def test_error_is_located_by_the_name_of_its_file(path):
    module = {"__name__": "outside.rules"}
    exec(compile("def fail():\n    raise LookupError\n", path, "exec"), module)
    with pytest.raises(LookupError) as raised:
        module["fail"]()
    assert plugin_guard.locate_error(raised.value, "outside") == "rules.py, line 2"
    assert plugin_guard.locate_error(raised.value, "cardtable") is None
