"""New table, without a screen: game, seats, house rules, deal."""

from datetime import date

import pytest

from cardtable.engine.journal import Occupant
from cardtable.engine.options import list_choices
from cardtable.games import ABOUT, GAMES, KEYS
from cardtable.robots.kit.levels import LEVELS
from cardtable.store import paths, seating, session_setup
from cardtable.ui.new_table import BY_NUMBER, DEAL, NEW, PRACTICE, NewTableForm, NewTableRows

TODAY = date(2026, 11, 20)


def create_table(key="rikiki"):
    return NewTableForm(key, today=TODAY)


def get_rows(table):
    """Return the rows that can be changed, by name."""
    made = NewTableRows(table, None, lambda: None, show_all_errors=False)
    return {
        line.name: line for line in (*made.create_left_rows(0), *made.create_right_rows(0, 40)) if line.name is not None
    }


def step(table, name, step):
    """Step a row to another value."""
    get_rows(table)[name].on_step(step)


def type_text(table, name, text):
    """Type a text into a row; return the characters that the row did not accept."""

    def takes(char, anew):
        row = get_rows(table)[name]
        if row.text_input:
            return row.text_input.handle_key(char, char, None)
        return row.on_text is not None and row.on_text(char, anew)

    return "".join([char for place, char in enumerate(text) if not takes(char, place == 0)])


def press_backspace(table, name):
    row = get_rows(table)[name]
    if row.text_input:
        row.text_input.edit("backspace")
    elif row.on_backspace:
        row.on_backspace()


def list_seats(table):
    return [(occupant.name, occupant.robot) for occupant in table.create_setup().seats]


@pytest.mark.parametrize("key", KEYS)
def test_default_setup_equals_quick_start(key):
    table, game = create_table(key), GAMES[key]
    setup = table.create_setup()
    assert setup == (game, seating.create_default_seats(game, game.options()), game.options(), None, True, ())
    assert table.first_error is None
    assert table.has_default_rules


@pytest.mark.parametrize("key", KEYS)
def test_every_house_rule_value_is_reachable_and_explained(key):
    table = create_table(key)
    for option in list_choices(GAMES[key].options):
        line = option.name
        if option.name == "seats":
            assert option not in table.list_rules(), "the number of seats decides this option"
            continue
        seen = []
        for _ in option.values:
            seen.append(table.create_setup().options.to_dict()[option.name])
            assert get_rows(table)[line].help_text == option.meaning or line == PRACTICE
            step(table, line, 1)
        if not option.minutes:
            assert seen == list(option.values)
            assert get_rows(table)[line].value == option.format_value(option.default), (
                "the last value is followed by the first"
            )


def test_length_follows_house_rules():
    for key, full, short in (("king", 40, 20), ("rifki", 20, 12), ("rikiki", 28, 16)):
        table = create_table(key)
        assert table.length_text == f"{full} rounds" == table.game.about.length
        step(table, "length", 1)
        assert table.length_text == f"{short} rounds"
    assert create_table("bridge").length_text == ABOUT["bridge"].length


@pytest.mark.parametrize("key", KEYS)
def test_every_seat_count_has_names_and_positions(key):
    table, about = create_table(key), ABOUT[key]
    assert ("seats" in get_rows(table)) == (len(about.seats) > 1)
    for number in about.seats:
        while len(table.players) != number:
            step(table, "seats", 1)
        assert len(set(table.positions)) == len(set(table.names)) == number
        assert table.positions[0] == "You"
        assert len(table.create_setup().seats) == number
        assert table.create_setup().options == table.create_setup().options.for_seats(number)


def test_seat_steps_through_person_and_robot_levels():
    table, seen = create_table(), []
    for _ in range(len(LEVELS)):
        seen.append(get_rows(table)[1].value)
        step(table, 1, 1)
    assert sorted(seen) == sorted({"person", *LEVELS} - {"random"})
    step(table, 1, -1)
    assert list_seats(table)[1] == ("Ada", "novice")


def test_nick_survives_robot_at_seat():
    table = create_table()
    assert type_text(table, 0, "anna-7 b") == "- "
    assert table.names[0] == "Anna7b"
    press_backspace(table, 0)
    press_backspace(table, 0)
    assert list_seats(table)[0] == ("Anna", None)
    step(table, 0, 1)
    assert type_text(table, 0, "x") == "x"
    step(table, 0, -1)
    assert table.names[0] == "Anna"
    type_text(table, 0, "Louise")
    assert table.names[0] == "AnnaLoui", "a nick is cut at eight characters"


@pytest.mark.parametrize(
    ("nicks", "at", "reason"),
    [
        (["Al"], 0, "one word of 3 to 8 letters or digits"),
        (["1st"], 0, "starts with a letter"),
        (["Ada"], 0, "robot has that name; choose another nick"),
        (["guest"], 0, "Guest is everyone without a profile; choose another"),
        (["Anna", "Anna"], 1, "Anna sits in two seats"),
        (["Ill", "Il1"], 1, "Il1 looks like Ill: type another nick"),
        (["\u0410da"], 0, "\u0410da looks like Ada: type another nick"),
        (["", ""], 1, "only one seat can be Guest"),
        (["Anna", "Bob", "Bo"], 2, "3 to 8"),
    ],
)
def test_invalid_nick_names_its_seat(nicks, at, reason):
    table = create_table()
    for number, nick in enumerate(nicks):
        table.players[number].kind = "person"
        type_text(table, number, nick)
    assert table.first_error.name == at
    assert reason in table.first_error.reason


