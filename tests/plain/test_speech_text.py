"""Text for screen readers: cards, hands, log entries."""

import pytest

from cardtable.engine.cards import card, cards, iter_cards
from cardtable.engine.faces import FRENCH, GERMAN, ITALIAN
from cardtable.engine.journal import SENTENCES
from cardtable.engine.log_entries import (
    DEALT_AGAIN,
    CustomLogEntry,
    Dealt,
    MadePoints,
    PlayedCard,
    Said,
    SeatChanged,
    SystemLogEntry,
    TookTrick,
    join_spectator_talk,
)
from cardtable.plain.action_menu import split_words, to_suit_letters
from cardtable.plain.speech_text import (
    format_cards,
    format_hand,
    format_log_entries,
    format_log_entry,
    to_ascii,
    to_spoken,
    use_faces,
)
from cardtable.plain.table_dialog import create_input_help
from cardtable.session.session_events import LoggedMessage, create_mark_entry, create_talk_entry
from cardtable.wording.log_entries import format_messages
from cardtable.wording.missed import format_missed_events
from tests.journal_lines import HOSTILE_TALK

NAMES = ("You", "Ada")
SEVEN, EIGHT, QUEEN = map(card, ("7S", "8S", "QH"))


@pytest.mark.parametrize(
    ("note", "expected"),
    [
        (PlayedCard(1, QUEEN, "by lot"), "Ada plays the queen of hearts by lot."),
        (PlayedCard(0, SEVEN, "lowest"), "You play the seven of spades (your lowest)."),
        (
            TookTrick(0, cards=(SEVEN, QUEEN, EIGHT)),
            "You take the seven of spades, the queen of hearts and the eight of spades.",
        ),
        (MadePoints(0, -4, 3), "You: minus 4 in round 3."),
        (MadePoints(1, -36, 3, 4), "Ada: minus 36 counted 4 times in round 3."),
        (MadePoints(1, 0, 3, 4), "Ada: 0 in round 3."),
        (CustomLogEntry(1, "20 off for each jack"), "Ada: 20 off for each jack."),
        (CustomLogEntry(0, "passes", "pass"), "You pass."),
        (CustomLogEntry(0, "asks {1} for {}", "ask {1} for {}", (SEVEN,)), "You ask Ada for the seven of spades."),
        (CustomLogEntry(1, "asks {0} for aces", "ask {0} for aces"), "Ada asks you for aces."),
        (
            CustomLogEntry(0, "has exactly 125: back to 0", "have exactly 125: back to 0"),
            "You have exactly 125: back to 0.",
        ),
        (SystemLogEntry(0, "lost"), "You have no time left: the session is lost."),
        (SystemLogEntry(1, "plays out"), "Ada plays out the rest."),
        (DEALT_AGAIN, "Time is up: the round is dealt again."),
        (Said(1, "7S?"), "Ada: 7S?"),
        (Said(None, "hello"), "Somebody: hello"),
        (Said(None, "Kay: hello"), "Spectator Kay: hello"),
        (Said(None, "Ada: Bo: hello"), "Spectator Ada: Bo: hello"),
        (Said(None, "Kay:"), "Spectator Kay: "),
        (Said(None, "12:30"), "Somebody: 12:30"),
        (SeatChanged(None, "Bo", "novice", "Ada"), "Bo, a novice robot, takes Ada's seat."),
        (CustomLogEntry(None, "reshuffled: ×2"), "Reshuffled: counted twice."),
        (Dealt(None, 2, 4, no_trump=True), "Round 2: 4 cards each, no trump."),
    ],
)
def test_log_entries_are_sentences(note, expected):
    """Entries beside those in the golden files of the games."""
    assert format_log_entry(note, NAMES) == expected


def test_hand_by_suits_from_low_to_high():
    assert format_hand(iter_cards(cards("AS TS KC 2C QH"))) == "clubs two, king; hearts queen; spades ten, ace"
    assert format_hand(iter_cards(cards("AS"))) == "spades ace"
    assert format_hand([]) == "no cards"


def test_signs_become_words():
    assert (
        to_ascii("You hold K♥, 10♦: ♣ and ♠ – −4 …")
        == "You hold the king of hearts, ten of diamonds: clubs and spades - minus 4 ..."
    )


