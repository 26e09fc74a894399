"""Replay page: keys and mouse, other rounds, one seat's view, explanations, new session from a moment."""

import asyncio

import msgspec
import pytest
from textual.app import App

from cardtable.engine import journal
from cardtable.engine.journal import Occupant
from cardtable.games import KEYS
from cardtable.session.session_events import Stage
from cardtable.store import paths, sessions, summaries
from cardtable.store.settings import Settings
from cardtable.ui.app import CardtableApp
from cardtable.ui.replay.screen import ReplayPage, create_screen
from cardtable.ui.review.screen import ReviewPage
from cardtable.ui.table.screen import TableScreen
from cardtable.ui.toolkit.dialog import Dialog
from cardtable.ui.toolkit.keys.bindings import TABLE
from cardtable.ui.toolkit.preferences import Preferences
from tests import golden_files
from tests.every_game import SEATS
from tests.session.test_round_replay import Played
from tests.ui.rooms import AskedRoom
from tests.ui.screen_text import list_notices, screen_text
from tests.ui.shown import shows
from tests.ui.table_host import AtOnce, until

SIZES = [(80, 24), (120, 40), (60, 18)]
EVERY_KEY = ["right", "left", "down", "up", "end", "home", "pagedown", "pageup", *"vvw", "space", "escape", "enter"]
HOSTILE = "[b]\x1b[31mX\u202e"


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("CARDTABLE_HOME", str(tmp_path / "home"))


class Host(App[None]):
    """App that shows one replay."""

    def __init__(self, path, number=1, step=None, me="Anna", who="", confirm=True, as_open=False):
        super().__init__()
        self.context = AskedRoom(self, Preferences(Settings(confirm=confirm)), AtOnce(), me=me)
        self.opened = create_screen(self.context, path, number, step, who, as_open)

    @property
    def begun(self):
        return [about[0] for way, *about in self.context.asked if way == "sit down"]

    def on_mount(self):
        self.push_screen(self.opened)

    @property
    def it(self):
        return self.opened.page.state


def kept(played, folder, people=("Anna",), robots=()):
    """Save a session with people in its first seats; return the path."""
    names = [*people, *robots, "Bo", "Cy", "Dee", "Eve", "Fay"]
    seats = [
        Occupant(name, None if seat < len(people) else "steady")
        for seat, name in enumerate(names[: len(played.header.seats)])
    ]
    header = msgspec.structs.replace(played.header, id="one", seats=tuple(seats))
    path = folder / "one.jsonl"
    path.write_bytes(journal.encode([header, *played.lines]))
    return path


def robots_only(key, folder, rounds=3, seats=4, seed=3, **options):
    return kept(Played(key, seats, seed, "steady", **options).to(rounds), folder, (), ("Ada",))


async def shown(pilot, app):
    await until(pilot, lambda: app.it is not None or app.opened.page._trouble)
    await pilot.pause()


async def at_round(pilot, app, number):
    await until(pilot, lambda: app.it.round.number == number)
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
async def test_the_replay_looks_as_drawn(key, seats, rounds, keys, options, size, tmp_path):
    app = Host(robots_only(key, tmp_path, rounds, seats, **options), rounds)
    async with app.run_test(size=size) as pilot:
        await shown(pilot, app)
        await pilot.press(*keys)
        golden_files.check(f"replay_{key}_{size[0]}x{size[1]}.txt", screen_text(app))


@pytest.mark.parametrize("key", KEYS)
async def test_replay_of_unplayed_round(key, tmp_path):
    """Every key works at every size while at most two steps followed the deal."""
    played = Played(key, SEATS[key], 1, "steady")
    while not played.table.playing:
        played.step()
    for steps in range(3):
        app = Host(kept(played.on(steps and 1), tmp_path, ()))
        async with app.run_test(size=(80, 24)) as pilot:
            await shown(pilot, app)
            for size in SIZES:
                await pilot.resize_terminal(*size)
                await pilot.press(*EVERY_KEY)
                await pilot.pause()
            assert app.it is not None
            assert app.it.round.number == 1


