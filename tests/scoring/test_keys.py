"""Entry of rounds by keys: keys per figure, contracts of two digits."""

import pytest

from cardtable.scoring.round_entry import EntryField, RoundEntry
from cardtable.scoring.score_table import ScoreTableLine
from tests.every_game import GAMES_WITH_SCORE_SHEET
from tests.scoring.tables import NAMES, create_table, play_session_with_entries


def enter_by_keys(kept, entered):
    """Enter a round by keys, with Enter at the end; return the keys."""
    entry, pressed = RoundEntry(kept.sheet, NAMES[: kept.sheet.seats]), []

    def press(key):
        pressed.append(key)
        if len(key) > 1:
            entry.move(1 if key == "tab" else -1)
        else:
            entry.type_digit(key, continues_number=True)

    def move_to_field(field):
        for _ in range(20):
            if entry.current_field == field:
                return
            press("tab" if entry.fields.index(entry.current_field) < entry.fields.index(field) else "shift+tab")
        raise AssertionError(field)

    for _ in range(60):
        if entry.build_round() == entered:
            break
        field = next(field for field in entry.fields if not has_value(entry, entered, field))
        move_to_field(field)
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


def has_value(entry, entered, field):
    """Return True if a field has its value of the entry."""
    if field.seat is None:
        return entry.choices.get(field.name) == entered[field.name]
    return entry.get_counts(entry.find_row(field))[field.seat] == entered[field.name][field.seat]


def count_figures(entered):
    """Return the number of choices and counts of a round."""
    return sum(1 if isinstance(value, str) else len(value) for value in entered.values())


def count_keys_and_figures(game, seed):
    engine, first, rounds = play_session_with_entries(game, seed)
    kept = create_table(game, engine.seats, first)
    pressed = sum(len(enter_by_keys(kept, entered)) for entered in rounds)
    assert kept.sheet.totals == engine.totals
    return pressed, sum(map(count_figures, rounds))


@pytest.mark.promise(
    "Scores of real card games",
    "Rifki's 20 rounds take fewer than two keys per figure, every other game fewer than three.",
)
def test_rifki_needs_fewer_than_two_keys_per_figure():
    for seed in range(5):
        pressed, figures = count_keys_and_figures("rifki", seed)
        assert figures == 100
        assert pressed < 200


@pytest.mark.promise(
    "Scores of real card games",
    "Rifki's 20 rounds take fewer than two keys per figure, every other game fewer than three.",
)
@pytest.mark.parametrize("game", GAMES_WITH_SCORE_SHEET)
def test_games_need_fewer_than_three_keys_per_figure(game):
    pressed, figures = count_keys_and_figures(game, 1)
    assert pressed < 3 * figures


def test_digits_move_to_next_field():
    entry = RoundEntry(create_table("rifki").sheet, NAMES[:4])
    for digit in "4642":
        entry.type_digit(digit)
    assert entry.current_field == EntryField("taken", 3)
    assert entry.build_round() == {"contract": "kupa", "taken": (6, 4, 2, 1)}


def test_quick_second_digit_completes_contract_number():
    entry = RoundEntry(create_table("king").sheet, NAMES[:4])
    entry.type_digit("1")
    assert (entry.choices["contract"], entry.current_field) == ("no-tricks", EntryField("contract"))
    entry.type_digit("0", continues_number=True)
    assert entry.choices["contract"] == "diamonds"
    assert entry.current_field == EntryField("tricks", 0)


def test_late_second_digit_is_first_count():
    entry = RoundEntry(create_table("king").sheet, NAMES[:4])
    entry.type_digit("1")
    entry.type_digit("0")
    assert entry.choices["contract"] == "no-tricks"
    assert entry.get_typed_counts(entry.find_row(EntryField("tricks", 0)))[0] == 0


def test_finished_contract_number_moves_cursor():
    entry = RoundEntry(create_table("king").sheet, NAMES[:4])
    entry.type_digit("1")
    entry.finish_number()
    assert entry.current_field == EntryField("tricks", 0)
    entry.type_digit("2", continues_number=True)
    assert entry.choices["contract"] == "no-tricks"
    assert entry.get_typed_counts(entry.find_row(EntryField("tricks", 0)))[0] == 2
    entry.finish_number()
    assert entry.current_field == EntryField("tricks", 1), "nothing waits"


def test_unavailable_contract_keeps_cursor():
    kept = create_table("king")
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
def test_counts_do_not_change_contract(joins):
    entry = RoundEntry(create_table("king").sheet, NAMES[:4])
    entry.type_digit("1")
    entry.type_digit("3", continues_number=False)
    entry.type_digit("4", continues_number=joins)
    assert entry.choices["contract"] == "no-tricks"
    assert entry.get_typed_counts(entry.find_row(EntryField("tricks", 0)))[:2] == [3, 4]


def test_moving_cursor_starts_new_number():
    entry = RoundEntry(create_table("king").sheet, NAMES[:4])
    entry.type_digit("1")
    entry.move_to_end(-1)
    entry.type_digit("2", continues_number=True)
    assert entry.choices["contract"] == "no-hearts"


def test_digit_beyond_last_contract_is_first_count():
    entry = RoundEntry(create_table("king").sheet, NAMES[:4])
    entry.type_digit("1")
    entry.type_digit("5", continues_number=True)
    assert entry.choices["contract"] == "no-tricks"
    assert entry.get_typed_counts(entry.find_row(EntryField("tricks", 0)))[0] == 5
