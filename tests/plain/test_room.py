"""The picker with numbers, and text from outside."""

from datetime import UTC, datetime

import pytest

from cardtable.engine.journal import SeatOf
from cardtable.games import ABOUT, GAMES
from cardtable.store import sessions
from tests.pty.test_hostile_text import NAMES

ALONE = "2 people take turns here, and a pipe cannot hide their hands; use a terminal"


def begin(key, *names, people=1, actions=0):
    """A session of people and robots that is not over; its id."""
    seats = [SeatOf(name, None if seat < people else "random") for seat, name in enumerate(names)]
    session = sessions.create(GAMES[key], seats, GAMES[key].options(), 7, now=datetime.now(UTC))
    session.table.go_on()
    for _ in range(actions):
        session.table.play(session.table.turn, session.table.view(session.table.turn).legal[0])
    return session


def listed(told):
    """The list, without the lines above and below it."""
    return told.out.split("> \n")[0].splitlines()[1:-1]


def test_the_picker_lists_the_games_in_their_order(plain):
    told = plain()
    assert [line.split(",")[0] for line in listed(told)] == [
        f"{number}: {about.title}" for number, about in enumerate(ABOUT.values(), 1)
    ]
    assert told.code == 0


@pytest.mark.parametrize("typed", ["6", "ten_down", "TenDown"])
def test_a_number_or_a_name_begins_a_game_with_robots(plain, typed):
    told = plain(typed=[typed])
    assert told.lines[-1].startswith("Everything is kept.")
    [summary] = sessions.listing()
    assert summary.header.game == "ten_down"
    assert sorted(who.robot or who.name for who in summary.header.seats) == ["Guest", "steady", "steady", "steady"]


def test_seats_deal_and_house_rules_follow_the_name_of_a_game(plain):
    plain(typed=["rikiki seats=novice,me,steady,steady seed=12 length=short"])
    [summary] = sessions.listing()
    header = summary.header
    assert [who.robot or who.name for who in header.seats] == ["novice", "Guest", "steady", "steady"]
    assert (header.seed, header.options["length"]) == (12, "short")
    plain(typed=["gurka seats=6"])
    assert len(sessions.listing()[0].header.seats) == 6


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("rikiki length", "'length' is not NAME=VALUE."),
        ("rikiki seed=1 seed=2", "'seed=2' is told twice."),
        ("rikiki seed=-1", "The number of a deal is at most 999999999999999, not -1."),
        ("rikiki seats=me,me", "Rikiki has 4 seats, not 2: me,me."),
        ("rikiki length=long", "Option length cannot be 'long'; it is full, short."),
        (
            "rikiki seats=me,person:Anna,steady,steady",
            "2 people take turns here, and a pipe cannot hide their hands; use a terminal.",
        ),
        ("1 quickly", "There is no 1 quickly here. Type a number from the list, or help."),
    ],
)
def test_a_table_that_cannot_be_is_not_begun(plain, home, typed, said):
    begin("bridge", "Guest", "Ada").close()
    assert plain(typed=[typed]).out.split("> \n")[1].splitlines()[0] == said
    assert len(sessions.listing()) == 1


def test_the_deal_of_the_day_is_the_same_for_all(plain):
    told = plain(typed=["day"])
    [summary] = sessions.listing()
    title = ABOUT[summary.header.game].title
    assert f"day: the deal of the day, {title}." in told.lines
    assert summary.header.seed // 10**6 >= 20
    assert summary.header.people == [0]


def test_what_was_played_last_comes_first_and_goes_on(plain):
    begin("bridge", "Guest", "Ada").close()
    told = plain(typed=["1"])
    assert listed(told)[0] == "1: Go on with Bridge, round 1, just now. You 0, Ada 0."
    assert len(listed(told)) == 8
    assert "Bridge, round 1." in told.lines


def test_after_a_session_the_picker_is_there_again(plain):
    begin("ten_down", "Guest", "Ada").close()
    told = plain(typed=["1"] * 120)
    assert told.out.count("The session is over.\nPlace 1: ") == 1
    assert told.out.count("The Table. Choose a number") == 2


def test_the_picker_reads_rules_and_says_what_it_does_not_know(plain):
    told = plain(typed=["help", "rules king", "dance", "rules dance", "0", "99", "", "quit"])
    first, second, *unknown, again, _ = told.out.split("> \n")[1:]
    assert first.startswith("Type a number")
    assert second.startswith("# King")
    assert [part.split(".")[0] for part in unknown] == [
        "There is no dance here", "There is no rules dance here", "There is no 0 here", "There is no 99 here"
    ]  # fmt: skip
    assert again.startswith("The Table.")


def test_what_cannot_be_opened_is_an_error_in_a_line(plain):
    session = begin("bridge", "Guest", "Ada", actions=3)
    session.close()
    lines = session.path.read_bytes().splitlines(keepends=True)
    session.path.write_bytes(b"".join([*lines[:2], *lines[3:]]))
    told = plain(typed=["1", "2"])
    assert listed(told)[0].startswith("1: A session that cannot be opened: ")
    assert f"{session.path.name}:3: " in told.out.split("> \n")[1]
    assert "Rikiki. Around the table" in told.out


def test_several_people_are_refused_on_a_pipe(plain):
    session = begin("bridge", "Anna", "Bob", people=2)
    session.close()
    told = plain("resume", session.header.id)
    assert (told.code, told.out) == (1, "")
    assert told.err == f"cardtable: {ALONE}\n"
    told = plain(typed=["1"])
    assert f"{ALONE}." in told.lines


def test_a_session_open_elsewhere_is_not_played_here(plain):
    session = begin("bridge", "Guest", "Ada")
    told = plain("resume", session.header.id)
    session.close()
    assert told.code == 1
    assert "cannot be played here: it is open in another program" in told.err


@pytest.mark.parametrize("at", range(0, len(NAMES), 3))
def test_hostile_nicks_and_talk_are_harmless_text(plain, at):
    names = NAMES[at : at + 3]
    session = begin("rikiki", "Guest", *names, actions=1)
    session.table.say(names[0], 1)
    session.close()
    told = plain(
        typed=["1", "talk", "", "sheet", *names[1].split("\n"), f"talk {names[2][:1000]}", "talk", *["1"] * 20]
    )
    assert all(line.isprintable() for line in told.lines)
    assert told.code == 0


def test_robots_alone_play_to_the_end(plain):
    session = begin("bridge", "Ada", "Bo", people=0)
    session.close()
    told = plain("resume", session.header.id)
    assert told.lines[-3] == "The session is over."
