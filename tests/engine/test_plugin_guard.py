"""Plug-in guard: an exception of a game becomes one kind of error that names package and line, without cards."""

from asyncio import CancelledError
from functools import partial
from inspect import get_annotations
from random import Random
from types import ModuleType

import pytest
from msgspec.structs import replace

from cardtable.engine import plugin_guard
from cardtable.engine.errors import EndedBySignal, GameFailed
from cardtable.engine.game import (
    BiddingState,
    CardsTitle,
    Contract,
    EndingTitle,
    Game,
    HighTitle,
    Note,
    Score,
    State,
    TrickStatus,
    Zone,
)
from cardtable.engine.log_entries import MadeBid, PlayedCard
from cardtable.engine.plugin_guard import create_game_failure
from tests.engine.toy import GAME, KEEP, Options, RecordingReferee, ToyState, deal_first_round
from tests.overriding import override

METHOD_ARGUMENTS = {
    "common_view_fields": (0,),
    "drawn_card": (0,),
    "apply": (KEEP,),
    "forfeit": (0,),
    "give_turn": (0,),
    "draw_chance": (Random(1),),
    "is_possible_chance": (KEEP,),
    "view": (0,),
    "is_over_at": (1, (3, 4)),
    "set_arrivals": ((1, 0),),
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

    member = property(tried) if isinstance(vars(State).get(name), property) else tried
    kind = type("Failing", (ToyState,), {"copy": lambda state: copy_state(kind, state), name: member})
    return guard_game(override(GAME, start=lambda _seats, options: kind(options)))


def copy_state(kind, state):
    other = kind(state.options)
    other.__dict__.update(state.__dict__)
    return other


def start_wrong(**members):
    """Return the guarded state of a session whose state has other members."""
    kind = type("Wrong", (ToyState,), members)
    return guard_game(override(GAME, start=lambda _seats, options: kind(options))).start(2, Options())


def test_error_names_package_and_line_without_message():
    with pytest.raises(GameFailed) as failed:
        guard_game(override(GAME, explain_illegal=raise_error)).explain_illegal(None, 0)
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
    failing = guard_game(override(GAME, scene=raise_kind(kind), start=raise_kind(kind)))
    for call in (partial(failing.scene, None), partial(failing.start, 2, Options())):
        with pytest.raises(GameFailed, match=f"{kind.__name__} in test_plugin_guard"):
            call()
    for name in ("legal", "apply", "forfeit"):
        started = start_wrong(**{name: raise_kind(kind)})
        with pytest.raises(GameFailed, match=f"{kind.__name__} in test_plugin_guard"):
            getattr(started, name)(*METHOD_ARGUMENTS.get(name, ()))


@pytest.mark.parametrize("kind", [KeyboardInterrupt, EndedBySignal])
def test_signals_pass_unchanged(kind):
    with pytest.raises(kind):
        guard_game(override(GAME, scene=raise_kind(kind))).scene(None)


def list_members(base):
    """Return the names of what a subclass of ``base`` can define, without its facts and final members."""
    final = {"sides_of", "exact_bids", "seats_for"}
    return sorted({name for name in dir(base) if name[0] != "_"} - {*get_annotations(base)} - final)


def test_no_seat_has_chosen_once_nobody_has_to_choose():
    kind = type("Lasting", (ToyState,), {"chosen": (True, False), "choosing": (False, True)})
    state = guard_game(override(GAME, start=lambda _seats, options: kind(options))).start(2, Options())
    assert state.chosen == (True, False)
    kind.choosing = (False, False)
    with pytest.raises(GameFailed, match="chosen is still set"):
        _ = state.chosen


@pytest.mark.parametrize("name", list_members(State))
def test_every_member_of_a_state_is_guarded(name):
    state = create_failing_game(name).start(2, Options())
    while not state.round:
        state.apply(state.draw_chance(Random(1)))
    with pytest.raises(GameFailed):
        getattr(state, name)(*METHOD_ARGUMENTS.get(name, ()))


def test_class_in_place_of_the_function_that_starts_a_session():
    """Games of the class ``RoundState`` have it in this place."""

    class Failing(ToyState):
        def __init__(self, _seats, options):
            super().__init__(options)

        def apply(self, event):
            raise_error()

    state = guard_game(override(GAME, start=Failing)).start(2, Options())
    with pytest.raises(GameFailed):
        state.apply(state.draw_chance(Random(1)))


@pytest.mark.parametrize("name", list_members(Game))
def test_every_method_of_a_game_is_guarded(name):
    with pytest.raises(GameFailed):
        getattr(guard_game(override(GAME, **{name: raise_error})), name)(None, None)


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("legal", None, r"legal gives nothing in place of Sequence\[Action\]"),
        ("legal", [], "legal gives nothing"),
        ("legal", 7, r"legal gives int in place of Sequence\[Action\]"),
        ("view", None, "view gives nothing in place of View"),
        ("ranks", None, r"ranks gives nothing in place of tuple\[int, ...\]"),
        ("legal", ["keep 3"], "legal gives str in place of Action"),
        ("legal", [KEEP, None], "legal gives nothing in place of Action"),
        ("ranks", ("1", "2"), "ranks gives str in place of int"),
        ("copy", None, "copy gives nothing"),
    ],
)
def test_invalid_return_value_of_state_method(name, value, reason):
    state = start_wrong(**{name: lambda *_: value})
    while state.turn < 0:
        state.apply(state.draw_chance(Random(1)))
    with pytest.raises(GameFailed, match=f"has failed: {reason};"):
        getattr(state, name)(*METHOD_ARGUMENTS.get(name, ()))


