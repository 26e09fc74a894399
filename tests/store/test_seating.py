"""Seating: default seats, seats as text, and nicks."""

from collections import Counter
from contextlib import closing

import pytest

from cardtable.engine.journal import Occupant
from cardtable.engine.text_format import has_single_script
from cardtable.games import GAMES
from cardtable.store import seating, session_setup, sessions

RIKIKI = GAMES["rikiki"]


def test_shuffled_seats_are_seeded_and_unbiased():
    seats = seating.create_default_seats(RIKIKI, RIKIKI.options())
    assert session_setup.create_default_setup(RIKIKI).random_seating, "drawn unless chosen"
    assert seating.shuffle_seats(seats, 7) == seating.shuffle_seats(seats, 7)
    assert set(seating.shuffle_seats(seats, 7)) == set(seats)
    guest = Counter(seating.shuffle_seats(seats, seed).index(Occupant("Guest")) for seed in range(4000))
    assert sum((n - 1000) ** 2 / 1000 for n in guest.values()) < 16.3  # chi-square, 3 degrees of freedom, p = 0.001


@pytest.mark.parametrize(
    ("seats", "came", "arrivals"),
    [
        ("novice,me,steady", "", (1, 0, 2)),
        ("person:Bob,novice,person:Anna", "Anna Bob", (2, 0, 1)),
        ("person:Bob,novice,person:Anna", "", (0, 2, 1)),
    ],
)
def test_people_come_before_robots(seats, came, arrivals):
    seats = seating.parse_seats(seats, GAMES["ten_down"])
    assert seating.list_arrivals(seats, tuple(map(Occupant, came.split())) or seats) == arrivals


def test_order_of_coming_is_kept_when_seats_are_drawn():
    game = GAMES["ten_down"]
    people = tuple(map(Occupant, ("Anna", "Bob", "Cleo")))
    setup = session_setup.SessionSetup(game, (*people, Occupant("Ada", "novice")), game.options(), 5, True)
    with closing(setup.begin()) as session:
        head = session.header
        assert [head.seats[seat].name for seat in head.arrivals] == ["Anna", "Bob", "Cleo", "Ada"]
        assert [occupant.name for occupant in head.seats] != ["Anna", "Bob", "Cleo", "Ada"]
        with closing(session_setup.create_rematch(session, same_deal=False).begin()) as another:
            assert another.header.arrivals == head.arrivals
    assert sessions.resume(session.path).header == head


@pytest.mark.parametrize(
    ("text", "seats"),
    [
        ("me,steady,steady,steady", [("Guest", None), ("Ada", "steady"), ("Bo", "steady"), ("Cy", "steady")]),
        ("random,me,novice,steady", [("Ada", "random"), ("Guest", None), ("Bo", "novice"), ("Cy", "steady")]),
        ("person:Anna,me,person:Jörg,novice", [("Anna", None), ("Guest", None), ("Jörg", None), ("Ada", "novice")]),
        ("steady,expert,novice,steady", [("Ada", "steady"), ("Bo", "expert"), ("Cy", "novice"), ("Dee", "steady")]),
        ("person:R2D2,steady,steady,steady", [("R2D2", None), ("Ada", "steady"), ("Bo", "steady"), ("Cy", "steady")]),
    ],
)
def test_parse_seats_in_seat_order(text, seats):
    assert seating.parse_seats(text, RIKIKI) == tuple(Occupant(*fields) for fields in seats)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "4 seats, not 1"),
        ("me,steady,steady,steady,steady", "4 seats, not 5"),
        ("me,me,steady,steady", "two seats"),
        ("person:Anna,person:Anna,me,steady", "two seats"),
        ("me,genius,steady,steady", "a seat is me, random, novice, steady, expert or person:NICK, not 'genius'"),
        ("me, steady,steady,steady", "not ' steady'"),
        ("me,steady,steady,", "not ''"),
        ("person:Al,steady,steady,steady", "3 to 8 letters or digits"),
        ("person:1st,steady,steady,steady", "starts with a letter"),
        ("person:anna,person:Anna,me,steady", "two seats"),
        ("person:Ill,me,person:Il1,steady", "^Il1 looks like Ill, who has another seat; choose another nick$"),
        ("person:\u0410da,steady,steady,steady", "looks like \u0410da, who has another seat"),
        ("person:An na,steady,steady,steady", "one word"),
        ("person:An\x1bna,steady,steady,steady", "one word"),
        ("person:Ada,steady,steady,steady", "person:Ada: a robot has that name"),
        ("person:Guest,steady,steady,steady", "person:Guest: Guest is everyone without a profile"),
    ],
)
def test_parse_seats_refuses_invalid_text(text, message):
    with pytest.raises(ValueError, match=message) as error_info:
        seating.parse_seats(text, RIKIKI)
    assert str(error_info.value).isprintable()
    assert len(str(error_info.value)) < 200


@pytest.mark.parametrize(
    ("typed", "nick"),
    [
        ("王小明", "王小明"), ("דודו", "דודו"), ("علي", "علي"), ("გიორგი", "გიორგი"), ("ßeta", "ßeta"),
        ("ısık", "Isık"), ("ilker", "Ilker"), ("ǆemal", "ǅemal"), ("हिन्दी", "हिन्दी"), ("שָׁלוֹם", "שָׁלוֹם"),
        ("ไทยแลนด์", "ไทยแลนด์"), ("e\u0301mile", "Émile"), ("علی\u200cرضا", "علیرضا"), ("7up", None),
        ("\u0301abc", None), ("ㅤㅤㅤ", None), ("a\ufe0fbc", None), ("abc" + "\u0300" * 6, "Abc" + "\u0300" * 6),
        ("abc" + "\u0300" * 7, None), ("王小明明明明明明明", None), ("Al\u0301", None), ("👩\u200d💻abc", None),
    ],
)  # fmt: skip
def test_normalize_nick_in_all_scripts(typed, nick):
    made = seating.normalize_nick(typed)
    if nick is None:
        assert seating.find_nick_error(made)
    else:
        assert (made, seating.find_nick_error(made)) == (nick, None)
        assert seating.normalize_nick(made) == made


