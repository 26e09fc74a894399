"""Picker in plain text: numbers, names, commands, and text from outside."""

from contextlib import closing
from datetime import UTC, datetime

import pytest

from cardtable.engine.journal import Occupant
from cardtable.games import ABOUT, GAMES
from cardtable.store import archive_index, paths, score_tables, session_setup, sessions, summaries
from cardtable.wording.tables import format_round_number
from tests.journal_times import set_last_played
from tests.pty.test_hostile_text import NAMES
from tests.store.processes import get_ended_pid

HOT_SEAT_ERROR = "2 people take turns here, and a pipe cannot hide their hands; use a terminal"


def create_session(key, *names, people=1, actions=0):
    """Create an unfinished session of people and robots."""
    seats = [Occupant(name, None if seat < people else "random") for seat, name in enumerate(names)]
    session = sessions.create(GAMES[key], seats, GAMES[key].options(), 7, now=datetime.now(UTC))
    session.referee.advance()
    for _ in range(actions):
        if session.referee.turn < 0:
            session.referee.advance()
        session.referee.play(session.referee.turn, session.referee.view(session.referee.turn).legal[0])
    return session


def read_list(result):
    """Return the lines of the list without its heading and footer."""
    return result.out.split("> \n")[0].splitlines()[1:-1]


def test_home_that_cannot_be_written(plain, home):
    home.write_text("a file where the folder should be")
    assert "Nothing can be saved: Not a directory. cardtable doctor tells more." in plain().lines


@pytest.mark.parametrize("typed", ["6", "ten_down", "TenDown"])
def test_number_or_name_begins_a_game(plain, typed):
    result = plain(typed=[typed])
    assert result.lines[-1].startswith("Saved. To continue: ")
    [summary] = summaries.list_unfinished()
    assert summary.header.game == "ten_down"
    seats = [occupant.robot or occupant.name for occupant in summary.header.seats]
    assert sorted(seats) == ["Guest", *["steady"] * 3]


def test_name_with_seats_seed_and_house_rules(plain):
    plain(typed=["rikiki seats=novice,me,steady,steady seed=12 length=short"])
    [summary] = summaries.list_unfinished()
    header = summary.header
    assert [occupant.robot or occupant.name for occupant in header.seats] == ["novice", "Guest", "steady", "steady"]
    assert (header.seed, header.options["length"]) == (12, "short")
    plain(typed=["gurka seats=6"])
    assert {len(each.header.seats) for each in summaries.list_unfinished()} == {4, 6}


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("rikiki length", "'length' is not NAME=VALUE, such as open_hands=on."),
        ("rikiki seed=1 seed=2", "'seed' is given twice; give it once."),
        ("rikiki seed=-1", "A deal has a whole number up to 999999999999999, not -1."),
        ("rikiki seats=me,me", "Rikiki has 4 seats, not 2: me,me."),
        ("rikiki length=long", "Option length cannot be 'long'; it can be full or short."),
        (
            "rikiki seats=me,person:Anna,steady,steady",
            "2 people take turns here, and a pipe cannot hide their hands; use a terminal.",
        ),
        ("1 quickly", 'I don\'t know "1 quickly" here. Type a number from the list, or help.'),
    ],
)
def test_invalid_table_is_not_begun(plain, home, typed, expected):
    create_session("bridge", "Guest", "Ada").close()
    assert plain(typed=[typed]).out.split("> \n")[1].splitlines()[0] == expected
    assert len(summaries.list_unfinished()) == 1


@pytest.mark.parametrize("game", ABOUT)
def test_deal_of_the_day(plain, monkeypatch, game):
    monkeypatch.setattr(session_setup, "get_daily_game", lambda _day: game)
    title = ABOUT[game].title
    result = plain(typed=["day"])
    [summary] = summaries.list_unfinished()
    assert summary.header.game == game
    assert f"day: the deal of the day, {title}, not played yet." in result.lines
    assert summary.header.seed // 10**6 >= 20
    assert summary.header.people == [0]
    result = plain(typed=["day"])
    first = format_round_number(1, summary.rounds)
    assert f"1: Continue {title}, the deal of the day, round {first}, just now." in result.out
    assert result.out.count("the deal of the day") == 1, "a table is listed once"
    assert len(summaries.list_unfinished()) == 1, "the deal of the day is continued"
    sessions.abandon(summary.path)
    assert f"day: the deal of the day, {title}, abandoned." in plain(typed=["day"]).lines
    assert len(summaries.list_unfinished()) == 1, "the abandoned deal of the day is started again"


