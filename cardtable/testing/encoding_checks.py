"""Invariants of the numbers that programs which learn get of a game: codes of actions, legal masks and observations."""

from collections.abc import Iterator, Sequence
from random import Random
from typing import Final

from cardtable.engine.game import Action
from cardtable.robots.kit.encoding import ActionCodec, Path, ViewEncoder
from cardtable.testing.cases import Case, LawFailure, iter_random_positions
from cardtable.testing.worlds import describe_field, find_different_fields

_EARLY_POSITIONS: Final = 12
"""Number of positions at the beginning of a session that are all checked; later ones are sampled."""
_SHARE: Final = 0.05
"""Share of the later positions that is checked."""


def check_encodings(case: Case, seed: int) -> None:
    """Check the codec and the encoder in the positions of a session."""
    codec, encoder = ActionCodec(case.game), ViewEncoder(case.game, case.seats)
    assert_fields_described(encoder)
    rng = Random(f"encodings {case} {seed}")
    for number, position in enumerate(iter_random_positions(case, seed)):
        if number >= _EARLY_POSITIONS and rng.random() >= _SHARE:
            continue
        state = position.state
        if state.turn >= 0:
            assert_actions_encoded(codec, state.legal())
        for seat in range(case.seats):
            view = state.view(seat)
            vector = encoder.observe(view)
            assert len(vector) == encoder.size, (
                f"the observation of seat {seat} has {len(vector)} entries in place of {encoder.size}"
            )
            for field in encoder.fields:
                values = vector[field.start : field.end]
                assert all(field.low <= value <= field.high for value in values), (
                    f"the field {field.name} of the view of seat {seat} is out of its bounds: {values}; annotate it "
                    "with `Meta(ge=..., le=...)`"
                )
            other = case.game.imagine(view, rng).view(seat)
            if encoder.observe(other) != vector or codec.mask(other.legal) != codec.mask(view.legal):
                name = find_different_fields(view, other)[0]
                raise LawFailure(
                    f"hidden cards change an observation or a mask of seat {seat}: the field {name} of its view "
                    f"differs in round {state.round}", seat=seat, field=name,
                    worlds=[describe_field(one, name) for one in (view, other)],
                    advice="compute this field from what the seat has seen, and restore it in `determinize`",
                )  # fmt: skip


def assert_fields_described(encoder: ViewEncoder) -> None:
    """Assert that the descriptions of the fields cover all entries of a vector, in order."""
    ends = [0, *[field.end for field in encoder.fields]]
    assert [field.start for field in encoder.fields] == ends[:-1], "there are entries without a description"
    assert ends[-1] == encoder.size, "there are entries without a description"


def assert_actions_encoded(codec: ActionCodec, legal: Sequence[Action]) -> None:
    """Assert that encoding and decoding are inverse, and that the masks allow the legal actions and no others."""
    for action in legal:
        path = codec.encode(action)
        assert all(0 <= index < codec.size for index in path), f"{action} has a choice out of range"
        assert codec.decode(path) == action, f"{action} is decoded as {codec.decode(path)}"
        assert all(codec.decode(path[:length]) is None for length in range(len(path))), (
            f"the code of {action} begins with that of another action"
        )
    allowed = list(iter_allowed_actions(codec, legal))
    assert len(allowed) == len(legal), "the masks do not allow each legal action once"
    assert set(allowed) == set(legal), "the masks allow other actions than the legal ones"


def iter_allowed_actions(codec: ActionCodec, legal: Sequence[Action], path: Path = ()) -> Iterator[Action]:
    """Yield all actions that begin with ``path`` and consist of choices that the masks allow."""
    for index, allowed in enumerate(codec.mask(legal, path)):
        if not allowed:
            continue
        action = codec.decode((*path, index))
        if action is None:
            yield from iter_allowed_actions(codec, legal, (*path, index))
        else:
            yield action
