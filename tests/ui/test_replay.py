"""Replay page: keys and mouse, other rounds, one seat's view, explanations, new session from a moment."""

import asyncio

import msgspec
import pytest
from textual.app import App

from cardtable.engine import journal
from cardtable.engine.journal import ActionLine, Occupant
from cardtable.games import KEYS
from cardtable.session.session_events import Stage
from cardtable.store import paths, sessions, summaries
from cardtable.store.settings import Settings
from cardtable.ui.app import CardtableApp
from cardtable.ui.keys.table_keys import TABLE
from cardtable.ui.replay import ReplayPage, create_screen
from cardtable.ui.review import ReviewPage
from cardtable.ui.table.screen import TableScreen
from cardtable.ui.toolkit.dialog import Dialog
from cardtable.ui.toolkit.preferences import Preferences
from tests import golden_files
from tests.every_game import USUAL_SEATS
from tests.session.test_round_replay import RecordedSession
from tests.ui.current_screen import is_shown
from tests.ui.recording_context import RecordingContext
from tests.ui.screen_text import list_notices, screen_text
from tests.ui.table_host import InProcessRobotClient, wait_until

SIZES = [(80, 24), (120, 40), (60, 18)]
EVERY_KEY = ["right", "left", "down", "up", "end", "home", "pagedown", "pageup", *"vvw", "space", "escape", "enter"]
HOSTILE = "[b]\x1b[31mX\u202e"


class Host(App[None]):
    """App that shows one replay."""

    def __init__(self, path, number=1, step=None, me="Anna", player="", confirm=True, as_open=False):
        super().__init__()
        self.context = RecordingContext(self, Preferences(Settings(confirm=confirm)), InProcessRobotClient(), me=me)
        self.replay_screen = create_screen(self.context, path, number, step, player, as_open)

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


async def wait_until_loaded(pilot, app):
    await wait_until(pilot, lambda: app.state is not None or app.replay_screen.page.load_error)
    await pilot.pause()


async def wait_for_round(pilot, app, number):
    await wait_until(pilot, lambda: app.state.round.number == number)
    await pilot.pause()


GOLDEN = [
    ("rikiki", 4, 7, ["down"] * 4 + ["right"] * 3, {"length": "short"}),
    ("king", 4, 2, ["down"] * 6 + ["right", "v"], {}),
    ("gurka", 6, 1, ["down"] * 3 + ["right"] * 2, {}),
    ("bridge", 3, 1, ["down"] * 5 + ["v"], {}),
    ("rummy", 2, 1, ["down"] * 9 + ["right", "v"], {}),
    ("ten_down", 2, 2, ["down", "right"], {"room": 5}),
    ("rifki", 4, 3, ["end"], {}),
]


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize(("key", "seats", "rounds", "keys", "options"), GOLDEN, ids=[case[0] for case in GOLDEN])
async def test_replay_golden(key, seats, rounds, keys, options, size, tmp_path):
    app = Host(save_robot_session(key, tmp_path, rounds, seats, **options), rounds)
    async with app.run_test(size=size) as pilot:
        await wait_until_loaded(pilot, app)
        await pilot.press(*keys)
        golden_files.check_golden(f"replay_{key}_{size[0]}x{size[1]}.txt", screen_text(app))


@pytest.mark.parametrize("key", KEYS)
async def test_replay_of_unplayed_round(key, tmp_path):
    """Every key works at every size while at most two steps followed the deal."""
    played = RecordedSession(key, USUAL_SEATS[key], 1, "steady")
    while not played.table.playing:
        played.advance_or_play()
    for steps in range(3):
        app = Host(save_journal(played.play_steps(steps and 1), tmp_path, ()))
        async with app.run_test(size=(80, 24)) as pilot:
            await wait_until_loaded(pilot, app)
            for size in SIZES:
                await pilot.resize_terminal(*size)
                await pilot.press(*EVERY_KEY)
                await pilot.pause()
            assert app.state is not None
            assert app.state.round.number == 1