@pytest.mark.promise(
    "Archive, replay, review and export", "A replay moves by card, trick and round, and can run by itself."
)
async def test_keys_go_by_card_trick_and_round_also_over_the_ends(tmp_path):
    app = Host(robots_only("gurka", tmp_path), 2)
    async with app.run_test(size=(80, 24)) as pilot:
        await shown(pilot, app)
        await pilot.press("left")
        await at_round(pilot, app, 1)
        assert app.it.playhead.position == len(app.it.playhead.stops) - 1, (
            "one back from the beginning is the end of the round before"
        )
        await pilot.press("right")
        await at_round(pilot, app, 2)
        assert app.it.playhead.position == 0
        await pilot.press("down", "down", "left")
        assert (app.it.playhead.part.number, app.it.playhead.stop.done) == (2, 3)
        await pilot.press("end", "down")
        await at_round(pilot, app, 3)
        await pilot.press("end", "right", "down")
        await pilot.pause()
        assert app.it.round.number == 3, "there is no more"
        await pilot.press("home", "up")
        await at_round(pilot, app, 2)
        await pilot.press("pageup", "pageup", "pageup")
        await at_round(pilot, app, 1)
        assert app.it.playhead.position == 0


async def test_a_number_and_enter_is_that_round(tmp_path):
    app = Host(robots_only("rikiki", tmp_path, rounds=12))
    async with app.run_test(size=(80, 24)) as pilot:
        await shown(pilot, app)
        await pilot.press("1", "1")
        assert "to round 11 of 12" in screen_text(app)
        await pilot.press("enter")
        await at_round(pilot, app, 11)
        for pressed, missing in (("9 9 enter", 99), ("0 enter", 0), ("end pagedown pagedown", 13)):
            await pilot.press(*pressed.split())
            said = f"There is no round {missing} to replay; there are 12 rounds."
            await until(pilot, lambda said=said: said in list_notices(app))
        await at_round(pilot, app, 12)
        await pilot.press("4", "2", "backspace", "enter")
        await at_round(pilot, app, 4)
        await pilot.press("7", "escape")
        assert app.screen is app.opened
        assert "all hands" in screen_text(app)
        await pilot.press("7", "right", "enter")
        await pilot.pause()
        assert app.it.round.number == 4, "what was typed is forgotten by other keys"
        await pilot.press("1", "enter")
        await at_round(pilot, app, 1)


@pytest.mark.promise(
    "Archive, replay, review and export", "A replay moves by card, trick and round, and can run by itself."
)
async def test_it_runs_by_itself_over_all_rounds_and_space_stops_it(tmp_path, monkeypatch):
    monkeypatch.setattr("cardtable.ui.replay.state.SPEEDS", (0.001, 0.001, 0.001, 0.001, 0.001))
    app = Host(robots_only("gurka", tmp_path, rounds=2))
    async with app.run_test(size=(80, 24)) as pilot:
        await shown(pilot, app)
        await pilot.press("space")
        await until(
            pilot, lambda: app.it.round.number == 2 and app.it.playhead.next_step is None and not app.it.running
        )
        await pilot.press("home", "space", "space")
        at = app.it.playhead.position
        await asyncio.sleep(0.02)
        await pilot.pause()
        assert app.it.playhead.position == at


async def test_plus_and_minus_and_the_mouse_change_speed_and_view(tmp_path):
    app = Host(robots_only("gurka", tmp_path))
    async with app.run_test(size=(80, 24)) as pilot:
        await shown(pilot, app)
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


async def test_the_mouse_goes_to_a_trick_of_the_ruler_and_to_a_card_of_the_list(tmp_path):
    app = Host(robots_only("gurka", tmp_path))
    async with app.run_test(size=(80, 24)) as pilot:
        await shown(pilot, app)
        await pilot.click(offset=(3 + 4 * 4, 21))
        assert (app.it.playhead.part.number, app.it.playhead.stop.done) == (5, 4)
        y = next(y for y, line in enumerate(screen_text(app).split("\n")) if line[57:].startswith("  2 "))
        await pilot.click(offset=(67, y))
        assert (app.it.playhead.part.number, app.it.playhead.stop.done) == (2, 2)
        app.opened.page.on_wheel(1, 0)
        assert (app.it.playhead.part.number, app.it.playhead.stop.done) == (2, 4)
        await pilot.click(offset=(2, 23))
        assert app.it.playhead.stop.done in (1, 3), "a key of the footer"


