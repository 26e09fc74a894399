"""How many keys it takes to enter a session: the 20 rounds of Rifki, and all the others."""

import pytest

from cardtable.scoring.round_entry import EntryField, RoundEntry
from cardtable.scoring.score_table import ScoreTableLine
from tests.every_game import GAMES_WITH_SCORE_SHEET
from tests.scoring.tables import NAMES, played, table


def keys_of(kept, entered):
    """The keys that enter a round, Enter at its end among them; the round is counted then."""
    entry, pressed = RoundEntry(kept.sheet, NAMES[: kept.sheet.seats]), []

    def press(key):
        pressed.append(key)
        if len(key) > 1:
            entry.move(1 if key == "tab" else -1)
        else:
            entry.type_digit(key, continues_number=True)

    def reach(field):
        for _ in range(20):
            if entry.current_field == field:
                return
            press("tab" if entry.fields.index(entry.current_field) < entry.fields.index(field) else "shift+tab")
        raise AssertionError(field)

    for _ in range(60):
        if entry.build_round() == entered:
            break
        field = next(field for field in entry.fields if not there(entry, entered, field))
        reach(field)
        choice = entry.find_choice(field)
        if choice:
            number = [option.key for option in choice.options].index(entered[field.name]) + 1
        else:
            number = entered[field.name][field.seat]
        for digit in str(number):
            press(digit)
        if choice and 10 * number <= len(choice.options):  # who types on at once parts the numbers
            press("tab")
    assert entry.validate().can_save, entry.validate()
    kept.apply(ScoreTableLine(round=dict(entry.build_round())))
    return [*pressed, "enter"]


def there(entry, entered, field):
    """Whether a field has what it is to have."""
    if field.seat is None:
        return entry.choices.get(field.name) == entered[field.name]
    return entry.get_counts(entry.find_row(field))[field.seat] == entered[field.name][field.seat]


def figures_of(entered):
    """How many figures a round has: choices and counts."""
    return sum(1 if isinstance(value, str) else len(value) for value in entered.values())


def keys_a_figure(game, seed):
    engine, first, rounds = played(game, seed)
    kept = table(game, engine.seats, first)
    pressed = sum(len(keys_of(kept, entered)) for entered in rounds)
    assert kept.sheet.totals == engine.totals
    return pressed, sum(map(figures_of, rounds))


@pytest.mark.promise(
    "Scores of real card games",
    "Rifki's 20 rounds take fewer than two keys per figure, every other game fewer than three.",
)
def test_the_20_rounds_of_rifki_take_fewer_than_2_keys_a_figure():
    for seed in range(5):
        pressed, figures = keys_a_figure("rifki", seed)
        assert figures == 100
        assert pressed < 200
        print(f"{pressed} keys for {figures} figures: {pressed / figures:.2f} a figure")


@pytest.mark.promise(
    "Scores of real card games",
    "Rifki's 20 rounds take fewer than two keys per figure, every other game fewer than three.",
)
@pytest.mark.parametrize("game", GAMES_WITH_SCORE_SHEET)
def test_every_game_takes_fewer_than_3_keys_a_figure(game):
    pressed, figures = keys_a_figure(game, 1)
    print(f"{game}: {pressed} keys for {figures} figures: {pressed / figures:.2f} a figure")
    assert pressed < 3 * figures


def test_fields_are_gone_through_by_digits_alone():
    entry = RoundEntry(table("rifki").sheet, NAMES[:4])
    for digit in "4642":
        entry.type_digit(digit)
    assert entry.current_field == EntryField("taken", 3)
    assert entry.build_round() == {"contract": "kupa", "taken": (6, 4, 2, 1)}


def test_a_second_digit_joins_the_number_of_a_contract_where_it_comes_soon():
    entry = RoundEntry(table("king").sheet, NAMES[:4])
    entry.type_digit("1")
    assert (entry.choices["contract"], entry.current_field) == ("no-tricks", EntryField("contract"))
    entry.type_digit("0", continues_number=True)
    assert entry.choices["contract"] == "diamonds"
    assert entry.current_field == EntryField("tricks", 0)


def test_later_it_is_the_first_count():
    entry = RoundEntry(table("king").sheet, NAMES[:4])
    entry.type_digit("1")
    entry.type_digit("0")
    assert entry.choices["contract"] == "no-tricks"
    assert entry.get_typed_counts(entry.find_row(EntryField("tricks", 0)))[0] == 0


def test_the_cursor_goes_on_once_no_digit_can_join():
    entry = RoundEntry(table("king").sheet, NAMES[:4])
    entry.type_digit("1")
    entry.finish_number()
    assert entry.current_field == EntryField("tricks", 0)
    entry.type_digit("2", continues_number=True)
    assert entry.choices["contract"] == "no-tricks"
    assert entry.get_typed_counts(entry.find_row(EntryField("tricks", 0)))[0] == 2
    entry.finish_number()
    assert entry.current_field == EntryField("tricks", 1), "nothing waits"


def test_one_that_is_closed_is_not_left_and_a_digit_may_still_join():
    kept = table("king")
    kept.apply(ScoreTableLine(round={"contract": "no-tricks", "by": "cards", "tricks": (9, 0, 0, 0)}))
    for _ in range(3):
        kept.apply(ScoreTableLine(round={"contract": "no-hearts", "by": "cards", "hearts": (9, 0, 0, 0)}))
    entry = RoundEntry(kept.sheet, NAMES[:4])
    entry.type_digit("1")
    entry.finish_number()
    assert entry.complaint
    assert entry.current_field == EntryField("contract")
    entry.type_digit("1")
    entry.type_digit("2", continues_number=True)
    assert (entry.choices["contract"], entry.complaint) == ("spades", "")


@pytest.mark.parametrize("joins", [False, True])
def test_a_count_never_changes_the_contract(joins):
    entry = RoundEntry(table("king").sheet, NAMES[:4])
    entry.type_digit("1")
    entry.type_digit("3", continues_number=False)
    entry.type_digit("4", continues_number=joins)
    assert entry.choices["contract"] == "no-tricks"
    assert entry.get_typed_counts(entry.find_row(EntryField("tricks", 0)))[:2] == [3, 4]


def test_a_digit_after_the_cursor_was_moved_is_a_number_of_its_own():
    entry = RoundEntry(table("king").sheet, NAMES[:4])
    entry.type_digit("1")
    entry.move_to_end(-1)
    entry.type_digit("2", continues_number=True)
    assert entry.choices["contract"] == "no-hearts"


def test_a_number_that_there_is_not_is_the_first_count():
    entry = RoundEntry(table("king").sheet, NAMES[:4])
    entry.type_digit("1")
    entry.type_digit("5", continues_number=True)
    assert entry.choices["contract"] == "no-tricks"
    assert entry.get_typed_counts(entry.find_row(EntryField("tricks", 0)))[0] == 5