@pytest.mark.parametrize(
    "nick",
    [
        "Émile", "Nguyễn", "Ærøskøb", "Isık", "Zoë7", "ßeta", "Алёна", "Їжак", "Νίκος", "Արամ", "გიორგი", "שָׁלוֹם",
        "علی٣", "हिन्दी", "বাংলা", "தமிழ்", "ไทยแลนด์", "ລາວໃຈ", "ខ្មែរ", "ሰላም", "བོདཡིག", "ᏣᎳᎩ", "ⵜⵉⴼ",
        "王小明", "さくら", "カタカナ", "スター", "花子ちゃん",
        "サトウ健", "佐々木", "김철수", "金철수", "王ㄅㄆ", "Ａｎｎａ", "Anʼna",
    ],
)  # fmt: skip
def test_nicks_of_one_script_are_accepted(nick):
    nick = seating.normalize_nick(nick)
    assert seating.find_new_nick_error(nick) == seating.find_nick_error(nick)
    assert has_single_script(nick)


@pytest.mark.parametrize(
    "nick",
    [
        "Аnna", "Annа", "Αnna", "Annα", "Аννα", "Բob", "Bოb", "Aᏼa", "Ωmar", "Bоb7", "王Kim", "さ김철",
        "ㄅカ王", "ㄅ김王", "שana", "हिAn", "Ａннa", "Xスー",
    ],
)  # fmt: skip
def test_nicks_of_mixed_scripts_are_refused(nick):
    nick = seating.normalize_nick(nick)
    assert seating.find_nick_error(nick) is None
    assert seating.find_new_nick_error(nick) == "use letters of one alphabet in a nick"


@pytest.mark.parametrize(
    ("nick", "other"),
    [
        ("Сосо", "Coco"), ("Сосо", "COCO"), ("ΟΡΟ", "Opo"), ("ОРО", "ΟΡΟ"), ("АННА", "ΑHHΑ"), ("Ёхо", "Ëxo"),
        ("BiIl", "Bill"), ("Bi1l", "Bill"), ("B0b", "Bob"), ("Anı", "Ani"), ("Ｃｏｃｏ", "Сосо"), ("ꓮꓠꓠꓮ", "Anna"),
        ("ᎪᎷᏴᎬᎡ", "Amber"), ("Սսօ", "Uuo"), ("エニロ", "工二口"), ("anna", "ANNA"), ("irem", "İrem"), ("IREM", "İrem"),
        ("i\u0307rem", "İrem"), ("ＩＲＥＭ", "ırem"), ("ﬁona", "Fiona"), ("ŉabel", "ʼnabel"),
    ],
)  # fmt: skip
def test_confusable_nicks_are_found(nick, other):
    assert seating.find_confusable(
        seating.normalize_nick(nick), ("Somebody", seating.normalize_nick(other))
    ) == seating.normalize_nick(other)


@pytest.mark.parametrize(
    ("nick", "other"),
    [("Anna", "Anne"), ("Вова", "Boba"), ("Anna", "Ánna"), ("Анна", "Anna"), ("Аня", "Ana"), ("王小明", "王小朋")],
)
def test_distinct_nicks_are_not_confusable(nick, other):
    assert seating.find_confusable(nick, (other,)) is None


@pytest.mark.parametrize("nick", ["王明", "지민", "アイ", "カー", "王か", "か\u309aな", "ｱｲ", "ㅋㅋ"])
def test_two_characters_suffice_in_han_hangul_and_kana(nick):
    assert seating.find_new_nick_error(seating.normalize_nick(nick)) is None


@pytest.mark.parametrize(
    ("nick", "fewest"),
    [("", 3), ("Al", 3), ("বাংলা", 3), ("王1", 3), ("王A", 3), ("王", 2), ("か\u309a", 2), ("王小明明明明明明明", 2)],
)
def test_length_of_refused_nick_is_explained_by_its_script(nick, fewest):
    assert seating.find_nick_error(nick) == f"a nick is one word of {fewest} to 8 letters or digits"


@pytest.mark.parametrize("nick", ["ꓮꓓꓮ", "Guеst"])
def test_imitated_robot_names_are_refused(nick):
    assert seating.find_new_nick_error(nick)


@pytest.mark.parametrize(
    ("one", "other", "are_alike"),
    [
        ("Anna", "ANNA", True), ("ßeta", "SSETA", True), ("ẞeta", "ßeta", True), ("ǅemal", "ǆEMAL", True),
        ("Ａｎｎａ", "Anna", True), ("Émile", "e\u0301MILE", True), ("Isık", "Isik", False), ("Σάς", "ΣΆΣ", True),
        ("გიორგი", "ᲒᲘᲝᲠᲒᲘ", True), ("王小明", "王小朋", False),
    ],
)  # fmt: skip
def test_nick_key_ignores_case_and_width(one, other, are_alike):
    assert (seating.compute_nick_key(one) == seating.compute_nick_key(other)) is are_alike