async def test_why_asks_about_what_comes_next_and_not_about_cards_that_are_not_seen(tmp_path):
    app = Host(robots_only("gurka", tmp_path))
    async with app.run_test(size=(80, 24)) as pilot:
        await shown(pilot, app)
        while len(app.it.step.view.legal) < 2 or app.it.step.seat == 0:
            await pilot.press("right")
        name = app.it.names[app.it.step.seat]
        await pilot.press("w")
        await until(pilot, lambda: f"{name} chose" in screen_text(app))
        await pilot.press("w")
        assert not app.it.explanation
        await pilot.press("v", "w")
        assert app.it.visible_seat == 0
        assert "you do not see those cards now" in " ".join(app.it.explanation)
        await pilot.press("right")
        assert not app.it.explanation
        await pilot.press("v", "v", "v", "v", "end", "w")
        assert "The round is over here" in screen_text(app)


async def test_esc_puts_away_one_thing_after_the_other(tmp_path):
    app = Host(robots_only("gurka", tmp_path))
    async with app.run_test(size=(80, 24)) as pilot:
        await shown(pilot, app)
        while len(app.it.step.view.legal) < 2:
            await pilot.press("right")
        text = screen_text(app)
        await pilot.press("w")
        await until(pilot, lambda: " chose" in screen_text(app))
        await pilot.press("1", "escape")
        assert " chose" in screen_text(app)
        assert not app.it.typed
        await pilot.press("escape")
        assert screen_text(app) == text
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is not app.opened)


async def test_while_people_play_finished_rounds_are_seen_and_no_other(tmp_path):
    path = kept(Played("gurka", 4, 3, "steady").to(2).on(9), tmp_path)
    app = Host(path, 2)
    async with app.run_test(size=(80, 24)) as pilot:
        await shown(pilot, app)
        assert "round 2 of 2" in screen_text(app)
        assert " You " in screen_text(app)
        await pilot.press("pagedown", "9", "enter", "end", "right")
        await pilot.pause()
        assert app.it.round.number == 2
    opened = Host(path, 3, as_open=True)
    async with opened.run_test(size=(80, 24)) as pilot:
        await shown(pilot, opened)
        await pilot.press("end")
        assert opened.it.round.score is None
        assert opened.it.playhead.stop.step_count == 8


@pytest.mark.parametrize(
    ("played", "said"),
    [(Played("gurka", 4).on(7), "no round of it is over"), (Played("gurka", 4), "no round of it is over")],
)
async def test_before_a_round_is_over_there_is_nothing_to_be_seen(played, said, tmp_path):
    app = Host(kept(played, tmp_path))
    async with app.run_test(size=(60, 18)) as pilot:
        await shown(pilot, app)
        assert said in " ".join(screen_text(app).split())
        await pilot.press("right", "space", "v", "w", "g", "1", "pagedown", "?", "x")
        assert said in " ".join(screen_text(app).split())
        await pilot.press("escape")
        assert app.screen is not app.opened


async def test_a_session_lost_by_the_clock_is_seen_up_to_there(tmp_path):
    played = Played("rummy", 2, 3, "steady", clock=10).on(9)
    played.table.forfeit(played.table.turn, "clock")
    app = Host(kept(played, tmp_path))
    async with app.run_test(size=(80, 24)) as pilot:
        await shown(pilot, app)
        await pilot.press("end")
        assert app.it.round.score is None
        assert app.it.playhead.stop.step_count == 8
        assert not app.it.can_continue
        await pilot.press("left")
        assert app.it.can_continue


async def test_what_cannot_be_read_is_said_in_words(tmp_path):
    damaged = robots_only("gurka", tmp_path)
    damaged.write_bytes(damaged.read_bytes().replace(b"play", b"pray", 1))
    for path, said in ((tmp_path / "none.jsonl", "No such file"), (damaged, "checksum")):
        app = Host(path)
        async with app.run_test(size=(80, 24)) as pilot:
            await shown(pilot, app)
            assert said in " ".join(screen_text(app).split())
    good = robots_only("gurka", tmp_path)
    for app, said in ((Host(good, 77), "there is no round 77"), (Host(good, who="Eve"), "nobody called 'Eve'")):
        async with app.run_test(size=(80, 24)) as pilot:
            await shown(pilot, app)
            assert said in screen_text(app)
    app = Host(good, who="2")
    async with app.run_test(size=(80, 24)) as pilot:
        await shown(pilot, app)
        assert "Cy's view" in screen_text(app)


