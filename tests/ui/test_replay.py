"""Replay: the page with its keys and mouse, and the playhead, whose moments equal the table."""

import asyncio
from contextlib import asynccontextmanager
from random import Random
from types import SimpleNamespace

import msgspec
import pytest
from msgspec.structs import replace
from textual.app import App

from cardtable.engine import journal
from cardtable.engine.cards import iter_cards, mask_of
from cardtable.engine.journal import ActionLine, Header, Occupant
from cardtable.engine.replay import iter_positions
from cardtable.games import GAMES, KEYS
from cardtable.session.round_replay import replay_round, restrict_replay
from cardtable.session.session_events import Stage
from cardtable.store import paths, sessions, summaries
from cardtable.store.settings import Settings
from cardtable.ui.keys.table_keys import TABLE
from cardtable.ui.replay import ReplayModel, ReplayPage, paint_replay
from cardtable.ui.review import ReviewPage
from cardtable.ui.round_view.playhead import Playhead, StopSnapshot
from cardtable.ui.table.screen import TableScreen
from cardtable.ui.toolkit.dialog import Dialog
from cardtable.ui.toolkit.page import PageScreen
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.preferences import Preferences
from tests.every_game import USUAL_SEATS
from tests.session.test_round_replay import TABLES, RecordedSession
from tests.test_saves import SAVES
from tests.ui.canvas_rendering import APPEARANCE
from tests.ui.driver import SIZES, SMALL, TINY, Driver, start_program
from tests.ui.recording_context import RecordingContext
from tests.ui.table_host import InProcessRobotClient

EVERY_KEY = ["right", "left", "down", "up", "end", "home", "pagedown", "pageup", *"vvw", "space", "escape", "enter"]
HOSTILE = "[b]\x1b[31mX\u202e"


class Host(App[None]):
    """App that shows one replay."""

    def __init__(self, path, number=1, step=None, me="Anna", player="", confirm=True, as_open=False):
        super().__init__()
        self.context = RecordingContext(self, Preferences(Settings(confirm=confirm)), InProcessRobotClient(), me=me)
        self.replay_screen = PageScreen(ReplayPage(self.context, path, number, step, player, as_open))

    @property
    def started_sessions(self):
        return [about[0] for name, *about in self.context.requests if name == "sit down"]

    def on_mount(self):
        self.push_screen(self.replay_screen)

    @property
    def state(self):
        return self.replay_screen.page.model


def save_journal(played, folder, people=("Anna",), robots=()):
    """Save a session with people in its first seats; return the path."""
    names = [*people, *robots, "Bo", "Cy", "Dee", "Eve", "Fay"]
    seats = [
        Occupant(name, None if seat < len(people) else "steady")
        for seat, name in enumerate(names[: len(played.header.seats)])
    ]
    header = msgspec.structs.replace(played.header, id="one", seats=tuple(seats))
    path = folder / "one.jsonl"
    path.write_bytes(journal.encode(header, played.lines))
    return path


def save_robot_session(key, folder, rounds=3, seats=4, seed=3, **options):
    return save_journal(
        RecordedSession(key, seats, seed, "steady", **options).play_through_round(rounds), folder, (), ("Ada",)
    )


class ReplayDriver(Driver[Host]):
    """Person who replays a session."""

    @property
    def state(self):
        return self.app.state

    @property
    def at(self):
        """Number of the part, and of the steps in it."""
        return self.state.playhead.part.number, self.state.playhead.stop.done

    @property
    def panel(self):
        """Words of the panel."""
        return " ".join(" ".join(row[57:] for row in self.rows).split())

    async def is_in_round(self, number):
        """Wait until this round is replayed."""
        await self.wait_until(lambda: self.state.round.number == number)


@asynccontextmanager
async def open_replay(*arguments, size=SMALL, **options):
    """Open a replay and wait until it is loaded; the arguments are those of the host."""
    app = Host(*arguments, **options)
    async with app.run_test(size=size) as pilot:
        replay = ReplayDriver(app, pilot)
        await replay.wait_until(lambda: app.state is not None or app.replay_screen.page.load_error)
        yield replay