async def test_keys_move_by_card_trick_and_round(tmp_path):
    app = Host(save_robot_session("gurka", tmp_path), 2)
    async with app.run_test(size=(80, 24)) as pilot:
        await wait_until_loaded(pilot, app)
        await pilot.press("left")
        await wait_for_round(pilot, app, 1)
        assert app.state.playhead.position == len(app.state.playhead.stops) - 1, (
            "Left at the beginning goes to the end of the previous round"
        )
        await pilot.press("right")
        await wait_for_round(pilot, app, 2)
        assert app.state.playhead.position == 0
        await pilot.press("down", "down", "left")
        assert (app.state.playhead.part.number, app.state.playhead.stop.done) == (2, 3)
        await pilot.press("end", "down")
        await wait_for_round(pilot, app, 3)
        await pilot.press("end", "right", "down")
        await pilot.pause()
        assert app.state.round.number == 3, "there is no next round"
        await pilot.press("home", "up")
        await wait_for_round(pilot, app, 2)
        await pilot.press("pageup", "pageup", "pageup")
        await wait_for_round(pilot, app, 1)
        assert app.state.playhead.position == 0


async def test_typed_number_opens_round(tmp_path):
    app = Host(save_robot_session("rikiki", tmp_path, rounds=12))
    async with app.run_test(size=(80, 24)) as pilot:
        await wait_until_loaded(pilot, app)
        await pilot.press("1", "1")
        assert "to round 11 of 12" in screen_text(app)
        await pilot.press("enter")
        await wait_for_round(pilot, app, 11)
        for pressed, missing in (("9 9 enter", 99), ("0 enter", 0), ("end pagedown pagedown", 13)):
            await pilot.press(*pressed.split())
            notice = f"There is no round {missing} to replay; there are 12 rounds."
            await wait_until(pilot, lambda notice=notice: notice in list_notices(app))
        await wait_for_round(pilot, app, 12)
        await pilot.press("4", "2", "backspace", "enter")
        await wait_for_round(pilot, app, 4)
        await pilot.press("7", "escape")
        assert app.screen is app.replay_screen
        assert "all hands" in screen_text(app)
        await pilot.press("7", "right", "enter")
        await pilot.pause()
        assert app.state.round.number == 4, "another key clears the typed number"
        await pilot.press("1", "enter")
        await wait_for_round(pilot, app, 1)


async def test_autoplay_runs_over_all_rounds_and_space_stops(tmp_path, monkeypatch):
    monkeypatch.setattr("cardtable.ui.replay.SPEEDS", (0.001, 0.001, 0.001, 0.001, 0.001))
    app = Host(save_robot_session("gurka", tmp_path, rounds=2))
    async with app.run_test(size=(80, 24)) as pilot:
        await wait_until_loaded(pilot, app)
        await pilot.press("space")
        await wait_until(
            pilot,
            lambda: app.state.round.number == 2 and app.state.playhead.next_step is None and not app.state.running,
        )
        await pilot.press("home", "space", "space")
        at = app.state.playhead.position
        await asyncio.sleep(0.02)
        await pilot.pause()
        assert app.state.playhead.position == at


async def test_plus_minus_and_mouse_change_speed_and_view(tmp_path):
    app = Host(save_robot_session("gurka", tmp_path))
    async with app.run_test(size=(80, 24)) as pilot:
        await wait_until_loaded(pilot, app)
        assert "‹   1 s  ›" in screen_text(app)
        await pilot.press("+")
        assert "‹  0.5 s ›" in screen_text(app)
        y = next(y for y, line in enumerate(screen_text(app).split("\n")) if "Speed" in line)
        await pilot.click(offset=(67, y))
        await pilot.click(offset=(67, y))
        assert "‹   2 s  ›" in screen_text(app)
        await pilot.click(offset=(75, y + 2))
        assert "Ada's view" in screen_text(app)
        await pilot.press("v", "v", "v", "v")
        assert "all hands" in screen_text(app)


async def test_mouse_selects_trick_and_card(tmp_path):
    app = Host(save_robot_session("gurka", tmp_path))
    async with app.run_test(size=(80, 24)) as pilot:
        await wait_until_loaded(pilot, app)
        await pilot.click(offset=(3 + 4 * 4, 21))
        assert (app.state.playhead.part.number, app.state.playhead.stop.done) == (5, 4)
        y = next(y for y, line in enumerate(screen_text(app).split("\n")) if line[57:].startswith("  2 "))
        await pilot.click(offset=(67, y))
        assert (app.state.playhead.part.number, app.state.playhead.stop.done) == (2, 2)
        app.replay_screen.page.on_wheel(1, 0)
        assert (app.state.playhead.part.number, app.state.playhead.stop.done) == (2, 4)
        await pilot.click(offset=(2, 23))
        assert app.state.playhead.stop.done in (1, 3), "a click on a key of the footer has its effect"


