"""New table, without a screen: game, seats, house rules, deal."""

from datetime import date

import pytest

from cardtable.engine.journal import Occupant
from cardtable.engine.options import list_choices
from cardtable.games import ABOUT, GAMES, KEYS
from cardtable.robots.kit.levels import LEVELS
from cardtable.store import paths, seating, session_setup
from cardtable.ui.new_table.model import PRACTICE, DealChoice, NewTable
from cardtable.ui.new_table.screen import NewTableRows

TODAY = date(2026, 11, 20)


def new(key="rikiki"):
    return NewTable(key, TODAY)


def lines(table):
    """Return the rows that can be changed, by name."""
    made = NewTableRows(table, None, lambda: None, show_all_errors=False)
    return {
        line.name: line for line in (*made.create_left_rows(0), *made.create_right_rows(0)) if line.name is not None
    }


def step(table, name, step):
    """Step a row to another value."""
    lines(table)[name].on_step(step)


def typed(table, name, text):
    """Type a text into a row; return the characters that the row did not accept."""

    def takes(char, anew):
        row = lines(table)[name]
        if row.text_input:
            return row.text_input.handle_key(char, char, None)
        return row.on_text is not None and row.on_text(char, anew)

    return "".join([char for place, char in enumerate(text) if not takes(char, place == 0)])


def rub_out(table, name):
    row = lines(table)[name]
    if row.text_input:
        row.text_input.edit("backspace")
    elif row.on_backspace:
        row.on_backspace()


def names(table):
    return [(who.name, who.robot) for who in table.create_setup().seats]


@pytest.mark.parametrize("key", KEYS)
def test_without_a_choice_it_is_what_enter_in_the_picker_begins(key):
    table, game = new(key), GAMES[key]
    setup = table.create_setup()
    assert setup == (game, seating.create_default_seats(game, game.options()), game.options(), None, True)
    assert table.first_error is None
    assert table.has_default_rules


@pytest.mark.promise(
    "The picker and new tables",
    "A new table offers seats, robot levels, seating, explained house rules, and a deal by number or of the day.",
)
@pytest.mark.parametrize("key", KEYS)
def test_every_value_of_every_house_rule_can_be_stepped_to_and_is_explained(key):
    table = new(key)
    for option in list_choices(GAMES[key].options):
        line = option.name
        if option.name == "seats":
            assert line not in lines(table), "the number of seats says it"
            continue
        seen = []
        for _ in option.values:
            seen.append(table.create_setup().options.to_dict()[option.name])
            assert lines(table)[line].help_text == f"{option.meaning}: {option.values[seen[-1]]}" or line == PRACTICE
            step(table, line, 1)
        if not option.minutes:
            assert seen == list(option.values)
            assert lines(table)[line].value == str(option.default), "round the end"


@pytest.mark.parametrize("key", KEYS)
def test_every_number_of_seats_can_be_chosen_and_has_names_and_places(key):
    table, about = new(key), ABOUT[key]
    assert ("number" in lines(table)) == (len(about.seats) > 1)
    for number in about.seats:
        while len(table.players) != number:
            step(table, "number", 1)
        assert len(set(table.positions)) == len(set(table.names)) == number
        assert table.positions[0] == "You"
        assert len(table.create_setup().seats) == number
        assert table.create_setup().options == table.create_setup().options.for_seats(number)


def test_a_seat_is_a_persons_or_a_robots_of_any_level_but_random():
    table, seen = new(), []
    for _ in range(len(LEVELS)):
        seen.append(lines(table)[1].value)
        step(table, 1, 1)
    assert sorted(seen) == sorted({"person", *LEVELS} - {"random"})
    step(table, 1, -1)
    assert names(table)[1] == ("Ada", "novice")


def test_nicks_are_typed_and_kept_while_a_robot_sits_there():
    table = new()
    assert typed(table, 0, "anna-7 b") == "- "
    assert table.names[0] == "Anna7b"
    rub_out(table, 0)
    rub_out(table, 0)
    assert names(table)[0] == ("Anna", None)
    step(table, 0, 1)
    assert typed(table, 0, "x") == "x"
    step(table, 0, -1)
    assert table.names[0] == "Anna"
    typed(table, 0, "Louise")
    assert table.names[0] == "AnnaLoui", "no longer than a nick can be"


@pytest.mark.parametrize(
    ("nicks", "at", "why"),
    [
        (["Al"], 0, "one word of 3 to 8 letters or digits"),
        (["1st"], 0, "starts with a letter"),
        (["Ada"], 0, "robot has that name; choose another nick"),
        (["guest"], 0, "Guest is everybody without a nick; choose another"),
        (["Anna", "Anna"], 1, "Anna sits in two seats"),
        (["", ""], 1, "only one seat can be Guest"),
        (["Anna", "Bob", "Bo"], 2, "3 to 8"),
    ],
)
def test_a_nick_that_cannot_be_is_named_with_its_seat(nicks, at, why):
    table = new()
    for number, nick in enumerate(nicks):
        table._players[number].kind = "person"
        typed(table, number, nick)
    assert table.first_error.name == at
    assert why in table.first_error.why