def test_table_of_robots_only():
    table = create_table()
    step(table, 0, 1)
    assert table.first_error is None
    assert list_seats(table) == [("Ada", "novice"), ("Bo", "steady"), ("Cy", "steady"), ("Dee", "steady")]
    assert table.positions == ["Seat 1", "Seat 2", "Seat 3", "Seat 4"]
    step(table, 2, 2)
    assert table.first_error is None
    assert list_seats(table) == [("Ada", "novice"), ("Bo", "steady"), ("Guest", None), ("Cy", "steady")]
    assert table.positions == ["Opposite", "Right", "You", "Left"]
    step(table, 0, -1)
    type_text(table, 0, "Anna")
    assert table.positions == ["Seat 1", "Seat 2", "Seat 3", "Seat 4"], "with several people no seat is called You"


def test_deal_number_is_typed():
    table = create_table()
    step(table, "deal", 1)
    assert table.first_error == ("deal", "type the number of the deal")
    assert type_text(table, "deal", "20x261120") == "x"
    assert table.create_setup().seed == 20261120
    press_backspace(table, "deal")
    assert table.create_setup().seed == 2026112
    type_text(table, "deal", "9" * 20)
    assert len(table.number_input.text) == 15, "the deal number is limited to 15 digits"
    step(table, "deal", -1)
    assert table.create_setup().seed is None
    press_backspace(table, "deal")
    step(table, "deal", 1)
    assert len(table.number_input.text) == 15, "Backspace does not change a hidden number"


def test_digits_select_deal_by_number():
    table = create_table()
    type_text(table, "deal", "07")
    assert (table.get_value(DEAL), table.create_setup().seed) == (BY_NUMBER, 7)


def test_clock_minutes_are_stepped_or_typed():
    table, clock = create_table(), "round_clock"

    def value():
        return table.create_setup().options.to_dict()["round_clock"]

    for expected in (5, 10, 15):
        step(table, clock, 1)
        assert value() == expected
    assert get_rows(table)[clock].value == "15 minutes"
    assert get_rows(table)[clock].value == "15 minutes"
    type_text(table, clock, "7")
    assert value() == 7
    step(table, clock, -1)
    assert value() == 5
    step(table, clock, -1)
    assert value() == "off"
    step(table, clock, -1)
    assert value() == "off"
    type_text(table, clock, "12")
    assert value() == 12
    type_text(table, clock, "3")
    assert value() == 3, "a third digit starts a new number"
    press_backspace(table, clock)
    assert value() == "off"
    assert type_text(table, clock, "0") == ""
    assert value() == "off"
    type_text(table, clock, "99999")
    assert value() == 999
    assert type_text(table, "hook", "1") == "1", "a rule that is not a time takes no digits"


def test_choices_survive_switch_of_game():
    table = create_table()
    step(table, "hook", 1)
    type_text(table, 0, "Anna")
    step(table, "game", 1)
    assert table.game.about.key == KEYS[1]
    assert table.names[0] == "Anna"
    step(table, "game", -1)
    assert table.create_setup().options.hook == "always"
    assert not table.has_default_rules
    table.open("bridge", TODAY)
    assert (table.game.about.key, table.names[0]) == ("bridge", "Anna")


def test_daily_deal_fixes_game_seats_and_house_rules():
    table = create_table()
    type_text(table, 0, "Anna")
    step(table, "hook", 1)
    step(table, 1, 2)
    step(table, "deal", -1)
    assert table.is_daily
    game = GAMES[session_setup.get_daily_game(TODAY)]
    robots = seating.create_default_seats(game, game.options())[1:]
    assert table.create_setup() == (game, (Occupant("Anna"), *robots), game.options(), 20261120, False, ())
    assert [*get_rows(table)] == [0, "deal", "begin"]
    assert get_rows(table)[0].on_step is None, "a robot cannot take the player's seat"
    type_text(table, 0, "7")
    step(table, "deal", 1)
    assert list_seats(table)[:2] == [("Anna7", None), ("Guest", None)], "the earlier choices are back"
    assert table.create_setup().options.hook == "always"


def test_pointing_at_game_leaves_daily_deal():
    table = create_table()
    step(table, "deal", -1)
    table.open("bridge", date(2026, 11, 21))
    assert (table.get_value(DEAL), table.game.about.key) == (NEW, "bridge")


@pytest.mark.parametrize("by_lot", [True, False])
def test_session_equals_command_line_session(by_lot):
    table = create_table()
    type_text(table, 0, "Anna")
    type_text(table, "deal", "7")
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


def test_new_deals_have_distinct_seeds():
    begun = [create_table().create_setup().begin() for _ in range(3)]
    for session in begun:
        session.close()
    assert len({session.header.seed for session in begun}) == 3
