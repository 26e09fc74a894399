"""Entry of rounds by keys: keys per figure, contracts of two digits."""

import pytest

from cardtable.scoring.round_entry import EntryField, RoundEntry
from cardtable.scoring.score_table import ScoreTableLine
from tests.every_game import GAMES_WITH_SCORE_SHEET
from tests.scoring.tables import NAMES, create_table, play_session_with_entries

MAX_ROUNDS = 10
"""Number of rounds that are entered."""


def enter_by_keys(table, entered):
    """Enter a round by keys, with Enter at the end; return the keys."""
    entry, pressed = RoundEntry(table.sheet, NAMES[: table.sheet.seats]), []

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
    table.apply(ScoreTableLine(round=dict(entry.build_round())))
    return [*pressed, "enter"]


def has_value(entry, entered, field):
    """Return True if a field has its value of the entry."""
    if field.seat is None:
        return entry.choices.get(field.name) == entered[field.name]
    return entry.get_counts(entry.find_row(field))[field.seat] == entered[field.name][field.seat]


def count_keys_and_figures(game, seed):
    """Return how many keys enter the first rounds of a session, and how many figures they have."""
    engine, first, rounds = play_session_with_entries(game, seed)
    table, rounds = create_table(game, engine.seats, first), rounds[:MAX_ROUNDS]
    pressed = sum(len(enter_by_keys(table, entered)) for entered in rounds)
    assert [score.points for score in table.sheet.scores] == [score.points for score in engine.scores[: len(rounds)]]
    values = [value for entered in rounds for value in entered.values()]
    return pressed, sum(1 if isinstance(value, str) else len(value) for value in values)


def test_rifki_needs_fewer_than_two_keys_per_figure():
    for seed in range(2):
        pressed, figures = count_keys_and_figures("rifki", seed)
        assert figures == 5 * MAX_ROUNDS
        assert pressed < 2 * figures


@pytest.mark.parametrize("game", GAMES_WITH_SCORE_SHEET)
def test_games_need_fewer_than_three_keys_per_figure(game):
    pressed, figures = count_keys_and_figures(game, 1)
    assert pressed < 3 * figures


CONTRACT, FIRST, SECOND, THIRD = EntryField("contract"), *[EntryField("tricks", seat) for seat in range(3)]


@pytest.mark.parametrize(
    ("keys", "contract", "field", "counts"),
    [
        pytest.param("1", "no-tricks", CONTRACT, [], id="first digit"),
        pytest.param("1 0+", "diamonds", FIRST, [], id="quick second digit"),
        pytest.param("1 0", "no-tricks", SECOND, [0], id="late second digit is a count"),
        pytest.param("1 end", "no-tricks", FIRST, [], id="finished number moves the cursor"),
        pytest.param("1 end 2+ end", "no-tricks", SECOND, [2], id="no digit joins a finished number"),
        pytest.param("1 3 4", "no-tricks", THIRD, [3, 4], id="counts do not change the contract"),
        pytest.param("1 3 4+", "no-tricks", THIRD, [3, 4], id="quick counts do not change the contract"),
        pytest.param("1 home 2+", "no-hearts", EntryField("hearts", 0), [], id="moving the cursor starts a new number"),
        pytest.param("1 5+", "no-tricks", SECOND, [5], id="digit beyond the last contract is a count"),
    ],
)
def test_digits_of_contract_and_counts(keys, contract, field, counts):
    """A digit with a plus is typed quickly after the one before; `end` finishes the number, `home` moves the cursor."""
    entry = RoundEntry(create_table("king").sheet, NAMES[:4])
    for key in keys.split():
        if key == "end":
            entry.finish_number()
        elif key == "home":
            entry.move_to_end(-1)
        else:
            entry.type_digit(key[0], continues_number=key.endswith("+"))
    assert entry.choices["contract"] == contract
    assert entry.current_field == field
    if counts:
        assert entry.get_typed_counts(entry.find_row(FIRST))[: len(counts)] == counts


def test_unavailable_contract_keeps_cursor():
    table = create_table("king")
    table.apply(ScoreTableLine(round={"contract": "no-tricks", "by": "cards", "tricks": (9, 0, 0, 0)}))
    for _ in range(3):
        table.apply(ScoreTableLine(round={"contract": "no-hearts", "by": "cards", "hearts": (9, 0, 0, 0)}))
    entry = RoundEntry(table.sheet, NAMES[:4])
    entry.type_digit("1")
    entry.finish_number()
    assert entry.complaint
    assert entry.current_field == EntryField("contract")
    entry.type_digit("1")
    entry.type_digit("2", continues_number=True)
    assert (entry.choices["contract"], entry.complaint) == ("spades", "")