GOLDEN = [
    ("rikiki", 4, 7, "down " * 4 + "right " * 3, {"length": "short"}),
    ("king", 4, 2, "down " * 6 + "right v", {}),
    ("gurka", 6, 1, "down " * 3 + "right right", {}),
    ("bridge", 3, 1, "down " * 5 + "v", {}),
    ("rummy", 2, 1, "down " * 9 + "right v", {}),
    ("ten_down", 2, 2, "down right", {"room": 5}),
    ("rifki", 4, 3, "end", {}),
]


@pytest.mark.parametrize(("key", "seats", "rounds", "keys", "options"), GOLDEN, ids=[case[0] for case in GOLDEN])
async def test_replay_golden(key, seats, rounds, keys, options, tmp_path):
    async with open_replay(save_robot_session(key, tmp_path, rounds, seats, **options), rounds) as screen:
        await screen.press(keys)
        await screen.check_golden_in_sizes(f"replay_{key}")


@pytest.mark.parametrize("key", KEYS)
async def test_replay_of_unplayed_round(key, tmp_path):
    """Every key works while at most two steps followed the deal."""
    played = RecordedSession(key, USUAL_SEATS[key], 1, "steady")
    while not played.table.playing:
        played.advance_or_play()
    for steps, size in enumerate(SIZES):
        async with open_replay(save_journal(played.play_steps(steps and 1), tmp_path, ()), size=size) as screen:
            await screen.press(*EVERY_KEY)
            assert screen.state is not None
            assert screen.state.round.number == 1


async def test_keys_move_by_card_trick_and_round(tmp_path):
    async with open_replay(save_robot_session("gurka", tmp_path), 2) as screen:
        await screen.press("left")
        await screen.is_in_round(1)
        assert screen.state.playhead.position == len(screen.state.playhead.stops) - 1, (
            "Left at the beginning goes to the end of the previous round"
        )
        await screen.press("right")
        await screen.is_in_round(2)
        assert screen.state.playhead.position == 0
        await screen.press("down down left")
        assert screen.at == (2, 3)
        await screen.press("end down")
        await screen.is_in_round(3)
        await screen.press("end right down")
        assert screen.state.round.number == 3, "there is no next round"
        await screen.press("home up")
        await screen.is_in_round(2)
        await screen.press("pageup pageup pageup")
        await screen.is_in_round(1)
        assert screen.state.playhead.position == 0


async def test_typed_number_opens_round(tmp_path):
    async with open_replay(save_robot_session("rikiki", tmp_path, rounds=12)) as screen:
        await screen.press("1 1")
        await screen.sees("to round 11 of 12")
        await screen.press("enter")
        await screen.is_in_round(11)
        for pressed, missing in (("9 9 enter", 99), ("0 enter", 0), ("end pagedown pagedown", 13)):
            await screen.press(*pressed.split())
            notice = f"There is no round {missing} to replay; there are 12 rounds."
            await screen.wait_until(lambda notice=notice: notice in screen.notices)
        await screen.is_in_round(12)
        await screen.press("4 2 backspace enter")
        await screen.is_in_round(4)
        await screen.press("7 escape")
        assert screen.app.screen is screen.app.replay_screen
        await screen.sees("all hands")
        await screen.press("7 right enter")
        assert screen.state.round.number == 4, "another key clears the typed number"
        await screen.press("1 enter")
        await screen.is_in_round(1)


async def test_autoplay_runs_over_all_rounds_and_space_stops(tmp_path, monkeypatch):
    monkeypatch.setattr("cardtable.ui.replay.SPEEDS", (0.001, 0.001, 0.001, 0.001, 0.001))
    async with open_replay(save_robot_session("gurka", tmp_path, rounds=2)) as screen:
        await screen.press("space")
        await screen.wait_until(
            lambda: (
                screen.state.round.number == 2 and screen.state.playhead.next_step is None and not screen.state.running
            )
        )
        await screen.press("home space space")
        at = screen.state.playhead.position
        await asyncio.sleep(0.02)
        await screen.pilot.pause()
        assert screen.state.playhead.position == at


