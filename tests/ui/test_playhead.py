"""Playhead of a replay: each moment equals the table, and a seat's view hides the other hands."""

from random import Random
from types import SimpleNamespace

import pytest
from msgspec.structs import replace

from cardtable.engine import journal
from cardtable.engine.cards import iter_cards, mask_of
from cardtable.engine.journal import Header, Occupant
from cardtable.engine.replay import iter_positions
from cardtable.games import GAMES
from cardtable.session.round_replay import replay_round, restrict_replay
from cardtable.ui.replay import ReplayModel, paint_replay
from cardtable.ui.round_view.playhead import Playhead, StopSnapshot
from cardtable.ui.toolkit.painting.canvas import Canvas
from tests.session.test_round_replay import TABLES, RecordedSession
from tests.test_saves import SAVES
from tests.ui.canvas_rendering import APPEARANCE

every_table = pytest.mark.parametrize(("key", "seats", "options"), TABLES)


def views_by_line(read):
    """Map the number of each line to the views of all seats after it."""
    return {number: [table.view(seat) for seat in range(table.seats)] for number, table in iter_positions(read, GAMES)}


def find_hand(game, view, seat):
    return next(zone.cards for zone in game.scene(view) if zone.name == "hand" and zone.seat == seat)


def iter_moments(head):
    """Yield the playhead at each of its moments, card by card."""
    yield head
    while head.move_by_stops(1):
        yield head


def check_round(replay, seen_after):
    """Assert that every moment has the hands and the trick that the table had after its line."""
    game, steps = replay.game, replay.steps
    head = Playhead(replay)
    for _ in iter_moments(head):
        stop, snapshot = head.stop, StopSnapshot(head, [f"N{seat}" for seat in replay.seats], 0)
        line = steps[stop.step_count - 1].line if stop.step_count else None
        then = seen_after[line] if line else list(replay.dealt)
        assert then[0].round == replay.number
        for seat in replay.seats:
            plate = snapshot.create_plate(seat)
            if stop.step_count < len(steps) or not replay.has_tricks:
                assert sorted(iter_cards(plate.hand)) == sorted(find_hand(game, then[seat], seat))
            elif head.is_automatic:
                assert not plate.hand
            assert not plate.unseen
            assert plate.hand & ~plate.known_cards == 0
        if replay.has_tricks and then[0].trick:
            assert tuple(card for _, card in snapshot.get_table_cards().cards) == then[0].trick
        assert replay.has_tricks or snapshot.get_table_cards().view == then[0]


@every_table
def test_every_moment_equals_table(key, seats, options):
    played = RecordedSession(key, seats, **options).play_through_round(3).play_steps(3)
    read = journal.read(journal.encode(played.header, played.lines))
    after = views_by_line(read)
    for number in range(1, len(played.table.scores) + 1):
        check_round(replay_round(read, number), after)
    if (going := replay_round(read, len(played.table.scores) + 1, unfinished=True)) is not None:
        check_round(going, after)


@pytest.mark.parametrize("path", SAVES, ids=lambda path: path.stem)
def test_every_moment_equals_table_in_saves(path):
    read = journal.read(path.read_bytes())
    after, number = views_by_line(read), 1
    while replay := replay_round(read, number, unfinished=True):
        check_round(replay, after)
        number += 1
    assert number > 1


@every_table
def test_seat_view_restricts_other_hands(key, seats, options):
    replay = RecordedSession(key, seats, **options).play_through_round(2).replay()
    for seat in replay.seats:
        head, every = Playhead(restrict_replay(replay, seat)), Playhead(replay)
        assert len(head.stops) == len(every.stops)
        for _ in iter_moments(head):
            every.position = head.position
            snapshot = StopSnapshot(head, "abcdef"[:seats], seat)
            open_snapshot = StopSnapshot(every, "abcdef"[:seats], seat)
            assert snapshot.create_plate(seat) == open_snapshot.create_plate(seat)
            assert snapshot.get_table_cards() == open_snapshot.get_table_cards()
            for other in replay.seats:
                plate, whole = snapshot.create_plate(other), open_snapshot.create_plate(other)
                assert plate.hand & ~whole.hand == 0
                assert plate.hand.bit_count() + plate.unseen == whole.hand.bit_count()
                if other != seat and head.stop.views[seat].finished != replay.number:
                    zone = find_hand(replay.game, head.stop.views[seat], other)
                    assert plate.hand == mask_of([card for card in zone if card is not None])


def paint_moment(replay, seat, at, width, height):
    """Return every cell of the screen of one seat's view at a moment."""
    canvas = Canvas(width, height, APPEARANCE)
    header = Header(
        cardtable=3, id="a", game=replay.game.about.key, created="", seed=1, options={},
        seats=tuple([Occupant(f"R{i}", "steady") for i in replay.seats]),
    )  # fmt: skip
    state = ReplayModel(
        SimpleNamespace(header=header, rounds=1, round_count=1, over=True, is_abandoned=False), replay, ""
    )
    while state.visible_seat != seat:
        state.step_view(1)
    state.playhead.position = at
    paint_replay(canvas, state, state.view_name)
    return canvas.chars, canvas.inks, canvas.grounds, canvas.bold


def imagine_step(replay, step, seat, rng):
    """Return the step as others would see it in a state that the seat cannot distinguish from the true one."""
    views = [replay.game.imagine(view[seat], rng) for view in (step.before, step.after)]
    other = [tuple([state.view(other) for other in replay.seats]) for state in views]
    return replace(step, before=other[0], after=other[1])


@every_table
def test_hidden_cards_do_not_change_seat_view(key, seats, options):
    replay, rng = RecordedSession(key, seats, **options).play_through_round(1).replay(), Random(1)
    seat = replay.steps[0].seat or 0
    steps = tuple([imagine_step(replay, s, seat, rng) if s.after[0].playing else s for s in replay.steps])
    dealt = replay.game.imagine(replay.dealt[seat], rng)
    other = replace(replay, dealt=tuple([dealt.view(s) for s in replay.seats]), steps=steps)
    assert other.dealt != replay.dealt
    for at in range(0, len(Playhead(replay).stops) - 1, 3):
        for size in ((80, 24), (60, 18)):
            assert paint_moment(replay, seat, at, *size) == paint_moment(other, seat, at, *size)