async def test_explanation_of_next_step_needs_visible_cards(tmp_path):
    app = Host(save_robot_session("gurka", tmp_path))
    async with app.run_test(size=(80, 24)) as pilot:
        await wait_until_loaded(pilot, app)
        while len(app.state.step.view.legal) < 2 or app.state.step.seat == 0:
            await pilot.press("right")
        name = app.state.names[app.state.step.seat]
        await pilot.press("w")
        await wait_until(pilot, lambda: f"{name} chose" in screen_text(app))
        await pilot.press("w")
        assert not app.state.explanation
        await pilot.press("v", "w")
        assert app.state.visible_seat == 0
        assert "you do not see that hand now" in " ".join(app.state.explanation)
        await pilot.press("right")
        assert not app.state.explanation
        await pilot.press("v", "v", "v", "v", "end", "w")
        assert "The round is over here" in screen_text(app)


async def test_escape_closes_one_layer_at_a_time(tmp_path):
    app = Host(save_robot_session("gurka", tmp_path))
    async with app.run_test(size=(80, 24)) as pilot:
        await wait_until_loaded(pilot, app)
        while len(app.state.step.view.legal) < 2:
            await pilot.press("right")
        text = screen_text(app)
        await pilot.press("w")
        await wait_until(pilot, lambda: " chose" in screen_text(app))
        await pilot.press("1", "escape")
        assert " chose" in screen_text(app)
        assert not app.state.typed
        await pilot.press("escape")
        assert screen_text(app) == text
        await pilot.press("escape")
        await wait_until(pilot, lambda: app.screen is not app.replay_screen)


async def test_session_in_progress_shows_finished_rounds_only(tmp_path):
    path = save_journal(RecordedSession("gurka", 4, 3, "steady").play_through_round(2).play_steps(9), tmp_path)
    app = Host(path, 2)
    async with app.run_test(size=(80, 24)) as pilot:
        await wait_until_loaded(pilot, app)
        assert "round 2 of 2" in screen_text(app)
        assert " You " in screen_text(app)
        await pilot.press("pagedown", "9", "enter", "end", "right")
        await pilot.pause()
        assert app.state.round.number == 2
    opened = Host(path, 3, as_open=True)
    async with opened.run_test(size=(80, 24)) as pilot:
        await wait_until_loaded(pilot, opened)
        await pilot.press("end")
        assert opened.state.round.score is None
        assert opened.state.playhead.stop.step_count == 8


@pytest.mark.parametrize("steps", [0, 7])
async def test_no_replay_before_first_round_ends(steps, tmp_path):
    app, reason = Host(save_journal(RecordedSession("gurka", 4).play_steps(steps), tmp_path)), "no round is over"
    async with app.run_test(size=(60, 18)) as pilot:
        await wait_until_loaded(pilot, app)
        assert reason in " ".join(screen_text(app).split())
        await pilot.press("right", "space", "v", "w", "g", "1", "pagedown", "?", "x")
        assert reason in " ".join(screen_text(app).split())
        await pilot.press("escape")
        assert app.screen is not app.replay_screen


async def test_session_lost_on_time_is_replayable_to_its_end(tmp_path):
    played = RecordedSession("rummy", 2, 3, "steady", clock=10).play_steps(9)
    played.table.forfeit(played.table.turn, "clock")
    app = Host(save_journal(played, tmp_path))
    async with app.run_test(size=(80, 24)) as pilot:
        await wait_until_loaded(pilot, app)
        await pilot.press("end")
        assert app.state.round.score is None
        assert app.state.playhead.stop.step_count == 8
        assert not app.state.can_continue
        await pilot.press("left")
        assert app.state.can_continue