async def test_explanation_of_next_step_needs_visible_cards(tmp_path):
    async with open_replay(save_robot_session("gurka", tmp_path)) as screen:
        while len(screen.state.step.view.legal) < 2 or screen.state.step.seat == 0:
            await screen.press("right")
        name = screen.state.names[screen.state.step.seat]
        await screen.press("w")
        await screen.sees(f"{name} played ")
        await screen.press("w")
        assert not screen.state.explanation
        await screen.press("v w")
        assert screen.state.visible_seat == 0
        assert "you do not see that hand now" in " ".join(screen.state.explanation)
        await screen.press("right")
        assert not screen.state.explanation
        await screen.press("v v v v end w")
        await screen.sees("The round is over here")


async def test_session_in_progress_shows_finished_rounds_only(tmp_path):
    path = save_journal(RecordedSession("gurka", 4, 3, "steady").play_through_round(2).play_steps(9), tmp_path)
    async with open_replay(path, 2) as screen:
        await screen.sees("round 2 of 2", " You ")
        await screen.press("pagedown 9 enter end right")
        assert screen.state.round.number == 2
    async with open_replay(path, 3, as_open=True) as screen:
        await screen.press("end")
        assert screen.state.round.score is None
        assert screen.state.playhead.stop.step_count == 8


@pytest.mark.parametrize("steps", [0, 7])
async def test_no_replay_before_first_round_ends(steps, tmp_path):
    path = save_journal(RecordedSession("gurka", 4).play_steps(steps), tmp_path)
    async with open_replay(path, size=TINY) as screen:
        await screen.reads("no round is over")
        await screen.press("right space v w g 1 pagedown ? x")
        await screen.reads("no round is over")
        await screen.press("escape")
        assert screen.app.screen is not screen.app.replay_screen


async def test_session_lost_on_time_is_replayable_to_its_end(tmp_path):
    played = RecordedSession("rummy", 2, 3, "steady", clock=10).play_steps(9)
    played.table.forfeit(played.table.turn, "clock")
    async with open_replay(save_journal(played, tmp_path)) as screen:
        await screen.press("end")
        assert screen.state.round.score is None
        assert screen.state.playhead.stop.step_count == 8
        assert not screen.state.can_continue
        await screen.press("left")
        assert screen.state.can_continue


async def test_unreadable_replay_shows_reason(tmp_path):
    damaged = save_robot_session("gurka", tmp_path)
    damaged.write_bytes(damaged.read_bytes().replace(b"play", b"pray", 1))
    for path, reason in ((tmp_path / "none.jsonl", "No such file"), (damaged, "checksum")):
        async with open_replay(path) as screen:
            await screen.reads(reason)


@pytest.mark.parametrize(
    ("number", "player", "text"),
    [(77, "", "there is no round 77"), (1, "Eve", "nobody called 'Eve'"), (1, "2", "Cy's view")],
)
async def test_replay_opens_at_round_and_player(number, player, text, tmp_path):
    async with open_replay(save_robot_session("gurka", tmp_path), number, player=player) as screen:
        await screen.sees(text)


async def test_talk_and_take_backs_appear_at_their_moment(tmp_path):
    played = RecordedSession("gurka", 4, 3, "steady").play_steps(6)
    played.table.say("well [b]played[/b]\x1b[2J", 2)
    played.advance_or_play()
    played.table.undo(1)
    async with open_replay(save_journal(played.play_through_round(1), tmp_path)) as screen:
        await screen.press("right " * 5)
        assert "Cy says: well [b]played[/b]" in screen.panel
        assert "Move undone." in screen.panel
        await screen.press("right")
        assert "Move undone." not in screen.text