async def test_talk_and_what_was_taken_back_are_told_where_they_came(tmp_path):
    played = Played("gurka", 4, 3, "steady").on(6)
    played.table.say("well [b]played[/b]\x1b[2J", 2)
    played.step()
    played.table.undo(1)
    path = kept(played.to(1), tmp_path)
    app = Host(path)
    async with app.run_test(size=(80, 24)) as pilot:
        await shown(pilot, app)
        await pilot.press(*["right"] * 5)
        text = " ".join(" ".join(line[57:] for line in screen_text(app).split("\n")).split())
        assert "Cy says: well [b]played[/b]" in text
        assert "Taken back." in text
        await pilot.press("right")
        assert "Taken back." not in screen_text(app)


@pytest.mark.promise(
    "Archive, replay, review and export", "A new session against robots can be started from any moment of a replay."
)
async def test_on_from_here_is_a_new_session_with_robots_in_all_other_seats(tmp_path):
    path = kept(Played("gurka", 4, 3, "steady").to(2), tmp_path, ("Anna", "Bob"))
    before = path.read_bytes()
    app = Host(path, 2)
    async with app.run_test(size=(80, 24)) as pilot:
        await shown(pilot, app)
        await pilot.press("down", "down", "right", "g")
        await until(pilot, lambda: isinstance(app.screen, Dialog))
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is app.opened)
        assert not app.begun
        view = app.it.playhead.stop.views[1]
        await pilot.press("v", "v", "g")
        await until(pilot, lambda: isinstance(app.screen, Dialog))
        await pilot.press("enter")
        await until(pilot, lambda: app.begun)
        (session,) = app.begun
    assert path.read_bytes() == before
    assert session.header.origin.id == "one"
    assert session.header.people == [1]
    assert [who.name for who in session.header.seats] == ["Ada", "Anna", "Bo", "Cy"]
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


@pytest.mark.promise(
    "Archive, replay, review and export", "A new session against robots can be started from any moment of a replay."
)
@pytest.mark.parametrize(("key", "seats"), [("king", 4), ("bridge", 3), ("rummy", 2), ("ten_down", 4)])
async def test_every_moment_of_a_round_can_be_gone_on_from(key, seats, tmp_path):
    app = Host(robots_only(key, tmp_path, 1, seats), confirm=False)
    async with app.run_test(size=(80, 24)) as pilot:
        await shown(pilot, app)
        moments = len(app.it.playhead.stops)
        for at in (0, moments // 3, moments // 2, moments - 2, moments - 1):
            app.it.playhead.position = at
            stop = app.it.playhead.stop
            await pilot.press("g")
            if not app.it.can_continue:
                await pilot.pause()
                assert not app.begun
                continue
            await until(pilot, lambda: app.begun)
            session = app.context.asked.pop()[1]
            seen = session.referee.view(app.it.bottom_seat)
            assert seen.hand == app.it.round.get_views_after(stop.step_count)[app.it.bottom_seat].hand
            assert seen.round == 1
            session.close()


async def test_hostile_names_are_harmless_text(tmp_path):
    played = Played("rikiki", 4, 3, "steady").to(1)
    path = kept(played, tmp_path, (HOSTILE,), ("\x9b31m", "名前名前名前名前", "a" * 300))
    app = Host(path)
    for size in SIZES:
        async with Host(path).run_test(size=size) as pilot:
            app = pilot.app
            await shown(pilot, app)
            await pilot.press("down", "right", "v", "w", "?", "x", "g")
            text = screen_text(app)
            assert "\x1b" not in text
            assert "\x9b" not in text
            assert "\u202e" not in text


async def test_help_tells_its_keys_and_every_size_is_shown(tmp_path):
    app = Host(robots_only("king", tmp_path, 1))
    async with app.run_test(size=(80, 24)) as pilot:
        await shown(pilot, app)
        await pilot.press("?")
        assert "in the replay" in screen_text(app)
        assert "go on from here" in screen_text(app)
        await pilot.press("x", "down", "down")
        for size in ((200, 60), (110, 36), (79, 24), (60, 18), (20, 5), (80, 24)):
            await pilot.resize_terminal(*size)
            await pilot.pause()
        assert "Trick 1" in screen_text(app)


async def test_leaving_while_it_is_read_is_no_error(tmp_path):
    app = Host(robots_only("rikiki", tmp_path, 12))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is not app.opened)