def test_latest_session_comes_first_and_continues(plain):
    create_session("bridge", "Guest", "Ada").close()
    result = plain(typed=["1"])
    assert read_list(result)[0] == "1: Continue Bridge, round 1, just now. You 0, Ada 0."
    assert len(read_list(result)) == 1 + len(ABOUT)
    assert "Bridge, round 1." in result.lines


def test_picker_returns_after_a_session(plain):
    create_session("ten_down", "Guest", "Ada").close()
    result = plain(typed=["1"] * 120)
    assert result.out.count("The session is over.\n1st: ") == 1
    assert result.out.count("cardtable: choose a number") == 2


def test_rules_levels_and_unknown_commands(plain):
    result = plain(typed=["help", "rules king", "levels king", "dance", "rules dance", "levels", "0", "99", "", "quit"])
    first, second, third, *unknown, again, _ = result.out.split("> \n")[1:]
    assert first.startswith("Type a number")
    assert second.startswith("King\n")
    assert [line.split()[0] for line in third.strip().splitlines()] == ["Novice", "Steady", "Expert"]
    assert "Steady plays by rules of thumb: " in third
    assert [part.split(".")[0] for part in unknown] == [
        f'I don\'t know "{typed}" here' for typed in ("dance", "rules dance", "levels", "0", "99")
    ]
    assert again.startswith("cardtable:")


def test_club_is_joined_by_a_command_of_its_own(plain):
    out = plain(typed=["join", "join 192.168.1.5", "quit"]).out
    assert "To join a club, quit, and type: cardtable --plain join ADDRESS\n" in out
    assert "cardtable --plain join 192.168.1.5\n" in out


def test_damaged_session_is_reported(plain):
    session = create_session("bridge", "Guest", "Ada", actions=3)
    session.close()
    lines = session.path.read_bytes().splitlines(keepends=True)
    session.path.write_bytes(b"".join([*lines[:2], *lines[3:]]))
    result = plain(typed=["1", "2"])
    assert read_list(result)[0].startswith("1: A session that cannot be opened: ")
    assert f"{session.path.name}:3: " in result.out.split("> \n")[1]
    assert "Rikiki. Around the table" in result.out


def test_hot_seat_is_refused_on_a_pipe(plain):
    session = create_session("bridge", "Anna", "Bob", people=2)
    session.close()
    result = plain("resume", session.header.id)
    assert (result.code, result.out) == (1, "")
    assert result.err == f"cardtable: {HOT_SEAT_ERROR}\n"
    result = plain(typed=["1"])
    assert f"{HOT_SEAT_ERROR}." in result.lines


def test_session_open_in_another_program(plain):
    session = create_session("bridge", "Guest", "Ada")
    result = plain("resume", session.header.id)
    session.close()
    assert result.code == 1
    assert "cannot be played here: it is open in another program" in result.err


@pytest.mark.parametrize("at", range(0, len(NAMES), 3))
def test_hostile_nicks_and_talk_are_escaped(plain, at):
    names = NAMES[at : at + 3]
    session = create_session("rikiki", "Guest", *names, actions=1)
    session.referee.say(names[0], 1)
    session.close()
    result = plain(
        typed=["1", "talk", "", "sheet", *names[1].split("\n"), f"talk {names[2][:1000]}", "talk", *["1"] * 20]
    )
    assert all(line.isprintable() for line in result.lines)
    assert result.code == 0


def test_session_is_renamed(plain):
    create_session("bridge", "Guest", "Ada").close()
    result = plain(typed=["rename 1 Friday  evening", "rename 1"])
    assert '1: Continue Bridge "Friday evening", round 1, just now. You 0, Ada 0.' in result.lines
    assert summaries.list_unfinished()[0].name == ""
    result = plain(typed=["rename 2 Friday", "rename", "rename 1 \x1b[31m" + "x" * 99])
    assert result.out.count("I don't know \"rename") == 2
    assert all(line.isprintable() for line in result.lines)