async def test_unreadable_replay_shows_reason(tmp_path):
    damaged = save_robot_session("gurka", tmp_path)
    damaged.write_bytes(damaged.read_bytes().replace(b"play", b"pray", 1))
    for path, reason in ((tmp_path / "none.jsonl", "No such file"), (damaged, "checksum")):
        app = Host(path)
        async with app.run_test(size=(80, 24)) as pilot:
            await wait_until_loaded(pilot, app)
            assert reason in " ".join(screen_text(app).split())
    good = save_robot_session("gurka", tmp_path)
    for app, reason in ((Host(good, 77), "there is no round 77"), (Host(good, player="Eve"), "nobody called 'Eve'")):
        async with app.run_test(size=(80, 24)) as pilot:
            await wait_until_loaded(pilot, app)
            assert reason in screen_text(app)
    app = Host(good, player="2")
    async with app.run_test(size=(80, 24)) as pilot:
        await wait_until_loaded(pilot, app)
        assert "Cy's view" in screen_text(app)


async def test_talk_and_take_backs_appear_at_their_moment(tmp_path):
    played = RecordedSession("gurka", 4, 3, "steady").play_steps(6)
    played.table.say("well [b]played[/b]\x1b[2J", 2)
    played.advance_or_play()
    played.table.undo(1)
    path = save_journal(played.play_through_round(1), tmp_path)
    app = Host(path)
    async with app.run_test(size=(80, 24)) as pilot:
        await wait_until_loaded(pilot, app)
        await pilot.press(*["right"] * 5)
        text = " ".join(" ".join(line[57:] for line in screen_text(app).split("\n")).split())
        assert "Cy says: well [b]played[/b]" in text
        assert "Move undone." in text
        await pilot.press("right")
        assert "Move undone." not in screen_text(app)


async def test_talk_of_a_spectator_names_them_once(tmp_path):
    played = RecordedSession("gurka", 4, 3, "steady").play_steps(6)
    played.table.say("Kay: well played")
    app = Host(save_journal(played.play_through_round(1), tmp_path))
    async with app.run_test(size=(80, 24)) as pilot:
        await wait_until_loaded(pilot, app)
        await pilot.press(*["right"] * 5)
        text = " ".join(" ".join(line[57:] for line in screen_text(app).split("\n")).split())
        assert "Spectator Kay says: well played" in text


async def test_continue_starts_session_with_robots_in_other_seats(tmp_path):
    path = save_journal(RecordedSession("gurka", 4, 3, "steady").play_through_round(2), tmp_path, ("Anna", "Bob"))
    before = path.read_bytes()
    app = Host(path, 2)
    async with app.run_test(size=(80, 24)) as pilot:
        await wait_until_loaded(pilot, app)
        await pilot.press("down", "down", "right", "g")
        await wait_until(pilot, lambda: isinstance(app.screen, Dialog))
        await pilot.press("escape")
        await wait_until(pilot, lambda: app.screen is app.replay_screen)
        assert not app.started_sessions
        view = app.state.playhead.stop.views[1]
        await pilot.press("v", "v", "g")
        await wait_until(pilot, lambda: isinstance(app.screen, Dialog))
        await pilot.press("enter")
        await wait_until(pilot, lambda: app.started_sessions)
        (session,) = app.started_sessions
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