async def test_continue_starts_session_with_robots_in_other_seats(tmp_path):
    path = save_journal(RecordedSession("gurka", 4, 3, "steady").play_through_round(2), tmp_path, ("Anna", "Bob"))
    before = path.read_bytes()
    async with open_replay(path, 2) as screen:
        await screen.press("down down right g")
        await screen.is_at(Dialog)
        await screen.press("escape")
        await screen.wait_until(lambda: screen.app.screen is screen.app.replay_screen)
        assert not screen.app.started_sessions
        view = screen.state.playhead.stop.views[1]
        await screen.press("v v g")
        await screen.is_at(Dialog)
        await screen.press("enter")
        await screen.wait_until(lambda: screen.app.started_sessions)
        (session,) = screen.app.started_sessions
    assert path.read_bytes() == before
    assert session.header.origin.id == "one"
    assert session.header.people == [1]
    assert [occupant.name for occupant in session.header.seats] == ["Ada", "Anna", "Bo", "Cy"]
    assert session.referee.view(1) == view
    table = session.referee
    while not table.ended:
        if table.turn < 0:
            table.advance()
        else:
            table.play(table.turn, table.view(table.turn).legal[0])
    session.close()
    summary = summaries.summarize(session.path)
    assert (summary.path.parent, summary.state) == (paths.archive_folder(), "over")
    assert not summary.is_rated


async def test_hostile_names_are_neutralised(tmp_path):
    played = RecordedSession("rikiki", 4, 3, "steady").play_through_round(1)
    path = save_journal(played, tmp_path, (HOSTILE,), ("\x9b31m", "名前名前名前名前", "a" * 300))
    for size in SIZES:
        async with open_replay(path, size=size) as screen:
            await screen.press("down right v w ? x g")
            assert not {"\x1b", "\x9b", "\u202e"} & set(screen.text)


@pytest.fixture
def nearly_over(tmp_path):
    """Return a session whose last decision is not made yet."""
    played = RecordedSession("gurka", 4, 3, "steady")
    while not played.table.ended:
        played.advance_or_play()
    own = [i for i, line in enumerate(played.lines) if isinstance(line, ActionLine) and line.seat == 0]
    del played.lines[own[-1] :]
    return sessions.fork(save_journal(played, tmp_path))


async def test_replay_opens_from_last_deal_and_session_end(nearly_over):
    async with start_program(nearly_over, robot_pace=0, trick_pause=0, round_pause=0, key_guard=0) as screen:
        table = screen.app.screen
        await screen.wait_until(lambda: table.frame.scores)
        await screen.press("d")
        await screen.wait_until(lambda: table.view.overlay)
        await screen.press("down down right")
        cursor = table.view.overlay.cursor
        await screen.press("enter")
        await screen.is_at(ReplayPage)
        await screen.wait_until(lambda: screen.page.model)
        state = screen.page.model
        assert (state.round.number, state.step.decisions) == (cursor.round.number, cursor.step.decisions)
        await screen.press("escape")
        await screen.is_at(TableScreen)
        await screen.press("escape r")
        assert screen.app.screen is table, "the replay opens only at the end of the session"
        while table.frame.stage is not Stage.SESSION_END:
            await screen.wait_until(lambda: table.frame.waiting or table.frame.stage is Stage.SESSION_END)
            if table.frame.waiting:
                table.controller.submit(table.frame.view.legal[0])
                await screen.pilot.pause(0.05)
        await screen.press("r")
        await screen.is_at(ReplayPage)
        await screen.wait_until(lambda: screen.page.model)
        assert screen.page.model.round.number == 1
        assert "replay" in [key.name for key in TABLE.keys if table.is_enabled(key)]
        await screen.press("escape")
        await screen.is_at(TableScreen)
        await screen.press("e")
        await screen.is_at(ReviewPage)


async def test_abandoned_session_is_replayed_and_marked():
    paths.create_folder(paths.archive_folder())
    played = RecordedSession("rikiki", 4, 3, "steady", length="short").play_through_round(2).play_steps(4)
    async with open_replay(save_journal(played, paths.archive_folder()), 3) as screen:
        await screen.sees("round 3 of 3, abandoned")
        await screen.press("end")
        assert screen.state.can_continue, "an abandoned session has an undecided position"


# --- playhead of a replay


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