def test_robots_may_play_among_themselves():
    table = new()
    step(table, 0, 1)
    assert table.first_error is None
    assert names(table) == [("Ada", "novice"), ("Bo", "steady"), ("Cy", "steady"), ("Dee", "steady")]
    assert table.positions == ["Seat 1", "Seat 2", "Seat 3", "Seat 4"]
    step(table, 2, 2)
    assert table.first_error is None
    assert names(table) == [("Ada", "novice"), ("Bo", "steady"), ("Guest", None), ("Cy", "steady")]
    assert table.positions == ["Opposite", "Right", "You", "Left"]
    step(table, 0, -1)
    typed(table, 0, "Anna")
    assert table.positions == ["Seat 1", "Seat 2", "Seat 3", "Seat 4"], "nobody is you among several"


@pytest.mark.promise(
    "The picker and new tables",
    "A new table offers seats, robot levels, seating, explained house rules, and a deal by number or of the day.",
)
def test_the_number_of_the_deal_is_typed():
    table = new()
    step(table, "deal", 1)
    assert table.first_error == ("deal", "type the number of the deal")
    assert typed(table, "deal", "20x261120") == "x"
    assert table.create_setup().seed == 20261120
    rub_out(table, "deal")
    assert table.create_setup().seed == 2026112
    typed(table, "deal", "9" * 20)
    assert len(table.number_input.text) == 15, "a journal holds no larger one"
    step(table, "deal", -1)
    assert table.create_setup().seed is None
    rub_out(table, "deal")
    step(table, "deal", 1)
    assert len(table.number_input.text) == 15, "what is out of sight is not rubbed out"


def test_digits_on_the_deal_make_it_one_by_number():
    table = new()
    typed(table, "deal", "07")
    assert (table.deal, table.create_setup().seed) == (DealChoice.NUMBER, 7)


def test_minutes_are_stepped_or_typed():
    table, clock = new(), "round_clock"

    def value():
        return table.create_setup().options.to_dict()["round_clock"]

    for expected in (5, 10, 15):
        step(table, clock, 1)
        assert value() == expected
    assert lines(table)[clock].value == "15 minutes"
    assert lines(table)[clock].help_text.endswith(": 15 minutes")
    typed(table, clock, "7")
    assert value() == 7
    step(table, clock, -1)
    assert value() == 5
    step(table, clock, -1)
    assert value() == "off"
    step(table, clock, -1)
    assert value() == "off"
    typed(table, clock, "12")
    assert value() == 12
    typed(table, clock, "3")
    assert value() == 3, "typed anew"
    rub_out(table, clock)
    assert value() == "off"
    assert typed(table, clock, "0") == ""
    assert value() == "off"
    typed(table, clock, "99999")
    assert value() == 999
    assert typed(table, "hook", "1") == "1", "that is no time"


def test_what_is_chosen_for_a_game_is_kept_while_another_is_looked_at():
    table = new()
    step(table, "hook", 1)
    typed(table, 0, "Anna")
    step(table, "game", 1)
    assert table.game.about.key == KEYS[1]
    assert table.names[0] == "Anna"
    step(table, "game", -1)
    assert table.create_setup().options.hook == "always"
    assert not table.has_default_rules
    table.open("bridge", TODAY)
    assert (table.game.about.key, table.names[0]) == ("bridge", "Anna")


@pytest.mark.promise(
    "The picker and new tables",
    "A new table offers seats, robot levels, seating, explained house rules, and a deal by number or of the day.",
)
def test_the_deal_of_the_day_has_its_game_seats_and_house_rules():
    table = new()
    typed(table, 0, "Anna")
    step(table, "hook", 1)
    step(table, 1, 2)
    step(table, "deal", -1)
    assert table.deal is DealChoice.DAY
    game = GAMES[session_setup.get_daily_game(TODAY)]
    robots = seating.create_default_seats(game, game.options())[1:]
    assert table.create_setup() == (game, (Occupant("Anna"), *robots), game.options(), 20261120, False)
    assert [*lines(table)] == [0, "deal", "begin"]
    assert lines(table)[0].on_step is None, "there a person plays"
    typed(table, 0, "7")
    step(table, "deal", 1)
    assert names(table)[:2] == [("Anna7", None), ("Guest", None)], "all is as it was"
    assert table.create_setup().options.hook == "always"


def test_it_is_no_longer_the_deal_of_the_day_when_a_game_is_pointed_at():
    table = new()
    step(table, "deal", -1)
    table.open("bridge", date(2026, 11, 21))
    assert (table.deal, table.game.about.key) == (DealChoice.NEW, "bridge")


@pytest.mark.promise("The picker and new tables", "Seats are drawn at random without bias, or taken as chosen.")
@pytest.mark.parametrize("by_lot", [True, False])
def test_the_session_is_that_of_the_same_words_on_the_command_line(tmp_path, monkeypatch, by_lot):
    monkeypatch.setenv("CARDTABLE_HOME", str(tmp_path))
    table = new()
    typed(table, 0, "Anna")
    typed(table, "deal", "7")
    step(table, "length", 1)
    if not by_lot:
        step(table, "seating", 1)
    session = table.create_setup().begin()
    session.close()
    [path] = paths.list_files(paths.sessions_folder(), ".jsonl")
    assert path == session.path
    listed = seating.parse_seats("person:Anna,steady,steady,steady", GAMES["rikiki"])
    assert session.header.seats == (seating.shuffle_seats(listed, 7) if by_lot else listed)
    assert (session.header.seed, session.header.options["length"]) == (7, "short")


def test_a_new_deal_has_another_number_each_time(tmp_path, monkeypatch):
    monkeypatch.setenv("CARDTABLE_HOME", str(tmp_path))
    begun = [new().create_setup().begin() for _ in range(3)]
    for session in begun:
        session.close()
    assert len({session.header.seed for session in begun}) == 3