def test_suits_that_are_shown_by_sign_and_name_are_said_once():
    assert to_ascii("The suits are ♣ clubs and ♦ diamonds.") == "The suits are clubs and diamonds."


def test_cards_with_an_article_get_no_second_one():
    assert to_spoken("Cy held the other AC.") == "Cy held the other ace of clubs."
    assert to_spoken("You hold KH.\n\nThe 9D is on top.").endswith("\n\nThe nine of diamonds is on top.")


@pytest.mark.parametrize(
    ("some", "expected"),
    [
        ("7S", "seven of spades"), ("JC QC KC", "jack, queen and king of clubs"),
        ("3C 3D 3H", "threes of clubs, diamonds and hearts"), ("6C 6D", "sixes of clubs and diamonds"),
        ("7S QH", "seven of spades and queen of hearts"),
    ],
)  # fmt: skip
def test_cards_with_common_rank_or_suit_are_grouped(some, expected):
    assert format_cards(map(card, some.split())) == expected


def test_points_of_a_round_are_one_sentence():
    notes = [
        MadePoints(0, -2, 3, 4),
        CustomLogEntry(0, "earns 50", "earn 50"),
        MadePoints(1, 10, 3, 4),
        MadePoints(1, 0, 4),
    ]
    assert [*format_log_entries(notes, NAMES)] == [
        "Points (counted 4 times): You minus 2, Ada plus 10.",
        "You earn 50.",
        "Points: Ada 0.",
    ]


@pytest.mark.parametrize("mark", SENTENCES)
def test_talk_never_looks_like_a_mark(mark):
    note = create_mark_entry(mark)
    seen = format_log_entry(note, NAMES), *list_displays(note)
    assert SENTENCES[mark] in seen[0]
    for text in HOSTILE_TALK:
        for stored, seat in ((text, 0), (text, 1), (text, None), (join_spectator_talk("Kay", text), None)):
            said = create_talk_entry(stored, seat)
            assert not {format_log_entry(said, NAMES), *list_displays(said)} & {*seen}


def list_displays(note):
    """Return a log entry as the panel, the list of messages and the list of missed messages show it."""
    return *format_messages([note], NAMES, joins=False), *format_missed_events([LoggedMessage(note, 0)], NAMES)


# --- italian and German faces in plain lines: cards are named and understood by their names


HAND = iter_cards(cards("JC QD KH AS 7S"))


def test_hand_by_the_names_of_the_pack():
    with use_faces(GERMAN):
        assert format_hand(HAND) == "acorns unter; bells ober; hearts king; leaves seven, ace"
    with use_faces(ITALIAN):
        assert format_hand(HAND) == "clubs fante; coins cavallo; cups re; swords seven, ace"
    assert format_hand(HAND) == "clubs jack; diamonds queen; hearts king; spades seven, ace"


def test_sentences_name_cards_and_suits():
    with use_faces(ITALIAN):
        assert format_log_entry(PlayedCard(0, HAND[1]), ["Ada"]) == "Ada plays the cavallo of coins."
        assert to_spoken("keeps KH KD") == "keeps the re of cups and coins"
        assert to_ascii("10 ♣") == "10 clubs"
        assert format_cards(iter_cards(cards("JC JD"))) == "fanti of clubs and coins"


def test_the_names_end_with_the_table_even_after_an_error():
    with pytest.raises(ZeroDivisionError), use_faces(GERMAN):
        raise ZeroDivisionError
    assert to_ascii("♦") == FRENCH.suits[1].many


def test_help_names_cards_by_the_pack():
    with use_faces(ITALIAN):
        [text] = create_input_help()
    assert "such as seven of swords" in text
    assert "J (fante), Q (cavallo), K (re) and A (ace), suits C (clubs), D (coins), H (cups) and S (swords)." in text


def test_typed_names_of_the_pack_and_the_usual_ones_are_understood():
    with use_faces(GERMAN):
        assert split_words("play ober of bells") == ["play", "qd"]
        assert split_words("unter and ober of leaves") == ["js", "qs"]
        assert split_words("queen of diamonds, qd") == ["qd", "qd"]
        assert to_suit_letters(["acorns", "leaf"]) == ["c", "s"]
    assert split_words("ober of bells") == ["ober", "bells"]