async def app_at(pilot, app, kind):
    await until(pilot, lambda: shows(app, kind))
    await pilot.pause()


@pytest.fixture
def nearly_over(tmp_path):
    """Return a session whose last decision is not made yet."""
    played = Played("gurka", 4, 3, "steady")
    while not played.table.ended:
        played.step()
    last = max(i for i, line in enumerate(played.lines) if line.action)
    while played.lines[last].seat != 0:
        last -= 1
        while not played.lines[last].action:
            last -= 1
    del played.lines[last:]
    return sessions.fork(kept(played, tmp_path))


async def test_from_the_last_deal_and_from_a_session_s_end_there_is_a_way_into_it(nearly_over):
    app = CardtableApp(Preferences(Settings(pace=0, trick_pause=0, round_pause=0, guard=0)), nearly_over)
    async with app.run_test(size=(80, 24)) as pilot:
        await app_at(pilot, app, TableScreen)
        table = app.screen
        await until(pilot, lambda: table.frame.scores)
        await pilot.press("d")
        await until(pilot, lambda: table.view.overlay)
        await pilot.press("down", "down", "right")
        cursor = table.view.overlay.cursor
        await pilot.press("enter")
        await app_at(pilot, app, ReplayPage)
        await until(pilot, lambda: app.screen.page.state)
        it = app.screen.page.state
        assert (it.round.number, it.step.decisions) == (cursor.round.number, cursor.step.decisions)
        await pilot.press("escape")
        await app_at(pilot, app, TableScreen)
        await pilot.press("escape", "r")
        await pilot.pause()
        assert app.screen is table, "only at the end of the session"
        while table.frame.stage is not Stage.SESSION_END:
            await until(pilot, lambda: table.frame.waiting or table.frame.stage is Stage.SESSION_END)
            if table.frame.waiting:
                table.controller.submit(table.frame.view.legal[0])
                await pilot.pause(0.05)
        await pilot.press("r")
        await app_at(pilot, app, ReplayPage)
        await until(pilot, lambda: app.screen.page.state)
        assert app.screen.page.state.round.number == 1
        assert "replay" in [key.name for key in TABLE.keys if table.is_enabled(key)]
        await pilot.press("escape")
        await app_at(pilot, app, TableScreen)
        await pilot.press("e")
        await app_at(pilot, app, ReviewPage)


async def test_a_session_that_was_given_up_is_told_to_its_end_and_says_so(home):
    paths.create_folder(paths.archive_folder())
    played = Played("rikiki", 4, 3, "steady", length="short").to(2).on(4)
    app = Host(kept(played, paths.archive_folder()), 3)
    async with app.run_test(size=(80, 24)) as pilot:
        await shown(pilot, app)
        assert "round 3 of 3, given up" in screen_text(app)
        await pilot.press("end")
        await pilot.pause()
        assert app.it.can_continue, "something is left to be decided"


async def test_a_round_has_the_names_of_those_who_sat_there(tmp_path):
    played = Played("rikiki", 4, 3, "steady", length="short").to(1)
    played.header = msgspec.structs.replace(played.header, cardtable=2)
    played.table.change_occupant(1, Occupant("Max", "novice"))
    app = Host(kept(played.to(2), tmp_path, (), ("Ada",)), 1, me="Guest")
    async with app.run_test(size=(120, 40)) as pilot:
        await shown(pilot, app)
        assert app.it.names[1] == "Bo"
        await pilot.press("pagedown")
        await at_round(pilot, app, 2)
        assert app.it.names[1] == "Max"
        assert "Max, a novice robot, sits" in screen_text(app)