def test_abandoning_is_confirmed_and_undone(plain):
    session = create_session("bridge", "Guest", "Ada")
    session.close()
    set_last_played(session.path, 1_795_000_000)
    create_session("gurka", "Guest", "Ada", "Bo", "Cy").close()
    last = 2 + len(ABOUT)
    result = plain(typed=[f"give up {last}", "no", f"give up {last}", "yes", "rules king", "", "undo", "undo"])
    asked, left, _, *rest = result.out.split("> \n")[1:]
    assert asked.startswith("Abandon Bridge? It moves to the archive as abandoned; you count as last.")
    assert left == "Nothing was changed.\n"
    assert f"undo: restores what you abandoned last, {session.header.id}, until you quit." in result.lines
    assert 'I don\'t know "undo" here' in rest[-2]
    assert [summary.header.game for summary in summaries.list_unfinished()] == ["gurka", "bridge"]


def test_abandoning_without_confirmation(plain, home):
    session = create_session("bridge", "Guest", "Ada")
    (home / "settings.toml").write_text("confirm = false\n")
    result = plain(typed=["give up 1"])
    assert "The session cannot be abandoned: it is open in another program." in result.lines
    session.close()
    plain(typed=["give up 1"])
    assert summaries.list_unfinished() == []
    assert archive_index.list_finished()[0].state == "abandoned"


def test_score_table_is_renamed_and_abandoned(plain):
    with closing(score_tables.create(GAMES["rifki"], ["Anna", "Tom", "Zoe", "Max"], GAMES["rifki"].options())):
        pass
    result = plain(typed=["watch 1", "rename 1 Friday", "give up 1", "yes"])
    assert "This is a score table for real cards; type its number to open it." in result.lines
    assert '1: Score table for real cards: Rifki "Friday", round 1 of 20, just now. ' in result.out
    assert "The score table moves to the archive as it is. undo restores it until you quit." in result.out
    assert summaries.list_unfinished() == []


def test_robots_are_watched_and_continued(plain):
    result = plain(typed=["watch bridge", "all"])
    assert "The session is over." in result.lines
    [summary] = archive_index.list_finished()
    assert summary.header.people == []
    create_session("bridge", "Ada", "Bo", people=0).close()
    result = plain(typed=["watch 1", "all"])
    assert read_list(result)[0] == "1: Continue watching Bridge, round 1, just now. Ada 0, Bo 0."
    assert "The session is over." in result.lines


def test_watching_a_single_player_shows_the_hand(plain):
    create_session("rikiki", "Guest", "Ada", "Bo", "Cy", actions=9).close()
    before = summaries.list_unfinished()[0].path.read_bytes()
    result = plain(typed=["watch 1"])
    seen = result.out.split("> \n")[1]
    assert "Your hand: " in seen
    assert " to act." in seen
    assert "Round 1" in seen, "the score sheet"
    assert summaries.list_unfinished()[0].path.read_bytes() == before


@pytest.mark.parametrize("key", GAMES)
def test_watching_several_players_shows_no_hand(plain, key):
    names = ["Anna", "Bob", "Cy", "Dee"][: ABOUT[key].usual_seats]
    create_session(key, *names, people=2, actions=6).close()
    seen = plain(typed=["watch 1"]).out.split("> \n")[1]
    assert "our hand" not in seen
    assert f"{ABOUT[key].title}, round" in seen


def test_ascii_replaces_other_letters(plain):
    create_session("rikiki", "Guest", "Ada", "Bo", "Cy", actions=4).close()
    typed = ["talk caf\u00e9 \u2665", "sheet", "quit"]
    assert not plain("resume", typed=typed).out.isascii()
    output = plain("--ascii", "resume", typed=typed).out
    assert output.isascii()
    assert "cafe H" in output


def test_drafts_of_killed_programs_are_removed(plain):
    create_session("rikiki", "Guest", *NAMES[:3]).close()
    draft = paths.sessions_folder() / f"x.jsonl.{get_ended_pid()}.new"
    draft.write_text("half")
    plain()
    assert not draft.exists()