VIEW = deal_first_round(game=GAME).view(0)
TRICK = TrickStatus(1, 0, ((1, 5),), (), 1)
ARGUMENTS = {
    "narrate": (KEEP, VIEW, VIEW), "sides": (2, Options()), "explain_illegal": (VIEW, 0), "start": (2, Options()),
    "imagine": (VIEW, Random(1)),
}  # fmt: skip
"""Arguments of the functions that take more than a view."""


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        *[
            (name, None, f"{name} gives nothing in place of ")
            for name in ("scene", "explain_illegal", "narrate", "sides")
        ],
        *[(name, None, f"{name} gives nothing;") for name in ("start", "imagine")],
        ("scene", ("hand",), "scene gives str in place of Zone;"),
        ("narrate", ("hand",), "narrate gives str in place of Note;"),
        ("narrate", (Note(None),), "narrate gives a log entry that is not valid"),
        ("narrate", (PlayedCard(0, "AS"),), "narrate gives a log entry that is not valid"),
        ("narrate", (MadeBid(2, 3),), "narrate gives a seat that is not at the table"),
        ("sides", ("hand",), r"sides gives str in place of tuple\[int, ...\];"),
        *[("sides", sides, "sides does not give each seat once") for sides in (((0, 1), (1,)), ((0,),), ((0, 2),))],
        ("scene", (Zone("hand", 2, ()),), "scene gives a zone of a seat that is not at the table"),
        ("trick", replace(TRICK, lying=((2, 5),)), "trick gives a seat that is not at the table"),
        ("trick", replace(TRICK, last=((0, 999),)), r"trick.last gives tuple in place of tuple\[int, Card\]"),
        ("trick", replace(TRICK, last=(5,)), r"trick.last gives int in place of tuple\[int, Card\]"),
        ("trick", replace(TRICK, leader=-1), "trick gives a seat that is not at the table"),
        ("trick", replace(TRICK, winning=7), "trick gives a seat that is not at the table"),
        ("trick", replace(TRICK, step=0), "trick gives a wrong number or step"),
        ("bids", BiddingState(3, None, (1,), (0, 0)), "bids gives bids or tricks that are not by seat"),
        ("bids", BiddingState(3, 4, (1, 1), (0, 0)), "bids gives a wrong number of cards or trump suit"),
        ("contract", Contract("Trump", 4), "contract gives a contract with a wrong suit"),
        ("contract", Contract(None), "contract.name gives nothing in place of str"),
        ("dealer_or_declarer", (), r"dealer_or_declarer gives tuple in place of tuple\[str, int\]"),
        ("dealer_or_declarer", ("dealer", 2), "dealer_or_declarer gives no role and seat"),
        ("dealer_or_declarer", (0, "dealer"), r"dealer_or_declarer gives tuple in place of tuple\[str, int\]"),
        ("mandatory_card", 999, "mandatory_card gives int in place of Card"),
        ("timed_out", 2, "timed_out gives a seat that is not at the table"),
        ("forced_silent_action", KEEP, "forced_silent_action gives an action that is not legal"),
    ],
)
def test_value_that_no_table_can_have(name, value, reason):
    assert KEEP not in VIEW.legal
    with pytest.raises(GameFailed, match=f"has failed: {reason}"):
        getattr(guard_game(override(GAME, **{name: lambda *_: value})), name)(*ARGUMENTS.get(name, (VIEW,)))


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("title", None),
        ("title", HighTitle(99)),
        ("title", CardsTitle(3, 4)),
        ("title", EndingTitle(3)),
        ("figures", ((), (), ())),
        ("figures", ((1,), (1,))),
        ("points", (1,)),
        ("points", (1, "2")),
        ("points", (1, 10**5000)),
        ("totals", (1, None)),
        ("bonuses", ((),)),
        ("bonuses", (("ten",), ())),
        ("weight", None),
    ],
)
def test_score_that_no_sheet_can_have(field, value):
    def score_wrong(state, event):
        ToyState.apply(state, event)
        state.score = replace(Score(EndingTitle(""), ((), ()), (1, 2), ((), ()), (1, 2)), **{field: value})

    state = start_wrong(apply=score_wrong)
    with pytest.raises(GameFailed, match=r"has failed: the score(.s| has)"):
        state.apply(state.draw_chance(Random(1)))