@pytest.mark.parametrize(("key", "seats"), [("king", 4), ("bridge", 3), ("rummy", 2), ("ten_down", 4)])
async def test_continue_from_every_moment_of_round(key, seats, tmp_path):
    app = Host(save_robot_session(key, tmp_path, 1, seats), confirm=False)
    async with app.run_test(size=(80, 24)) as pilot:
        await wait_until_loaded(pilot, app)
        moments = len(app.state.playhead.stops)
        for at in (0, moments // 3, moments // 2, moments - 2, moments - 1):
            app.state.playhead.position = at
            stop = app.state.playhead.stop
            await pilot.press("g")
            if not app.state.can_continue:
                await pilot.pause()
                assert not app.started_sessions
                continue
            await wait_until(pilot, lambda: app.started_sessions)
            session = app.context.requests.pop()[1]
            seen = session.referee.view(app.state.bottom_seat)
            assert seen.hand == app.state.round.get_views_after(stop.step_count)[app.state.bottom_seat].hand
            assert seen.round == 1
            session.close()


async def test_hostile_names_are_neutralised(tmp_path):
    played = RecordedSession("rikiki", 4, 3, "steady").play_through_round(1)
    path = save_journal(played, tmp_path, (HOSTILE,), ("\x9b31m", "名前名前名前名前", "a" * 300))
    for size in SIZES:
        async with Host(path).run_test(size=size) as pilot:
            app = pilot.app
            await wait_until_loaded(pilot, app)
            await pilot.press("down", "right", "v", "w", "?", "x", "g")
            text = screen_text(app)
            assert "\x1b" not in text
            assert "\x9b" not in text
            assert "\u202e" not in text


async def test_key_sheet_and_resizing(tmp_path):
    app = Host(save_robot_session("king", tmp_path, 1))
    async with app.run_test(size=(80, 24)) as pilot:
        await wait_until_loaded(pilot, app)
        await pilot.press("?")
        assert "in the replay" in screen_text(app)
        assert "play from here" in screen_text(app)
        await pilot.press("x", "down", "down")
        for size in ((200, 60), (110, 36), (79, 24), (60, 18), (20, 5), (80, 24)):
            await pilot.resize_terminal(*size)
            await pilot.pause()
        assert "Trick 1" in screen_text(app)


async def test_leave_while_loading(tmp_path):
    app = Host(save_robot_session("rikiki", tmp_path, 12))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("escape")
        await wait_until(pilot, lambda: app.screen is not app.replay_screen)


async def wait_for_page(pilot, app, kind):
    await wait_until(pilot, lambda: is_shown(app, kind))
    await pilot.pause()


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
    app = CardtableApp(Preferences(Settings(robot_pace=0, trick_pause=0, round_pause=0, key_guard=0)), nearly_over)
    async with app.run_test(size=(80, 24)) as pilot:
        await wait_for_page(pilot, app, TableScreen)
        table = app.screen
        await wait_until(pilot, lambda: table.frame.scores)
        await pilot.press("d")
        await wait_until(pilot, lambda: table.view.overlay)
        await pilot.press("down", "down", "right")
        cursor = table.view.overlay.cursor
        await pilot.press("enter")
        await wait_for_page(pilot, app, ReplayPage)
        await wait_until(pilot, lambda: app.screen.page.model)
        state = app.screen.page.model
        assert (state.round.number, state.step.decisions) == (cursor.round.number, cursor.step.decisions)
        await pilot.press("escape")
        await wait_for_page(pilot, app, TableScreen)
        await pilot.press("escape", "r")
        await pilot.pause()
        assert app.screen is table, "the replay opens only at the end of the session"
        while table.frame.stage is not Stage.SESSION_END:
            await wait_until(pilot, lambda: table.frame.waiting or table.frame.stage is Stage.SESSION_END)
            if table.frame.waiting:
                table.controller.submit(table.frame.view.legal[0])
                await pilot.pause(0.05)
        await pilot.press("r")
        await wait_for_page(pilot, app, ReplayPage)
        await wait_until(pilot, lambda: app.screen.page.model)
        assert app.screen.page.model.round.number == 1
        assert "replay" in [key.name for key in TABLE.keys if table.is_enabled(key)]
        await pilot.press("escape")
        await wait_for_page(pilot, app, TableScreen)
        await pilot.press("e")
        await wait_for_page(pilot, app, ReviewPage)


async def test_abandoned_session_is_replayed_and_marked():
    paths.create_folder(paths.archive_folder())
    played = RecordedSession("rikiki", 4, 3, "steady", length="short").play_through_round(2).play_steps(4)
    app = Host(save_journal(played, paths.archive_folder()), 3)
    async with app.run_test(size=(80, 24)) as pilot:
        await wait_until_loaded(pilot, app)
        assert "round 3 of 3, abandoned" in screen_text(app)
        await pilot.press("end")
        await pilot.pause()
        assert app.state.can_continue, "an abandoned session has an undecided position"


async def test_round_shows_names_of_its_occupants(tmp_path):
    played = RecordedSession("rikiki", 4, 3, "steady", length="short").play_through_round(1)
    played.table.change_occupant(1, Occupant("Max", "novice"))
    app = Host(save_journal(played.play_through_round(2), tmp_path, (), ("Ada",)), 1, me="Guest")
    async with app.run_test(size=(120, 40)) as pilot:
        await wait_until_loaded(pilot, app)
        assert app.state.names[1] == "Bo"
        await pilot.press("pagedown")
        await wait_for_round(pilot, app, 2)
        assert app.state.names[1] == "Max"
        assert "Max, a novice robot, takes" in screen_text(app)