@pytest.mark.parametrize(
    ("field", "value", "reason"),
    [
        ("turn", None, "nothing in place of int"),
        ("totals", [0, 0], r"list in place of tuple\[int, ...\]"),
        ("score", 7, "int in place of Score"),
    ],
)
def test_wrong_field_of_a_state(field, value, reason):
    def apply_wrong(state, event):
        ToyState.apply(state, event)
        setattr(state, field, value)

    state = start_wrong(apply=apply_wrong)
    with pytest.raises(GameFailed, match=f"has failed: the state's {field} is {reason};"):
        state.apply(state.draw_chance(Random(1)))


def test_wrong_actions_in_a_view():
    state = start_wrong(view=lambda state, seat: replace(ToyState.view(state, seat), legal=("keep 3",)))
    with pytest.raises(GameFailed, match="has failed: the view's legal is str in place of Action;"):
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
    assert [line.outcome.split()[0] for line in table.lines] == ["first", "deal"]
    assert (table.round, table.turn) == (1, -1)
    with pytest.raises(GameFailed):
        table.advance()
    assert len(table.lines) == 2


@pytest.mark.parametrize("text", ["x" * 5000, "\ud800"])
def test_action_that_no_journal_can_contain_is_not_recorded(text, monkeypatch):
    table = deal_first_round(game=guard_game(GAME))
    count = len(table.lines)
    monkeypatch.setattr(type(KEEP), "notation", text)
    with pytest.raises(GameFailed, match="has failed: the text of an action is too long, or not Unicode"):
        table.mix()
    assert len(table.lines) == count


@pytest.mark.parametrize("path", ["/games/outside/rules.py", "C:\\games\\outside\\rules.py", "rules.py"])
def test_error_is_located_by_the_name_of_its_file(path):
    module = {"__name__": "outside.rules"}
    exec(compile("def fail():\n    raise LookupError\n", path, "exec"), module)
    with pytest.raises(LookupError) as raised:
        module["fail"]()
    assert plugin_guard.locate_error(raised.value, "outside") == "rules.py, line 2"
    assert plugin_guard.locate_error(raised.value, "cardtable") is None
